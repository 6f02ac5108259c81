//! What a hostile model tries with programs that have credentials, where nobody can be asked: to write outside
//! by them, to have them run something else, and to go round rules by another spelling.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolkeep::{CallContext, Code, ToolResult};

use crate::support::House;

struct Attacked {
    house: House,
    /// A folder of the user's, outside of the workspace and of what is temporary.
    outside: TempDir,
}

impl Attacked {
    async fn new(shell: Value) -> Attacked {
        let key = json!({ "env": "TOOLKEEP_TEST_KEY" });
        let config = json!({
            "approval": { "external": false }, "secrets": { "key": key }, "shell": shell,
        });
        let outside = tempfile::tempdir_in("/var").unwrap();
        let attacked = Attacked { house: House::new(config).await, outside };
        let git = json!({
            "binary_name": "git", "preset": "git",
            "encrypted_env": { "GIT_HOST": { "kind": "value", "value": "git.example" }, "GIT_TOKEN": token() },
        });
        attacked.house.rt.invoke("clis.put", git).await.unwrap();
        let sort = json!({ "binary_name": "sort", "encrypted_env": { "SORT_KEY": token() } });
        attacked.house.rt.invoke("clis.put", sort).await.unwrap();
        attacked
    }

    fn workspace(&self) -> &Path {
        self.house.folder.path()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.workspace().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.workspace().join(path)).ok()
    }

    /// A repository in the workspace with one commit, made as its user makes it.
    fn repository(&self) {
        self.write("config", "[core]\n\tfsmonitor = touch pwned; false\n");
        for words in [&["init", "-q"][..], &["add", "config"], &["commit", "-q", "-m", "one"]] {
            let names = ["-c", "user.name=n", "-c", "user.email=n@a.example"];
            let git =
                Command::new("git").args(names).args(words).current_dir(self.workspace()).output();
            assert!(git.unwrap().status.success(), "{words:?}");
        }
    }

    async fn by_tool(&self, words: &[&str]) -> ToolResult {
        self.call("credentialed_exec", json!({ "command": words })).await
    }

    async fn by_exec(&self, words: &[&str]) -> ToolResult {
        self.call("exec", json!({ "command": words.join(" ") })).await
    }

    /// Each call has a session of its own: attacks that fail alike would be taken for a loop.
    async fn call(&self, tool: &str, args: Value) -> ToolResult {
        let cx = CallContext::new().session(format!("{tool} {args}"));
        self.house.rt.call(&cx, tool, args).await.unwrap()
    }

    fn is_untouched_outside(&self, after: &str) {
        let left: Vec<_> = fs::read_dir(self.outside.path()).unwrap().collect();
        assert!(left.is_empty(), "{after}: {left:?}");
    }
}

/// Put together at run time, so that no scanner takes it for a leak.
fn token() -> String {
    ["Kx4", "patient-Otter", "90417"].join("_")
}

#[tokio::test]
async fn a_cli_writes_nowhere_but_in_the_workspace_whatever_its_words_say() {
    let attacked = Attacked::new(json!({})).await;
    attacked.repository();
    attacked.write("text", "b\na\n");
    let at = |name: &str| attacked.outside.path().join(name).display().to_string();
    let (tree, file) = (at("git"), at("file"));
    symlink(attacked.outside.path(), attacked.workspace().join("link")).unwrap();
    let output = format!("--output={file}");
    let up = format!("../../../../../..{file}");
    for words in [
        &["git", "worktree", "add", &tree][..],
        &["git", "worktree", "add", "link/git"],
        &["git", "archive", "-o", &file, "HEAD"],
        &["git", "archive", &output, "HEAD"],
        &["git", "bundle", "create", &file, "HEAD"],
        &["git", "log", &output],
        &["git", "diff", &output, "HEAD"],
        &["git", "format-patch", "-o", &tree, "--root", "HEAD"],
        &["git", "init", &tree],
        &["git", "init", "--separate-git-dir", &tree, "made"],
        &["git", "clone", ".", &tree],
        &["git", "--work-tree", &tree, "checkout", "HEAD", "--", "."],
        &["git", "checkout-index", "-a", "--prefix=link/"],
        &["sort", "-o", &file, "text"],
        &["sort", &output, "text"],
        &["sort", "-o", "link/file", "text"],
        &["sort", "-o", &up, "text"],
    ] {
        for result in [attacked.by_tool(words).await, attacked.by_exec(words).await] {
            assert!(result.is_error, "{words:?}: {}", result.for_llm);
            attacked.is_untouched_outside(&words.join(" "));
        }
    }
    let beside = format!("sort -o {file} text; git status");
    for command in [&beside, "sort -o ~/toolkeep-attack text", &format!("cat text > {file}")] {
        let result = attacked.call("exec", json!({ "command": command })).await;
        assert!(result.is_error, "{command}: {}", result.for_llm);
        attacked.is_untouched_outside(command);
    }
}

#[tokio::test]
async fn in_the_workspace_a_cli_still_works() {
    let attacked = Attacked::new(json!({})).await;
    attacked.repository();
    attacked.write("text", "b\na\n");
    for words in [
        &["git", "worktree", "add", "-q", "trees/one"][..],
        &["git", "archive", "-o", "made.tar", "HEAD"],
        &["git", "bundle", "create", "made.bundle", "HEAD"],
        &["git", "init", "-q", "fresh"],
        &["git", "-C", "fresh", "remote", "add", "origin", "https://git.example/a.git"],
        &["git", "remote", "add", "origin", "https://git.example/b.git"],
        &["git", "branch", "topic"],
        &["git", "add", "text"],
        &["git", "-c", "user.name=n", "-c", "user.email=n@a.example", "commit", "-q", "-m", "two"],
        &["git", "checkout", "-q", "topic"],
        &["sort", "-o", "sorted", "config"],
    ] {
        let result = attacked.by_tool(words).await;
        assert!(!result.is_error, "{words:?}: {}", result.for_llm);
    }
    for path in ["trees/one/config", "made.tar", "made.bundle", "sorted"] {
        assert!(attacked.workspace().join(path).exists(), "{path}");
    }
    assert!(attacked.read(".git/config").unwrap().contains("b.git"));
    assert!(attacked.read("fresh/.git/config").unwrap().contains("a.git"));
}

#[tokio::test]
async fn a_cli_writes_no_protected_name() {
    let attacked = Attacked::new(json!({})).await;
    attacked.repository();
    attacked.write("text", "b\na\n");
    attacked.write("vendor/lib/x", "x");
    let init = ["init", "-q", "vendor/lib"];
    let inner = Command::new("git").args(init).current_dir(attacked.workspace()).output();
    assert!(inner.unwrap().status.success());
    attacked.write(".envrc", "mine");
    attacked.write(".vscode/tasks.json", "{}");
    let guarded = [".envrc", ".vscode/tasks.json", ".git/config", "vendor/lib/.git/config"];
    let before: Vec<_> = guarded.iter().map(|path| attacked.read(path)).collect();
    for path in guarded.iter().chain(&[
        "AGENTS.md",
        ".husky/pre-commit",
        ".git/hooks/pre-commit",
        "sub/.npmrc",
        "vendor/lib/.git/hooks/pre-commit",
    ]) {
        let output = format!("--output={path}");
        for words in [
            &["sort", "-o", path, "text"][..],
            &["git", "archive", "-o", path, "HEAD"],
            &["git", "log", &output],
        ] {
            let result = attacked.by_tool(words).await;
            assert!(result.is_error, "{words:?}: {}", result.for_llm);
        }
    }
    let after: Vec<_> = guarded.iter().map(|path| attacked.read(path)).collect();
    assert_eq!(before, after);
    for path in ["AGENTS.md", ".husky", ".git/hooks/pre-commit", "sub/.npmrc"] {
        assert!(!attacked.workspace().join(path).exists(), "{path}");
    }
}

/// Another program that a CLI could be told to run; it leaves a mark.
fn evil(attacked: &Attacked) {
    attacked.write("evil", "#!/bin/sh\nenv > stolen\ncat\n");
    let evil = attacked.workspace().join("evil");
    fs::set_permissions(evil, fs::Permissions::from_mode(0o755)).unwrap();
    attacked.write("big", &"line of some length to be sorted\n".repeat(20_000));
}

#[tokio::test]
async fn no_spelling_of_its_name_has_a_cli_run_another_program() {
    let attacked = Attacked::new(json!({})).await;
    evil(&attacked);
    for name in ["sort", "SORT", "Sort", "sort.exe", "SORT.EXE", "/usr/bin/sort"] {
        let words = [name, "-S", "1k", "--compress-program=./evil", "big"];
        for result in [attacked.by_tool(&words).await, attacked.by_exec(&words).await] {
            assert_eq!(result.code, Some(Code::CommandDenied), "{name}: {}", result.for_llm);
        }
    }
    // What only looks like it is another program, which has no credential.
    for name in ["ｓｏｒｔ", "'sort '", "so\u{200b}rt", "/usr/bin/SORT"] {
        for result in [
            attacked.by_tool(&[name.trim_matches('\''), "--compress-program=./evil", "big"]).await,
            attacked.by_exec(&[name, "-S", "1k", "--compress-program=./evil", "big"]).await,
        ] {
            assert!(result.is_error, "{name}: {}", result.for_llm);
        }
    }
    assert_eq!(attacked.read("stolen"), None);
    assert!(!attacked.by_tool(&["SORT", "evil"]).await.is_error);
}

#[tokio::test]
async fn what_a_rule_denies_of_a_program_is_denied_in_every_spelling() {
    let rule = json!({ "program": "git", "arguments": ["tag"], "reason": "No tags here." });
    let attacked = Attacked::new(json!({ "deny": [rule] })).await;
    attacked.repository();
    let found =
        ["/usr/local/bin/git", "/usr/bin/git"].into_iter().find(|path| Path::new(path).exists());
    for name in ["git", "GIT", "Git", "git.exe", "GIT.exe", found.unwrap()] {
        for result in [
            attacked.by_tool(&[name, "tag", "v1"]).await,
            attacked.by_exec(&[name, "tag", "v1"]).await,
        ] {
            assert_eq!(result.code, Some(Code::CommandDenied), "{name}: {}", result.for_llm);
            assert!(result.for_llm.contains("No tags here."), "{name}: {}", result.for_llm);
        }
    }
    for name in ["ｇｉｔ", "'git '", "/usr/bin/GIT", "/bin/git"] {
        assert!(attacked.by_exec(&[name, "tag", "v1"]).await.is_error, "{name}");
    }
    assert!(attacked.by_tool(&["GIT", "status"]).await.for_llm.contains("nothing"));
    // A program without a credential is known where a link leads to it.
    let rule = json!({ "program": "wc", "reason": "No counting." });
    let attacked = Attacked::new(json!({ "deny": [rule] })).await;
    symlink("/usr/bin/wc", attacked.workspace().join("count")).unwrap();
    for name in ["wc", "./count", "/usr/bin/wc", "/usr/bin/../bin/wc"] {
        let result = attacked.by_exec(&[name, "evil"]).await;
        assert!(result.for_llm.contains("No counting."), "{name}: {}", result.for_llm);
    }
    let tags = Command::new("git").arg("tag").current_dir(attacked.workspace()).output().unwrap();
    assert!(tags.stdout.is_empty());
}
