//! One change of a file at a time, within this process.
//!
//! There is one table for the process, not one for each workspace: workspaces may overlap (a team's folder
//! inside an agent's), and the same folder may be opened twice. A file is identified by the identity of
//! its folder and its name there, so every spelling and every link takes the same lock. A forked child
//! gets a new table: the locks in the inherited one belong to threads that it does not have.

use std::collections::HashMap;
use std::ffi::OsString;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use cap_std::fs::MetadataExt;

use super::resolve::Place;
use super::wait::Wait;
use super::{Error, RelativePath};
use crate::fork::{self, Lazy};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    process: u32,
    device: u64,
    folder: u64,
    name: OsString,
}

type Table = HashMap<Key, Arc<Turn>>;

static TABLE: Lazy<Mutex<Table>> = Lazy::new(Mutex::default);

/// The turn to change a file: one thread has it at a time.
#[derive(Default)]
struct Turn {
    is_taken: Mutex<bool>,
    given_back: Condvar,
}

/// Runs `change` while no other change of the file at this place runs in this process.
///
/// # Errors
///
/// [`Error::Busy`] if others change it until the wait is over.
pub(super) fn while_locked<T>(
    path: &RelativePath,
    place: &Place,
    wait: Wait,
    change: impl FnOnce() -> T,
) -> Result<T, Error> {
    let folder = place.dir.dir_metadata().map_err(|error| Error::from_io(path, "change", error))?;
    let (process, device, folder) = (std::process::id(), folder.dev(), folder.ino());
    let key = Key { process, device, folder, name: place.name.clone() };
    let turn = fork::hold(|| held(&TABLE).entry(key.clone()).or_default().clone());
    let entry = Entry { turn, key };
    let Some(_taken) = entry.turn.take(wait) else {
        return Err(Error::Busy { path: path.to_string() });
    };
    Ok(change())
}

impl Turn {
    fn take(&self, wait: Wait) -> Option<Taken<'_>> {
        let mut is_taken = held(&self.is_taken);
        while *is_taken {
            let waited = self.given_back.wait_timeout(is_taken, wait.left()?);
            is_taken = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        *is_taken = true;
        Some(Taken(self))
    }
}

/// A turn, until it is dropped.
struct Taken<'t>(&'t Turn);

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        *held(&self.0.is_taken) = false;
        self.0.given_back.notify_one();
    }
}

/// A use of a lock in the table; the last use to end takes the lock out.
struct Entry {
    turn: Arc<Turn>,
    key: Key,
}

impl Drop for Entry {
    fn drop(&mut self) {
        fork::hold(|| {
            let mut table = held(&TABLE);
            // Two references: the table's and this one. Nobody can get another while the table is locked.
            if Arc::strong_count(&self.turn) == 2 {
                table.remove(&self.key);
            }
        });
    }
}

/// Locks a mutex. Nothing is ever half done while it is held, so a panic of its last holder does no harm.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::workspace::Workspace;

    #[test]
    fn a_wait_that_takes_too_long_fails_and_the_next_waiter_gets_the_lock() {
        let root = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(root.path()).unwrap();
        let path = workspace.relative("another-name-of-this-test").unwrap();
        let place = workspace.place(&path, false).unwrap();
        let wait = |ms| Wait::lasting(Duration::from_millis(ms));
        let next = std::thread::scope(|scope| {
            let held = while_locked(&path, &place, wait(0), || {
                let late = while_locked(&path, &place, wait(20), || ());
                assert!(matches!(late, Err(Error::Busy { .. })), "{late:?}");
                let next = scope.spawn(|| while_locked(&path, &place, wait(60_000), || ()));
                std::thread::sleep(Duration::from_millis(20));
                assert!(!next.is_finished());
                next
            });
            held.unwrap().join().unwrap()
        });
        next.unwrap();
    }

    #[test]
    fn the_table_forgets_a_lock_after_its_last_use_even_if_that_panics() {
        let root = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(root.path()).unwrap();
        let path = workspace.relative("a-name-of-this-test-only").unwrap();
        let place = workspace.place(&path, false).unwrap();
        let known = || held(&TABLE).keys().any(|key| key.name == place.name);

        while_locked(&path, &place, Wait::begin(), || assert!(known())).unwrap();
        assert!(!known());

        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            while_locked(&path, &place, Wait::begin(), || panic!("on purpose"))
        }));
        assert!(panicked.is_err());
        assert!(!known());
        while_locked(&path, &place, Wait::begin(), || ()).unwrap();
    }
}
