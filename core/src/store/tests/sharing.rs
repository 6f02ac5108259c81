//! Several users of one store, and what outlives them.

use std::time::Duration;

use super::*;
use crate::store::{Kind, NewPathLock, PathClaim, PutAgent};

async fn put(store: &dyn Store, id: &str) {
    store.put_agent(PutAgent::new("t", id), 1).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_stores_on_one_file_share_their_rates() {
    let folder = tempfile::tempdir().unwrap();
    let stores = [open_in(folder.path()).await.unwrap(), open_in(folder.path()).await.unwrap()];
    let tasks: Vec<_> = (0..80)
        .map(|n| {
            let store = stores[n % 2].clone();
            tokio::spawn(async move { store.take_rate("t", "k", 25, 60_000, 5).await.unwrap() })
        })
        .collect();
    let mut allowed = 0;
    for task in tasks {
        allowed += u32::from(task.await.unwrap().allowed);
    }
    assert_eq!(allowed, 25);
}

#[tokio::test]
async fn two_stores_on_one_file_see_each_others_changes() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (open_in(folder.path()).await.unwrap(), open_in(folder.path()).await.unwrap());
    put(&*one, "a").await;
    assert!(two.get_agent("t", "a").await.unwrap().is_some());
    let stale = PutAgent { if_version: Some(0), ..PutAgent::new("t", "a") };
    assert_eq!(two.put_agent(stale, 2).await.unwrap_err().kind(), Kind::Conflict);
}

#[tokio::test]
async fn two_stores_in_memory_never_see_each_other() {
    let one = open("memory:", OpenOptions::default()).await.unwrap();
    let two = open("memory:", OpenOptions::default()).await.unwrap();
    put(&*one, "a").await;
    assert_eq!(two.get_agent("t", "a").await.unwrap(), None);
}

#[tokio::test]
async fn a_file_keeps_its_data_when_closed_and_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_in(folder.path()).await.unwrap();
    put(&*store, "a").await;
    store.close().await.unwrap();
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["agent.db"]);
    let store = open_in(folder.path()).await.unwrap();
    assert!(store.get_agent("t", "a").await.unwrap().is_some());
}

#[tokio::test]
async fn a_file_keeps_its_data_when_dropped_without_closing() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_in(folder.path()).await.unwrap();
    put(&*store, "a").await;
    drop(store);
    let store = open_in(folder.path()).await.unwrap();
    assert!(store.get_agent("t", "a").await.unwrap().is_some());
}

#[tokio::test]
async fn a_write_that_was_begun_is_finished_when_its_future_and_its_store_are_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_in(folder.path()).await.unwrap();
    let mut write = store.put_agent(PutAgent::new("t", "a"), 1);
    let begun = futures_util::poll!(&mut write);
    assert!(begun.is_pending() || begun.is_ready());
    drop(write);
    drop(store);
    let store = open_in(folder.path()).await.unwrap();
    for _ in 0..500 {
        if store.get_agent("t", "a").await.unwrap().is_some() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the write never arrived");
}

#[tokio::test]
async fn opening_a_new_file_many_times_at_once_makes_it_once() {
    let folder = tempfile::tempdir().unwrap();
    let opens = (0..8).map(|_| open_in(folder.path()));
    let stores = futures_util::future::try_join_all(opens).await.unwrap();
    for (n, store) in stores.iter().enumerate() {
        put(&**store, &n.to_string()).await;
    }
    assert_eq!(stores[0].list_agents("t", None, 100).await.unwrap().len(), 8);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixty_four_tasks_read_and_write_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_in(folder.path()).await.unwrap();
    let tasks: Vec<_> = (0..64)
        .map(|n| {
            let store = store.clone();
            tokio::spawn(async move {
                for round in 0..5 {
                    let id = format!("{n}-{round}");
                    put(&*store, &id).await;
                    assert!(store.get_agent("t", &id).await.unwrap().is_some());
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(store.list_agents("t", None, 1000).await.unwrap().len(), 320);
    assert_eq!(store.last_event_seq("t").await.unwrap(), 320);
    store.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_overlapping_path_locks_taken_through_two_stores_one_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let stores = [open_in(folder.path()).await.unwrap(), open_in(folder.path()).await.unwrap()];
    // In each round the locks of the round before have expired and must be swept out of the way.
    for round in 0..10 {
        let tasks: Vec<_> = (0..16)
            .map(|n| {
                let store = stores[n % 2].clone();
                let lock = NewPathLock {
                    tenant: "t".into(),
                    space: "ws".into(),
                    patterns: vec![["src/**", "**/*.rs", "src/a.*", "s*/a.rs"][n % 4].into()],
                    holder: n.to_string(),
                    ttl_ms: 10,
                };
                tokio::spawn(async move { store.lock_paths(lock, round * 10).await.unwrap() })
            })
            .collect();
        let mut taken = 0;
        for task in tasks {
            taken += usize::from(matches!(task.await.unwrap(), PathClaim::Taken(_)));
        }
        assert_eq!(taken, 1);
        let held = stores[0].list_path_locks("t", "ws", None, 100, round * 10).await.unwrap();
        assert_eq!(held.len(), 1);
    }
}
