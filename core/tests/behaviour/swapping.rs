//! Many call while another swaps the policy and the tools.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use toolkeep::policy::Policy;
use toolkeep::{CallContext, Code, Runtime};

use crate::support::{Gives, echo};

/// How many call at once.
const CALLERS: u64 = 64;

/// What the one who swaps has done. A caller that finds the same numbers before and after its call
/// knows what must have held in between.
#[derive(Default)]
struct Progress {
    begun: AtomicU64,
    returned: AtomicU64,
    calls: AtomicU64,
    /// How many calls fell wholly between two swaps, by what held then.
    certain: [AtomicU64; 4],
}

/// What holds after so many swaps: whether `echo` is allowed, and whether `gives` is there.
fn holds(swaps: u64) -> (bool, bool) {
    (swaps & 1 == 0, swaps & 2 == 0)
}

async fn swap(rt: &Runtime, swaps: u64) {
    let (before, after) = (holds(swaps - 1), holds(swaps));
    if before.0 != after.0 {
        let deny = if after.0 { vec![] } else { vec!["echo".into()] };
        rt.set_policy(Policy { deny, ..Policy::default() }).await.unwrap();
    }
    if before.1 != after.1 {
        if after.1 {
            rt.register(Gives(toolkeep::ToolResult::text("here"))).unwrap();
        } else {
            rt.registry().unregister("gives").unwrap();
        }
    }
}

async fn check_one(rt: &Runtime, progress: &Progress, cx: &CallContext) {
    let returned = progress.returned.load(Ordering::SeqCst);
    let allowed = rt.call(cx, "echo", json!({ "text": "x" })).await.unwrap();
    let there = rt.call(cx, "gives", json!({})).await.unwrap();
    progress.calls.fetch_add(1, Ordering::SeqCst);
    if progress.begun.load(Ordering::SeqCst) != returned {
        return;
    }
    let (is_allowed, is_there) = holds(returned);
    let expected = |holds: bool, code| if holds { None } else { Some(code) };
    assert_eq!(allowed.code, expected(is_allowed, Code::DeniedByPolicy), "after {returned}");
    assert_eq!(there.code, expected(is_there, Code::UnknownTool), "after {returned}");
    progress.certain[(returned & 3) as usize].fetch_add(1, Ordering::SeqCst);
}

async fn stress(for_at_least: Duration, swaps_at_least: u64) {
    let rt = Runtime::builder()
        .tool(echo())
        .tool(Gives(toolkeep::ToolResult::text("here")))
        .build()
        .await
        .unwrap();
    let progress = Arc::new(Progress::default());
    let done = tokio_util::sync::CancellationToken::new();
    let callers: Vec<_> = (0..CALLERS)
        .map(|caller| {
            let (rt, progress, done) = (rt.clone(), progress.clone(), done.clone());
            tokio::spawn(async move {
                let top = CallContext::new().agent(format!("agent-{}", caller % 8));
                let cx = if caller % 2 == 0 { top } else { top.child("helper") };
                while !done.is_cancelled() {
                    check_one(&rt, &progress, &cx).await;
                    tokio::task::yield_now().await;
                }
            })
        })
        .collect();
    let began = Instant::now();
    let mut swaps = 0;
    while swaps < swaps_at_least || began.elapsed() < for_at_least {
        swaps += 1;
        progress.begun.store(swaps, Ordering::SeqCst);
        swap(&rt, swaps).await;
        progress.returned.store(swaps, Ordering::SeqCst);
        let enough = progress.calls.load(Ordering::SeqCst) + CALLERS;
        while progress.calls.load(Ordering::SeqCst) < enough {
            tokio::time::sleep(Duration::from_micros(200)).await;
        }
    }
    done.cancel();
    for caller in callers {
        caller.await.unwrap();
    }
    for certain in &progress.certain {
        assert!(certain.load(Ordering::SeqCst) > 0, "no call fell between two swaps");
    }
    rt.close().await.unwrap();
}

#[test]
fn nobody_is_decided_by_what_was_replaced_before_the_call() {
    let soak = std::env::var_os("TOOLKEEP_SOAK").is_some();
    let (time, swaps) = if soak { (10, 1_000) } else { (0, 40) };
    let tokio = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(CALLERS as usize)
        .enable_all()
        .build()
        .unwrap();
    let run = stress(Duration::from_secs(time), swaps);
    let ended = tokio.block_on(async { tokio::time::timeout(Duration::from_secs(300), run).await });
    assert!(ended.is_ok(), "somebody waits for ever");
}
