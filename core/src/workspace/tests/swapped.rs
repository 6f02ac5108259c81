//! Folders that turn into links to outside while they are used.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::{SECRET, World};
use crate::workspace::{Edit, ListOptions, WriteMode};

fn time() -> Duration {
    Duration::from_millis(crate::soak::rounds(1_200, 60_000) as u64)
}

/// What is read, written, edited and listed through `door`, until `done`.
fn go_through_the_door(world: &World, done: &AtomicBool) -> usize {
    let edit = Edit { old: "e".into(), new: "E".into(), replace_all: true };
    let mut entered = 0;
    while !done.load(Ordering::Relaxed) {
        for path in ["door/secret.txt", "door/new.txt", "subdir/x/door/secret.txt"] {
            if let Ok(page) = world.read(path) {
                entered += 1;
                assert_ne!(page.text, SECRET);
            }
            entered += usize::from(world.write(path, WriteMode::Replace).is_ok());
            entered += usize::from(world.write(path, WriteMode::Append).is_ok());
            if let Ok(path) = world.workspace.relative(path) {
                entered += usize::from(world.workspace.edit(&path, &edit).is_ok());
            }
        }
        let path = world.workspace.relative(".").unwrap();
        let options = ListOptions { depth: 3, ..ListOptions::default() };
        if let Ok(listing) = world.workspace.list(&path, &options) {
            assert!(!listing.entries.iter().any(|entry| entry.bytes == SECRET.len() as u64));
        }
    }
    entered
}

#[test]
fn a_folder_swapped_for_a_link_to_outside_lets_nothing_out() {
    let world = World::new();
    fs::create_dir(world.inside("door")).unwrap();
    fs::create_dir_all(world.inside("subdir/x")).unwrap();
    symlink("../../door", world.inside("subdir/x/door")).unwrap();
    symlink(world.outside(""), world.inside("link")).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let users: Vec<_> =
            (0..2).map(|_| scope.spawn(|| go_through_the_door(&world, &done))).collect();
        let began = Instant::now();
        let mut swaps = 0;
        while began.elapsed() < time() && !users.iter().any(thread::ScopedJoinHandle::is_finished) {
            let (door, link) = (world.inside("door"), world.inside("link"));
            let exchanged = renameat_with(CWD, door, CWD, link, RenameFlags::EXCHANGE);
            // No panic in here: the users would wait for `done` for ever.
            swaps += usize::from(exchanged.is_ok());
        }
        done.store(true, Ordering::Relaxed);
        let entered: usize = users.into_iter().map(|user| user.join().unwrap()).sum();
        assert!(swaps > 100, "only {swaps} swaps");
        assert!(entered > 100, "only {entered} entries");
    });
    world.assert_outside_is_untouched();
}

#[test]
fn a_file_swapped_for_a_link_to_outside_lets_nothing_out() {
    let world = World::new();
    symlink(world.outside("secret.txt"), world.inside("link")).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let user = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                if let Ok(page) = world.read("hello.txt") {
                    assert_ne!(page.text, SECRET);
                }
                let _ = world.write("hello.txt", WriteMode::Replace);
                let _ = world.write("hello.txt", WriteMode::Append);
            }
        });
        let began = Instant::now();
        while began.elapsed() < time() && !user.is_finished() {
            let _ = fs::remove_file(world.inside("hello.txt"));
            let _ = fs::hard_link(world.inside("link"), world.inside("hello.txt"));
            let _ = fs::remove_file(world.inside("hello.txt"));
            let _ = fs::write(world.inside("other"), "hello");
            let _ = fs::rename(world.inside("other"), world.inside("hello.txt"));
        }
        done.store(true, Ordering::Relaxed);
        user.join().unwrap();
    });
    world.assert_outside_is_untouched();
}
