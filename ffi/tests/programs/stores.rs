//! A C host that opens a store which it cannot have: each has its own code.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rusqlite::Connection;

use crate::program::{Program, run};

/// What opening the store file gives, once a whole store was made there and `spoil` has seen it.
fn opening_after<T>(spoil: impl FnOnce(&Path) -> T) -> String {
    let program = Program::compile("tests/c/open.c", &[]);
    let place = program.data().join("agent.db");
    let config = format!("{{\"store\": \"sqlite:{}\"}}", place.display());
    assert_eq!(run(program.command().arg(&config)), "open\n");
    let _until_it_was_tried = spoil(&place);
    run(program.command().arg(&config))
}

#[test]
fn a_store_from_a_newer_toolkeep_is_refused() {
    let told = opening_after(|place| {
        let store = Connection::open(place).unwrap();
        store.execute("INSERT INTO toolkeep_schema VALUES (999, 0)", ()).unwrap();
    });
    assert!(told.starts_with("64 store_newer: ") && told.contains("999"), "{told}");
}

#[test]
fn a_store_that_cannot_be_written_is_refused() {
    let told = opening_after(|place| {
        fs::set_permissions(place, fs::Permissions::from_mode(0o444)).unwrap();
    });
    assert!(told.starts_with("62 store_read_only: "), "{told}");
}

#[test]
fn a_store_that_another_process_locks_is_refused_after_a_while() {
    let told = opening_after(|place| {
        let store = Connection::open(place).unwrap();
        store.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").unwrap();
        store
    });
    assert!(told.starts_with("63 store_locked: "), "{told}");
}
