//! A server that is slow or hangs never holds a call beyond its deadline.

use std::time::{Duration, Instant};

use serde_json::json;
use toolkeep::store::driver::{Batch, Driver as _, Statement, Written};
use toolkeep::store::{Kind, PutAgent};
use toolkeep::{CallContext, Code, Config, Runtime};
use toolkeep_test_postgres::Server;

use super::{driver, failure, open};
use crate::support::{echo, eventually};

#[tokio::test]
async fn a_frozen_server_fails_calls_in_time_and_is_used_again_when_it_goes_on() {
    let server = Server::start(&[("fsync", "off")]);
    let store = open(&server.url("postgres"), 400).await.unwrap();
    let config = Config::from_value(json!({ "record": { "mode": "durable" } })).unwrap();
    let rt = Runtime::builder().config(config).store(store.clone()).tool(echo()).build().await;
    let rt = rt.unwrap();
    let call = async || {
        let began = Instant::now();
        let cx = CallContext::new().agent("a");
        (rt.call(&cx, "echo", json!({ "text": "x" })).await, began.elapsed())
    };
    call().await.0.unwrap();
    server.pause();
    for _ in 0..3 {
        let (result, took) = call().await;
        let code = result.unwrap_err().code();
        assert!(code == Code::StoreTimeout, "{code}");
        // A call asks the store a few times, and the machine may be busy.
        assert!(took < Duration::from_secs(3), "it took {took:?}");
    }
    let error = failure(&server.url("postgres")).await;
    assert_eq!(error.kind(), Kind::Timeout, "{error}");
    server.resume();
    eventually(async || call().await.0.is_ok()).await;
    store.put_agent(PutAgent::new("t", "a"), 1).await.unwrap();
}

#[tokio::test]
async fn a_statement_that_takes_too_long_is_stopped_on_the_server() {
    let server = Server::shared();
    let name = server.new_database_name();
    let driver = driver(&server.url(&name), 500).await;
    let sleep = || Statement::new("SELECT CAST(pg_sleep(30) AS TEXT)", vec![]);
    let began = Instant::now();
    let error = driver.read(sleep()).await.unwrap_err();
    assert_eq!(error.kind(), Kind::Timeout, "{error}");
    let insert = "INSERT INTO toolkeep_event_counters \
         SELECT 't', 1 FROM pg_sleep(30)";
    let insert = Statement::new(insert, vec![]);
    let error = driver.write(Batch::new(vec![insert, sleep()])).await.unwrap_err();
    assert_eq!(error.kind(), Kind::Timeout, "{error}");
    assert!(began.elapsed() < Duration::from_secs(5));
    let running = "SELECT count(*) FROM pg_stat_activity \
         WHERE query LIKE '%pg_sleep(30)%' AND state = 'active' AND pid <> pg_backend_pid()";
    eventually(async || server.sql(&name, running) == "0").await;
    assert_eq!(server.sql(&name, "SELECT count(*) FROM toolkeep_event_counters"), "0");
    driver.read(Statement::new("SELECT 1", vec![])).await.unwrap();
}

#[tokio::test]
async fn a_row_that_another_transaction_holds_is_locked() {
    let server = Server::shared();
    let name = server.new_database_name();
    let store = open(&server.url(&name), 500).await.unwrap();
    store.put_agent(PutAgent::new("t", "a"), 1).await.unwrap();
    let holder = std::thread::spawn(move || {
        server.sql(&name, "BEGIN; SELECT 1 FROM toolkeep_agents FOR UPDATE; SELECT pg_sleep(1.5)")
    });
    tokio::time::sleep(Duration::from_millis(400)).await;
    let error = store.put_agent(PutAgent::new("t", "a"), 2).await.unwrap_err();
    assert_eq!(error.kind(), Kind::Locked, "{error}");
    assert_eq!(store.get_agent("t", "a").await.unwrap().unwrap().version, 1);
    tokio::task::spawn_blocking(|| holder.join().unwrap()).await.unwrap();
    store.put_agent(PutAgent::new("t", "a"), 2).await.unwrap();
}

#[tokio::test]
async fn a_pool_with_no_free_connection_says_so_in_time() {
    let url = format!("{}?pool_max_conns=2", Server::shared().new_database());
    let driver = driver(&url, 600).await;
    let sleep = || driver.read(Statement::new("SELECT CAST(pg_sleep(0.4) AS TEXT)", vec![]));
    let began = Instant::now();
    let results = futures_util::future::join_all((0..8).map(|_| sleep())).await;
    assert!(began.elapsed() < Duration::from_secs(3));
    let errors: Vec<_> = results.into_iter().filter_map(Result::err).collect();
    assert!(errors.len() >= 4, "{errors:?}");
    assert!(errors.iter().all(|error| error.kind() == Kind::Timeout), "{errors:?}");
    assert!(errors.iter().any(|e| e.to_string().contains("pool_max_conns")), "{errors:?}");
    sleep().await.unwrap();
}

#[tokio::test]
async fn dropped_calls_are_finished_and_cost_no_connection() {
    let server = Server::shared();
    let name = server.new_database_name();
    let driver = driver(&format!("{}?pool_max_conns=2", server.url(&name)), 5_000).await;
    let insert =
        "INSERT INTO toolkeep_event_counters SELECT CAST(?1 AS TEXT), 1 FROM pg_sleep(0.05)";
    let pids = "SELECT string_agg(pid::text, ',' ORDER BY pid) FROM pg_stat_activity \
         WHERE application_name = 'toolkeep' AND datname = current_database()";
    let warm = || driver.read(Statement::new("SELECT CAST(pg_sleep(0.05) AS TEXT)", vec![]));
    let (one, two) = futures_util::join!(warm(), warm());
    assert!(one.is_ok() && two.is_ok());
    let before = server.sql(&name, pids);
    for n in 0..10 {
        let insert = Statement::new(insert, vec![n.to_string().into()]);
        let mut write =
            driver.write(Batch::new(vec![insert.clone(), insert.clone()][..1].to_vec()));
        assert!(futures_util::poll!(&mut write).is_pending());
        tokio::task::yield_now().await;
        drop(write);
        drop(warm());
        let mut read = warm();
        assert!(futures_util::poll!(&mut read).is_pending());
        drop(read);
    }
    // Closing waits for what was begun.
    driver.close().await.unwrap();
    assert_eq!(server.sql(&name, "SELECT count(*) FROM toolkeep_event_counters"), "10");
    assert_eq!(before.split(',').count(), 2, "{before}");
    let refused = driver.read(Statement::new("SELECT 1", vec![])).await.unwrap_err();
    assert_eq!(refused.kind(), Kind::Closed);
}

#[tokio::test]
async fn transactions_that_collide_are_tried_again() {
    let driver = driver(&Server::shared().new_database(), 20_000).await;
    let insert = "INSERT INTO toolkeep_event_counters VALUES (?1, 0)";
    for key in ["a", "b"] {
        driver.write(Statement::new(insert, vec![key.into()]).into()).await.unwrap();
    }
    let add = "UPDATE toolkeep_event_counters SET last_seq = last_seq + 1 WHERE tenant = ?1";
    let pause = "SELECT CAST(pg_sleep(0.2) AS TEXT)";
    let both = |first: &str, second: &str| {
        driver.write(Batch::new(vec![
            Statement::new(add, vec![first.into()]),
            Statement::new(pause, vec![]),
            Statement::new(add, vec![second.into()]),
        ]))
    };
    // Each holds what the other needs next, until the server ends one of them.
    let (one, two) = futures_util::join!(both("a", "b"), both("b", "a"));
    assert!(matches!(one.unwrap(), Written::Done(_)) && matches!(two.unwrap(), Written::Done(_)));
    let sums = "SELECT last_seq FROM toolkeep_event_counters WHERE last_seq = 2";
    assert_eq!(driver.read(Statement::new(sums, vec![])).await.unwrap().len(), 2);
}
