//! What is wrong with a URL or a server is said, and never with the password.

use toolkeep::store::{self, Error, Kind, OpenOptions, PutAgent, StoreUrl, migrate};
use toolkeep::{Code, Config, Runtime};
use toolkeep_test_postgres::{PASSWORD, Server, USER};

use super::{failure, open};
use crate::support::eventually;

/// The error with everything that hangs on it.
fn whole(error: &Error) -> String {
    let mut text = format!("{error} {error:?}");
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text.push_str(&format!(" {cause} {cause:?}"));
        source = cause.source();
    }
    text
}

#[tokio::test]
async fn a_refused_login_is_distinguished_from_a_server_that_is_not_there() {
    let server = Server::shared();
    let port = server.port();
    let url = server.new_database();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let cases = [
        (url.replace(PASSWORD, "hush-hush-1"), Kind::Path, "password authentication failed"),
        (url.replace(USER, "nobody-knows"), Kind::Path, "nobody-knows"),
        (format!("postgres://{USER}:hush-hush-1@127.0.0.1:{port}/db"), Kind::Path, "password"),
        (server.url("missing_db"), Kind::Path, "database \"missing_db\" does not exist"),
        (
            format!("postgres://u:hush-hush-1@127.0.0.1:{closed}/db"),
            Kind::Unavailable,
            "nothing listens there",
        ),
        (
            "postgres://u:hush-hush-1@no-such-host.invalid/db".into(),
            Kind::Unavailable,
            "no such host",
        ),
        ("postgres://u:hush-hush-1@/db?host=/no/such".into(), Kind::Unavailable, "no such socket"),
        (format!("postgres://{USER}@127.0.0.1:{port}/db"), Kind::Path, "password missing"),
    ];
    let mut texts = Vec::new();
    for (url, kind, says) in cases {
        let error = failure(&url).await;
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(says), "{error}");
        let text = whole(&error);
        assert!(!text.contains("hush-hush-1") && !text.contains(PASSWORD), "{text}");
        texts.push(error.to_string());
    }
    texts.dedup();
    assert_eq!(texts.len(), 8);
}

#[test]
fn a_wrong_url_names_its_part_and_never_the_password() {
    for (rest, says) in [
        ("u:hush-hush-1@h/db", "`//` must follow"),
        ("//u:hush-hush-1@h:x/db", "the port is not a number"),
        ("//u:hush-hush-1@h:0/db", "the port is not a number"),
        ("//u:hush/hush-1@h/db", "%2F"),
        ("//u:hush?hush-1@h/db", "%3F"),
        ("//u:%ff@h/db", "the password is not valid UTF-8"),
        ("//u:hush-hush-1@h/db?colour=red", "there is no parameter `colour`; accepted are app"),
        ("//u:hush-hush-1@h/db?sslmode=always", "`verify-full`"),
        ("//u:hush-hush-1@h/db?connect_timeout=soon", "`connect_timeout`"),
        ("//u:hush-hush-1@h/db?target_session_attrs=any-old", "`read-write`"),
        ("//u:hush-hush-1@h/db?pool_max_conns=many", "`pool_max_conns`"),
        ("//u:hush-hush-1@h/db?sslmode", "name=value"),
    ] {
        let error = StoreUrl::parse(&format!("postgresql:{rest}")).unwrap_err();
        assert_eq!(error.kind(), Kind::Path);
        assert!(error.to_string().contains(says), "{rest}: {error}");
        assert!(!whole(&error).contains("hush"), "{error:?}");
    }
}

#[test]
fn a_url_is_shown_without_its_password() {
    for (url, shown) in [
        ("postgres://u:pw@h:5433/db", "postgres://u@h:5433/db"),
        ("postgresql://u:p%40w@h/db?sslmode=disable", "postgres://u@h:5432/db"),
        ("postgres://u:pw@a:1,b:2/db", "postgres://u@a:1,b:2/db"),
        ("postgres://u@[::1]:6/db?password=pw", "postgres://u@[::1]:6/db"),
        ("postgres:///db?host=/run/pg&port=7&user=u", "postgres://u@/db?host=/run/pg&port=7"),
    ] {
        let StoreUrl::Postgres(url) = StoreUrl::parse(url).unwrap() else { panic!("{url}") };
        assert_eq!(url.to_string(), shown);
        assert!(!format!("{url:?}").contains("pw"));
    }
}

#[tokio::test]
async fn the_configuration_shows_no_password() {
    let url = Server::shared().new_database();
    let config = Config::from_value(serde_json::json!({ "store": url })).unwrap();
    let rt = Runtime::builder().config(config).build().await.unwrap();
    let shown = rt.invoke("config.get", serde_json::json!({})).await.unwrap().to_string();
    assert!(shown.contains("127.0.0.1") && !shown.contains(PASSWORD), "{shown}");
}

#[tokio::test]
async fn a_socket_and_the_parameters_of_libpq_work() {
    let server = Server::shared();
    let name = server.new_database_name();
    let folder = server.folder().display();
    let url = format!(
        "postgres:///{name}?host={folder}&port={}&user={USER}&application_name=probe\
         &options=-c%20search_path%3Dtoolkeep_own&connect_timeout=3\
         &target_session_attrs=read-write&pool_max_conns=2",
        server.port()
    );
    let missing = failure(&url).await;
    assert!(missing.to_string().contains("search_path"), "{missing}");
    server.sql(&name, "CREATE SCHEMA toolkeep_own");
    let store = open(&url, 5_000).await.unwrap();
    store.put_agent(PutAgent::new("t", "a"), 1).await.unwrap();
    assert_eq!(server.sql(&name, "SELECT count(*) FROM toolkeep_own.toolkeep_agents"), "1");
    let names = "SELECT DISTINCT application_name FROM pg_stat_activity WHERE datname = ";
    assert!(server.sql(&name, &format!("{names}'{name}'")).contains("probe"));
}

#[tokio::test]
async fn the_error_for_a_user_without_rights_names_the_missing_ones() {
    let server = Server::shared();
    let name = server.new_database_name();
    let role = format!("guest_{name}");
    server.sql(&name, &format!("CREATE ROLE {role} LOGIN PASSWORD 'guest-pass-1'"));
    let url = format!("postgres://{role}:guest-pass-1@127.0.0.1:{}/{name}", server.port());
    let error = failure(&url).await;
    assert_eq!(error.kind(), Kind::Path);
    assert!(error.to_string().contains("permission denied for schema public"), "{error}");
    assert!(error.to_string().contains("needs CREATE and USAGE"), "{error}");
    // With tables that are there it needs no CREATE.
    open(&server.url(&name), 5_000).await.unwrap().close().await.unwrap();
    let grant = "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO";
    server.sql(&name, &format!("{grant} {role}"));
    let store = open(&url, 5_000).await.unwrap();
    store.put_agent(PutAgent::new("t", "a"), 1).await.unwrap();
}

#[tokio::test]
async fn a_newer_store_is_refused_with_both_versions() {
    let server = Server::shared();
    let name = server.new_database_name();
    open(&server.url(&name), 5_000).await.unwrap().close().await.unwrap();
    server.sql(&name, "INSERT INTO toolkeep_schema VALUES (999, 0)");
    let error = failure(&server.url(&name)).await;
    assert_eq!(error.code(), Code::StoreNewer);
    let known = format!("knows up to {}", migrate::NEWEST);
    assert!(error.to_string().contains("version 999"), "{error}");
    assert!(error.to_string().contains(&known), "{error}");
    server.sql(&name, "DELETE FROM toolkeep_schema");
    assert_eq!(failure(&server.url(&name)).await.code(), Code::StoreCorrupt);
}

#[tokio::test]
async fn a_store_that_is_open_notices_a_newer_toolkeep() {
    let server = Server::shared();
    let name = server.new_database_name();
    let store = open(&server.url(&name), 5_000).await.unwrap();
    store.put_agent(PutAgent::new("t", "a"), 1).await.unwrap();
    server.sql(&name, "INSERT INTO toolkeep_schema VALUES (999, 0)");
    eventually(async || store.put_agent(PutAgent::new("t", "a"), 2).await.is_err()).await;
    for _ in 0..2 {
        let error = store.put_agent(PutAgent::new("t", "a"), 3).await.unwrap_err();
        assert_eq!(error.code(), Code::StoreNewer, "{error}");
        assert!(error.to_string().contains("version 999"), "{error}");
        let error = store.get_agent("t", "a").await.unwrap_err();
        assert_eq!(error.code(), Code::StoreNewer, "{error}");
    }
    // An upgrade that is undone from a backup is over.
    server.sql(&name, "DELETE FROM toolkeep_schema WHERE version = 999");
    store.put_agent(PutAgent::new("t", "a"), 4).await.unwrap();
}

#[tokio::test]
async fn another_encoding_is_refused() {
    let server = Server::shared();
    let make =
        "CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0";
    server.sql("postgres", make);
    let error = failure(&server.url("latin")).await;
    assert_eq!(error.kind(), Kind::Path);
    assert!(error.to_string().contains("LATIN1"), "{error}");
}

#[tokio::test]
async fn a_server_that_only_reads_is_read_only() {
    let server = Server::shared();
    let name = server.new_database_name();
    let store = open(&server.url(&name), 5_000).await.unwrap();
    let only = format!("ALTER DATABASE {name} SET default_transaction_read_only = on");
    server.sql("postgres", &only);
    assert_eq!(failure(&server.url(&name)).await.code(), Code::StoreReadOnly);
    let wanted = format!("{}?target_session_attrs=read-write", server.url(&name));
    assert_eq!(failure(&wanted).await.code(), Code::StoreReadOnly);
    // The connections made before still write; new ones do not.
    server.sql(
        "postgres",
        &format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"),
    );
    let error = store.put_agent(PutAgent::new("t", "a"), 1).await.unwrap_err();
    assert_eq!(error.code(), Code::StoreReadOnly, "{error}");
    assert!(error.to_string().contains("agents.put"), "{error}");
    assert_eq!(store.get_agent("t", "a").await.unwrap(), None);
    // Once the primary is back, the same store writes again.
    server.sql("postgres", &format!("ALTER DATABASE {name} RESET default_transaction_read_only"));
    store.put_agent(PutAgent::new("t", "a"), 1).await.unwrap();
}

#[tokio::test]
async fn a_relative_certificate_starts_from_the_configuration() {
    let options = OpenOptions { base_dir: Some("/no/such".as_ref()), ..OpenOptions::default() };
    let url = "postgres://u@127.0.0.1/db?sslmode=verify-full&sslrootcert=ca.pem";
    let Err(error) = store::open(url, options).await else { panic!("it was opened") };
    assert_eq!(error.kind(), Kind::Path);
    assert!(error.to_string().contains("`/no/such/ca.pem` cannot be read"), "{error}");
}
