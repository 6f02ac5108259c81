//! Random paths over a nasty alphabet: whatever opens is inside.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;

use super::{SECRET, World};
use crate::workspace::{Entry, ListOptions, WriteMode};

const NAMES: &[&str] = &[
    "..",
    "..",
    ".",
    "",
    "a",
    "b",
    "subdir",
    "out",
    "in",
    "abs",
    "up",
    "loop",
    "hello.txt",
    "secret.txt",
    "outside",
    "ws",
    "ws-evil",
    "root",
    "etc",
    "passwd",
    "~",
    "...",
    " ",
    "\\..",
    "..\\",
    "A",
    "é",
    "e\u{301}",
    "%2e%2e",
    "..;",
    "new",
    "nested.txt",
    "/",
    "//",
    "\u{2025}",
];

fn random(seed: &mut u64, below: usize) -> usize {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    (*seed % below as u64) as usize
}

fn random_path(seed: &mut u64, starts: &[String]) -> String {
    let mut names = vec![starts[random(seed, starts.len())].as_str()];
    names.extend((0..=random(seed, 6)).map(|_| NAMES[random(seed, NAMES.len())]));
    names.join(if random(seed, 8) == 0 { "//" } else { "/" })
}

/// The identities of everything beneath a folder.
fn identities(folder: &Path, found: &mut Vec<(u64, u64)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let metadata = entry.metadata().unwrap();
        found.push((metadata.dev(), metadata.ino()));
        if metadata.is_dir() {
            identities(&entry.path(), found);
        }
    }
}

/// How many paths are tried in one world: writes make its tree grow, which is looked through for each file
/// that opens.
const ROUNDS_OF_A_WORLD: usize = 20_000;

#[test]
fn whatever_opens_lies_beneath_the_root() {
    let mut seed = 0x0123_4567_89ab_cdef_u64;
    let mut left = crate::soak::rounds(ROUNDS_OF_A_WORLD, 2_000_000);
    while left > 0 {
        let rounds = left.min(ROUNDS_OF_A_WORLD);
        in_a_world(&mut seed, rounds);
        left -= rounds;
    }
}

fn in_a_world(seed: &mut u64, rounds: usize) {
    let world = World::new();
    fs::write(world.base().join("beside"), "").unwrap();
    fs::create_dir_all(world.inside("a/b/a/b")).unwrap();
    fs::write(world.inside("a/b/hello.txt"), "hello").unwrap();
    for (target, link) in [
        (world.outside("").to_str().unwrap(), "out"),
        ("../outside", "a/out"),
        ("..", "up"),
        ("..", "a/up"),
        ("../..", "a/b/up"),
        ("subdir", "in"),
        (world.inside("a").to_str().unwrap(), "abs"),
        ("loop", "loop"),
        ("/proc/self/root", "root"),
        ("../../outside/new", "a/new"),
    ] {
        symlink(target, world.inside(link)).unwrap();
    }
    let base = world.base().to_str().unwrap();
    let starts: Vec<String> = ["", ".", "a", "up", "a/up", "a/b/up", "abs", "in", "subdir"]
        .iter()
        .map(|start| (*start).to_owned())
        .chain([format!("{base}/ws"), format!("{base}/ws-evil"), base.to_owned()])
        .collect();

    let mut opened = 0;
    for round in 0..rounds {
        let written = random_path(seed, &starts);
        let Ok(path) = world.workspace.relative(&written) else { continue };
        let normal = path.normalised();
        assert!(!normal.starts_with('/') && !normal.split('/').any(|name| name == ".."));
        if let Ok(page) = world.read(&written) {
            opened += 1;
            assert_ne!(page.text, SECRET, "{written}");
        }
        if let Ok(file) = world.workspace.open_file(&path) {
            let metadata = file.metadata().unwrap();
            let mut inside = Vec::new();
            identities(&world.inside(""), &mut inside);
            assert!(inside.contains(&(metadata.dev(), metadata.ino())), "{written}");
        }
        if let Ok(listing) = world.workspace.list(&path, &ListOptions::default()) {
            opened += 1;
            let foreign =
                |entry: &Entry| entry.path == "beside" || entry.bytes == SECRET.len() as u64;
            assert!(!listing.entries.iter().any(foreign), "{written}");
        }
        // Writes make the tree grow, so fewer of them.
        if round % 20 == 0 {
            let mode = [WriteMode::Replace, WriteMode::Append][random(seed, 2)];
            let _ = world.write(&written, mode);
        }
    }
    assert!(opened > 500, "only {opened} opened");
    world.assert_outside_is_untouched();
    let mut neighbours: Vec<_> =
        fs::read_dir(world.base()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    neighbours.sort();
    assert_eq!(neighbours, ["beside", "outside", "ws"]);
}
