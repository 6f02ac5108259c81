//! Repositories within the workspace: who was understood to change one may, and whoever was not may not.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::json;
use toolkeep::ToolResult;

use crate::support::{House, script};

struct Work(House);

impl Work {
    /// A workspace with a repository in `vendor/lib`.
    async fn new() -> Work {
        // The strict judge lets nobody delete a folder with all that is in it.
        let config =
            json!({ "approval": { "external": false }, "shell": { "profile": "workspace" } });
        let work = Work(House::new(config).await);
        work.has_repository();
        work
    }

    fn has_repository(&self) {
        let made = Command::new("git").args(["init", "-q"]).arg(self.at("vendor/lib")).status();
        assert!(made.unwrap().success());
        fs::write(self.at("vendor/lib/.npmrc"), "as it was\n").unwrap();
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.folder.path().join(name)
    }

    async fn run(&self, command: &str) -> ToolResult {
        self.0.call("exec", json!({ "command": command })).await
    }

    /// Runs a command and then a script that the judge cannot look into.
    async fn runs_before(&self, command: &str, text: &str) -> ToolResult {
        let attack = script(&self.0, text);
        self.run(&format!("{command}; {attack}")).await
    }
}

#[tokio::test]
async fn who_takes_a_repository_away_by_name_may() {
    let work = Work::new().await;
    for command in ["rm -rf vendor/lib", "rm -rf vendor/l*", "mv vendor/lib away", "mv ven* other"]
    {
        let gone = work.run(command).await;
        assert!(!gone.is_error, "{command}: {}", gone.for_llm);
        assert!(!work.at("vendor/lib/.git").exists(), "{command}: {}", gone.for_llm);
        work.has_repository();
    }
    let gone =
        work.runs_before("mv vendor/lib gone", "ls gone/.git/config && rm -r gone; echo end").await;
    assert!(gone.for_llm.ends_with("end\n"), "{}", gone.for_llm);
    assert!(!work.at("vendor/lib").exists() && !work.at("gone").exists(), "{}", gone.for_llm);
    work.has_repository();
    let kept = work.runs_before("mv vendor/other x", "rm -rf vendor; echo end").await;
    assert!(kept.for_llm.starts_with("end\n"), "{}", kept.for_llm);
    assert!(work.at("vendor/lib/.git/config").exists(), "{}", kept.for_llm);
}

#[tokio::test]
async fn who_changes_settings_of_a_repository_by_name_may() {
    let work = Work::new().await;
    for command in [
        "git -C vendor/lib remote add origin https://a.example/x",
        "git -C vendor/lib config user.name somebody",
        "git init vendor/lib",
        "git init -q",
        "git config user.name somebody",
        "git remote add other https://b.example/x",
        "git clone vendor/lib vendor/other",
        "echo x > vendor/lib/notes",
    ] {
        let done = work.run(command).await;
        assert!(!done.is_error, "{command}: {}", done.for_llm);
    }
    let config = fs::read_to_string(work.at("vendor/lib/.git/config")).unwrap();
    assert!(config.contains("a.example") && config.contains("somebody"), "{config}");
    let config = fs::read_to_string(work.at(".git/config")).unwrap();
    assert!(config.contains("b.example") && config.contains("somebody"), "{config}");
    let named = work.runs_before("echo y > vendor/lib/notes", "echo z > vendor/other/.git/config");
    let named = named.await;
    assert_eq!(fs::read_to_string(work.at("vendor/lib/notes")).unwrap(), "y\n");
    let other = fs::read_to_string(work.at("vendor/other/.git/config")).unwrap();
    assert!(other.contains("[core]"), "{other}: {}", named.for_llm);
    // A protected name wants somebody's word.
    let refused = work.run("echo x > vendor/lib/.npmrc").await;
    assert_eq!(refused.rule.as_deref(), Some("shell.protected"), "{}", refused.for_llm);
    assert_eq!(fs::read_to_string(work.at("vendor/lib/.npmrc")).unwrap(), "as it was\n");
}

#[tokio::test]
async fn work_in_a_repository_goes_on_and_what_leads_git_elsewhere_is_reported() {
    let work = Work::new().await;
    let text = "cd vendor/lib && echo x > a && git add a && git -c user.name=a -c user.email=a@b \
                commit -q -m x && git checkout -q -b other && git mv a b && git log --oneline | wc -l\n\
                echo ../../evil > .git/commondir";
    let result = work.runs_before("true", text).await;
    assert!(result.for_llm.starts_with("1\n"), "{}", result.for_llm);
    let appeared = result.structured.unwrap()["appeared"].to_string();
    assert!(appeared.contains("vendor/lib/.git/commondir"), "{appeared}");
}

#[tokio::test]
async fn work_with_a_remote_goes_on() {
    let work = Work::new().await;
    for command in [
        "git -C vendor/lib -c user.name=a -c user.email=a@b commit -q --allow-empty -m x",
        "git clone -q vendor/lib copy",
        "git -C vendor/lib branch feature",
        "git -C copy fetch -q",
        "git -C copy checkout -q feature",
        "git -C copy checkout -q -b mine --track origin/feature",
        "git -C copy pull -q",
    ] {
        let done = work.run(command).await;
        assert!(!done.is_error && !done.for_llm.contains("error:"), "{command}: {}", done.for_llm);
    }
    let config = fs::read_to_string(work.at("copy/.git/config")).unwrap();
    assert!(config.contains("[branch \"feature\"]"), "{config}");
    let attack = work.runs_before("git -C copy fetch -q", "echo x >> copy/.git/config; echo end");
    let attack = attack.await;
    assert!(attack.for_llm.starts_with("end"), "{}", attack.for_llm);
    assert_eq!(fs::read_to_string(work.at("copy/.git/config")).unwrap(), config);
}
