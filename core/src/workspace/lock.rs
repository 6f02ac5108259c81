//! One change of a file at a time.
//!
//! The table is one for the process and not one for each workspace: workspaces may overlap (a team's
//! folder in an agent's), and the same folder may be opened twice. A file is known by the identity of
//! its folder and its name there, so every spelling and every link takes the same lock.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use cap_std::fs::MetadataExt;

use super::resolve::Place;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    device: u64,
    folder: u64,
    name: OsString,
}

type Table = HashMap<Key, Arc<Mutex<()>>>;

static TABLE: LazyLock<Mutex<Table>> = LazyLock::new(Mutex::default);

/// Runs `change` while no other change of the file at this place runs in this process.
pub(super) fn while_locked<T>(place: &Place, change: impl FnOnce() -> T) -> io::Result<T> {
    let folder = place.dir.dir_metadata()?;
    let key = Key { device: folder.dev(), folder: folder.ino(), name: place.name.clone() };
    let entry = Entry { lock: held(&TABLE).entry(key.clone()).or_default().clone(), key };
    let _guard = held(&entry.lock);
    Ok(change())
}

/// A use of a lock in the table; the last use to end takes the lock out.
struct Entry {
    lock: Arc<Mutex<()>>,
    key: Key,
}

impl Drop for Entry {
    fn drop(&mut self) {
        let mut table = held(&TABLE);
        // The table's own and this one. Nobody else can come by one while the table is held.
        if Arc::strong_count(&self.lock) == 2 {
            table.remove(&self.key);
        }
    }
}

/// A lock guards no data of its own, so a panic of its last holder leaves nothing half done here.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Workspace;

    #[test]
    fn the_table_forgets_a_lock_after_its_last_use_even_if_that_panics() {
        let root = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(root.path()).unwrap();
        let path = workspace.relative("a-name-of-this-test-only").unwrap();
        let place = workspace.place(&path, false).unwrap();
        let known = || held(&TABLE).keys().any(|key| key.name == place.name);

        while_locked(&place, || assert!(known())).unwrap();
        assert!(!known());

        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            while_locked(&place, || panic!("on purpose"))
        }));
        assert!(panicked.is_err());
        assert!(!known());
        while_locked(&place, || ()).unwrap();
    }
}
