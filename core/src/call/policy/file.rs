//! The file that the policy came from, looked at now and then. There is no thread and no task for
//! it: whoever wants a decision looks, at most once a second.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Map, Value};

use super::Groups;
use crate::error::{Code, Error};
use crate::policy::Policy;

/// How long after one look the next one may be, in milliseconds.
const LOOK_EVERY_MS: u64 = 1_000;

/// A file that changed less than this before it was read may change again without another time.
const SETTLED: Duration = Duration::from_millis(100);

/// What a configuration says.
pub(crate) struct Written {
    /// Its policy, which is taken up while the runtime is open.
    pub policy: Policy,
    /// Its groups, which are, too.
    pub groups: Groups,
    /// Everything else, by part, which is not.
    pub rest: Map<String, Value>,
}

/// Reads a configuration file.
pub(crate) type Reader = fn(&Path) -> Result<Written, Error>;

/// What tells one state of a file from another without reading it.
#[derive(Clone, Debug, PartialEq)]
struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
    inode: u64,
}

impl Stamp {
    /// None if the file cannot be looked at, or changed so lately that it must be read again.
    fn of(path: &Path) -> Option<Stamp> {
        let found = fs::metadata(path).ok()?;
        let modified = found.modified().ok();
        let age = modified.and_then(|at| SystemTime::now().duration_since(at).ok());
        age.is_none_or(|age| age >= SETTLED).then(|| Stamp {
            modified,
            length: found.len(),
            inode: inode(&found),
        })
    }
}

#[cfg(unix)]
fn inode(found: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(found)
}

#[cfg(not(unix))]
fn inode(_: &fs::Metadata) -> u64 {
    0
}

/// The file of a runtime that was opened from one.
pub(crate) struct PolicyFile {
    path: PathBuf,
    reader: Reader,
    /// What it said besides policy and groups when the runtime was opened.
    opened: Map<String, Value>,
    began: Instant,
    next_look_ms: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    seen: Option<Stamp>,
    report: Report,
}

/// What came of the last look at the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Report {
    /// Why what the file says now is not in force.
    pub rejected: Option<String>,
    /// The other parts of the configuration that have changed in it.
    pub needs_reopening: Vec<String>,
}

/// What a look at the file came to.
#[derive(Debug)]
pub(super) enum Look {
    /// Nothing new.
    Same,
    /// What it says is in force now: the new generation.
    Changed(u64, Vec<String>),
    /// What it says is wrong, and was not before.
    Rejected(Error),
}

impl PolicyFile {
    /// The file as it looks now. Made before it is read for the first time: what changes in
    /// between is seen at the next look.
    pub(crate) fn at(path: &Path, reader: Reader) -> PolicyFile {
        PolicyFile {
            path: std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
            reader,
            opened: Map::new(),
            began: Instant::now(),
            next_look_ms: AtomicU64::new(LOOK_EVERY_MS),
            state: Mutex::new(State { seen: Stamp::of(path), report: Report::default() }),
        }
    }

    /// The same file, with what it said besides policy and groups when the runtime was opened.
    pub(crate) fn opened_with(self, rest: Map<String, Value>) -> PolicyFile {
        PolicyFile { opened: rest, ..self }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn report(&self) -> Report {
        self.state().report.clone()
    }

    /// True if it is time to look.
    pub(super) fn is_due(&self) -> bool {
        self.now_ms() >= self.next_look_ms.load(Ordering::Relaxed)
    }

    /// True if it is time to look, for the first who asks.
    pub(super) fn takes_the_look(&self) -> bool {
        let due = self.next_look_ms.load(Ordering::Relaxed);
        let now = self.now_ms();
        now >= due
            && self
                .next_look_ms
                .compare_exchange(due, now + LOOK_EVERY_MS, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
    }

    /// Looks at the file and, if it changed, has its policy and groups taken up. `take_up` gives
    /// the generation that is in force then, or none if there is nothing new in them.
    pub(super) fn look(
        &self,
        take_up: impl FnOnce(&Written) -> Result<Option<u64>, Error>,
    ) -> Look {
        let mut state = self.state();
        let stamp = Stamp::of(&self.path);
        // What was wrong may be right by now: the tool that it names may have been registered.
        let took_it_up = state.report.rejected.is_none();
        if took_it_up && stamp.is_some() && stamp == state.seen {
            return Look::Same;
        }
        state.seen = stamp;
        self.read(&mut state, take_up)
    }

    /// The same, whether or not it looks changed.
    pub(super) fn reload(
        &self,
        take_up: impl FnOnce(&Written) -> Result<Option<u64>, Error>,
    ) -> Look {
        let mut state = self.state();
        state.seen = Stamp::of(&self.path);
        state.report.rejected = None;
        self.read(&mut state, take_up)
    }

    fn read(
        &self,
        state: &mut State,
        take_up: impl FnOnce(&Written) -> Result<Option<u64>, Error>,
    ) -> Look {
        let taken = (self.reader)(&self.path).and_then(|written| {
            let generation = take_up(&written).map_err(|error| {
                let text = format!("{}: {}", self.path.display(), error.message());
                Error::new(Code::InvalidConfig, text).with_source(error)
            })?;
            Ok((generation, changed_parts(&self.opened, &written.rest)))
        });
        match taken {
            Ok((generation, needs_reopening)) => {
                if needs_reopening != state.report.needs_reopening && !needs_reopening.is_empty() {
                    let parts = needs_reopening.join(", ");
                    tracing::warn!(parts, "these parts of the configuration hold after reopening");
                }
                let parts = needs_reopening.clone();
                state.report = Report { rejected: None, needs_reopening };
                generation.map_or(Look::Same, |generation| Look::Changed(generation, parts))
            }
            Err(error) => {
                let before = state.report.rejected.replace(error.message().to_owned());
                match before.as_deref() == Some(error.message()) {
                    true => Look::Same,
                    false => Look::Rejected(error),
                }
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// The parts in which two configurations differ.
fn changed_parts(one: &Map<String, Value>, other: &Map<String, Value>) -> Vec<String> {
    let differs = |part: &&String| one.get(*part) != other.get(*part);
    one.keys().filter(differs).cloned().collect()
}
