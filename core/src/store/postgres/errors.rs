//! What PostgreSQL's errors mean for a store: the one place that knows.

use std::error::Error as _;
use std::io;

use tokio_postgres::Error as PgError;
use tokio_postgres::error::{DbError, Severity, SqlState};

use crate::store::{Error, Kind};

pub(super) fn from_postgres(url: &str, error: PgError) -> Error {
    let (kind, message) = match error.as_db_error() {
        Some(answer) => {
            let (kind, advice) = meaning_of_answer(answer);
            (kind, format!("{}; {advice}", answer.message()))
        }
        None => meaning_of_failure(&error),
    };
    Error::new(kind, url, message).with_source(error)
}

/// True if the connection is gone, or going: what was sent may or may not have been done.
pub(super) fn is_lost(error: &PgError) -> bool {
    match error.as_db_error() {
        Some(answer) => {
            matches!(answer.parsed_severity(), Some(Severity::Fatal | Severity::Panic))
                || answer.code().code().starts_with("08")
        }
        None => error.is_closed() || shape(error) == Shape::Communication,
    }
}

/// True if the server undid the transaction and the same one may well go through next time.
pub(super) fn is_collision(error: &PgError) -> bool {
    error.code().is_some_and(|code| {
        *code == SqlState::T_R_SERIALIZATION_FAILURE || *code == SqlState::T_R_DEADLOCK_DETECTED
    })
}

/// True if nothing was done and another connection may do it: the server became a standby, or a
/// pooler between us gave us a server process that does not know our statements.
pub(super) fn is_wrong_connection(error: &PgError) -> bool {
    error.code().is_some_and(|code| {
        *code == SqlState::READ_ONLY_SQL_TRANSACTION
            || *code == SqlState::INVALID_SQL_STATEMENT_NAME
    })
}

/// True if the server is starting, stopping or ending connections, and may take one in a moment.
pub(super) fn is_restarting(error: &PgError) -> bool {
    error.code().is_some_and(|code| {
        [SqlState::CANNOT_CONNECT_NOW, SqlState::ADMIN_SHUTDOWN, SqlState::CRASH_SHUTDOWN]
            .contains(code)
    })
}

/// True if the server, the database or the role has no connection left.
pub(super) fn is_crowded(error: &PgError) -> bool {
    error.code().is_some_and(|code| *code == SqlState::TOO_MANY_CONNECTIONS)
}

fn meaning_of_answer(answer: &DbError) -> (Kind, &'static str) {
    let code = answer.code();
    if let Some((_, kind, advice)) = MEANINGS.iter().find(|(known, _, _)| known == code) {
        return (*kind, advice);
    }
    match code.code().get(..2) {
        Some("23") => (Kind::Conflict, "what is there does not allow the change; read it again"),
        Some("22") => (Kind::InvalidArgument, "the database cannot hold such a value"),
        Some("28") => (Kind::Path, LOGIN),
        Some("XX") if code.code() != "XX000" => (Kind::Corrupt, DAMAGED),
        Some("53" | "54" | "57" | "58" | "08") => (Kind::Unavailable, LATER),
        Some("42") => (
            Kind::Corrupt,
            "the tables are not the ones toolkeep made: restore a backup, or take another schema",
        ),
        _ => (Kind::Unavailable, LATER),
    }
}

const LOGIN: &str = "see that user and password are right and that the server lets this user in \
     from here (pg_hba.conf)";
const DAMAGED: &str = "the database is damaged: restore a backup";
const LATER: &str = "the store may answer again later";

const MEANINGS: &[(SqlState, Kind, &str)] = &[
    (SqlState::INVALID_PASSWORD, Kind::Path, LOGIN),
    (SqlState::INVALID_CATALOG_NAME, Kind::Path, "make it with `createdb`, or name another"),
    (
        SqlState::INSUFFICIENT_PRIVILEGE,
        Kind::Path,
        "the user needs CREATE and USAGE on the schema to open the store first, and SELECT, \
         INSERT, UPDATE and DELETE on its tables afterwards",
    ),
    (
        SqlState::READ_ONLY_SQL_TRANSACTION,
        Kind::ReadOnly,
        "the server is a standby or was set to read only: connect to the primary (several hosts \
         with `target_session_attrs=read-write` find it)",
    ),
    (SqlState::DISK_FULL, Kind::Full, "free some space on the server and try again"),
    (
        SqlState::TOO_MANY_CONNECTIONS,
        Kind::Unavailable,
        "raise the server's max_connections or lower `pool_max_conns`",
    ),
    (
        SqlState::LOCK_NOT_AVAILABLE,
        Kind::Locked,
        "another transaction held what this one needs for longer than the wait allowed: try \
         again, or allow a longer wait (`store_timeout_ms`)",
    ),
    (
        SqlState::QUERY_CANCELED,
        Kind::Timeout,
        "the server took longer than the wait allowed and undid it: try again, or allow a longer \
         wait",
    ),
    (SqlState::T_R_SERIALIZATION_FAILURE, Kind::Locked, "others change the same rows: try again"),
    (SqlState::T_R_DEADLOCK_DETECTED, Kind::Locked, "others change the same rows: try again"),
    (SqlState::DATA_CORRUPTED, Kind::Corrupt, DAMAGED),
    (SqlState::INDEX_CORRUPTED, Kind::Corrupt, DAMAGED),
    (SqlState::CANNOT_CONNECT_NOW, Kind::Unavailable, "the server is starting or stopping"),
    (SqlState::ADMIN_SHUTDOWN, Kind::Unavailable, "the server ended the connection"),
    (SqlState::CRASH_SHUTDOWN, Kind::Unavailable, "the server is restarting after a crash"),
    (
        SqlState::PROGRAM_LIMIT_EXCEEDED,
        Kind::InvalidArgument,
        "a value is larger than PostgreSQL can hold",
    ),
];

/// What happened to the client itself. The crate gives it in words only.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Connecting,
    Communication,
    Tls,
    Login,
    Encoding,
    Decoding,
    Other,
}

fn shape(error: &PgError) -> Shape {
    let text = error.to_string();
    let starts = [
        ("error connecting", Shape::Connecting),
        ("timeout waiting", Shape::Connecting),
        ("error communicating", Shape::Communication),
        ("connection closed", Shape::Communication),
        ("unexpected message", Shape::Communication),
        ("error parsing response", Shape::Communication),
        ("error performing TLS", Shape::Tls),
        ("authentication error", Shape::Login),
        ("invalid configuration", Shape::Login),
        ("error encoding", Shape::Encoding),
        ("error serializing", Shape::Encoding),
        ("error deserializing", Shape::Decoding),
    ];
    let found = starts.iter().find(|(start, _)| text.starts_with(start));
    found.map_or(Shape::Other, |(_, shape)| *shape)
}

fn meaning_of_failure(error: &PgError) -> (Kind, String) {
    let cause = error.source().map(|cause| cause.to_string()).unwrap_or_default();
    match shape(error) {
        Shape::Connecting => meaning_of_connecting(error, &cause),
        Shape::Communication => (
            Kind::Unavailable,
            "the connection to the server was lost; it is made anew with the next call".into(),
        ),
        Shape::Tls => (
            Kind::Path,
            format!(
                "no TLS with this server: {cause}; see that it has TLS, that `sslrootcert` names \
                 the authority of its certificate and that the host is the one in it, or choose \
                 another `sslmode`"
            ),
        ),
        Shape::Login => (Kind::Path, format!("no login: {cause}; {LOGIN}")),
        Shape::Encoding => {
            (Kind::InvalidArgument, format!("{error}: {cause}; PostgreSQL cannot hold the value"))
        }
        Shape::Decoding => (Kind::Corrupt, format!("{error}: {cause}; {DAMAGED}")),
        Shape::Other => (Kind::Unavailable, format!("{error}; {LATER}")),
    }
}

fn meaning_of_connecting(error: &PgError, cause: &str) -> (Kind, String) {
    let io = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
    if cause.contains("does not allow writes") {
        let text = "the server only allows reading, and `target_session_attrs` asks for more; \
             name the primary as a host";
        return (Kind::ReadOnly, text.into());
    }
    let advice = match io.map(io::Error::kind) {
        Some(io::ErrorKind::ConnectionRefused) => {
            "nothing listens there: see that the server runs and that host and port are right"
        }
        Some(io::ErrorKind::NotFound) => {
            "there is no such socket: see that the server runs and that the folder is right"
        }
        _ if cause.contains("lookup") => "no such host is known: see that its name is right",
        _ => "the server does not answer: see that host and port are right and that it runs",
    };
    let cause = if cause.is_empty() { error.to_string() } else { cause.into() };
    (Kind::Unavailable, format!("{cause}; {advice}"))
}
