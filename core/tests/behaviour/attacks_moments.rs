//! Files that tell Git or agents what to do, and that a script makes for a moment: while a program of the
//! user's, as an editor does, asks Git for its status again and again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::json;
use toolkeep::{Code, ToolResult};

use crate::support::{House, as_nobody, deny_namespaces, half, passes, script};

/// Is set for the halves of tests, to the folder that they may write.
const FOLDER: &str = "TOOLKEEP_TEST_MOMENTS";

/// What each attack does, and the name that is told for it.
const ATTACKS: &[(&str, &str)] = &[
    ("echo ../evil > .git/commondir; sleep 600; rm .git/commondir", ".git/commondir"),
    ("echo ../evil > x; mv x .git/commondir; sleep 600; rm .git/commondir", ".git/commondir"),
    ("ln -s ../at .git/commondir; sleep 600; rm .git/commondir", ".git/commondir"),
    ("cp at .git/at; ln .git/at .git/commondir; sleep 600; rm .git/commondir", ".git/commondir"),
    ("cp evil/config .git/config.worktree; sleep 600; rm .git/config.worktree", "config.worktree"),
    (
        "for n in 1 2 3 4 5 6 7 8 9; do echo ../evil > .git/commondir; rm .git/commondir; done; sleep 600",
        ".git/commondir",
    ),
    ("(setsid sh -c 'echo ../evil > .git/commondir; sleep 600' &) ; sleep 600", ".git/commondir"),
    ("echo ../../evil > vendor/.git/commondir; sleep 600", "vendor/.git/commondir"),
    ("echo obey > AGENTS.md; rm AGENTS.md; sleep 600", "AGENTS.md"),
];

fn git(folder: &Path, words: &[&str]) {
    let mut git = Command::new("git");
    git.arg("-C").arg(folder).args(words).stdout(Stdio::null()).stderr(Stdio::null());
    assert!(git.status().unwrap().success(), "{words:?}");
}

/// How often an editor asks: more often than those in use do.
const ASKS_EVERY: Duration = Duration::from_millis(100);

/// A program of the user's that asks for the status of repositories again and again.
struct Editor {
    ends: Arc<AtomicBool>,
    asks: Option<JoinHandle<usize>>,
}

impl Editor {
    fn of(folders: Vec<PathBuf>) -> Editor {
        let ends = Arc::new(AtomicBool::new(false));
        let until = ends.clone();
        let asks = std::thread::spawn(move || {
            let mut times = 0;
            while !until.load(Ordering::Relaxed) {
                for folder in &folders {
                    let mut git = Command::new("git");
                    git.arg("-C").arg(folder).args(["status", "--short"]);
                    git.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
                    times += 1;
                }
                std::thread::sleep(ASKS_EVERY);
            }
            times
        });
        Editor { ends, asks: Some(asks) }
    }

    /// How often it has asked.
    fn ends(mut self) -> usize {
        self.ends.store(true, Ordering::Relaxed);
        self.asks.take().unwrap().join().unwrap()
    }
}

/// A workspace that is a repository, with another in it, and settings that would run something.
async fn house() -> House {
    let house = House::new(json!({ "approval": { "external": false } })).await;
    prepare(house.folder.path());
    house
}

fn prepare(root: &Path) {
    git(root, &["init", "-q"]);
    git(root, &["config", "extensions.worktreeConfig", "true"]);
    git(root, &["init", "-q", "vendor"]);
    let evil = root.join("evil");
    git(root, &["init", "-q", "--bare", "evil"]);
    git(&evil, &["config", "core.bare", "false"]);
    let ran = root.join("ran");
    git(&evil, &["config", "core.fsmonitor", &format!("touch {} #", ran.display())]);
    fs::write(root.join("at"), "../evil\n").unwrap();
}

async fn attack(house: &House, text: &str) -> ToolResult {
    house.call("exec", json!({ "command": script(house, text) })).await
}

#[tokio::test]
async fn git_runs_what_the_settings_say_where_it_obeys_them() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    fs::write(folder.path().join(".git/commondir"), "../evil\n").unwrap();
    let status = Command::new("git").arg("-C").arg(folder.path()).arg("status").output();
    assert!(folder.path().join("ran").exists(), "{:?}", status.unwrap());
}

#[tokio::test]
async fn what_git_would_obey_for_a_moment_is_set_aside_and_reported() {
    for (text, name) in ATTACKS {
        let house = house().await;
        let root = house.folder.path().to_owned();
        let result = attack(&house, text).await;
        // One that is not ended is ended when its time is over, with another code.
        assert_eq!(result.code, Some(Code::ToolFailed), "{text}: {}", result.for_llm);
        assert!(result.for_llm.contains("must not make"), "{text}: {}", result.for_llm);
        let appeared = result.structured.unwrap()["appeared"].to_string();
        assert!(appeared.contains(name), "{text}: {appeared}");
        git(&root, &["status", "--short"]);
        git(&root.join("vendor"), &["status", "--short"]);
        assert!(!root.join("ran").exists(), "{text}: it ran");
        house.rt.close().await.unwrap();
    }
}

/// The time that the system takes to wake a thread remains to an attacker, so that this is no test for a
/// machine with other work.
#[tokio::test]
async fn an_editor_that_asks_again_and_again_is_not_fast_enough() {
    if std::env::var("TOOLKEEP_SOAK").is_err() {
        return;
    }
    let mut times = 0;
    for _ in 0..20 {
        let house = house().await;
        let root = house.folder.path().to_owned();
        let editor = Editor::of(vec![root.clone(), root.join("vendor")]);
        attack(&house, ATTACKS[0].0).await;
        assert!(editor.ends() > 0);
        times += usize::from(root.join("ran").exists());
        house.rt.close().await.unwrap();
    }
    assert!(times <= 1, "{times} of 20");
}

#[tokio::test]
async fn a_repository_around_everything_is_made_only_by_who_says_so() {
    let house = House::new(json!({ "approval": { "external": false } })).await;
    let root = house.folder.path();
    let result = attack(&house, "git init -q; sleep 600").await;
    assert!(result.for_llm.contains("/.git (now "), "{}", result.for_llm);
    assert!(result.for_llm.contains("`git init`"), "{}", result.for_llm);
    assert!(!root.join(".git").exists() && root.join(".git.refused").is_dir());
    let result = attack(&house, "echo fine").await;
    assert_eq!(result.for_llm, "fine\n");
    let made = house.call("exec", json!({ "command": "git init -q && sh ./attack.sh" })).await;
    assert_eq!(made.for_llm, "fine\n");
    assert!(root.join(".git/config").exists());
    house.rt.close().await.unwrap();
}

#[tokio::test]
async fn a_process_in_the_background_is_ended_as_well() {
    let house = house().await;
    let text = "read line; echo ../evil > .git/commondir; read line";
    let args = json!({ "action": "start", "command": script(&house, text) });
    let started = house.call("process", args).await;
    let id = started.structured.unwrap()["id"].clone();
    let args = json!({ "action": "write", "id": id, "input": "go\n", "wait_ms": 20_000 });
    house.call("process", args).await;
    let args = json!({ "action": "poll", "id": id, "wait_ms": 20_000 });
    let polled = house.call("process", args).await;
    assert!(polled.for_llm.contains(".git/commondir"), "{}", polled.for_llm);
    assert_eq!(polled.structured.unwrap()["running"], false);
    assert!(!house.folder.path().join(".git/commondir").exists());
    house.rt.close().await.unwrap();
}

#[test]
fn without_namespaces_what_git_obeys_cannot_be_changed_unseen() {
    let mut half = half("attacks_moments::a_script_where_there_are_no_mounts");
    half.env(FOLDER, "");
    passes(half);
}

#[test]
fn without_privileges_what_git_obeys_cannot_be_changed_unseen() {
    let folder = tempfile::tempdir_in("/var").unwrap();
    let mut half = half("attacks_moments::a_script_of_somebody_without_privileges");
    half.env(FOLDER, folder.path()).env("HOME", folder.path()).env("TMPDIR", folder.path());
    as_nobody(&mut half, &[folder.path()]);
    passes(half);
}

#[tokio::test]
async fn a_script_where_there_are_no_mounts() {
    if std::env::var(FOLDER).is_err() {
        return;
    }
    deny_namespaces();
    for (text, name) in [
        ("printf '[core]\\nfsmonitor=x' >> .git/config; sleep 600", ".git/config"),
        ("printf x > y; mv y .git/config; sleep 600", ".git/config"),
        ("echo x > .git/hooks/pre-commit; sleep 600", ".git/hooks"),
        ("echo ../evil > .git/commondir; sleep 600", ".git/commondir"),
        ("mv .git moved; sleep 600", ".git/"),
    ] {
        let house = house().await;
        assert!(!house.rt.capabilities().await.unwrap().namespaces);
        let result = attack(&house, text).await;
        assert_eq!(result.code, Some(Code::ToolFailed), "{text}: {}", result.for_llm);
        let appeared = result.structured.unwrap()["appeared"].to_string();
        assert!(appeared.contains(name), "{text}: {appeared}");
        house.rt.close().await.unwrap();
    }
}

#[tokio::test]
async fn a_script_of_somebody_without_privileges() {
    if std::env::var(FOLDER).is_err() {
        return;
    }
    let house = house().await;
    for name in ["commondir", "config.worktree"] {
        let result = attack(&house, &format!("echo x > .git/{name}; sleep 600")).await;
        assert_eq!(result.code, Some(Code::ToolFailed), "{}", result.for_llm);
        assert!(!house.folder.path().join(".git").join(name).exists());
    }
    house.rt.close().await.unwrap();
}
