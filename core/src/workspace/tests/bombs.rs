//! Arguments and files that are made to cost more than a call may cost, and names that are made to
//! get around a rule.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use super::World;
use crate::workspace::rules::Rules;
use crate::workspace::{Deny, Error, Globs, ListOptions, Pattern, Reading, WriteMode};

fn nested(depth: usize) -> String {
    format!("{}a{}", "{".repeat(depth), "}".repeat(depth))
}

#[test]
fn braces_in_braces_without_end_are_refused_and_break_nothing() {
    for depth in [100, 100_000] {
        assert!(Globs::new(&[nested(depth)]).is_err());
        assert!(Deny::new(&[nested(depth)]).is_err());
        assert!(Globs::new(&[format!("[\\]{}", nested(depth))]).is_err());
    }
    assert!(Globs::new(&["{{{a,b},c},d}.rs".to_owned()]).is_ok());
    assert!(Globs::new(&["\\{".repeat(1_000)]).is_ok());
}

#[test]
fn a_list_of_what_is_ignored_may_open_any_number_of_braces() {
    let world = World::new();
    fs::create_dir(world.inside("b")).unwrap();
    fs::write(world.inside("b/c"), "").unwrap();
    fs::write(world.inside(".gitignore"), format!("{}\nb\n", nested(100_000))).unwrap();
    let root = world.workspace.relative(".").unwrap();
    let options = ListOptions { depth: 2, ..ListOptions::default() };
    let listing = world.workspace.list(&root, &options).unwrap();
    let paths: Vec<&str> = listing.entries.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(paths, [".gitignore", "b", "hello.txt", "subdir", "subdir/nested.txt"]);
}

#[test]
fn a_query_that_grows_when_it_is_compiled_is_taken_literally() {
    for query in ["(?:\\w{100}){100}", "(?:(?:a?){1000}){1000}"] {
        let pattern = Pattern::new(query, Reading::default()).unwrap();
        assert!(pattern.problem.is_some(), "{query}");
    }
    for query in ["\\w{0,200}", "foo[\\s\\S]{0,500}bar"] {
        let pattern = Pattern::new(query, Reading::default()).unwrap();
        assert_eq!(pattern.problem, None, "{query}");
    }
}

#[test]
fn nothing_is_put_where_a_listing_does_not_look() {
    let world = World::new();
    let hidden = format!(".toolkeep-{}.tmp", "0".repeat(32));
    for path in [hidden.clone(), format!("{hidden}/x"), format!("subdir/{hidden}/a/x")] {
        for mode in [WriteMode::Replace, WriteMode::Append] {
            let error = world.write(&path, mode).unwrap_err();
            assert!(matches!(error, Error::Denied { .. }), "{path}: {error}");
        }
    }
    assert!(!world.inside(&hidden).exists());
    fs::create_dir(world.inside(&hidden)).unwrap();
    fs::write(world.inside(&hidden).join("x"), "there").unwrap();
    assert!(world.read(&format!("{hidden}/x")).is_err());
}

#[test]
fn no_folder_is_made_in_the_place_of_a_kept_file() {
    let mut world = World::new();
    let kept = fs::canonicalize(world.inside("")).unwrap().join("state.db-wal");
    world.workspace =
        world.workspace.clone().ruled(Rules { kept: Arc::new([kept.clone()]), ..Rules::default() });
    for path in ["state.db-wal", "state.db-wal/x", "state.db-wal/a/b"] {
        for mode in [WriteMode::Replace, WriteMode::Append] {
            let error = world.write(path, mode).unwrap_err();
            assert!(matches!(error, Error::Kept { .. }), "{path}: {error}");
        }
    }
    assert!(!kept.exists());
    world.write("state.db-wal2", WriteMode::Replace).unwrap();
}

#[test]
fn a_path_that_goes_up_again_reveals_nothing_denied() {
    let mut world = World::new();
    fs::create_dir_all(world.inside("closed/folder")).unwrap();
    symlink("folder", world.inside("closed/link")).unwrap();
    symlink("closed", world.inside("to_closed")).unwrap();
    symlink("subdir", world.inside("link.pem")).unwrap();
    let deny = Arc::new(Deny::new(&["closed", "*.pem"]).unwrap());
    world.workspace = world.workspace.clone().ruled(Rules { deny, ..Rules::default() });
    for hidden in ["closed/link", "closed/folder", "to_closed/link", "link.pem", "missing.pem"] {
        let path = world.workspace.relative(&format!("{hidden}/../x")).unwrap();
        let above = hidden.rsplit_once('/').map_or(String::new(), |(above, _)| format!("{above}/"));
        assert_eq!(path.normalised(), format!("{above}x"));
    }
    let error = world.workspace.relative("to_closed/../x").unwrap_err();
    assert!(matches!(error, Error::AmbiguousParent { .. }), "{error}");
}
