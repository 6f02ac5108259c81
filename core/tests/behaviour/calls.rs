//! What calls answer.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolkeep::{CallContext, CallRequest, Caller, Code, Dialect, Runtime, ToolResult, tool_fn};

use crate::support::{Hangs, House, echo, eventually};

#[tokio::test]
async fn a_call_answers_with_what_the_tool_gave() {
    let house = House::new(json!({})).await;
    let result = house.call("echo", json!({ "text": "hello" })).await;
    assert_eq!(result.for_llm, "hello");
    assert_eq!(result.for_user.as_deref(), Some("hello"));
    assert!(!result.is_error);
    assert_eq!(result.call_id.len(), 32);
}

#[tokio::test]
async fn arguments_may_be_text_as_the_model_wrote_it() {
    let house = House::new(json!({})).await;
    let cx = CallContext::new();
    let result = house.rt.call(&cx, "echo", r#"{"text":"hi"}"#).await.unwrap();
    assert_eq!(result.for_llm, "hi");
    for broken in
        [r#"{"text":"#, "[1]", "\"x\"", &format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000))]
    {
        let result = house.rt.call(&cx, "echo", broken).await.unwrap();
        assert_eq!(result.code, Some(Code::InvalidArguments), "{}", result.for_llm);
    }
    let empty = house.rt.call(&cx, "echo", "").await.unwrap();
    assert!(empty.for_llm.contains("arrived empty") && empty.for_llm.contains("text"));
}

#[tokio::test]
async fn an_argument_that_was_sent_twice_is_named_and_not_guessed() {
    let house = House::new(json!({})).await;
    let cx = CallContext::new();
    for text in [
        r#"{"text":"a","text":"b"}"#,
        "```json\n{\"text\":\"a\",\"text\":\"b\"}\n```",
        r#""{\"text\":\"a\",\"text\":\"b\"}""#,
    ] {
        let result = house.rt.call(&cx, "echo", text).await.unwrap();
        assert_eq!(result.code, Some(Code::InvalidArguments), "{}", result.for_llm);
        assert!(result.for_llm.contains("`text` is there twice"), "{}", result.for_llm);
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Count {
    n: u64,
}

#[tokio::test]
async fn a_whole_number_that_was_not_kept_exactly_is_refused() {
    let house = House::new(json!({})).await;
    let count = |args: Count, _| async move { Ok(ToolResult::text(args.n.to_string())) };
    house.rt.register(tool_fn("counter", count)).unwrap();
    let cx = CallContext::new();
    for text in ["123456789012345678901234567890", "1e30", "9007199254740993.0"] {
        let args = format!(r#"{{"n":{text}}}"#);
        let result = house.rt.call(&cx, "counter", args).await.unwrap();
        assert_eq!(result.code, Some(Code::InvalidArguments), "{}", result.for_llm);
        assert!(result.for_llm.contains("`n`: the whole number is too large"), "{text}");
    }
    let largest = u64::MAX.to_string();
    for (text, kept) in [(largest.as_str(), largest.as_str()), ("1e3", "1000")] {
        let args = format!(r#"{{"n":{text}}}"#);
        assert_eq!(house.rt.call(&cx, "counter", args).await.unwrap().for_llm, kept);
    }
}

#[tokio::test]
async fn huge_and_deep_arguments_are_the_models_mistake() {
    let house = House::new(json!({})).await;
    let huge = house.call("echo", json!({ "text": "x".repeat(64 << 20) })).await;
    assert_eq!(huge.code, Some(Code::InvalidArguments));
    assert!(huge.for_llm.contains("32 MiB"), "{}", huge.for_llm);
    let mut deep = json!("x");
    for _ in 0..300 {
        deep = json!([deep]);
    }
    let deep = house.call("echo", json!({ "text": deep })).await;
    assert_eq!(deep.code, Some(Code::InvalidArguments));
    assert!(deep.for_llm.contains("128"), "{}", deep.for_llm);
}

#[tokio::test]
async fn an_unknown_tool_names_the_nearest() {
    let house = House::new(json!({})).await;
    let result = house.call("raed_file", json!({})).await;
    assert_eq!(result.code, Some(Code::UnknownTool));
    assert!(result.for_llm.contains("`raed_file`") && result.for_llm.contains("`read_file`"));
    let (long, endless) = ("x".repeat(10_000), "x".repeat(100_000));
    let strange =
        [("", "``"), ("a\0b", "b`"), (&long, "xxx"), (&endless, "whose name has 100000 bytes")];
    for (name, shown) in strange {
        let result = house.call(name, json!({})).await;
        assert_eq!(result.code, Some(Code::UnknownTool));
        assert!(result.for_llm.len() < 1_000);
        assert!(result.for_llm.contains(shown), "{}", result.for_llm);
    }
}

#[tokio::test]
async fn explain_says_so_where_a_known_tool_is_not_registered() {
    let house = House::new(json!({})).await;
    let explained = async |name| house.rt.explain(&CallContext::new(), name).await.unwrap_err();
    let known = explained("web_search").await;
    assert_eq!(known.code(), Code::NotFound);
    assert!(known.message().contains("no tool is registered under that name"), "{known}");
    let unknown = explained("frobnicate").await;
    assert!(unknown.message().contains("no tool named `frobnicate`"), "{unknown}");
}

#[tokio::test]
async fn a_denied_tool_is_hidden_and_refused_all_the_same() {
    let house = House::new(json!({ "policy": { "deny": ["write_file"] } })).await;
    let result = house.call("write_file", json!({ "path": "x", "content": "y" })).await;
    assert_eq!(result.code, Some(Code::DeniedByPolicy));
    assert_eq!(result.rule.as_deref(), Some("policy.deny[0] = \"write_file\""));
    let cx = CallContext::new();
    let offered = house.rt.definitions(&cx, Dialect::Anthropic).await.unwrap();
    assert!(offered.tools.iter().all(|tool| tool["name"] != "write_file"));
    let why = house.rt.explain(&cx, "write_file").await.unwrap();
    assert!(!why.allowed && why.code == Some(Code::DeniedByPolicy));
    assert!(house.rt.explain(&cx, "read_file").await.unwrap().allowed);
}

#[tokio::test]
async fn panics_are_contained_wherever_they_happen() {
    let house = House::new(json!({})).await;
    for args in [json!({}), json!({ "early": 1 }), json!({ "assess": 1 })] {
        let result = house.call("panics", args).await;
        assert_eq!(result.code, Some(Code::ToolPanicked));
        assert!(result.for_llm.contains("`panics` panicked"), "{}", result.for_llm);
        assert!(!result.for_llm.contains("ghp_"), "{}", result.for_llm);
    }
    assert!(!house.call("echo", json!({ "text": "still there" })).await.is_error);
}

#[tokio::test]
async fn a_deadline_ends_the_tool_and_the_model_is_informed() {
    let house = House::new(json!({})).await;
    let hangs = Hangs::default();
    house.rt.register(hangs.clone()).unwrap();
    let result = house.call("hangs", json!({})).await;
    assert_eq!(result.code, Some(Code::Timeout));
    assert!(result.for_llm.contains("80 ms"), "{}", result.for_llm);
    assert_eq!(hangs.dropped.load(Ordering::SeqCst), 1);
    eventually(async || hangs.cancelled.load(Ordering::SeqCst) == 1).await;
}

#[tokio::test]
async fn the_callers_cancellation_is_an_error_and_reaches_the_tool() {
    let house = House::new(json!({})).await;
    let hangs = Hangs::default();
    house.rt.register(hangs.clone()).unwrap();
    let token = CancellationToken::new();
    let cx = CallContext::new().timeout_ms(60_000).with_cancellation(token.clone());
    let call = house.rt.call(&cx, "hangs", json!({}));
    let cancel = async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        token.cancel();
    };
    let (answer, ()) = tokio::join!(call, cancel);
    assert_eq!(answer.unwrap_err().code(), Code::Cancelled);
    assert_eq!(hangs.dropped.load(Ordering::SeqCst), 1);

    let dropped = tokio::time::timeout(
        Duration::from_millis(20),
        house.rt.call(&CallContext::new().timeout_ms(60_000), "hangs", json!({})),
    )
    .await;
    assert!(dropped.is_err());
    assert_eq!(hangs.dropped.load(Ordering::SeqCst), 2);
    eventually(async || hangs.cancelled.load(Ordering::SeqCst) == 2).await;
}

#[tokio::test]
async fn the_rate_limit_counts_per_session_and_says_when_to_come_back() {
    let house = House::new(json!({ "rate_limit": { "calls": 2 } })).await;
    for _ in 0..2 {
        assert!(!house.call("echo", json!({ "text": "x" })).await.is_error);
    }
    let refused = house.call("echo", json!({ "text": "x" })).await;
    assert_eq!(refused.code, Some(Code::RateLimited));
    assert!(refused.retry_after_ms.unwrap() > 3_500_000);
    assert!(!refused.for_llm.contains("`s`"), "the session is nobody else's business");
    let cx = CallContext::new().session("other");
    assert!(!house.rt.call(&cx, "echo", json!({ "text": "x" })).await.unwrap().is_error);
    // A call with wrong arguments costs nothing.
    let cx = CallContext::new().session("third");
    for _ in 0..4 {
        let result = house.rt.call(&cx, "echo", json!({})).await.unwrap();
        assert_eq!(result.code, Some(Code::InvalidArguments));
    }
}

#[tokio::test]
async fn secrets_are_masked_in_every_text_field() {
    let house = House::new(json!({})).await;
    let secret = crate::support::TOKEN;
    let whole = json!({
        "for_llm": format!("x {secret}"), "for_user": secret,
        "structured": { "k": [secret] }, "media": [{ "path": "p", "caption": secret }]
    });
    let cx = CallContext::new();
    house
        .rt
        .register(toolkeep::tool_fn("leaky", move |_: Empty, _| {
            let whole = whole.clone();
            async move { toolkeep::ToolResult::from_value(whole) }
        }))
        .unwrap();
    let result = house.rt.call(&cx, "leaky", json!({})).await.unwrap();
    let text = serde_json::to_string(&result).unwrap();
    assert!(!text.contains(secret), "{text}");
    assert!(result.for_llm.starts_with("x [REDACTED:github-"), "{}", result.for_llm);
    let events = house.rt.invoke("events.read", json!({})).await.unwrap();
    let audit = house.rt.invoke("audit.query", json!({})).await.unwrap();
    assert!(!format!("{events}{audit}").contains(secret));
}

/// Nothing.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Empty {}

#[tokio::test]
async fn a_long_result_goes_to_an_artifact_that_is_read_in_parts() {
    let house = House::new(json!({ "output": { "max_chars": 1_000 } })).await;
    let lines: Vec<String> = (0..500).map(|n| format!("line {n}")).collect();
    let whole = lines.join("\n");
    let result = house.call("echo", json!({ "text": whole })).await;
    assert!(result.for_llm.chars().count() <= 1_000);
    let id = result.artifact.clone().unwrap();
    let mut text = String::new();
    let mut offset = 0;
    while offset < 500 {
        let page = house
            .call("read_file", json!({ "path": format!("artifact:{id}"), "offset": offset }))
            .await;
        assert!(!page.is_error && page.artifact.is_none(), "{}", page.for_llm);
        let body = page.for_llm.rsplit_once("\n[").map_or(page.for_llm.as_str(), |(b, _)| b);
        offset += body.lines().count();
        text.push_str(body);
        text.push('\n');
    }
    assert_eq!(text.trim_end(), whole);

    let stranger = CallContext::new().session("other");
    let args = json!({ "path": format!("artifact:{id}") });
    let result = house.rt.call(&stranger, "read_file", args.clone()).await.unwrap();
    assert_eq!(result.code, Some(Code::NotFound));
    let stranger = CallContext::new().session("s").tenant("other");
    let result = house.rt.call(&stranger, "read_file", args).await.unwrap();
    assert_eq!(result.code, Some(Code::NotFound));
}

#[tokio::test]
async fn one_endless_line_is_read_in_parts_too() {
    let house = House::new(json!({ "output": { "max_chars": 1_000 } })).await;
    let result = house.call("echo", json!({ "text": "é".repeat(5_000) })).await;
    let path = format!("artifact:{}", result.artifact.unwrap());
    let mut column = 0;
    while column < 5_000 {
        let page = house.call("read_file", json!({ "path": path, "column": column })).await;
        let got = page.for_llm.chars().take_while(|c| *c == 'é').count();
        assert!(got > 0, "{}", page.for_llm);
        column += got;
    }
    assert_eq!(column, 5_000);
}

#[tokio::test]
async fn files_are_written_read_edited_and_listed_and_nothing_escapes() {
    let house = House::new(json!({})).await;
    let wrote =
        house.call("write_file", json!({ "path": "a/b.txt", "content": "one\ntwo\n" })).await;
    assert!(!wrote.is_error, "{}", wrote.for_llm);
    assert_eq!(house.call("read_file", json!({ "path": "a/b.txt" })).await.for_llm, "one\ntwo\n");
    let edit = json!({ "path": "a/b.txt", "old_string": "two", "new_string": "2" });
    assert!(!house.call("edit", edit).await.is_error);
    let on_disk = std::fs::read_to_string(house.folder.path().join("a/b.txt")).unwrap();
    assert_eq!(on_disk, "one\n2\n");
    let listed = house.call("list_files", json!({ "depth": 2 })).await;
    assert!(listed.for_llm.contains("a/") && listed.for_llm.contains("b.txt (6 bytes)"));
    for path in ["../x", "/etc/passwd", "a/../../x"] {
        let result = house.call("read_file", json!({ "path": path })).await;
        assert_eq!(result.code, Some(Code::AccessDenied), "{path}: {}", result.for_llm);
        assert!(result.for_llm.contains("access denied"), "{}", result.for_llm);
        assert!(!result.for_llm.contains(house.folder.path().to_str().unwrap()));
    }
}

#[tokio::test]
async fn without_a_workspace_file_tools_say_what_is_missing() {
    let rt = Runtime::builder().build().await.unwrap();
    let result = rt.call(&CallContext::new(), "read_file", json!({ "path": "x" })).await.unwrap();
    assert_eq!(result.code, Some(Code::Unavailable));
    assert!(result.for_llm.contains("workspace"));
}

#[tokio::test]
async fn the_calls_of_a_turn_are_answered_in_order_and_none_is_lost() {
    let house = House::new(json!({})).await;
    let request = |id: &str, name: &str, arguments: Value| CallRequest {
        id: id.into(),
        name: name.into(),
        arguments,
    };
    let cx = CallContext::new();
    let answers = house
        .rt
        .call_all(
            &cx,
            vec![
                request("1", "write_file", json!({ "path": "f", "content": "1" })),
                request("2", "write_file", json!({ "path": "f", "content": "2", "append": true })),
                request("3", "read_file", json!({ "path": "f" })),
                request("4", "nope", json!({})),
                request("5", "panics", json!({})),
                request("6", "echo", json!("{\"text\":\"t\"}")),
            ],
        )
        .await
        .unwrap();
    let ids: Vec<&str> = answers.iter().map(|answer| answer.id.as_str()).collect();
    assert_eq!(ids, ["1", "2", "3", "4", "5", "6"]);
    assert_eq!(answers[2].result.for_llm, "12");
    assert_eq!(answers[3].result.code, Some(Code::UnknownTool));
    assert_eq!(answers[4].result.code, Some(Code::ToolPanicked));
    assert_eq!(answers[5].result.for_llm, "t");
}

#[tokio::test]
async fn a_closed_runtime_refuses_and_ends_what_runs() {
    let house = House::new(json!({})).await;
    house.rt.register(Hangs::default()).unwrap();
    let cx = CallContext::new().timeout_ms(60_000);
    let close = async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        house.rt.close().await
    };
    let (answer, closed) = tokio::join!(house.rt.call(&cx, "hangs", json!({})), close);
    assert_eq!(answer.unwrap_err().code(), Code::Closed);
    closed.unwrap();
    house.rt.close().await.unwrap();
    let again = house.rt.call(&cx, "echo", json!({ "text": "x" })).await;
    assert_eq!(again.unwrap_err().code(), Code::Closed);
    assert_eq!(house.rt.register(echo()).unwrap_err().code(), Code::Closed);
    let invoked = house.rt.invoke("config.get", json!({})).await;
    assert_eq!(invoked.unwrap_err().code(), Code::Closed);
}

#[tokio::test]
async fn definitions_are_the_same_bytes_every_time() {
    let first = House::new(json!({})).await;
    let second = House::new(json!({})).await;
    for (_, dialect) in Dialect::ALL {
        let cx = CallContext::new();
        let one = first.rt.definitions(&cx, *dialect).await.unwrap();
        let two = second.rt.definitions(&cx, *dialect).await.unwrap();
        assert_eq!(one.text(), two.text());
        assert_eq!(one.tools.len(), 17);
    }
}

#[tokio::test]
async fn a_bad_key_in_the_context_is_the_hosts_mistake() {
    let house = House::new(json!({})).await;
    let cx = CallContext::new().agent("a\0b");
    let error = house.rt.call(&cx, "echo", json!({})).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert!(error.message().contains("`agent`"));
    for kind in ["Group", "groupe", ""] {
        let cx = CallContext::from(Caller::from_value(&json!({ "peer_kind": kind })).unwrap());
        let error = house.rt.call(&cx, "echo", json!({})).await.unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(error.message().contains("give `direct` or `group`"), "{error}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_that_is_written_through_a_link_is_read_after_that() {
    let house = House::new(json!({})).await;
    let call = |name: &str, arguments: Value| CallRequest {
        id: name.into(),
        name: name.into(),
        arguments,
    };
    let folder = house.folder.path();
    std::fs::write(folder.join("a"), "old").unwrap();
    std::os::unix::fs::symlink("a", folder.join("b")).unwrap();
    for round in 0..20 {
        let text = format!("new {round}");
        let calls = vec![
            call("write_file", json!({ "path": "b", "content": text })),
            call("read_file", json!({ "path": "a" })),
        ];
        let answers = house.rt.call_all(&CallContext::new(), calls).await.unwrap();
        assert_eq!(answers[1].result.for_llm, text);
    }
}
