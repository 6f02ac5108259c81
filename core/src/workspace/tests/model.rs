//! Generated trees, rules and paths: what may be done agrees with a model of what should be.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::workspace::{
    Deny, Error, Limits, ListOptions, ReadRange, Root, Roots, Workspace, WriteMode,
};

/// As many links as are followed in one path.
const MOST_LINKS: usize = 40;

const NAMES: &[&str] = &["a", "b", "c", "key", "A", "Key", "x.pem", "Y.PEM", "\u{e9}", "e\u{301}"];
const DENIED: &[&str] =
    &["a", "key", "a/b", "b/key", "c/a/b", "**/*.pem", "*.pem", "b/*", "\u{c9}"];

/// The roots: `ws` is written, `lib` is read; `out` is none.
const TREES: [&str; 3] = ["ws", "lib", "out"];

#[derive(Clone, Debug)]
enum Node {
    Folder,
    File(String),
    Link(String),
}

/// What is on the disk, by the path from the folder that holds the three trees.
type Disk = BTreeMap<Vec<String>, Node>;

/// What should come of a path.
#[derive(Debug, PartialEq)]
enum Outcome {
    /// It leads here: from the folder that holds the trees.
    At(Vec<String>),
    Denied,
    Outside,
    Links,
    NotAFolder,
}

struct Model<'m> {
    disk: &'m Disk,
    deny: &'m [&'static str],
    base: &'m str,
}

impl Model<'_> {
    /// Where a relative path of the workspace leads. Links are followed name by name, and `..` in a
    /// link goes up from where the names before it have led. A path as it is written is denied, too.
    fn resolve(&self, path: &[&str]) -> Outcome {
        let mut pending: Vec<String> = path.iter().rev().map(|name| (*name).to_owned()).collect();
        if self.denies(&path.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()) {
            return Outcome::Denied;
        }
        let mut at = vec!["ws".to_owned()];
        let (mut links, mut passed) = (0, 0);
        while let Some(name) = pending.pop() {
            if name == ".." {
                at.pop();
                if at.is_empty() {
                    (links, passed) = (0, passed + 1);
                    match pending.pop() {
                        Some(root) if root == "ws" || root == "lib" => at.push(root),
                        _ => return Outcome::Outside,
                    }
                }
                if passed > MOST_LINKS {
                    return Outcome::Links;
                }
                continue;
            }
            at.push(name);
            if self.denies(&at[1..]) {
                return Outcome::Denied;
            }
            if matches!(self.disk.get(&at[..at.len() - 1]), Some(Node::File(_))) {
                return Outcome::NotAFolder;
            }
            let Some(Node::Link(target)) = self.disk.get(&at) else { continue };
            links += 1;
            if links > MOST_LINKS {
                return Outcome::Links;
            }
            at.pop();
            let rest = match target.strip_prefix(self.base) {
                None if target.starts_with('/') => return Outcome::Outside,
                None => target.as_str(),
                Some(beneath) => {
                    let beneath = beneath.trim_start_matches('/');
                    let (root, rest) = beneath.split_once('/').unwrap_or((beneath, ""));
                    if root != "ws" && root != "lib" {
                        return Outcome::Outside;
                    }
                    if root != at[0] {
                        (links, passed) = (0, passed + 1);
                    }
                    at = vec![root.to_owned()];
                    rest
                }
            };
            let names = rest.split('/').filter(|name| !matches!(*name, "" | "."));
            pending.extend(names.rev().map(str::to_owned));
            if passed > MOST_LINKS {
                return Outcome::Links;
            }
        }
        Outcome::At(at)
    }

    fn denies(&self, path: &[String]) -> bool {
        let path: Vec<String> = path.iter().map(|name| folded(name)).collect();
        (1..=path.len()).any(|end| self.deny.iter().any(|entry| fits(entry, &path[..end])))
    }

    /// Every name in a folder that is to be seen.
    fn shown(&self, folder: &[String]) -> Vec<String> {
        let inside = self.disk.keys().filter(|path| {
            path.len() == folder.len() + 1 && path.starts_with(folder) && !self.denies(&path[1..])
        });
        inside.filter_map(|path| path.last().cloned()).collect()
    }
}

/// The few spellings in [`NAMES`] as one.
fn folded(name: &str) -> String {
    name.to_lowercase().replace("e\u{301}", "\u{e9}")
}

fn fits(entry: &str, path: &[String]) -> bool {
    match entry {
        "**/*.pem" | "*.pem" => path.last().is_some_and(|name| name.ends_with(".pem")),
        "b/*" => path.len() == 2 && path[0] == "b",
        literal => folded(literal) == path.join("/"),
    }
}

/// In which tree, at which path, of which kind, and what it leads to if it is a link.
type Grown = (usize, Vec<&'static str>, u8, String);

fn trees() -> impl Strategy<Value = Vec<Grown>> {
    let name = prop::sample::select(NAMES);
    let path = prop::collection::vec(name, 1..4);
    let target = prop_oneof![
        prop::collection::vec(prop::sample::select(NAMES), 1..4).prop_map(|names| names.join("/")),
        (0_usize..4, prop::collection::vec(prop::sample::select(NAMES), 0..3)).prop_map(
            |(ups, names)| {
                let mut steps = vec![".."; ups];
                steps.extend(names);
                if steps.is_empty() { ".".to_owned() } else { steps.join("/") }
            }
        ),
        (
            prop::sample::select(&TREES[..]),
            prop::collection::vec(prop::sample::select(NAMES), 0..3)
        )
            .prop_map(|(tree, names)| format!("../{tree}/{}", names.join("/"))),
        (
            prop::sample::select(&TREES[..]),
            prop::collection::vec(prop::sample::select(NAMES), 0..3)
        )
            .prop_map(|(tree, names)| format!("BASE/{tree}/{}", names.join("/"))),
        Just("/proc/self/root/etc/passwd".to_owned()),
        Just("/etc".to_owned()),
    ];
    let entry = (0_usize..TREES.len(), path, 0_u8..5, target);
    prop::collection::vec(entry, 1..25)
}

/// Makes the tree on the disk, and returns what it has become.
fn grow(base: &Path, entries: &[Grown]) -> Disk {
    let mut disk: Disk = TREES.map(|tree| (vec![tree.to_owned()], Node::Folder)).into();
    for tree in TREES {
        fs::create_dir(base.join(tree)).unwrap();
    }
    for (tree, names, kind, target) in entries {
        let mut path = vec![TREES[*tree].to_owned()];
        let (last, folders) = names.split_last().unwrap();
        let is_open = folders.iter().all(|folder| {
            path.push((*folder).to_owned());
            let node = disk.entry(path.clone()).or_insert(Node::Folder);
            matches!(node, Node::Folder)
        });
        path.push((*last).to_owned());
        if !is_open || disk.contains_key(&path) {
            continue;
        }
        let place = base.join(path.join("/"));
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        let node = match kind {
            0 => Node::Folder,
            1 | 2 => Node::Link(target.replace("BASE", base.to_str().unwrap())),
            _ => Node::File(format!("content of {}", path.join("/"))),
        };
        match &node {
            Node::Folder => fs::create_dir(&place).unwrap(),
            Node::Link(target) => symlink(target, &place).unwrap(),
            Node::File(content) => fs::write(&place, content).unwrap(),
        }
        disk.insert(path, node);
    }
    // Folders on the way to an entry that was left out are only in the model.
    disk.retain(|path, _| fs::symlink_metadata(base.join(path.join("/"))).is_ok());
    disk
}

fn check(
    entries: &[Grown],
    deny: &[&'static str],
    paths: &[Vec<&'static str>],
    by_steps: bool,
) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().unwrap();
    let base = fs::canonicalize(folder.path()).unwrap();
    let mut disk = grow(&base, entries);
    let open = |tree: &str| {
        let opened = Workspace::open(&base.join(tree)).unwrap();
        if by_steps { opened.by_steps() } else { opened }
    };
    let limits = Limits { deny: Arc::new(Deny::new(deny).unwrap()), ..Limits::default() };
    let roots =
        Roots::new(Root::new(open("ws"), false), vec![Root::new(open("lib"), true)], limits);
    for path in paths {
        let model = Model { disk: &disk, deny, base: base.to_str().unwrap() };
        let outcome = model.resolve(path);
        let written = path.join("/");
        let place = roots.place(&written);
        let read = place.as_ref().map_err(ToString::to_string).and_then(|(workspace, place)| {
            let page = workspace.read(place, ReadRange::default(), 10_000);
            page.map(|page| page.text).map_err(|error| error.to_string())
        });
        let listed = place.as_ref().map_err(ToString::to_string).and_then(|(workspace, place)| {
            let listing = workspace.list(place, &ListOptions::default());
            listing.map_err(|error| error.to_string())
        });
        let node = match &outcome {
            Outcome::At(at) => disk.get(at),
            _ => None,
        };
        match node {
            Some(Node::File(content)) => prop_assert_eq!(read.as_ref(), Ok(content), "{}", written),
            _ => prop_assert!(read.is_err(), "{} should be {:?}: {:?}", written, outcome, read),
        }
        match (&outcome, node) {
            (Outcome::At(at), Some(Node::Folder)) => {
                let mut names: Vec<String> =
                    listed.unwrap().entries.into_iter().map(|entry| entry.path).collect();
                names.sort();
                prop_assert_eq!(names, model.shown(at), "{}", written);
            }
            _ => prop_assert!(listed.is_err(), "{} should be {:?}", written, outcome),
        }
        let wrote = place.and_then(|(workspace, place)| {
            workspace.write(&place, written.as_bytes(), WriteMode::Replace)
        });
        check_written(&base, &mut disk, (&written, &outcome), wrote.map(drop))?;
    }
    check_disk(&base, &disk)
}

/// That a write came where the model has it come, and nowhere else.
fn check_written(
    base: &Path,
    disk: &mut Disk,
    (written, outcome): (&str, &Outcome),
    wrote: Result<(), Error>,
) -> Result<(), TestCaseError> {
    let wanted = match outcome {
        // A root itself is no file, whatever else is to be said of it.
        Outcome::At(at) if at.len() == 1 => Err(""),
        Outcome::At(at) if at[0] == "lib" => Err("read but not written"),
        Outcome::At(at) => {
            let is_open =
                (1..at.len()).all(|end| matches!(disk.get(&at[..end]), None | Some(Node::Folder)));
            let is_folder = matches!(disk.get(at), Some(Node::Folder));
            if is_folder || !is_open { Err("folder") } else { Ok(at.clone()) }
        }
        Outcome::Denied => Err("closed to tools"),
        Outcome::Outside => Err("outside the workspace"),
        Outcome::Links => Err("symbolic links"),
        Outcome::NotAFolder => Err(""),
    };
    match (wanted, wrote) {
        (Ok(at), Ok(())) => {
            let content = fs::read_to_string(base.join(at.join("/"))).unwrap();
            prop_assert_eq!(&content, written);
            for end in 1..at.len() {
                disk.entry(at[..end].to_vec()).or_insert(Node::Folder);
            }
            disk.insert(at, Node::File(content));
        }
        (Err(words), Err(error)) => {
            let error = error.to_string();
            prop_assert!(error.contains(words), "{}: {} instead of {}", written, error, words);
        }
        (wanted, wrote) => {
            prop_assert!(false, "{}: {:?} instead of {:?}", written, wrote, wanted);
        }
    }
    Ok(())
}

/// That the disk has what the model has, and nothing else.
fn check_disk(base: &Path, disk: &Disk) -> Result<(), TestCaseError> {
    let mut found = 0;
    let mut folders = vec![(PathBuf::new(), base.to_owned())];
    while let Some((at, folder)) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let at = at.join(entry.file_name());
            let names: Vec<String> =
                at.iter().map(|name| name.to_str().unwrap().to_owned()).collect();
            let kind = entry.file_type().unwrap();
            match disk.get(&names) {
                Some(Node::Folder) if kind.is_dir() => folders.push((at, entry.path())),
                Some(Node::File(content)) if kind.is_file() => {
                    prop_assert_eq!(&fs::read_to_string(entry.path()).unwrap(), content);
                }
                Some(Node::Link(_)) if kind.is_symlink() => {}
                node => prop_assert!(false, "{:?} is no {:?}", at, node),
            }
            found += 1;
        }
    }
    prop_assert_eq!(found, disk.len());
    Ok(())
}

#[test]
fn what_may_be_done_agrees_with_the_model() {
    let cases = u32::try_from(crate::soak::rounds(150, 5_000)).unwrap();
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let path = prop::collection::vec(prop::sample::select(NAMES), 1..5);
    let strategy = (
        trees(),
        prop::collection::vec(prop::sample::select(DENIED), 0..3),
        prop::collection::vec(path, 1..20),
        any::<bool>(),
    );
    let outcome = TestRunner::new(config).run(&strategy, |(entries, deny, paths, by_steps)| {
        check(&entries, &deny, &paths, by_steps)
    });
    outcome.unwrap();
}
