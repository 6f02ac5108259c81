//! Calls that want somebody's word.

mod handler;
mod returned;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use toolkeep::clock::ManualClock;
use toolkeep::tool::Assessment;
use toolkeep::{
    ApprovalAnswer, ApprovalRequest, Approve, CallContext, CallRequest, Code, Config, Error,
    Runtime, RuntimeBuilder, Tool, ToolError, ToolResult, ToolSpec,
};

use crate::support::eventually;

const SECRET: &str = crate::support::TOKEN;

/// A tool whose every call wants approval. It objects to the place `forbidden`.
#[derive(Clone, Default)]
pub struct Deploy {
    ran: Arc<AtomicUsize>,
}

impl Deploy {
    pub fn ran(&self) -> usize {
        self.ran.load(Ordering::SeqCst)
    }
}

impl Tool for Deploy {
    fn spec(&self) -> ToolSpec {
        let parameters = json!({
            "type": "object",
            "properties": { "to": { "type": "string" }, "key": { "type": "string" } },
            "required": ["to"],
            "additionalProperties": false
        });
        let mut spec = ToolSpec::new("deploy", "Deploys.");
        spec.parameters = parameters;
        spec.needs_approval = true;
        spec
    }

    fn assess(&self, args: &Value, _: &CallContext) -> Assessment {
        if args["to"] == "forbidden" {
            return Assessment::refuses("Nobody deploys to `forbidden`.");
        }
        Assessment { plan: Some(json!([format!("to {}", args["to"])])), ..Assessment::default() }
    }

    fn call(&self, args: Value, _: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
        self.ran.fetch_add(1, Ordering::SeqCst);
        async move { Ok(ToolResult::text(args.to_string())) }.boxed()
    }
}

/// A tool that asks only for what is large.
struct Pay;

impl Tool for Pay {
    fn spec(&self) -> ToolSpec {
        ToolSpec::new("pay", "Pays.")
    }

    fn assess(&self, args: &Value, _: &CallContext) -> Assessment {
        match args["amount"].as_i64() {
            Some(amount) if amount > 100 => Assessment::default().asks("It is more than 100."),
            _ => Assessment::default(),
        }
    }

    fn call(&self, _: Value, _: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
        async { Ok(ToolResult::text("paid")) }.boxed()
    }
}

fn builder(config: Value) -> RuntimeBuilder {
    Runtime::builder().config(Config::from_value(config).unwrap())
}

async fn open(config: Value) -> (Runtime, Deploy) {
    let deploy = Deploy::default();
    (builder(config).tool(deploy.clone()).tool(Pay).build().await.unwrap(), deploy)
}

fn cx() -> CallContext {
    CallContext::new().agent("a").user("u").session("s")
}

fn start(rt: &Runtime, args: Value) -> tokio::task::JoinHandle<Result<ToolResult, Error>> {
    let rt = rt.clone();
    tokio::spawn(async move { rt.call(&cx(), "deploy", args).await })
}

async fn list(rt: &Runtime, state: &str) -> Vec<Value> {
    let found = rt.invoke("approvals.list", json!({ "state": state })).await.unwrap();
    found.as_array().unwrap().clone()
}

/// The first approval that waits, once there are so many.
pub async fn pending(rt: &Runtime, count: usize) -> Vec<Value> {
    eventually(async || list(rt, "pending").await.len() == count).await;
    list(rt, "pending").await
}

async fn decide(rt: &Runtime, id: &Value, more: Value) -> Value {
    let mut args = json!({ "id": id, "decision": "allow", "by": "maria" });
    args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    rt.invoke("approvals.decide", args).await.unwrap()
}

async fn state(rt: &Runtime, id: &Value) -> Value {
    rt.invoke("approvals.get", json!({ "id": id })).await.unwrap()["state"].clone()
}

fn handled<R>(
    config: Value,
    ask: impl Fn(ApprovalRequest, CallContext) -> R + Send + Sync + 'static,
) -> impl Future<Output = (Runtime, Deploy)>
where
    R: Future<Output = Result<Option<ApprovalAnswer>, Error>> + Send + 'static,
{
    let deploy = Deploy::default();
    let builder = builder(config).tool(deploy.clone()).tool(Pay).on(Approve, ask);
    async move { (builder.build().await.unwrap(), deploy) }
}

#[tokio::test]
async fn a_call_waits_and_runs_once_it_is_allowed() {
    let (rt, deploy) = open(json!({})).await;
    let call = start(&rt, json!({ "to": "here", "key": SECRET }));
    let asked = pending(&rt, 1).await.remove(0);
    assert_eq!(deploy.ran(), 0);
    assert_eq!((&asked["tool"], &asked["agent"]), (&json!("deploy"), &json!("a")));
    assert_eq!((&asked["user"], &asked["session"]), (&json!("u"), &json!("s")));
    assert_eq!(asked["request"]["arguments"]["to"], "here");
    assert_eq!(asked["request"]["plan"], json!(["to \"here\""]));
    assert_eq!(asked["request"]["reasons"][0]["rule"], "tool.needs_approval");
    assert!(!asked.to_string().contains(SECRET), "{asked}");
    decide(&rt, &asked["id"], json!({})).await;
    let result = call.await.unwrap().unwrap();
    assert!(!result.is_error, "{}", result.for_llm);
    assert_eq!(result.approval.as_deref(), asked["id"].as_str());
    assert_eq!((deploy.ran(), state(&rt, &asked["id"]).await), (1, json!("consumed")));
    let events = rt.invoke("events.read", json!({})).await.unwrap();
    let requested = events.as_array().unwrap().iter().find(|e| e["kind"] == "approval.requested");
    let event = &requested.unwrap()["data"];
    assert!(event["arguments"].as_str().unwrap().contains("here"), "{event}");
    assert_eq!(event["reasons"], asked["request"]["reasons"]);
    assert!(!events.to_string().contains(SECRET), "{events}");
}

#[tokio::test]
async fn a_denied_call_does_not_run_and_the_model_learns_why() {
    let (rt, deploy) = open(json!({})).await;
    let call = start(&rt, json!({ "to": "here" }));
    let asked = pending(&rt, 1).await.remove(0);
    let reason = format!("Not on a Friday, and never with {SECRET}.");
    decide(&rt, &asked["id"], json!({ "decision": "deny", "reason": reason })).await;
    let result = call.await.unwrap().unwrap();
    assert_eq!((result.is_error, result.code), (true, Some(Code::ApprovalDenied)));
    assert_eq!(result.rule, Some(format!("approval {}", asked["id"].as_str().unwrap())));
    assert_eq!(result.approval.as_deref(), asked["id"].as_str());
    assert!(result.for_llm.contains("Not on a Friday"), "{}", result.for_llm);
    assert!(result.for_llm.contains("Do not make the same call again"), "{}", result.for_llm);
    assert!(!result.for_llm.contains(SECRET), "{}", result.for_llm);
    assert_eq!(deploy.ran(), 0);
}

#[tokio::test]
async fn a_call_that_nobody_answers_is_denied() {
    let (rt, deploy) = open(json!({ "approval": { "timeout_ms": 50 } })).await;
    let result = rt.call(&cx(), "deploy", json!({ "to": "here" })).await.unwrap();
    assert_eq!(result.code, Some(Code::ApprovalDenied));
    assert!(result.for_llm.contains("nobody answered within 50 milliseconds"), "{result:?}");
    assert_eq!(list(&rt, "expired").await.len(), 1);
    assert_eq!(deploy.ran(), 0);
}

#[tokio::test]
async fn the_wait_ends_by_the_clock_of_the_runtime_too() {
    let clock = Arc::new(ManualClock::at(1_000_000));
    let rt = builder(json!({})).clock(clock.clone()).tool(Deploy::default()).build().await.unwrap();
    let call = start(&rt, json!({ "to": "here" }));
    let asked = pending(&rt, 1).await.remove(0);
    assert_eq!(asked["expires_at_ms"], 1_000_000 + 120_000);
    clock.advance(120_000);
    assert_eq!(call.await.unwrap().unwrap().code, Some(Code::ApprovalDenied));
    assert_eq!(state(&rt, &asked["id"]).await, "expired");
}

#[tokio::test]
async fn waiting_is_not_execution_time() {
    let (rt, deploy) = open(json!({ "execute": { "timeout_ms": 200 } })).await;
    let call = start(&rt, json!({ "to": "here" }));
    let asked = pending(&rt, 1).await.remove(0);
    tokio::time::sleep(std::time::Duration::from_millis(400)).await;
    decide(&rt, &asked["id"], json!({})).await;
    assert_eq!(call.await.unwrap().unwrap().code, None);
    assert_eq!(deploy.ran(), 1);
}

#[tokio::test]
async fn a_cancelled_call_takes_its_request_back() {
    let (rt, deploy) = open(json!({})).await;
    let token = tokio_util::sync::CancellationToken::new();
    let cx = cx().with_cancellation(token.clone());
    let call = {
        let rt = rt.clone();
        tokio::spawn(async move { rt.call(&cx, "deploy", json!({ "to": "here" })).await })
    };
    let asked = pending(&rt, 1).await.remove(0);
    token.cancel();
    assert_eq!(call.await.unwrap().unwrap_err().code(), Code::Cancelled);
    eventually(async || state(&rt, &asked["id"]).await == "cancelled").await;
    assert_eq!(deploy.ran(), 0);
}

#[tokio::test]
async fn a_dropped_call_and_a_closed_runtime_take_their_requests_back() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("t.db").display());
    let (rt, _) = open(json!({ "store": url })).await;
    let call = start(&rt, json!({ "to": "here" }));
    let dropped = pending(&rt, 1).await.remove(0);
    call.abort();
    eventually(async || state(&rt, &dropped["id"]).await == "cancelled").await;
    let call = start(&rt, json!({ "to": "here" }));
    let closed = pending(&rt, 1).await.remove(0);
    rt.close().await.unwrap();
    assert_eq!(call.await.unwrap().unwrap_err().code(), Code::Closed);
    let (rt, _) = open(json!({ "store": url })).await;
    assert_eq!(state(&rt, &closed["id"]).await, "cancelled");
}

#[tokio::test]
async fn each_call_of_a_batch_has_a_decision_of_its_own() {
    let (rt, deploy) = open(json!({})).await;
    let requests: Vec<CallRequest> = ["1", "2", "3"]
        .map(|id| CallRequest {
            id: id.into(),
            name: "deploy".into(),
            arguments: json!({ "to": "here" }),
        })
        .to_vec();
    let batch = {
        let rt = rt.clone();
        tokio::spawn(async move { rt.call_all(&cx(), requests).await })
    };
    // They may change anything, and so come one after the other.
    for (n, decision) in ["allow", "deny", "allow"].into_iter().enumerate() {
        let asked = pending(&rt, 1).await.remove(0);
        assert_eq!(deploy.ran(), n.min(1), "{asked}");
        decide(&rt, &asked["id"], json!({ "decision": decision })).await;
        eventually(async || {
            let left = list(&rt, "pending").await;
            left.is_empty() || left[0]["id"] != asked["id"]
        })
        .await;
    }
    let codes: Vec<_> = batch.await.unwrap().unwrap().into_iter().map(|a| a.result.code).collect();
    assert_eq!(codes, [None, Some(Code::ApprovalDenied), None]);
    assert_eq!(deploy.ran(), 2);
}

#[tokio::test]
async fn a_tool_may_want_approval_for_some_calls_only() {
    let (rt, _) = open(json!({ "approval": { "mode": "return" } })).await;
    let small = rt.call(&cx(), "pay", json!({ "amount": 5 })).await.unwrap();
    assert_eq!((small.code, small.approval), (None, None));
    let large = rt.call(&cx(), "pay", json!({ "amount": 500 })).await.unwrap();
    assert_eq!(large.code, Some(Code::ApprovalPending));
    let asked = pending(&rt, 1).await.remove(0);
    assert_eq!(asked["request"]["reasons"][0]["why"], "It is more than 100.");
}

#[tokio::test]
async fn where_nobody_can_be_asked_the_call_is_denied_at_once() {
    let (rt, deploy) = open(json!({ "approval": { "external": false } })).await;
    let result = rt.call(&cx(), "deploy", json!({ "to": "here" })).await.unwrap();
    assert_eq!(result.code, Some(Code::ApprovalDenied));
    assert_eq!(result.rule.as_deref(), Some("approval.external = false"));
    assert_eq!((deploy.ran(), result.approval), (0, None));
    let all = rt.invoke("approvals.list", json!({})).await.unwrap();
    assert_eq!(all, json!([]));
}

#[tokio::test]
async fn where_only_the_handler_decides_nobody_else_allows_a_call() {
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", folder.path().join("x.db").display());
    let alone = json!({ "store": store, "approval": { "external": false } });
    let (rt, deploy) = handled(alone, |_, _| std::future::pending()).await;
    let call = start(&rt, json!({ "to": "here" }));
    let asked = pending(&rt, 1).await.remove(0);
    let word = json!({ "id": asked["id"], "decision": "allow", "by": "maria" });
    let error = rt.invoke("approvals.decide", word.clone()).await.unwrap_err();
    assert_eq!(error.code(), Code::Conflict);
    assert!(error.message().contains("approval.external"), "{error}");
    assert_eq!(state(&rt, &asked["id"]).await, "pending");
    // A process that is configured otherwise may say what it likes.
    let other = Runtime::builder().store_url(&store).build().await.unwrap();
    other.invoke("approvals.decide", word).await.unwrap();
    assert_eq!(call.await.unwrap().unwrap().code, Some(Code::ApprovalDenied));
    eventually(async || state(&rt, &asked["id"]).await == "cancelled").await;
    assert_eq!(deploy.ran(), 0);
}

#[tokio::test]
async fn edited_arguments_that_do_not_fit_are_the_persons_to_correct() {
    let (rt, deploy) = open(json!({})).await;
    let call = start(&rt, json!({ "to": "here" }));
    let asked = pending(&rt, 1).await.remove(0);
    let bad = json!({
        "id": asked["id"], "decision": "allow", "by": "maria", "edited": { "too": "there" }
    });
    let error = rt.invoke("approvals.decide", bad).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert!(error.message().contains("`too`"), "{error}");
    decide(&rt, &asked["id"], json!({ "edited": { "to": "there" } })).await;
    assert_eq!(call.await.unwrap().unwrap().code, None);
    assert_eq!(deploy.ran(), 1);
}

#[tokio::test]
async fn edited_arguments_are_what_runs_and_secrets_left_alone_stay() {
    let (rt, deploy) = open(json!({})).await;
    let call = start(&rt, json!({ "to": "here", "key": SECRET }));
    let asked = pending(&rt, 1).await.remove(0);
    let mut edited = asked["request"]["arguments"].clone();
    edited["to"] = json!("there");
    decide(&rt, &asked["id"], json!({ "edited": edited })).await;
    let result = call.await.unwrap().unwrap();
    assert!(!result.is_error, "{}", result.for_llm);
    let (notice, ran) = result.for_llm.split_once("\n\n").unwrap();
    assert!(notice.contains("changed its arguments (`to`)"), "{notice}");
    assert!(ran.contains("\"to\":\"there\""), "{ran}");
    // The tool got the secret, and only its masked form comes out.
    assert!(!ran.contains(SECRET), "{ran}");
    assert_eq!(deploy.ran(), 1);
    let audit = rt.invoke("audit.query", json!({})).await.unwrap();
    assert!(audit[0]["arguments"].as_str().unwrap().contains("there"), "{audit}");
}

#[tokio::test]
async fn edited_arguments_are_judged() {
    let cases = [
        (json!({ "to": "forbidden" }), Code::DeniedByTool, "changed its arguments"),
        (json!({ "to": {} }), Code::ApprovalDenied, "could not be applied"),
        (json!({}), Code::ApprovalDenied, "could not be applied"),
    ];
    for (edited, code, expected) in cases {
        let (rt, deploy) = handled(json!({}), move |_, _| {
            let edited: Map<_, _> = edited.as_object().unwrap().clone();
            async { Ok(Some(ApprovalAnswer::allow().edited(edited))) }
        })
        .await;
        let result = rt.call(&cx(), "deploy", json!({ "to": "here" })).await.unwrap();
        assert_eq!(result.code, Some(code), "{}", result.for_llm);
        assert!(result.for_llm.contains(expected), "{}", result.for_llm);
        assert_eq!(deploy.ran(), 0);
    }
}

#[tokio::test]
async fn an_edit_that_does_not_fit_is_the_hosts_mistake_and_uses_no_approval() {
    let (rt, _) = handled(json!({}), |_, _| {
        let edited: Map<_, _> = [("to".into(), json!(["nowhere"]))].into_iter().collect();
        async { Ok(Some(ApprovalAnswer::allow().edited(edited))) }
    })
    .await;
    let result = rt.call(&cx(), "deploy", json!({ "to": "here" })).await.unwrap();
    assert!(result.for_llm.contains("It has not run"), "{}", result.for_llm);
    let rows = rt.invoke("approvals.list", json!({})).await.unwrap();
    assert_eq!(rows[0]["state"], "denied");
    let reason = rows[0]["reason"].as_str().unwrap();
    assert!(reason.starts_with("the edited arguments do not fit: "), "{reason}");
    assert!(reason.contains("`to`"), "{reason}");
}

#[tokio::test]
async fn a_tool_that_is_replaced_or_hidden_meanwhile_does_not_run() {
    let (rt, deploy) = open(json!({})).await;
    let call = start(&rt, json!({ "to": "here" }));
    let asked = pending(&rt, 1).await.remove(0);
    rt.invoke("agents.put", json!({ "id": "a", "deny": ["deploy"] })).await.unwrap();
    decide(&rt, &asked["id"], json!({})).await;
    assert_eq!(call.await.unwrap().unwrap().code, Some(Code::DeniedByPolicy));
    rt.invoke("agents.put", json!({ "id": "a" })).await.unwrap();
    let call = start(&rt, json!({ "to": "here" }));
    let asked = pending(&rt, 1).await.remove(0);
    rt.registry().unregister("deploy").unwrap();
    let mut other = ToolSpec::new("deploy", "Deletes.");
    other.needs_approval = true;
    rt.register(Other(other)).unwrap();
    decide(&rt, &asked["id"], json!({})).await;
    let result = call.await.unwrap().unwrap();
    assert_eq!(result.code, Some(Code::ApprovalDenied));
    assert!(result.for_llm.contains("has changed since"), "{}", result.for_llm);
    assert_eq!(deploy.ran(), 0);
}

struct Other(ToolSpec);

impl Tool for Other {
    fn spec(&self) -> ToolSpec {
        self.0.clone()
    }

    fn call(&self, _: Value, _: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
        async { Ok(ToolResult::text("it ran")) }.boxed()
    }
}

#[tokio::test]
async fn another_process_may_decide() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("t.db").display());
    let (here, deploy) = open(json!({ "store": url })).await;
    let there = builder(json!({ "store": url })).build().await.unwrap();
    let call = start(&here, json!({ "to": "here" }));
    let asked = pending(&there, 1).await.remove(0);
    decide(&there, &asked["id"], json!({})).await;
    assert_eq!(call.await.unwrap().unwrap().code, None);
    assert_eq!(deploy.ran(), 1);
}
