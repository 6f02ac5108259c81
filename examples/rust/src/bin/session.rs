//! Prints which tools a model gets and why it lacks one, runs the calls of a session file on a
//! workspace, and prints what was decided and what the model sees: `session WORKSPACE SESSION`.

use std::error::Error;

use serde_json::json;
use toolkeep::{CallContext, Config, Dialect, Runtime, ToolResult, tool_fn};

/// Counts the words of a text.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct CountWords {
    /// The text.
    text: String,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let (Some(workspace), Some(session)) = (words.next(), words.next()) else {
        return Err("usage: session WORKSPACE SESSION".into());
    };
    let config = Config::from_value(json!({
        "workspace": workspace,
        "policy": { "deny": ["write_file"] },
        "rate_limit": { "calls": 12 },
        "secrets": { "key": { "env": "TOOLKEEP_KEY" } },
    }))?;
    let rt = Runtime::builder().config(config).build().await?;
    rt.register(tool_fn("count_words", |args: CountWords, _cx| async move {
        Ok(ToolResult::text(format!("{} words", args.text.split_whitespace().count())))
    }))?;
    let cx = CallContext::new().agent("demo").session("demo-1");
    print_policy(&rt, &CallContext::new().agent("demo")).await?;
    for line in std::fs::read_to_string(session)?.lines() {
        let Some((tool, args)) = line.split_once(' ').filter(|_| !line.starts_with('#')) else {
            continue;
        };
        let result = rt.call(&cx, tool, args).await?;
        let decision = match (&result.code, &result.rule) {
            (None, _) => "allowed".to_owned(),
            (Some(code), None) => format!("refused: {code}"),
            (Some(code), Some(rule)) => format!("refused: {code} by {rule}"),
        };
        println!("call      {tool} {args}\ndecision  {decision}\nthe model sees");
        for line in result.for_llm.lines() {
            println!("  | {line}");
        }
        println!();
    }
    rt.close().await?;
    Ok(())
}

/// Which tools a model gets, and what each list of the policy did to one that it lacks.
async fn print_policy(rt: &Runtime, cx: &CallContext) -> Result<(), Box<dyn Error>> {
    let definitions = rt.definitions(cx, Dialect::Anthropic).await?;
    let names: Vec<&str> =
        definitions.tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    println!("tools     {}", names.join(" "));
    let why = rt.explain(cx, "write_file").await?;
    let word = |allowed| if allowed { "allowed" } else { "refused" };
    println!("explain   {}", why.tool);
    for step in &why.steps {
        println!("  | {}: {} -> {}", step.source, word(step.before), word(step.after));
    }
    println!("  | {}\n", why.rule.map_or("allowed".to_owned(), |rule| rule.text));
    Ok(())
}
