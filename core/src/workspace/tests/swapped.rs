//! Folders that turn into links to outside while they are used.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::{SECRET, World};
use crate::workspace::rules::Rules;
use crate::workspace::{Deny, Edit, ListOptions, WriteMode};

fn time() -> Duration {
    Duration::from_millis(crate::soak::rounds(1_200, 60_000) as u64)
}

/// What is read, written, edited and listed through `door`, until `done`.
fn go_through_the_door(world: &World, done: &AtomicBool, all: &AtomicUsize) {
    let edit = Edit { old: "e".into(), new: "E".into(), replace_all: true };
    while !done.load(Ordering::Relaxed) {
        let mut entered = 0;
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
        all.fetch_add(entered, Ordering::Relaxed);
        let path = world.workspace.relative(".").unwrap();
        let options = ListOptions { depth: 3, ..ListOptions::default() };
        if let Ok(listing) = world.workspace.list(&path, &options) {
            assert!(!listing.entries.iter().any(|entry| entry.bytes == SECRET.len() as u64));
        }
    }
}

#[test]
fn a_folder_swapped_for_a_link_to_outside_lets_nothing_out() {
    let world = World::new();
    fs::create_dir(world.inside("door")).unwrap();
    fs::create_dir_all(world.inside("subdir/x")).unwrap();
    symlink("../../door", world.inside("subdir/x/door")).unwrap();
    symlink(world.outside(""), world.inside("link")).unwrap();
    let done = AtomicBool::new(false);
    let entered = AtomicUsize::new(0);
    thread::scope(|scope| {
        let users: Vec<_> =
            (0..2).map(|_| scope.spawn(|| go_through_the_door(&world, &done, &entered))).collect();
        let began = Instant::now();
        let mut swaps = 0;
        let few = || entered.load(Ordering::Relaxed) <= 100;
        while (began.elapsed() < time() || few())
            && !users.iter().any(thread::ScopedJoinHandle::is_finished)
        {
            let (door, link) = (world.inside("door"), world.inside("link"));
            let exchanged = renameat_with(CWD, door, CWD, link, RenameFlags::EXCHANGE);
            // No panic in here: the users would wait for `done` for ever.
            swaps += usize::from(exchanged.is_ok());
        }
        done.store(true, Ordering::Relaxed);
        users.into_iter().for_each(|user| user.join().unwrap());
        assert!(swaps > 100, "only {swaps} swaps");
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

/// A world with a closed folder, in which others put links.
fn closed_world(by_steps: bool) -> World {
    let mut world = World::new();
    for folder in ["closed/b", "door/b", "a/door"] {
        fs::create_dir_all(world.inside(folder)).unwrap();
    }
    for name in ["closed/file", "closed/b/file"] {
        fs::write(world.inside(name), SECRET).unwrap();
    }
    for name in ["door/file", "door/b/file", "a/door/file", "file"] {
        fs::write(world.inside(name), "open").unwrap();
    }
    let deny = std::sync::Arc::new(Deny::new(&["closed"]).unwrap());
    world.workspace = world.workspace.clone().ruled(Rules { deny, ..Rules::default() });
    if by_steps {
        world.workspace = world.workspace.clone().by_steps();
    }
    world
}

/// Puts one of these links where a folder or a file stands, and takes it away again, until `done`.
fn swap(world: &World, targets: &[(&str, PathBuf)], done: &AtomicBool) -> usize {
    let aside = world.base().join("aside");
    let mut swaps = 0;
    while !done.load(Ordering::Relaxed) {
        for (place, target) in targets {
            let place = world.inside(place);
            if fs::remove_file(&aside).is_err() && aside.exists() {
                return swaps;
            }
            // No panic in here: the others would wait for ever.
            if symlink(target, &aside).is_err() {
                continue;
            }
            for _ in 0..2 {
                swaps += usize::from(
                    renameat_with(CWD, &place, CWD, &aside, RenameFlags::EXCHANGE).is_ok(),
                );
            }
        }
    }
    swaps
}

/// Has paths used as often as asked while somebody changes what they lead to until that is done. Both tell
/// how often they could.
fn while_attacked(
    attack: impl FnOnce(&AtomicBool) -> usize + Send,
    with: impl FnOnce(usize) -> usize + Send,
) {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let attacker = scope.spawn(|| attack(&done));
        let user = scope.spawn(|| with(crate::soak::rounds(6_000, 100_000)));
        let succeeded = user.join();
        // Before anything here can panic: the attacker would wait for it for ever.
        done.store(true, Ordering::Relaxed);
        let changes = attacker.join().unwrap();
        let succeeded = succeeded.unwrap();
        assert!(changes > 100, "only {changes} changes");
        assert!(succeeded > 100, "only {succeeded} opened");
    });
}

/// Reads, writes, edits and lists at every path, so often in all, and gives how often it could.
fn open_often(world: &World, opens: usize) -> usize {
    let paths = ["door/file", "door/b/file", "a/door/file", "file", "door/new/file"];
    let options = ListOptions { depth: 3, ..ListOptions::default() };
    let mut succeeded = 0;
    for round in 0..opens / 4 {
        let path = paths[round % paths.len()];
        if let Ok(page) = world.read(path) {
            succeeded += 1;
            assert_ne!(page.text, SECRET, "{path}");
        }
        let mode = [WriteMode::Replace, WriteMode::Append][round % 2];
        // Few of them: each waits for the disk.
        if round % 8 == 0 {
            succeeded += usize::from(world.write(path, mode).is_ok());
        }
        let relative = world.workspace.relative(path).unwrap();
        if let Ok(standing) = world.workspace.standing(&relative, 1 << 20) {
            assert_ne!(standing.content(), Some(SECRET.as_bytes()), "{path}");
        }
        for folder in ["door", "a/door"] {
            let folder = world.workspace.relative(folder).unwrap();
            if let Ok(listing) = world.workspace.list(&folder, &options) {
                succeeded += 1;
                let foreign = listing.entries.iter().find(|e| e.bytes == SECRET.len() as u64);
                assert_eq!(foreign, None);
            }
        }
    }
    succeeded
}

#[test]
fn a_link_swapped_in_during_every_open_leads_neither_out_nor_to_what_is_denied() {
    for by_steps in [false, true] {
        let world = closed_world(by_steps);
        let targets = [
            ("door", world.inside("closed")),
            ("door", PathBuf::from("closed")),
            ("door/b", PathBuf::from("../closed/b")),
            ("file", world.inside("closed/file")),
            ("a", world.outside("")),
            ("door", PathBuf::from("../outside")),
            ("file", world.outside("secret.txt")),
            ("a/door", PathBuf::from("/proc/self/root")),
        ];
        while_attacked(|done| swap(&world, &targets, done), |opens| open_often(&world, opens));
        for name in ["closed/file", "closed/b/file"] {
            assert_eq!(fs::read_to_string(world.inside(name)).unwrap(), SECRET);
        }
        let closed: Vec<_> = fs::read_dir(world.inside("closed")).unwrap().collect();
        assert_eq!(closed.len(), 2);
        world.assert_outside_is_untouched();
    }
}

/// Moves the folder `door` out to the neighbour and back, until `done`.
fn move_out_and_in(world: &World, done: &AtomicBool) -> usize {
    let (inside, outside) = (world.inside("door"), world.outside("door"));
    let mut moves = 0;
    while !done.load(Ordering::Relaxed) {
        moves += usize::from(fs::rename(&inside, &outside).is_ok());
        moves += usize::from(fs::rename(&outside, &inside).is_ok());
    }
    moves
}

/// What `..` means in a folder depends on where it lies, so nothing may ask it there.
#[test]
fn a_folder_moved_out_of_the_workspace_during_every_open_takes_nobody_along() {
    for by_steps in [false, true] {
        let mut world = World::new();
        fs::create_dir_all(world.inside("door/deep")).unwrap();
        fs::write(world.inside("secret.txt"), "open").unwrap();
        fs::write(world.inside("door/deep/file"), "open").unwrap();
        symlink("../secret.txt", world.inside("door/up")).unwrap();
        symlink("../../secret.txt", world.inside("door/deep/up")).unwrap();
        symlink("../..", world.inside("door/deep/top")).unwrap();
        if by_steps {
            world.workspace = world.workspace.clone().by_steps();
        }
        while_attacked(|done| move_out_and_in(&world, done), |opens| look_up_often(&world, opens));
        world.assert_outside_is_untouched();
    }
}

/// Reads, edits and lists by paths that lead up from the folder, and gives how often it could.
fn look_up_often(world: &World, opens: usize) -> usize {
    let paths =
        ["door/up", "door/deep/up", "door/deep/top/secret.txt", "door/deep/../../secret.txt"];
    let mut succeeded = 0;
    for round in 0..opens / 4 {
        let path = paths[round % paths.len()];
        if let Ok(page) = world.read(path) {
            succeeded += 1;
            assert_ne!(page.text, SECRET, "{path}");
        }
        // Few of them: each waits for the disk.
        if round % 8 == 0 {
            let (old, new) = [("e", "E"), ("E", "e")][round / 8 % 2];
            let edit = Edit { old: old.into(), new: new.into(), replace_all: true };
            let relative = world.workspace.relative(path);
            let edited = relative.and_then(|path| world.workspace.edit(&path, &edit));
            succeeded += usize::from(edited.is_ok());
        }
        let top = world.workspace.relative("door/deep/top").unwrap();
        if let Ok(listing) = world.workspace.list(&top, &ListOptions::default()) {
            succeeded += 1;
            let foreign = listing.entries.iter().find(|e| e.bytes == SECRET.len() as u64);
            assert_eq!(foreign, None);
        }
    }
    succeeded
}
