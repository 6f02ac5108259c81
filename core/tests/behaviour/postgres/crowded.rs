//! A server with fewer connections than the pool may make.

use std::sync::Arc;

use futures_util::future::join_all;
use toolkeep::store::driver::{Driver as _, Statement};
use toolkeep::store::{Kind, PutAgent};
use toolkeep_test_postgres::Server;

use super::{driver, failure, open};

fn sleep(sql: &'static str) -> Statement {
    Statement::new(sql, vec![])
}

const SHORT: &str = "SELECT CAST(pg_sleep(0.05) AS TEXT)";
const LONG: &str = "SELECT CAST(pg_sleep(1) AS TEXT)";

/// A role of the server that may have so many connections, and the URL of a database of its own.
fn role(server: &Server, connections: u32) -> String {
    let name = server.new_database_name();
    let role = format!("few_{name}");
    let make = format!("CREATE ROLE {role} LOGIN PASSWORD 'few-pass-1' CONNECTION LIMIT");
    server.sql(&name, &format!("{make} {connections}"));
    server.sql(&name, &format!("GRANT CREATE ON SCHEMA public TO {role}"));
    format!("postgres://{role}:few-pass-1@127.0.0.1:{}/{name}", server.port())
}

#[tokio::test]
async fn calls_wait_for_a_connection_where_the_server_has_fewer_than_the_pool_may_make() {
    let server = Server::start(&[("fsync", "off"), ("max_connections", "5")]);
    let url = format!("{}?pool_max_conns=16", server.url("postgres"));
    let store = open(&url, 20_000).await.unwrap();
    let puts = (0..60).map(|n| {
        let store = store.clone();
        async move { store.put_agent(PutAgent::new("t", n.to_string()), n).await }
    });
    for put in join_all(puts).await {
        put.unwrap();
    }
}

#[tokio::test]
async fn whoever_calls_again_and_again_leaves_the_others_their_turn() {
    let url = format!("{}?pool_max_conns=8", role(Server::shared(), 2));
    let driver = Arc::new(driver(&url, 20_000).await);
    let callers = (0..8).map(|_| {
        let driver = driver.clone();
        tokio::spawn(async move {
            for _ in 0..10 {
                driver.read(sleep(SHORT)).await?;
            }
            Ok::<(), toolkeep::store::Error>(())
        })
    });
    for caller in join_all(callers).await {
        caller.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_call_waits_for_a_connection_that_somebody_else_has() {
    let url = role(Server::shared(), 2);
    let first = driver(&format!("{url}?pool_max_conns=2"), 20_000).await;
    let four = format!("{url}?pool_max_conns=4");
    let second = open(&four, 20_000);
    let busy = async {
        let (one, two) = futures_util::join!(first.read(sleep(LONG)), first.read(sleep(LONG)));
        assert!(one.is_ok() && two.is_ok());
        first.close().await.unwrap();
    };
    let ((), opened) = futures_util::join!(busy, second);
    opened.unwrap().put_agent(PutAgent::new("t", "a"), 1).await.unwrap();
}

#[tokio::test]
async fn a_server_that_stays_full_is_said_to_be_in_time() {
    let url = role(Server::shared(), 1);
    let first = driver(&format!("{url}?pool_max_conns=1"), 2_000).await;
    first.read(sleep(SHORT)).await.unwrap();
    let error = failure(&url).await;
    assert_eq!(error.kind(), Kind::Unavailable, "{error}");
    assert!(error.to_string().contains("raise the server's max_connections"), "{error}");
}
