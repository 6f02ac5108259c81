use serde_json::json;
use toolkeep::{CallContext, Config, Runtime, ToolResult, tool_fn};

/// Greets somebody.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Greet {
    /// Whom to greet.
    name: String,
}

#[tokio::main]
async fn main() -> Result<(), toolkeep::Error> {
    let config = json!({ "workspace": ".", "policy": { "deny": ["write_file"] } });
    let rt = Runtime::builder().config(Config::from_value(config)?).build().await?;
    rt.register(tool_fn("greet", |args: Greet, _cx| async move {
        Ok(ToolResult::text(format!("Hello, {}!", args.name)))
    }))?;
    let cx = CallContext::new().agent("helper").session("chat-7");
    let result = rt.call(&cx, "greet", r#"{"name": "Ada"}"#).await?;
    println!("{}", result.for_llm); // Hello, Ada!
    let result = rt.call(&cx, "write_file", json!({ "path": "x", "content": "y" })).await?;
    println!("{:?}: {}", result.code, result.for_llm); // Some(DeniedByPolicy): `write_file` is …
    rt.close().await
}
