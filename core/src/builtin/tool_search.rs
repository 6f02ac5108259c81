//! `tool_search`

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::Deps;
use crate::call::Finder;
use crate::error::Code;
use crate::kind::Capability;
use crate::limits::prefix_of_chars;
use crate::tool::{CallContext, SEARCH, Tool, ToolError, ToolResult, tokens, tool_fn};

/// How much of a query counts, in characters: each word is looked for in every tool.
const MOST_CHARS: usize = 1_000;

/// Finds tools that are not in your list yet, by what they do. The tools that it finds are added to
/// your list, and can be called from your next turn on.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// What the tool should do, in a few words; or a part of its name.
    query: String,
    /// How many tools to find at most. Default: 5.
    #[serde(default = "five")]
    #[schemars(range(min = 1, max = 20))]
    max_results: u8,
}

fn five() -> u8 {
    5
}

pub(super) fn tool(deps: &Deps) -> impl Tool {
    let finder = deps.finder.clone();
    tool_fn(SEARCH, move |args: Args, cx| {
        let finder = finder.clone();
        async move { search(&finder, &args, &cx).await }
    })
    .capability(Capability::ReadOnly)
}

async fn search(finder: &Finder, args: &Args, cx: &CallContext) -> Result<ToolResult, ToolError> {
    let words = tokens(prefix_of_chars(&args.query, MOST_CHARS));
    if words.is_empty() {
        let text = "The query has no word of two letters or more. Say in a few words what the \
                    tool should do, for example \"create issue\".";
        return Err(ToolError::new(Code::InvalidArguments, text));
    }
    let found = finder
        .find(cx.caller(), &words, usize::from(args.max_results))
        .await
        .map_err(|error| ToolError::new(error.code(), error.message()))?;
    let tools: Vec<_> = found
        .iter()
        .map(|entry| {
            let spec = &entry.spec;
            json!({
                "name": spec.name,
                "original_name": spec.original_name,
                "group": spec.group,
                "description": spec.description,
            })
        })
        .collect();
    let answer = json!({ "tools": tools, "count": found.len() });
    let for_llm = match found.is_empty() {
        true => "No tool fits these words. Try others, or do without.".to_owned(),
        false => answer.to_string(),
    };
    Ok(ToolResult { for_llm, structured: Some(answer), silent: true, ..ToolResult::default() })
}
