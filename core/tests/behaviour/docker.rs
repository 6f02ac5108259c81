//! Commands in containers, with a real Docker Engine: what they give back, and what they cannot do.

mod clis;
mod custom;
mod life;
mod replaced;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolkeep::{CallContext, Code, Config, Runtime, ToolResult};
use toolkeep_test_docker::{Engine, IMAGE};

use crate::exec::FILLS;
use crate::support::{House, TOKEN, eventually};

/// A house whose commands run in containers, without anybody who could be asked.
async fn house(sandbox: Value) -> House {
    house_with(sandbox, json!({})).await
}

async fn house_with(sandbox: Value, exec: Value) -> House {
    let mut config = json!({ "approval": { "external": false }, "exec": exec });
    config["exec"]["sandbox"] = settings(sandbox);
    House::new(config).await
}

fn settings(sandbox: Value) -> Value {
    let mut settings = json!({
        "mode": "all",
        "image": IMAGE,
        "socket": Engine::shared().socket().to_str().unwrap(),
        "memory_mb": 64,
    });
    for (key, value) in sandbox.as_object().unwrap() {
        settings[key] = value.clone();
    }
    settings
}

async fn run(house: &House, command: &str) -> ToolResult {
    house.call("exec", json!({ "command": command })).await
}

/// Runs a script that the judge cannot look into.
async fn attack(house: &House, script: &str) -> ToolResult {
    attack_for(house, script, 60_000).await
}

async fn attack_for(house: &House, script: &str, timeout_ms: u64) -> ToolResult {
    program(&house.folder.path().join("attack.sh"), script);
    let args = json!({ "command": "sh ./attack.sh", "timeout_ms": timeout_ms });
    house.call("exec", args).await
}

fn program(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn folder(house: &House) -> PathBuf {
    house.folder.path().canonicalize().unwrap()
}

fn containers(house: &House) -> Vec<String> {
    Engine::shared().containers_with(&folder(house))
}

/// What runs in the containers of a house, besides what waits there.
fn processes(house: &House) -> String {
    let of = |id: &String| Engine::shared().docker(&["top", id, "-o", "pid,args"]);
    containers(house).iter().map(of).collect()
}

fn confinement(result: &ToolResult) -> Value {
    result.structured.as_ref().unwrap()["confinement"].clone()
}

fn number(result: &ToolResult, field: &str) -> i64 {
    result.structured.as_ref().unwrap()[field].as_i64().unwrap()
}

#[tokio::test]
async fn a_command_runs_in_a_container_and_says_so() {
    let house = house(json!({})).await;
    fs::create_dir(house.folder.path().join("sub")).unwrap();
    let result = run(&house, "echo one; echo two >&2; exit 3").await;
    assert_eq!(result.for_llm, "one\nSTDERR:\ntwo\n[Exit code 3]");
    assert_eq!((result.code, number(&result, "exit_code")), (Some(Code::ToolFailed), 3));
    assert_eq!(confinement(&result)["ran_in"], "sandbox");
    let args = json!({ "command": "pwd; cat -", "working_dir": "sub", "stdin": "given\n" });
    assert_eq!(house.call("exec", args).await.for_llm, "/workspace/sub\ngiven\n");
    let args = json!({ "command": "pwd", "working_dir": "/workspace/sub" });
    assert_eq!(house.call("exec", args).await.for_llm, "/workspace/sub\n");
    let args = json!({ "command": "pwd", "working_dir": folder(&house).join("sub") });
    assert_eq!(house.call("exec", args).await.for_llm, "/workspace/sub\n");
    let result = house.call("exec", json!({ "command": "pwd", "working_dir": "none" })).await;
    assert_eq!(result.code, Some(Code::NotFound), "{}", result.for_llm);
    let result = run(&house, "frobnicate --now").await;
    assert!(result.for_llm.contains("not in the sandbox's image"), "{}", result.for_llm);
    assert_eq!(containers(&house).len(), 1);
    house.rt.close().await.unwrap();
    assert_eq!(containers(&house).len(), 0);
}

#[tokio::test]
async fn much_output_comes_whole_and_masked() {
    let house = house(json!({})).await;
    fs::write(house.folder.path().join("log"), format!("key {TOKEN}\n").repeat(3)).unwrap();
    let result = run(&house, "cat log; seq 60000 | tail -n 1").await;
    assert!(!result.for_llm.contains(TOKEN), "{}", result.for_llm);
    assert!(result.for_llm.ends_with("60000\n"), "{}", result.for_llm);
    let result = run(&house, "seq 300000").await;
    let bytes = (1..=300_000_u64).map(|n| n.to_string().len() as i64 + 1).sum::<i64>();
    assert_eq!(number(&result, "stdout_bytes"), bytes);
    let input = "x".repeat(3 << 20);
    let args = json!({ "command": "wc -c", "stdin": input });
    assert_eq!(house.call("exec", args).await.for_llm.trim(), (3 << 20).to_string());
    let args = json!({ "command": "echo not reading", "stdin": input });
    assert_eq!(house.call("exec", args).await.for_llm, "not reading\n");
}

#[tokio::test]
async fn of_a_long_output_both_ends_are_shown_and_the_whole_is_read() {
    let house = house(json!({})).await;
    let page = async |result: &ToolResult, offset: u64| {
        let id = result.artifact.clone().unwrap();
        let args = json!({ "path": format!("artifact:{id}"), "offset": offset, "limit": 1 });
        house.call("read_file", args).await.for_llm
    };
    let result = run(&house, "seq 300000").await;
    assert!(result.for_llm.starts_with("1\n2\n"), "{}", result.for_llm);
    assert!(result.for_llm.ends_with("\n300000\n"), "{}", result.for_llm);
    assert!(result.for_llm.contains("bytes are left out here"), "{}", result.for_llm);
    assert!(page(&result, 222_221).await.starts_with("222222\n"));
    let result = attack_for(&house, "seq 100000; sleep 600", 2_000).await;
    assert_eq!(result.code, Some(Code::Timeout), "{}", result.for_llm);
    for part in ["\n100000\n", "[Ended after 2 s", "bytes are left out here"] {
        assert!(result.for_llm.contains(part), "{}", result.for_llm);
    }
    assert!(page(&result, 88_887).await.starts_with("88888\n"));
}

#[tokio::test]
async fn what_goes_on_in_the_background_reads_its_input_there_too() {
    let house = house(json!({})).await;
    // The log, since a look tells only what is new, and says between two that it runs.
    let until = async |id: &Value, whole: &str, running: bool| {
        let (mut answer, mut polled) = (String::new(), Value::Null);
        for _ in 0..50 {
            let args = json!({ "action": "poll", "id": id, "wait_ms": 500 });
            polled = house.call("process", args).await.structured.unwrap();
            let args = json!({ "action": "log", "id": id, "offset": 0 });
            answer = house.call("process", args).await.for_llm;
            if answer.starts_with(&format!("{whole}[Bytes")) && polled["running"] == running {
                return;
            }
        }
        panic!("{answer} {polled}");
    };
    let args = json!({ "command": "cat; echo over", "stdin": "given\n", "background": true });
    let id = house.call("exec", args).await.structured.unwrap()["id"].clone();
    until(&id, "given\nover\n", false).await;
    let args = json!({ "action": "start", "command": "while read x; do echo got $x; done" });
    let id = house.call("process", args).await.structured.unwrap()["id"].clone();
    house.call("process", json!({ "action": "write", "id": id, "input": "one\n" })).await;
    until(&id, "got one\n", true).await;
    let last = json!({ "action": "write", "id": id, "input": "two\n", "end_of_input": true });
    house.call("process", last).await;
    until(&id, "got one\ngot two\n", false).await;
}

#[tokio::test]
async fn input_that_a_command_has_not_read_is_no_command() {
    let house = house(json!({ "workspace_access": "rw" })).await;
    let input = "word\nno\necho x > /workspace/planted\nword\n";
    for command in ["true", "exec true", "read -r one"] {
        let args = json!({ "command": command, "stdin": input });
        assert!(!house.call("exec", args).await.is_error, "{command}");
    }
    // What were run of it would be done by then, or with this one.
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(run(&house, "ls -A; echo end").await.for_llm, "end\n");
}

#[tokio::test]
async fn who_stops_what_would_end_him_ends_with_his_container() {
    let house = house(json!({})).await;
    run(&house, "true").await;
    let stops = "trap '' TERM\nwhile :; do for p in /proc/[0-9]*; do p=${p#/proc/}\n\
                 [ $p -gt 1 ] && [ $p != $$ ] && kill -STOP $p; done; done 2>/dev/null";
    let began = Instant::now();
    let result = attack_for(&house, stops, 1_000).await;
    assert_eq!(result.code, Some(Code::Timeout), "{}", result.for_llm);
    assert!(began.elapsed() < Duration::from_secs(40), "{:?}", began.elapsed());
    assert_eq!(run(&house, "echo fine").await.for_llm, "fine\n");
    // Nor does it keep another command waiting.
    let args = json!({ "action": "start", "command": "sh ./attack.sh" });
    let id = house.call("process", args).await.structured.unwrap()["id"].clone();
    tokio::time::sleep(Duration::from_secs(2)).await;
    let began = Instant::now();
    let args = json!({ "command": "echo fine", "timeout_ms": 1_000 });
    house.call("exec", args).await;
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    house.call("process", json!({ "action": "kill", "id": id })).await;
    assert_eq!(run(&house, "echo fine").await.for_llm, "fine\n");
}

#[tokio::test]
async fn who_names_a_shell_that_waits_ends_with_his_command() {
    let house = house(json!({ "scope": "agent" })).await;
    // Two shells: one waits when the command of the other ends.
    let sleeps = run(&house, "sleep 1");
    let names = async {
        let script = "sleep 2; for p in /proc/[0-9]*; do TOOLKEEP_RUN=${p#/proc/} setsid sleep 8741 & done; echo $!";
        attack(&house, script).await
    };
    futures_util::future::join(sleeps, names).await;
    run(&house, "true").await;
    let left = run(&house, "ps").await.for_llm;
    assert!(!left.contains("sleep 8741"), "{left}");
}

#[tokio::test]
async fn a_terminal_is_one_for_the_program_there_too() {
    let house = house(json!({ "scope": "agent" })).await;
    let start = async |command: &str| {
        let args = json!({
            "action": "start", "command": command, "terminal": true, "rows": 31, "columns": 101,
        });
        let result = house.call("process", args).await;
        assert!(!result.is_error, "{}", result.for_llm);
        result.structured.unwrap()["id"].clone()
    };
    // The log, since the answer to the start may tell some of it.
    let until = async |id: &Value, part: &str| {
        let mut answer = String::new();
        for _ in 0..100 {
            let args = json!({ "action": "log", "id": id, "offset": 0 });
            answer = house.call("process", args).await.for_llm;
            if answer.contains(part) {
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{answer:?}");
    };
    let write = async |id: &Value, input: &str, end_of_input: bool| {
        let args = json!({
            "action": "write", "id": id, "input": input, "end_of_input": end_of_input,
        });
        assert!(!house.call("process", args).await.is_error);
    };
    let command =
        "tty; stty size; echo $TERM; exec 5<>/dev/tty && echo owned; cat; echo over; exit 7";
    let id = start(command).await;
    let said = until(&id, "owned").await;
    for part in ["/dev/pts/", "31 101", "xterm-256color"] {
        assert!(said.contains(part), "{said}");
    }
    write(&id, "typed\n", false).await;
    write(&id, "", true).await;
    // Once as it is typed, once as it is printed.
    let said = until(&id, "over").await;
    assert_eq!(said.matches("typed").count(), 2, "{said}");
    let ended = async |id: &Value| {
        let args = json!({ "action": "poll", "id": id, "wait_ms": 5_000 });
        house.call("process", args).await.structured.unwrap()["exit_code"].clone()
    };
    assert_eq!(ended(&id).await, 7);
    // The keys that interrupt are for the program, and what it leaves behind ends with it.
    let command =
        "trap 'echo caught; exit 5' INT; sleep 8731 & echo ready; while :; do sleep 0.1; done";
    let id = start(command).await;
    until(&id, "ready").await;
    write(&id, "\u{3}", false).await;
    until(&id, "caught").await;
    assert_eq!(ended(&id).await, 5);
    let id = start("stty raw -echo; echo ready; od -An -tx1 -N7; sleep 8732").await;
    until(&id, "ready").await;
    // Among them are those by which a client of the engine leaves a terminal.
    write(&id, "\u{10}\u{11}\u{1e}\u{4}all", false).await;
    until(&id, "10 11 1e 04 61 6c 6c").await;
    let args = json!({ "action": "kill", "id": id });
    assert!(!house.call("process", args).await.is_error);
    let is_left = |line: &&str| line.contains("sleep 873") || line.contains("kill -STOP");
    eventually(async || run(&house, "ps").await.for_llm.lines().filter(is_left).count() == 0).await;
}

#[tokio::test]
async fn a_command_can_do_no_more_than_its_container() {
    let house = house(json!({ "user": "1234:1234", "workspace_access": "ro" })).await;
    let script = "id -u; id -g\n\
                  grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status\n\
                  echo x > /etc/x; echo x > /usr-x; echo x > /workspace/x; echo x > /tmp/x && echo tmp\n\
                  mkdir -p /home/agent/a && echo home\n\
                  ls /sys/class/net\n\
                  ping -c 1 127.0.0.1 >/dev/null; wget -T 2 -q -O - http://192.0.2.1/; \n\
                  mount -t tmpfs none /mnt; mknod /tmp/disk b 8 0; echo x > /proc/sys/kernel/hostname\n\
                  cp /bin/busybox /tmp/true; /tmp/true; echo \"run $?\"\n\
                  cat /proc/self/limits | grep 'core file'";
    let result = attack(&house, script).await;
    let text = result.for_llm.split("STDERR").next().unwrap().to_owned();
    let lines: Vec<String> =
        text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let expected = [
        "1234",
        "1234",
        "CapEff: 0000000000000000",
        "CapBnd: 0000000000000000",
        "NoNewPrivs: 1",
        "Seccomp: 2",
        "tmp",
        "home",
        "lo",
        "run 126",
        "Max core file size 0 0 bytes",
    ];
    assert_eq!(lines, expected, "{}", result.for_llm);
    assert!(!house.folder.path().join("x").exists());
    for part in ["read_only_root", "no_capabilities", "no_new_privileges"] {
        let by = confinement(&result)["by"].clone();
        assert!(by.as_array().unwrap().contains(&json!(part)), "{by}");
    }
}

#[tokio::test]
async fn a_fork_bomb_and_a_memory_hog_stay_within_their_limits() {
    let house = house(json!({ "pids_limit": 40, "memory_mb": 32 })).await;
    let script = "i=0; while [ $i -lt 200 ]; do sleep 8711 & i=$((i+1)); done; echo not reached";
    let result = attack(&house, script).await;
    assert!(result.is_error, "{}", result.for_llm);
    assert!(!result.for_llm.starts_with("not reached"), "{}", result.for_llm);
    assert!(!processes(&house).contains("sleep 8711"), "{}", processes(&house));
    let result = attack(&house, "a=x; while true; do a=$a$a$a$a; done").await;
    assert!(result.is_error, "{}", result.for_llm);
    assert_eq!(run(&house, "echo still fine").await.for_llm, "still fine\n");
    let bomb = "b() { b | b & }; b; sleep 60";
    let began = Instant::now();
    let result = attack_for(&house, bomb, 1_500).await;
    assert!(result.is_error, "{}", result.for_llm);
    assert!(began.elapsed() < Duration::from_secs(40));
    assert_eq!(run(&house, "echo still fine").await.for_llm, "still fine\n");
}

#[tokio::test]
async fn a_container_has_the_processors_and_the_memory_that_are_set() {
    let house = house(json!({ "cpus": 0.25, "memory_mb": 48 })).await;
    run(&house, "true").await;
    let id = containers(&house).remove(0);
    let format = "{{.HostConfig.NanoCpus}} {{.HostConfig.Memory}} {{.HostConfig.MemorySwap}}";
    let inspected = Engine::shared().docker(&["inspect", "--format", format, &id]);
    assert_eq!(inspected, format!("250000000 {0} {0}", 48 << 20));
}

#[tokio::test]
async fn a_timeout_ends_everything_inside() {
    let house = house(json!({})).await;
    let script = "echo begun\n(setsid sh -c 'sleep 8721 & sleep 8722' &)\n\
                  (env -i setsid sleep 8723 &)\nnohup sleep 8724 >/dev/null 2>&1 &\ntrap '' TERM\n\
                  while true; do sleep 1; done";
    let result = attack_for(&house, script, 700).await;
    assert_eq!(result.code, Some(Code::Timeout), "{}", result.for_llm);
    assert!(result.for_llm.starts_with("begun\n"), "{}", result.for_llm);
    assert!(!processes(&house).contains("sleep 872"), "{}", processes(&house));
    assert_eq!(run(&house, "echo the same").await.for_llm, "the same\n");
    assert_eq!(containers(&house).len(), 1);
}

#[tokio::test]
async fn what_a_command_leaves_behind_is_ended_with_it_and_others_go_on() {
    let house = house(json!({})).await;
    let slow = json!({ "command": "sh -c 'sleep 1.5 & wait; echo slow'" });
    let slow = house.call("exec", slow);
    let quick = async {
        tokio::time::sleep(Duration::from_millis(700)).await;
        let left =
            attack(&house, "(setsid sleep 8731 &) ; (env -i setsid sleep 8732 &); echo left");
        left.await
    };
    let (slow, quick) = tokio::join!(slow, quick);
    assert_eq!((&*slow.for_llm, &*quick.for_llm), ("slow\n", "left\n"));
    assert!(!processes(&house).contains("sleep 873"), "{}", processes(&house));
}

#[tokio::test]
async fn a_call_that_is_given_up_ends_its_command() {
    let house = house(json!({})).await;
    run(&house, "true").await;
    let call = house.call("exec", json!({ "command": "sleep 8741" }));
    assert!(tokio::time::timeout(Duration::from_millis(600), call).await.is_err());
    eventually(async || !processes(&house).contains("sleep 8741")).await;
}

#[tokio::test]
async fn a_process_in_the_background_runs_in_the_container_too() {
    let house = house(json!({})).await;
    let args =
        json!({ "command": "while true; do echo tick; sleep 8756; done", "background": true });
    let result = house.call("exec", args).await;
    assert!(!result.is_error, "{}", result.for_llm);
    eventually(async || processes(&house).contains("sleep 8756")).await;
    assert_eq!(run(&house, "echo beside it").await.for_llm, "beside it\n");
    assert!(processes(&house).contains("sleep 8756"), "another command's end is not its end");
    house.rt.close().await.unwrap();
    assert_eq!(containers(&house).len(), 0);
}

#[tokio::test]
async fn killing_its_own_shell_leaves_nothing_behind() {
    let house = house(json!({})).await;
    let result = attack(&house, "(setsid sleep 8751 &); kill -9 $PPID; sleep 8752").await;
    assert!(result.is_error, "{}", result.for_llm);
    eventually(async || !processes(&house).contains("sleep 875")).await;
    let result = attack(&house, "kill -9 -1; sleep 8753").await;
    assert!(result.is_error, "{}", result.for_llm);
    assert_eq!(run(&house, "echo again").await.for_llm, "again\n");
    assert!(!processes(&house).contains("sleep 875"), "{}", processes(&house));
}

#[tokio::test]
async fn no_variable_of_the_host_and_none_in_sight_of_others() {
    let exec =
        json!({ "environment": { "inherit": ["CARGO_MANIFEST_DIR"], "set": { "GIVEN": "it's" } } });
    let house = house_with(json!({}), exec).await;
    let result = attack(&house, "env").await;
    let has = |text: &str| result.for_llm.lines().any(|line| line == text);
    assert!(has("GIVEN=it's") && has("HOME=/home/agent"), "{}", result.for_llm);
    assert!(!result.for_llm.contains("CARGO"), "{}", result.for_llm);
    let id = containers(&house).remove(0);
    let inspected = Engine::shared().docker(&["inspect", &id]);
    assert!(!inspected.contains("it's") && !inspected.contains("GIVEN"), "{inspected}");
    assert!(!processes(&house).contains("GIVEN"));
}

#[tokio::test]
async fn file_tools_and_commands_work_on_the_same_files() {
    let house = house(json!({})).await;
    let args = json!({ "path": "/workspace/a.txt", "content": "from a tool\n" });
    assert!(!house.call("write_file", args).await.is_error);
    assert_eq!(
        run(&house, "cat /workspace/a.txt; echo command > b.txt").await.for_llm,
        "from a tool\n"
    );
    let read = house.call("read_file", json!({ "path": "/workspace/b.txt" })).await;
    assert!(read.for_llm.contains("command"), "{}", read.for_llm);
    let answer = house.call("workspace_dir", json!({})).await;
    assert!(answer.for_llm.contains("`/workspace`"), "{}", answer.for_llm);
}

#[tokio::test]
async fn file_tools_may_do_no_more_than_commands() {
    let read = house(json!({ "workspace_access": "ro" })).await;
    fs::write(read.folder.path().join("a.txt"), "text\n").unwrap();
    let result = read.call("write_file", json!({ "path": "b.txt", "content": "x" })).await;
    assert_eq!(result.code, Some(Code::AccessDenied), "{}", result.for_llm);
    let result = read.call("read_file", json!({ "path": "a.txt" })).await;
    assert!(result.for_llm.contains("text"), "{}", result.for_llm);
    assert_eq!(run(&read, "cat a.txt").await.for_llm, "text\n");
    let result = run(&read, "echo x > b.txt").await;
    assert!(result.for_llm.contains("only `/tmp`"), "{}", result.for_llm);

    let none = house(json!({ "workspace_access": "none" })).await;
    fs::write(none.folder.path().join("a.txt"), "text\n").unwrap();
    let result = none.call("read_file", json!({ "path": "a.txt" })).await;
    assert_eq!(result.code, Some(Code::Unavailable), "{}", result.for_llm);
    assert!(result.for_llm.contains("sandbox"), "{}", result.for_llm);
    assert_eq!(run(&none, "ls; echo own > b.txt; pwd").await.for_llm, "/workspace\n");
    assert_eq!(run(&none, "cat b.txt").await.for_llm, "own\n");
    assert!(!none.folder.path().join("b.txt").exists());
}

#[tokio::test]
async fn what_is_closed_is_closed_in_a_container_and_links_lead_nowhere() {
    let mut config = json!({ "approval": { "external": false }, "files": { "deny": ["keys", "pin", "**/*.pem"] } });
    config["exec"] = json!({ "sandbox": settings(json!({})) });
    let house = House::new(config).await;
    let at = |name: &str| house.folder.path().join(name);
    fs::create_dir_all(at(".git/hooks")).unwrap();
    fs::create_dir(at("keys")).unwrap();
    fs::write(at("keys/a"), "private-words").unwrap();
    fs::write(at("pin"), "private-words").unwrap();
    fs::create_dir(at("sub")).unwrap();
    fs::write(at("sub/server.pem"), "private-words").unwrap();
    let outside = tempfile::tempdir_in("/var").unwrap();
    fs::write(outside.path().join("x"), "outside-words").unwrap();
    std::os::unix::fs::symlink(outside.path(), at("out")).unwrap();
    let script = "cat ke*/a pi? sub/* out/x /etc/shadow; echo x > .git/hooks/pre-commit; mv .git .moved; echo end";
    let result = attack(&house, script).await;
    assert!(result.for_llm.starts_with("end\n"), "{}", result.for_llm);
    assert!(!result.for_llm.contains("-words"), "{}", result.for_llm);
    assert_eq!(fs::read_dir(at(".git/hooks")).unwrap().count(), 0);
}

#[tokio::test]
async fn where_there_is_no_engine_or_image_nothing_runs() {
    let house = house(json!({ "socket": "/nonexistent/docker.sock" })).await;
    let result = run(&house, "touch ran").await;
    assert_eq!(result.code, Some(Code::Unavailable), "{}", result.for_llm);
    assert!(result.for_llm.contains("/nonexistent/docker.sock"), "{}", result.for_llm);
    assert!(!house.folder.path().join("ran").exists());
    let capabilities = house.rt.capabilities().await.unwrap().sandbox;
    assert_eq!(capabilities.engine, None);
    assert!(capabilities.missing[0].contains("no Docker Engine"), "{:?}", capabilities.missing);
    let house = self::house(json!({ "image": "toolkeep-test/none" })).await;
    let result = run(&house, "touch ran").await;
    assert!(result.for_llm.contains("docker pull"), "{}", result.for_llm);
    assert!(!house.folder.path().join("ran").exists());
    let capabilities = house.rt.capabilities().await.unwrap().sandbox;
    assert!(capabilities.engine.is_some() && capabilities.missing.is_empty(), "{capabilities:?}");
}

#[tokio::test]
async fn what_is_misspelt_is_an_error() {
    for (key, value) in [
        ("mode", json!("on")),
        ("mode", json!("non_main")),
        ("mod", json!("all")),
        ("workspace_access", json!("readonly")),
        ("scope", json!("user")),
        ("network", json!("host")),
        ("cpus", json!(0)),
    ] {
        let mut sandbox = json!({ "mode": "all" });
        sandbox[key] = value;
        let config = json!({ "exec": { "sandbox": sandbox } });
        let error = match Config::from_value(config) {
            Ok(config) => Runtime::builder().config(config).build().await.err().unwrap(),
            Err(error) => error,
        };
        assert!(error.message().contains("exec.sandbox"), "{}", error.message());
    }
}

#[tokio::test]
async fn what_fills_the_disk_of_the_workspace_is_ended_before_it_is_full() {
    let exec = json!({ "sandbox": settings(json!({})) });
    let config = json!({ "approval": { "external": false }, "exec": exec });
    let house = House::with_room(16, config).await;
    let result = attack(&house, FILLS).await;
    assert!(result.for_llm.contains("used up the disk"), "{}", result.for_llm);
    let parts = fs::read_dir(house.folder.path()).unwrap().count();
    assert!(parts < 900, "{parts}");
    assert_eq!(run(&house, "echo fine").await.for_llm, "fine\n");
}

#[tokio::test]
async fn many_commands_at_once_leave_nothing_behind() {
    let rounds = if std::env::var_os("TOOLKEEP_SOAK").is_some() { 32 } else { 2 };
    let house = house(json!({ "scope": "shared" })).await;
    run(&house, "true").await;
    let open = || fs::read_dir("/proc/self/fd").unwrap().count();
    for round in 0..rounds {
        let calls = (0..32).map(|n| {
            let cx = CallContext::new().session(format!("s{n}-{round}"));
            let rt = house.rt.clone();
            async move {
                let args = json!({ "command": format!("(sleep 8761 &); echo {n}") });
                rt.call(&cx, "exec", args).await.unwrap().for_llm
            }
        });
        for (n, text) in futures_util::future::join_all(calls).await.into_iter().enumerate() {
            assert_eq!(text, format!("{n}\n"));
        }
    }
    assert!(!processes(&house).contains("sleep 8761"), "{}", processes(&house));
    assert!(open() < 512, "{} descriptors are open", open());
    assert_eq!(containers(&house).len(), 1);
    house.rt.close().await.unwrap();
    assert_eq!(containers(&house).len(), 0);
}
