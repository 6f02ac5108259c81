//! Lets commands that write Git's settings and commands that are kept from them take turns.
//!
//! Git writes its settings by renaming a new file over the old one. The mount that protects the old file
//! from another running command is then gone. So a command that writes such a file waits until no
//! running command depends on its mount, and the other way round.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::not_run::NotRun;
use super::sandbox::Mounted;
use crate::shell::{Confinement, Nested};

/// How long to wait for commands that have a time limit and may be about to end.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long to wait for a Git that is writing its settings.
const LONGEST: Duration = Duration::from_secs(10);

/// How the paths of Git's settings end.
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
    protected: BTreeSet<PathBuf>,
    writes: Writes,
    /// True if it has no time limit.
    stays: bool,
}

/// Which settings a command is expected to write.
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
    /// The settings that it was expected to write and must not, because commands run that rely on their mounts.
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
    /// Waits until a command can run beside those that do, or finds what it must not write for that;
    /// blocking. `timeout` is how long it may take, and `mounted` how it sees the workspace in a container.
    ///
    /// # Errors
    /// Where a Git that takes long writes what the command must not.
    pub(super) fn take(
        self: &Arc<Turns>,
        held: &mut Confinement,
        timeout: Duration,
        mounted: Option<Mounted>,
    ) -> Result<Turn, NotRun> {
        let here = |path: &String| match &mounted {
            Some(mounted) => mounted.on_host(path),
            None => Some(PathBuf::from(path)),
        };
        let settings = held.write_never.iter().filter(|path| path.ends_with(SETTINGS));
        let mut protected: BTreeSet<PathBuf> = settings.filter_map(here).collect();
        let writes = Writes { nested: held.nested.clone(), mounted };
        let since = Instant::now();
        let mut running = self.lock();
        let withheld = loop {
            let waited = since.elapsed();
            let busy =
                protected.iter().find(|path| running.all.iter().any(|one| one.has_open(path)));
            let wants = |one: &&One| one.protected.iter().any(|path| writes.include(path));
            let stays = running.all.iter().filter(wants).any(|one| one.stays);
            let behind = running.all.iter().flat_map(|one| &one.protected);
            let wanted: BTreeSet<PathBuf> =
                behind.filter(|path| writes.include(path)).cloned().collect();
            let most = if busy.is_some() { LONGEST } else { PATIENCE }.min(timeout);
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
        held.write_never.extend(seen.iter().cloned());
        protected.extend(withheld);
        let number = running.next;
        running.next += 1;
        let stays = timeout == Duration::MAX;
        running.all.push(One { number, protected, writes, stays });
        Ok(Turn { turns: self.clone(), number, withheld: seen })
    }

    fn lock(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl One {
    fn has_open(&self, path: &Path) -> bool {
        !self.protected.contains(path) && self.writes.include(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::{Env, analyse};

    const CONFIG: &str = "/workspace/.git/config";

    /// What a command is held to: it writes settings, or must not.
    fn held(text: &str) -> Confinement {
        let env = Env::default();
        let mut held = Confinement {
            nested: Nested::of(&analyse(text, &env), &env),
            ..Confinement::default()
        };
        if !held.nested.is_tracked(CONFIG) {
            held.write_never.insert(CONFIG.into());
        }
        held
    }

    fn take(turns: &Arc<Turns>, text: &str, timeout: Duration) -> Result<Turn, NotRun> {
        turns.take(&mut held(text), timeout, None)
    }

    #[test]
    fn who_must_not_write_settings_and_git_that_does_take_turns() {
        let (turns, short) = (Arc::<Turns>::default(), Duration::from_millis(20));
        let git = take(&turns, "git config user.name x", short).unwrap();
        assert!(git.withheld.is_empty());
        // Another Git does not conflict.
        assert!(
            take(&turns, "git remote add o https://a.example/x", short)
                .unwrap()
                .withheld
                .is_empty()
        );
        let busy = take(&turns, "./a.sh", short).err().unwrap();
        assert!(matches!(&busy, NotRun::Busy(path) if path == CONFIG), "{busy}");
        drop(git);
        let script = take(&turns, "./a.sh", short).unwrap();
        let mut git = held("git config user.name x");
        let turn = turns.take(&mut git, short, None).unwrap();
        assert_eq!(turn.withheld, [CONFIG]);
        assert!(git.write_never.contains(CONFIG));
        // A command that must not write them itself does not conflict.
        assert!(take(&turns, "./a.sh", short).is_ok());
        drop((script, turn));
        assert!(take(&turns, "git config user.name x", short).unwrap().withheld.is_empty());
    }

    #[test]
    fn one_that_ends_in_time_is_waited_for_and_one_that_stays_is_not() {
        let turns = Arc::<Turns>::default();
        let script = take(&turns, "./a.sh", LONGEST).unwrap();
        let ends = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            drop(script);
        });
        let git = take(&turns, "git config user.name x", LONGEST).unwrap();
        assert!(git.withheld.is_empty());
        ends.join().unwrap();
        drop(git);
        let _server = take(&turns, "./a.sh", Duration::MAX).unwrap();
        let since = Instant::now();
        let git = take(&turns, "git config user.name x", LONGEST).unwrap();
        assert!(git.withheld == [CONFIG] && since.elapsed() < PATIENCE);
    }
}
