//! Decisions that come from another process.

use serde_json::json;
use toolkeep::{CallContext, Code, Config, Runtime};
use toolkeep_test_postgres::Server;

use crate::approve::{Deploy, pending};

async fn open(url: &str, mode: &str) -> (Runtime, Deploy) {
    let config = json!({ "store": url, "approval": { "mode": mode } });
    let deploy = Deploy::default();
    let builder = Runtime::builder().config(Config::from_value(config).unwrap());
    (builder.tool(deploy.clone()).build().await.unwrap(), deploy)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_waiting_call_hears_of_another_process_that_decides() {
    let url = Server::shared().new_database();
    let ((here, deploy), (there, _)) = (open(&url, "wait").await, open(&url, "wait").await);
    for (decision, code) in [("allow", None), ("deny", Some(Code::ApprovalDenied))] {
        let call = tokio::spawn({
            let rt = here.clone();
            async move { rt.call(&CallContext::new(), "deploy", json!({ "to": "x" })).await }
        });
        let asked = pending(&there, 1).await.remove(0);
        let verdict = json!({ "id": asked["id"], "decision": decision, "by": "maria" });
        there.invoke("approvals.decide", verdict).await.unwrap();
        assert_eq!(call.await.unwrap().unwrap().code, code);
    }
    assert_eq!(deploy.ran(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_the_callers_of_two_processes_one_uses_an_approval() {
    let url = Server::shared().new_database();
    let processes = [open(&url, "return").await, open(&url, "return").await];
    let cx = CallContext::new();
    let args = json!({ "to": "x" });
    let first = processes[0].0.call(&cx, "deploy", args.clone()).await.unwrap();
    let verdict = json!({ "id": first.approval, "decision": "allow", "by": "maria" });
    processes[1].0.invoke("approvals.decide", verdict).await.unwrap();
    let calls: Vec<_> = (0..12)
        .map(|n| {
            let (rt, cx, args) = (processes[n % 2].0.clone(), cx.clone(), args.clone());
            tokio::spawn(async move { rt.call(&cx, "deploy", args).await })
        })
        .collect();
    for call in calls {
        let code = call.await.unwrap().unwrap().code;
        assert!(matches!(code, None | Some(Code::ApprovalPending)), "{code:?}");
    }
    assert_eq!(processes.iter().map(|(_, deploy)| deploy.ran()).sum::<usize>(), 1);
}
