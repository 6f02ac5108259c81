//! A core that does nothing: what `make bench` compares the calls of a binding with.
//!
//! Each binding includes this file with its feature `bench`, which no released build has. A name
//! that begins with `bench:` then goes here instead of to the core; all else of the way there and
//! back is the same.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use toolkeep::tool::Arguments;
use toolkeep::{CallContext, Code, Error, Runtime, Tool, ToolError, ToolResult, ToolSpec};

/// Whether a call is for this core.
pub(crate) fn is_meant(name: &str) -> bool {
    name.starts_with("bench:")
}

/// Answers a call: `bench:install` adds the tool `noop`, which is written in Rust; `bench:empty`
/// answers at once what `noop` answers; `bench:<tool>` runs a tool and does nothing else.
pub(crate) async fn call(
    runtime: &Runtime,
    cx: &CallContext,
    name: &str,
    args: Arguments,
) -> Result<ToolResult, Error> {
    let args = match args {
        Arguments::Value(value) => value,
        Arguments::Text(text) => serde_json::from_str(&text)
            .map_err(|error| Error::new(Code::InvalidJson, error.to_string()))?,
        _ => Value::Null,
    };
    let mut result = match name.strip_prefix("bench:").unwrap_or(name) {
        "install" => runtime.register(Noop).map(|()| ToolResult::default())?,
        "empty" => ToolResult::text("ok"),
        tool => {
            let entry = runtime.registry().snapshot().resolve(tool).cloned();
            let entry = entry.ok_or_else(|| Error::new(Code::NotFound, "no such tool"))?;
            entry.tool.call(args, cx.clone()).await.unwrap_or_else(ToolResult::from)
        }
    };
    // As long as those of a real call.
    result.call_id = "01890a5d-ac96-774b-bcce-b302099a8057".to_owned();
    result.duration_us = 1;
    Ok(result)
}

struct Noop;

impl Tool for Noop {
    fn spec(&self) -> ToolSpec {
        let parameters = json!({
            "type": "object",
            "properties": { "text": { "type": "string" } },
            "required": ["text"],
            "additionalProperties": false,
        });
        ToolSpec { parameters, ..ToolSpec::new("noop", "Does nothing.") }
    }

    fn call(&self, _: Value, _: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
        async { Ok(ToolResult::text("ok")) }.boxed()
    }
}
