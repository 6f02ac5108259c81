//! Commands that go on after the call that started them, with the real thing.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolkeep::{CallContext, Code, ToolResult};

use crate::support::{House, TOKEN};

async fn house(exec: Value) -> House {
    House::new(json!({ "approval": { "external": false }, "exec": exec })).await
}

async fn process(house: &House, args: Value) -> ToolResult {
    house.call("process", args).await
}

/// Starts a command and gives its name.
async fn start(house: &House, command: &str) -> String {
    let result = process(house, json!({ "action": "start", "command": command })).await;
    assert!(!result.is_error, "{}", result.for_llm);
    id(&result)
}

fn id(result: &ToolResult) -> String {
    result.structured.as_ref().unwrap()["id"].as_str().unwrap().to_owned()
}

fn field<'r>(result: &'r ToolResult, name: &str) -> &'r Value {
    &result.structured.as_ref().unwrap()[name]
}

/// All that it wrote, as soon as a text is in it, or the process has ended.
async fn until(house: &House, id: &str, text: &str) -> String {
    let mut all = String::new();
    for _ in 0..200 {
        let polled = process(house, json!({ "action": "poll", "id": id, "wait_ms": 500 })).await;
        let log = process(house, json!({ "action": "log", "id": id, "offset": 0 })).await;
        let end = log.for_llm.rfind("[Bytes").unwrap();
        all = log.for_llm[..end].to_owned();
        if all.contains(text) || field(&polled, "running") == false {
            break;
        }
    }
    assert!(all.contains(text), "{all}");
    all
}

fn runs(words: &str) -> bool {
    !Command::new("pgrep").args(["-f", words]).output().unwrap().stdout.is_empty()
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

#[tokio::test]
async fn the_end_of_a_process_names_new_files_that_instruct_agents() {
    let house = house(json!({})).await;
    let script = "read line\necho x > CLAUDE.md\nread line";
    fs::write(house.folder.path().join("make.sh"), script).unwrap();
    let id = start(&house, "sh make.sh").await;
    let args = json!({ "action": "write", "id": id, "input": "go\n", "wait_ms": 20_000 });
    process(&house, args).await;
    let polled = process(&house, json!({ "action": "poll", "id": id, "wait_ms": 20_000 })).await;
    assert_eq!(field(&polled, "running"), false, "{}", polled.for_llm);
    assert!(polled.for_llm.contains("/CLAUDE.md came while it ran"), "{}", polled.for_llm);
    assert_eq!(field(&polled, "appeared").as_array().unwrap().len(), 1);
    let list = process(&house, json!({ "action": "list" })).await;
    assert!(field(&list, "processes")[0]["appeared"].is_array(), "{}", list.for_llm);
}

#[tokio::test]
async fn a_process_goes_on_after_the_call_and_reports_what_is_new() {
    let house = house(json!({})).await;
    let command = "echo one; sleep 1; echo two; sleep 8701";
    let started = process(&house, json!({ "action": "start", "command": command })).await;
    let (id, mut all) = (id(&started), field(&started, "output").as_str().unwrap().to_owned());
    for _ in 0..200 {
        let polled = process(&house, json!({ "action": "poll", "id": id, "wait_ms": 500 })).await;
        all += field(&polled, "output").as_str().unwrap();
        if all.contains("two") {
            break;
        }
    }
    assert_eq!(all, "one\ntwo\n");
    let list = process(&house, json!({ "action": "list" })).await;
    assert!(list.for_llm.contains("sleep 8701") && list.for_llm.contains("running"));
    let log = process(&house, json!({ "action": "log", "id": id, "offset": 0 })).await;
    assert!(log.for_llm.starts_with("one\ntwo\n[Bytes 0 to 8 of 8"), "{}", log.for_llm);
    let page = json!({ "action": "log", "id": id, "offset": 4, "limit": 2 });
    let log = process(&house, page).await;
    assert!(log.for_llm.starts_with("tw\n") && log.for_llm.contains("offset=6"), "{}", log.for_llm);
    let killed = process(&house, json!({ "action": "kill", "id": id })).await;
    assert_eq!(field(&killed, "running"), false);
    assert!(is_gone("sleep 8701").await);
}

#[tokio::test]
async fn a_process_reads_what_it_is_given_until_its_input_ends() {
    let house = house(json!({})).await;
    let id = start(&house, "while read -r line; do echo \"got $line\"; done; echo over").await;
    let write = |input: &str| json!({ "action": "write", "id": id, "input": input });
    process(&house, write("a\n")).await;
    assert_eq!(until(&house, &id, "got a").await, "got a\n");
    let args = json!({ "action": "write", "id": id, "input": "b\n", "end_of_input": true });
    process(&house, args).await;
    assert_eq!(until(&house, &id, "over").await, "got a\ngot b\nover\n");
    let ended = process(&house, json!({ "action": "poll", "id": id })).await;
    assert_eq!((field(&ended, "running"), field(&ended, "exit_code")), (&json!(false), &json!(0)));
    assert_eq!(process(&house, write("c\n")).await.code, Some(Code::NotFound));
}

#[tokio::test]
async fn what_is_not_read_may_not_pile_up() {
    let house = house(json!({})).await;
    let id = start(&house, "sleep 8711").await;
    let mut refused = None;
    for _ in 0..4 {
        let input = "x".repeat(600_000);
        let result = process(&house, json!({ "action": "write", "id": id, "input": input })).await;
        refused = result.is_error.then_some(result);
        if refused.is_some() {
            break;
        }
    }
    let refused = refused.unwrap();
    assert_eq!(refused.code, Some(Code::Unavailable), "{}", refused.for_llm);
}

#[tokio::test]
async fn a_terminal_is_one_for_the_program_too() {
    let house = house(json!({})).await;
    let args = json!({
        "action": "start", "command": "test -t 0 && test -t 2 && stty size; cat; echo end",
        "terminal": true, "rows": 31, "columns": 101,
    });
    let result = process(&house, args).await;
    assert!(!result.is_error, "{}", result.for_llm);
    let id = id(&result);
    assert!(until(&house, &id, "31 101").await.contains("31 101"));
    let args = json!({ "action": "write", "id": id, "input": "typed\n", "wait_ms": 5000 });
    process(&house, args).await;
    let args = json!({ "action": "write", "id": id, "end_of_input": true });
    process(&house, args).await;
    // Once as it is typed, once as it is printed.
    let all = until(&house, &id, "end").await;
    assert_eq!(all.matches("typed").count(), 2, "{all}");
}

#[tokio::test]
async fn control_c_reaches_the_program_at_the_terminal() {
    let house = house(json!({})).await;
    let command = "trap 'echo caught; exit 5' INT; echo ready; while :; do sleep 0.1; done";
    let args = json!({ "action": "start", "command": command, "terminal": true });
    let id = id(&process(&house, args).await);
    until(&house, &id, "ready").await;
    process(&house, json!({ "action": "write", "id": id, "input": "\u{3}" })).await;
    until(&house, &id, "caught").await;
}

#[tokio::test]
async fn a_signal_is_sent_to_a_process() {
    let house = house(json!({})).await;
    let id = start(&house, "trap 'echo usr' USR1; echo ready; while :; do sleep 0.1; done").await;
    until(&house, &id, "ready").await;
    let args = json!({ "action": "signal", "id": id, "signal": "USR1" });
    assert!(!process(&house, args).await.is_error);
    until(&house, &id, "usr").await;
    let args = json!({ "action": "signal", "id": id, "signal": "nosuch" });
    assert_eq!(process(&house, args).await.code, Some(Code::InvalidArguments));
}

#[tokio::test]
async fn a_process_belongs_to_its_session() {
    let house = house(json!({})).await;
    let id = start(&house, "sleep 8721").await;
    let others =
        [CallContext::new().session("other"), CallContext::new().session("s").tenant("elsewhere")];
    for cx in others {
        for action in ["poll", "log", "kill"] {
            let args = json!({ "action": action, "id": id });
            let result = house.rt.call(&cx, "process", args).await.unwrap();
            assert_eq!(result.code, Some(Code::NotFound), "{}", result.for_llm);
        }
        let list = house.rt.call(&cx, "process", json!({ "action": "list" })).await.unwrap();
        assert_eq!(list.for_llm, "This session has no processes.");
    }
    assert!(runs("sleep 8721"));
}

#[tokio::test]
async fn so_many_run_as_may_and_no_more() {
    let house = house(json!({ "processes": { "max_per_session": 2, "max": 3 } })).await;
    let first = start(&house, "sleep 8731").await;
    start(&house, "sleep 8732").await;
    let third = json!({ "action": "start", "command": "sleep 8733" });
    let refused = process(&house, third.clone()).await;
    assert_eq!(refused.code, Some(Code::Unavailable));
    assert!(refused.for_llm.contains("exec.processes.max_per_session"), "{}", refused.for_llm);
    assert!(!runs("sleep 8733"));
    process(&house, json!({ "action": "kill", "id": first })).await;
    assert!(!process(&house, third.clone()).await.is_error);
    let other = CallContext::new().session("other");
    assert!(!house.rt.call(&other, "process", third.clone()).await.unwrap().is_error);
    let refused = house.rt.call(&other, "process", third).await.unwrap();
    assert!(refused.for_llm.contains("`exec.processes.max`"), "{}", refused.for_llm);
}

#[tokio::test]
async fn a_process_dies_with_the_runtime_with_all_that_it_has_started() {
    let house = house(json!({})).await;
    let path = house.folder.path().join("server.sh");
    fs::write(&path, "trap '' TERM\n(setsid sleep 8741 &)\nsleep 8742\nsleep 8743").unwrap();
    start(&house, "bash ./server.sh").await;
    let began = Instant::now();
    house.rt.close().await.unwrap();
    assert!(is_gone("sleep 874[123]").await);
    assert!(began.elapsed() < Duration::from_secs(60));
    // A runtime that is dropped ends them as well.
    let house = self::house(json!({})).await;
    start(&house, "sleep 8744").await;
    drop(house);
    assert!(is_gone("sleep 8744").await);
}

#[tokio::test]
async fn a_process_is_judged_and_confined_as_any_command() {
    let house = house(json!({})).await;
    let denied = process(&house, json!({ "action": "start", "command": "rm -rf /" })).await;
    assert_eq!(denied.code, Some(Code::CommandDenied));
    let outside = house.folder.path().parent().unwrap().join("toolkeep-outside");
    let script = format!("echo x > {}; echo done", outside.display());
    fs::write(house.folder.path().join("attack.sh"), script).unwrap();
    let id = start(&house, "bash ./attack.sh").await;
    until(&house, &id, "done").await;
    assert!(!outside.exists());
    let none = process(&house, json!({ "action": "start", "command": "no-such-program" })).await;
    assert_eq!(none.code, Some(Code::NotFound), "{}", none.for_llm);
}

#[tokio::test]
async fn what_a_process_writes_is_masked_also_if_it_comes_in_halves() {
    let house = house(json!({})).await;
    let (one, two) = TOKEN.split_at(12);
    let script = format!("printf 'token={one}'; sleep 1; echo {two}; echo end");
    fs::write(house.folder.path().join("halves.sh"), script).unwrap();
    let id = start(&house, "bash ./halves.sh").await;
    let mut all = String::new();
    for _ in 0..200 {
        let polled = process(&house, json!({ "action": "poll", "id": id, "wait_ms": 500 })).await;
        all += field(&polled, "output").as_str().unwrap();
        if field(&polled, "running") == false {
            break;
        }
    }
    assert!(all.contains("[REDACTED:") && !all.contains(two) && !all.contains(one), "{all}");
    let log = until(&house, &id, "end").await;
    assert!(!log.contains(one) && log.contains("[REDACTED:"), "{log}");
}

#[tokio::test]
async fn exec_in_the_background_starts_a_process() {
    let house = house(json!({})).await;
    let args =
        json!({ "command": "cat; echo over; sleep 8751", "stdin": "in\n", "background": true });
    let result = house.call("exec", args).await;
    assert!(!result.is_error, "{}", result.for_llm);
    assert_eq!(until(&house, &id(&result), "over").await, "in\nover\n");
    let args = json!({ "command": "sleep 8752", "background": true, "timeout_ms": 500 });
    let id = id(&house.call("exec", args).await);
    assert!(is_gone("sleep 8752").await);
    let answer = process(&house, json!({ "action": "poll", "id": id, "wait_ms": 5000 })).await;
    assert!(answer.for_llm.contains("its time was over"), "{}", answer.for_llm);
}

#[tokio::test]
async fn code_runs_in_three_languages_and_is_read_before() {
    let house = house(json!({})).await;
    let run = |language: &str, code: &str| {
        let args = json!({ "language": language, "code": code, "stdin": "in" });
        house.call("execute_code", args)
    };
    let python = "import sys\nprint('it\\'s', sys.stdin.read(), 6 * 7)";
    assert_eq!(run("python", python).await.for_llm, "it's in 42\n");
    assert_eq!(run("bash", "for i in 1 2; do echo \"$i\"; done").await.for_llm, "1\n2\n");
    assert_eq!(
        run("node", "console.log([1, 2].map(x => `${x}!`).join())").await.for_llm,
        "1!,2!\n"
    );
    let denied = run("python", "import shutil\nshutil.rmtree('/')").await;
    assert_eq!(denied.code, Some(Code::CommandDenied), "{}", denied.for_llm);
    let failed = run("python", "raise SystemExit(7)").await;
    assert_eq!(field(&failed, "exit_code"), 7);
    let long = run("bash", &format!("# {}", "x".repeat(31_000))).await;
    assert!(long.is_error && long.for_llm.contains("write_file"), "{}", long.for_llm);
}
