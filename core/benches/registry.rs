//! What it costs to find a tool by its name, and to tell a model of 200 tools.
//!
//! `make bench` runs it and prints its tables. Baseline and row are measured in this one process,
//! in turns, and the smallest of the turns counts.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints, and may fail")]

use std::hint::black_box;
use std::time::Instant;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use toolkeep::kind::Origin;
use toolkeep::tool::{DefinitionOptions, Registration, Snapshot};
use toolkeep::{CallContext, Config, Dialect, Runtime, Tool, ToolError, ToolResult, ToolSpec};

const TURNS: usize = 20;
const TOOLS: usize = 200;

struct Named(ToolSpec);

impl Tool for Named {
    fn spec(&self) -> ToolSpec {
        self.0.clone()
    }

    fn call(&self, _: Value, _: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
        async { Ok(ToolResult::default()) }.boxed()
    }
}

/// A tool with arguments such as MCP servers have them.
fn tool(number: usize) -> ToolSpec {
    let parameters = json!({
        "type": "object",
        "properties": {
            "owner": { "type": "string", "description": "Who owns the repository." },
            "repository": { "type": "string", "description": "Its name.", "minLength": 1 },
            "state": { "enum": ["open", "closed", "all"], "default": "open" },
            "labels": { "type": "array", "items": { "type": "string" }, "maxItems": 20 },
            "page": { "$ref": "#/$defs/Page" }
        },
        "required": ["owner", "repository"],
        "$defs": { "Page": {
            "type": "object",
            "properties": { "number": { "type": "integer" }, "size": { "type": "integer" } }
        } }
    });
    let description =
        format!("Lists what there is of kind {number} in a repository, page by page.");
    ToolSpec { parameters, ..ToolSpec::new(format!("mcp_git__list_{number:03}"), description) }
}

fn main() {
    let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let config = json!({ "definitions": { "defer_over": 1_000 } });
    let config = Config::from_value(config).unwrap();
    let rt = tokio.block_on(Runtime::builder().config(config).build()).unwrap();
    for number in 0..TOOLS {
        rt.registry().add(Registration::new(Named(tool(number))).origin(Origin::Mcp)).unwrap();
    }
    let snapshot = rt.registry().snapshot();
    println!("| definitions of {TOOLS} tools | µs, rebuilt each time | µs, toolkeep | ratio |");
    println!("|---|---:|---:|---:|");
    for (name, dialect, strict) in [
        ("openai", Dialect::OpenAi, false),
        ("openai, strict", Dialect::OpenAi, true),
        ("anthropic", Dialect::Anthropic, false),
        ("gemini", Dialect::Gemini, false),
        ("mcp", Dialect::Mcp, false),
    ] {
        let cx = CallContext::new().session("s");
        let options = DefinitionOptions::from(dialect).strict(strict);
        let rebuilt = || plainly_rebuilt(&snapshot, dialect);
        let ours = || tokio.block_on(rt.definitions(&cx, options)).unwrap().text().len();
        let (rebuilt, ours) = (best(20, rebuilt), best(2_000, ours));
        println!("| {name} | {:.1} | {:.2} | {:.0} |", rebuilt / 1e3, ours / 1e3, rebuilt / ours);
    }
    println!();
    println!("| resolve among {} names | ns |", snapshot.tools().count());
    println!("|---|---:|");
    for (what, name) in [("a tool", "mcp_git__list_117"), ("an unknown name", "mcp_git__list_nope")]
    {
        let resolve = || usize::from(snapshot.resolve(black_box(name)).is_some());
        println!("| {what} | {:.1} |", best(100_000, resolve));
    }
    let load = || usize::from(rt.registry().snapshot().resolve(black_box("datetime")).is_some());
    println!("| a tool, with taking the snapshot | {:.1} |", best(100_000, load));
}

/// The definitions as text, built from the tools' descriptions as a program without a cache does
/// it: no step of the way to what a provider understands, only the provider's shape.
fn plainly_rebuilt(snapshot: &Snapshot, dialect: Dialect) -> usize {
    let tools: Vec<Value> = snapshot
        .tools()
        .map(|entry| {
            let ToolSpec { name, description, parameters, .. } = entry.spec.as_ref();
            match dialect {
                Dialect::OpenAi => json!({ "type": "function", "function": {
                    "name": name, "description": description, "parameters": parameters
                } }),
                _ => json!({
                    "name": name, "description": description, "input_schema": parameters
                }),
            }
        })
        .collect();
    serde_json::to_string(&tools).unwrap().len()
}

/// The nanoseconds that one round takes in the best of the turns.
fn best(rounds: u32, work: impl Fn() -> usize) -> f64 {
    let turn = |_| {
        let start = Instant::now();
        for _ in 0..rounds {
            black_box(work());
        }
        start.elapsed().as_nanos() as f64 / f64::from(rounds)
    };
    (0..TURNS).map(turn).fold(f64::MAX, f64::min)
}
