//! What is denied and what is read only, case by case.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::Arc;

use super::World;
use crate::error::Code;
use crate::workspace::rules::Rules;
use crate::workspace::{Deny, Edit, Error, ListOptions, Workspace, WriteMode};

/// A world in which these are denied, on the kernel's way and step by step.
fn worlds(deny: &[&str]) -> [World; 2] {
    [false, true].map(|by_steps| {
        let mut world = World::new();
        fs::create_dir_all(world.inside("closed/deep")).unwrap();
        for name in ["closed/key", "closed/deep/key", "subdir/x.pem"] {
            fs::write(world.inside(name), super::SECRET).unwrap();
        }
        world.workspace = under(deny, world.workspace.clone());
        if by_steps {
            world.workspace = world.workspace.clone().by_steps();
        }
        world
    })
}

fn under(deny: &[&str], workspace: Workspace) -> Workspace {
    workspace.ruled(Rules { deny: Arc::new(Deny::new(deny).unwrap()), ..Rules::default() })
}

/// Asserts that nothing can be done at a path, in words that reveal nothing but that.
fn assert_closed(world: &World, path: &str) {
    let workspace = &world.workspace;
    let relative = workspace.relative(path).unwrap();
    let edit = Edit { old: "secret".into(), new: "x".into(), replace_all: true };
    for error in [
        world.read(path).map(drop),
        world.write(path, WriteMode::Replace).map(drop),
        world.write(path, WriteMode::Append).map(drop),
        workspace.edit(&relative, &edit).map(drop),
        workspace.list(&relative, &ListOptions::default()).map(drop),
        workspace.stamp(&relative).map(drop),
        workspace.standing(&relative, 1 << 20).map(drop),
    ] {
        let error = error.expect_err(path);
        assert!(matches!(error, Error::Denied { .. }), "{path}: {error}");
        assert_eq!(error.code(), Code::AccessDenied);
        let message = error.to_string();
        assert!(message.starts_with(&format!("access denied: `{path}`")), "{message}");
        let rest = message.replace(path, "");
        assert!(!rest.contains(world.base().to_str().unwrap()), "{message}");
    }
}

fn assert_untouched(world: &World) {
    for name in ["closed/key", "closed/deep/key", "subdir/x.pem"] {
        assert_eq!(fs::read_to_string(world.inside(name)).unwrap(), super::SECRET);
    }
    assert!(!world.inside("closed/new").exists());
}

#[test]
fn a_denied_path_is_closed_however_it_is_spelled_and_whatever_leads_there() {
    for world in worlds(&["closed", "**/*.pem"]) {
        symlink("closed", world.inside("relative")).unwrap();
        symlink(world.inside("closed"), world.inside("absolute")).unwrap();
        symlink("relative/deep", world.inside("second")).unwrap();
        symlink("../closed/key", world.inside("subdir/file")).unwrap();
        symlink("closed/new", world.inside("dangling")).unwrap();
        symlink("../subdir/x.pem", world.inside("closed/out")).unwrap();
        symlink("closed/../hello.txt", world.inside("through")).unwrap();
        for path in [
            "closed",
            "closed/",
            "closed/key",
            "./closed//key",
            "subdir/../closed/key",
            "CLOSED/key",
            "Closed/Key",
            "closed./key",
            "clo\u{200b}sed/key",
            "closed/missing",
            "closed/missing/deep",
            "relative/key",
            "absolute/deep/key",
            "second/key",
            "second/missing",
            "subdir/file",
            "subdir/X.PEM",
            "subdir/x.pem",
            "subdir/x.pem/below",
            "dangling",
            "closed/out",
            "relative/out",
            "through",
        ] {
            if !path.ends_with('/') {
                assert_closed(&world, path);
            }
            assert!(matches!(world.read(path), Err(Error::Denied { .. })), "{path}");
        }
        let absolute = world.inside("closed/key");
        assert_closed(&world, absolute.to_str().unwrap());
        assert_untouched(&world);
    }
}

#[test]
fn a_name_with_accents_is_denied_in_both_of_its_forms() {
    for world in worlds(&["caf\u{e9}"]) {
        for name in ["cafe\u{301}", "CAF\u{c9}", "Cafe\u{301}"] {
            fs::create_dir_all(world.inside(name)).unwrap();
            fs::write(world.inside(name).join("key"), super::SECRET).unwrap();
            assert_closed(&world, &format!("{name}/key"));
        }
        assert!(names(&world, ".").iter().all(|name| !name.to_lowercase().starts_with("caf")));
    }
}

fn names(world: &World, path: &str) -> Vec<String> {
    let path = world.workspace.relative(path).unwrap();
    let options = ListOptions { depth: 5, ..ListOptions::default() };
    let listing = world.workspace.list(&path, &options).unwrap();
    listing.entries.into_iter().map(|entry| entry.path).collect()
}

#[test]
fn what_is_denied_is_not_listed_and_not_suggested() {
    for world in worlds(&["closed", "**/*.pem"]) {
        symlink("closed", world.inside("link")).unwrap();
        assert_eq!(names(&world, "."), ["hello.txt", "link", "subdir", "subdir/nested.txt"]);
        for path in ["close", "clsed", "subdir/x.pen", "subdir/y.pam"] {
            let error = world.read(path).unwrap_err().to_string();
            assert!(!error.contains("closed") && !error.contains("x.pem"), "{error}");
        }
        let near = world.read("subdir/nested.tx").unwrap_err().to_string();
        assert!(near.contains("did you mean `subdir/nested.txt`"), "{near}");
    }
}

#[test]
fn what_is_not_denied_is_used_as_before() {
    for world in worlds(&["closed", "**/*.pem"]) {
        symlink("subdir", world.inside("link")).unwrap();
        assert_eq!(world.read("link/nested.txt").unwrap().text, "nested");
        for path in ["closed-2/file", "subdir/closed", "new/x.pemx"] {
            world.write(path, WriteMode::Replace).unwrap();
            assert_eq!(world.read(path).unwrap().text, "written");
        }
        assert_untouched(&world);
    }
}

#[test]
fn a_file_with_several_names_is_refused_only_where_the_owner_says_so() {
    let world = World::new();
    fs::hard_link(world.outside("secret.txt"), world.inside("twin")).unwrap();
    assert_eq!(world.read("twin").unwrap().text, super::SECRET);
    let single = Rules { single_names: true, ..Rules::default() };
    let strict = World { workspace: world.workspace.clone().ruled(single), ..world };
    let twin = strict.workspace.relative("twin").unwrap();
    let edit = Edit { old: "secret".into(), new: "x".into(), replace_all: true };
    for error in [
        strict.read("twin").map(drop),
        strict.write("twin", WriteMode::Replace).map(drop),
        strict.write("twin", WriteMode::Append).map(drop),
        strict.workspace.edit(&twin, &edit).map(drop),
        strict.workspace.stamp(&twin).map(drop),
    ] {
        let error = error.unwrap_err();
        assert!(matches!(error, Error::ManyNames { .. }), "{error}");
        assert_eq!(error.code(), Code::AccessDenied);
    }
    assert_eq!(strict.read("hello.txt").unwrap().text, "hello");
    strict.assert_outside_is_untouched();
}

#[test]
fn a_kept_file_is_kept_under_every_name_that_it_has() {
    let world = World::new();
    let kept = fs::canonicalize(world.inside("hello.txt")).unwrap();
    let rules = Rules { kept: Arc::from([kept]), ..Rules::default() };
    let world = World { workspace: world.workspace.clone().ruled(rules), ..world };
    symlink("hello.txt", world.inside("link")).unwrap();
    fs::hard_link(world.inside("hello.txt"), world.inside("twin")).unwrap();
    for path in ["hello.txt", "link", "twin", "subdir/../hello.txt"] {
        assert!(world.read(path).is_ok());
        for mode in [WriteMode::Replace, WriteMode::Append] {
            let error = world.write(path, mode).unwrap_err();
            assert!(matches!(error, Error::Kept { .. }), "{path}: {error}");
        }
    }
    assert_eq!(fs::read_to_string(world.inside("hello.txt")).unwrap(), "hello");
}

#[test]
fn a_root_that_is_read_only_is_read_and_listed_and_never_written() {
    let world = World::new();
    let rules = Rules { read_only: true, ..Rules::default() };
    let world = World { workspace: world.workspace.clone().ruled(rules), ..world };
    assert_eq!(world.read("hello.txt").unwrap().text, "hello");
    let path = world.workspace.relative("hello.txt").unwrap();
    assert!(world.workspace.standing(&path, 100).is_ok());
    let edit = Edit { old: "hello".into(), new: "x".into(), replace_all: false };
    for error in [
        world.write("hello.txt", WriteMode::Replace).map(drop),
        world.write("hello.txt", WriteMode::Append).map(drop),
        world.write("new/file", WriteMode::Replace).map(drop),
        world.workspace.edit(&path, &edit).map(drop),
    ] {
        let error = error.unwrap_err();
        assert!(matches!(error, Error::ReadOnly { .. }), "{error}");
        assert_eq!(error.code(), Code::AccessDenied);
    }
    let left: Vec<PathBuf> =
        fs::read_dir(world.inside("")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left.len(), 2);
}
