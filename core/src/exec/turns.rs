//! Git writes its settings by putting a new file in the place of the old one, and then nothing guards that
//! file from commands that were started behind a guard. So the two take turns.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::host::Order;
use super::not_run::NotRun;
use super::sandbox::Mounted;
use crate::shell::nested::Nested;

/// How long is waited for commands that have their time, and may be about to end.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long is waited for a Git that writes its settings.
const LONGEST: Duration = Duration::from_secs(10);

/// What settings of Git end in.
const SETTINGS: &str = "/.git/config";

/// The commands that run.
#[derive(Debug, Default)]
pub(super) struct Turns {
    running: Mutex<Running>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct Running {
    next: u64,
    all: Vec<One>,
}

/// A command that runs.
#[derive(Debug)]
struct One {
    number: u64,
    /// The settings that it must not write, on this machine.
    guarded: BTreeSet<PathBuf>,
    writes: Writes,
    /// True if it may go on as long as it likes.
    stays: bool,
}

/// Which settings a command was understood to write.
#[derive(Clone, Debug)]
struct Writes {
    nested: Nested,
    /// How it sees the workspace, if that is in a container.
    mounted: Option<Mounted>,
}

/// The turn of a command. It is over when this is dropped.
pub(super) struct Turn {
    turns: Arc<Turns>,
    number: u64,
    /// The settings that it was understood to write and must not, since others run that must not.
    pub(super) withheld: Vec<String>,
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.turns.lock().all.retain(|one| one.number != self.number);
        self.turns.ended.notify_all();
    }
}

impl Writes {
    /// A path of this machine as the command sees it.
    fn seen(&self, path: &Path) -> Option<String> {
        let path = path.to_str()?;
        match &self.mounted {
            Some(mounted) => mounted.in_container(path),
            None => Some(path.to_owned()),
        }
    }

    fn include(&self, path: &Path) -> bool {
        self.seen(path).is_some_and(|path| self.nested.is_tracked(&path))
    }
}

impl Turns {
    /// Waits until a command can run beside those that do, or knows what it must not write for that;
    /// blocking. `mounted` is how it sees the workspace in a container.
    ///
    /// # Errors
    /// Where a Git that takes long writes what the command must not.
    pub(super) fn take(
        self: &Arc<Turns>,
        order: &mut Order,
        mounted: Option<Mounted>,
    ) -> Result<Turn, NotRun> {
        let here = |path: &String| match &mounted {
            Some(mounted) => mounted.on_host(path),
            None => Some(PathBuf::from(path)),
        };
        let settings = order.held_to.write_never.iter().filter(|path| path.ends_with(SETTINGS));
        let mut guarded: BTreeSet<PathBuf> = settings.filter_map(here).collect();
        let writes = Writes { nested: order.held_to.nested.clone(), mounted };
        let since = Instant::now();
        let mut running = self.lock();
        let withheld = loop {
            let waited = since.elapsed();
            let busy = guarded.iter().find(|path| running.all.iter().any(|one| one.has_open(path)));
            let wants = |one: &&One| one.guarded.iter().any(|path| writes.include(path));
            let stays = running.all.iter().filter(wants).any(|one| one.stays);
            let behind = running.all.iter().flat_map(|one| &one.guarded);
            let wanted: BTreeSet<PathBuf> =
                behind.filter(|path| writes.include(path)).cloned().collect();
            let most = if busy.is_some() { LONGEST } else { PATIENCE }.min(order.timeout);
            match busy {
                Some(path) if waited >= most => {
                    return Err(NotRun::Busy(path.display().to_string()));
                }
                None if wanted.is_empty() || stays || waited >= most => break wanted,
                _ => {}
            }
            let woken = self.ended.wait_timeout(running, most.saturating_sub(waited));
            running = woken.unwrap_or_else(PoisonError::into_inner).0;
        };
        let seen: Vec<String> = withheld.iter().filter_map(|path| writes.seen(path)).collect();
        order.held_to.write_never.extend(seen.iter().cloned());
        guarded.extend(withheld);
        let number = running.next;
        running.next += 1;
        let stays = order.timeout == Duration::MAX;
        running.all.push(One { number, guarded, writes, stays });
        Ok(Turn { turns: self.clone(), number, withheld: seen })
    }

    fn lock(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl One {
    fn has_open(&self, path: &Path) -> bool {
        !self.guarded.contains(path) && self.writes.include(path)
    }
}
