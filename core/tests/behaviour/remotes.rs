//! A command that has Git reach a remote by its name connects to that remote's host, and to no other.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command};

use serde_json::{Value, json};
use toolkeep::{ApprovalAnswer, Approve, CallContext, Config, Runtime, ToolResult};

use crate::support::{eventually, half, passes};

/// A server of Git's own that has one repository, `lib`.
struct Daemon(Child, u16);

impl Daemon {
    async fn of(folder: &Path) -> Daemon {
        git(folder, &["init", "-q", "--bare", "-b", "main", "lib"]);
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let daemon = Command::new("git")
            .args(["daemon", "--listen=127.0.0.1", "--export-all", "--enable=receive-pack"])
            .arg(format!("--port={free}"))
            .arg(format!("--base-path={}", folder.display()))
            .spawn();
        let daemon = Daemon(daemon.unwrap(), free);
        eventually(async || TcpStream::connect(("127.0.0.1", free)).is_ok()).await;
        daemon
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let pid = rustix::process::Pid::from_child(&self.0);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        let _ = self.0.wait();
    }
}

fn git(folder: &Path, words: &[&str]) {
    let done = Command::new("git").args(words).current_dir(folder).status().unwrap();
    assert!(done.success(), "{words:?}");
}

async fn run(rt: &Runtime, command: &str) -> ToolResult {
    rt.call(&CallContext::new().session("s"), "exec", json!({ "command": command })).await.unwrap()
}

fn reached(result: &ToolResult) -> Value {
    let confinement = &result.structured.as_ref().unwrap()["confinement"];
    json!([confinement["network"], confinement["hosts"]])
}

#[test]
fn git_reaches_the_host_of_the_remote_that_it_is_called_for() {
    // Settings of whoever runs the tests may lead Git elsewhere.
    let home = tempfile::tempdir().unwrap();
    let mut host = half("remotes::a_host_without_settings_of_git");
    host.env("HOME", home.path()).env("TOOLKEEP_TEST_REMOTES", "1");
    passes(host);
}

#[tokio::test]
async fn a_host_without_settings_of_git() {
    if std::env::var_os("TOOLKEEP_TEST_REMOTES").is_none() {
        return;
    }
    let base = tempfile::tempdir().unwrap();
    let daemon = Daemon::of(base.path()).await;
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let rt = Runtime::builder()
        .config(Config::from_value(json!({ "workspace": at })).unwrap())
        .on(Approve, |_, _| async { Ok(Some(ApprovalAnswer::allow())) })
        .build()
        .await
        .unwrap();
    git(at, &["init", "-q", "-b", "main"]);
    let remote = format!("git://127.0.0.1:{}/lib", daemon.1);
    git(at, &["remote", "add", "origin", &remote]);
    git(at, &["remote", "add", "far", "https://far.example/x"]);
    git(
        at,
        &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"],
    );
    let hosts = json!(["hosts", ["127.0.0.1"]]);
    for command in ["git push -q origin main", "git fetch origin", "git pull -q origin main"] {
        let done = run(&rt, command).await;
        assert!(!done.is_error, "{command}: {}", done.for_llm);
        assert!(!done.for_llm.contains("error:"), "{command}: {}", done.for_llm);
        assert_eq!(reached(&done), hosts, "{command}: {}", done.for_llm);
    }
    let head = fs::read_to_string(base.path().join("lib/refs/heads/main")).unwrap();
    assert_eq!(head.trim().len(), 40);

    // What runs beside it has no other way either.
    let other = TcpListener::bind("127.0.0.2:0").unwrap();
    let port = other.local_addr().unwrap().port();
    let probe = format!(
        "import socket\ntry:\n    socket.create_connection(('127.0.0.2', {port}), 5)\n    \
         print('reached')\nexcept OSError:\n    print('refused')\n"
    );
    fs::write(at.join("probe.py"), probe).unwrap();
    let done = run(&rt, "git fetch origin; python3 probe.py").await;
    assert!(done.for_llm.contains("refused"), "{}", done.for_llm);
    assert_eq!(reached(&done), hosts);

    // Where Git may be led elsewhere, nothing is known.
    let file = at.join(".git/config");
    let more = format!("[url \"{remote}\"]\n\tinsteadOf = short:\n");
    fs::write(&file, fs::read_to_string(&file).unwrap() + &more).unwrap();
    let done = run(&rt, "git fetch origin").await;
    assert!(!done.is_error, "{}", done.for_llm);
    assert_eq!(reached(&done)[0], json!("all"));
    rt.close().await.unwrap();
}
