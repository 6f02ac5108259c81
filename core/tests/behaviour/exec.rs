//! Commands that run: what they give back, and what they cannot do, with the real thing.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolkeep::tool::Caller;
use toolkeep::{ApprovalAnswer, Approve, CallContext, Code, Config, Runtime, ToolResult};

use crate::support::{House, TOKEN};

/// A house in which nobody can be asked: what is not understood runs, in a confinement.
async fn house(exec: Value) -> House {
    House::new(json!({ "approval": { "external": false }, "exec": exec })).await
}

async fn run(house: &House, command: &str) -> ToolResult {
    house.call("exec", json!({ "command": command })).await
}

/// Runs a script that the judge cannot look into.
async fn attack(house: &House, script: &str) -> ToolResult {
    let path = house.folder.path().join("attack.sh");
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    run(house, "bash ./attack.sh").await
}

/// Fills a disk with files of which none is large, and does not heed what asks it to end.
pub const FILLS: &str = "trap '' TERM\nn=0\nwhile [ $n -lt 1000 ]; do\n\
                         head -c 1000000 /dev/zero > part$n\nsleep 0.02\nn=$((n + 1))\ndone";

fn number(result: &ToolResult, field: &str) -> i64 {
    result.structured.as_ref().unwrap()[field].as_i64().unwrap()
}

/// True if a process with these words runs on the machine.
fn runs(words: &str) -> bool {
    let found = Command::new("pgrep").args(["-f", words]).output().unwrap();
    !found.stdout.is_empty()
}

/// Waits until none does, for as long as a machine at work may take.
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
async fn a_command_gives_what_it_writes_and_how_it_ends() {
    let house = house(json!({})).await;
    let result = run(&house, "echo one; echo two >&2").await;
    assert_eq!(result.for_llm, "one\nSTDERR:\ntwo\n");
    assert!(!result.is_error && result.silent);
    assert_eq!(number(&result, "exit_code"), 0);
    let result = run(&house, "echo partial; exit 3").await;
    assert_eq!(result.for_llm, "partial\n[Exit code 3]");
    assert_eq!((result.code, number(&result, "exit_code")), (Some(Code::ToolFailed), 3));
    assert_eq!(run(&house, "true").await.for_llm, "The command has written nothing.");
    let result = run(&house, "kill -SEGV $$").await;
    assert_eq!(number(&result, "signal"), 11);
}

#[tokio::test]
async fn a_command_starts_in_the_folder_asked_for_with_the_input_given() {
    let house = house(json!({})).await;
    fs::create_dir(house.folder.path().join("sub")).unwrap();
    let args = json!({ "command": "pwd; cat", "working_dir": "sub", "stdin": "given" });
    let result = house.call("exec", args).await;
    let at = house.folder.path().canonicalize().unwrap().join("sub");
    assert_eq!(result.for_llm, format!("{}\ngiven", at.display()));
    let result = house.call("exec", json!({ "command": "pwd", "working_dir": "none" })).await;
    assert_eq!(result.code, Some(Code::NotFound));
    assert!(result.for_llm.contains("`working_dir`"), "{}", result.for_llm);
}

#[tokio::test]
async fn what_is_denied_does_not_run_and_what_is_unknown_is_said() {
    let house = house(json!({})).await;
    fs::write(house.folder.path().join("kept"), "x").unwrap();
    let result = run(&house, "rm -rf kept").await;
    assert_eq!(result.code, Some(Code::CommandDenied));
    assert!(house.folder.path().join("kept").exists());
    let result = run(&house, "no-such-program-here --at all").await;
    assert_eq!(result.code, Some(Code::NotFound), "{}", result.for_llm);
    assert!(result.for_llm.contains("`no-such-program-here`"), "{}", result.for_llm);
}

#[tokio::test]
async fn its_output_is_masked_and_its_environment_holds_no_secret() {
    let house = house(json!({})).await;
    fs::write(house.folder.path().join("log"), format!("token={TOKEN}\n")).unwrap();
    let result = run(&house, "cat log").await;
    assert!(result.for_llm.contains("[REDACTED:") && !result.for_llm.contains(TOKEN));
    let result = attack(&house, "env").await;
    for line in result.for_llm.lines() {
        let name = line.split('=').next().unwrap();
        assert!(!["CARGO_MANIFEST_DIR", "LD_LIBRARY_PATH"].contains(&name), "{line}");
    }
    assert!(result.for_llm.contains("PATH=/"), "{}", result.for_llm);
}

#[tokio::test]
async fn a_command_without_an_end_is_ended_on_time_with_all_that_it_has_started() {
    let house = house(json!({ "timeout_seconds": 1 })).await;
    let began = Instant::now();
    let script = "trap '' TERM\n(setsid sh -c 'trap \"\" TERM; exec sleep 8641' &)\n\
                  echo partial\nsleep 8642\nsleep 8643";
    let result = attack(&house, script).await;
    assert_eq!(result.code, Some(Code::Timeout), "{}", result.for_llm);
    assert!(result.for_llm.starts_with("partial\n"), "{}", result.for_llm);
    assert!(began.elapsed() < Duration::from_secs(30));
    assert!(is_gone("sleep 864[123]").await);
}

#[tokio::test]
async fn what_a_command_leaves_behind_is_ended_with_it_and_does_not_hold_the_call() {
    let house = house(json!({})).await;
    let began = Instant::now();
    let result = attack(&house, "(setsid setsid sleep 8651 &)\nsleep 8652 &\necho done").await;
    assert_eq!(result.for_llm, "done\n");
    assert!(began.elapsed() < Duration::from_secs(30));
    assert!(is_gone("sleep 865[12]").await);
}

#[tokio::test]
async fn a_call_that_is_given_up_ends_its_command() {
    let house = house(json!({})).await;
    let calling = house.call("exec", json!({ "command": "sleep 8661" }));
    let waited = tokio::time::timeout(Duration::from_secs(3), calling).await;
    assert!(waited.is_err());
    assert!(is_gone("sleep 8661").await);
}

#[tokio::test]
async fn nothing_is_written_outside_and_no_link_leads_there() {
    let house = house(json!({})).await;
    let outside = tempfile::tempdir_in("/var").unwrap();
    let at = outside.path().display();
    symlink(outside.path(), house.folder.path().join("out")).unwrap();
    let script = format!(
        "echo x > {at}/direct\necho x > out/linked\nln -s {at} late; echo x > late/linked\n\
         echo x > /etc/toolkeep-was-here\necho x > $HOME/.toolkeep-was-here\necho fine > inside\n\
         mkdir -p /tmp/a; echo fine > /tmp/a/b; cat /tmp/a/b"
    );
    let result = attack(&house, &script).await;
    assert!(result.for_llm.starts_with("fine\n"), "{}", result.for_llm);
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    assert!(!fs::exists("/etc/toolkeep-was-here").unwrap());
    assert_eq!(fs::read_to_string(house.folder.path().join("inside")).unwrap(), "fine\n");
    let seen = run(&house, "cat /tmp/a/b").await;
    assert_eq!(seen.for_llm, "fine\n", "the next command of the session has the same /tmp");
    let other = CallContext::new().session("another");
    let other = house.rt.call(&other, "exec", json!({ "command": "cat /tmp/a/b" })).await.unwrap();
    assert!(other.is_error, "another session has another: {}", other.for_llm);
}

#[tokio::test]
async fn what_is_closed_to_files_is_closed_to_commands_and_hooks_stay_as_they_are() {
    let config = json!({ "approval": { "external": false }, "files": { "deny": ["keys"] } });
    let house = House::new(config).await;
    let at = |name: &str| house.folder.path().join(name);
    fs::create_dir_all(at(".git/hooks")).unwrap();
    fs::write(at(".git/config"), "[core]\n").unwrap();
    fs::create_dir(at("keys")).unwrap();
    fs::write(at("keys/a"), "private-words").unwrap();
    let script = "cat ke*/a\ncat /etc/shadow\necho x > .git/hooks/pre-commit\necho x >> .git/config\n\
                  mv .git .moved\necho end";
    let result = attack(&house, script).await;
    assert!(result.for_llm.starts_with("end\n"), "{}", result.for_llm);
    assert!(!result.for_llm.contains("private-words"), "{}", result.for_llm);
    assert_eq!(fs::read_dir(at(".git/hooks")).unwrap().count(), 0);
    assert_eq!(fs::read_to_string(at(".git/config")).unwrap(), "[core]\n");
}

#[tokio::test]
async fn a_script_does_not_set_up_shells_and_who_names_their_files_needs_the_owners_word() {
    let house = House::new(json!({ "approval": { "external": false } })).await;
    let at = |name: &str| house.folder.path().join(name);
    for name in [".bashrc", ".npmrc", ".envrc"] {
        fs::write(at(name), "as it was\n").unwrap();
    }
    let script = "echo x > .bashrc; echo x >> .npmrc; rm -f .envrc; mv .npmrc other; echo end";
    let result = attack(&house, script).await;
    assert!(result.for_llm.starts_with("end\n"), "{}", result.for_llm);
    for name in [".bashrc", ".npmrc", ".envrc"] {
        assert_eq!(fs::read_to_string(at(name)).unwrap(), "as it was\n", "{name}");
    }
    let name = "echo save-exact=true > .npmrc";
    let result = run(&house, name).await;
    assert_eq!(result.code, Some(Code::ApprovalDenied), "{}", result.for_llm);
    assert_eq!(result.rule.as_deref(), Some("shell.protected"));
    assert_eq!(fs::read_to_string(at(".npmrc")).unwrap(), "as it was\n");
    let files = json!({ "open": [".npmrc"] });
    let house = House::new(json!({ "approval": { "external": false }, "files": files })).await;
    fs::write(house.folder.path().join(".npmrc"), "as it was\n").unwrap();
    let result = run(&house, name).await;
    assert!(!result.is_error, "{}", result.for_llm);
    let text = fs::read_to_string(house.folder.path().join(".npmrc")).unwrap();
    assert_eq!(text, "save-exact=true\n");
}

#[tokio::test]
async fn a_reviewer_does_not_write_what_his_team_shares_by_a_command_either() {
    let house = House::new(json!({ "approval": { "external": false } })).await;
    let at = |name: &str| house.folder.path().join(name);
    fs::create_dir(at("team")).unwrap();
    fs::write(at("team/a.txt"), "as it was\n").unwrap();
    fs::write(
        at("a.sh"),
        "cat team/a.txt; echo x > team/a.txt; echo x > team/b; mv team t; echo x > own",
    )
    .unwrap();
    let team = at("team");
    for role in ["reviewer", "member"] {
        let cx = json!({
            "session": "s", "agent": "a", "team": "t", "team_role": role, "team_workspace": team,
        });
        let cx = CallContext::from(Caller::from_value(&cx).unwrap());
        let result = house.rt.call(&cx, "exec", json!({ "command": "sh ./a.sh" })).await.unwrap();
        assert!(result.for_llm.starts_with("as it was\n"), "{}", result.for_llm);
        assert!(fs::exists(at("own")).unwrap(), "{}", result.for_llm);
        let text =
            fs::read_to_string(at(if role == "reviewer" { "team/a.txt" } else { "t/a.txt" }));
        assert_eq!(text.unwrap(), if role == "reviewer" { "as it was\n" } else { "x\n" });
        assert!(!fs::exists(at("team/b")).unwrap());
    }
}

#[tokio::test]
async fn what_globs_close_is_closed_and_new_files_that_instruct_agents_are_reported() {
    let deny = json!(["**/*.pem", "private-*"]);
    let config = json!({ "approval": { "external": false }, "files": { "deny": deny } });
    let house = House::new(config).await;
    let at = |name: &str| house.folder.path().join(name);
    for folder in ["a/b", "a/private-d", ".git"] {
        fs::create_dir_all(at(folder)).unwrap();
    }
    for file in ["a/b/server.pem", "own.PEM", "a/private-d/x"] {
        fs::write(at(file), "closed-words").unwrap();
    }
    let script = "cat a/b/* own.PEM a/private-d/*; mv a moved; echo x > .git/hooks/pre-commit\n\
                  echo x > other.md; echo end";
    let result = attack(&house, script).await;
    assert!(result.for_llm.starts_with("end\n"), "{}", result.for_llm);
    assert!(!result.for_llm.contains("closed-words"), "{}", result.for_llm);
    assert_eq!(fs::read_dir(at(".git/hooks")).unwrap().count(), 0);
    let result = attack(&house, "echo x > CLAUDE.md").await;
    assert!(result.for_llm.contains("/CLAUDE.md came while it ran"), "{}", result.for_llm);
    let appeared = result.structured.unwrap()["appeared"].clone();
    assert_eq!(appeared.as_array().unwrap().len(), 1, "{appeared}");
    let result = attack(&house, "rm CLAUDE.md; echo x > other.md").await;
    assert!(result.structured.unwrap().get("appeared").is_none());
}

#[tokio::test]
async fn what_fills_a_disk_with_many_files_is_ended_before_it_is_full() {
    let house = House::with_room(16, json!({ "approval": { "external": false } })).await;
    let result = attack(&house, FILLS).await;
    assert!(result.for_llm.contains("used up the disk"), "{}", result.for_llm);
    assert_eq!(result.code, Some(Code::ToolFailed));
    let parts = fs::read_dir(house.folder.path()).unwrap().count();
    assert!(parts < 900, "{parts}");
    // What writes nothing still runs there.
    assert_eq!(run(&house, "echo fine; sleep 0.3").await.for_llm, "fine\n");
}

#[tokio::test]
async fn a_service_that_ends_while_walls_are_built_keeps_no_command_from_running() {
    let house = house(json!({})).await;
    let services = tempfile::tempdir_in("/var").unwrap();
    let socket = services.path().join("comes-and-goes");
    let goes_on = Arc::new(());
    let watched = Arc::downgrade(&goes_on);
    let service = thread::spawn(move || {
        while watched.strong_count() > 0 {
            let service = UnixListener::bind(&socket).unwrap();
            thread::sleep(Duration::from_millis(20));
            drop(service);
            fs::remove_file(&socket).unwrap();
            thread::sleep(Duration::from_millis(20));
        }
    });
    for n in 0..60 {
        assert_eq!(run(&house, &format!("echo {n}")).await.for_llm, format!("{n}\n"));
    }
    drop(goes_on);
    service.join().unwrap();
}

#[tokio::test]
async fn there_is_no_network_and_no_service_of_the_machine() {
    let house = house(json!({})).await;
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = tcp.local_addr().unwrap().port();
    let services = tempfile::tempdir_in("/var").unwrap();
    let socket = services.path().join("service.sock");
    let _service = UnixListener::bind(&socket).unwrap();
    let script = format!(
        "python3 - <<'END'\nimport socket\n\
         def tried(name, family, address):\n    s = socket.socket(family)\n    s.connect(address)\n    \
         print(name, 'reached')\n\
         for name, family, address in [('tcp', socket.AF_INET, ('127.0.0.1', {port})), \
         ('unix', socket.AF_UNIX, '{}')]:\n    try:\n        tried(name, family, address)\n    \
         except OSError as error:\n        print(name, 'refused')\nEND\n",
        socket.display()
    );
    let result = attack(&house, &script).await;
    assert_eq!(result.for_llm, "tcp refused\nunix refused\n");
}

/// A server of this machine at a loopback address, which says its name to everybody.
fn server(address: &str, name: &'static str) -> u16 {
    let listener = TcpListener::bind((address, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut request = [0; 1024];
            let _ = stream.read(&mut request);
            let length = name.len();
            let _ = write!(stream, "HTTP/1.0 200 OK\r\nContent-Length: {length}\r\n\r\n{name}");
        }
    });
    port
}

#[tokio::test]
async fn a_command_reaches_the_hosts_that_it_names_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let groups = json!({ "data_exfiltration": "off", "reverse_shell": "off" });
    let config = json!({ "workspace": folder.path(), "shell": { "groups": groups } });
    let rt = Runtime::builder()
        .config(Config::from_value(config).unwrap())
        .on(Approve, |_, _| async { Ok(Some(ApprovalAnswer::allow())) })
        .build()
        .await
        .unwrap();
    let (named, other) = (server("127.0.0.9", "named"), server("127.0.0.8", "other"));
    let own = server("127.0.0.1", "own");
    let probe = format!(
        "import socket\nfor host, port in [('127.0.0.9', {named}), ('127.0.0.8', {other}), \
         ('127.0.0.9', {other}), ('127.0.0.1', {own}), ('h.example', 80)]:\n    try:\n        \
         socket.create_connection((host, port), 5)\n        print('reached')\n    \
         except OSError as error:\n        print('refused')\n"
    );
    fs::write(folder.path().join("probe.py"), probe).unwrap();
    let run = async |command: &str| {
        let args = json!({ "command": command });
        rt.call(&CallContext::new().session("s"), "exec", args).await.unwrap()
    };
    let command = format!("curl -s http://127.0.0.9:{named}/; echo; python3 probe.py");
    let result = run(&command).await;
    assert_eq!(result.for_llm, "named\nreached\nrefused\nrefused\nrefused\nrefused\n");
    let answer = &result.structured.as_ref().unwrap()["confinement"];
    assert_eq!(answer["hosts"], json!(["127.0.0.9"]));
    let result =
        run(&format!("curl -s http://localhost:{own}/; curl -s http://10.9.8.7:{own}/x")).await;
    assert!(result.for_llm.starts_with("own"), "{}", result.for_llm);
    // A name of somebody else's that leads to this machine leads nowhere.
    let result = run(&format!("curl -sS --max-time 20 http://vm.toolkeep.invalid:{own}/")).await;
    assert!(result.is_error && !result.for_llm.contains("own"), "{}", result.for_llm);
    fs::write(folder.path().join("far.sh"), "curl -sS http://far.toolkeep.invalid/").unwrap();
    let result = run("bash ./far.sh").await;
    assert!(result.for_llm.contains("without a network"), "{}", result.for_llm);
    let result = run("curl -s 'http://[2001:db8::1]/'").await;
    assert!(result.for_llm.contains("2001:db8::1"), "{}", result.for_llm);
    rt.close().await.unwrap();
}

#[tokio::test]
async fn no_other_process_is_seen_or_touched() {
    let house = house(json!({})).await;
    let mut sibling = Command::new("sleep").arg("8671").spawn().unwrap();
    let script = format!(
        "kill -9 {0}; cat /proc/{0}/environ; ls /proc/{0}/root; ls /proc | grep -c '^[0-9]'\n\
         python3 - <<'END'\nimport ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n\
         print(libc.ptrace(16, {0}, 0, 0), libc.unshare(0x10000000), libc.mount(b'a', b'/mnt', \
         b'tmpfs', 0, None))\nEND\n",
        sibling.id()
    );
    let result = attack(&house, &script).await;
    assert!(result.for_llm.contains("-1 -1 -1"), "{}", result.for_llm);
    assert!(sibling.try_wait().unwrap().is_none(), "it was ended: {}", result.for_llm);
    sibling.kill().unwrap();
    sibling.wait().unwrap();
}

#[tokio::test]
async fn a_fork_bomb_and_a_full_disk_stay_within_their_limits() {
    let limits = json!({ "limits": { "processes": 64, "file_mb": 1, "memory_mb": 256 } });
    let house = house(limits).await;
    let script = "head -c 3000000 /dev/zero > big\npython3 - <<'END'\nimport os\ncount = 0\ntry:\n    \
                  while count < 200:\n        if os.fork() == 0:\n            os.execvp('sleep', \
                  ['sleep', '8681'])\n        count += 1\nexcept OSError:\n    pass\nprint(count)\nEND";
    let result = attack(&house, script).await;
    let numbers: Vec<u64> = result.for_llm.lines().filter_map(|line| line.parse().ok()).collect();
    assert!(numbers[0] < 64, "{}", result.for_llm);
    let big = fs::metadata(house.folder.path().join("big"));
    let big = big.unwrap_or_else(|_| panic!("{}", result.for_llm));
    assert!(big.len() <= 1 << 20, "{}", result.for_llm);
    assert!(is_gone("sleep 8681").await);
}

#[tokio::test]
async fn what_uses_more_memory_than_it_may_is_ended() {
    let house = house(json!({ "limits": { "memory_mb": 64 } })).await;
    let grows = "python3 -c 'text = \"x\" * (1 << 20)\nwhile len(text) < 1 << 29: text += text'";
    let script = format!("{}\necho \"and then $?\"", grows.replace("\\n", "\n"));
    let result = attack(&house, &script).await;
    if house.rt.capabilities().await.unwrap().cgroups {
        assert!(result.for_llm.contains("and then 137"), "{}", result.for_llm);
        let result = attack(&house, &format!("exec {}", grows.replace("\\n", "\n"))).await;
        assert_eq!(result.code, Some(Code::ToolFailed));
        assert!(result.for_llm.contains("more memory than it may"), "{}", result.for_llm);
    } else {
        let missing = &result.structured.unwrap()["confinement"]["missing"];
        assert!(missing.to_string().contains("`exec.limits.memory_mb`"), "{missing}");
    }
    assert_eq!(run(&house, "echo fine").await.for_llm, "fine\n");
}

#[tokio::test]
async fn a_profile_that_only_reads_writes_nothing() {
    let house = house(json!({ "confinement": "read-only" })).await;
    let result = attack(&house, "echo x > here; echo fine > /tmp/x; cat /tmp/x attack.sh").await;
    assert!(result.for_llm.starts_with("fine\n"), "{}", result.for_llm);
    assert!(!house.folder.path().join("here").exists());
}

#[tokio::test]
async fn without_a_confinement_nothing_runs_that_nobody_allowed() {
    let house = house(json!({ "confinement": "off" })).await;
    assert_eq!(run(&house, "echo fine").await.for_llm, "fine\n");
    let result = run(&house, "touch ran; kill -TERM $$").await;
    assert_eq!(result.code, Some(Code::ApprovalDenied), "{}", result.for_llm);
    assert!(!house.folder.path().join("ran").exists());
}

#[tokio::test]
async fn much_output_is_cut_in_the_middle_and_its_end_is_kept() {
    let house = house(json!({ "max_output_kb": 64 })).await;
    let result = run(&house, "seq 100000; echo the end").await;
    assert_eq!(result.structured.as_ref().unwrap()["truncated"], json!(true));
    let id = result.artifact.unwrap();
    let args = json!({ "path": format!("artifact:{id}"), "offset": 8_500, "limit": 100_000 });
    let rest = house.call("read_file", args).await.for_llm;
    assert!(rest.contains("bytes of output are left out here"), "{rest}");
}

#[tokio::test]
async fn no_border_of_a_long_output_cuts_a_secret() {
    let house = house(json!({})).await;
    let line = format!("{:>57} {TOKEN}\n", "key");
    // So that the token stands at every place of a block, of a part, and of what is shown.
    let text = format!("{}{}", "x".repeat(31), line.repeat(12_000));
    fs::write(house.folder.path().join("log"), text).unwrap();
    let result = run(&house, "cat log; cat log >&2").await;
    let secret = &TOKEN[4..16];
    assert!(!result.for_llm.contains(secret), "{}", result.for_llm);
    let id = result.artifact.unwrap();
    let args = json!({ "id": id, "session": "s" });
    let whole = house.rt.invoke("artifacts.read", args).await.unwrap();
    let whole = whole["text"].as_str().unwrap();
    assert_eq!(whole.matches("[REDACTED:").count(), 24_000);
    assert!(!whole.contains(secret));
    for offset in [0, 5_555, 11_950, 12_001] {
        let args = json!({ "path": format!("artifact:{id}"), "offset": offset, "limit": 50 });
        let page = house.call("read_file", args).await.for_llm;
        assert!(page.contains("[REDACTED:") && !page.contains(secret), "{page}");
    }
}

#[tokio::test]
async fn a_profile_that_is_misspelt_is_an_error() {
    let config = json!({ "exec": { "confinement": "workspaces" } });
    let error = Config::from_value(config).unwrap_err();
    assert!(error.message().contains("exec.confinement"), "{}", error.message());
    let config = json!({ "exec": { "timeout_seconds": 0 } });
    assert!(Config::from_value(config).is_err());
    let rt = Runtime::builder().build().await.unwrap();
    let result = rt.call(&CallContext::new(), "exec", json!({ "command": "ls" })).await.unwrap();
    assert!(result.is_error, "there is no workspace: {}", result.for_llm);
}
