//! Custom tools: commands that an owner made tools of, run with the real thing, and attacked.

mod attacks;
mod shared;

use std::fs;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolkeep::{CallContext, Code, Config, Dialect, Runtime, ToolResult};

use crate::support::House;

/// A house in which nobody can be asked, with a key.
async fn house(mut config: Value) -> House {
    let folder = tempfile::tempdir().unwrap();
    config["approval"] = json!({ "external": false });
    config["workspace"] = json!(folder.path().to_str().unwrap());
    let config = Config::from_value(config).unwrap();
    let builder = Runtime::builder().config(config).tool(crate::support::echo());
    let rt = builder.key(|| Ok(toolkeep::secret::generate_key()?)).build().await.unwrap();
    House { rt, folder, alone: None }
}

async fn invoke(house: &House, operation: &str, args: Value) -> Result<Value, toolkeep::Error> {
    house.rt.invoke(operation, args).await
}

async fn put(house: &House, mut tool: Value) {
    if tool.get("description").is_none() {
        tool["description"] = json!("A tool.");
    }
    invoke(house, "custom_tools.put", tool).await.unwrap();
}

/// Parameters that are texts, all of them required.
fn texts(names: &[&str]) -> Value {
    let properties: serde_json::Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" }))).collect();
    json!({ "type": "object", "properties": properties, "required": names })
}

/// True if a process with these words runs on the machine.
fn runs(words: &str) -> bool {
    let found = std::process::Command::new("pgrep").args(["-f", words]).output().unwrap();
    !found.stdout.is_empty()
}

async fn is_gone(words: &str) -> bool {
    for _ in 0..200 {
        if !runs(words) {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    false
}

/// A name server on this machine: it knows one name, and its address.
struct Names {
    at: SocketAddr,
    ends: Arc<AtomicBool>,
}

impl Names {
    fn start() -> Names {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        let (at, ends) = (socket.local_addr().unwrap(), Arc::new(AtomicBool::new(false)));
        let ended = ends.clone();
        std::thread::spawn(move || {
            let mut query = [0; 512];
            while !ended.load(Ordering::Acquire) {
                let Ok((count, from)) = socket.recv_from(&mut query) else { continue };
                let _ = socket.send_to(&Names::answer(&query[..count]), from);
            }
        });
        Names { at, ends }
    }

    /// The question again, and behind it an address, if it asks for the one of `host.example`.
    fn answer(query: &[u8]) -> Vec<u8> {
        let end = 12 + query[12..].iter().position(|byte| *byte == 0).unwrap() + 5;
        let question = &query[12..end];
        let known = question == b"\x04host\x07example\x00\x00\x01\x00\x01";
        let mut answer = query[..2].to_vec();
        answer.extend([0x85, if known { 0x80 } else { 0x83 }]);
        answer.extend([0, 1, 0, u8::from(known), 0, 0, 0, 0]);
        answer.extend(question);
        if known {
            answer.extend(b"\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x3c\x00\x04\xc0\x00\x02\x2a");
        }
        answer
    }
}

impl Drop for Names {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Release);
    }
}

/// The example as it is written everywhere, but for where the name server is: that a file in the home
/// folder of the command says.
fn dns_lookup(home: &str, network: Value) -> Value {
    json!({
        "name": "dns_lookup",
        "description": "Look up DNS records for a domain.",
        "parameters": {
            "type": "object",
            "properties": {
                "domain": { "type": "string", "description": "Domain name" },
                "record_type": { "type": "string", "enum": ["A", "AAAA", "MX", "CNAME", "TXT"] }
            },
            "required": ["domain"]
        },
        "command": "dig +short {{.record_type}} {{.domain}}",
        "timeout_seconds": 10,
        "enabled": true,
        "network": network,
        "env": { "HOME": home }
    })
}

#[tokio::test]
async fn the_example_looks_a_name_up_only_if_it_has_a_network() {
    let (names, house) = (Names::start(), house(json!({})).await);
    let home = house.folder.path().join("home");
    fs::create_dir(&home).unwrap();
    let (ip, port) = (names.at.ip(), names.at.port());
    fs::write(home.join(".digrc"), format!("@{ip} -p {port} +tries=1 +time=2\n")).unwrap();
    let home = home.to_str().unwrap();
    put(&house, dns_lookup(home, json!(true))).await;
    let args = json!({ "domain": "host.example", "record_type": "A" });
    let result = house.call("dns_lookup", args.clone()).await;
    assert_eq!(result.for_llm, "192.0.2.42\n");
    assert!(!result.is_error && result.silent);
    let result = house.call("dns_lookup", json!({ "domain": "host.example" })).await;
    assert_eq!(result.for_llm, "192.0.2.42\n", "an optional argument may be left out");
    let result = house.call("dns_lookup", json!({ "domain": "-f/etc/passwd" })).await;
    assert_eq!(result.code, Some(Code::InvalidArguments), "{}", result.for_llm);
    let result = house.call("dns_lookup", json!({ "domain": "x", "record_type": "ANY" })).await;
    assert_eq!(result.code, Some(Code::InvalidArguments), "{}", result.for_llm);
    put(&house, dns_lookup(home, json!(false))).await;
    let result = house.call("dns_lookup", args).await;
    assert!(result.is_error && !result.for_llm.contains("192.0.2.42"), "{}", result.for_llm);
}

#[tokio::test]
async fn a_custom_tool_is_offered_and_explained_and_follows_the_policy_like_every_tool() {
    let config = json!({ "policy": {
        "agents": { "shut": { "deny": ["group:custom"] }, "named": {
            "deny": [{ "entry": "greet", "optional": true }]
        } }
    } });
    let house = house(config).await;
    let parameters = texts(&["who"]);
    put(
        &house,
        json!({ "name": "greet", "command": "echo hi {{.who}}", "parameters": parameters }),
    )
    .await;
    let cx = CallContext::new().agent("a").session("s");
    let offered = house.rt.definitions(&cx, Dialect::OpenAi).await.unwrap();
    assert!(offered.text().contains(r#""name":"greet""#), "{}", offered.text());
    assert!(house.rt.explain(&cx, "greet").await.unwrap().allowed);
    let result = house.rt.call(&cx, "greet", json!({ "who": "you" })).await.unwrap();
    assert_eq!(result.for_llm, "hi you\n");
    for agent in ["shut", "named"] {
        let cx = CallContext::new().agent(agent);
        assert!(!house.rt.explain(&cx, "greet").await.unwrap().allowed, "{agent}");
        let offered = house.rt.definitions(&cx, Dialect::OpenAi).await.unwrap();
        assert!(!offered.text().contains(r#""name":"greet""#), "{agent}");
        let result = house.rt.call(&cx, "greet", json!({ "who": "you" })).await.unwrap();
        assert_eq!(result.code, Some(Code::DeniedByPolicy), "{agent}: {}", result.for_llm);
    }
    let alias = json!({ "alias": "hello", "name": "greet" });
    invoke(&house, "registry.alias", alias).await.unwrap();
    assert_eq!(house.call("hello", json!({ "who": "me" })).await.for_llm, "hi me\n");
    let taken = json!({ "name": "hello", "description": "d", "command": "true" });
    let error = invoke(&house, "custom_tools.put", taken).await.unwrap_err();
    assert_eq!(error.code(), Code::NameTaken);
}

#[tokio::test]
async fn one_of_an_agent_is_its_own_and_goes_before_the_general_one() {
    let house = house(json!({})).await;
    put(&house, json!({ "name": "who", "command": "echo all" })).await;
    put(&house, json!({ "name": "who", "agent": "a", "command": "echo a" })).await;
    put(&house, json!({ "name": "only", "agent": "a", "command": "echo only" })).await;
    let call =
        async |cx: CallContext, name: &str| house.rt.call(&cx, name, json!({})).await.unwrap();
    let a = CallContext::new().agent("a").session("s");
    assert_eq!(call(a.clone(), "who").await.for_llm, "a\n");
    assert_eq!(call(a.clone(), "only").await.for_llm, "only\n");
    for other in [CallContext::new(), CallContext::new().agent("b"), a.child("c")] {
        assert_eq!(call(other.clone(), "who").await.for_llm, "all\n");
        assert_eq!(call(other, "only").await.code, Some(Code::UnknownTool));
    }
    let tenant = CallContext::new().tenant("other").agent("a");
    assert_eq!(call(tenant, "who").await.code, Some(Code::UnknownTool));
    invoke(&house, "custom_tools.delete", json!({ "name": "who", "agent": "a" })).await.unwrap();
    assert_eq!(call(a.clone(), "who").await.for_llm, "all\n");
    invoke(&house, "registry.clone", json!({ "agent": "a" })).await.unwrap();
    assert_eq!(call(a, "only").await.for_llm, "only\n", "it has them over a registry of its own");
}

#[tokio::test]
async fn a_change_is_there_with_the_next_call() {
    let house = house(json!({})).await;
    for round in 0..20 {
        put(&house, json!({ "name": "now", "command": format!("echo {round}") })).await;
        assert_eq!(house.call("now", json!({})).await.for_llm, format!("{round}\n"));
    }
    put(&house, json!({ "name": "now", "command": "echo off", "enabled": false })).await;
    assert_eq!(house.call("now", json!({})).await.code, Some(Code::UnknownTool));
    put(&house, json!({ "name": "now", "command": "echo on" })).await;
    assert_eq!(house.call("now", json!({})).await.for_llm, "on\n");
    invoke(&house, "custom_tools.delete", json!({ "name": "now" })).await.unwrap();
    assert_eq!(house.call("now", json!({})).await.code, Some(Code::UnknownTool));
}

#[tokio::test]
async fn a_tool_of_the_host_takes_the_name_and_the_custom_one_is_listed_as_hidden() {
    let house = house(json!({})).await;
    for name in ["exec", "echo", "Bash"] {
        let tool = json!({ "name": name, "description": "d", "command": "true" });
        let error = invoke(&house, "custom_tools.put", tool).await.unwrap_err();
        assert_eq!(error.code(), Code::NameTaken, "{name}: {}", error.message());
        assert!(error.message().contains("`name`"), "{}", error.message());
    }
    put(&house, json!({ "name": "later", "command": "echo custom" })).await;
    assert_eq!(house.call("later", json!({})).await.for_llm, "custom\n");
    let host = toolkeep::tool_fn("later", |_: crate::support::Echo, _| async {
        Ok(ToolResult::text("host"))
    });
    house.rt.register(host).unwrap();
    assert_eq!(house.call("later", json!({ "text": "x" })).await.for_llm, "host");
    let answer = invoke(&house, "custom_tools.get", json!({ "name": "later" })).await.unwrap();
    assert!(answer["hidden"].as_str().unwrap().contains("the host"), "{answer}");
    let listed = invoke(&house, "registry.list", json!({})).await.unwrap();
    let custom = listed
        .as_array()
        .unwrap()
        .iter()
        .find(|tool| tool["name"] == "later" && tool["origin"] == "custom");
    assert_eq!(custom.unwrap()["shadowed_by"], "host");
    house.rt.registry().unregister("later").unwrap();
    assert_eq!(house.call("later", json!({})).await.for_llm, "custom\n");
}

#[tokio::test]
async fn its_environment_reaches_its_command_and_nothing_else() {
    let house = house(json!({})).await;
    let secret = "correct-horse-battery";
    let command = "printenv API_KEY; printenv API_KEY | base64";
    put(&house, json!({ "name": "keyed", "command": command, "env": { "API_KEY": secret } })).await;
    let result = house.call("keyed", json!({})).await;
    assert!(!result.is_error, "{}", result.for_llm);
    assert_eq!(result.for_llm.matches("[REDACTED:").count(), 2, "{}", result.for_llm);
    assert!(!result.for_llm.contains(secret));
    put(&house, json!({ "name": "other", "command": "printenv" })).await;
    let result = house.call("other", json!({})).await;
    assert!(!result.for_llm.contains("API_KEY"), "{}", result.for_llm);
    let at = Instant::now();
    put(&house, json!({ "name": "keyed", "command": "test -n \"$API_KEY\" && echo set" })).await;
    assert_eq!(house.call("keyed", json!({})).await.for_llm, "set\n", "{:?}", at.elapsed());
}

#[tokio::test]
async fn a_custom_tool_runs_in_its_folder_for_its_time_and_writes_what_it_declares() {
    let house = house(json!({})).await;
    let root = house.folder.path().canonicalize().unwrap();
    fs::create_dir_all(root.join("sub/out")).unwrap();
    let tool = json!({
        "name": "make", "command": "pwd; echo x > out/made; echo y > /tmp/y; cat out/made",
        "working_dir": "sub", "write": ["sub/out"]
    });
    put(&house, tool).await;
    let result = house.call("make", json!({})).await;
    assert_eq!(result.for_llm, format!("{}\nx\n", root.join("sub").display()));
    assert_eq!(fs::read_to_string(root.join("sub/out/made")).unwrap(), "x\n");
    put(&house, json!({ "name": "none", "command": "true", "working_dir": "not-there" })).await;
    let result = house.call("none", json!({})).await;
    assert!(result.is_error && result.for_llm.contains("`working_dir`"), "{}", result.for_llm);
    put(&house, json!({ "name": "gone", "command": "true", "write": ["not-there"] })).await;
    let result = house.call("gone", json!({})).await;
    assert!(result.is_error && result.for_llm.contains("`write`"), "{}", result.for_llm);
}
