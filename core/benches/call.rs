//! The whole path of a call of a no-op tool, against a bare boxed async closure with the same JSON.
//!
//! `make bench` runs it and prints its table. The baseline and every row are measured in this one
//! process, in turns, and the smallest of the turns counts.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints, and may fail")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use toolkeep::{CallContext, Config, Runtime, ToolError, ToolResult, tool_fn};

/// Does nothing.
#[derive(Deserialize, JsonSchema)]
struct Args {
    /// A text.
    #[expect(dead_code, reason = "the tool does nothing with it")]
    text: String,
}

type Bare = Box<dyn Fn(Value) -> BoxFuture<'static, Result<ToolResult, ToolError>> + Send + Sync>;

const TURNS: usize = 30;
/// Calls in one turn: fewer than the recorder queues, so that a turn measures a call and not the
/// disk; what the disk sustains has a row of its own.
const CALLS: u32 = 2_000;

fn main() {
    if std::env::args().any(|arg| arg == "memory") {
        return memory();
    }
    let tokio =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = format!("sqlite:{}", folder.path().join("bench.db").display());
    println!("| call of a no-op tool | ns per call | ratio to the bare closure |");
    println!("|---|---:|---:|");
    let bare = tokio.block_on(bare());
    row("bare boxed async closure, same JSON", bare, bare);
    let batched = tokio.block_on(latency(json!({})));
    row("toolkeep, record batched", batched, bare);
    let with_agent = tokio.block_on(latency_as(json!({}), CallContext::new().agent("a")));
    row("toolkeep, record batched, with an agent's lists", with_agent, bare);
    let durable_memory =
        tokio.block_on(sustained(json!({ "record": { "mode": "durable" } }), 2_000));
    row("toolkeep, record durable, store memory:", durable_memory, bare);
    let durable = json!({ "record": { "mode": "durable" }, "store": file });
    let durable = tokio.block_on(sustained(durable, 200));
    row("toolkeep, record durable, store sqlite: on disk", durable, bare);
    let sustained = tokio.block_on(sustained(json!({}), 50_000));
    row("toolkeep, record batched, sustained with the ledger's writes", sustained, bare);
    println!();
    println!("| 64 concurrent callers | calls per second | ratio to 1 worker |");
    println!("|---|---:|---:|");
    let one = concurrent(1);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for workers in [1, cores] {
        let rate = if workers == 1 { one } else { concurrent(workers) };
        println!("| {workers} worker threads | {rate:.0} | {:.2} |", rate / one);
    }
}

/// Prints what an idle runtime keeps in memory, after one call.
fn memory() {
    let bare = resident_mib();
    let tokio =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let rt = tokio.block_on(async {
        let rt = open(json!({})).await;
        rt.call(&CallContext::new(), "datetime", json!({})).await.unwrap();
        rt.invoke("events.read", json!({ "limit": 1 })).await.unwrap();
        rt
    });
    let idle = resident_mib();
    println!("| Rust | {bare:.1} | {idle:.1} | {:.1} |", idle - bare);
    tokio.block_on(rt.close()).unwrap();
}

fn resident_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0
}

fn row(what: &str, ns: f64, bare: f64) {
    println!("| {what} | {ns:.0} | {:.1} |", ns / bare);
}

fn args() -> Value {
    json!({ "text": "hello" })
}

async fn open(config: Value) -> Runtime {
    let noop = tool_fn("noop", |_: Args, _| async { Ok(ToolResult::text("ok")) });
    let config = Config::from_value(config).unwrap();
    Runtime::builder().config(config).tool(noop).build().await.unwrap()
}

async fn bare() -> f64 {
    let closure: Bare = Box::new(|args| {
        async move {
            let _: Args =
                serde_json::from_value(args).map_err(|e| ToolError::failed(e.to_string()))?;
            Ok(ToolResult::text("ok"))
        }
        .boxed()
    });
    let args = args();
    let mut best = f64::MAX;
    for _ in 0..TURNS {
        let start = Instant::now();
        for _ in 0..CALLS {
            black_box(closure(black_box(args.clone())).await).unwrap();
        }
        best = best.min(per_call(start.elapsed(), CALLS));
    }
    best
}

async fn latency(config: Value) -> f64 {
    latency_as(config, CallContext::new()).await
}

/// Calls in turns that fit the recorder's queue, which is written between them.
async fn latency_as(config: Value, cx: CallContext) -> f64 {
    let rt = open(config).await;
    let args = args();
    let mut best = f64::MAX;
    for _ in 0..TURNS {
        let start = Instant::now();
        for _ in 0..CALLS {
            black_box(rt.call(&cx, "noop", black_box(args.clone())).await).unwrap();
        }
        best = best.min(per_call(start.elapsed(), CALLS));
        rt.invoke("events.read", json!({ "limit": 1 })).await.unwrap();
    }
    rt.close().await.unwrap();
    best
}

/// Calls one after another until all are recorded.
async fn sustained(config: Value, calls: u32) -> f64 {
    let rt = open(config).await;
    let (args, cx) = (args(), CallContext::new());
    let start = Instant::now();
    for _ in 0..calls {
        black_box(rt.call(&cx, "noop", black_box(args.clone())).await).unwrap();
    }
    rt.close().await.unwrap();
    per_call(start.elapsed(), calls)
}

/// Calls per second of 64 tasks on so many worker threads; the ledger is written between turns.
fn concurrent(workers: usize) -> f64 {
    let tokio = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers)
        .enable_all()
        .build()
        .unwrap();
    tokio.block_on(async {
        let rt = open(json!({})).await;
        let mut best: f64 = 0.0;
        for _ in 0..TURNS {
            let start = Instant::now();
            let tasks: Vec<_> = (0..64)
                .map(|_| {
                    let rt = rt.clone();
                    tokio::spawn(async move {
                        let cx = CallContext::new();
                        for _ in 0..CALLS / 64 {
                            rt.call(&cx, "noop", args()).await.unwrap();
                        }
                    })
                })
                .collect();
            for task in tasks {
                task.await.unwrap();
            }
            let calls = f64::from(CALLS / 64 * 64);
            best = best.max(calls / start.elapsed().as_secs_f64());
            rt.invoke("events.read", json!({ "limit": 1 })).await.unwrap();
        }
        rt.close().await.unwrap();
        best
    })
}

fn per_call(elapsed: Duration, calls: u32) -> f64 {
    elapsed.as_secs_f64() * 1e9 / f64::from(calls)
}
