use std::os::unix::fs::symlink;
use std::process::Command;

use super::*;

struct Workspace {
    folder: tempfile::TempDir,
    repositories: Repositories,
}

impl Workspace {
    fn with(folders: &[&str]) -> Workspace {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace { folder, repositories: Repositories::default() };
        folders.iter().for_each(|name| fs::create_dir_all(workspace.at(name)).unwrap());
        workspace
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// What is guarded with a name.
    fn guarded(&self, name: &str) -> Vec<String> {
        self.named(name, &self.repositories.guards(&self.at("")))
    }

    fn named(&self, name: &str, guards: &Guards) -> Vec<String> {
        let root = self.at("");
        let paths = guards.paths.iter().filter(|path| path.ends_with(name));
        paths.map(|path| path.strip_prefix(&root).unwrap().display().to_string()).collect()
    }

    fn limited(&self, folders: usize) -> Guards {
        let until = Instant::now() + Duration::from_secs(60);
        self.repositories.within(&self.at(""), Left { folders, names: MOST_NAMES, until })
    }

    fn git(&self, words: &[&str]) {
        let own = ["-c", "protocol.file.allow=always", "-c", "user.name=a", "-c", "user.email=a@b"];
        let mut git = Command::new("git");
        git.current_dir(self.folder.path()).args(own).args(words).env("HOME", "/nonexistent");
        let done = git.output().unwrap();
        assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
    }
}

#[test]
fn whatever_git_makes_within_is_found() {
    let workspace = Workspace::with(&["a"]);
    workspace.git(&["init", "-q", "."]);
    workspace.git(&["init", "-q", "vendor/lib"]);
    workspace.git(&["-C", "vendor/lib", "commit", "-q", "--allow-empty", "-m", "x"]);
    workspace.git(&["init", "-q", "--bare", "deep/er/x.git"]);
    workspace.git(&["submodule", "add", "-q", "./vendor/lib", "sub/one"]);
    workspace.git(&["-C", "vendor/lib", "worktree", "add", "-q", "../../tree"]);
    let lib = "vendor/lib/.git";
    let hooks = [".git/hooks", ".git/modules/sub/one/hooks", "deep/er/x.git/hooks"];
    let mut hooks = hooks.map(str::to_owned).to_vec();
    hooks.extend([format!("{lib}/hooks"), format!("{lib}/worktrees/tree/hooks")]);
    assert_eq!(workspace.guarded("hooks"), hooks);
    let configs: Vec<String> = hooks.iter().map(|path| path.replace("/hooks", "/config")).collect();
    assert_eq!(workspace.guarded("config"), configs);
    assert!(workspace.guarded("commondir").contains(&format!("{lib}/worktrees/tree/commondir")));
    // Where the folder of Git's is elsewhere, a file says where.
    assert_eq!(workspace.guarded(".git"), ["sub/one/.git", "tree/.git"]);
}

#[test]
fn what_shells_and_agents_read_in_a_repository_is_guarded_and_elsewhere_it_is_not() {
    let workspace = Workspace::with(&["lib/.git", "plain", ".git", "lib/.claude"]);
    for file in ["lib/.envrc", "lib/AGENTS.md", "plain/.envrc", "lib/README.md", ".envrc"] {
        fs::write(workspace.at(file), "").unwrap();
    }
    assert_eq!(workspace.guarded(".envrc"), ["lib/.envrc"]);
    assert_eq!(workspace.guarded("AGENTS.md"), ["lib/AGENTS.md"]);
    assert_eq!(workspace.guarded(".claude"), ["lib/.claude"]);
    assert!(workspace.guarded("README.md").is_empty());
}

#[test]
fn no_link_is_followed_and_none_goes_round() {
    let workspace = Workspace::with(&["a/b", "one/.git"]);
    let other = Workspace::with(&["far/.git"]);
    symlink(workspace.at(""), workspace.at("a/b/round")).unwrap();
    symlink(other.at(""), workspace.at("out")).unwrap();
    symlink(other.at("far/.git"), workspace.at("a/.git")).unwrap();
    assert_eq!(workspace.guarded("hooks"), ["a/.git/hooks", "one/.git/hooks"]);
    assert!(workspace.repositories.guards(&workspace.at("")).is_all);
}

#[test]
fn a_look_ends_and_says_so_and_keeps_what_was_found_before() {
    let workspace = Workspace::with(&["zz/lib/.git"]);
    let guards = workspace.limited(8);
    assert!(guards.is_all);
    assert_eq!(workspace.named("hooks", &guards), ["zz/lib/.git/hooks"]);
    (0..50).for_each(|n| fs::create_dir(workspace.at(&format!("a{n}"))).unwrap());
    for _ in 0..2 {
        let guards = workspace.limited(8);
        assert!(!guards.is_all);
        assert_eq!(workspace.named("hooks", &guards), ["zz/lib/.git/hooks"]);
    }
    let fresh = Workspace { folder: workspace.folder, repositories: Repositories::default() };
    assert!(fresh.named("hooks", &fresh.limited(8)).is_empty());
}

#[test]
fn a_folder_that_looks_like_a_repository_hides_none() {
    let workspace = Workspace::with(&["v/objects", "v/refs", "v/lib/.git", "v/objects/x/.git"]);
    fs::write(workspace.at("v/HEAD"), "ref: refs/heads/main\n").unwrap();
    assert_eq!(
        workspace.guarded("hooks"),
        ["v/hooks", "v/lib/.git/hooks", "v/objects/x/.git/hooks"]
    );
}

#[test]
fn what_comes_and_goes_is_seen_at_once() {
    let workspace = Workspace::with(&["a/b"]);
    for settle in [false, true] {
        if settle {
            std::thread::sleep(Duration::from_millis(250));
        }
        assert!(workspace.guarded("hooks").is_empty());
        fs::create_dir(workspace.at("a/b/.git")).unwrap();
        assert_eq!(workspace.guarded("hooks"), ["a/b/.git/hooks"]);
        if settle {
            std::thread::sleep(Duration::from_millis(250));
        }
        fs::rename(workspace.at("a/b"), workspace.at("a/c")).unwrap();
        assert_eq!(workspace.guarded("hooks"), ["a/c/.git/hooks"]);
        fs::remove_dir_all(workspace.at("a/c")).unwrap();
        fs::create_dir(workspace.at("a/b")).unwrap();
    }
}
