//! A cache of what exists at paths, checked by the change times of folders.
//!
//! Before every command some eighty paths are looked up: does the path exist, is it a link? They lie in
//! about a dozen folders. The change time of a folder (`ctime`) moves whenever a name in it is added,
//! removed or replaced, and no program can set it. So one `stat` of each folder shows whether an earlier
//! answer still holds, and eighty lookups become a dozen.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use crate::workspace::local::is_local_at;

/// How long ago a folder must have changed before its change time can be trusted. File systems count
/// time in ticks of some milliseconds, so two changes within one tick have the same time.
const MARGIN: Duration = Duration::from_millis(100);

/// How many lookups are kept: each runtime asks about a few sets of paths, so this is plenty.
const MOST_LOOKUPS: usize = 64;

/// About how many paths the kept lookups may contain in all. In a workspace with thousands of
/// repositories one lookup contains thousands.
const MOST_PATHS: usize = 200_000;

/// What exists at a path, without following a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum There {
    Nothing,
    Link,
    Folder,
    Other,
}

/// The question asked about some paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// Where they lead, without those that lie inside others.
    Outermost,
    /// Each of them, and where it leads.
    Real,
    /// Which do not exist and could be created.
    Missing,
    /// Which exist.
    There,
}

/// The lookups so far, the oldest first.
#[derive(Debug, Default)]
pub(super) struct StatCache(Mutex<Vec<Arc<Lookup>>>);

/// The answer to one question about some paths.
#[derive(Debug)]
pub(super) struct Lookup {
    question: Question,
    asked: Vec<PathBuf>,
    /// The answer.
    pub paths: Vec<PathBuf>,
    /// The folders it was found in.
    pub folders: Folders,
}

/// The folders that a lookup was found in, as they were then.
#[derive(Debug)]
pub(super) struct Folders {
    stamps: BTreeMap<PathBuf, Stamp>,
    /// False if the answer depends on more than these folders, so that it cannot be kept.
    is_complete: bool,
}

/// The identity of a folder, and when it last changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    device: u64,
    number: u64,
    changed: Duration,
}

/// Looks paths up, and records in which folders.
#[derive(Debug)]
pub(super) struct Probe(Folders);

impl StatCache {
    /// The answer about some paths: the kept one if it still holds, or what `ask` finds now.
    pub(super) fn lookup(
        &self,
        question: Question,
        asked: Vec<PathBuf>,
        ask: impl FnOnce(&mut Probe, &[PathBuf]) -> Vec<PathBuf>,
    ) -> Arc<Lookup> {
        let is_about = |one: &Lookup| one.question == question && one.asked == asked;
        let known = self.lock().iter().find(|one| is_about(one)).cloned();
        if let Some(known) = known.filter(|known| known.folders.are_unchanged()) {
            return known;
        }
        let mut probe = Probe(Folders { stamps: BTreeMap::new(), is_complete: true });
        let paths = ask(&mut probe, &asked);
        let Probe(folders) = probe;
        let mut lookups = self.lock();
        lookups.retain(|one| !is_about(one));
        let lookup = Arc::new(Lookup { question, asked, paths, folders });
        if lookup.folders.is_complete {
            lookups.push(lookup.clone());
            let paths =
                |lookups: &[Arc<Lookup>]| lookups.iter().map(|one| one.asked.len()).sum::<usize>();
            while lookups.len() > MOST_LOOKUPS || lookups.len() > 1 && MOST_PATHS < paths(&lookups)
            {
                lookups.remove(0);
            }
        }
        lookup
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Lookup>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Probe {
    /// One that records nothing, for a single use.
    pub(super) fn once() -> Probe {
        Probe(Folders { stamps: BTreeMap::new(), is_complete: false })
    }

    /// What exists at a path. None if that cannot be found out.
    pub(super) fn at(&mut self, path: &Path) -> Option<There> {
        if let Some(folder) = path.parent() {
            self.note(folder);
        }
        let there = match fs::symlink_metadata(path) {
            Ok(data) if data.is_symlink() => Some(There::Link),
            Ok(data) if data.is_dir() => Some(There::Folder),
            Ok(_) => Some(There::Other),
            Err(error) if error.kind() == ErrorKind::NotFound => Some(There::Nothing),
            Err(_) => None,
        };
        self.0.is_complete &= there.is_some();
        there
    }

    /// Notes that the answer depends on more than the recorded folders.
    pub(super) fn mark_incomplete(&mut self) {
        self.0.is_complete = false;
    }

    /// Records the state of a folder before anything in it is looked up, so that a change in between
    /// makes the record stale.
    fn note(&mut self, folder: &Path) {
        let Folders { stamps, is_complete } = &mut self.0;
        if !*is_complete || stamps.contains_key(folder) {
            return;
        }
        match Stamp::of(folder).filter(|stamp| stamp.identifies(folder)) {
            Some(stamp) => drop(stamps.insert(folder.to_owned(), stamp)),
            None => *is_complete = false,
        }
    }
}

impl Folders {
    /// True if no name in them was added, removed or replaced since.
    pub(super) fn are_unchanged(&self) -> bool {
        let is_same = |(folder, stamp): (&PathBuf, &Stamp)| Stamp::of(folder) == Some(*stamp);
        self.is_complete && self.stamps.iter().all(is_same)
    }
}

impl Stamp {
    pub(super) fn of(folder: &Path) -> Option<Stamp> {
        let data = fs::metadata(folder).ok().filter(fs::Metadata::is_dir)?;
        let seconds = u64::try_from(data.ctime()).ok()?;
        let nanoseconds = u32::try_from(data.ctime_nsec()).ok()?;
        let changed = Duration::new(seconds, nanoseconds);
        Some(Stamp { device: data.dev(), number: data.ino(), changed })
    }

    /// True if any later change of the folder will give another stamp.
    pub(super) fn identifies(self, folder: &Path) -> bool {
        self.is_settled() && is_local_at(folder)
    }

    /// True if the folder changed so long ago that a change from now on gets another time.
    fn is_settled(self) -> bool {
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        now.checked_sub(self.changed).is_some_and(|since| since > MARGIN)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::os::unix::fs::symlink;
    use std::thread::sleep;

    use super::*;

    /// Which of some names are there, asked as often as may be, and how often it was looked.
    struct Asked {
        folder: tempfile::TempDir,
        stat_cache: StatCache,
        times: Cell<usize>,
    }

    impl Asked {
        fn new() -> Asked {
            let (folder, stat_cache) = (tempfile::tempdir().unwrap(), StatCache::default());
            Asked { folder, stat_cache, times: Cell::new(0) }
        }

        fn at(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        fn there(&self, names: &[&str]) -> Vec<PathBuf> {
            let paths = names.iter().map(|name| self.at(name)).collect();
            let lookup = self.stat_cache.lookup(Question::Real, paths, |probe, paths| {
                self.times.set(self.times.get() + 1);
                let is_there =
                    |path: &&PathBuf| probe.at(path).is_some_and(|t| t != There::Nothing);
                paths.iter().filter(is_there).cloned().collect()
            });
            lookup.paths.clone()
        }
    }

    fn settled() {
        sleep(2 * MARGIN);
    }

    #[test]
    fn paths_are_looked_up_again_only_after_a_change() {
        let asked = Asked::new();
        let names = ["file", "sub/file", "none"];
        fs::create_dir(asked.at("sub")).unwrap();
        fs::write(asked.at("file"), "").unwrap();
        settled();
        for _ in 0..3 {
            assert_eq!(asked.there(&names), [asked.at("file")]);
        }
        assert_eq!(asked.times.get(), 1);
        fs::write(asked.at("sub/file"), "").unwrap();
        assert_eq!(asked.there(&names), [asked.at("file"), asked.at("sub/file")]);
        settled();
        fs::remove_file(asked.at("file")).unwrap();
        assert_eq!(asked.there(&names), [asked.at("sub/file")]);
        fs::rename(asked.at("sub"), asked.at("gone")).unwrap();
        assert!(asked.there(&names).is_empty());
        // A question about other paths has another answer.
        assert_eq!(asked.there(&["gone/file"]), [asked.at("gone/file")]);
    }

    #[test]
    fn a_change_is_noticed_at_once_however_coarse_the_disks_clock_is() {
        let asked = Asked::new();
        for _ in 0..300 {
            assert!(asked.there(&["name"]).is_empty());
            fs::write(asked.at("name"), "").unwrap();
            assert_eq!(asked.there(&["name"]), [asked.at("name")]);
            fs::remove_file(asked.at("name")).unwrap();
        }
    }

    #[test]
    fn a_folder_that_another_one_has_replaced_is_looked_at_anew() {
        let asked = Asked::new();
        fs::create_dir(asked.at("one")).unwrap();
        fs::create_dir(asked.at("other")).unwrap();
        fs::write(asked.at("other/file"), "").unwrap();
        settled();
        assert!(asked.there(&["one/file"]).is_empty());
        fs::rename(asked.at("one"), asked.at("gone")).unwrap();
        symlink("other", asked.at("one")).unwrap();
        assert_eq!(asked.there(&["one/file"]), [asked.at("one/file")]);
    }

    #[test]
    fn a_changed_file_time_does_not_hide_a_change() {
        let asked = Asked::new();
        settled();
        assert!(asked.there(&["name"]).is_empty());
        let folder = fs::File::open(asked.folder.path()).unwrap();
        let before = folder.metadata().unwrap().modified().unwrap();
        fs::write(asked.at("name"), "").unwrap();
        folder.set_modified(before).unwrap();
        assert_eq!(asked.there(&["name"]), [asked.at("name")]);
    }

    #[test]
    fn what_the_kernel_makes_up_is_looked_at_each_time() {
        let asked = Asked::new();
        for times in 1..3 {
            assert_eq!(asked.there(&["/proc/self/status"]), [PathBuf::from("/proc/self/status")]);
            assert_eq!(asked.times.get(), times);
        }
    }

    #[test]
    fn no_more_answers_are_kept_than_there_is_room_for() {
        let asked = Asked::new();
        settled();
        for n in 0..MOST_LOOKUPS + 10 {
            asked.there(&[&n.to_string()]);
        }
        assert_eq!(asked.stat_cache.lock().len(), MOST_LOOKUPS);
    }
}
