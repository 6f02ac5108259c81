//! Databases that an older toolkeep made.

use std::time::Duration;

use serde_json::json;
use toolkeep::Runtime;
use toolkeep::store::AuditQuery;
use toolkeep::store::migrate::{MIGRATIONS, POSTGRES};
use toolkeep_test_postgres::Server;

use super::open;

/// A database of schema 1 with a row of each sort.
fn first_schema(server: &Server) -> String {
    let name = server.new_database_name();
    server.sql(&name, &MIGRATIONS[0].sql(&POSTGRES));
    server.sql(
        &name,
        "INSERT INTO toolkeep_schema VALUES (1, 1);
         INSERT INTO toolkeep_agents VALUES ('t', 'a', 'Old.', NULL, '[]', '{}', 3, 1000);
         INSERT INTO toolkeep_event_counters VALUES ('t', 1);
         INSERT INTO toolkeep_events VALUES ('t', 1, 1000, 'agent.changed', 'a', '{}');",
    );
    server.sql(&name, &calls("'1', '2'"));
    name
}

/// The statement with which schema 1 recorded calls.
fn calls(ids: &str) -> String {
    format!(
        "INSERT INTO toolkeep_audit SELECT 't', id, 1000, 'completed', NULL, NULL, NULL,
         'read_file', 'read_file', 'allowed', NULL, NULL, CAST('{{}}' AS BYTEA), NULL, 0, NULL, 0
         FROM unnest(ARRAY[{ids}]) AS id"
    )
}

#[tokio::test]
async fn a_database_of_the_first_schema_keeps_everything() {
    let server = Server::shared();
    let name = first_schema(server);
    let store = open(&server.url(&name), 5_000).await.unwrap();
    let agent = store.get_agent("t", "a").await.unwrap().unwrap();
    assert_eq!((agent.description.as_str(), agent.version), ("Old.", 3));
    let events = store.read_events("t", 0, 10).await.unwrap();
    assert_eq!((events.len(), events[0].kind.as_str()), (1, "agent.changed"));
    let rows = store.query_audit(AuditQuery::new("t")).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(), ["1", "2"]);
    assert_eq!((rows[0].tool.as_str(), rows[0].arguments.as_str()), ("read_file", "{}"));
    let rt = Runtime::builder().store(store).build().await.unwrap();
    let report = rt.invoke("audit.verify", json!({ "tenant": "t" })).await.unwrap();
    assert_eq!((&report["ok"], &report["unchained"]), (&json!(true), &json!(2)), "{report}");
    rt.close().await.unwrap();
}

#[tokio::test]
async fn what_an_older_process_writes_during_the_upgrade_is_not_lost() {
    let server = Server::shared();
    let name = first_schema(server);
    let database = name.clone();
    // One transaction, which is not committed when the upgrade begins.
    let old = std::thread::spawn(move || {
        server.sql(&database, &format!("{}; SELECT pg_sleep(1.5)", calls("'3'")));
    });
    let writing = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
         AND pid <> pg_backend_pid() AND wait_event = 'PgSleep'";
    while server.sql(&name, writing) != "1" {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let store = open(&server.url(&name), 5_000).await.unwrap();
    old.join().unwrap();
    let report = store.verify_audit("t", vec![]).await.unwrap();
    assert_eq!((report.ok, report.unchained), (true, 3), "{report:?}");
    assert_eq!(store.query_audit(AuditQuery::new("t")).await.unwrap().len(), 3);
}
