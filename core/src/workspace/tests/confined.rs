//! What a path may reach, case by case.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::World;
use crate::error::Code;
use crate::workspace::{Edit, Error, ListOptions, Media, ReadRange, Special, Workspace, WriteMode};

/// Asserts that reading, writing, appending, editing and listing are all refused, in the words that
/// every refusal has, and that nothing outside changed.
fn assert_denied(world: &World, path: &str) {
    let edit = Edit { old: "secret".into(), new: "x".into(), replace_all: true };
    let workspace = &world.workspace;
    let errors = [
        world.read(path).map(drop),
        world.write(path, WriteMode::Replace).map(drop),
        world.write(path, WriteMode::Append).map(drop),
        workspace.relative(path).and_then(|p| workspace.edit(&p, &edit)).map(drop),
        workspace
            .relative(path)
            .and_then(|p| workspace.list(&p, &ListOptions::default()))
            .map(drop),
    ];
    for error in errors {
        let error = error.expect_err(path);
        let message = error.to_string();
        assert_eq!(error.code(), Code::AccessDenied, "{message}");
        assert!(message.contains("access denied"), "{message}");
        assert!(message.contains(path), "{message}");
        assert!(message.contains("relative to its root"), "{message}");
        let rest = message.replace(path, "");
        assert!(!rest.contains(world.base().to_str().unwrap()), "{message}");
    }
    world.assert_outside_is_untouched();
}

fn assert_text(world: &World, path: &str, text: &str) {
    assert_eq!(world.read(path).map_err(|e| e.to_string()).unwrap().text, text, "{path}");
}

#[test]
fn relative_and_absolute_paths_inside_are_read() {
    let world = World::new();
    assert_text(&world, "hello.txt", "hello");
    assert_text(&world, "subdir/nested.txt", "nested");
    assert_text(&world, "./subdir//../hello.txt", "hello");
    assert_text(&world, world.inside("hello.txt").to_str().unwrap(), "hello");
}

#[test]
fn the_root_may_be_named_by_either_of_its_spellings() {
    let world = World::new();
    symlink(world.inside(""), world.base().join("alias")).unwrap();
    let workspace = Workspace::open(&world.base().join("alias")).unwrap();
    for root in ["alias", "ws"] {
        let written = world.base().join(root).join("subdir/nested.txt");
        let path = workspace.relative(written.to_str().unwrap()).unwrap();
        assert_eq!(path.normalised(), "subdir/nested.txt");
    }
}

#[test]
fn climbing_out_is_denied_however_it_is_spelled() {
    let world = World::new();
    for path in [
        "..",
        "../outside/secret.txt",
        "../../etc/passwd",
        "subdir/../../outside/secret.txt",
        "./.././ws/hello.txt",
        "nowhere/../../outside/secret.txt",
        "subdir/../../ws/hello.txt",
        "/etc/passwd",
        "/",
        "//etc/passwd",
        "/proc/self/root/etc/passwd",
        "/proc/self/cwd",
    ] {
        assert_denied(&world, path);
    }
    let base = world.base().to_str().unwrap();
    assert_denied(&world, &format!("{base}/outside/secret.txt"));
    assert_denied(&world, &format!("{base}/ws/../outside/secret.txt"));
}

#[test]
fn a_sibling_that_shares_the_name_is_outside() {
    let world = World::new();
    fs::create_dir(world.base().join("ws-evil")).unwrap();
    fs::write(world.base().join("ws-evil/secret.txt"), "x").unwrap();
    let evil = world.base().join("ws-evil/secret.txt");
    assert_denied(&world, evil.to_str().unwrap());
    symlink(&evil, world.inside("link")).unwrap();
    assert_denied(&world, "link");
}

#[test]
fn links_to_outside_are_denied() {
    let world = World::new();
    symlink(world.outside("secret.txt"), world.inside("file")).unwrap();
    symlink("../outside/secret.txt", world.inside("relative")).unwrap();
    symlink(world.outside(""), world.inside("dir")).unwrap();
    symlink(world.outside("new.txt"), world.inside("dangling")).unwrap();
    symlink("../outside/new.txt", world.inside("dangling-relative")).unwrap();
    symlink("../outside/new/er.txt", world.inside("dangling-deep")).unwrap();
    symlink("subdir/../../outside/secret.txt", world.inside("winding")).unwrap();
    symlink("dir", world.inside("second")).unwrap();
    symlink(format!("{}/../outside", world.inside("").display()), world.inside("dressed")).unwrap();
    for path in [
        "file",
        "relative",
        "dir",
        "dir/secret.txt",
        "dir/new.txt",
        "dir/new/er.txt",
        "dangling",
        "dangling-relative",
        "dangling-deep",
        "winding",
        "second/secret.txt",
        "dressed/secret.txt",
    ] {
        assert_denied(&world, path);
    }
}

#[test]
fn links_that_stay_inside_lead_to_their_target() {
    let world = World::new();
    symlink("hello.txt", world.inside("file")).unwrap();
    symlink("subdir", world.inside("dir")).unwrap();
    symlink("../hello.txt", world.inside("subdir/up")).unwrap();
    symlink(world.inside("hello.txt"), world.inside("absolute")).unwrap();
    symlink(world.inside("subdir"), world.inside("absolute-dir")).unwrap();
    symlink("absolute-dir/../dir/up", world.inside("winding")).unwrap();
    for path in ["file", "dir/up", "subdir/up", "absolute", "absolute-dir/up", "winding"] {
        assert_text(&world, path, "hello");
    }
    assert_text(&world, "absolute-dir/nested.txt", "nested");
    world.write("absolute-dir/new.txt", WriteMode::Replace).unwrap();
    assert_text(&world, "subdir/new.txt", "written");
}

#[test]
fn a_loop_of_links_is_denied() {
    let world = World::new();
    symlink("b", world.inside("a")).unwrap();
    symlink("a", world.inside("b")).unwrap();
    symlink(world.inside("self"), world.inside("self")).unwrap();
    for path in ["a", "b", "self", "a/x", "self/x"] {
        assert_denied(&world, path);
    }
}

#[test]
fn magic_links_are_denied() {
    let world = World::new();
    symlink("/proc/self/root", world.inside("root")).unwrap();
    symlink("/proc/self/cwd", world.inside("cwd")).unwrap();
    symlink("/proc/self/fd", world.inside("fd")).unwrap();
    for path in ["root/etc/passwd", "root", "cwd", "cwd/Cargo.toml", "fd/0", "root/proc/self/root"]
    {
        assert_denied(&world, path);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn magic_links_are_denied_even_in_a_workspace_made_of_them() {
    let workspace = Workspace::open(Path::new("/proc/self")).unwrap();
    for path in ["root/etc/passwd", "cwd/Cargo.toml", "root", "exe"] {
        let path = workspace.relative(path).unwrap();
        let error = workspace.read(&path, ReadRange::default(), 100).unwrap_err();
        assert_eq!(error.code(), Code::AccessDenied, "{error}");
    }
}

#[test]
fn dots_after_a_link_are_ambiguous_and_refused() {
    let world = World::new();
    symlink("subdir", world.inside("link")).unwrap();
    let error = world.read("link/../hello.txt").unwrap_err();
    assert_eq!(error.code(), Code::InvalidArguments);
    assert!(error.to_string().contains("`link` is a symbolic link"), "{error}");
    assert_text(&world, "missing/../hello.txt", "hello");
}

#[test]
fn hard_links_are_files_like_any_other() {
    let world = World::new();
    fs::hard_link(world.inside("hello.txt"), world.inside("twin")).unwrap();
    assert_text(&world, "hello.txt", "hello");
    assert_text(&world, "twin", "hello");
}

#[test]
fn a_path_that_is_no_path_is_invalid() {
    let world = World::new();
    let long = "a/".repeat(3000);
    let long_name = "a".repeat(300);
    for path in ["", "a\0b", long.as_str(), long_name.as_str()] {
        let error = world.read(path).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArguments, "{error}");
        assert!(!error.to_string().contains('\0'));
        assert!(error.to_string().len() < 500);
        assert_eq!(
            world.write(path, WriteMode::Replace).unwrap_err().code(),
            Code::InvalidArguments
        );
    }
}

#[test]
fn a_path_has_one_normal_form_and_is_shown_as_written() {
    let world = World::new();
    let absolute = format!("{}//subdir/./x/", world.inside("").display());
    for (written, normal) in [
        ("a", "a"),
        ("./a//b/", "a/b"),
        ("a/b/..", "a"),
        (".", "."),
        ("a/..", "."),
        ("~/a", "~/a"),
        (" a ", " a "),
        ("...", "..."),
        ("a\\..\\b", "a\\..\\b"),
        (absolute.as_str(), "subdir/x"),
        (world.inside("").to_str().unwrap(), "."),
    ] {
        let path = world.workspace.relative(written).unwrap();
        assert_eq!(path.normalised(), normal);
        assert_eq!(path.to_string(), written);
    }
}

#[test]
fn a_missing_file_names_the_likely_ones() {
    let world = World::new();
    for path in ["helo.txt", "subdir/nestd.txt"] {
        let error = world.read(path).unwrap_err();
        assert_eq!(error.code(), Code::NotFound);
        assert!(error.to_string().contains("did you mean"), "{error}");
    }
    let edit = Edit { old: "a".into(), new: "b".into(), replace_all: false };
    let path = world.workspace.relative("helo.txt").unwrap();
    let error = world.workspace.edit(&path, &edit).unwrap_err();
    assert!(error.to_string().contains("did you mean `hello.txt`?"), "{error}");
}

#[test]
fn a_folder_is_not_read() {
    let world = World::new();
    for path in [".", "subdir", "subdir/"] {
        assert!(matches!(world.read(path).unwrap_err(), Error::IsFolder { .. }), "{path}");
    }
}

#[test]
fn a_file_without_text_names_the_right_tool() {
    let world = World::new();
    fs::write(world.inside("picture.PNG"), "a\0b").unwrap();
    fs::write(world.inside("picture.txt"), b"\x89PNG\r\n\x1a\n").unwrap();
    fs::write(world.inside("text.png"), "a text").unwrap();
    fs::write(world.inside("data"), b"ab\0cd").unwrap();
    for path in ["picture.PNG", "picture.txt"] {
        let error = world.read(path).unwrap_err();
        assert!(error.to_string().contains("such as `read_image`"), "{error}");
    }
    assert_text(&world, "text.png", "a text");
    let error = world.read("data").unwrap_err();
    assert!(matches!(error, Error::Binary { media: Media::Binary, .. }), "{error}");
    let missing = world.read("missing.png").unwrap_err();
    assert_eq!(missing.code(), Code::NotFound);
}

#[test]
fn a_root_that_is_missing_or_no_folder_is_the_hosts_mistake() {
    let world = World::new();
    for (path, words) in [("nowhere", "does not exist"), ("hello.txt", "not a directory")] {
        let root = world.inside(path);
        let error = Workspace::open(&root).unwrap_err();
        assert_eq!(error.code(), Code::InvalidConfig);
        assert!(error.message().contains(words), "{error}");
        assert!(error.message().contains(root.to_str().unwrap()), "{error}");
    }
}

#[test]
fn a_workspace_stays_with_its_folder_when_that_is_renamed() {
    let world = World::new();
    fs::rename(world.inside(""), world.base().join("moved")).unwrap();
    symlink(world.outside(""), world.base().join("ws")).unwrap();
    assert_text(&world, "hello.txt", "hello");
    assert!(world.read("secret.txt").is_err());
}

#[test]
#[cfg(target_os = "linux")]
fn a_fifo_and_a_socket_are_refused_at_once() {
    let world = World::new();
    let kind = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, world.inside("fifo"), kind, 0o644.into(), 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(world.inside("socket")).unwrap();
    symlink("fifo", world.inside("link")).unwrap();
    let began = std::time::Instant::now();
    for path in ["fifo", "socket", "link"] {
        let edit = Edit { old: "a".into(), new: "b".into(), replace_all: false };
        let relative = world.workspace.relative(path).unwrap();
        for error in [
            world.read(path).unwrap_err(),
            world.write(path, WriteMode::Replace).unwrap_err(),
            world.write(path, WriteMode::Append).unwrap_err(),
            world.workspace.edit(&relative, &edit).unwrap_err(),
        ] {
            assert_eq!(error.code(), Code::AccessDenied, "{error}");
            assert!(matches!(error, Error::NotRegular { .. }), "{error}");
        }
    }
    assert!(matches!(world.read("fifo"), Err(Error::NotRegular { kind: Special::Fifo, .. })));
    assert!(began.elapsed().as_secs() < 5);
}

#[test]
fn devices_are_denied() {
    let world = World::new();
    symlink("/dev/zero", world.inside("zero")).unwrap();
    symlink("/dev/tty", world.inside("tty")).unwrap();
    assert_denied(&world, "zero");
    assert_denied(&world, "tty");
    let devices = Workspace::open(Path::new("/dev")).unwrap();
    for name in ["zero", "null"] {
        let path = devices.relative(name).unwrap();
        let error = devices.read(&path, ReadRange::default(), 100).unwrap_err();
        assert!(matches!(error, Error::NotRegular { kind: Special::Device, .. }), "{error}");
        let error = devices.write(&path, b"x", WriteMode::Replace).unwrap_err();
        assert!(matches!(error, Error::NotRegular { kind: Special::Device, .. }), "{error}");
    }
}
