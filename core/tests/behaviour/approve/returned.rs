//! Calls that come back without an answer and are made again with it.

use serde_json::json;
use toolkeep::{CallRequest, Code, Runtime, ToolResult};

use super::{cx, decide, open, start};

#[tokio::test]
async fn a_returned_call_uses_the_decision_later_and_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("t.db").display());
    let config = json!({ "store": url, "approval": { "mode": "return" } });
    let (rt, _) = open(config.clone()).await;
    let call = async |rt: &Runtime| {
        rt.call(&cx(), "deploy", json!({ "to": "here", "key": "k" })).await.unwrap()
    };
    let first = call(&rt).await;
    assert_eq!(first.code, Some(Code::ApprovalPending));
    assert_eq!(call(&rt).await.approval, first.approval);
    rt.close().await.unwrap();
    let (rt, deploy) = open(config).await;
    decide(&rt, &json!(first.approval), json!({})).await;
    // Another call has not been allowed, and another caller neither.
    let other = rt.call(&cx(), "deploy", json!({ "to": "there" })).await.unwrap();
    assert_eq!(other.code, Some(Code::ApprovalPending));
    let same = json!({ "key": "k", "to": "here" });
    let user = rt.call(&cx().user("other"), "deploy", same.clone()).await.unwrap();
    assert_eq!(user.code, Some(Code::ApprovalPending));
    assert_eq!(deploy.ran(), 0);
    // The order of the keys is no difference, and neither is the session.
    let used = rt.call(&cx().session("later"), "deploy", same).await.unwrap();
    assert_eq!((used.code, used.approval), (None, first.approval.clone()));
    let again = call(&rt).await;
    assert_eq!(again.code, Some(Code::ApprovalPending));
    assert_ne!(again.approval, first.approval);
    assert_eq!(deploy.ran(), 1);
}

#[tokio::test]
async fn a_denial_is_reported_once_to_a_returned_call() {
    let (rt, deploy) = open(json!({ "approval": { "mode": "return" } })).await;
    let call = async || rt.call(&cx(), "deploy", json!({ "to": "here" })).await.unwrap();
    let first = call().await;
    let no = json!({ "decision": "deny", "reason": "not now" });
    decide(&rt, &json!(first.approval), no).await;
    let answer = call().await;
    assert_eq!((answer.code, &answer.approval), (Some(Code::ApprovalDenied), &first.approval));
    assert!(answer.for_llm.contains("not now"), "{}", answer.for_llm);
    let anew = call().await;
    assert_eq!(anew.code, Some(Code::ApprovalPending));
    assert_ne!(anew.approval, first.approval);
    assert_eq!(deploy.ran(), 0);
}

#[tokio::test]
async fn identical_calls_of_one_turn_never_share_an_approval() {
    let (rt, deploy) = open(json!({ "approval": { "mode": "return" } })).await;
    let turn = async || {
        let requests = ["1", "2"].map(|id| CallRequest {
            id: id.into(),
            name: "deploy".into(),
            arguments: json!({ "to": "here" }),
        });
        let answers = rt.call_all(&cx(), requests.to_vec()).await.unwrap();
        answers.into_iter().map(|answer| answer.result).collect::<Vec<_>>()
    };
    let first = turn().await;
    assert_ne!(first[0].approval, first[1].approval);
    let again = turn().await;
    let ids = |turn: &[ToolResult]| turn.iter().map(|r| r.approval.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&again), ids(&first));
    decide(&rt, &json!(first[1].approval), json!({})).await;
    decide(&rt, &json!(first[0].approval), json!({ "decision": "deny" })).await;
    let mut codes: Vec<_> = turn().await.into_iter().map(|result| result.code).collect();
    codes.sort_by_key(Option::is_some);
    assert_eq!(codes, [None, Some(Code::ApprovalDenied)]);
    assert_eq!(deploy.ran(), 1);
}

#[tokio::test]
async fn of_many_callers_one_uses_an_approval() {
    let (rt, deploy) = open(json!({ "approval": { "mode": "return" } })).await;
    let first = rt.call(&cx(), "deploy", json!({ "to": "here" })).await.unwrap();
    decide(&rt, &json!(first.approval), json!({})).await;
    let calls: Vec<_> = (0..16).map(|_| start(&rt, json!({ "to": "here" }))).collect();
    let mut ran = 0;
    for call in calls {
        let result = call.await.unwrap().unwrap();
        match result.code {
            None => ran += 1,
            code => assert_eq!(code, Some(Code::ApprovalPending), "{}", result.for_llm),
        }
    }
    assert_eq!((ran, deploy.ran()), (1, 1));
}
