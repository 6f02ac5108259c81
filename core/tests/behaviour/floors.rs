//! The floors of the house: `docs/architecture.md` says on which floor each room is, and a room imports
//! from lower floors only.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Which floor each room is on: from the table of the page.
fn floors() -> BTreeMap<String, u32> {
    let page = fs::read_to_string(source().join("../../docs/architecture.md")).unwrap();
    let mut floors = BTreeMap::new();
    for row in page.lines().filter(|line| line.starts_with("| ")) {
        let mut cells = row.split('|').map(str::trim).skip(1);
        let Some(Ok(floor)) = cells.next().map(str::parse::<u32>) else { continue };
        for room in cells.next().unwrap().split_whitespace() {
            let room = room.trim_matches('`').to_owned();
            assert_eq!(floors.insert(room.clone(), floor), None, "`{room}` is in the table twice");
        }
    }
    floors
}

/// The files of a room: `room.rs` and all below `room/`.
fn files(room: &str) -> Vec<PathBuf> {
    let mut found = vec![source().join(format!("{room}.rs"))];
    let mut folders = vec![source().join(room)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => found.push(path),
            }
        }
    }
    found.retain(|path| path.is_file() && path.extension().is_some_and(|end| end == "rs"));
    found
}

/// The code of a file without comments, and without the tests at its end.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The rooms that a piece of code names as `crate::room` or in `use crate::{room, …}`.
fn named(code: &str) -> BTreeSet<String> {
    let mut rooms = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        let group = rest.strip_prefix('{').and_then(|rest| rest.split('}').next());
        for path in group.unwrap_or(rest).split(',').take(if group.is_some() { 99 } else { 1 }) {
            let name = path.trim_start();
            let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            rooms.insert(name[..end.unwrap_or(name.len())].to_owned());
        }
    }
    rooms
}

/// Rooms that only tests of the crate use.
const FOR_TESTS: [&str; 1] = ["soak"];

#[test]
fn each_room_is_on_a_floor_of_the_page() {
    let declared: BTreeSet<String> = fs::read_to_string(source().join("lib.rs"))
        .unwrap()
        .lines()
        .filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'))
        .filter(|room| !FOR_TESTS.contains(room))
        .map(str::to_owned)
        .collect();
    let on_page: BTreeSet<String> = floors().into_keys().collect();
    assert_eq!(declared, on_page, "lib.rs on the left, docs/architecture.md on the right");
}

#[test]
fn a_room_imports_from_lower_floors_only() {
    let floors = floors();
    let mut wrong = BTreeSet::new();
    for (room, floor) in &floors {
        for path in files(room) {
            let is_test = path.ends_with("tests.rs") || path.iter().any(|part| part == "tests");
            if is_test {
                continue;
            }
            for other in named(&code(&path)) {
                if floors.get(&other).is_some_and(|below| other != *room && below >= floor) {
                    let file = path.strip_prefix(source()).unwrap().display().to_string();
                    wrong.insert(format!("{file}: `{room}` (floor {floor}) imports `{other}`"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "arrows that do not go down:\n{:#?}", wrong);
}

#[test]
fn an_import_is_read_as_it_is_written() {
    let code =
        "use crate::tool::{Tool, x};\nuse crate::{policy::Rule, store};\ncrate::id::new_id()";
    let want = ["id", "policy", "store", "tool"].map(str::to_owned);
    assert_eq!(named(code), want.into_iter().collect());
}
