//! What a hostile model writes by file tools and commands so that Git, agents, editors, shells or package
//! managers run it later, where nobody can be asked; and what a person or the owner may still let it write.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolkeep::{
    ApprovalAnswer, ApprovalRequest, Approve, CallContext, Code, Config, Runtime, ToolResult,
    handler_fn,
};

use crate::support::House;

/// Protected names in folders of every kind.
const PROTECTED: &[&str] = &[
    ".git/config",
    ".git/hooks/pre-commit",
    ".git/config.worktree",
    ".git/info/attributes",
    ".git/rebase-merge/git-rebase-todo",
    "./.git/../.git/config",
    "src/../.git/hooks/post-checkout",
    "vendor/lib/.git/config",
    "vendor/new/.git",
    "vendor/new/.git/config",
    ".envrc",
    "sub/.envrc",
    "AGENTS.md",
    "sub/CLAUDE.md",
    ".claude/settings.json",
    ".claude/hooks/x.sh",
    ".cursor/rules/a.mdc",
    ".mcp.json",
    ".vscode/settings.json",
    ".vscode/tasks.json",
    ".idea/workspace.xml",
    ".devcontainer/devcontainer.json",
    ".husky/pre-commit",
    ".githooks/pre-commit",
    ".pre-commit-config.yaml",
    ".cargo/config.toml",
    "crates/a/.cargo/config",
    ".npmrc",
    ".yarnrc.yml",
    ".mise.toml",
    "mise.toml",
    ".bashrc",
    ".gitconfig",
    ".exrc",
    ".Rprofile",
];

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn git(folder: &Path, words: &[&str]) {
    let done = Command::new("git").args(words).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{words:?}");
}

/// A workspace with a repository, another one within, and a few files.
fn furnish(folder: &Path) {
    git(folder, &["init", "-q"]);
    git(folder, &["init", "-q", "vendor/lib"]);
    git(folder, &["init", "-q", "--bare", "store"]);
    git(folder, &["config", "core.hooksPath", "tools/hooks"]);
    git(folder, &["config", "include.path", "../shared.cfg"]);
    write(folder, "shared.cfg", "[core]\n\tfsmonitor = ./tools/watch.sh\n");
    write(folder, ".vscode/settings.json", "{}\n");
    write(folder, ".npmrc", "one\n");
    write(folder, "src/main.rs", "one\n");
    write(folder, "half/objects/x", "");
    write(folder, "half/refs/x", "");
    symlink(".git", folder.join("to-git")).unwrap();
    symlink("../.git/hooks", folder.join("src/to-hooks")).unwrap();
    symlink(".npmrc", folder.join("plain")).unwrap();
}

/// What stands below a folder, with its content.
fn state(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in fs::read_dir(&at).unwrap().map(Result::unwrap) {
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                all.push((entry.path().display().to_string(), fs::read(entry.path()).unwrap()));
            }
        }
    }
    all.sort();
    all
}

async fn alone(files: Value) -> House {
    let house = House::new(json!({ "approval": { "external": false }, "files": files })).await;
    furnish(house.folder.path());
    house
}

/// Each call has a session of its own: attacks that fail alike would be taken for a loop.
async fn call(house: &House, tool: &str, args: Value) -> ToolResult {
    let cx = CallContext::new().session(format!("{tool} {args}"));
    house.rt.call(&cx, tool, args).await.unwrap()
}

fn is_refused(result: &ToolResult, what: &str) {
    assert_eq!(result.code, Some(Code::ApprovalDenied), "{what}: {}", result.for_llm);
}

#[tokio::test]
async fn no_file_tool_writes_a_protected_name_where_nobody_can_be_asked() {
    let house = alone(json!({})).await;
    let before = state(house.folder.path());
    let targets = [
        "tools/hooks/pre-commit",
        "tools/watch.sh",
        "shared.cfg",
        "store/config",
        "store/hooks/update",
        "half/HEAD",
    ];
    for path in PROTECTED.iter().chain(&targets) {
        let args = json!({ "path": path, "content": "evil" });
        let result = call(&house, "write_file", args).await;
        is_refused(&result, path);
        assert!(result.for_llm.contains(&format!("`{path}`")), "{}", result.for_llm);
        let append = json!({ "path": path, "content": "evil", "append": true });
        is_refused(&call(&house, "write_file", append).await, path);
        let edit = json!({ "path": path, "old_string": "one", "new_string": "evil" });
        is_refused(&call(&house, "edit", edit).await, path);
        for patch in [
            format!("*** Begin Patch\n*** Add File: {path}\n+evil\n*** End Patch\n"),
            format!("*** Begin Patch\n*** Delete File: {path}\n*** End Patch\n"),
            format!(
                "*** Begin Patch\n*** Update File: src/main.rs\n*** Move to: {path}\n@@\n-one\n+two\n*** End \
                 Patch\n"
            ),
            format!(
                "*** Begin Patch\n*** Update File: {path}\n*** Move to: gone\n@@\n-one\n+two\n*** End Patch\n"
            ),
        ] {
            is_refused(&call(&house, "apply_patch", json!({ "patch": patch })).await, path);
        }
    }
    assert_eq!(before, state(house.folder.path()));
}

#[tokio::test]
async fn no_link_leads_a_file_tool_to_a_protected_name() {
    let house = alone(json!({})).await;
    let before = state(house.folder.path());
    for path in ["to-git/config", "to-git/hooks/pre-commit", "src/to-hooks/pre-commit", "plain"] {
        let result = call(&house, "write_file", json!({ "path": path, "content": "evil" })).await;
        // A folder that Git would take for its own is seen through a link already before the write.
        let is_refused =
            [Some(Code::AccessDenied), Some(Code::ApprovalDenied)].contains(&result.code);
        assert!(is_refused, "{path}: {}", result.for_llm);
        if path == "plain" {
            assert!(result.for_llm.contains("name that path itself"), "{}", result.for_llm);
        }
        let edit = json!({ "path": path, "old_string": "one", "new_string": "evil" });
        assert!(call(&house, "edit", edit).await.is_error, "{path}");
        let patch = format!("*** Begin Patch\n*** Add File: {path}\n+evil\n*** End Patch\n");
        assert!(call(&house, "apply_patch", json!({ "patch": patch })).await.is_error, "{path}");
    }
    // From one root to another, too.
    let other = tempfile::tempdir().unwrap();
    symlink(house.folder.path().join(".vscode"), other.path().join("x")).unwrap();
    let mut caller = CallContext::new().session("s").caller().clone();
    caller.write_roots = vec![other.path().display().to_string()];
    let args = json!({ "path": other.path().join("x/settings.json"), "content": "evil" });
    let result = house.rt.call(&CallContext::from(caller), "write_file", args).await.unwrap();
    is_refused(&result, "x/settings.json");
    assert_eq!(before, state(house.folder.path()));
}

#[tokio::test]
async fn what_is_not_protected_is_written_as_before() {
    let house = alone(json!({})).await;
    for path in [
        "src/lib.rs",
        ".gitignore",
        ".github/workflows/ci.yml",
        ".env.example",
        "docs/agents.md",
        "tools/build.sh",
        "config",
        "half/config",
        "Cargo.toml",
        "package.json",
    ] {
        let result = call(&house, "write_file", json!({ "path": path, "content": "x" })).await;
        assert!(!result.is_error, "{path}: {}", result.for_llm);
    }
    // A context file of an agent is no file of the disk.
    let cx = CallContext::new().agent("a").user("u").session("s");
    for path in ["AGENTS.md", "SOUL.md", "./AGENTS.md"] {
        let args = json!({ "path": path, "content": "be kind" });
        let result = house.rt.call(&cx, "write_file", args).await.unwrap();
        // Whether he may is the agent's own matter.
        assert_ne!(result.code, Some(Code::ApprovalDenied), "{path}: {}", result.for_llm);
    }
    assert!(!house.folder.path().join("AGENTS.md").exists());
}

#[tokio::test]
async fn what_the_owner_opens_is_written_by_file_tools_and_commands() {
    let open = json!(["AGENTS.md", ".vscode", ".git/hooks", "tools/hooks"]);
    let house = alone(json!({ "open": open })).await;
    for path in [
        "AGENTS.md",
        "sub/AGENTS.md",
        ".vscode/settings.json",
        ".git/hooks/pre-commit",
        "vendor/lib/.git/hooks/pre-commit",
        "tools/hooks/pre-push",
    ] {
        let result = call(&house, "write_file", json!({ "path": path, "content": "mine" })).await;
        assert!(!result.is_error, "{path}: {}", result.for_llm);
        let command = format!("echo more >> {path}");
        let result = call(&house, "exec", json!({ "command": command })).await;
        assert!(!result.is_error, "{path}: {}", result.for_llm);
        let text = fs::read_to_string(house.folder.path().join(path)).unwrap();
        assert_eq!(text, "minemore\n", "{path}");
    }
    for path in [".git/config", "CLAUDE.md", ".npmrc", "tools/watch.sh"] {
        let result = call(&house, "write_file", json!({ "path": path, "content": "evil" })).await;
        is_refused(&result, path);
    }
    for (entry, expected) in [
        ("", "no protected name"),
        ("../x", "no protected name"),
        (".vscode/settings.json", "open `.vscode`"),
        ("packages/a/.npmrc", "open `.npmrc`"),
    ] {
        let refused = Config::from_value(json!({ "files": { "open": [entry] } })).unwrap_err();
        assert!(refused.message().contains("`files.open[0]`"), "{}", refused.message());
        assert!(refused.message().contains(expected), "{}", refused.message());
    }
}

#[tokio::test]
async fn a_person_is_asked_about_a_protected_name_and_may_allow_it() {
    let folder = tempfile::tempdir().unwrap();
    furnish(folder.path());
    let asked_of_person = Arc::new(Mutex::new(Vec::new()));
    let asked = asked_of_person.clone();
    let approver = handler_fn(Approve, move |request: ApprovalRequest, _| {
        asked.lock().unwrap().push((request.plan.clone(), request.reasons.clone()));
        async move { Ok(Some(ApprovalAnswer::allow())) }
    });
    let config = json!({ "workspace": folder.path().to_str().unwrap() });
    let config = Config::from_value(config).unwrap();
    let rt = Runtime::builder().config(config).handler(approver).build().await.unwrap();
    let args = json!({ "path": "sub/.envrc", "content": "export A=1" });
    let result = rt.call(&CallContext::new(), "write_file", args).await.unwrap();
    assert!(!result.is_error, "{}", result.for_llm);
    assert!(folder.path().join("sub/.envrc").exists());
    let asked_of_person = asked_of_person.lock().unwrap();
    let [(plan, reasons)] = &asked_of_person[..] else {
        panic!("asked {} times", asked_of_person.len())
    };
    assert_eq!(plan.as_ref().unwrap()["protected"], json!(["sub/.envrc"]));
    assert!(reasons[0].why.contains("`.envrc` is a protected name"), "{}", reasons[0].why);
}

#[tokio::test]
async fn no_command_that_names_a_protected_file_makes_it_where_nobody_can_be_asked() {
    let house = alone(json!({})).await;
    let before = state(house.folder.path());
    for path in PROTECTED.iter().filter(|path| !path.contains("/info/")) {
        if path.starts_with("vendor/new") {
            continue;
        }
        for command in [
            format!("echo evil > {path}"),
            format!("cp src/main.rs {path}"),
            format!("tee {path} < src/main.rs"),
            format!("ln -s src/main.rs {path}"),
        ] {
            let result = call(&house, "exec", json!({ "command": command })).await;
            assert!(result.is_error, "{command}: {}", result.for_llm);
        }
    }
    assert_eq!(before, state(house.folder.path()));
}
