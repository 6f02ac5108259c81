//! What stands at paths, looked up anew only where something may have changed.
//!
//! Before every command it is asked of some eighty paths whether anything is there, and whether it is a
//! link. They lie in a dozen folders. A folder has another time of change once a name in it has come,
//! has gone or stands for something else, and nobody can set that time. So a look at each folder tells
//! whether an answer still holds.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use crate::workspace::local::is_local_at;

/// How long ago a folder must have changed for its time to tell it from what it becomes: the times of a
/// file system go on in ticks of some milliseconds.
const MARGIN: Duration = Duration::from_millis(100);

/// How many answers are kept.
const MOST_ANSWERS: usize = 64;

/// About how many paths the answers that are kept may be about. In a workspace with thousands of repositories
/// one answer is about thousands.
const MOST_PATHS: usize = 200_000;

/// What stands at a path, without following a link there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum There {
    Nothing,
    Link,
    Folder,
    Other,
}

/// What is asked of some paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// Where they lead, without those that lie in others.
    Outermost,
    /// Where each of them stands, and where it leads.
    Real,
    /// Which are not there and could be made.
    Missing,
    /// Which are there.
    There,
}

/// The answers so far.
#[derive(Debug, Default)]
pub(super) struct Looks(Mutex<Vec<Arc<Answer>>>);

/// What was found.
#[derive(Debug)]
pub(super) struct Answer {
    question: Question,
    asked: Vec<PathBuf>,
    /// The paths that are the answer.
    pub paths: Vec<PathBuf>,
    /// Where it was found.
    pub folders: Folders,
}

/// The folders that an answer was found in, as they were then.
#[derive(Debug)]
pub(super) struct Folders {
    stamps: BTreeMap<PathBuf, Stamp>,
    /// False if they do not tell all that the answer hangs on.
    tell: bool,
}

/// Which folder it is, and when it changed last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    device: u64,
    number: u64,
    changed: Duration,
}

/// One look around, which remembers where it has looked.
#[derive(Debug)]
pub(super) struct Look(Folders);

impl Looks {
    /// The answer about some paths: the last one where it holds, or what `ask` finds now.
    pub(super) fn answer(
        &self,
        question: Question,
        asked: Vec<PathBuf>,
        ask: impl FnOnce(&mut Look, &[PathBuf]) -> Vec<PathBuf>,
    ) -> Arc<Answer> {
        let is_about = |one: &Answer| one.question == question && one.asked == asked;
        let known = self.lock().iter().find(|one| is_about(one)).cloned();
        if let Some(known) = known.filter(|known| known.folders.are_as_they_were()) {
            return known;
        }
        let mut look = Look(Folders { stamps: BTreeMap::new(), tell: true });
        let paths = ask(&mut look, &asked);
        let Look(folders) = look;
        let mut answers = self.lock();
        answers.retain(|one| !is_about(one));
        let answer = Arc::new(Answer { question, asked, paths, folders });
        if answer.folders.tell {
            answers.push(answer.clone());
            let paths =
                |answers: &[Arc<Answer>]| answers.iter().map(|one| one.asked.len()).sum::<usize>();
            while answers.len() > MOST_ANSWERS || answers.len() > 1 && MOST_PATHS < paths(&answers)
            {
                answers.remove(0);
            }
        }
        answer
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Answer>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Look {
    /// One that remembers nothing.
    pub(super) fn once() -> Look {
        Look(Folders { stamps: BTreeMap::new(), tell: false })
    }

    /// What stands at a path. None where nobody can tell.
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
        self.0.tell &= there.is_some();
        there
    }

    /// Says that the folders that were looked at do not tell all.
    pub(super) fn has_seen_more(&mut self) {
        self.0.tell = false;
    }

    /// Remembers how a folder is, before anything is looked at in it: what changes meanwhile makes
    /// another of it.
    fn note(&mut self, folder: &Path) {
        let Folders { stamps, tell } = &mut self.0;
        if !*tell || stamps.contains_key(folder) {
            return;
        }
        match Stamp::of(folder).filter(|stamp| stamp.tells(folder)) {
            Some(stamp) => drop(stamps.insert(folder.to_owned(), stamp)),
            None => *tell = false,
        }
    }
}

impl Folders {
    /// True if nothing has come, gone or been replaced in them.
    pub(super) fn are_as_they_were(&self) -> bool {
        let is_same = |(folder, stamp): (&PathBuf, &Stamp)| Stamp::of(folder) == Some(*stamp);
        self.tell && self.stamps.iter().all(is_same)
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

    /// True if it tells the folder, whose it is, from whatever it becomes.
    pub(super) fn tells(self, folder: &Path) -> bool {
        self.is_settled() && is_local_at(folder)
    }

    /// True if no change that is still to come leaves the folder with this stamp.
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
        looks: Looks,
        times: Cell<usize>,
    }

    impl Asked {
        fn new() -> Asked {
            let (folder, looks) = (tempfile::tempdir().unwrap(), Looks::default());
            Asked { folder, looks, times: Cell::new(0) }
        }

        fn at(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        fn there(&self, names: &[&str]) -> Vec<PathBuf> {
            let paths = names.iter().map(|name| self.at(name)).collect();
            let answer = self.looks.answer(Question::Real, paths, |look, paths| {
                self.times.set(self.times.get() + 1);
                let is_there = |path: &&PathBuf| look.at(path).is_some_and(|t| t != There::Nothing);
                paths.iter().filter(is_there).cloned().collect()
            });
            answer.paths.clone()
        }
    }

    fn settled() {
        sleep(2 * MARGIN);
    }

    #[test]
    fn it_is_looked_again_only_where_something_has_changed() {
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
        // What is asked of other paths is another answer.
        assert_eq!(asked.there(&["gone/file"]), [asked.at("gone/file")]);
    }

    #[test]
    fn what_changes_at_once_is_seen_whatever_the_clock_of_the_disk_tells() {
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
    fn a_time_that_somebody_sets_tells_nothing_else() {
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
        for n in 0..MOST_ANSWERS + 10 {
            asked.there(&[&n.to_string()]);
        }
        assert_eq!(asked.looks.lock().len(), MOST_ANSWERS);
    }
}
