//! What SQLite's errors mean for a store: the one place that knows.

use rusqlite::ffi::{ErrorCode, SQLITE_IOERR_SHMSIZE};

use crate::store::{Error, Kind};

pub(super) fn from_sqlite(url: &str, error: rusqlite::Error) -> Error {
    let (kind, advice) = meaning(&error);
    Error::new(kind, url, format!("{error}; {advice}")).with_source(error)
}

fn meaning(error: &rusqlite::Error) -> (Kind, &'static str) {
    match error {
        // The log's index does not fit on the disk: SQLite counts that as an I/O error.
        rusqlite::Error::SqliteFailure(failure, _)
            if failure.extended_code == SQLITE_IOERR_SHMSIZE =>
        {
            FULL
        }
        rusqlite::Error::SqliteFailure(failure, _) => meaning_of_code(failure.code),
        rusqlite::Error::Utf8Error(..)
        | rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::IntegralValueOutOfRange(..) => CORRUPT,
        _ => UNEXPECTED,
    }
}

const CORRUPT: (Kind, &str) =
    (Kind::Corrupt, "the file is damaged or no toolkeep store: restore a backup or take another");
const FULL: (Kind, &str) = (Kind::Full, "free some space and try again");
const UNEXPECTED: (Kind, &str) =
    (Kind::Unavailable, "the store may answer again later; if it does not, open it again");

fn meaning_of_code(code: ErrorCode) -> (Kind, &'static str) {
    match code {
        ErrorCode::DatabaseBusy
        | ErrorCode::DatabaseLocked
        | ErrorCode::FileLockingProtocolFailed => (
            Kind::Locked,
            "another process held the file for longer than the wait allowed: end it, try again, \
             or allow a longer wait (`store_timeout_ms`)",
        ),
        ErrorCode::ReadOnly => {
            (Kind::ReadOnly, "make the file and its folder writable, or take another file")
        }
        ErrorCode::DiskFull => FULL,
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => CORRUPT,
        ErrorCode::CannotOpen | ErrorCode::PermissionDenied => {
            (Kind::Path, "see that the path is right and that its folder can be read and written")
        }
        ErrorCode::TooBig => (Kind::InvalidArgument, "a value is larger than SQLite can hold"),
        ErrorCode::ConstraintViolation => {
            (Kind::Conflict, "what is there does not allow the change; read it again")
        }
        _ => UNEXPECTED,
    }
}
