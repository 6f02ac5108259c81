//! Where the host decides itself, or together with others.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use toolkeep::{ApprovalAnswer, ApprovalRequest, Approve, CallContext, Code, Error, handler_fn};

use super::{SECRET, builder, cx, decide, handled, list, pending, start};
use crate::limits::says;

#[tokio::test]
async fn the_handler_gets_the_real_arguments_and_decides() {
    let (rt, deploy) = handled(json!({ "approval": { "external": false } }), |request, cx| {
        assert_eq!(cx.caller().user.as_deref(), Some("u"));
        let real = request.arguments["key"] == SECRET;
        async move {
            Ok(Some(match request.arguments["to"].as_str() {
                Some("here") if real => ApprovalAnswer::allow().by("bob"),
                _ => ApprovalAnswer::deny("only here"),
            }))
        }
    })
    .await;
    let yes = rt.call(&cx(), "deploy", json!({ "to": "here", "key": SECRET })).await.unwrap();
    assert_eq!(yes.code, None, "{}", yes.for_llm);
    let no = rt.call(&cx(), "deploy", json!({ "to": "there", "key": SECRET })).await.unwrap();
    assert!(no.for_llm.contains("only here"), "{}", no.for_llm);
    assert_eq!(deploy.ran(), 1);
    assert_eq!(list(&rt, "consumed").await[0]["decided_by"], "bob");
    assert_eq!(list(&rt, "denied").await[0]["decided_by"], "host");
}

#[tokio::test]
async fn a_handler_that_fails_or_panics_denies_and_only_the_host_learns_why() {
    let trouble = |request: ApprovalRequest, _: CallContext| async move {
        assert!(request.arguments["to"] != "panic", "the prompt broke");
        Err(Error::new(Code::Internal, "the prompt broke"))
    };
    let (rt, deploy) = handled(json!({}), trouble).await;
    for to in ["panic", "fail"] {
        let result = rt.call(&cx(), "deploy", json!({ "to": to })).await.unwrap();
        assert_eq!(result.code, Some(Code::ApprovalDenied));
        assert!(!result.for_llm.contains("prompt"), "{}", result.for_llm);
        let id = json!(result.approval);
        let row = rt.invoke("approvals.get", json!({ "id": id })).await.unwrap();
        assert!(row["reason"].as_str().unwrap().contains("the prompt broke"), "{row}");
    }
    assert_eq!(deploy.ran(), 0);
}

#[tokio::test]
async fn of_handler_and_others_the_first_decides() {
    let (rt, deploy) = handled(json!({}), |_, _| async {
        std::future::pending::<()>().await;
        Ok(None)
    })
    .await;
    let call = start(&rt, json!({ "to": "here" }));
    let asked = pending(&rt, 1).await.remove(0);
    decide(&rt, &asked["id"], json!({ "decision": "deny" })).await;
    assert_eq!(call.await.unwrap().unwrap().code, Some(Code::ApprovalDenied));
    let (rt, other) = handled(json!({}), |_, _| async { Ok(Some(ApprovalAnswer::allow())) }).await;
    let result = rt.call(&cx(), "deploy", json!({ "to": "here" })).await.unwrap();
    let late = json!({ "id": result.approval, "decision": "deny", "by": "maria" });
    let late = rt.invoke("approvals.decide", late).await.unwrap_err();
    assert_eq!(late.code(), Code::Conflict);
    assert_eq!((deploy.ran(), other.ran()), (0, 1));
}

#[tokio::test]
async fn a_handler_may_leave_the_decision_to_others() {
    let (rt, _) = handled(json!({}), |_, _| async { Ok(None) }).await;
    let call = start(&rt, json!({ "to": "here" }));
    let asked = pending(&rt, 1).await.remove(0);
    decide(&rt, &asked["id"], json!({})).await;
    assert_eq!(call.await.unwrap().unwrap().code, None);
    let alone = json!({ "approval": { "external": false } });
    let (rt, _) = handled(alone, |_, _| async { Ok(None) }).await;
    let result = rt.call(&cx(), "deploy", json!({ "to": "here" })).await.unwrap();
    assert_eq!(result.rule.as_deref(), Some("approval.external = false"));
    let (rt, _) =
        handled(json!({ "approval": { "mode": "return" } }), |_, _| async { Ok(None) }).await;
    let result = rt.call(&cx(), "deploy", json!({ "to": "here" })).await.unwrap();
    assert_eq!(result.code, Some(Code::ApprovalPending));
}

#[tokio::test]
async fn the_note_of_an_edit_is_not_given_to_a_later_call() {
    let spec = json!({
        "name": "look", "needs_approval": true, "capabilities": ["read-only"],
        "touches": [{ "argument": "p", "resource": "path", "effect": "read" }]
    });
    let asked = AtomicUsize::new(0);
    let approver = handler_fn(Approve, move |_, _| {
        let edited = json!({ "p": "b" }).as_object().unwrap().clone();
        let allow = ApprovalAnswer::allow();
        let first = asked.fetch_add(1, Ordering::SeqCst) == 0;
        async move { Ok(Some(if first { allow.edited(edited) } else { allow })) }
    });
    let rt = builder(json!({})).handler(approver).tool(says(spec)).build().await.unwrap();
    let look = async |path: &str| {
        rt.call(&cx().run("r"), "look", json!({ "p": path })).await.unwrap().for_llm
    };
    assert!(look("a").await.contains("changed its arguments"));
    assert!(!look("b").await.contains("changed its arguments"));
}
