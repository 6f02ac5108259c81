//! Which tools a model is told of, how, and which it has to find first.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, join_all};
use serde_json::{Value, json};
use toolkeep::kind::Origin;
use toolkeep::tool::{DefinitionOptions, Definitions, Registration};
use toolkeep::{
    CallContext, Code, Config, Dialect, Runtime, Tool, ToolError, ToolResult, ToolSpec,
};

/// A tool that says its name, and counts its ends.
struct Named {
    spec: ToolSpec,
    ended: Arc<AtomicUsize>,
}

impl Tool for Named {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn call(&self, _: Value, _: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
        async { Ok(ToolResult::text(self.spec.name.clone())) }.boxed()
    }
}

impl Drop for Named {
    fn drop(&mut self) {
        self.ended.fetch_add(1, Ordering::SeqCst);
    }
}

fn from_mcp(spec: ToolSpec) -> Registration {
    Registration::new(Named { spec, ended: Arc::default() }).origin(Origin::Mcp)
}

/// A runtime with `count` MCP tools: `mcp_x__t000`, …
async fn open(count: usize, config: Value) -> Runtime {
    let config = Config::from_value(config).unwrap();
    let rt = Runtime::builder().config(config).build().await.unwrap();
    for number in 0..count {
        let spec = ToolSpec {
            original_name: Some(format!("t.{number}")),
            ..ToolSpec::new(format!("mcp_x__t{number:03}"), format!("Turns wheel {number}."))
                .group("mcp")
        };
        rt.registry().add(from_mcp(spec)).unwrap();
    }
    rt
}

async fn definitions_for(rt: &Runtime, cx: &CallContext) -> Arc<Definitions> {
    rt.definitions(cx, Dialect::Mcp).await.unwrap()
}

fn names(definitions: &Definitions) -> Vec<&str> {
    let names = definitions.tools.iter().map(|tool| tool["name"].as_str().unwrap());
    names.filter(|name| name.starts_with("mcp_")).collect()
}

fn session(name: &str) -> CallContext {
    CallContext::new().session(name)
}

#[tokio::test]
async fn definitions_are_made_once_and_shared_until_something_changes() {
    let rt = open(3, json!({})).await;
    let cx = CallContext::new();
    let one = definitions_for(&rt, &cx).await;
    assert!(Arc::ptr_eq(&one, &definitions_for(&rt, &cx).await));
    let strict = DefinitionOptions::from(Dialect::OpenAi).strict(true);
    assert!(rt.definitions(&cx, strict).await.unwrap().strict);
    assert!(
        !rt.definitions(&cx, DefinitionOptions::from(Dialect::Gemini).strict(true))
            .await
            .unwrap()
            .strict
    );
    rt.registry().unregister("mcp_x__t001").unwrap();
    let two = definitions_for(&rt, &cx).await;
    assert_eq!(names(&two), ["mcp_x__t000", "mcp_x__t002"]);
    // What did not change is not made again.
    let first = |definitions: &Definitions| {
        definitions.tools.iter().find(|tool| tool["name"] == "mcp_x__t000").unwrap().clone()
    };
    assert!(Arc::ptr_eq(&first(&one), &first(&two)));
}

#[tokio::test]
async fn a_tool_that_is_unregistered_ends_although_its_definition_was_asked_for() {
    let rt = open(0, json!({})).await;
    let ended = Arc::new(AtomicUsize::new(0));
    let tool = Named { spec: ToolSpec::new("mcp_gone", "Goes."), ended: ended.clone() };
    rt.registry().register(Arc::new(tool)).unwrap();
    assert_eq!(names(&*definitions_for(&rt, &CallContext::new()).await), ["mcp_gone"]);
    rt.registry().unregister("mcp_gone").unwrap();
    assert_eq!(ended.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_tool_that_a_provider_cannot_accept_is_left_out_and_still_works() {
    let rt = open(1, json!({})).await;
    let spec = ToolSpec {
        parameters: json!({ "type": "object", "properties": { "any": {} } }),
        ..ToolSpec::new("mcp_y__any", "Takes anything.")
    };
    rt.registry().add(from_mcp(spec)).unwrap();
    let cx = CallContext::new();
    let strict = DefinitionOptions::from(Dialect::Anthropic).strict(true);
    let definitions = rt.definitions(&cx, strict).await.unwrap();
    assert_eq!(names(&definitions), ["mcp_x__t000"]);
    let [quarantined] = definitions.quarantined.as_slice() else { panic!("{definitions:?}") };
    assert_eq!(quarantined.tool, "mcp_y__any");
    assert_eq!(quarantined.dialect, Dialect::Anthropic);
    assert_eq!(quarantined.path, "/properties/any");
    assert!(rt.definitions(&cx, Dialect::Anthropic).await.unwrap().quarantined.is_empty());
    assert!(!rt.call(&cx, "mcp_y__any", json!({})).await.unwrap().is_error);
}

#[tokio::test]
async fn past_forty_tools_the_rest_is_listed_by_name_and_found_by_words() {
    let rt = open(45, json!({})).await;
    let cx = session("s");
    let before = definitions_for(&rt, &cx).await;
    assert_eq!(names(&before).len(), 40);
    assert_eq!(before.deferred.first().unwrap(), "mcp_x__t040");
    assert_eq!(before.deferred.len(), 5);
    let search = |definitions: &Definitions| {
        definitions.tools.iter().find(|tool| tool["name"] == "tool_search").unwrap().clone()
    };
    let listed = search(&before)["description"].as_str().unwrap().to_owned();
    assert!(
        listed.ends_with(
            "The tools: mcp_x__t040, mcp_x__t041, mcp_x__t042, mcp_x__t043, mcp_x__t044."
        )
    );
    let found = rt.call(&cx, "tool_search", json!({ "query": "Wheel 43" })).await.unwrap();
    let found = found.structured.unwrap();
    assert_eq!(found["count"], 5);
    assert_eq!(
        found["tools"][0],
        json!({
            "name": "mcp_x__t043", "original_name": "t.43", "group": "mcp",
            "description": "Turns wheel 43."
        })
    );
    let after = definitions_for(&rt, &cx).await;
    assert_eq!((names(&after).len(), after.deferred.len()), (45, 0));
    // What prompt caches hold stays as it was.
    assert_eq!(search(&before), search(&after));
    assert_eq!(definitions_for(&rt, &session("another")).await.deferred.len(), 5);
    let other_tenant = session("s").tenant("b");
    assert_eq!(definitions_for(&rt, &other_tenant).await.deferred.len(), 5);
}

#[tokio::test]
async fn forty_tools_are_all_defined_and_there_is_nothing_to_search() {
    let rt = open(40, json!({})).await;
    let definitions = definitions_for(&rt, &session("s")).await;
    assert_eq!(names(&definitions).len(), 40);
    assert!(definitions.tools.iter().all(|tool| tool["name"] != "tool_search"));
}

#[tokio::test]
async fn what_counts_is_what_the_caller_may_call() {
    let rt = open(45, json!({ "definitions": { "defer_over": 2 } })).await;
    let deny: Vec<String> = (0..42).map(|number| format!("mcp_x__t{number:03}")).collect();
    rt.invoke("agents.put", json!({ "id": "narrow", "deny": deny })).await.unwrap();
    let cx = session("s").agent("narrow");
    let definitions = definitions_for(&rt, &cx).await;
    assert_eq!(names(&definitions), ["mcp_x__t042", "mcp_x__t043"]);
    assert_eq!(definitions.deferred, ["mcp_x__t044"]);
    let found = rt.call(&cx, "tool_search", json!({ "query": "wheel" })).await.unwrap();
    assert_eq!(found.structured.unwrap()["count"], 1);
}

#[tokio::test]
async fn a_direct_call_activates_what_the_policy_allows_and_nothing_else() {
    let config = json!({
        "definitions": { "defer_over": 2 }, "policy": { "deny": ["mcp_x__t004"] }
    });
    let rt = open(6, config).await;
    let cx = session("s");
    assert_eq!(
        definitions_for(&rt, &cx).await.deferred,
        ["mcp_x__t002", "mcp_x__t003", "mcp_x__t005"]
    );
    let refused = rt.call(&cx, "mcp_x__t004", json!({})).await.unwrap();
    assert_eq!(refused.code, Some(Code::DeniedByPolicy));
    assert_eq!(definitions_for(&rt, &cx).await.deferred.len(), 3);
    let called = rt.call(&cx, "mcp_x__t003", json!({})).await.unwrap();
    assert_eq!(called.for_llm, "mcp_x__t003");
    let after = definitions_for(&rt, &cx).await;
    assert_eq!(after.deferred, ["mcp_x__t002", "mcp_x__t005"]);
    assert_eq!(names(&after), ["mcp_x__t000", "mcp_x__t001", "mcp_x__t003"]);
    let found = rt.call(&cx, "tool_search", json!({ "query": "t004" })).await.unwrap();
    assert_eq!(found.structured.unwrap()["count"], 0);
}

#[tokio::test]
async fn whoever_may_not_search_gets_every_definition() {
    let config = json!({
        "definitions": { "defer_over": 2 }, "policy": { "deny": ["tool_search"] }
    });
    let rt = open(6, config).await;
    let definitions = definitions_for(&rt, &session("s")).await;
    assert_eq!((names(&definitions).len(), definitions.deferred.len()), (6, 0));
}

#[tokio::test]
async fn a_run_keeps_what_it_found_and_nobody_keeps_nothing() {
    let rt = open(4, json!({ "definitions": { "defer_over": 2 } })).await;
    let run = CallContext::new().run("r");
    for cx in [&run, &CallContext::new()] {
        assert_eq!(rt.call(cx, "mcp_x__t003", json!({})).await.unwrap().for_llm, "mcp_x__t003");
    }
    assert_eq!(definitions_for(&rt, &run).await.deferred, ["mcp_x__t002"]);
    assert_eq!(definitions_for(&rt, &CallContext::new()).await.deferred.len(), 2);
    // A session of the same name is another one.
    assert_eq!(definitions_for(&rt, &session("r")).await.deferred.len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_callers_of_one_deferred_tool_all_get_its_answer() {
    let config = json!({ "definitions": { "defer_over": 2 }, "loops": { "enabled": false } });
    let rt = open(4, config).await;
    let calls = (0..50).map(|_| {
        let rt = rt.clone();
        tokio::spawn(async move {
            let answer = rt.call(&session("s"), "mcp_x__t003", json!({})).await.unwrap();
            (answer.for_llm, definitions_for(&rt, &session("s")).await.deferred.clone())
        })
    });
    for done in join_all(calls).await {
        let (answer, deferred) = done.unwrap();
        assert_eq!(answer, "mcp_x__t003");
        assert_eq!(deferred, ["mcp_x__t002"]);
    }
}

#[tokio::test]
async fn a_group_covers_deferred_and_active_tools_alike() {
    let config = json!({ "definitions": { "defer_over": 2 } });
    let rt = open(5, config).await;
    rt.call(&session("s"), "mcp_x__t004", json!({})).await.unwrap();
    rt.invoke("agents.put", json!({ "id": "none", "deny": ["group:mcp"] })).await.unwrap();
    let cx = session("s").agent("none");
    for number in 0..5 {
        let refused = rt.call(&cx, &format!("mcp_x__t00{number}"), json!({})).await.unwrap();
        assert_eq!(refused.code, Some(Code::DeniedByPolicy));
    }
    let definitions = definitions_for(&rt, &cx).await;
    assert!(names(&definitions).is_empty() && definitions.deferred.is_empty());
}

#[tokio::test]
async fn a_long_list_of_names_is_cut_and_says_how_many_are_missing() {
    let rt = open(900, json!({})).await;
    let definitions = definitions_for(&rt, &session("s")).await;
    let search = definitions.tools.iter().find(|tool| tool["name"] == "tool_search").unwrap();
    let text = search["description"].as_str().unwrap();
    assert!(text.len() < 4_500);
    let shown = text.matches("mcp_x__").count();
    assert!(text.ends_with(&format!(", and {} more.", 860 - shown)), "{text}");
    assert_eq!(definitions.deferred.len(), 860);
}
