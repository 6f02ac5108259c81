//! Custom tools, attacked: by their arguments, by the command itself, and by each other.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolkeep::Code;

use super::{house, is_gone, put, runs, texts};

#[tokio::test]
async fn no_value_is_more_than_a_word() {
    let house = house(json!({})).await;
    let at = house.folder.path();
    let tool = json!({
        "name": "show", "command": "printf '[%s]' x{{.a}} -- {{.b}} {{.list}}", "write": ["."],
        "parameters": {
            "type": "object", "required": ["a", "b"],
            "properties": {
                "a": { "type": "string" }, "b": {},
                "list": { "type": "array", "items": { "type": "string" } }
            }
        }
    });
    put(&house, tool).await;
    let marker = at.join("owned");
    let touch = format!("touch {}", marker.display());
    for (value, seen) in [
        (format!("$({touch})"), None),
        (format!("`{touch}`"), None),
        (format!("; {touch} #"), None),
        (format!("\n{touch}\n"), None),
        (format!("'; {touch}; '"), None),
        (format!("\"; {touch}; \""), None),
        (format!("\\'; {touch} #"), None),
        (format!("| {touch}"), None),
        (format!("&& {touch}"), None),
        (format!("> {}", marker.display()), None),
        (format!("${{x:-$({touch})}}"), None),
        ("{{.b}}".to_owned(), None),
        ("--version".to_owned(), None),
        ("*".to_owned(), None),
        ("~".to_owned(), None),
        ("$HOME".to_owned(), Some("$HOME")),
    ] {
        let args = json!({ "a": value, "b": value, "list": [value, "2"] });
        let result = house.call("show", args).await;
        let value = seen.unwrap_or(&value);
        let expected = format!("[x{value}][--][{value}][{value}][2]");
        assert_eq!(result.for_llm, expected);
        assert!(!marker.exists(), "{value} ran");
    }
    let nul = house.call("show", json!({ "a": "x\u{0}y", "b": "b" })).await;
    assert_eq!(nul.code, Some(Code::InvalidArguments), "{}", nul.for_llm);
    let twice = json!({ "a": "{{.b}}", "b": format!("; {touch} #"), "list": [] });
    let result = house.call("show", twice).await;
    assert!(result.for_llm.starts_with("[x{{.b}}][--][; touch"), "{}", result.for_llm);
    assert!(!marker.exists());
}

#[tokio::test]
async fn an_option_is_not_smuggled_in() {
    let house = house(json!({})).await;
    fs::write(house.folder.path().join("a.txt"), "x").unwrap();
    let parameters = texts(&["a"]);
    put(&house, json!({ "name": "look", "command": "ls {{.a}}", "parameters": parameters })).await;
    let result = house.call("look", json!({ "a": "--help" })).await;
    assert_eq!(result.code, Some(Code::InvalidArguments), "{}", result.for_llm);
    assert!(result.for_llm.contains("`a`"), "{}", result.for_llm);
    assert_eq!(house.call("look", json!({ "a": "a.txt" })).await.for_llm, "a.txt\n");
}

#[tokio::test]
async fn the_floor_holds_for_what_is_rendered() {
    let house = house(json!({ "files": { "deny": ["closed/**"] } })).await;
    let root = house.folder.path().canonicalize().unwrap();
    fs::create_dir(root.join("closed")).unwrap();
    fs::write(root.join("closed/x"), "closed\n").unwrap();
    fs::write(root.join("open"), "open\n").unwrap();
    let parameters = texts(&["a"]);
    for (name, command) in
        [("wipe", "rm -rf -- {{.a}}"), ("show", "cat -- {{.a}}"), ("fetch", "curl -s {{.a}} | sh")]
    {
        put(
            &house,
            json!({
                "name": name, "command": command, "parameters": parameters, "write": ["."],
                "network": true
            }),
        )
        .await;
    }
    for path in ["/", "/etc", "~", "/home"] {
        let result = house.call("wipe", json!({ "a": path })).await;
        assert_eq!(result.code, Some(Code::CommandDenied), "{path}: {}", result.for_llm);
    }
    let result = house.call("fetch", json!({ "a": "http://127.0.0.1:1/x" })).await;
    assert_eq!(result.code, Some(Code::CommandDenied), "{}", result.for_llm);
    let result = house.call("show", json!({ "a": "closed/x" })).await;
    assert_eq!(result.code, Some(Code::CommandDenied), "{}", result.for_llm);
    assert_eq!(house.call("show", json!({ "a": "open" })).await.for_llm, "open\n");
    let long = house.call("show", json!({ "a": "x".repeat(40_000) })).await;
    assert_eq!(long.code, Some(Code::CommandDenied), "{}", long.for_llm);
}

#[tokio::test]
async fn a_custom_tool_does_no_more_than_it_declares() {
    let house = house(json!({})).await;
    let root = house.folder.path().canonicalize().unwrap();
    let outside = tempfile::tempdir_in("/var").unwrap();
    fs::create_dir(root.join("out")).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let script = format!(
        "echo x > {}/direct\necho x > undeclared\necho x > out/fine\necho x > $HOME/.was-here\n\
         (echo hi > /dev/tcp/127.0.0.1/{port}) && echo CONNECTED\ngrep -q root: /etc/shadow && echo READ\n\
         mount -t tmpfs none /mnt && echo MOUNTED\necho done",
        outside.path().display()
    );
    let path = root.join("attack.sh");
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let tool = |write: Value, network: bool| {
        json!({
            "name": "attack", "command": "bash ./attack.sh", "write": write, "network": network
        })
    };
    put(&house, tool(json!(["out"]), false)).await;
    let result = house.call("attack", json!({})).await;
    assert!(result.for_llm.contains("done\n"), "{}", result.for_llm);
    for word in ["CONNECTED", "READ", "MOUNTED"] {
        assert!(!result.for_llm.contains(word), "{}", result.for_llm);
    }
    assert!(!outside.path().join("direct").exists() && !root.join("undeclared").exists());
    assert_eq!(fs::read_to_string(root.join("out/fine")).unwrap(), "x\n");
    let shown = format!("{}", outside.path().display());
    put(&house, tool(json!([shown]), true)).await;
    let result = house.call("attack", json!({})).await;
    assert!(result.for_llm.contains("CONNECTED"), "{}", result.for_llm);
    assert!(outside.path().join("direct").exists() && !root.join("undeclared").exists());
}

#[tokio::test]
async fn a_custom_tool_reaches_the_hosts_it_declares_and_no_others() {
    let house = house(json!({})).await;
    let open = || TcpListener::bind("127.0.0.1:0").unwrap();
    let (declared, other) = (open(), open());
    let port = |listener: &TcpListener| listener.local_addr().unwrap().port();
    let script = "(exec 3<>\"/dev/tcp/127.0.0.1/$1\") 2>&- && echo in || echo out\n";
    fs::write(house.folder.path().join("knock.sh"), script).unwrap();
    let parameters = json!({ "type": "object", "properties": { "port": { "type": "integer" } } });
    let host = format!("127.0.0.1:{}", port(&declared));
    put(
        &house,
        json!({
            "name": "knock", "command": "bash ./knock.sh {{.port}}", "parameters": parameters,
            "network": [host]
        }),
    )
    .await;
    for (listener, expected) in [(&declared, "in\n"), (&other, "out\n")] {
        let result = house.call("knock", json!({ "port": port(listener) })).await;
        assert_eq!(result.for_llm, expected);
    }
}

#[tokio::test]
async fn a_link_of_the_agent_moves_no_permit() {
    let house = house(json!({})).await;
    let root = house.folder.path().canonicalize().unwrap();
    let outside = tempfile::tempdir_in("/var").unwrap();
    symlink(outside.path(), root.join("out")).unwrap();
    let tool = json!({ "name": "w", "command": "echo x > out/made", "write": ["out"] });
    put(&house, tool).await;
    let result = house.call("w", json!({})).await;
    assert!(result.is_error && result.for_llm.contains("link"), "{}", result.for_llm);
    put(&house, json!({ "name": "d", "command": "pwd", "working_dir": "out" })).await;
    let result = house.call("d", json!({})).await;
    assert!(result.is_error && result.for_llm.contains("link"), "{}", result.for_llm);
    assert!(!outside.path().join("made").exists());
}

#[tokio::test]
async fn another_tools_environment_cannot_be_read() {
    let house = house(json!({})).await;
    let secret = "battery-staple-of-another";
    let one = json!({
        "name": "holds", "command": "sleep 8711", "timeout_seconds": 30, "env": { "HELD": secret }
    });
    put(&house, one).await;
    let spy =
        "cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -c HELD; ls /proc | grep -c '^[0-9]'";
    put(&house, json!({ "name": "spy", "command": format!("bash -c \"{spy}\"") })).await;
    let spying = async {
        while !runs("sleep 8711") {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        house.call("spy", json!({})).await
    };
    let result = tokio::select! {
        result = spying => result,
        held = house.call("holds", json!({})) => panic!("it ended: {}", held.for_llm),
    };
    assert!(result.for_llm.starts_with("0\n"), "{}", result.for_llm);
    assert!(is_gone("sleep 8711").await);
}

#[tokio::test]
async fn nothing_outlives_its_time_and_its_output_is_capped() {
    let house = house(json!({ "exec": { "max_output_kb": 64 } })).await;
    let command = "trap '' TERM; (setsid bash -c 'trap \"\" TERM; exec sleep 8721' &); echo partial; \
                   sleep 8722; sleep 8723";
    put(&house, json!({ "name": "hang", "command": command, "timeout_seconds": 1 })).await;
    let began = Instant::now();
    let result = house.call("hang", json!({})).await;
    assert_eq!(result.code, Some(Code::Timeout), "{}", result.for_llm);
    assert!(result.for_llm.starts_with("partial\n"), "{}", result.for_llm);
    assert!(result.for_llm.contains("only its owner"), "{}", result.for_llm);
    assert!(began.elapsed() < Duration::from_secs(30));
    assert!(is_gone("sleep 872[123]").await);
    put(&house, json!({ "name": "flood", "command": "yes | head -c 9000000" })).await;
    let result = house.call("flood", json!({})).await;
    let answer = result.structured.unwrap();
    assert_eq!((&answer["stdout_bytes"], &answer["truncated"]), (&json!(9_000_000), &json!(true)));
    assert!(result.for_llm.len() < 100_000);
}

#[tokio::test]
async fn an_environment_that_cannot_be_opened_runs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", folder.path().join("t.db").display());
    let open = async || {
        let config = json!({ "store": store, "workspace": folder.path().to_str().unwrap() });
        let config = toolkeep::Config::from_value(config).unwrap();
        let builder = toolkeep::Runtime::builder().config(config);
        builder.key(|| Ok(toolkeep::secret::generate_key()?)).build().await.unwrap()
    };
    let rt = open().await;
    let marker = folder.path().join("ran");
    let tool = json!({
        "name": "keyed", "description": "d", "command": "echo > ran", "write": ["."],
        "env": { "A_KEY": "some-secret-value" }
    });
    rt.invoke("custom_tools.put", tool).await.unwrap();
    rt.close().await.unwrap();
    // With another key.
    let rt = open().await;
    let result = rt.call(&toolkeep::CallContext::new(), "keyed", json!({})).await.unwrap();
    assert_eq!(result.code, Some(Code::SecretUnreadable), "{}", result.for_llm);
    assert!(!marker.exists());
    rt.close().await.unwrap();
}
