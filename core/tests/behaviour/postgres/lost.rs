//! Connections and servers that go away.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use tokio::runtime::Builder;
use toolkeep::store::driver::{Batch, Driver as _, Statement};
use toolkeep::store::{Kind, PutAgent, Store};
use toolkeep_test_postgres::Server;

use super::{driver, open};
use crate::support::eventually;

const END: &str = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
     WHERE datname = current_database() AND pid <> pg_backend_pid()";

#[tokio::test]
async fn idle_connections_that_were_ended_are_not_noticed() {
    let server = Server::shared();
    let name = server.new_database_name();
    let store = open(&server.url(&name), 5_000).await.unwrap();
    for n in 0..5 {
        store.put_agent(PutAgent::new("t", "a"), n).await.unwrap();
        assert_ne!(server.sql(&name, END), "0");
        assert!(store.get_agent("t", "a").await.unwrap().is_some());
        assert_ne!(server.sql(&name, END), "0");
    }
    assert_eq!(store.get_agent("t", "a").await.unwrap().unwrap().version, 5);
}

#[tokio::test]
async fn a_single_write_after_a_quiet_time_does_not_meet_a_lost_connection() {
    let server = Server::shared();
    let name = server.new_database_name();
    let driver = driver(&server.url(&name), 5_000).await;
    let add = "INSERT INTO toolkeep_event_counters VALUES ('t', 1) ON CONFLICT (tenant) \
         DO UPDATE SET last_seq = toolkeep_event_counters.last_seq + 1";
    for _ in 0..2 {
        driver.write(Statement::new(add, vec![]).into()).await.unwrap();
        tokio::time::sleep(Duration::from_millis(1_100)).await;
        server.sql(&name, END);
    }
    driver.write(Statement::new(add, vec![]).into()).await.unwrap();
    assert_eq!(server.sql(&name, "SELECT last_seq FROM toolkeep_event_counters"), "3");
}

#[tokio::test]
async fn of_several_hosts_the_one_that_answers_is_used() {
    let server = Server::shared();
    let name = server.new_database_name();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let hosts = format!("127.0.0.1:{closed},127.0.0.1:{}", server.port());
    let url = server.url(&name).replace(&format!("127.0.0.1:{}", server.port()), &hosts);
    let store = open(&format!("{url}?target_session_attrs=read-write"), 5_000).await.unwrap();
    store.put_agent(PutAgent::new("t", "a"), 1).await.unwrap();
    assert_eq!(store.url(), format!("postgres://toolkeep@{hosts}/{name}"));
}

#[tokio::test]
async fn a_write_whose_connection_is_ended_is_undone_and_says_what_is_known() {
    let server = Server::shared();
    let name = server.new_database_name();
    let driver = Arc::new(driver(&server.url(&name), 10_000).await);
    let insert = "INSERT INTO toolkeep_event_counters SELECT 't', 1 FROM pg_sleep(5)";
    let write = driver.write(Batch::new(vec![
        Statement::new("INSERT INTO toolkeep_event_counters VALUES ('u', 1)", vec![]),
        Statement::new(insert, vec![]),
    ]));
    let end = async {
        let busy = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(5)%' \
             AND state = 'active' AND pid <> pg_backend_pid()";
        eventually(async || server.sql(&name, busy) == "1").await;
        server.sql(&name, END);
    };
    let (written, ()) = futures_util::join!(write, end);
    let error = written.unwrap_err();
    assert_eq!(error.kind(), Kind::Unavailable, "{error}");
    assert!(error.to_string().contains("whether it was written is not known"), "{error}");
    assert_eq!(server.sql(&name, "SELECT count(*) FROM toolkeep_event_counters"), "0");
    // A condition keeps COMMIT back, so that here it is known, and the write is made again.
    let conditional = driver.write(Batch::new(vec![
        Statement::new("INSERT INTO toolkeep_event_counters VALUES ('u', 1)", vec![]),
        Statement::new(
            "INSERT INTO toolkeep_event_counters SELECT 't', 1 FROM pg_sleep(0.5)",
            vec![],
        )
        .must_change(),
    ]));
    let end = async {
        tokio::time::sleep(Duration::from_millis(250)).await;
        server.sql(&name, END);
    };
    let (written, ()) = futures_util::join!(conditional, end);
    written.unwrap();
    assert_eq!(server.sql(&name, "SELECT count(*) FROM toolkeep_event_counters"), "2");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_killed_loses_no_acknowledged_write() {
    let rounds = if std::env::var_os("TOOLKEEP_SOAK").is_some() { 20 } else { 3 };
    let mut server = Server::start(&[]);
    let store = open(&server.url("postgres"), 2_000).await.unwrap();
    let load = Arc::new(Load::default());
    let writers: Vec<_> = (0..4)
        .map(|writer| tokio::spawn(write_until_stopped(store.clone(), writer, load.clone())))
        .collect();
    for round in 1..=rounds {
        // Some writes later, in the middle of others.
        eventually(async || load.acknowledged.load(Ordering::SeqCst) > round * 40).await;
        server.kill();
        server.restart(&[]);
    }
    eventually(async || load.acknowledged.load(Ordering::SeqCst) > (rounds + 1) * 40).await;
    load.stopped.store(true, Ordering::SeqCst);
    for writer in join_all(writers).await {
        for (tenant, id) in writer.unwrap() {
            assert!(store.get_agent(&tenant, &id).await.unwrap().is_some(), "{id} is lost");
        }
    }
    // No change without its event, and no event without its change.
    let agents = server.sql("postgres", "SELECT count(*) FROM toolkeep_agents");
    let events = server.sql("postgres", "SELECT count(*) FROM toolkeep_events");
    let counted = server.sql("postgres", "SELECT sum(last_seq) FROM toolkeep_event_counters");
    assert_eq!((&agents, &agents), (&events, &counted));
}

#[derive(Default)]
struct Load {
    acknowledged: AtomicUsize,
    stopped: AtomicBool,
}

/// The agents whose writing was acknowledged.
async fn write_until_stopped(
    store: Arc<dyn Store>,
    writer: usize,
    load: Arc<Load>,
) -> Vec<(String, String)> {
    let tenant = format!("writer-{writer}");
    let mut written = Vec::new();
    for n in 0.. {
        if load.stopped.load(Ordering::SeqCst) {
            break;
        }
        let id = n.to_string();
        let put = PutAgent { if_version: Some(0), ..PutAgent::new(&tenant, &id) };
        match store.put_agent(put, n).await {
            Ok(_) => {
                load.acknowledged.fetch_add(1, Ordering::SeqCst);
                written.push((tenant.clone(), id));
            }
            Err(error) => {
                let lost = matches!(error.kind(), Kind::Unavailable | Kind::Timeout);
                assert!(lost, "{error}");
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    }
    written
}

#[test]
fn a_store_moves_from_one_async_runtime_to_another() {
    let url = Server::shared().new_database();
    let runtime = || Builder::new_current_thread().enable_all().build().unwrap();
    let first = runtime();
    let store = first.block_on(open(&url, 5_000)).unwrap();
    first.block_on(store.put_agent(PutAgent::new("t", "a"), 1)).unwrap();
    // The first one is there but nobody drives it.
    let second = runtime();
    second.block_on(store.put_agent(PutAgent::new("t", "a"), 2)).unwrap();
    drop(second);
    // The connections of the second one are gone with it.
    first.block_on(store.put_agent(PutAgent::new("t", "a"), 3)).unwrap();
    drop(first);
    let third = runtime();
    let agent = third.block_on(store.get_agent("t", "a")).unwrap().unwrap();
    assert_eq!(agent.version, 3);
    third.block_on(store.close()).unwrap();
}

#[test]
fn changes_are_heard_after_the_async_runtime_of_the_listener_ended() {
    let url = Server::shared().new_database();
    let runtime = || Builder::new_current_thread().enable_all().build().unwrap();
    let first = runtime();
    let (one, two) =
        first.block_on(async { (driver(&url, 5_000).await, driver(&url, 5_000).await) });
    let mut changes = first.block_on(async {
        let mut changes = two.changes();
        changes.changed().await.unwrap();
        changes
    });
    drop(first);
    runtime().block_on(async {
        // The first use of the driver on the new runtime listens again.
        two.read(Statement::new("SELECT 1", vec![])).await.unwrap();
        let heard = tokio::time::timeout(Duration::from_secs(5), changes.changed()).await;
        heard.unwrap().unwrap();
        let insert = "INSERT INTO toolkeep_event_counters VALUES ('t', 1)";
        let batch = Batch { has_events: true, ..Batch::from(Statement::new(insert, vec![])) };
        one.write(batch).await.unwrap();
        let heard = tokio::time::timeout(Duration::from_secs(1), changes.changed()).await;
        heard.unwrap().unwrap();
    });
}

#[test]
fn a_store_is_closed_on_another_async_runtime_than_the_one_it_was_used_on() {
    let url = Server::shared().new_database();
    let runtime = || Builder::new_current_thread().enable_all().build().unwrap();
    let (first, second) = (runtime(), runtime());
    let store = first.block_on(open(&url, 2_000)).unwrap();
    first.block_on(store.put_agent(PutAgent::new("t", "a"), 1)).unwrap();
    // The first one is there but nobody drives it.
    second.block_on(async {
        let closed = tokio::time::timeout(Duration::from_secs(10), store.close()).await;
        closed.expect("closing hangs").unwrap();
    });
}

#[test]
fn others_are_notified_though_the_async_runtime_of_an_earlier_write_is_not_driven() {
    let url = Server::shared().new_database();
    let runtime = || Builder::new_current_thread().enable_all().build().unwrap();
    let (first, second) = (runtime(), runtime());
    let (one, two) = first.block_on(async { (driver(&url, 2_000).await, open(&url, 2_000).await) });
    let two = two.unwrap();
    first.block_on(two.put_agent(PutAgent::new("t", "a"), 1)).unwrap();
    second.block_on(async {
        let mut changes = one.changes();
        // It listens.
        changes.changed().await.unwrap();
        two.put_agent(PutAgent::new("t", "a"), 2).await.unwrap();
        let heard = tokio::time::timeout(Duration::from_secs(5), changes.changed()).await;
        heard.expect("nobody was told").unwrap();
    });
}

#[test]
fn what_was_written_last_is_notified_before_the_store_is_closed() {
    let url = Server::shared().new_database();
    Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
        let (one, two) = (driver(&url, 2_000).await, open(&url, 2_000).await.unwrap());
        let mut changes = one.changes();
        changes.changed().await.unwrap();
        for version in 1..=2 {
            two.put_agent(PutAgent::new("t", "a"), version).await.unwrap();
        }
        two.close().await.unwrap();
        let heard = tokio::time::timeout(Duration::from_secs(5), changes.changed()).await;
        heard.expect("nobody was told").unwrap();
    });
}
