//! Watches protected paths that do not exist while a command runs.
//!
//! Protected paths are the names that tell version control and agents what to do, such as `.git/hooks` or
//! `AGENTS.md`. A mount keeps a command from those that exist, but there is nothing to mount on for those
//! that do not. So their place is watched:
//!
//! - As soon as something appears there, the command is ended, and the result names the path, even if it
//!   is gone again.
//! - What Git would obey the next time it starts is renamed at once, within the same folder. The user's
//!   own programs may ask Git for its status every second, and must not be faster.
//! - Where the kernel gives no mounts, the protected paths that exist are watched as well.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::ErrorKind;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, Mode, OFlags, RenameFlags, ResolveFlags, openat2, renameat_with};

use super::stat_cache::{Lookup, Probe, Question, StatCache, There};
use super::watch::{Depth, Event, Watch};

/// The folder whose programs Git runs. If it does not exist it can be created empty, so that a mount can
/// protect it.
const HOOKS: &str = ".git/hooks";

/// What Git obeys, in each of its folders.
const OF_GIT: &[&str] = &[".git", "hooks", "config", "config.worktree", "commondir"];

/// How often paths are checked if the kernel gives no watch.
const EVERY: Duration = Duration::from_millis(10);

/// How many subfolders of a protected folder are watched, if no mount protects it. Watches are limited
/// per user, and others need them, too.
const MOST_SUBFOLDERS: usize = 256;

/// How many names are tried for a file that is set aside.
const MOST_NAMES: usize = 100;

/// A protected path at which something appeared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Appeared {
    pub(crate) path: String,
    /// Where it was moved to, if it was set aside.
    pub(crate) set_aside: Option<String>,
}

/// What one command must not write, and how it is kept from it.
#[derive(Clone, Debug, Default)]
pub(super) struct Protected {
    /// The paths that it must not write, on this machine.
    pub(super) names: Vec<PathBuf>,
    /// What it may write. What appears elsewhere is not its doing.
    pub(super) write: Vec<PathBuf>,
    /// True if mounts protect the paths that exist.
    pub(super) by_mounts: bool,
    /// True if an appearance ends the command. Otherwise it is only reported afterwards.
    pub(super) ends: bool,
    /// True if the command makes a repository openly, as `git init` does.
    pub(super) makes_repository: bool,
}

/// The protected paths that are watched while a command runs.
#[derive(Debug)]
pub(crate) struct Absent {
    names: Vec<Name>,
    watch: Option<Watch>,
    /// Which names depend on which entry of a watched folder.
    entries: HashMap<(i32, OsString), Vec<usize>>,
    /// Folders in which every event concerns a name, by watch.
    contents: HashMap<i32, usize>,
    /// Names that could not be watched.
    unwatched: Vec<usize>,
    looked: Instant,
    came: BTreeMap<PathBuf, Option<PathBuf>>,
    ends: bool,
}

/// A name that is watched.
#[derive(Debug)]
struct Name {
    path: PathBuf,
    /// The deepest existing folder above it, and the identity of that folder.
    folder: PathBuf,
    identity: Option<(u64, u64)>,
    /// True if something existed there before.
    was_there: bool,
    /// True if its folder was moved or removed meanwhile.
    is_elsewhere: bool,
}

impl Absent {
    /// Watches the paths that a command must not write and could create. If it could create the folder whose
    /// programs Git runs, that folder is created here.
    pub(super) fn before(protected: &Protected, stat_cache: &StatCache) -> Absent {
        let asked = in_real_roots(protected);
        let missing = missing(&asked, stat_cache);
        let mut paths = missing.paths.clone();
        paths.retain(|path| !(path.ends_with(HOOKS) && is_made(path)));
        if protected.makes_repository {
            paths.retain(|path| path.file_name() != Some(OsStr::new(".git")));
        }
        let mut absent = Absent {
            names: Vec::new(),
            watch: None,
            entries: HashMap::new(),
            contents: HashMap::new(),
            unwatched: Vec::new(),
            looked: Instant::now(),
            came: BTreeMap::new(),
            ends: protected.ends,
        };
        paths.into_iter().for_each(|path| absent.add(path, false));
        if protected.ends && !protected.by_mounts {
            let is_there = |path: &PathBuf| fs::symlink_metadata(path).is_ok();
            asked.into_iter().filter(is_there).for_each(|path| absent.add(path, true));
        }
        absent
    }

    fn add(&mut self, path: PathBuf, was_there: bool) {
        if self.names.is_empty() {
            self.watch = Watch::new();
        }
        let at = self.names.len();
        self.names.push(Name {
            path,
            folder: PathBuf::new(),
            identity: None,
            was_there,
            is_elsewhere: false,
        });
        self.arm(at);
        if was_there {
            self.arm_contents(at);
        }
    }

    /// Watches the deepest existing folder above a name. What has appeared meanwhile counts.
    fn arm(&mut self, at: usize) {
        // A folder that appears between two looks is entered. There are at most as many as the path has parts.
        for _ in 0..self.names[at].path.components().count() {
            let name = &self.names[at];
            let Some((folder, identity)) = deepest_folder(&name.path) else { break };
            let depth = if name.was_there { Depth::Contents } else { Depth::Names };
            let number = self.watch.as_mut().and_then(|watch| watch.add(&folder, depth));
            let name = &mut self.names[at];
            (name.folder, name.identity) = (folder, Some(identity));
            let Some(number) = number else { break };
            let Some(next) = name.next() else { return };
            let is_last = name.folder.join(&next) == name.path;
            let is_there = fs::symlink_metadata(name.folder.join(&next)).is_ok();
            self.entries.entry((number, next)).or_default().push(at);
            match is_there {
                true if is_last && !self.names[at].was_there => return self.has_come(at),
                true if !is_last => {}
                _ => return,
            }
        }
        self.unwatched.push(at);
    }

    /// Watches the content of a protected folder.
    fn arm_contents(&mut self, at: usize) {
        let mut folders = vec![self.names[at].path.clone()];
        let mut left = MOST_SUBFOLDERS;
        while let Some(folder) = folders.pop().filter(|_| left > 0) {
            left -= 1;
            let is_folder = fs::symlink_metadata(&folder).is_ok_and(|data| data.is_dir());
            if !is_folder {
                continue;
            }
            let watch = self.watch.as_mut();
            if let Some(number) = watch.and_then(|watch| watch.add(&folder, Depth::Contents)) {
                self.contents.insert(number, at);
            }
            let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
            folders.extend(entries.map(|entry| entry.path()));
        }
    }

    /// True if something is watched.
    pub(super) fn is_watching(&self) -> bool {
        !self.names.is_empty()
    }

    /// Ready to read once something has happened.
    pub(super) fn ready(&self) -> Option<BorrowedFd<'_>> {
        self.watch.as_ref().filter(|_| !self.names.is_empty()).map(Watch::ready)
    }

    /// When to look again without an event, if ever.
    pub(super) fn next(&self) -> Option<Instant> {
        (!self.unwatched.is_empty()).then(|| self.looked + EVERY)
    }

    /// Handles what has happened, and sets aside what Git would obey. True if the command must be ended
    /// because of it.
    pub(super) fn look(&mut self) -> bool {
        let before = self.came.len();
        let mut is_lost = false;
        for event in self.watch.as_mut().map(Watch::take).unwrap_or_default() {
            match event {
                Event::Came(number, name) => self.entry(number, name, true),
                Event::Changed(number, name) => self.entry(number, name, false),
                Event::FolderGone(number) => self.folder_gone(number),
                Event::Lost => is_lost = true,
            }
        }
        if is_lost || self.next().is_some_and(|next| Instant::now() >= next) {
            self.look_everywhere();
        }
        self.ends && (is_lost || self.came.len() > before)
    }

    /// An entry of a watched folder has come or changed.
    fn entry(&mut self, number: i32, name: OsString, has_come: bool) {
        if let Some(at) = self.contents.get(&number).copied() {
            self.has_come(at);
        }
        for at in self.entries.get(&(number, name)).cloned().unwrap_or_default() {
            let name = &self.names[at];
            let is_last = name.next().is_some_and(|next| name.folder.join(next) == name.path);
            match (is_last, has_come) {
                (true, true) => self.has_come(at),
                (true, false) if name.was_there => self.has_come(at),
                (true, false) => {}
                (false, _) => self.arm(at),
            }
        }
    }

    /// Another folder may stand in its place by now.
    fn folder_gone(&mut self, number: i32) {
        if let Some(at) = self.contents.get(&number).copied() {
            self.has_come(at);
        }
        let hang = self.entries.iter().filter(|((of, _), _)| *of == number);
        let mut hang: Vec<usize> = hang.flat_map(|(_, names)| names).copied().collect();
        hang.dedup();
        self.entries.retain(|(of, _), _| *of != number);
        for at in hang {
            self.names[at].is_elsewhere = true;
            if self.names[at].was_there {
                self.has_come(at);
            }
            self.arm(at);
        }
    }

    fn look_everywhere(&mut self) {
        self.looked = Instant::now();
        for at in 0..self.names.len() {
            let name = &self.names[at];
            if !name.was_there && fs::symlink_metadata(&name.path).is_ok() {
                self.has_come(at);
            }
        }
    }

    fn has_come(&mut self, at: usize) {
        let name = &self.names[at];
        let is_of_git =
            name.path.file_name().is_some_and(|own| OF_GIT.iter().any(|one| own == *one));
        let aside = match self.ends && is_of_git && !name.was_there && !name.is_elsewhere {
            true => name.set_aside(),
            false => None,
        };
        let known = self.came.entry(name.path.clone()).or_default();
        if aside.is_some() {
            *known = aside;
        }
    }

    /// True if something has come for which the command is ended, or would have been.
    pub(super) fn is_broken(&self) -> bool {
        self.ends && !self.came.is_empty()
    }

    /// What has come; after the command has ended.
    pub(super) fn finish(&mut self) -> Vec<Appeared> {
        self.look();
        self.look_everywhere();
        let shown = |path: &PathBuf| path.display().to_string();
        let appeared = self.came.iter().map(|(path, aside)| Appeared {
            path: shown(path),
            set_aside: aside.as_ref().map(shown),
        });
        appeared.collect()
    }
}

impl Name {
    /// What is to come next in the folder for the name to stand for something.
    fn next(&self) -> Option<OsString> {
        let rest = self.path.strip_prefix(&self.folder).ok()?;
        rest.components().next().map(|part| part.as_os_str().to_owned())
    }

    /// Gives what stands there another name in its folder, if that is still the folder that was watched.
    /// None where nothing stands there any more.
    fn set_aside(&self) -> Option<PathBuf> {
        let own = self.path.file_name()?;
        let folder = open_folder(&self.folder).ok()?;
        let data = rustix::fs::fstat(&folder).ok()?;
        if self.identity != Some((data.st_dev, data.st_ino)) || self.folder.join(own) != self.path {
            return None;
        }
        for number in 0..MOST_NAMES {
            let mut aside = own.to_owned();
            aside.push(".refused");
            if number > 0 {
                aside.push(format!(".{number}"));
            }
            match renameat_with(&folder, own, &folder, &aside, RenameFlags::NOREPLACE) {
                Ok(()) => return Some(self.folder.join(aside)),
                Err(rustix::io::Errno::EXIST) => {}
                Err(_) => return None,
            }
        }
        None
    }
}

/// The names in what may be written, by paths with no link before the names' own folders.
fn in_real_roots(protected: &Protected) -> Vec<PathBuf> {
    let real =
        |root: &PathBuf| (root.clone(), root.canonicalize().unwrap_or_else(|_| root.clone()));
    let roots: Vec<(PathBuf, PathBuf)> = protected.write.iter().map(real).collect();
    let found = protected.names.iter().filter_map(|path| {
        roots.iter().find_map(|(root, real)| match path.strip_prefix(root) {
            Ok(below) => Some(real.join(below)),
            Err(_) => path.starts_with(real).then(|| path.clone()),
        })
    });
    found.collect()
}

/// A folder that no link leads to.
fn open_folder(path: &Path) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)
}

/// The deepest folder above a path that is there, and which one it is.
fn deepest_folder(path: &Path) -> Option<(PathBuf, (u64, u64))> {
    path.ancestors().skip(1).find_map(|folder| {
        let data = fs::symlink_metadata(folder).ok().filter(fs::Metadata::is_dir)?;
        Some((folder.to_owned(), (data.dev(), data.ino())))
    })
}

/// Those of some names that are absent. Of a repository that is absent it is `.git`.
fn missing(asked: &[PathBuf], stat_cache: &StatCache) -> Arc<Lookup> {
    stat_cache.lookup(Question::Missing, asked.to_vec(), |probe, paths| {
        let mut missing: Vec<PathBuf> =
            paths.iter().filter_map(|path| to_be_made(probe, path)).collect();
        missing.sort();
        missing.dedup();
        missing
    })
}

/// What would have to be made for something to stand at a path where nothing does: itself, or the `.git`
/// that it is in.
fn to_be_made(probe: &mut Probe, path: &Path) -> Option<PathBuf> {
    let folder = path.parent()?;
    match probe.at(folder)? {
        There::Folder => (probe.at(path)? == There::Nothing).then(|| path.to_owned()),
        There::Nothing => {
            let above = to_be_made(probe, folder)?;
            let is_git = above.file_name() == Some(OsStr::new(".git"));
            Some(if is_git { above } else { path.to_owned() })
        }
        There::Link | There::Other => None,
    }
}

/// Makes a folder, unless another command has by now.
fn is_made(path: &Path) -> bool {
    fs::create_dir(path).map_or_else(|error| error.kind() == ErrorKind::AlreadyExists, |()| true)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A workspace in which these names are protected.
    fn absent(root: &Path, names: &[&str], by_mounts: bool) -> Absent {
        let protected = Protected {
            names: names.iter().map(|name| root.join(name)).collect(),
            write: vec![root.to_owned()],
            by_mounts,
            ends: true,
            makes_repository: false,
        };
        Absent::before(&protected, &StatCache::default())
    }

    fn workspace() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join(".git")).unwrap();
        (folder, root)
    }

    #[test]
    fn what_comes_for_a_moment_only_is_named_and_ends_the_command() {
        let (_folder, root) = workspace();
        let mut absent = absent(&root, &["AGENTS.md", ".git/hooks", ".cargo/config.toml"], true);
        assert!(root.join(".git/hooks").is_dir());
        fs::write(root.join("README.md"), "").unwrap();
        assert!(!absent.look());
        fs::write(root.join("AGENTS.md"), "").unwrap();
        fs::remove_file(root.join("AGENTS.md")).unwrap();
        assert!(absent.look());
        assert!(!absent.look(), "it was said already");
        // The same in a folder that did not exist itself.
        fs::create_dir(root.join(".cargo")).unwrap();
        assert!(!absent.look());
        fs::write(root.join(".cargo/config.toml"), "").unwrap();
        assert!(absent.look());
        let came: Vec<String> = absent.finish().into_iter().map(|one| one.path).collect();
        assert_eq!(came.len(), 2, "{came:?}");
        assert!(came[0].ends_with(".cargo/config.toml") && came[1].ends_with("AGENTS.md"));
        assert!(root.join(".cargo/config.toml").exists(), "a user's own file stays");
    }

    #[test]
    fn a_folder_that_comes_with_its_content_is_noticed() {
        let (_folder, root) = workspace();
        let mut absent = absent(&root, &[".cargo/config.toml"], true);
        fs::create_dir(root.join("x")).unwrap();
        fs::write(root.join("x/config.toml"), "").unwrap();
        fs::rename(root.join("x"), root.join(".cargo")).unwrap();
        assert!(absent.look());
    }

    #[test]
    fn what_git_would_obey_is_set_aside_as_often_as_it_comes() {
        let (_folder, root) = workspace();
        let mut absent = absent(&root, &[".git/commondir", ".git/config.worktree"], true);
        for _ in 0..3 {
            fs::write(root.join(".git/commondir"), "evil").unwrap();
            absent.look();
            assert!(!root.join(".git/commondir").exists());
        }
        symlink("/elsewhere", root.join(".git/config.worktree")).unwrap();
        let came = absent.finish();
        assert_eq!(came.len(), 2, "{came:?}");
        let is_aside =
            |one: &Appeared| one.set_aside.as_ref().is_some_and(|aside| aside.contains(".refused"));
        assert!(came.iter().all(is_aside), "{came:?}");
        assert_eq!(fs::read_to_string(root.join(".git/commondir.refused.2")).unwrap(), "evil");
    }

    #[test]
    fn a_repository_that_comes_is_one_name() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let mut absent = absent(&root, &[".git/hooks", ".git/config"], true);
        fs::create_dir(root.join(".git")).unwrap();
        assert!(absent.look());
        assert_eq!(absent.finish().len(), 1);
        assert!(root.join(".git.refused").is_dir() && !root.join(".git").exists());
    }

    #[test]
    fn nothing_is_set_aside_in_a_folder_that_took_the_place_of_another() {
        let (_folder, root) = workspace();
        let other = tempfile::tempdir().unwrap();
        fs::write(other.path().join("commondir"), "theirs").unwrap();
        let mut absent = absent(&root, &[".git/commondir"], true);
        fs::write(root.join(".git/commondir"), "evil").unwrap();
        fs::rename(root.join(".git"), root.join("moved")).unwrap();
        symlink(other.path(), root.join(".git")).unwrap();
        assert!(absent.look());
        assert_eq!(fs::read_to_string(other.path().join("commondir")).unwrap(), "theirs");
    }

    #[test]
    fn without_mounts_what_is_there_is_watched_with_all_that_is_below() {
        for change in ["config", "hooks/pre-commit", "hooks/new", "hooks/deep/x"] {
            let (_folder, root) = workspace();
            let git = root.join(".git");
            fs::create_dir_all(git.join("hooks/deep")).unwrap();
            fs::write(git.join("config"), "").unwrap();
            fs::write(git.join("hooks/pre-commit"), "").unwrap();
            let mut absent = absent(&root, &[".git/hooks", ".git/config"], false);
            fs::read(git.join("config")).unwrap();
            fs::write(git.join("index"), "").unwrap();
            assert!(!absent.look());
            fs::write(git.join(change), "evil").unwrap();
            assert!(absent.look(), "{change}");
            assert_eq!(absent.finish().len(), 1);
            assert!(git.join(change).exists());
        }
    }

    #[test]
    fn without_watches_paths_are_checked_again_and_again() {
        let (_folder, root) = workspace();
        let mut absent = absent(&root, &[".git/commondir"], true);
        absent.watch = None;
        absent.unwatched = vec![0];
        fs::write(root.join(".git/commondir"), "evil").unwrap();
        absent.looked -= EVERY;
        assert!(absent.look());
        assert!(root.join(".git/commondir.refused").exists());
    }
}
