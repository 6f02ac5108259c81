//! What a hostile model tries with texts and names, with default settings and nobody to ask.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use toolkeep::{CallContext, Code, Config, Runtime, Tool, ToolError, ToolResult, ToolSpec};

use crate::support::{Gives, House};

/// A value that has no shape of a secret.
const VALUE: &str = "quartz-Lemur_77+violet/Sn0w";

/// A token that is known by its shape, in two parts.
const TOKEN: [&str; 2] = ["ghp_", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"];

async fn house(config: Value) -> House {
    let mut whole = json!({ "approval": { "external": false }, "loops": { "enabled": false } });
    for (key, value) in config.as_object().unwrap() {
        whole[key] = value.clone();
    }
    House::new(whole).await
}

/// The characters that a terminal acts on, but for tabs and ends of lines.
fn controls(text: &str) -> Vec<char> {
    let is_control = |c: &char| c.is_control() && !matches!(c, '\n' | '\t' | '\r');
    text.chars().filter(is_control).collect()
}

#[track_caller]
fn is_clean(result: &ToolResult) {
    let structured = result.structured.as_ref().map(Value::to_string).unwrap_or_default();
    for text in [&result.for_llm, result.for_user.as_ref().unwrap_or(&String::new()), &structured] {
        assert!(controls(text).is_empty(), "{text:?}");
        assert!(!text.contains("\\u001b") && !text.contains("\\u0007"), "{text}");
    }
}

/// The text with something after each few characters of the value.
fn broken(every: usize, by: &str) -> String {
    let letters: Vec<char> = VALUE.chars().collect();
    let parts: Vec<String> = letters.chunks(every).map(|part| part.iter().collect()).collect();
    parts.join(by)
}

#[tokio::test]
async fn a_registered_value_in_many_pieces_reaches_nobody() {
    for profile in ["precise", "seed", "paranoid"] {
        let house = house(json!({ "scrub": { "profile": profile } })).await;
        house.rt.register_secret(None, VALUE, None).unwrap();
        for by in [
            "\n",
            "\r\n  ",
            " \n",
            "\\\n",
            "\u{200b}",
            "\u{200f}",
            "\u{2063}",
            "\u{feff}",
            "\u{ad}",
            "\u{e0041}",
            "\u{202e}",
            "\u{34f}",
            "\u{7}",
            "\x1b[31m",
            "\n\u{200b}",
        ] {
            for every in [1, 4, 9] {
                let text = format!("a {} b", broken(every, by));
                std::fs::write(house.folder.path().join("x.txt"), &text).unwrap();
                let read = house.call("read_file", json!({ "path": "x.txt" })).await;
                let shown = house.call("exec", json!({ "command": "cat x.txt" })).await;
                for result in [&read, &shown] {
                    let left = &result.for_llm;
                    let masked = left.find("a [REDACTED").map(|at| &left[at..]);
                    let behind = masked.and_then(|masked| masked.split_once(']'));
                    let is_masked = behind.is_some_and(|(_, behind)| behind.starts_with(" b"));
                    assert!(is_masked, "{profile} {every} {by:?}: {left}");
                }
            }
        }
    }
}

#[tokio::test]
async fn nothing_of_a_command_commands_a_terminal() {
    let house = house(json!({})).await;
    for (escaped, seen) in [
        (r"a\033]52;c;Y3VybCBldmlsCg==\007b", "ab"),
        (r"a\033[31;1mred\033[0mb", "aredb"),
        (r"a\033]8;;https://evil.example\033\\link\033]8;;\033\\b", "alinkb"),
        (r"a\033P1q\033\\b\033_x\033\\c\033^x\033\\d", "abcd"),
        (r"a\302\23331mb\302\2350;title\302\234c", "abc"),
        (r"a\007b\010c\013d\000e\177f", "abcdef"),
        (r"10%%\r50%%\r100%%\n", "10%\n50%\n100%\n"),
    ] {
        for to in ["", " >&2"] {
            let command = format!("printf '{escaped}'{to}");
            let result = house.call("exec", json!({ "command": command })).await;
            assert!(result.for_llm.contains(seen), "{escaped}: {:?}", result.for_llm);
            is_clean(&result);
        }
    }
    let token = TOKEN.concat();
    let command = format!("printf '{}\\033[0m{}\\n'", &token[..9], &token[9..]);
    let result = house.call("exec", json!({ "command": command })).await;
    assert!(result.for_llm.contains("[REDACTED:github-pat"), "{}", result.for_llm);
    let args = json!({ "action": "start", "command": r"printf 'a\033]52;c;eA==\007b\033[2Jc'" });
    let started = house.call("process", args).await;
    let id = started.structured.as_ref().unwrap()["id"].clone();
    let polled =
        house.call("process", json!({ "action": "poll", "id": id, "wait_ms": 9_000 })).await;
    let log = house.call("process", json!({ "action": "log", "id": id, "offset": 0 })).await;
    assert!(log.for_llm.starts_with("abc"), "{:?}", log.for_llm);
    for result in [&started, &polled, &log] {
        is_clean(result);
    }
}

#[tokio::test]
async fn nothing_of_a_file_commands_a_terminal_and_no_secret_hides_in_it() {
    let house = house(json!({})).await;
    let put =
        |name: &str, text: &str| std::fs::write(house.folder.path().join(name), text).unwrap();
    let token = TOKEN.concat();
    put(
        "a.txt",
        &format!(
            "one\x1b]52;c;eA==\x07\ntwo {}\x1b[0m{}\r\nthree\rfour\n",
            &token[..6],
            &token[6..]
        ),
    );
    let read = house.call("read_file", json!({ "path": "a.txt" })).await;
    is_clean(&read);
    assert!(read.for_llm.starts_with("one\ntwo [REDACTED:github-pat"), "{}", read.for_llm);
    assert!(read.for_llm.contains("three\u{240d}four"), "a line stays one: {}", read.for_llm);
    assert!(read.for_llm.contains("control characters"), "{}", read.for_llm);
    let found = house.call("search", json!({ "pattern": "one|two" })).await;
    is_clean(&found);
    assert!(!found.for_llm.contains(&token[6..]), "{}", found.for_llm);
    // What cannot be held is cleaned as it is read.
    put(
        "large.txt",
        &format!(
            "{}\x1b[31mend {}\x1b[0m{}\n",
            "x\x07\n".repeat(6 << 20),
            &token[..6],
            &token[6..]
        ),
    );
    let read = house.call("read_file", json!({ "path": "large.txt", "offset": 6 << 20 })).await;
    is_clean(&read);
    assert!(read.for_llm.starts_with("end [REDACTED:github-pat"), "{}", read.for_llm);
    let long = house
        .call("exec", json!({ "command": "yes \"$(printf 'x\\033[1my')\" | head -n 9000" }))
        .await;
    let id = long.artifact.clone().unwrap();
    let part =
        house.call("read_file", json!({ "path": format!("artifact:{id}"), "limit": 3 })).await;
    assert!(part.for_llm.starts_with("xy\nxy\nxy"), "{}", part.for_llm);
}

#[tokio::test]
async fn nothing_that_a_tool_of_the_host_says_commands_a_terminal() {
    let said = ToolResult {
        for_llm: "a\x1b]52;c;eA==\x07b".into(),
        for_user: Some("c\u{9b}2Jd\x1b[1A".into()),
        structured: Some(
            json!({ "k\x1b[0m": ["e\x07", format!("{}\x1b[0m{}", TOKEN[0], TOKEN[1])] }),
        ),
        ..ToolResult::default()
    };
    let failed = ToolResult { is_error: true, ..said.clone() };
    for result in [said, failed] {
        let rt = Runtime::builder().tool(Gives(result)).build().await.unwrap();
        let got = rt.call(&CallContext::new(), "gives", json!({})).await.unwrap();
        is_clean(&got);
        assert_eq!((got.for_llm.as_str(), got.for_user.as_deref()), ("ab", Some("cd")));
        let structured = got.structured.unwrap();
        assert_eq!(structured["k"][0], "e");
        assert!(structured["k"][1].as_str().unwrap().starts_with("[REDACTED:github-pat"));
    }
    let rt = Runtime::builder().build().await.unwrap();
    let unknown = rt.call(&CallContext::new(), "no\x1b]0;x\x07tool", json!({})).await.unwrap();
    is_clean(&unknown);
}

#[tokio::test]
async fn an_artifact_is_written_by_nobody() {
    let house = house(json!({})).await;
    let write = |path: &str| json!({ "path": path, "content": "x\n" });
    let refused = house.call("write_file", write("artifact:abc")).await;
    assert_eq!(refused.code, Some(Code::InvalidArguments));
    assert!(refused.for_llm.contains("read-only") && refused.for_llm.contains("Choose the path"));
    let edit = json!({ "path": "artifact:abc", "old_string": "a", "new_string": "b" });
    assert!(house.call("edit", edit).await.for_llm.contains("read-only"));
    std::fs::write(house.folder.path().join("a.txt"), "a\n").unwrap();
    for patch in [
        "*** Begin Patch\n*** Add File: artifact:abc\n+x\n*** End Patch",
        "*** Begin Patch\n*** Update File: a.txt\n*** Move to: artifact:abc\n@@\n-a\n+b\n*** End Patch",
        "*** Begin Patch\n*** Delete File: artifact:abc\n*** End Patch",
    ] {
        let refused = house.call("apply_patch", json!({ "patch": patch })).await;
        assert!(refused.is_error && refused.for_llm.contains("read-only"), "{}", refused.for_llm);
    }
    assert_eq!(std::fs::read_dir(house.folder.path()).unwrap().count(), 1, "nothing was made");
    // What is read as a file is written as one.
    for path in ["./artifact:abc", "Artifact:abc", "notes/artifact:abc"] {
        let wrote = house.call("write_file", write(path)).await;
        assert!(!wrote.is_error, "{path}: {}", wrote.for_llm);
        let read = house.call("read_file", json!({ "path": path })).await;
        assert_eq!(read.for_llm, "x\n", "{path}");
    }
}

/// What another user of the same session sees of what one has made.
async fn seen_by_another(config: Value) -> (bool, bool, bool) {
    let house = house(config).await;
    let cx = |user: &str| CallContext::new().session("s").user(user);
    let call = async |user: &str, tool: &str, args: Value| {
        house.rt.call(&cx(user), tool, args).await.unwrap()
    };
    let long = call("ann", "exec", json!({ "command": "seq 90000" })).await;
    let artifact = json!({ "path": format!("artifact:{}", long.artifact.unwrap()), "limit": 2 });
    assert!(!call("ann", "read_file", artifact.clone()).await.is_error);
    let started =
        call("ann", "process", json!({ "action": "start", "command": "sleep 8765" })).await;
    let id = started.structured.unwrap()["id"].clone();
    let temp =
        call("ann", "exec", json!({ "command": "echo mine > /tmp/note; cat /tmp/note" })).await;
    assert!(temp.for_llm.contains("mine"), "{}", temp.for_llm);
    let reads = !call("bob", "read_file", artifact).await.is_error;
    let killed = call("bob", "process", json!({ "action": "kill", "id": id })).await;
    let list = call("bob", "process", json!({ "action": "list" })).await;
    assert_eq!(list.for_llm.contains("sleep 8765"), !killed.is_error);
    let temp = call("bob", "exec", json!({ "command": "cat /tmp/note" })).await;
    let sees = (reads, !killed.is_error, temp.for_llm.contains("mine"));
    let ended = call("ann", "process", json!({ "action": "kill", "id": id })).await;
    assert!(!ended.is_error, "{}", ended.for_llm);
    sees
}

#[tokio::test]
async fn users_of_a_session_have_their_own_artifacts_processes_and_temporary_folder() {
    assert_eq!(seen_by_another(json!({})).await, (false, false, false));
    let shared = json!({ "sessions": { "shared_by_users": true } });
    assert_eq!(seen_by_another(shared).await, (true, true, true));
}

#[tokio::test]
async fn a_bound_secret_goes_over_https_and_no_other_way() {
    let house = crate::vault::house(json!({ "loops": { "enabled": false } })).await;
    house.put("a.env", &format!("TOKEN={}\n", TOKEN.concat()));
    let read = house.read("a.env").await;
    let secret = read[read.find("[REDACTED").unwrap()..=read.find(']').unwrap()].to_owned();
    house.bind(json!({ "kind": "*", "tools": ["send"], "hosts": ["api.example.com", "http://localhost:8080"] })).await;
    for good in [
        json!({ "url": "https://api.example.com/v1" }),
        json!({ "url": "https://API.example.com.:443/v1" }),
        json!({ "host": "api.example.com", "port": 443 }),
        json!({ "url": "http://localhost:8080/x" }),
    ] {
        let mut args = good.clone();
        args["key"] = json!(secret);
        let sent = house.call("send", args).await;
        assert_eq!(sent.code, None, "{good}: {}", sent.for_llm);
    }
    for bad in [
        json!({ "url": "http://api.example.com/v1" }),
        json!({ "url": "HTTP://api.example.com/v1" }),
        json!({ "url": "https://api.example.com:8443/v1" }),
        json!({ "url": "http://api.example.com:443/v1" }),
        json!({ "url": "ws://api.example.com/" }),
        json!({ "url": "wss://api.example.com/" }),
        json!({ "url": "ftp://api.example.com/" }),
        json!({ "url": "ssh://git@api.example.com/" }),
        json!({ "url": "http://u:p@api.example.com/" }),
        json!({ "url": "http://[::ffff:1.2.3.4]/" }),
        json!({ "host": "api.example.com:80" }),
        json!({ "host": "api.example.com", "port": 80 }),
        json!({ "host": "api.example.com", "port": "8080" }),
        json!({ "host": "api.example.com", "scheme": "http" }),
        json!({ "url": "https://localhost:8080/x" }),
        json!({ "url": "http://localhost/x" }),
        json!({ "url": "http://localhost:8081/x" }),
    ] {
        let mut args = bad.clone();
        args["key"] = json!(secret);
        let refused = house.call("send", args).await;
        assert_eq!(refused.code, Some(Code::SecretUnbound), "{bad}");
        assert!(refused.for_llm.contains("`https`"), "{}", refused.for_llm);
    }
}

#[tokio::test]
async fn a_person_who_decides_sees_what_is_hidden() {
    let config = Config::from_value(json!({ "approval": { "mode": "return" } })).unwrap();
    let tool = crate::approve::Deploy::default();
    let rt = Runtime::builder().config(config).tool(tool).build().await.unwrap();
    let args = json!({ "to": "here \u{202e}# \u{9b}2K\u{e0041}" });
    let asked = rt.call(&CallContext::new(), "deploy", args).await.unwrap();
    assert_eq!(asked.code, Some(Code::ApprovalPending));
    let waiting = crate::approve::pending(&rt, 1).await.remove(0);
    let plan = waiting["request"]["plan"].to_string();
    assert!(!plan.contains(['\u{202e}', '\u{9b}', '\u{e0041}']), "{plan}");
    assert!(plan.contains("u{202e}") && plan.contains("u{9b}2K"), "{plan}");
}

/// A tool with a name of its own.
struct Named(String);

impl Tool for Named {
    fn spec(&self) -> ToolSpec {
        ToolSpec::new(&self.0, "One of many.")
    }

    fn call(&self, _: Value, _: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
        async { Ok(ToolResult::text(self.0.clone())) }.boxed()
    }
}

#[tokio::test]
async fn ten_thousand_tools_that_are_registered_one_by_one_are_there() {
    let rt = Runtime::builder().build().await.unwrap();
    let before = rt.registry().snapshot();
    for number in 0..10_000 {
        rt.register(Named(format!("tool_{number}"))).unwrap();
    }
    let after = rt.registry().snapshot();
    assert_eq!(after.tools().count(), before.tools().count() + 10_000);
    assert_eq!(after.generation(), before.generation() + 1, "all of them make one state");
    let got = rt.call(&CallContext::new(), "tool_9999", json!({})).await.unwrap();
    assert_eq!(got.for_llm, "tool_9999");
}

#[test]
fn every_configuration_in_the_guide_is_one() {
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let mut found = 0;
    let readme = docs.join("../README.md");
    let pages = std::fs::read_dir(&docs).unwrap().map(|page| page.unwrap().path()).chain([readme]);
    for page in pages.filter(|page| page.extension().is_some_and(|end| end == "md")) {
        let text = std::fs::read_to_string(&page).unwrap();
        let blocks =
            text.split("\n```toml\n").skip(1).map(|rest| rest.split("\n```").next().unwrap());
        for block in blocks {
            let loaded = Config::from_toml(block);
            assert!(loaded.is_ok(), "{}: {:?} in\n{block}", page.display(), loaded.err());
            found += 1;
        }
        for line in text.lines() {
            let names_a_file = line.contains("Runtime(config=\"") || line.contains("{ config: \"");
            assert!(
                !names_a_file,
                "{}: a file is opened with `Runtime.open`: {line}",
                page.display()
            );
        }
    }
    assert!(found > 12, "{found} examples");
}
