//! Folders that stay open from one call to the next.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::error::Error;
use crate::workspace::Workspace;

/// How many folders of callers stay open.
const MOST_OPEN: usize = 256;

/// Open folders by the path under which callers name them.
///
/// A folder is used for as long as its path leads to it. One that was deleted and made anew, or that
/// its name leads elsewhere than to, is opened again.
#[derive(Default)]
pub(super) struct Folders {
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    folders: HashMap<PathBuf, (Workspace, u64)>,
    uses: u64,
}

impl Folders {
    /// # Errors
    /// As [`Workspace::open`].
    pub(super) fn open(&self, path: &Path) -> Result<Workspace, Error> {
        let known = self.with(|open| open.used(path));
        if let Some(folder) = known.filter(Workspace::is_in_place) {
            return Ok(folder);
        }
        let opened = Workspace::open(path);
        self.with(|open| match &opened {
            Ok(folder) => open.keep(path.to_owned(), folder.clone()),
            Err(_) => drop(open.folders.remove(path)),
        });
        opened
    }

    fn with<T>(&self, work: impl FnOnce(&mut Open) -> T) -> T {
        // The table is consistent between any two steps.
        work(&mut self.open.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Open {
    fn used(&mut self, path: &Path) -> Option<Workspace> {
        self.uses += 1;
        let (folder, used) = self.folders.get_mut(path)?;
        *used = self.uses;
        Some(folder.clone())
    }

    fn keep(&mut self, path: PathBuf, folder: Workspace) {
        self.folders.insert(path, (folder, self.uses));
        if self.folders.len() > MOST_OPEN {
            let oldest = self.folders.iter().min_by_key(|(_, (_, used))| *used);
            if let Some(oldest) = oldest.map(|(path, _)| path.clone()) {
                self.folders.remove(&oldest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn has(folder: &Workspace, name: &str) -> bool {
        folder.stamp(&folder.relative(name).unwrap()).is_ok()
    }

    #[test]
    fn a_folder_that_was_made_anew_or_is_another_by_now_is_opened_again() {
        let base = tempfile::tempdir().unwrap();
        let path = base.path().join("ws");
        let folders = Folders::default();
        assert!(folders.open(&path).is_err());
        fs::create_dir(&path).unwrap();
        fs::write(path.join("first"), "").unwrap();
        assert!(has(&folders.open(&path).unwrap(), "first"));

        fs::remove_dir_all(&path).unwrap();
        assert!(folders.open(&path).is_err());
        fs::create_dir(&path).unwrap();
        fs::write(path.join("second"), "").unwrap();
        assert!(has(&folders.open(&path).unwrap(), "second"));

        fs::rename(&path, base.path().join("moved")).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(!has(&folders.open(&path).unwrap(), "second"));
    }

    #[test]
    fn the_folders_used_last_stay_open() {
        let base = tempfile::tempdir().unwrap();
        let folders = Folders::default();
        let path = |n: usize| base.path().join(n.to_string());
        for n in 0..=MOST_OPEN {
            fs::create_dir(path(n)).unwrap();
            folders.open(&path(n)).unwrap();
            folders.open(&path(0)).unwrap();
        }
        folders.with(|open| {
            assert_eq!(open.folders.len(), MOST_OPEN);
            assert!(open.folders.contains_key(&path(0)));
            assert!(!open.folders.contains_key(&path(1)));
        });
    }
}
