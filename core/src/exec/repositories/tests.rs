use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::process::Command;

use super::*;

/// Bounds that no busy machine reaches.
const NO_HURRY: Bounds = Bounds { time: Duration::from_secs(600), ..Bounds::HOST };

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

    /// What is protected with a name.
    fn protected(&self, name: &str) -> Vec<String> {
        let guards = self.guards(&NO_HURRY);
        assert!(guards.closed.is_empty(), "{guards:?}");
        self.named(name, &guards)
    }

    fn guards(&self, bounds: &Bounds) -> Guards {
        self.repositories.guards(&self.at(""), bounds)
    }

    fn named(&self, name: &str, guards: &Guards) -> Vec<String> {
        self.below(guards.paths.iter().filter(|path| path.ends_with(name)))
    }

    fn closed(&self, guards: &Guards) -> Vec<String> {
        self.below(guards.closed.iter())
    }

    fn below<'p>(&self, paths: impl Iterator<Item = &'p PathBuf>) -> Vec<String> {
        let root = self.at("");
        paths.map(|path| path.strip_prefix(&root).unwrap().display().to_string()).collect()
    }

    /// True if a path is protected, or lies in a folder that is closed.
    fn holds(&self, guards: &Guards, path: &str) -> bool {
        let path = self.at(path);
        guards.paths.contains(&path) || path.ancestors().any(|at| guards.closed.contains(at))
    }

    fn limited(&self, folders: usize) -> Guards {
        self.guards(&Bounds { folders, ..NO_HURRY })
    }

    /// The same workspace, of which nothing is known.
    fn forgotten(self) -> Workspace {
        Workspace { folder: self.folder, repositories: Repositories::default() }
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
    assert_eq!(workspace.protected("hooks"), hooks);
    let configs: Vec<String> = hooks.iter().map(|path| path.replace("/hooks", "/config")).collect();
    assert_eq!(workspace.protected("config"), configs);
    assert!(workspace.protected("commondir").contains(&format!("{lib}/worktrees/tree/commondir")));
    // Where the folder of Git's is elsewhere, a file says where.
    assert_eq!(workspace.protected(".git"), ["sub/one/.git", "tree/.git"]);
}

#[test]
fn what_shells_and_agents_read_is_protected_in_a_repository_and_not_elsewhere() {
    let workspace = Workspace::with(&["lib/.git", "plain", ".git", "lib/.claude"]);
    for file in ["lib/.envrc", "lib/AGENTS.md", "plain/.envrc", "lib/README.md", ".envrc"] {
        fs::write(workspace.at(file), "").unwrap();
    }
    assert_eq!(workspace.protected(".envrc"), ["lib/.envrc"]);
    assert_eq!(workspace.protected("AGENTS.md"), ["lib/AGENTS.md"]);
    assert_eq!(workspace.protected(".claude"), ["lib/.claude"]);
    assert!(workspace.protected("README.md").is_empty());
}

#[test]
fn no_link_is_followed_and_none_goes_round() {
    let workspace = Workspace::with(&["a/b", "one/.git"]);
    let other = Workspace::with(&["far/.git"]);
    symlink(workspace.at(""), workspace.at("a/b/round")).unwrap();
    symlink(other.at(""), workspace.at("out")).unwrap();
    symlink(other.at("far/.git"), workspace.at("a/.git")).unwrap();
    assert_eq!(workspace.protected("hooks"), ["a/.git/hooks", "one/.git/hooks"]);
}

#[test]
fn a_search_ends_and_what_it_did_not_reach_is_closed() {
    let workspace = Workspace::with(&["zz/lib/.git"]);
    let guards = workspace.limited(8);
    assert!(guards.closed.is_empty());
    assert_eq!(workspace.named("hooks", &guards), ["zz/lib/.git/hooks"]);
    (0..50).for_each(|n| fs::create_dir_all(workspace.at(&format!("a{n}/b/.git"))).unwrap());
    for _ in 0..2 {
        let guards = workspace.limited(8);
        // What was seen before is looked at first.
        assert!(workspace.named("hooks", &guards).contains(&"zz/lib/.git/hooks".to_owned()));
        assert!(!workspace.closed(&guards).contains(&"zz".to_owned()), "{guards:?}");
        (0..50).for_each(|n| assert!(workspace.holds(&guards, &format!("a{n}/b/.git/config"))));
    }
    for folders in 0..60 {
        let guards = workspace.limited(folders);
        assert!(workspace.holds(&guards, "zz/lib/.git/hooks"), "{folders}: {guards:?}");
    }
    let fresh = workspace.forgotten();
    for folders in 0..60 {
        let guards = fresh.limited(folders);
        assert!(fresh.holds(&guards, "zz/lib/.git/hooks"), "{folders}: {guards:?}");
    }
}

#[test]
fn each_bound_closes_what_lies_beyond_it() {
    let workspace = Workspace::with(&["a/b/lib/.git/modules/x", "c/lib/.git"]);
    (0..40).for_each(|n| fs::write(workspace.at(&format!("c/{n}")), "").unwrap());
    fs::write(workspace.at("a/b/lib/AGENTS.md"), "").unwrap();
    let paths = ["a/b/lib/.git/config", "a/b/lib/AGENTS.md", "c/lib/.git/hooks"];
    let workspace = (0..60).fold(workspace, |workspace, most| {
        let all = [
            Bounds { folders: most, ..NO_HURRY },
            Bounds { names: most, ..NO_HURRY },
            Bounds { mounts: most, ..NO_HURRY },
            Bounds { mounts: most, closed: 1, ..NO_HURRY },
            Bounds { time: Duration::ZERO, ..NO_HURRY },
        ];
        all.iter().fold(workspace, |workspace, bounds| {
            let workspace = workspace.forgotten();
            let guards = workspace.guards(bounds);
            for path in paths {
                assert!(workspace.holds(&guards, path), "{bounds:?}, {path}: {guards:?}");
            }
            assert!(guards.closed.len() <= bounds.closed);
            workspace
        })
    });
    let guards = workspace.guards(&Bounds { names: 10, ..NO_HURRY });
    assert_eq!(workspace.closed(&guards), ["a/b", "c"]);
}

#[test]
fn a_folder_of_git_is_looked_into_before_other_folders() {
    let workspace = Workspace::with(&["a/.git"]);
    (0..300).for_each(|n| fs::create_dir_all(workspace.at(&format!("a/{n}/x"))).unwrap());
    let guards = workspace.guards(&Bounds { folders: 4, closed: 300, ..NO_HURRY });
    assert_eq!(workspace.named("config", &guards), ["a/.git/config"]);
    // Those that are many are closed by the folder around them, with what was found in it.
    let guards = workspace.limited(4);
    assert_eq!(workspace.closed(&guards), ["a"]);
    assert!(guards.paths.is_empty());
}

#[test]
fn repositories_that_were_found_first_keep_their_walls() {
    let workspace = Workspace::with(&["zz/old/.git"]);
    let bounds = Bounds { mounts: 40, closed: 3, ..NO_HURRY };
    assert!(workspace.guards(&bounds).closed.is_empty());
    (0..200).for_each(|n| fs::create_dir_all(workspace.at(&format!("aa/{n}/.git"))).unwrap());
    for _ in 0..2 {
        let guards = workspace.guards(&bounds);
        assert_eq!(workspace.named("config", &guards), ["zz/old/.git/config"]);
        assert_eq!(workspace.closed(&guards), ["aa"]);
    }
}

#[test]
fn a_thousand_repositories_side_by_side_are_all_protected() {
    let names: Vec<String> = (0..1_000).map(|n| format!("r{n:03}/.git")).collect();
    let workspace = Workspace::with(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let configs: Vec<String> = names.iter().map(|name| format!("{name}/config")).collect();
    assert_eq!(workspace.protected("config"), configs);
}

#[test]
fn a_path_that_is_no_text_is_protected_or_else_its_folder_is_closed() {
    let workspace = Workspace::with(&["a"]);
    let odd = workspace.at("a").join(OsStr::from_bytes(b"odd \xff"));
    fs::create_dir_all(odd.join("lib/.git")).unwrap();
    let guards = workspace.guards(&NO_HURRY);
    assert!(guards.paths.contains(&odd.join("lib/.git/config")) && guards.closed.is_empty());
    let guards = workspace.guards(&Bounds { only_text: true, ..NO_HURRY });
    assert!(guards.paths.is_empty());
    assert_eq!(workspace.closed(&guards), ["a"]);
}

#[test]
fn a_path_longer_than_any_that_can_be_protected_is_closed() {
    let workspace = Workspace::with(&["deep"]);
    let name = "d".repeat(200);
    let mut folder = fs::File::open(workspace.at("deep")).unwrap();
    for _ in 0..40 {
        rustix::fs::mkdirat(&folder, name.as_str(), 0o755.into()).unwrap();
        let flags = rustix::fs::OFlags::DIRECTORY;
        let inner = rustix::fs::openat(&folder, name.as_str(), flags, 0.into()).unwrap();
        folder = fs::File::from(inner);
    }
    rustix::fs::mkdirat(&folder, ".git", 0o755.into()).unwrap();
    let guards = workspace.guards(&NO_HURRY);
    let closed: Vec<&PathBuf> = guards.closed.iter().collect();
    assert!(closed.len() == 1 && closed[0].starts_with(workspace.at("deep")), "{closed:?}");
    assert!(closed[0].as_os_str().len() < 4_000);
}

#[test]
fn a_folder_deeper_than_walls_are_built_is_closed() {
    let deepest = "d/".repeat(DEEPEST - 1);
    let beyond = "d/".repeat(400);
    let workspace = Workspace::with(&[&format!("{deepest}.git"), &format!("e/{beyond}.git")]);
    let guards = workspace.guards(&NO_HURRY);
    assert_eq!(workspace.named("config", &guards), [format!("{deepest}.git/config")]);
    assert_eq!(workspace.closed(&guards), [format!("e/{}", &deepest[..deepest.len() - 1])]);
}

#[test]
fn a_folder_that_may_not_be_looked_into_is_closed() {
    let workspace = Workspace::with(&["a/b/lib/.git"]);
    let known: Arc<Path> = workspace.at("a/b").into();
    let mut left = Left { folders: 9, names: 1, until: Instant::now() + NO_HURRY.time };
    // As one that cannot be read: its only name is one too many.
    let looked = Known::default().folder(&known, Lies::InTree, &mut left);
    assert!(matches!(looked, Err(Unseen::Unread)));
    let gone: Arc<Path> = workspace.at("a/none").into();
    let looked = Known::default().folder(&gone, Lies::InTree, &mut left);
    assert!(matches!(looked, Err(Unseen::Gone)));
    let unreached: Arc<Path> = workspace.at(&"x/".repeat(3_000)).into();
    let looked = Known::default().folder(&unreached, Lies::InTree, &mut left);
    assert!(matches!(looked, Err(Unseen::Unreached)));
}

#[test]
fn what_is_remembered_does_not_grow_with_what_has_gone() {
    let workspace = Workspace::with(&[]);
    for round in 0..10 {
        let folder = workspace.at("x");
        (0..50).for_each(|n| fs::create_dir_all(folder.join(format!("{round} {n}"))).unwrap());
        workspace.limited(20);
        fs::remove_dir_all(folder).unwrap();
    }
    let known = workspace.repositories.known(&workspace.at(""));
    assert!(known.lock().unwrap().folders.len() <= 60);
    (0..100).for_each(|n| drop(workspace.repositories.known(Path::new(&n.to_string()))));
    assert_eq!(workspace.repositories.0.lock().unwrap().all.len(), MOST_ROOTS);
}

#[test]
fn a_folder_that_looks_like_a_repository_hides_none() {
    let workspace = Workspace::with(&["v/objects", "v/refs", "v/lib/.git", "v/objects/x/.git"]);
    fs::write(workspace.at("v/HEAD"), "ref: refs/heads/main\n").unwrap();
    assert_eq!(
        workspace.protected("hooks"),
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
        assert!(workspace.protected("hooks").is_empty());
        fs::create_dir(workspace.at("a/b/.git")).unwrap();
        assert_eq!(workspace.protected("hooks"), ["a/b/.git/hooks"]);
        if settle {
            std::thread::sleep(Duration::from_millis(250));
        }
        fs::rename(workspace.at("a/b"), workspace.at("a/c")).unwrap();
        assert_eq!(workspace.protected("hooks"), ["a/c/.git/hooks"]);
        fs::remove_dir_all(workspace.at("a/c")).unwrap();
        fs::create_dir(workspace.at("a/b")).unwrap();
    }
}
