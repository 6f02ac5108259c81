//! Following the events of a tenant.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};
use toolkeep::store::{self, Events, OpenOptions};
use toolkeep::{CallContext, Code, Event, EventStream, Follow, Runtime};

use crate::faulty::faulty_rt;
use crate::support::{echo, eventually};

async fn open(url: &str) -> Runtime {
    Runtime::builder().store_url(url).tool(echo()).build().await.unwrap()
}

async fn call(rt: &Runtime, cx: CallContext) {
    rt.call(&cx, "echo", json!({ "text": "x" })).await.unwrap();
}

fn session(name: &str) -> CallContext {
    CallContext::new().session(name)
}

async fn taken(stream: &mut EventStream, count: usize) -> Vec<Event> {
    let events = stream.take(count).map(Result::unwrap).collect::<Vec<_>>();
    tokio::time::timeout(Duration::from_secs(60), events).await.unwrap()
}

fn places(events: &[Event]) -> Vec<i64> {
    events.iter().map(|event| event.seq).collect()
}

async fn prune(rt: &Runtime, keep: u64) -> Value {
    rt.invoke("events.prune", json!({ "keep": keep })).await.unwrap()["pruned"].take()
}

#[tokio::test(flavor = "multi_thread")]
async fn events_of_a_subject_come_in_the_order_of_their_writers() {
    let rt = open("memory:").await;
    let mut stream = rt.follow(Follow::default()).unwrap();
    let writers = (0..8).map(|writer| {
        let rt = rt.clone();
        tokio::spawn(async move {
            let cx = session(&format!("session-{writer}"));
            let mut calls = Vec::new();
            for number in 0..50 {
                let args = json!({ "text": number.to_string() });
                let result = rt.call(&cx, "echo", args).await.unwrap();
                calls.push(result.call_id);
                if number % 10 == 0 {
                    rt.invoke("agents.put", json!({ "id": "busy" })).await.unwrap();
                }
            }
            calls
        })
    });
    let writers: Vec<_> = writers.collect();
    let events = taken(&mut stream, 8 * 55).await;
    assert_eq!(places(&events), (1..=440).collect::<Vec<_>>());
    let mut seen: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for event in events.iter().filter(|event| event.kind == "call.completed") {
        seen.entry(&event.subject).or_default().push(event.data["call_id"].as_str().unwrap());
    }
    for (number, writer) in writers.into_iter().enumerate() {
        let calls = writer.await.unwrap();
        assert_eq!(seen[format!("session-{number}").as_str()], calls);
    }
    assert_eq!((stream.cursor(), stream.dropped()), (440, 0));
}

#[tokio::test]
async fn a_cursor_goes_on_after_the_store_was_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}/a.db", folder.path().display());
    let rt = open(&url).await;
    for _ in 0..5 {
        call(&rt, session("s")).await;
    }
    let mut stream = rt.follow(Follow::default()).unwrap();
    assert_eq!(places(&taken(&mut stream, 2).await), [1, 2]);
    let after = stream.cursor();
    rt.close().await.unwrap();
    let rt = open(&url).await;
    call(&rt, session("s")).await;
    let mut stream = rt.follow(Follow { after, ..Follow::default() }).unwrap();
    assert_eq!(places(&taken(&mut stream, 4).await), [3, 4, 5, 6]);
    assert_eq!((stream.cursor(), stream.dropped()), (6, 0));
}

#[tokio::test]
async fn a_reader_overtaken_by_pruning_knows_how_many_events_it_missed() {
    let rt = open("memory:").await;
    for _ in 0..20 {
        call(&rt, session("s")).await;
    }
    // All of them are written, so that all are read ahead.
    assert_eq!(rt.invoke("events.last", json!({})).await.unwrap(), json!(20));
    let mut stream = rt.follow(Follow::default()).unwrap();
    assert_eq!(places(&taken(&mut stream, 3).await), [1, 2, 3]);
    assert_eq!(stream.dropped(), 0);
    let mut late = rt.follow(Follow { after: 4, ..Follow::default() }).unwrap();
    assert_eq!(prune(&rt, 5).await, json!(15));
    // What was read ahead is still given; who comes later begins with what is left.
    assert_eq!(places(&taken(&mut stream, 17).await), (4..=20).collect::<Vec<_>>());
    assert_eq!(stream.dropped(), 0);
    assert_eq!(places(&taken(&mut late, 5).await), (16..=20).collect::<Vec<_>>());
    assert_eq!((late.cursor(), late.dropped()), (20, 11));
    // Numbers go on where they were when nothing is left at all.
    call(&rt, session("s")).await;
    assert_eq!(prune(&rt, 0).await, json!(6));
    call(&rt, session("s")).await;
    assert_eq!(places(&taken(&mut late, 1).await), [22]);
    assert_eq!(late.dropped(), 12);
}

#[tokio::test]
async fn subjects_and_kinds_are_chosen_and_the_others_passed_over() {
    let rt = open("memory:").await;
    for _ in 0..300 {
        call(&rt, session("other")).await;
    }
    call(&rt, session("mine")).await;
    rt.invoke("agents.put", json!({ "id": "mine" })).await.unwrap();
    call(&rt, session("other")).await;
    let follow = Follow {
        subject: Some("mine".into()),
        kinds: vec!["call.".into(), "task.".into()],
        ..Follow::default()
    };
    let mut stream = rt.follow(follow.clone()).unwrap();
    let found = taken(&mut stream, 1).await;
    assert_eq!((found[0].subject.as_str(), found[0].kind.as_str()), ("mine", "call.completed"));
    // The cursor does not wait for the next event that is wanted.
    let last = rt.invoke("events.last", json!({})).await.unwrap().as_i64().unwrap();
    let waited = tokio::time::timeout(Duration::from_millis(600), stream.next()).await;
    assert!(waited.is_err(), "{waited:?}");
    assert_eq!((stream.cursor(), stream.dropped()), (last, 0));
    let kinds = vec!["agent.changed".into()];
    let mut agents = rt.follow(Follow { kinds, ..Follow::default() }).unwrap();
    assert_eq!(taken(&mut agents, 1).await[0].subject, "mine");
}

#[tokio::test]
async fn from_now_on_means_after_the_last_event() {
    let rt = open("memory:").await;
    assert_eq!(rt.invoke("events.last", json!({})).await.unwrap(), json!(0));
    call(&rt, session("before")).await;
    let after = rt.invoke("events.last", json!({})).await.unwrap().as_i64().unwrap();
    assert_eq!(after, 1);
    let mut stream = rt.follow(Follow { after, ..Follow::default() }).unwrap();
    call(&rt, session("after")).await;
    assert_eq!(taken(&mut stream, 1).await[0].subject, "after");
}

#[tokio::test]
async fn two_tenants_never_see_each_other() {
    let rt = open("memory:").await;
    let follow = |tenant: &str| Follow { tenant: tenant.into(), ..Follow::default() };
    let mut one = rt.follow(follow("one")).unwrap();
    let mut two = rt.follow(follow("two")).unwrap();
    for number in 0..3 {
        call(&rt, session("s").tenant("one")).await;
        if number == 0 {
            call(&rt, session("s").tenant("two")).await;
        }
    }
    let found = taken(&mut one, 3).await;
    assert!(found.iter().all(|event| event.tenant == "one"));
    assert_eq!(places(&found), [1, 2, 3]);
    assert_eq!(taken(&mut two, 1).await[0].tenant, "two");
    let more = tokio::time::timeout(Duration::from_millis(400), two.next()).await;
    assert!(more.is_err(), "{more:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_by_another_runtime_on_the_same_file_is_seen_within_a_second() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}/a.db", folder.path().display());
    let (reader, writer) = (open(&url).await, open(&url).await);
    let mut stream = reader.follow(Follow::default()).unwrap();
    let nothing = tokio::time::timeout(Duration::from_millis(300), stream.next()).await;
    assert!(nothing.is_err(), "{nothing:?}");
    let waiting = tokio::spawn(async move {
        let event = stream.next().await.unwrap().unwrap();
        (event, Instant::now())
    });
    writer.invoke("agents.put", json!({ "id": "a" })).await.unwrap();
    let written = Instant::now();
    let (event, seen) = waiting.await.unwrap();
    assert_eq!((event.seq, event.kind.as_str()), (1, "agent.changed"));
    // The bound is a second on a machine that does nothing else.
    assert!(seen.saturating_duration_since(written) < Duration::from_secs(5));
}

#[tokio::test]
async fn a_wait_that_is_given_up_loses_nothing() {
    let (rt, knobs) = faulty_rt(json!({})).await;
    let mut stream = rt.follow(Follow::default()).unwrap();
    for _ in 0..5 {
        call(&rt, session("s")).await;
    }
    rt.invoke("events.last", json!({})).await.unwrap();
    knobs.slow_events.store(30, Ordering::SeqCst);
    let mut found = Vec::new();
    for _ in 0..100 {
        match tokio::time::timeout(Duration::from_millis(7), stream.next()).await {
            Ok(event) => found.push(event.unwrap().unwrap().seq),
            Err(_) if found.len() == 5 => break,
            Err(_) => assert_eq!(stream.cursor(), found.len() as i64),
        }
    }
    assert_eq!(found, [1, 2, 3, 4, 5]);
}

#[tokio::test]
async fn a_stream_that_nobody_polls_holds_nothing_up() {
    let (rt, knobs) = faulty_rt(json!({ "record": { "mode": "durable" } })).await;
    knobs.slow_events.store(20, Ordering::SeqCst);
    let mut stream = rt.follow(Follow::default()).unwrap();
    assert!(stream.next().now_or_never().is_none());
    let began = Instant::now();
    call(&rt, session("s")).await;
    rt.close().await.unwrap();
    assert!(began.elapsed() < Duration::from_millis(1_500), "{:?}", began.elapsed());
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn a_dropped_stream_lets_go_of_the_store() {
    let store = store::open("memory:", OpenOptions::default()).await.unwrap();
    let rt = Runtime::builder().store(store.clone()).build().await.unwrap();
    let mut stream = rt.follow(Follow::default()).unwrap();
    let waited = tokio::time::timeout(Duration::from_millis(20), stream.next()).await;
    assert!(waited.is_err(), "{waited:?}");
    drop((stream, rt));
    eventually(async || std::sync::Arc::strong_count(&store) == 1).await;
}

#[tokio::test]
async fn closing_ends_streams_and_later_ones_are_refused() {
    let rt = open("memory:").await;
    let mut waiting = rt.follow(Follow { after: 0, ..Follow::default() }).unwrap();
    let waits = tokio::spawn(async move { waiting.next().await });
    call(&rt, session("s")).await;
    assert!(waits.await.unwrap().unwrap().is_ok());
    let mut idle = rt.follow(Follow::default()).unwrap();
    assert_eq!(taken(&mut idle, 1).await.len(), 1);
    let waits = tokio::spawn(async move { (idle.next().await.is_none(), idle) });
    let mut unread = rt.follow(Follow::default()).unwrap();
    assert!(unread.ready().await.unwrap());
    rt.close().await.unwrap();
    let (ended, mut idle) = waits.await.unwrap();
    assert!(ended && idle.next().await.is_none());
    assert_eq!((unread.pop(), unread.cursor()), (None, 0));
    assert!(unread.next().await.is_none());
    assert_eq!(rt.follow(Follow::default()).unwrap_err().code(), Code::Closed);
}

#[tokio::test]
async fn a_store_that_fails_is_reported_and_tried_again() {
    let (rt, knobs) = faulty_rt(json!({})).await;
    call(&rt, session("s")).await;
    rt.invoke("events.last", json!({})).await.unwrap();
    knobs.fail_events.store(true, Ordering::SeqCst);
    let mut stream = rt.follow(Follow::default()).unwrap();
    let began = Instant::now();
    for _ in 0..3 {
        let error = stream.next().await.unwrap().unwrap_err();
        assert_eq!(error.code(), Code::StoreUnavailable);
    }
    // Whoever just goes on asking does not keep the store busy.
    assert!(began.elapsed() >= Duration::from_millis(500));
    knobs.fail_events.store(false, Ordering::SeqCst);
    assert_eq!(places(&taken(&mut stream, 1).await), [1]);
}

#[tokio::test]
async fn a_store_without_notifications_is_polled_without_a_busy_loop() {
    let (rt, knobs) = faulty_rt(json!({})).await;
    knobs.mute.store(true, Ordering::SeqCst);
    let mut stream = rt.follow(Follow::default()).unwrap();
    let read = rt.invoke("events.read", json!({ "wait_ms": 300 })).await.unwrap();
    assert_eq!(read, json!([]));
    let waits = tokio::spawn(async move { stream.next().await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    call(&rt, session("s")).await;
    assert_eq!(waits.await.unwrap().unwrap().unwrap().seq, 1);
}

#[tokio::test]
async fn a_place_of_another_store_is_refused() {
    let rt = open("memory:").await;
    call(&rt, session("s")).await;
    rt.invoke("events.last", json!({})).await.unwrap();
    let mut stream = rt.follow(Follow { after: 7, ..Follow::default() }).unwrap();
    for _ in 0..2 {
        let error = stream.next().await.unwrap().unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(error.message().contains("`after` is 7"), "{error}");
        assert!(error.message().contains("with 1 for new ones"), "{error}");
    }
    let bad = [
        (json!({ "after": -1 }), "`after` is -1"),
        (json!({ "tenant": "" }), "tenant"),
        (json!({ "subjects": "s" }), "`subject`"),
        (json!({ "kinds": "call." }), "kinds"),
    ];
    for (options, word) in bad {
        let error = match Follow::from_value(&options) {
            Ok(follow) => rt.follow(follow).unwrap_err(),
            Err(error) => error,
        };
        assert_eq!(error.code(), Code::InvalidArgument, "{options}");
        assert!(error.message().contains(word), "{error}");
    }
}

#[tokio::test]
async fn pruning_by_operation_needs_a_scope() {
    let rt = open("memory:").await;
    let error = rt.invoke("events.prune", json!({})).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    call(&rt, session("s")).await;
    let old = json!({ "older_than_ms": 3_600_000 });
    assert_eq!(rt.invoke("events.prune", old).await.unwrap(), json!({ "pruned": 0 }));
}

/// Everything that a third-party store need not have.
struct Plain;
impl Events for Plain {
    fn append_events(&self, _: Vec<toolkeep::event::NewEvent>) -> store::StoreFuture<'_, ()> {
        async { Ok(()) }.boxed()
    }
    fn read_events<'a>(&'a self, _: &'a str, _: i64, _: u32) -> store::StoreFuture<'a, Vec<Event>> {
        async { Ok(Vec::new()) }.boxed()
    }
    fn last_event_seq<'a>(&'a self, _: &'a str) -> store::StoreFuture<'a, i64> {
        async { Ok(0) }.boxed()
    }
    fn prune_events<'a>(
        &'a self,
        _: &'a str,
        _: Option<u64>,
        _: Option<i64>,
    ) -> store::StoreFuture<'a, u64> {
        async { Ok(0) }.boxed()
    }
}

#[tokio::test]
async fn a_store_need_not_notify_of_changes() {
    assert!(!Plain.event_changes().has_changed().unwrap_or(false));
}
