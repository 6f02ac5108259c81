//! What keeps the store from growing without end.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use toolkeep::clock::ManualClock;
use toolkeep::store::{self, OpenOptions, Store};
use toolkeep::{CallContext, Config, Runtime};

use crate::faulty::faulty;
use crate::support::{echo, eventually};

struct House {
    store: Arc<dyn Store>,
    clock: Arc<ManualClock>,
    rt: Runtime,
}

async fn house(retention: Value) -> House {
    let store = store::open("memory:", OpenOptions::default()).await.unwrap();
    house_with(store, retention, "durable").await
}

async fn house_with(store: Arc<dyn Store>, retention: Value, mode: &str) -> House {
    let clock = Arc::new(ManualClock::at(1_000_000));
    let config = json!({ "retention": retention, "record": { "mode": mode } });
    let rt = Runtime::builder()
        .config(Config::from_value(config).unwrap())
        .store(store.clone())
        .clock(clock.clone())
        .tool(echo())
        .build()
        .await
        .unwrap();
    House { store, clock, rt }
}

impl House {
    async fn call(&self, tenant: &str) {
        let cx = CallContext::new().tenant(tenant);
        self.rt.call(&cx, "echo", json!({ "text": "x" })).await.unwrap();
    }

    async fn places(&self, tenant: &str) -> Vec<i64> {
        let events = self.store.read_events(tenant, 0, 1_000).await.unwrap();
        events.iter().map(|event| event.seq).collect()
    }
}

#[tokio::test]
async fn the_outbox_is_pruned_after_writes_once_a_minute() {
    let house = house(json!({ "events_keep": 3 })).await;
    for _ in 0..10 {
        house.call("one").await;
    }
    house.call("two").await;
    // The first turn came with the first write, when there was little to prune.
    assert_eq!(house.places("one").await.len(), 10);
    house.clock.advance(59_999);
    house.call("one").await;
    assert_eq!(house.places("one").await.len(), 11);
    house.clock.advance(1);
    house.call("two").await;
    eventually(async || house.places("one").await == [9, 10, 11]).await;
    assert_eq!(house.places("two").await, [1, 2]);
}

#[tokio::test]
async fn old_events_go_and_operations_count_as_writes() {
    let house = house(json!({ "events_older_than_ms": 50_000 })).await;
    house.call("one").await;
    house.clock.advance(60_000);
    eventually(async || {
        // The turn of the call may not have ended yet.
        let put = json!({ "tenant": "one", "id": "a" });
        house.rt.invoke("agents.put", put).await.unwrap();
        house.places("one").await.first() > Some(&1)
    })
    .await;
}

#[tokio::test]
async fn only_the_tenants_that_were_written_for_are_pruned() {
    let house = house(json!({ "events_keep": 1 })).await;
    for tenant in ["mine", "others"] {
        let other =
            Runtime::builder().store(house.store.clone()).tool(echo()).build().await.unwrap();
        for _ in 0..3 {
            let put = json!({ "tenant": tenant, "id": "a" });
            other.invoke("agents.put", put).await.unwrap();
        }
    }
    house.call("mine").await;
    eventually(async || {
        // A turn may come before the call's own event, or while the last one still runs.
        house.clock.advance(60_000);
        house.call("mine").await;
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        house.places("mine").await.len() <= 2
    })
    .await;
    assert_eq!(house.places("others").await, [1, 2, 3]);
}

#[tokio::test]
async fn rate_windows_that_are_over_for_a_day_are_forgotten() {
    const DAY: i64 = 86_400_000;
    let house = house(json!({})).await;
    let at = 2 * DAY;
    house.clock.advance(at + DAY - 1_000_000);
    house.store.take_rate("t", "over", 5, 10, at - 10).await.unwrap();
    // Over by this clock, which may be ahead of the one of the host that counts by it.
    house.store.take_rate("t", "open", 5, 10_000, at - 1_000).await.unwrap();
    house.call("one").await;
    eventually(async || {
        let used = async |key| {
            let taken = house.store.take_rate("t", key, 0, 2 * DAY, at).await.unwrap();
            taken.used
        };
        (used("over").await, used("open").await) == (0, 1)
    })
    .await;
}

#[tokio::test]
async fn what_could_not_be_pruned_is_pruned_the_next_time() {
    let (store, knobs) = faulty().await;
    let retention = json!({ "events_keep": null, "events_older_than_ms": 50_000 });
    let house = house_with(store, retention, "batched").await;
    house.call("one").await;
    eventually(async || house.places("one").await == [1]).await;
    house.clock.advance(60_000);
    knobs.fail_events.store(true, Ordering::SeqCst);
    let failing = knobs.failed_events.load(Ordering::SeqCst);
    house.call("one").await;
    eventually(async || knobs.failed_events.load(Ordering::SeqCst) > failing).await;
    knobs.fail_events.store(false, Ordering::SeqCst);
    eventually(async || {
        house.clock.advance(60_000);
        house.call("two").await;
        house.places("one").await.is_empty()
    })
    .await;
}

#[tokio::test]
async fn all_events_are_kept_if_the_owner_says_so() {
    let house = house(json!({ "events_keep": null })).await;
    assert_eq!(house.rt.config().retention.events_keep, None);
    for _ in 0..3 {
        house.call("one").await;
    }
    house.clock.advance(60_000);
    house.call("one").await;
    assert_eq!(house.places("one").await, [1, 2, 3, 4]);
    assert_eq!(Config::default().retention.events_keep, Some(100_000));
}
