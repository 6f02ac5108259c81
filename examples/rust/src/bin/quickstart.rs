use serde_json::json;
use toolkeep::{CallContext, Config, Dialect, Runtime, ToolResult, tool_fn};

/// Counts the words of a text.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct WordCount {
    text: String,
}

#[tokio::main]
async fn main() -> Result<(), toolkeep::Error> {
    let config = Config::from_toml("workspace = '.'\npolicy.deny = ['edit']")?;
    let rt = Runtime::builder().config(config).build().await?;
    rt.register(tool_fn("word_count", |args: WordCount, _cx| async move {
        Ok(ToolResult::data(json!(args.text.split_whitespace().count())))
    }))?;
    let cx = CallContext::new().agent("helper").session("demo");
    println!("{}", rt.definitions(&cx, Dialect::Anthropic).await?.text());
    println!("{:?}", rt.explain(&cx, "edit").await?.rule);
    for (tool, args) in [("list_files", "{}"), ("word_count", r#"{"text": "a b"}"#), ("edit", "")] {
        let result = rt.call(&cx, tool, args).await?;
        println!("{tool}: {} {:?} {:?}", result.for_llm, result.code, result.rule);
    }
    rt.close().await
}
