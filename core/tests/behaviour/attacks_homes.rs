//! What a script looks for in home folders and in the system's own secrets, and does not find.
//!
//! Each profile is tried in a process of its own, whose home folder is made for that.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use toolkeep::{ApprovalAnswer, Approve, CallContext, Config, Runtime, ToolResult};

use crate::support::{House, as_nobody, deny_namespaces, half, passes, script};

const PROFILE: &str = "TOOLKEEP_TEST_HOMES";

/// What programs keep in a home folder. None of it is for an agent.
const KEPT: &[&str] = &[
    ".config/git/credentials",
    ".git-credentials",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".config/rclone/rclone.conf",
    ".mozilla/firefox/x.default/logins.json",
    ".config/chromium/Default/Cookies",
    ".local/share/keyrings/login.keyring",
    ".cache/huggingface/token",
    ".cargo/credentials.toml",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".ssh/id_ed25519",
    ".config/a-program-that-nobody-knows/token",
    ".a-program-that-nobody-knows",
    "Documents/letter.txt",
    "other-project/.env",
    ".local/share/a-program/state.db",
];

/// What builds read there.
const SHOWN: &[(&str, &str)] = &[
    (".gitconfig", "[user]\n\tname = as-it-is\n"),
    (".cargo/config.toml", "# as-it-is\n"),
    (".m2/repository/a.pom", "as-it-is\n"),
    (".local/lib/python3/site-packages/a.py", "# as-it-is\n"),
];

#[test]
fn nothing_that_is_kept_in_a_home_is_read_in_any_profile() {
    for profile in ["read-only", "workspace", "workspace+network", "landlock", "unprivileged"] {
        let home = tempfile::tempdir_in("/var").unwrap();
        fill(home.path());
        // Another user's, whoever that is.
        let others = ["/root", "/home"].map(|at| tempfile::tempdir_in(at).ok());
        for other in others.iter().flatten() {
            fs::create_dir(other.path().join(".ssh")).unwrap();
            fs::write(other.path().join(".ssh/id_ed25519"), "private-words").unwrap();
        }
        let at: Vec<String> =
            others.iter().flatten().map(|other| other.path().display().to_string()).collect();
        let mut attack = half("attacks_homes::a_script_that_looks_for_secrets");
        attack.env("HOME", home.path()).env(PROFILE, profile).env(OTHERS, at.join(" "));
        if profile == "unprivileged" {
            give_to_nobody(&mut attack, home.path());
        }
        passes(attack);
    }
}

const OTHERS: &str = "TOOLKEEP_TEST_OTHERS";

fn fill(home: &Path) {
    let kept = KEPT.iter().map(|name| (*name, "private-words\n"));
    for (name, text) in kept.chain(SHOWN.iter().copied()) {
        let at = home.join(name);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        fs::write(at, text).unwrap();
    }
}

fn give_to_nobody(half: &mut std::process::Command, home: &Path) {
    let mut all = vec![home.to_owned()];
    let mut folders = vec![home.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            all.push(entry.path());
            folders.extend(entry.path().is_dir().then(|| entry.path()));
        }
    }
    let all: Vec<&Path> = all.iter().map(std::path::PathBuf::as_path).collect();
    as_nobody(half, &all);
}

fn exec(profile: &str) -> Value {
    match profile {
        "landlock" | "unprivileged" => json!({}),
        profile => json!({ "confinement": profile }),
    }
}

#[tokio::test]
async fn a_script_that_looks_for_secrets() {
    let Ok(profile) = std::env::var(PROFILE) else { return };
    if profile == "landlock" {
        deny_namespaces();
    }
    let config = json!({ "approval": { "external": false }, "exec": exec(&profile) });
    let house = House::new(config).await;
    let others = std::env::var(OTHERS).unwrap_or_default();
    let files: Vec<String> = KEPT.iter().map(|name| format!("\"$HOME/{name}\"")).collect();
    let text = format!(
        "cat {}\ngrep -r private-words ~ {others}\nfind ~ {others} -type f -exec cat {{}} +\n\
         cat /proc/self/root$HOME/.ssh/* /proc/1/root$HOME/Documents/*\nln -s ~ home; cat home/.ssh/*\n\
         cat /etc/shadow /etc/shadow- /etc/gshadow- /etc/ssh/ssh_host_*_key /var/backups/shadow.bak\necho end",
        files.join(" ")
    );
    for command in
        [script(&house, &text), "cat ~/Documents/letter.txt", "cat ~/.config/rclone/*; true"]
    {
        let result = house.call("exec", json!({ "command": command })).await;
        let said = result.for_llm;
        assert!(!said.contains("private-words"), "{profile}: {command}: {said}");
        assert!(!said.contains("root:") && !said.contains("PRIVATE KEY"), "{profile}: {said}");
    }
    let reads: Vec<String> = SHOWN.iter().map(|(name, _)| format!("\"$HOME/{name}\"")).collect();
    let text = format!("cat {}; git config user.name", reads.join(" "));
    let result = house.call("exec", json!({ "command": script(&house, &text) })).await;
    assert_eq!(
        result.for_llm.matches("as-it-is").count(),
        SHOWN.len() + 1,
        "{profile}: {}",
        result.for_llm
    );
    house.rt.close().await.unwrap();
}

#[test]
fn what_an_owner_or_a_person_opens_is_read() {
    let home = tempfile::tempdir_in("/var").unwrap();
    fill(home.path());
    let mut reads = half("attacks_homes::a_command_that_reads_what_is_opened");
    reads.env("HOME", home.path()).env(PROFILE, "workspace");
    passes(reads);
}

async fn call(rt: &Runtime, command: &str) -> ToolResult {
    let cx = CallContext::new().session("s");
    rt.call(&cx, "exec", json!({ "command": command })).await.unwrap()
}

#[tokio::test]
async fn a_command_that_reads_what_is_opened() {
    if std::env::var(PROFILE).is_err() {
        return;
    }
    let home = std::env::var("HOME").unwrap();
    // A workspace in the home folder, and a folder that the owner opens.
    let work = Path::new(&home).join("work");
    fs::create_dir(&work).unwrap();
    fs::write(work.join("read.sh"), "cat ~/Documents/letter.txt ../other-project/.env; echo end")
        .unwrap();
    let opened = format!("{home}/Documents");
    let config = json!({
        "workspace": work, "approval": { "external": false }, "files": { "read_roots": [opened] },
    });
    let rt = Runtime::builder().config(Config::from_value(config).unwrap()).build().await.unwrap();
    let result = call(&rt, "sh ./read.sh; touch made").await;
    assert_eq!(result.for_llm.matches("private-words").count(), 1, "{}", result.for_llm);
    assert!(work.join("made").exists(), "{}", result.for_llm);
    rt.close().await.unwrap();
    // A person who is asked.
    let config = json!({ "workspace": work });
    let rt = Runtime::builder()
        .config(Config::from_value(config).unwrap())
        .on(Approve, |_, _| async { Ok(Some(ApprovalAnswer::allow())) })
        .build()
        .await
        .unwrap();
    let result = call(&rt, "cat ~/Documents/letter.txt").await;
    assert_eq!(result.for_llm, "private-words\n");
    let result = call(&rt, "sh ./read.sh").await;
    assert!(!result.for_llm.contains("private-words"), "{}", result.for_llm);
    rt.close().await.unwrap();
}
