//! The repositories inside a workspace, and which of their files decide what Git, shells and agents run.
//!
//! The invariant: a repository that exists in the workspace when a command starts has its settings
//! protected, or lies in a folder that the command cannot write. The search has bounds, but no blind
//! spots: folders that it does not reach are [closed](closing) as a whole.
//!
//! The search goes breadth first and follows no link. A `.git` is entered as soon as it is met. Folders
//! that were met before come before new ones, so that nobody can get the old ones closed by making many
//! new ones. A folder whose change time is the same is not read again.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::stat_cache::Stamp;
use crate::shell::place;
use crate::workspace::protected::git_targets;

mod closing;

use closing::Found;

/// How much a search for repositories may take, and how much protecting them may cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// The most folders that are visited.
    folders: usize,
    /// The most names that are read. Those of a folder that has not changed are not read again.
    names: usize,
    /// How long a search may take.
    time: Duration,
    /// The most mounts for what is protected one by one.
    mounts: usize,
    /// The most folders that are closed as a whole.
    closed: usize,
    /// True if paths that are not UTF-8 cannot be protected.
    only_text: bool,
}

impl Bounds {
    /// On the host. 30,000 mounts take about a second; the kernel allows 100,000 (`fs.mount-max`).
    pub(super) const HOST: Bounds = Bounds {
        folders: 200_000,
        names: 3_000_000,
        time: Duration::from_secs(10),
        mounts: 30_000,
        closed: 256,
        only_text: false,
    };

    /// In a container, whose engine gets all mounts in one JSON request.
    pub(super) const SANDBOX: Bounds =
        Bounds { mounts: 1_000, closed: 128, only_text: true, ..Bounds::HOST };
}

/// The longest path of a folder that is looked at, in bytes. A path of 4,096 bytes the kernel does not take,
/// and longer ones are protected below.
const LONGEST_PATH: usize = 3_500;

/// How far below the workspace a folder may lie that is looked at. Each folder above what is protected takes a
/// mount.
const DEEPEST: usize = 200;

/// How many workspaces are remembered.
const MOST_ROOTS: usize = 64;

/// After how many names the clock is checked.
const NAMES_AT_ONCE: usize = 1_024;

/// The files in Git's own folder that make Git run something, or read another such folder.
const OF_GIT: &[&str] = &["hooks", "config", "config.worktree", "commondir"];

/// The parts of Git's own folder that may hold other such folders. The rest is content, which may be large.
const HOLDS: &[&str] = &["modules", "worktrees"];

/// The parts of a submodule's folder that are content.
const CONTENT: &[&str] = &["objects", "refs", "logs", "hooks", "info"];

/// What is remembered of each workspace.
#[derive(Debug, Default)]
pub(super) struct Repositories(Mutex<Roots>);

#[derive(Debug, Default)]
struct Roots {
    asked: u64,
    all: HashMap<PathBuf, (u64, Arc<Mutex<Known>>)>,
}

/// The folders of one workspace as the last search saw them.
#[derive(Debug, Default)]
struct Known {
    /// The number of the last search.
    look: u64,
    folders: HashMap<Arc<Path>, Entry>,
}

#[derive(Debug)]
struct Entry {
    /// None: the folder had just changed, and must be read again.
    stamp: Option<Stamp>,
    folder: Arc<Folder>,
    /// The last search that met it.
    met: u64,
    /// The first search that found a repository here.
    since: Option<u64>,
}

/// The content of a folder, as far as it matters.
#[derive(Debug, Default)]
struct Folder {
    folders: Vec<Arc<Path>>,
    /// Names that show a repository, or make something run in one.
    names: BTreeMap<String, Kind>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Folder,
    Link,
    File,
}

/// Where a folder lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lies {
    /// In the workspace.
    InTree,
    /// It is `.git`.
    IsGit,
    /// In the part of it that holds others.
    InGit,
}

/// How much a search may still take.
struct Left {
    folders: usize,
    names: usize,
    until: Instant,
}

/// Why it is not known what a folder holds.
enum Unseen {
    /// It is not there any more.
    Gone,
    /// It cannot be read, or that takes too long.
    Unread,
    /// Nothing can be reached in the folder that it lies in.
    Unreached,
}

/// What must not be written in the repositories of a workspace.
#[derive(Debug, Default)]
pub(super) struct Guards {
    /// Files and folders, whether they are there or not.
    pub paths: BTreeSet<PathBuf>,
    /// Folders that were not looked through to the end, or hold more repositories than are protected one by
    /// one. Nothing in them must be written.
    pub closed: BTreeSet<PathBuf>,
}

impl Repositories {
    /// What must not be written in the repositories below a folder, which itself is protected already.
    pub(super) fn guards(&self, root: &Path, bounds: &Bounds) -> Guards {
        let known = self.known(root);
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        known.look += 1;
        let mut walk = Walk::new(&mut known, root, bounds);
        walk.go();
        let Walk { found, closed, is_all, .. } = walk;
        known.forget(is_all, bounds.folders);
        closing::chosen(found, closed, root, bounds)
    }

    /// What is known of a workspace. Each has a lock of its own: a first look may take a while.
    fn known(&self, root: &Path) -> Arc<Mutex<Known>> {
        let mut roots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Roots { asked, all } = &mut *roots;
        *asked += 1;
        let (last, known) = all.entry(root.to_owned()).or_default();
        *last = *asked;
        let known = known.clone();
        if all.len() > MOST_ROOTS {
            let oldest = all.iter().min_by_key(|(_, (last, _))| *last);
            if let Some(oldest) = oldest.map(|(root, _)| root.clone()) {
                all.remove(&oldest);
            }
        }
        known
    }
}

/// A folder that is still to be visited.
#[derive(Debug)]
struct Waiting {
    path: Arc<Path>,
    lies: Lies,
    /// How far it lies below the workspace.
    depth: usize,
}

/// One search of a workspace.
struct Walk<'a> {
    known: &'a mut Known,
    root: &'a Path,
    left: Left,
    /// Folders that are still to be looked at: each `.git`, those that were seen before, and the others.
    waiting: [VecDeque<Waiting>; 3],
    found: Vec<Found>,
    closed: BTreeSet<PathBuf>,
    is_all: bool,
}

impl<'a> Walk<'a> {
    fn new(known: &'a mut Known, root: &'a Path, bounds: &Bounds) -> Walk<'a> {
        let Bounds { folders, names, time, .. } = *bounds;
        let left = Left { folders, names, until: Instant::now() + time };
        let (found, closed) = (Vec::new(), BTreeSet::new());
        Walk { known, root, left, waiting: Default::default(), found, closed, is_all: true }
    }

    fn go(&mut self) {
        self.wait(Waiting { path: Arc::from(self.root), lies: Lies::InTree, depth: 0 });
        while let Some(at) = self.waiting.iter_mut().find_map(VecDeque::pop_front) {
            let path = &at.path;
            if !self.left.takes_one() {
                self.is_all = false;
                self.close(path);
                continue;
            }
            match self.known.folder(path, at.lies, &mut self.left) {
                Ok(folder) => self.look(&at, &folder),
                Err(Unseen::Gone) => {}
                Err(Unseen::Unread) => self.close(path),
                Err(Unseen::Unreached) => self.close(path.parent().unwrap_or(path)),
            }
        }
    }

    fn wait(&mut self, one: Waiting) {
        let row = match one.lies {
            Lies::IsGit => 0,
            _ if self.known.folders.contains_key(&one.path) => 1,
            _ => 2,
        };
        self.waiting[row].push_back(one);
    }

    fn close(&mut self, path: &Path) {
        let within = if path.starts_with(self.root) { path } else { self.root };
        self.closed.insert(within.to_owned());
    }

    /// Records what is protected in a folder, and which folders in it are to be visited.
    fn look(&mut self, at: &Waiting, folder: &Folder) {
        let guards = folder.guards(&at.path, self.root);
        if !guards.is_empty() {
            let since = self.known.found_since(&at.path);
            self.found.push(Found { path: at.path.clone(), guards, since });
        }
        let depth = at.depth + 1;
        for path in &folder.folders {
            if depth > DEEPEST || path.as_os_str().len() > LONGEST_PATH {
                // It may have any number of folders below.
                self.close(&at.path);
                break;
            }
            self.wait(Waiting { path: path.clone(), lies: at.lies.below(path), depth });
        }
    }
}

impl Left {
    /// True if there is enough for one more folder.
    fn takes_one(&mut self) -> bool {
        let is_enough = self.folders > 0 && self.names > 0 && !self.is_late();
        self.folders = self.folders.saturating_sub(1);
        is_enough
    }

    fn is_late(&self) -> bool {
        Instant::now() >= self.until
    }
}

impl Known {
    /// The content of a folder: as it was read before, if it has not changed since.
    fn folder(
        &mut self,
        path: &Arc<Path>,
        lies: Lies,
        left: &mut Left,
    ) -> Result<Arc<Folder>, Unseen> {
        let stamp = Stamp::of(path).ok_or_else(|| why_unseen(path))?;
        let known = self.folders.get_mut(path);
        let since = known.as_ref().and_then(|entry| entry.since);
        if let Some(entry) = known.filter(|entry| entry.stamp == Some(stamp)) {
            entry.met = self.look;
            return Ok(entry.folder.clone());
        }
        let folder = Arc::new(Folder::read(path, lies, left)?);
        let stamp = stamp.identifies(path).then_some(stamp);
        let entry = Entry { stamp, folder: folder.clone(), met: self.look, since };
        self.folders.insert(path.clone(), entry);
        Ok(folder)
    }

    /// The search that first found a repository in a folder: this one, if none did before.
    fn found_since(&mut self, path: &Path) -> u64 {
        let now = self.look;
        self.folders.get_mut(path).map_or(now, |entry| *entry.since.get_or_insert(now))
    }

    /// Forgets folders that were not met. If the look did not come to its end they may be there still, and
    /// are kept, unless they are too many.
    fn forget(&mut self, is_all: bool, most: usize) {
        if is_all || self.folders.len() > 2 * most {
            let look = self.look;
            self.folders.retain(|_, entry| entry.met == look);
        }
    }
}

/// Why nothing can be said of a folder that was listed.
fn why_unseen(path: &Path) -> Unseen {
    match fs::symlink_metadata(path) {
        Ok(data) if data.is_dir() => Unseen::Unread,
        Ok(_) => Unseen::Gone,
        Err(error) if is_gone(&error) => Unseen::Gone,
        Err(_) => Unseen::Unreached,
    }
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

impl Folder {
    fn read(path: &Path, lies: Lies, left: &mut Left) -> Result<Folder, Unseen> {
        let failed = |error: io::Error| if is_gone(&error) { Unseen::Gone } else { Unseen::Unread };
        let mut folder = Folder::default();
        for (number, entry) in fs::read_dir(path).map_err(failed)?.enumerate() {
            let entry = entry.map_err(failed)?;
            left.names = left.names.saturating_sub(1);
            if left.names == 0 || number % NAMES_AT_ONCE == NAMES_AT_ONCE - 1 && left.is_late() {
                return Err(Unseen::Unread);
            }
            let kind = match entry.file_type() {
                Ok(kind) => kind,
                Err(error) if is_gone(&error) => continue,
                Err(_) => return Err(Unseen::Unread),
            };
            let name = entry.file_name();
            if let Some(text) = name.to_str().filter(|name| is_agent_or_git_name(name)) {
                let kind = match () {
                    () if kind.is_dir() => Kind::Folder,
                    () if kind.is_symlink() => Kind::Link,
                    () => Kind::File,
                };
                folder.names.insert(text.to_owned(), kind);
            }
            if kind.is_dir() && may_hold(&name, lies) {
                folder.folders.push(Arc::from(path.join(name)));
            }
        }
        folder.folders.sort();
        Ok(folder)
    }

    /// What is protected in it.
    fn guards(&self, path: &Path, root: &Path) -> Vec<PathBuf> {
        let mut guards = Vec::new();
        if self.is_git(path) {
            guards.extend(OF_GIT.iter().map(|name| path.join(name)));
            // What the settings lead to elsewhere, commands cannot write.
            guards.extend(git_targets(path).into_iter().filter(|target| target.starts_with(root)));
        }
        let git = self.names.get(".git").copied();
        match git {
            Some(Kind::File) => guards.push(path.join(".git")),
            // It is not gone through, and its files are protected where they are.
            Some(Kind::Link) => {
                guards.extend(OF_GIT.iter().map(|name| path.join(".git").join(name)));
            }
            Some(Kind::Folder) | None => {}
        }
        if git.is_some() && path != root {
            let own = self.names.keys().filter(|name| place::starts(name));
            guards.extend(own.map(|name| path.join(name)));
            let deep = place::names().filter(|name| !name.starts_with(".git/"));
            let is_there = |name: &&str| {
                let folder = name.split_once('/').map(|(first, _)| path.join(first));
                folder.is_some_and(|folder| self.folders.iter().any(|one| **one == *folder))
            };
            guards.extend(deep.filter(is_there).map(|name| path.join(name)));
        }
        guards
    }

    /// True for Git's own folder: one that is named so, a bare repository, that of a submodule, or that of
    /// a worktree.
    fn is_git(&self, path: &Path) -> bool {
        let has = |name: &str| self.names.contains_key(name);
        path.file_name() == Some(OsStr::new(".git"))
            || has("HEAD") && (has("objects") && has("refs") || has("commondir"))
    }
}

impl Lies {
    fn below(self, path: &Path) -> Lies {
        match self {
            Lies::InTree if path.file_name() == Some(OsStr::new(".git")) => Lies::IsGit,
            Lies::InTree => Lies::InTree,
            Lies::IsGit | Lies::InGit => Lies::InGit,
        }
    }
}

fn may_hold(name: &OsStr, lies: Lies) -> bool {
    let is_one = |names: &[&str]| names.iter().any(|one| name == *one);
    match lies {
        Lies::InTree => true,
        Lies::IsGit => is_one(HOLDS),
        Lies::InGit => !is_one(CONTENT),
    }
}

fn is_agent_or_git_name(name: &str) -> bool {
    [".git", "HEAD", "objects", "refs", "commondir"].contains(&name) || place::starts(name)
}

#[cfg(test)]
mod tests;
