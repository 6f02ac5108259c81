use std::os::unix::fs::symlink;
use std::process::Command;
use std::sync::Arc;

use super::super::rules::Rules;
use super::*;

fn git(at: &Path, words: &[&str]) {
    let done = Command::new("git").args(words).current_dir(at).output().unwrap();
    assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
}

fn protecting(root: &Path, opened: &[&str]) -> Workspace {
    let opened: Arc<[String]> = opened.iter().map(|name| (*name).to_owned()).collect();
    let rules = Rules { opened: Some(opened), ..Rules::default() };
    Workspace::open(root).unwrap().ruled(rules)
}

fn why(workspace: &Workspace, path: &str) -> Option<Protection> {
    workspace.protection(Path::new(path))
}

#[test]
fn what_the_settings_of_a_repository_name_is_protected() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    git(root, &["init", "-q"]);
    git(root, &["config", "core.hooksPath", "tools/hooks"]);
    git(root, &["config", "include.path", "../shared.cfg"]);
    fs::write(
        root.join("shared.cfg"),
        "[core]\nfsmonitor = ./watch.sh\n[include]\npath = more/b\n",
    )
    .unwrap();
    fs::create_dir(root.join("more")).unwrap();
    fs::write(root.join("more/b"), "[alias]\nx = !./bin/x.sh\n").unwrap();
    let workspace = protecting(root, &[]);
    for path in ["tools/hooks/pre-commit", "shared.cfg", "watch.sh", "more/b", "bin/x.sh"] {
        assert_eq!(why(&workspace, path), Some(Protection::BySettings), "{path}");
    }
    for path in ["tools/a.sh", "more/c", "src/main.rs"] {
        assert_eq!(why(&workspace, path), None, "{path}");
    }
    let opened = protecting(root, &["tools/hooks"]);
    assert_eq!(why(&opened, "tools/hooks/pre-commit"), None);
    assert_eq!(why(&opened, "shared.cfg"), Some(Protection::BySettings));
    // Also seen from a folder within the repository.
    fs::create_dir_all(root.join("tools/hooks")).unwrap();
    let within = protecting(&root.join("tools"), &[]);
    assert_eq!(why(&within, "hooks/pre-commit"), Some(Protection::BySettings));
}

#[test]
fn worktrees_and_submodules_are_repositories_too() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let main = root.join("main");
    fs::create_dir(&main).unwrap();
    git(&main, &["init", "-q"]);
    let commit =
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"];
    git(&main, &commit);
    git(&main, &["worktree", "add", "-q", "../other"]);
    git(&main, &["config", "core.hooksPath", "own-hooks"]);
    let workspace = protecting(root, &[]);
    for path in ["main/own-hooks/a", "other/own-hooks/a"] {
        assert_eq!(why(&workspace, path), Some(Protection::BySettings), "{path}");
    }
    assert_eq!(why(&workspace, "own-hooks/a"), None);
    assert_eq!(why(&workspace, "other/.git"), Some(Protection::Named(".git")));
}

#[test]
fn a_folder_that_git_takes_for_a_repository_is_protected_and_so_is_what_completes_one() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    git(root, &["init", "-q", "--bare", "store"]);
    fs::create_dir_all(root.join("half/objects")).unwrap();
    fs::create_dir_all(root.join("half/refs")).unwrap();
    let workspace = protecting(root, &[]);
    for path in ["store/config", "store/hooks/post-update", "half/HEAD"] {
        assert_eq!(why(&workspace, path), Some(Protection::InGit), "{path}");
    }
    for path in ["half/config", "half/README", "config", "docs/HEAD"] {
        assert_eq!(why(&workspace, path), None, "{path}");
    }
}

#[test]
fn settings_that_lead_in_circles_or_nowhere_end() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    git(root, &["init", "-q"]);
    git(root, &["config", "core.hooksPath", "loop/hooks"]);
    git(root, &["config", "include.path", "config"]);
    symlink("loop", root.join("loop")).unwrap();
    let workspace = protecting(root, &[]);
    assert_eq!(why(&workspace, "src/a"), None);
    assert_eq!(why(&workspace, "loop/hooks/a"), Some(Protection::BySettings));
}
