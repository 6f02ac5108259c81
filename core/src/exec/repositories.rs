//! The repositories within a workspace: what each of them has Git run, and shells, tools and agents do, that
//! start in it.
//!
//! The look is bounded, breadth first, and follows no link. What was found once is looked at first from then
//! on, so that nobody hides a repository behind many folders that he makes. A folder whose time of change is
//! the same is not read again.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::looks::Stamp;
use crate::shell::place;

/// The most folders that are looked at for one command.
const MOST_FOLDERS: usize = 10_000;

/// The most names that are read for one command.
const MOST_NAMES: usize = 500_000;

/// The most repositories that are guarded.
const MOST_FOUND: usize = 128;

/// How long a look may take.
const LONGEST: Duration = Duration::from_millis(400);

/// What Git reads in its own folder that has it run something, or has it read another such folder.
const OF_GIT: &[&str] = &["hooks", "config", "config.worktree", "commondir"];

/// What of its own folder may hold others of the kind. The rest is content, and there may be much of it.
const HOLDS: &[&str] = &["modules", "worktrees"];

/// What in the folder of a submodule is content.
const CONTENT: &[&str] = &["objects", "refs", "logs", "hooks", "info"];

/// The repositories that were found so far.
#[derive(Debug, Default)]
pub(super) struct Repositories(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    found: BTreeSet<PathBuf>,
    folders: HashMap<PathBuf, (Stamp, Arc<Folder>)>,
}

/// What stands in a folder, as far as it counts.
#[derive(Debug, Default)]
struct Folder {
    folders: Vec<OsString>,
    /// Names that tell of a repository, or have something run in one.
    telling: BTreeMap<String, Kind>,
    names: usize,
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

/// What a look may still take.
struct Left {
    folders: usize,
    names: usize,
    until: Instant,
}

/// What must not be written in the repositories of a workspace.
#[derive(Debug, Default)]
pub(super) struct Guards {
    /// Files and folders, whether they are there or not.
    pub paths: BTreeSet<PathBuf>,
    /// True if everything was looked at.
    pub is_all: bool,
}

impl Repositories {
    /// What must not be written in the repositories below a folder, which itself is guarded already.
    pub(super) fn guards(&self, root: &Path) -> Guards {
        let until = Instant::now() + LONGEST;
        self.within(root, Left { folders: MOST_FOLDERS, names: MOST_NAMES, until })
    }

    fn within(&self, root: &Path, mut left: Left) -> Guards {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut guards = Guards { paths: BTreeSet::new(), is_all: true };
        let again: Vec<PathBuf> =
            known.found.iter().filter(|path| path.starts_with(root)).cloned().collect();
        let mut found = BTreeSet::new();
        for path in again {
            if is_folder(&path) && known.look(&path, root, &mut guards).is_some_and(|it| it.1) {
                found.insert(path);
            }
        }
        let mut met = HashSet::new();
        let mut waiting = VecDeque::from([(root.to_owned(), Lies::InTree)]);
        while let Some((path, lies)) = waiting.pop_front() {
            if found.len() >= MOST_FOUND || !left.takes_one() {
                guards.is_all = false;
                break;
            }
            let Some((folder, is_repository)) = known.look(&path, root, &mut guards) else {
                continue;
            };
            if is_repository {
                found.insert(path.clone());
            }
            left.names = left.names.saturating_sub(folder.names);
            for name in folder.folders.iter().filter(|name| may_hold(name, lies)) {
                waiting.push_back((path.join(name), lies.below(name)));
            }
            met.insert(path);
        }
        if guards.is_all {
            known.folders.retain(|path, _| !path.starts_with(root) || met.contains(path));
        }
        known.found.retain(|path| !path.starts_with(root));
        known.found.extend(found);
        guards
    }
}

impl Left {
    /// True if there is enough for one more folder.
    fn takes_one(&mut self) -> bool {
        let is_enough = self.folders > 0 && self.names > 0 && Instant::now() < self.until;
        self.folders = self.folders.saturating_sub(1);
        is_enough
    }
}

impl Known {
    /// What stands in a folder, and whether it is of a repository: then what is guarded in it is noted.
    /// None if it cannot be read.
    fn look(
        &mut self,
        path: &Path,
        root: &Path,
        guards: &mut Guards,
    ) -> Option<(Arc<Folder>, bool)> {
        let folder = self.folder(path)?;
        let is_git = folder.is_git(path);
        if is_git {
            guards.paths.extend(OF_GIT.iter().map(|name| path.join(name)));
        }
        let git = folder.telling.get(".git").copied();
        match git {
            Some(Kind::File) => _ = guards.paths.insert(path.join(".git")),
            // It is not gone through, and its files are guarded where they are.
            Some(Kind::Link) => {
                guards.paths.extend(OF_GIT.iter().map(|name| path.join(".git").join(name)));
            }
            Some(Kind::Folder) | None => {}
        }
        if git.is_some() && path != root {
            let own = folder.telling.keys().filter(|name| place::starts(name));
            guards.paths.extend(own.map(|name| path.join(name)));
        }
        Some((folder, is_git || git.is_some()))
    }

    fn folder(&mut self, path: &Path) -> Option<Arc<Folder>> {
        let stamp = Stamp::of(path)?;
        if let Some((_, folder)) = self.folders.get(path).filter(|(known, _)| *known == stamp) {
            return Some(folder.clone());
        }
        let folder = Arc::new(Folder::read(path)?);
        match stamp.tells(path) {
            true => drop(self.folders.insert(path.to_owned(), (stamp, folder.clone()))),
            false => drop(self.folders.remove(path)),
        }
        Some(folder)
    }
}

impl Folder {
    fn read(path: &Path) -> Option<Folder> {
        let mut folder = Folder::default();
        for entry in fs::read_dir(path).ok()?.flatten() {
            folder.names += 1;
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name();
            if let Some(text) = name.to_str().filter(|name| tells(name)) {
                let kind = match () {
                    () if kind.is_dir() => Kind::Folder,
                    () if kind.is_symlink() => Kind::Link,
                    () => Kind::File,
                };
                folder.telling.insert(text.to_owned(), kind);
            }
            if kind.is_dir() {
                folder.folders.push(name);
            }
        }
        folder.folders.sort();
        Some(folder)
    }

    /// True for Git's own folder: one that is named so, a bare repository, that of a submodule, or that of
    /// a worktree.
    fn is_git(&self, path: &Path) -> bool {
        let has = |name: &str| self.telling.contains_key(name);
        path.file_name() == Some(OsStr::new(".git"))
            || has("HEAD") && (has("objects") && has("refs") || has("commondir"))
    }
}

impl Lies {
    fn below(self, name: &OsStr) -> Lies {
        match self {
            Lies::InTree if name == ".git" => Lies::IsGit,
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

fn tells(name: &str) -> bool {
    [".git", "HEAD", "objects", "refs", "commondir"].contains(&name) || place::starts(name)
}

/// True for a folder that no link leads to.
fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|data| data.is_dir())
}

#[cfg(test)]
mod tests;
