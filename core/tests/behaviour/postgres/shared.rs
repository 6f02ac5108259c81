//! Several users of one database.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::future::{join_all, try_join_all};
use toolkeep::store::PutAgent;
use toolkeep::store::driver::{Batch, Driver as _, Statement, Value, Written};
use toolkeep_test_postgres::Server;

use super::{driver, open};

const CLAIM: &str = "UPDATE toolkeep_event_counters SET last_seq = 1 \
     WHERE tenant = ?1 AND last_seq = 0";

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_sixteen_tasks_on_two_drivers_one_claims_each_row() {
    const ROWS: usize = 200;
    let server = Server::shared();
    let name = server.new_database_name();
    let url = server.url(&name);
    let drivers = [
        std::sync::Arc::new(driver(&url, 20_000).await),
        std::sync::Arc::new(driver(&url, 20_000).await),
    ];
    server.sql(
        &name,
        &format!(
            "INSERT INTO toolkeep_event_counters SELECT 'row-' || n, 0 FROM generate_series(1, {ROWS}) n"
        ),
    );
    let tasks = (0..16).map(|task| {
        let driver = drivers[task % 2].clone();
        tokio::spawn(async move {
            let mut claimed = Vec::new();
            for n in 1..=ROWS {
                let row = format!("row-{n}");
                let claim = Statement::new(CLAIM, vec![row.as_str().into()]).must_change();
                if let Written::Done(_) = driver.write(claim.into()).await.unwrap() {
                    claimed.push(row);
                }
            }
            claimed
        })
    });
    let claimed: Vec<String> = join_all(tasks).await.into_iter().flat_map(Result::unwrap).collect();
    assert_eq!(claimed.len(), ROWS);
    assert_eq!(claimed.into_iter().collect::<BTreeSet<_>>().len(), ROWS);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_stores_share_their_rates() {
    let url = Server::shared().new_database();
    let stores = [open(&url, 20_000).await.unwrap(), open(&url, 20_000).await.unwrap()];
    let tasks = (0..80).map(|n| {
        let store = stores[n % 2].clone();
        tokio::spawn(async move { store.take_rate("t", "k", 25, 60_000, 5).await.unwrap() })
    });
    let taken = join_all(tasks).await.into_iter().filter(|taken| taken.as_ref().unwrap().allowed);
    assert_eq!(taken.count(), 25);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn events_of_many_writers_come_in_order_and_none_is_missed() {
    let url = Server::shared().new_database();
    let stores = [open(&url, 20_000).await.unwrap(), open(&url, 20_000).await.unwrap()];
    let writers: Vec<_> = (0..8)
        .map(|task| {
            let store = stores[task % 2].clone();
            tokio::spawn(async move {
                for n in 0..25 {
                    let id = format!("{task}-{n}");
                    store.put_agent(PutAgent::new("t", id), n).await.unwrap();
                }
            })
        })
        .collect();
    // A reader that goes on from its cursor while they write.
    let (mut cursor, mut seen) = (0, 0);
    while seen < 200 {
        for event in stores[0].read_events("t", cursor, 7).await.unwrap() {
            assert_eq!(event.seq, cursor + 1);
            cursor = event.seq;
            seen += 1;
        }
    }
    join_all(writers).await.into_iter().for_each(Result::unwrap);
    assert_eq!(stores[1].last_event_seq("t").await.unwrap(), 200);
}

#[tokio::test]
async fn a_change_of_one_driver_ticks_the_other_within_a_second() {
    let server = Server::shared();
    let name = server.new_database_name();
    let (one, two) =
        (driver(&server.url(&name), 5_000).await, driver(&server.url(&name), 5_000).await);
    server.sql(&name, "CREATE SCHEMA apart");
    let apart = format!("{}?options=-csearch_path%3Dapart", server.url(&name));
    let apart = driver(&apart, 5_000).await;
    let mut changes = [two.changes(), apart.changes()];
    // They tick once when they begin to listen.
    for changes in &mut changes {
        tokio::time::timeout(Duration::from_secs(5), changes.changed()).await.unwrap().unwrap();
    }
    let insert = "INSERT INTO toolkeep_event_counters (tenant, last_seq) VALUES (?1, 1)";
    for n in 0..3 {
        let insert = Statement::new(insert, vec![n.to_string().into()]);
        let batch = Batch { has_events: true, ..Batch::from(insert) };
        one.write(batch).await.unwrap();
        let ticked = tokio::time::timeout(Duration::from_secs(1), changes[0].changed()).await;
        ticked.unwrap().unwrap();
    }
    assert!(!changes[1].has_changed().unwrap(), "another schema was woken");
}

#[tokio::test]
async fn a_listener_that_was_cut_off_listens_again_and_misses_nothing() {
    let server = Server::shared();
    let name = server.new_database_name();
    let (one, two) =
        (driver(&server.url(&name), 5_000).await, driver(&server.url(&name), 5_000).await);
    let mut changes = two.changes();
    changes.changed().await.unwrap();
    server.sql(
        &name,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
         WHERE query LIKE 'LISTEN%' AND datname = current_database()",
    );
    let insert = "INSERT INTO toolkeep_event_counters (tenant, last_seq) VALUES ('t', 1)";
    one.write(Batch { has_events: true, ..Batch::from(Statement::new(insert, vec![])) })
        .await
        .unwrap();
    tokio::time::timeout(Duration::from_secs(5), changes.changed()).await.unwrap().unwrap();
}

#[tokio::test]
async fn opening_a_new_database_many_times_at_once_makes_its_tables_once() {
    let server = Server::shared();
    let name = server.new_database_name();
    let url = server.url(&name);
    let stores = try_join_all((0..8).map(|_| open(&url, 20_000))).await.unwrap();
    for (n, store) in stores.iter().enumerate() {
        store.put_agent(PutAgent::new("t", n.to_string()), 1).await.unwrap();
    }
    assert_eq!(stores[0].list_agents("t", None, 100).await.unwrap().len(), 8);
    assert_eq!(server.sql(&name, "SELECT count(*) = max(version) FROM toolkeep_schema"), "t");
}

#[tokio::test]
async fn two_schemas_of_one_database_hold_two_stores() {
    let server = Server::shared();
    let name = server.new_database_name();
    server
        .sql(&name, "CREATE SCHEMA one; CREATE SCHEMA two; CREATE TABLE public.songs (title TEXT)");
    let url = |schema: &str| format!("{}?options=-csearch_path%3D{schema}", server.url(&name));
    let (one, two) =
        (open(&url("one"), 5_000).await.unwrap(), open(&url("two"), 5_000).await.unwrap());
    one.put_agent(PutAgent::new("t", "a"), 1).await.unwrap();
    assert_eq!(two.get_agent("t", "a").await.unwrap(), None);
    assert!(one.get_agent("t", "a").await.unwrap().is_some());
}

#[tokio::test]
async fn a_failed_condition_undoes_the_whole_batch() {
    let driver = driver(&Server::shared().new_database(), 5_000).await;
    let insert = "INSERT INTO toolkeep_event_counters VALUES (?1, ?2)";
    let delete = "DELETE FROM toolkeep_event_counters WHERE tenant = 'nobody'";
    let batch = Batch::new(vec![
        Statement::new(insert, vec!["t".into(), 1_i64.into()]),
        Statement::new(delete, vec![]).must_change(),
    ]);
    let written = driver.write(batch.locked("a lock".into())).await.unwrap();
    assert_eq!(written, Written::ConditionFailed { statement: 1 });
    // A statement that cannot even be sent undoes the others as well.
    let batch = Batch::new(vec![
        Statement::new(insert, vec!["t".into(), 1_i64.into()]),
        Statement::new(insert, vec!["u".into(), Value::Text("one".into())]),
    ]);
    driver.write(batch).await.unwrap_err();
    // As does one that the server refuses.
    let batch = Batch::new(vec![
        Statement::new(insert, vec!["t".into(), 1_i64.into()]),
        Statement::new(insert, vec!["t".into(), 2_i64.into()]),
    ]);
    driver.write(batch).await.unwrap_err();
    let count = Statement::new("SELECT 1 FROM toolkeep_event_counters", vec![]);
    assert_eq!(driver.read(count).await.unwrap(), vec![]);
}
