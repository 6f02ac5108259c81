//! Many at once on one file.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::World;
use crate::workspace::{Edit, ReadRange, Workspace, WriteMode};

const THREADS: usize = 20;
const EDITS: usize = 20;

#[test]
fn no_edit_is_lost_among_many_threads_spellings_and_workspaces() {
    let world = World::new();
    fs::write(world.inside("subdir/list"), "end\n").unwrap();
    symlink("subdir", world.inside("link")).unwrap();
    let below = Workspace::open(&world.inside("subdir")).unwrap();
    let ways = [
        (world.workspace.clone(), "subdir/list"),
        (world.workspace.clone(), "link/list"),
        (Workspace::open(&world.inside("")).unwrap(), "./subdir/list"),
        (below, "list"),
    ];
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (workspace, path) = &ways[thread % ways.len()];
            scope.spawn(move || {
                let path = workspace.relative(path).unwrap();
                for n in 0..EDITS {
                    let new = format!("{thread}-{n}\nend");
                    let edit = Edit { old: "end".into(), new, replace_all: false };
                    workspace.edit(&path, &edit).unwrap();
                }
            });
        }
    });
    let text = fs::read_to_string(world.inside("subdir/list")).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.pop(), Some("end"));
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), THREADS * EDITS);
}

#[test]
fn no_append_is_lost_among_edits_and_appends() {
    let world = World::new();
    let path = world.workspace.relative("log").unwrap();
    world.workspace.write(&path, b"0\n", WriteMode::Replace).unwrap();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..25 {
                    world.workspace.write(&path, b"x\n", WriteMode::Append).unwrap();
                }
            });
            scope.spawn(|| {
                for _ in 0..25 {
                    let edit = Edit { old: "0\n".into(), new: "0\ny\n".into(), replace_all: false };
                    world.workspace.edit(&path, &edit).unwrap();
                }
            });
        }
    });
    let text = fs::read_to_string(world.inside("log")).unwrap();
    assert_eq!(text.matches('x').count(), 100);
    assert_eq!(text.matches('y').count(), 100);
}

#[test]
fn a_reader_sees_the_old_content_or_the_new_and_never_a_part() {
    let world = World::new();
    let path = world.workspace.relative("file").unwrap();
    let contents = ["a".repeat(300_000), "b".repeat(200_000)];
    world.workspace.write(&path, contents[0].as_bytes(), WriteMode::Replace).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for n in 0..100 {
                let content = contents[n % 2].as_bytes();
                world.workspace.write(&path, content, WriteMode::Replace).unwrap();
            }
            done.store(true, Ordering::Relaxed);
        });
        while !done.load(Ordering::Relaxed) {
            let page = world.workspace.read(&path, ReadRange::default(), 1 << 20).unwrap();
            assert!(contents.contains(&page.text));
        }
    });
}

#[test]
fn a_folder_made_by_two_at_once_serves_both() {
    let world = World::new();
    for round in 0..50 {
        thread::scope(|scope| {
            for name in ["a", "b", "c"] {
                let path = format!("new-{round}/x/y/{name}");
                let world = &world;
                scope.spawn(move || world.write(&path, WriteMode::Replace).unwrap());
            }
        });
    }
}
