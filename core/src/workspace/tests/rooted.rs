//! Several folders of one caller.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::kind::Resource;
use crate::workspace::{
    Deny, Error, Limits, ReadRange, Root, RootInfo, Roots, Workspace, WriteMode,
};

struct Base(tempfile::TempDir);

impl Base {
    /// `ws`, `ws/nested`, `ws-evil`, `skills`, `team` and `outside`, each with a file that says where it is.
    fn new() -> Base {
        let base = Base(tempfile::tempdir().unwrap());
        for folder in ["ws", "ws/nested", "ws-evil", "skills", "team", "outside"] {
            fs::create_dir_all(base.path(folder)).unwrap();
            fs::write(base.path(folder).join("file"), folder).unwrap();
        }
        base
    }

    fn path(&self, path: &str) -> PathBuf {
        fs::canonicalize(self.0.path()).unwrap().join(path)
    }

    fn text(&self, path: &str) -> String {
        self.path(path).to_str().unwrap().to_owned()
    }

    fn root(&self, path: &str, read_only: bool) -> Root {
        Root::new(Workspace::open(&self.path(path)).unwrap(), read_only)
    }

    fn roots(&self, others: &[(&str, bool)], deny: &[&str]) -> Roots {
        let others = others.iter().map(|(path, read_only)| self.root(path, *read_only)).collect();
        let deny = Arc::new(Deny::new(deny).unwrap());
        Roots::new(self.root("ws", false), others, Limits { deny, ..Limits::default() })
    }
}

fn read(roots: &Roots, path: &str) -> Result<String, Error> {
    let (workspace, place) = roots.place(path)?;
    workspace.read(&place, ReadRange::default(), 1000).map(|page| page.text)
}

fn write(roots: &Roots, path: &str) -> Result<(), Error> {
    let (workspace, place) = roots.place(path)?;
    workspace.write(&place, b"written", WriteMode::Replace).map(drop)
}

#[test]
fn a_relative_path_is_of_the_workspace_and_an_absolute_one_of_the_root_that_has_it() {
    let base = Base::new();
    let roots = base.roots(&[("skills", true), ("team", false)], &[]);
    for (path, text) in [
        ("file".to_owned(), "ws"),
        (base.text("ws/file"), "ws"),
        (base.text("skills/file"), "skills"),
        (base.text("team/./x/../file"), "team"),
    ] {
        assert_eq!(read(&roots, &path).unwrap(), text, "{path}");
    }
    for path in ["ws-evil/file", "outside/file", "", "skills/../outside/file"] {
        let path = base.text(path);
        assert!(matches!(read(&roots, &path), Err(Error::Outside { .. })), "{path}");
    }
    assert!(matches!(read(&roots, "../skills/file"), Err(Error::Outside { .. })));
}

#[test]
fn a_root_is_known_by_the_path_that_was_given_and_by_the_one_without_links() {
    let base = Base::new();
    symlink(base.path("skills"), base.path("alias")).unwrap();
    let roots = base.roots(&[("alias", true)], &[]);
    for path in ["alias/file", "skills/file"] {
        assert_eq!(read(&roots, &base.text(path)).unwrap(), "skills");
    }
    assert_eq!(roots.infos()[1].path, base.text("alias"));
}

#[test]
fn a_root_for_reading_is_never_written_wherever_it_lies() {
    let base = Base::new();
    let roots = base.roots(&[("skills", true), ("ws/nested", true), ("team", false)], &[]);
    symlink("nested", base.path("ws/link")).unwrap();
    symlink(base.path("skills"), base.path("ws/skills")).unwrap();
    for path in [
        base.text("skills/new"),
        base.text("ws/nested/new"),
        "nested/new".to_owned(),
        "nested/file".to_owned(),
        "link/file".to_owned(),
        "skills/file".to_owned(),
        "skills/new/er".to_owned(),
    ] {
        assert!(matches!(write(&roots, &path), Err(Error::ReadOnly { .. })), "{path}");
    }
    assert_eq!(read(&roots, "link/file").unwrap(), "ws/nested");
    write(&roots, &base.text("team/new")).unwrap();
    write(&roots, "new").unwrap();
    assert!(!base.path("skills/new").exists() && !base.path("ws/nested/new").exists());
}

#[test]
fn a_root_that_is_given_twice_is_written_only_if_both_allow_it() {
    let base = Base::new();
    let roots = base.roots(&[("team", false), ("team", true), ("ws", true)], &[]);
    assert!(matches!(write(&roots, &base.text("team/new")), Err(Error::ReadOnly { .. })));
    assert!(matches!(write(&roots, "new"), Err(Error::ReadOnly { .. })));
    assert_eq!(roots.infos().len(), 2);
}

#[test]
fn a_root_for_writing_in_one_for_reading_is_written() {
    let base = Base::new();
    fs::create_dir(base.path("skills/mine")).unwrap();
    let roots = base.roots(&[("skills", true), ("skills/mine", false)], &[]);
    write(&roots, &base.text("skills/mine/new")).unwrap();
    assert!(write(&roots, &base.text("skills/new")).is_err());
}

#[test]
fn a_link_leads_where_the_same_path_written_out_leads() {
    let base = Base::new();
    let roots = base.roots(&[("skills", true), ("team", false)], &[]);
    let ws = base.path("ws");
    symlink(base.path("skills"), ws.join("absolute")).unwrap();
    symlink("../skills", ws.join("relative")).unwrap();
    symlink("../../skills/file", ws.join("nested/up")).unwrap();
    symlink(base.path("ws"), base.path("skills/back")).unwrap();
    symlink("../team/file", base.path("skills/on")).unwrap();
    symlink(base.path("outside"), base.path("skills/out")).unwrap();
    symlink("../outside/file", ws.join("out")).unwrap();
    symlink(base.path("skills/../outside"), ws.join("dressed")).unwrap();
    symlink(base.path("ws-evil"), ws.join("evil")).unwrap();
    symlink(base.path("skills/loop"), ws.join("loop")).unwrap();
    symlink(ws.join("loop"), base.path("skills/loop")).unwrap();
    symlink("../team/new", ws.join("dangling")).unwrap();
    for (path, text) in [
        ("absolute/file", "skills"),
        ("relative/file", "skills"),
        ("nested/up", "skills"),
        ("absolute/back/file", "ws"),
        ("relative/back/absolute/on", "team"),
    ] {
        assert_eq!(read(&roots, path).unwrap(), text, "{path}");
    }
    for path in ["absolute/out/file", "out", "dressed/file", "evil/file"] {
        assert!(matches!(read(&roots, path), Err(Error::Outside { .. })), "{path}");
        assert!(matches!(write(&roots, path), Err(Error::Outside { .. })), "{path}");
    }
    assert!(matches!(read(&roots, "loop"), Err(Error::Links { .. })));
    write(&roots, "absolute/on").unwrap();
    write(&roots, "dangling").unwrap();
    assert_eq!(fs::read_to_string(base.path("team/new")).unwrap(), "written");
    let alone = base.roots(&[], &[]);
    assert!(matches!(read(&alone, "absolute/file"), Err(Error::Outside { .. })));
}

#[test]
fn denied_paths_count_from_every_root_and_by_whichever_way() {
    let base = Base::new();
    for folder in ["ws", "skills", "team"] {
        fs::create_dir(base.path(folder).join("keys")).unwrap();
        fs::write(base.path(folder).join("keys/a"), "secret").unwrap();
    }
    symlink("../skills", base.path("ws/link")).unwrap();
    symlink("../team", base.path("ws/keys-link")).unwrap();
    let roots = base.roots(&[("skills", true), ("team", false)], &["keys", "keys-link/file"]);
    for path in [
        "keys/a".to_owned(),
        base.text("ws/keys/a"),
        base.text("skills/Keys/a"),
        base.text("team/keys/new"),
        "link/keys/a".to_owned(),
        "keys-link/keys/a".to_owned(),
        "keys-link/file".to_owned(),
    ] {
        assert!(matches!(read(&roots, &path), Err(Error::Denied { .. })), "{path}");
        assert!(write(&roots, &path).is_err(), "{path}");
    }
    assert_eq!(read(&roots, "link/file").unwrap(), "skills");
}

#[test]
fn a_root_may_be_shown_under_another_path() {
    let base = Base::new();
    let shown = |path: &str| Some(PathBuf::from(path));
    let workspace = Root { shown_as: shown("/workspace"), ..base.root("ws", false) };
    let skills = Root { shown_as: shown("/skills"), ..base.root("skills", true) };
    let roots = Roots::new(workspace, vec![skills], Limits::default());
    symlink("/workspace/file", base.path("ws/link")).unwrap();
    symlink("/skills/file", base.path("ws/across")).unwrap();
    for (path, text) in [
        ("/workspace/file", "ws"),
        ("/skills/file", "skills"),
        ("file", "ws"),
        ("link", "ws"),
        ("across", "skills"),
    ] {
        assert_eq!(read(&roots, path).unwrap(), text, "{path}");
    }
    for path in ["/workspace-evil/file", "/workspace/../file", "/file"] {
        assert!(read(&roots, path).is_err(), "{path}");
    }
    let info = |path: &str, read_only| RootInfo { path: path.into(), read_only };
    assert_eq!(roots.infos(), [info("/workspace", false), info("/skills", true)]);
}

#[test]
fn two_roots_never_collide_and_two_spellings_of_a_file_always_do() {
    let base = Base::new();
    symlink("nested", base.path("ws/link")).unwrap();
    let roots = base.roots(&[("skills", true), ("ws/nested", false), ("team", false)], &[]);
    let resource = |path: &str| roots.resource(path).unwrap();
    let path = |path: &str| Resource::Path(path.into());
    assert_eq!(resource("./a//b"), path("a/b"));
    assert_eq!(resource(&base.text("ws/a/b")), path("a/b"));
    assert_eq!(resource(&base.text("ws/nested/x")), path("nested/x"));
    assert_eq!(resource(&base.text("skills/a")), Resource::Path(base.text("skills/a")));
    assert_eq!(resource(&base.text("skills")), Resource::Path(base.text("skills")));
    for anything in ["link/x", "link", "."] {
        assert_eq!(resource(anything), path("."));
    }
    assert!(!resource(&base.text("skills/a")).overlaps(&resource("a")));
    assert!(!resource(&base.text("skills/a")).overlaps(&resource(&base.text("team/a"))));
    assert!(resource("link/x").overlaps(&resource(&base.text("team/a"))));
    assert!(resource(&base.text("team")).overlaps(&resource(&base.text("team/a"))));
    assert!(roots.resource("../x").is_err());
}

#[test]
fn a_root_around_the_workspace_is_all_of_it() {
    let base = Base::new();
    let roots = base.roots(&[("", true)], &[]);
    assert_eq!(roots.resource(&base.text("")).unwrap(), Resource::Path(".".into()));
    assert_eq!(read(&roots, &base.text("outside/file")).unwrap(), "outside");
    write(&roots, &base.text("ws/new")).unwrap();
    assert!(matches!(write(&roots, &base.text("team/new")), Err(Error::ReadOnly { .. })));
}

#[test]
fn a_file_is_named_by_the_workspace_where_it_lies_in_there() {
    let base = Base::new();
    let roots = base.roots(&[("ws/nested", false), ("team", false)], &[]);
    let named = |path: &str| {
        let (workspace, place) = roots.place(path).unwrap();
        workspace.named(Path::new(place.normalised()))
    };
    assert_eq!(named("nested/file"), (base.path("ws"), PathBuf::from("nested/file")));
    assert_eq!(named(&base.text("ws/nested/file")), named("nested/file"));
    assert_eq!(named(&base.text("team/file")), (PathBuf::new(), base.path("team/file")));
}
