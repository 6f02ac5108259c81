//! What path locks cost, and what they leave behind.

use std::time::Duration;

use tokio::time::timeout;

use super::*;
use crate::store::{NewPathLock, PathClaim, PathLock};

fn new(holder: &str, patterns: Vec<String>) -> NewPathLock {
    let (tenant, space) = ("t".into(), "w".into());
    NewPathLock { tenant, space, patterns, holder: holder.into(), ttl_ms: 60_000 }
}

fn many(holder: &str, n: usize) -> NewPathLock {
    new(holder, (0..32).map(|p| format!("**/{holder}_{n}_{p}_?.rs")).collect())
}

async fn take(store: &dyn Store, lock: NewPathLock, now_ms: i64) -> PathLock {
    match store.lock_paths(lock, now_ms).await.unwrap() {
        PathClaim::Taken(lock) => lock,
        PathClaim::Refused(conflict) => panic!("{conflict:?}"),
    }
}

#[tokio::test]
async fn a_lock_that_was_imported_is_found() {
    let from = open("memory:", OpenOptions::default()).await.unwrap();
    let held = take(&*from, new("a", vec!["src/**".into()]), 1).await;
    let to = open("memory:", OpenOptions::default()).await.unwrap();
    let found = async || to.path_lock_of("t", "w", "src/a.rs", 1).await.unwrap();
    assert_eq!(found().await, None);
    let (mut rows, mut cursor) = (Vec::new(), None);
    loop {
        let page = from.export_page(None, cursor).await.unwrap();
        rows.extend(page.rows);
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    to.import_rows(rows).await.unwrap();
    assert_eq!(found().await, Some(held));
}

#[tokio::test]
async fn many_patterns_that_cannot_meet_are_all_given() {
    let store = open("memory:", OpenOptions::default()).await.unwrap();
    for n in 0..30 {
        take(&*store, many("a", n), 1).await;
        take(&*store, many("b", n), 1).await;
    }
}

#[tokio::test]
async fn a_lock_in_a_full_space_lets_others_run_while_it_is_decided() {
    let store = open("memory:", OpenOptions::default()).await.unwrap();
    for n in 0..100 {
        take(&*store, many("a", n), 1).await;
    }
    let (mut turns, mut lock) = (0, store.lock_paths(many("b", 0), 1));
    while timeout(Duration::ZERO, &mut lock).await.is_err() {
        turns += 1;
        tokio::task::yield_now().await;
    }
    assert!(turns > 10, "{turns}");
    let found = store.path_lock_of("t", "w", "src/some/path.rs", 1).await.unwrap();
    assert_eq!(found, None);
}

#[tokio::test]
async fn patterns_that_are_too_costly_to_compare_are_refused_as_such() {
    let store = open("memory:", OpenOptions::default()).await.unwrap();
    let slow = |end: &str| {
        (0..32).map(|n| format!("{}{n:02}{end}?", "{a,*}".repeat(98))).collect::<Vec<_>>()
    };
    let stars = |end: &str| {
        (0..32).map(|n| format!("{}{n:02}{end}?", "a*".repeat(250))).collect::<Vec<_>>()
    };
    take(&*store, new("a", slow("x")), 1).await;
    take(&*store, new("a", stars("x")), 1).await;
    for patterns in [slow("y"), stars("y")] {
        match store.lock_paths(new("b", patterns), 1).await.unwrap() {
            PathClaim::Refused(conflict) => assert!(conflict.too_costly, "{conflict:?}"),
            PathClaim::Taken(lock) => panic!("{lock:?}"),
        }
    }
}

#[tokio::test]
async fn a_space_without_locks_is_forgotten_once_the_clock_is_past_its_epochs() {
    let store = open("memory:", OpenOptions::default()).await.unwrap();
    let lock = |space: &str| NewPathLock { space: space.into(), ..new("a", vec!["**".into()]) };
    let (empty, held) =
        (take(&*store, lock("empty"), 100).await, take(&*store, lock("held"), 100).await);
    assert!(store.unlock_paths("t", &empty.fence(), "a", 101).await.unwrap());
    // The clock is not past the epoch yet.
    assert_eq!(store.prune_leases(100).await.unwrap(), 0);
    let again = take(&*store, lock("empty"), 5).await;
    assert_eq!(again.epoch, 101);
    assert!(store.unlock_paths("t", &again.fence(), "a", 6).await.unwrap());
    assert_eq!(store.prune_leases(102).await.unwrap(), 0);
    // With a clock that went back the epochs show what was forgotten.
    assert_eq!(take(&*store, lock("empty"), 5).await.epoch, 5);
    assert!(store.unlock_paths("t", &held.fence(), "a", 102).await.unwrap());
    assert_eq!(take(&*store, lock("held"), 5).await.epoch, 101);
}
