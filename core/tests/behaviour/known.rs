//! Secrets that somebody registered: in whose texts they are masked.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use toolkeep::kind::Capability;
use toolkeep::scrub::Values;
use toolkeep::{CallContext, Code, Config, Runtime, Tool, ToolError, ToolResult, ToolSpec};

const VALUE: &str = "Zk81-quiet-Harbour-4471";

/// Says what it is given, after it has registered what `secret` names.
struct Says;

impl Tool for Says {
    fn spec(&self) -> ToolSpec {
        let schema = json!({
            "type": "object",
            "properties": { "text": { "type": "string" }, "secret": { "type": "string" } },
        });
        let spec = ToolSpec::new("says", "Says it.").capability(Capability::ReadOnly);
        ToolSpec { parameters: schema, ..spec }
    }

    fn call(&self, args: Value, cx: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
        async move {
            if let Some(secret) = args["secret"].as_str() {
                let secret: String = secret.chars().rev().collect();
                cx.register_secret(&secret, Some("fetched")).map_err(ToolError::raise)?;
            }
            Ok(ToolResult::text(args["text"].as_str().unwrap_or_default()))
        }
        .boxed()
    }
}

async fn house(config: Value) -> Runtime {
    let config = Config::from_value(config).unwrap();
    Runtime::builder().config(config).tool(Says).build().await.unwrap()
}

async fn said(rt: &Runtime, cx: CallContext, args: Value) -> String {
    rt.call(&cx, "says", args).await.unwrap().for_llm
}

#[tokio::test]
async fn a_value_is_masked_in_the_results_and_rows_of_its_tenant() {
    let rt = house(json!({})).await;
    let of = |tenant: &str| CallContext::new().tenant(tenant);
    rt.register_secret(Some("a"), VALUE, Some("door-code")).unwrap();
    let args = json!({ "text": format!("it is {VALUE}") });
    assert!(said(&rt, of("a"), args.clone()).await.starts_with("it is [REDACTED:door-code:"));
    assert_eq!(said(&rt, of("b"), args.clone()).await, format!("it is {VALUE}"));
    let rows = |tenant: &str| rt.invoke("audit.query", json!({ "tenant": tenant }));
    assert!(!rows("a").await.unwrap().to_string().contains("Harbour"));
    assert!(rows("b").await.unwrap().to_string().contains("Harbour"));
    assert!(rt.forget_secret(Some("a"), VALUE));
    assert_eq!(said(&rt, of("a"), args).await, format!("it is {VALUE}"));
    rt.close().await.unwrap();
}

#[tokio::test]
async fn a_value_of_the_runtime_is_masked_for_all_and_in_every_profile() {
    for (profile, want) in [("precise", "[REDACTED:secret:"), ("seed", "[REDACTED]")] {
        let rt = house(json!({ "scrub": { "profile": profile } })).await;
        rt.register_secret(None, VALUE, None).unwrap();
        let text = said(&rt, CallContext::new().tenant("b"), json!({ "text": VALUE })).await;
        assert!(text.starts_with(want), "{text}");
        assert!(rt.scrub(VALUE).starts_with(want));
        assert!(rt.scrub_for("c", VALUE).starts_with(want));
        rt.close().await.unwrap();
    }
}

#[tokio::test]
async fn a_value_of_one_call_is_masked_in_that_call_alone() {
    let rt = house(json!({})).await;
    let reversed: String = VALUE.chars().rev().collect();
    let args = json!({ "text": VALUE, "secret": reversed });
    let masked = said(&rt, CallContext::new(), args).await;
    assert!(masked.starts_with("[REDACTED:fetched:"), "{masked}");
    let rows = rt.invoke("audit.query", json!({})).await.unwrap().to_string();
    assert!(!rows.contains("Harbour"), "{rows}");
    assert_eq!(said(&rt, CallContext::new(), json!({ "text": VALUE })).await, VALUE);

    let values = Arc::new(Values::new());
    values.add(VALUE, Some("visitor-key")).unwrap();
    let cx = CallContext::new().with_secrets(values);
    let masked = said(&rt, cx.clone(), json!({ "text": VALUE })).await;
    assert!(masked.starts_with("[REDACTED:visitor-key:"), "{masked}");
    let error = cx.register_secret(VALUE, None).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    rt.close().await.unwrap();
}

#[tokio::test]
async fn a_stored_credential_is_masked_until_it_is_deleted() {
    let key = toolkeep::secret::generate_key().unwrap();
    let builder = Runtime::builder().tool(Says).key(move || Ok(key));
    let rt = builder.build().await.unwrap();
    let put = json!({ "name": "gh", "env": { "GH_TOKEN": VALUE } });
    rt.invoke("credentials.put", put).await.unwrap();
    let text = said(&rt, CallContext::new(), json!({ "text": VALUE })).await;
    assert!(text.starts_with("[REDACTED:gh-token:"), "{text}");
    rt.invoke("credentials.check", json!({ "name": "gh" })).await.unwrap();
    rt.invoke("credentials.delete", json!({ "name": "gh" })).await.unwrap();
    assert_eq!(said(&rt, CallContext::new(), json!({ "text": VALUE })).await, VALUE);
    rt.close().await.unwrap();
}

#[tokio::test]
async fn a_value_that_cannot_be_guarded_is_warned_about_and_a_wrong_one_refused() {
    let rt = house(json!({})).await;
    let code = |value: &str| rt.register_secret(None, value, None).unwrap().warning.unwrap().code();
    assert_eq!(code("ab"), "value_too_short");
    assert_eq!(code("x7k2"), "value_short");
    assert_eq!(code("localhost"), "value_common");
    let refused = rt.register_secret(None, VALUE, Some("Not A Kind")).unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    let refused = rt.register_secret(Some(""), VALUE, None).unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    rt.close().await.unwrap();
}

#[tokio::test]
async fn the_addresses_of_the_machine_are_masked_where_that_is_wanted() {
    let wanted = house(json!({ "scrub": { "server_addresses": true } })).await;
    let not = house(json!({})).await;
    let text = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = text.trim();
    if name.len() >= 8 && name != "localhost" {
        assert_eq!(wanted.scrub(&format!("on {name}: up")), "on [SERVER_IP]: up");
    }
    assert_eq!(not.scrub(&format!("on {name}: up")), format!("on {name}: up"));
    assert_eq!(wanted.scrub("127.0.0.1"), "127.0.0.1");
    wanted.close().await.unwrap();
    not.close().await.unwrap();
}
