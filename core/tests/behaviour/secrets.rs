//! Secrets that try to leave by a side door.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use toolkeep::ops::QueryAudit;
use toolkeep::store::AuditRow;
use toolkeep::{CallContext, CallRequest, Code, Runtime, ToolResult};

use crate::faulty::faulty_rt;
use crate::support::{Gives, House, TOKEN};

async fn rows(rt: &Runtime) -> Vec<AuditRow> {
    let query: QueryAudit = serde_json::from_value(json!({})).unwrap();
    rt.ops().audit().query(query).await.unwrap()
}

#[tokio::test]
async fn store_errors_never_show_the_model_host_paths_or_secrets() {
    let (rt, k) = faulty_rt(json!({})).await;
    k.fail_artifact_reads.store(true, Ordering::SeqCst);
    let cx = CallContext::new();
    match rt.call(&cx, "read_file", json!({"path": "artifact:x"})).await {
        Err(e) => assert_eq!(e.code(), Code::StoreUnavailable),
        Ok(r) => {
            panic!("a store that does not answer came out as a result: {:?} {}", r.code, r.for_llm)
        }
    }
}

#[tokio::test]
async fn call_all_scrubs_errors() {
    let (rt, k) = faulty_rt(json!({})).await;
    k.fail_agents.store(true, Ordering::SeqCst);
    let cx = CallContext::new().agent("a");
    let req = CallRequest { id: "1".into(), name: "echo".into(), arguments: json!({"text":"x"}) };
    let a = rt.call_all(&cx, vec![req]).await.unwrap();
    let text = &a[0].result.for_llm;
    assert!(!text.contains("ghp_aB") && !text.contains("/home/owner"), "{text}");
}

#[tokio::test]
async fn a_result_as_data_hides_the_same_secrets_in_both_forms() {
    let v = json!({"env": "password:\n  hunter2hunter2"});
    let rt = Runtime::builder().tool(Gives(ToolResult::data(v))).build().await.unwrap();
    let r = rt.call(&CallContext::new(), "gives", json!({})).await.unwrap();
    assert!(!r.structured.unwrap().to_string().contains("hunter2"), "structured");
    assert!(!r.for_llm.contains("hunter2"), "for_llm: {}", r.for_llm);
}

#[tokio::test]
async fn arguments_in_the_ledger_are_scrubbed_as_text_is() {
    let house = House::new(json!({})).await;
    let r = house.call("echo", json!({"text": "password:\n  hunter2hunter2"})).await;
    assert!(!r.for_llm.contains("hunter2"));
    let row = &rows(&house.rt).await[0];
    assert!(!row.arguments.contains("hunter2"), "{}", row.arguments);
}

#[tokio::test]
async fn masks_that_shrink_the_excerpt_do_not_bare_its_cut_end() {
    let house = House::new(json!({})).await;
    // 20 keys of 100 characters shrink the text by 1,800; a key lies across byte 8,448.
    let many = format!("sk-{}bcd ", "aB3dE5fG7h".repeat(9) + "aB3d").repeat(20);
    let head = format!("{many}{}", "x ".repeat((8_448 - 9 - 30 - many.len()) / 2));
    let text = format!("{head}{TOKEN}");
    house.call("echo", json!({"text": text})).await;
    let row = &rows(&house.rt).await[0];
    assert!(!row.arguments.contains("ghp_aB"), "…{}", &row.arguments[row.arguments.len() - 60..]);
}

#[tokio::test]
async fn a_long_tool_name_is_scrubbed_before_it_is_cut() {
    let house = House::new(json!({})).await;
    let name = format!("{}{TOKEN}", "x ".repeat(115));
    house.rt.call(&CallContext::new(), &name, json!({})).await.unwrap();
    let row = &rows(&house.rt).await[0];
    assert!(!row.called_as.contains("ghp_aB"), "{}", row.called_as);
}

#[tokio::test]
async fn a_tools_own_artifact_field_is_not_passed_on() {
    let secret = TOKEN.to_owned();
    let g = Gives(ToolResult { artifact: Some(secret.clone()), ..ToolResult::text("x") });
    let rt = Runtime::builder().tool(g).build().await.unwrap();
    let r = rt.call(&CallContext::new(), "gives", json!({})).await.unwrap();
    assert_ne!(r.artifact.as_deref(), Some(secret.as_str()));
}

#[tokio::test]
async fn every_error_has_a_code() {
    let g = Gives(ToolResult { is_error: true, ..ToolResult::text("no luck") });
    let rt = Runtime::builder().tool(g).build().await.unwrap();
    let r = rt.call(&CallContext::new(), "gives", json!({})).await.unwrap();
    assert_eq!((r.is_error, r.code), (true, Some(Code::ToolFailed)));
}

#[tokio::test]
async fn a_name_the_model_invented_is_never_the_hosts_error() {
    let house = House::new(json!({"output": {"max_lines": 10}})).await;
    let name = format!("{}\0", "\n".repeat(40));
    let r = house.rt.call(&CallContext::new(), &name, json!({})).await;
    assert_eq!(r.map(|r| r.code).map_err(|e| e.to_string()), Ok(Some(Code::UnknownTool)));
}

#[tokio::test]
async fn a_secret_in_a_file_cannot_be_read_in_halves() {
    let house = House::new(json!({})).await;
    let secret = TOKEN;
    std::fs::write(
        house.folder.path().join("env"),
        format!("{secret}\npassword:\n  hunter2hunter2\n"),
    )
    .unwrap();
    let r = house.call("read_file", json!({"path": "env", "column": 4})).await;
    let s = house.call("read_file", json!({"path": "env", "offset": 2})).await;
    assert!(
        !r.for_llm.contains("9kL1mN3p") && !s.for_llm.contains("hunter2"),
        "{} / {}",
        r.for_llm,
        s.for_llm
    );
}

#[test]
fn empty_arrays_count() {
    let v = Value::Array(vec![json!([]); 17 << 20]);
    assert!(toolkeep::limits::check_json(&v).is_err(), "JSON text of {} MiB taken", (17 * 3));
}

#[tokio::test]
async fn the_span_holds_no_secret() {
    use tracing::{Event, Metadata, Subscriber, span};
    #[derive(Clone, Default)]
    struct Sub(Arc<std::sync::Mutex<String>>);
    struct V<'a>(&'a mut String);
    impl tracing::field::Visit for V<'_> {
        fn record_debug(&mut self, f: &tracing::field::Field, v: &dyn std::fmt::Debug) {
            self.0.push_str(&format!("{f}={v:?} "));
        }
    }
    impl Subscriber for Sub {
        fn enabled(&self, m: &Metadata<'_>) -> bool {
            m.target().starts_with("toolkeep")
        }
        fn new_span(&self, a: &span::Attributes<'_>) -> span::Id {
            a.record(&mut V(&mut self.0.lock().unwrap()));
            span::Id::from_u64(1)
        }
        fn record(&self, _: &span::Id, r: &span::Record<'_>) {
            r.record(&mut V(&mut self.0.lock().unwrap()));
        }
        fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
        fn event(&self, _: &Event<'_>) {}
        fn enter(&self, _: &span::Id) {}
        fn exit(&self, _: &span::Id) {}
    }
    let sub = Sub::default();
    let _g = tracing::subscriber::set_default(sub.clone());
    let house = House::new(json!({})).await;
    house.rt.call(&CallContext::new(), TOKEN, json!({})).await.unwrap();
    let seen = sub.0.lock().unwrap().clone();
    assert!(seen.contains("tool.name"));
    assert!(!seen.contains("ghp_aB"), "{seen}");
}

#[tokio::test]
async fn many_unknown_properties_are_answered_fast_and_short() {
    let house = House::new(json!({})).await;
    let mut m = serde_json::Map::new();
    for i in 0..200_000 {
        m.insert(format!("unknown_property_number_{i}"), json!(1));
    }
    let t = std::time::Instant::now();
    let r = house.call("echo", Value::Object(m)).await;
    assert!(
        r.artifact.is_none(),
        "{:?}, artifact of a refusal: {} characters shown",
        t.elapsed(),
        r.for_llm.len()
    );
}
