//! Folders that are mounted in the workspace.
//!
//! The tests run once more in mounts of their own, which end with them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use super::{SECRET, World};
use crate::error::Code;
use crate::workspace::rules::Rules;
use crate::workspace::{Deny, Error, ListOptions, Workspace, WriteMode};

const AMONG_OWN_MOUNTS: &str = "TOOLKEEP_TEST_AMONG_OWN_MOUNTS";

/// True in a process with mounts of its own. Starts one that runs this test, and none else, if this
/// is not it. A machine that gives nobody mounts of his own has none to be tested.
fn is_among_own_mounts(test: &str) -> bool {
    if std::env::var_os(AMONG_OWN_MOUNTS).is_some() {
        return true;
    }
    let begin = |options: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(options).args(["--mount", "--propagation", "private"]);
        command
    };
    let is_given =
        |options: &[&str]| begin(options).arg("true").status().is_ok_and(|status| status.success());
    let ways: [&[&str]; 2] = [&[], &["--user", "--map-root-user"]];
    let Some(options) = ways.into_iter().find(|options| is_given(options)) else {
        assert_what_is_mounted_anyway_lets_nothing_out();
        return false;
    };
    let output = begin(options)
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", &format!("workspace::tests::mounted::{test}")])
        .env(AMONG_OWN_MOUNTS, "1")
        .output()
        .unwrap();
    let output_text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output_text}");
    assert!(output_text.contains("1 passed"), "{output_text}");
    false
}

fn assert_what_is_mounted_anyway_lets_nothing_out() {
    let system = Workspace::open(Path::new("/")).unwrap();
    for path in ["proc/self/root/etc/passwd", "proc/self/cwd"] {
        let path = system.relative(path).unwrap();
        let error = system.stamp(&path).unwrap_err();
        assert_eq!(error.code(), Code::AccessDenied, "{error}");
    }
}

fn mount(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    let status = Command::new("mount").arg("--bind").args([from, to]).status().unwrap();
    assert!(status.success());
}

#[test]
fn a_mounted_folder_is_part_of_the_workspace_and_no_way_out_of_it() {
    if !is_among_own_mounts("a_mounted_folder_is_part_of_the_workspace_and_no_way_out_of_it") {
        return;
    }
    let world = World::new();
    let neighbour = world.base().join("beside");
    fs::create_dir_all(neighbour.join("data/keys")).unwrap();
    fs::write(neighbour.join("data/file"), "mounted").unwrap();
    fs::write(neighbour.join("data/keys/a"), SECRET).unwrap();
    fs::write(neighbour.join("secret.txt"), SECRET).unwrap();
    symlink("../../beside/secret.txt", neighbour.join("data/out")).unwrap();
    symlink("../../outside/secret.txt", neighbour.join("data/far")).unwrap();
    symlink(neighbour.join("secret.txt"), neighbour.join("data/absolute")).unwrap();
    symlink("../hello.txt", neighbour.join("data/in")).unwrap();
    mount(&neighbour.join("data"), &world.inside("mnt"));
    let deny = Arc::new(Deny::new(&["mnt/keys"]).unwrap());
    let ruled = world.workspace.clone().ruled(Rules { deny, ..Rules::default() });
    for workspace in [ruled.clone(), ruled.by_steps()] {
        let world = World { workspace, base: tempfile::tempdir().unwrap() };
        assert_eq!(world.read("mnt/file").unwrap().text, "mounted");
        assert_eq!(world.read("mnt/in").unwrap().text, "hello");
        world.write("mnt/new", WriteMode::Replace).unwrap();
        for path in ["mnt/out", "mnt/far", "mnt/absolute", "mnt/keys/a"] {
            for error in [
                world.read(path).map(drop).unwrap_err(),
                world.write(path, WriteMode::Replace).map(drop).unwrap_err(),
            ] {
                assert_eq!(error.code(), Code::AccessDenied, "{path}: {error}");
            }
        }
    }
    world.assert_outside_is_untouched();
}

#[test]
fn the_workspace_mounted_in_itself_has_an_end_and_the_same_rules() {
    if !is_among_own_mounts("the_workspace_mounted_in_itself_has_an_end_and_the_same_rules") {
        return;
    }
    let world = World::new();
    fs::write(world.inside("subdir/x.pem"), SECRET).unwrap();
    mount(&world.inside(""), &world.inside("again"));
    let deny = Arc::new(Deny::new(&["**/*.pem"]).unwrap());
    let workspace = world.workspace.clone().ruled(Rules { deny, ..Rules::default() });
    let path = |path: &str| workspace.relative(path).unwrap();
    assert!(workspace.stamp(&path("again/subdir/nested.txt")).is_ok());
    let denied = workspace.stamp(&path("again/subdir/x.pem")).unwrap_err();
    assert!(matches!(denied, Error::Denied { .. }), "{denied}");
    let options = ListOptions { depth: 10, ..ListOptions::default() };
    let listed = workspace.list(&path("."), &options).unwrap();
    assert!(listed.entries.len() < 20);
    assert!(!listed.entries.iter().any(|entry| entry.path.ends_with(".pem")));
}
