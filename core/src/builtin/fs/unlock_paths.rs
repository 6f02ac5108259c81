//! `unlock_paths`

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::builtin::Deps;
use crate::error::Code;
use crate::kind::Capability;
use crate::tool::{CallContext, Tool, ToolError, ToolResult, tool_fn};

/// The most locks of one call.
const MOST_LOCKS: usize = 100;

/// Gives locks of `lock_paths` back. A lock that has ended already is no error.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// What `lock_paths` gave as `lock`.
    #[schemars(length(min = 1, max = MOST_LOCKS))]
    locks: Vec<String>,
}

pub(in crate::builtin) fn tool(deps: &Deps) -> impl Tool {
    let deps = deps.clone();
    tool_fn("unlock_paths", move |args: Args, cx| {
        let deps = deps.clone();
        async move { unlock(&deps, args, &cx).await }
    })
    .group("fs")
    .argument_aliases("locks", &["tokens", "token", "lock"])
    .capability(Capability::Mutating)
}

async fn unlock(deps: &Deps, args: Args, cx: &CallContext) -> Result<ToolResult, ToolError> {
    let known = args.locks.iter().map(|lock| parsed(lock)).collect::<Result<Vec<_>, _>>()?;
    let held = deps.files.locks(cx);
    let (mut released, mut ended) = (Vec::new(), Vec::new());
    for (lock, (id, epoch)) in args.locks.iter().zip(known) {
        let list = if held.give_back(id, epoch).await? { &mut released } else { &mut ended };
        list.push(lock);
    }
    let mut text = format!("Given back: {}.", released.len());
    if !ended.is_empty() {
        text.push_str(&format!(" Not held any more: {}.", ended.len()));
    }
    let structured = json!({ "released": released, "ended": ended });
    Ok(ToolResult { structured: Some(structured), ..ToolResult::silent(text) })
}

/// The id and the epoch of a lock.
fn parsed(lock: &str) -> Result<(&str, i64), ToolError> {
    let parts = lock.rsplit_once(':').filter(|(id, _)| crate::id::check_key("id", id).is_ok());
    parts.and_then(|(id, epoch)| Some((id, epoch.parse().ok()?))).ok_or_else(|| {
        let lock = crate::limits::echo(lock);
        let text = format!(
            "`{lock}` is no lock; give what `lock_paths` answered as `lock`. Nothing was given \
             back."
        );
        ToolError::new(Code::InvalidArguments, text)
    })
}
