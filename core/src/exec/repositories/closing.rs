//! Decides which repositories are protected file by file, and which folders are closed as a whole.
//!
//! Each protected file costs a mount, and so does each folder above it. Where there is no room for all of
//! them, the repositories that were found first keep their mounts, and the folders of the others are
//! closed. Where even these are too many, the folders that contain most of them are closed instead.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Bounds, Guards};

/// A folder of a repository, with what is protected in it.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) path: Arc<Path>,
    pub(super) guards: Vec<PathBuf>,
    /// The look that found it first.
    pub(super) since: u64,
}

/// What is protected of what was found, where some folders below `root` are closed already.
pub(super) fn chosen(
    mut found: Vec<Found>,
    mut closed: BTreeSet<PathBuf>,
    root: &Path,
    bounds: &Bounds,
) -> Guards {
    found.sort_by_key(|one| one.since);
    let mut above: HashSet<&Path> = HashSet::new();
    let mut mounts = 0;
    for one in &found {
        let folders = one.path.ancestors().take_while(|path| *path != root);
        let new: Vec<&Path> = folders.take_while(|path| !above.contains(path)).collect();
        let wanted = mounts + new.len() + one.guards.len();
        if wanted > bounds.mounts || bounds.only_text && one.path.to_str().is_none() {
            closed.insert(one.path.to_path_buf());
        } else {
            mounts = wanted;
            above.extend(new);
        }
    }
    if bounds.only_text {
        closed = closed.iter().map(|path| as_text(path, root)).collect();
    }
    let closed = joined(closed, root, bounds.closed);
    let guards = found.iter().flat_map(|one| &one.guards);
    let is_open = |path: &&PathBuf| !path.ancestors().any(|at| closed.contains(at));
    let paths = guards.filter(is_open).cloned().collect();
    Guards { paths, closed }
}

/// The folder itself, or the nearest one around it whose path is UTF-8.
fn as_text(path: &Path, root: &Path) -> PathBuf {
    let is_text = |path: &&Path| path.to_str().is_some() && path.starts_with(root);
    path.ancestors().find(is_text).unwrap_or(root).to_owned()
}

/// At most so many folders in which all of these lie. Those that lie most densely are joined first.
fn joined(folders: BTreeSet<PathBuf>, root: &Path, most: usize) -> BTreeSet<PathBuf> {
    let mut folders = outermost(folders);
    while folders.len() > most {
        let mut counts: HashMap<&Path, usize> = HashMap::new();
        for folder in &folders {
            let around = folder.parent().filter(|path| path.starts_with(root)).unwrap_or(root);
            *counts.entry(around).or_default() += 1;
        }
        let densest = counts.values().copied().max().unwrap_or(0);
        let dense = counts.iter().filter(|(_, count)| **count * 2 >= densest);
        let around: Vec<PathBuf> = dense.map(|(path, _)| (*path).to_owned()).collect();
        folders.extend(around);
        folders = outermost(folders);
    }
    folders
}

/// Those that lie in no other of them.
fn outermost(folders: BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let mut last: Option<PathBuf> = None;
    // What lies in a folder comes right behind it.
    let kept = folders.into_iter().filter(|path| {
        let is_own = !last.as_ref().is_some_and(|last| path.starts_with(last));
        if is_own {
            last = Some(path.clone());
        }
        is_own
    });
    kept.collect()
}
