//! `lock_paths`

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::builtin::Deps;
use crate::files::{Locks, check_count};
use crate::kind::Capability;
use crate::store::{PathClaim, PathLock};
use crate::tool::{CallContext, Tool, ToolError, ToolResult, tool_fn};

/// How long a lock of this tool may last (an hour): an agent that works longer renews it.
const MOST_TTL_MS: i64 = 3_600_000;

/// Locks paths of the workspace for a while, so that only you write them: all of them or none. Call
/// it again with the same globs to renew the lock, and `unlock_paths` when you are done.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Globs of paths in the workspace: "src/main.rs", "docs/**", "src/*.{c,h}". `*` stops at `/`,
    /// `**` does not. A folder stands for all that is in it.
    globs: Vec<String>,
    /// How long, in milliseconds. Default: 300000 (five minutes); an hour at most.
    #[serde(default = "five_minutes")]
    #[schemars(range(min = 1))]
    ttl_ms: i64,
}

fn five_minutes() -> i64 {
    300_000
}

pub(in crate::builtin) fn tool(deps: &Deps) -> impl Tool {
    let deps = deps.clone();
    tool_fn("lock_paths", move |args: Args, cx| {
        let deps = deps.clone();
        async move { lock(&deps, args, &cx).await }
    })
    .group("fs")
    .argument_aliases("globs", &["paths", "patterns", "glob", "path"])
    .capability(Capability::Mutating)
}

async fn lock(deps: &Deps, args: Args, cx: &CallContext) -> Result<ToolResult, ToolError> {
    check_count(args.globs.len())?;
    let reach = deps.files.reach(cx).await?;
    let (patterns, root) = reach.lock_patterns(args.globs.clone()).await?;
    let locks = deps.files.locks(cx);
    let claim = locks.take(patterns.clone(), args.ttl_ms.min(MOST_TTL_MS)).await;
    // The store quotes a pattern as it knows it, and the model knows nothing of the root.
    let claim = claim.map_err(|mut error| {
        if error.for_host().is_none() {
            error.message = format!("Nothing was locked: {}.", error.message.replace(&root, ""));
        }
        error
    })?;
    match claim {
        PathClaim::Taken(lock) => Ok(taken(&locks, &args.globs, &lock)),
        PathClaim::Refused(conflict) => {
            let at = patterns.iter().position(|pattern| *pattern == conflict.pattern);
            let asked = at.and_then(|at| args.globs.get(at)).map_or("", String::as_str);
            Err(locks.in_the_way(asked, &conflict))
        }
    }
}

fn taken(locks: &Locks, globs: &[String], lock: &PathLock) -> ToolResult {
    // Not called a token where it is shown: what follows that word is masked.
    let id = format!("{}:{}", lock.id, lock.epoch);
    let text =
        format!("Locked {} until {}. To give it back: {id}", globs.join(", "), locks.until(lock));
    let structured = json!({ "lock": id, "globs": globs, "expires_at_ms": lock.expires_at_ms });
    ToolResult { structured: Some(structured), ..ToolResult::silent(text) }
}
