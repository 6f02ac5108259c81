//! What a program that was killed leaves behind on the machine, and who takes it away.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use crate::support::{Ended, House, half, passes};

const CHILD: &str = "TOOLKEEP_TEST_SWEPT";

/// The child's part: runs a command and waits to be killed.
#[tokio::test]
async fn a_program_that_is_killed() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let house = House::new(json!({ "approval": { "external": false } })).await;
    assert!(!house.call("exec", json!({ "command": "echo ran" })).await.is_error);
    println!("ran");
    std::thread::sleep(std::time::Duration::from_secs(600));
}

/// The folders of runtimes, in the temporary folder and among control groups.
fn left(temp: &Path) -> Vec<PathBuf> {
    let mut find = Command::new("find");
    find.args([temp, Path::new("/sys/fs/cgroup")]).args(["-name", "toolkeep-run-*", "-prune"]);
    let found = String::from_utf8(find.output().unwrap().stdout).unwrap();
    found.lines().map(PathBuf::from).collect()
}

#[tokio::test]
async fn what_a_killed_program_leaves_the_next_one_takes_away() {
    let temp = tempfile::tempdir().unwrap();
    let mut child = half("swept::a_program_that_is_killed")
        .env(CHILD, "1")
        .env("TMPDIR", temp.path())
        .stdout(Stdio::piped())
        .spawn()
        .map(Ended)
        .unwrap();
    let before = fs::read_dir(temp.path()).unwrap().count();
    let mut lines = BufReader::new(child.0.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("ran")));
    let root = fs::read_dir(temp.path()).unwrap().flatten();
    let root = root.map(|entry| entry.file_name().into_string().unwrap());
    let root = root.into_iter().find(|name| name.starts_with("toolkeep-run-")).unwrap();
    let of_it = |left: Vec<PathBuf>| -> Vec<PathBuf> {
        let is = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with(&root);
        left.into_iter().filter(is).collect()
    };
    let age = |folders: &[PathBuf]| {
        let mut touch = Command::new("touch");
        assert!(touch.args(["-d", "2 minutes ago"]).args(folders).status().unwrap().success());
    };
    let made = of_it(left(temp.path()));
    assert!(made.len() > before, "{made:?}");
    age(&made);
    // While its program lives, nobody takes it away.
    let sweeps = || {
        let mut next = half("swept::a_program_that_comes_later");
        next.env("TOOLKEEP_TEST_SWEEPS", "1").env("TMPDIR", temp.path());
        passes(next);
    };
    sweeps();
    assert_eq!(of_it(left(temp.path())), made);
    drop(child);
    assert!(!of_it(left(temp.path())).is_empty());
    age(&of_it(left(temp.path())));
    for _ in 0..100 {
        // Who waited for its commands may be about to end.
        sweeps();
        if of_it(left(temp.path())).is_empty() {
            return;
        }
        age(&of_it(left(temp.path())));
    }
    panic!("{:?}", of_it(left(temp.path())));
}

#[tokio::test]
async fn a_program_that_comes_later() {
    if std::env::var_os("TOOLKEEP_TEST_SWEEPS").is_none() {
        return;
    }
    let house = House::new(json!({ "approval": { "external": false } })).await;
    assert!(!house.call("exec", json!({ "command": "echo ran" })).await.is_error);
    house.rt.close().await.unwrap();
}
