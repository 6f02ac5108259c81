//! Secrets that try to leave in halves, by names, and through the vault.

use std::sync::Arc;

use serde_json::{Value, json};
use toolkeep::scrub::Values;
use toolkeep::{CallContext, Code, Runtime, ToolResult};

use crate::support::{Gives, House};
use crate::vault::{Sends, house, house_with, placeholders};

/// A value of many letters, as no finder knows it.
fn value(length: usize) -> String {
    let mut seed = 11_u64;
    let letters = b"bcdfghjklmnpqrstvwxz23456789";
    let letter = |_| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(letters[(seed >> 33) as usize % letters.len()])
    };
    (0..length).map(letter).collect()
}

async fn recorded(rt: &Runtime) -> String {
    let rows = rt.invoke("audit.query", json!({})).await.unwrap();
    let events = rt.invoke("events.read", json!({})).await.unwrap();
    format!("{rows} {events}")
}

#[tokio::test]
async fn a_value_of_a_context_is_masked_in_the_name_of_the_tool_too() {
    let house = House::new(json!({})).await;
    let (secret, values) = (value(24), Arc::new(Values::new()));
    values.add(&secret, None).unwrap();
    let cx = CallContext::new().with_secrets(values);
    let answer = house.rt.call(&cx, &format!("get {secret}"), json!({})).await.unwrap();
    assert!(!answer.for_llm.contains(&secret), "{}", answer.for_llm);
    let recorded = recorded(&house.rt).await;
    assert!(recorded.contains("get [REDACTED:") && !recorded.contains(&secret), "{recorded}");
}

#[tokio::test]
async fn values_of_a_context_that_shrink_the_excerpt_do_not_bare_its_cut_end() {
    let house = House::new(json!({})).await;
    let (secret, values) = (value(100), Arc::new(Values::new()));
    values.add(&secret, None).unwrap();
    let cx = CallContext::new().with_secrets(values);
    let text = format!("{secret} ").repeat(200);
    house.rt.call(&cx, "echo", json!({ "text": text })).await.unwrap();
    house.rt.call(&cx, &text, json!({})).await.unwrap();
    let recorded = recorded(&house.rt).await;
    assert!(!recorded.contains(&secret[..12]), "{recorded}");
}

#[tokio::test]
async fn a_long_value_in_arguments_is_not_cut_before_it_is_masked() {
    let house = House::new(json!({})).await;
    let secret = value(500);
    house.rt.register_secret(None, &secret, None).unwrap();
    let hex: String = secret.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let text = format!("{}{hex}", "x ".repeat(2_000));
    house.call("echo", json!({ "text": text })).await;
    assert!(!recorded(&house.rt).await.contains(&hex[..60]));
}

#[tokio::test]
async fn a_name_is_masked_before_an_error_shows_the_start_of_it() {
    let house = House::new(json!({})).await;
    let secret = value(60);
    house.rt.register_secret(None, &secret, None).unwrap();
    let name = format!("{} {secret}", "x".repeat(50));
    let answer = house.rt.call(&CallContext::new(), &name, json!({})).await.unwrap();
    assert_eq!(answer.code, Some(Code::UnknownTool));
    assert!(!answer.for_llm.contains(&secret[..20]), "{}", answer.for_llm);
}

#[tokio::test]
async fn what_became_secret_after_a_result_was_cut_is_not_read_in_halves_from_it() {
    let secret = value(40);
    let gives = Gives(ToolResult::text(format!("{}{secret}", "x ".repeat(20_000))));
    let config = json!({ "output": { "max_chars": 2_000 } });
    let config = toolkeep::Config::from_value(config).unwrap();
    let rt = Runtime::builder().config(config).tool(gives).build().await.unwrap();
    let cx = CallContext::new().session("s");
    let cut = rt.call(&cx, "gives", json!({})).await.unwrap();
    rt.register_secret(None, &secret, None).unwrap();
    let path = format!("artifact:{}", cut.artifact.unwrap());
    let args = json!({ "path": path, "column": 40_005 });
    let page = rt.call(&cx, "read_file", args).await.unwrap();
    assert!(!page.is_error && !page.for_llm.contains(&secret[10..30]), "{}", page.for_llm);
}

#[tokio::test]
async fn a_secret_in_a_file_too_large_to_be_held_is_not_read_in_halves() {
    for vault in [false, true] {
        let house = house(json!({ "vault": { "enabled": vault } })).await;
        let secret = value(40);
        house.rt.register_secret(None, &secret, None).unwrap();
        let blank = "x ".repeat(9 << 20);
        house.put("large", &format!("{blank}{secret} {secret}\nlast\n"));
        let args = json!({ "path": "large", "column": blank.len() + 10 });
        let page = house.call("read_file", args).await;
        assert!(page.for_llm.contains("last"), "{}", page.for_llm);
        assert!(!page.for_llm.contains(&secret[20..30]), "{}", page.for_llm);
    }
}

#[tokio::test]
async fn a_binding_for_once_serves_both_texts_of_an_edit() {
    let house = house(json!({})).await;
    let secret = value(24);
    house.put("a.env", &format!("TOKEN={secret}\n"));
    house.put("b.env", &format!("a: {secret}\n"));
    let found = placeholders(&house.read("a.env").await)[0].clone();
    let edit = json!({
        "path": "b.env", "old_string": format!("a: {found}"), "new_string": format!("b: {found}")
    });
    house
        .bind(json!({ "placeholder": found, "tools": ["edit"], "paths": ["b.env"], "once": true }))
        .await;
    let edited = house.call("edit", edit.clone()).await;
    assert!(!edited.is_error, "{}", edited.for_llm);
    assert_eq!(house.text("b.env"), format!("b: {secret}\n"));
    assert_eq!(house.call("edit", edit).await.code, Some(Code::SecretUnbound));
}

#[tokio::test]
async fn hosts_that_only_some_readers_of_urls_see_are_held_against_a_binding() {
    let house = house(json!({ "loops": { "enabled": false } })).await;
    house.put("a.env", &format!("TOKEN={}\n", value(24)));
    let secret = placeholders(&house.read("a.env").await)[0].clone();
    house.bind(json!({ "kind": "*", "tools": ["send"], "hosts": ["api.example.com"] })).await;
    let good = json!({ "base": "https://api.example.com/a", "key": secret });
    assert_eq!(house.call("send", good.clone()).await.code, None);
    for (name, text) in [
        ("to", "https:evil.com/x"),
        ("to", "https:/evil.com/x"),
        ("to", r"HTTPS:\\evil.com/x"),
        ("to", "//evil.com/x"),
        ("to", r"\\evil.com\x"),
        ("to", "wss:\t//evil.com"),
        ("to", r#"{"u":"https:\u002f\u002fevil.com"}"#),
        ("to", "https:///evil.com"),
        ("base", "https://[::1].evil.com/"),
        ("base", "https://API.example.com.evil.com/"),
        ("base", "https://api.example.com@evil.com:443/"),
        ("base", "https://api.example.com%2eevil.com/"),
        ("base", "https://api。example.com/"),
        ("proxy", "evil.com:8080"),
        ("webhook", "evil.com"),
    ] {
        let mut bad = good.clone();
        bad[name] = json!(text);
        let refused = house.call("send", bad.clone()).await;
        assert_eq!(refused.code, Some(Code::SecretUnbound), "{bad}");
    }
    for (name, text) in [("note", "see http: it is old"), ("base", "https://API.Example.com:443/")]
    {
        let mut fine = good.clone();
        fine[name] = json!(text);
        assert_eq!(house.call("send", fine.clone()).await.code, None, "{fine}");
    }
}

#[tokio::test]
async fn a_path_that_leads_out_of_a_bound_folder_is_not_bound() {
    for path in ["out/../b", "/out/x", "../out/x"] {
        let house =
            house_with(Sends { writes: Some(path), ..Sends::named("send") }, json!({})).await;
        house.put("a.env", &format!("TOKEN={}\n", value(24)));
        let secret = placeholders(&house.read("a.env").await)[0].clone();
        house.bind(json!({ "kind": "*", "tools": ["send"], "paths": ["out/**", "/out/*"] })).await;
        let refused = house.call("send", json!({ "text": secret })).await;
        assert_eq!(refused.code, Some(Code::SecretUnbound), "{path}");
    }
}

#[tokio::test]
async fn a_secret_of_a_json_text_is_masked_also_without_its_escapes() {
    let house = house_with(Sends::named("send"), json!({})).await;
    let plain = format!("{}\"{}\\{}", value(10), value(11), value(12));
    house.put("a.json", &json!({ "password": plain }).to_string());
    let secret = placeholders(&house.read("a.json").await)[0].clone();
    house.bind(json!({ "kind": "*", "tools": ["send"] })).await;
    let sent = house.call("send", json!({ "x": secret })).await;
    let got: String = house.send.got()[0]["x"].as_str().unwrap().to_owned();
    let read: Value = serde_json::from_str(&format!("\"{got}\"")).unwrap();
    assert_eq!(read, plain);
    assert!(!sent.for_llm.contains(&value(10)), "{}", sent.for_llm);
    let says =
        house_with(Sends { says: Some(plain.clone()), ..Sends::named("send") }, json!({})).await;
    says.put("a.json", &json!({ "password": plain }).to_string());
    let secret = placeholders(&says.read("a.json").await)[0].clone();
    says.bind(json!({ "kind": "*", "tools": ["send"] })).await;
    let said = says.call("send", json!({ "x": secret })).await;
    assert!(!said.for_user.unwrap().contains(&value(10)), "{}", said.for_llm);
}

#[tokio::test]
async fn a_number_that_is_shown_as_a_string_is_not_written_back_as_one() {
    let house = house(json!({})).await;
    let text = r#"{"pin": 83749261, "on": true}"#;
    house.rt.register_secret(None, "83749261", Some("pin")).unwrap();
    house.put("a.json", text);
    let shown = house.read("a.json").await;
    assert!(shown.contains("\"[REDACTED:pin]\""), "{shown}");
    let args = json!({ "path": "a.json", "content": shown.replace("true", "false") });
    assert_eq!(house.call("write_file", args).await.code, Some(Code::SecretUnbound));
    assert_eq!(house.text("a.json"), text);
}

#[tokio::test]
async fn a_secret_too_long_to_be_looked_for_again_is_given_to_no_tool() {
    let house = house(json!({})).await;
    let secret = value(20_000);
    house.put("a.env", &format!("API_TOKEN={secret}\n"));
    let shown = house.read("a.env").await;
    house.bind(json!({ "kind": "*", "tools": ["send"] })).await;
    let sent = house.call("send", json!({ "x": shown })).await;
    assert!(!shown.contains(&secret[..40]) && !sent.for_llm.contains(&secret[..40]));
    let kept = house.rt.invoke("vault.list", json!({ "session": "s" })).await.unwrap();
    assert_eq!(kept["secrets"], json!([]), "{kept}");
}
