//! Which files carry the marks of the sessions that wrote them.
//!
//! A file is known by its path without links, so that an editor which replaces it by a rename loses
//! nothing, and by its device and inode number, so that a file that is moved or linked is still the
//! same. A memory or context file is known by its agent and name besides, for it may be reached from
//! several workspaces. Where files cannot be identified one by one, the folder around them is marked.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::{Files, VirtualName};
use crate::kind::Taint;
use crate::store::FileMark;
use crate::tool::Caller;

/// The longest key, in bytes, that the store takes.
const LONGEST_KEY: usize = 512;
/// The most files and folders that are looked at for what a command has changed.
const MOST_LOOKED_AT: usize = 20_000;
/// The most files that one call marks one by one.
const MOST_FILES: usize = 1_000;
/// How much a file system's clock, which ticks, may be behind.
const TICK: Duration = Duration::from_millis(20);

/// A file or folder that a call uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Used {
    /// Its path, absolute and without links.
    pub path: PathBuf,
    /// True if all that is below may be meant as well.
    pub below: bool,
}

/// The marks of a tenant's files.
#[derive(Debug, Default)]
pub(crate) struct MarkedFiles(BTreeMap<String, Vec<Taint>>);

impl MarkedFiles {
    pub(crate) fn new(rows: Vec<FileMark>) -> MarkedFiles {
        let mut marked = MarkedFiles::default();
        for row in rows {
            marked.add(row.file, &[row.mark]);
        }
        marked
    }

    pub(crate) fn add(&mut self, key: String, marks: &[Taint]) {
        let there = self.0.entry(key).or_default();
        there
            .extend(marks.iter().filter(|mark| !there.contains(mark)).copied().collect::<Vec<_>>());
    }

    /// How many keys are marked.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The marks of a file or folder. Looks at the file; blocking. `store_key` is its key in the store.
    pub(crate) fn of(&self, used: &Used, store_key: Option<&str>) -> Vec<Taint> {
        let path = &used.path;
        let mut keys = vec![path_key(path)];
        keys.extend(path.ancestors().map(folder_key));
        keys.extend(store_key.map(str::to_owned));
        let metadata = std::fs::metadata(path).ok();
        keys.extend(metadata.as_ref().map(identity_key));
        let mut found: Vec<Taint> =
            keys.iter().filter_map(|key| self.0.get(key)).flatten().copied().collect();
        if used.below || metadata.is_some_and(|metadata| metadata.is_dir()) {
            let store_prefix = store_key.map(|key| key.trim_end_matches('.').to_owned());
            let prefixes = [path_key(path), folder_key(path)].map(|key| below(&key));
            for prefix in prefixes.into_iter().chain(store_prefix) {
                let there = self.0.range(prefix.clone()..);
                let there = there.take_while(|(key, _)| key.starts_with(&prefix));
                found.extend(there.flat_map(|(_, marks)| marks));
            }
        }
        found.sort_unstable_by_key(|mark| *mark as u8);
        found.dedup();
        found
    }
}

fn below(key: &str) -> String {
    format!("{}/", key.trim_end_matches('/'))
}

/// The key of a path. One that is too long or no text is known by the folder around it.
pub(crate) fn path_key(path: &Path) -> String {
    let key = path.to_str().map(|path| format!("path:{path}"));
    match key.filter(|key| key.len() <= LONGEST_KEY && !key.contains('\0')) {
        Some(key) => key,
        None => folder_key(path.parent().unwrap_or(Path::new("/"))),
    }
}

/// The key of a folder with all that is below.
pub(crate) fn folder_key(path: &Path) -> String {
    let fitting = path.ancestors().find_map(|folder| {
        let key = format!("below:{}", folder.to_str()?);
        (key.len() <= LONGEST_KEY && !key.contains('\0')).then_some(key)
    });
    fitting.unwrap_or_else(|| "below:/".to_owned())
}

fn identity_key(metadata: &Metadata) -> String {
    format!("inode:{}:{}", metadata.dev(), metadata.ino())
}

/// The keys by which files are known that were written, once they are; blocking.
pub(crate) fn written_keys(written: &[PathBuf]) -> Vec<String> {
    let mut keys = Vec::with_capacity(2 * written.len());
    for path in written {
        keys.push(path_key(path));
        let file = std::fs::metadata(path).ok().filter(|metadata| metadata.is_file());
        keys.extend(file.as_ref().map(identity_key));
    }
    keys
}

/// The keys of what was changed in folders since a time, by the times of the files; blocking. Where
/// that is too much to look at, the folder as a whole.
pub(crate) fn changed_keys(folders: &[PathBuf], since: SystemTime) -> Vec<String> {
    let since = since.checked_sub(TICK).unwrap_or(since).duration_since(SystemTime::UNIX_EPOCH);
    let since = since.unwrap_or_default();
    let since = (since.as_secs().cast_signed(), i64::from(since.subsec_nanos()));
    let mut keys = Vec::new();
    for folder in folders {
        match changed(folder, since) {
            Some(files) => keys.extend(written_keys(&files)),
            None => keys.push(folder_key(folder)),
        }
    }
    keys
}

/// The files below a folder that were changed since then. None if there are too many, or some cannot
/// be looked at.
fn changed(folder: &Path, since: (i64, i64)) -> Option<Vec<PathBuf>> {
    let (mut files, mut folders, mut looked_at) = (Vec::new(), vec![folder.to_owned()], 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).ok()? {
            let entry = entry.ok()?;
            looked_at += 1;
            let Ok(metadata) = entry.metadata() else { continue };
            if metadata.is_dir() {
                folders.push(entry.path());
            } else if metadata.is_file() && (metadata.ctime(), metadata.ctime_nsec()) >= since {
                files.push(entry.path());
            }
            if looked_at > MOST_LOOKED_AT || files.len() > MOST_FILES {
                return None;
            }
        }
    }
    Some(files)
}

impl Files {
    /// The key of a memory or context file, by its path in the caller's workspace; that of a folder of
    /// them ends in a dot. None for a file of the disk.
    pub(crate) fn store_key(&self, caller: &Caller, home: &Path, used: &Used) -> Option<String> {
        let agent = caller.agent.as_deref()?;
        let path = used.path.strip_prefix(home).ok()?;
        let all = format!("store:{agent}:.");
        if path.as_os_str().is_empty() {
            return Some(all);
        }
        let key = match VirtualName::of(path, false, &self.parts.config)? {
            VirtualName::MemoryFolder(_) => all,
            name => format!("store:{agent}:{}", name.path()),
        };
        (key.len() <= LONGEST_KEY && !key.contains('\0')).then_some(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNTRUSTED: [Taint; 1] = [Taint::Untrusted];

    fn used(path: &str, below: bool) -> Used {
        Used { path: path.into(), below }
    }

    #[test]
    fn a_mark_is_found_at_the_path_below_it_and_in_folders_around() {
        let mut marked = MarkedFiles::default();
        marked.add(path_key(Path::new("/nowhere/a/b")), &UNTRUSTED);
        marked.add(folder_key(Path::new("/nowhere/c")), &UNTRUSTED);
        for (path, below, is_marked) in [
            ("/nowhere/a/b", false, true),
            ("/nowhere/a", true, true),
            ("/nowhere/a", false, false),
            ("/nowhere/a/bc", true, false),
            ("/nowhere/c/d/e", false, true),
            ("/nowhere/c", false, true),
            ("/nowhere/cd", true, false),
            ("/nowhere", true, true),
            ("/", true, true),
        ] {
            assert_eq!(!marked.of(&used(path, below), None).is_empty(), is_marked, "{path}");
        }
    }

    #[test]
    fn a_path_too_long_for_a_key_is_known_by_the_folder_around_it() {
        let long = format!("/nowhere/{}/{}", "a".repeat(250), "b".repeat(300));
        let mut marked = MarkedFiles::default();
        marked.add(path_key(Path::new(&long)), &UNTRUSTED);
        assert_eq!(marked.of(&used(&long, false), None), UNTRUSTED);
        assert!(marked.of(&used("/nowhere/c", false), None).is_empty());
    }

    #[test]
    fn a_file_of_the_store_is_known_by_its_agent_and_name() {
        let mut marked = MarkedFiles::default();
        marked.add("store:a:MEMORY.md".into(), &UNTRUSTED);
        let elsewhere = used("/nowhere/MEMORY.md", false);
        assert_eq!(marked.of(&elsewhere, Some("store:a:MEMORY.md")), UNTRUSTED);
        assert!(marked.of(&elsewhere, Some("store:b:MEMORY.md")).is_empty());
        assert_eq!(marked.of(&used("/nowhere", true), Some("store:a:.")), UNTRUSTED);
    }

    #[test]
    fn what_was_changed_meanwhile_is_found_and_a_moved_file_stays_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let before = SystemTime::now();
        std::fs::create_dir(at("deep")).unwrap();
        std::fs::write(at("deep/new"), "x").unwrap();
        let keys = changed_keys(&[folder.path().to_owned()], before);
        assert_eq!(keys.len(), 2);
        let later = before + Duration::from_secs(3600);
        assert!(changed_keys(&[folder.path().to_owned()], later).is_empty());
        let mut marked = MarkedFiles::default();
        keys.into_iter().for_each(|key| marked.add(key, &UNTRUSTED));
        std::fs::rename(at("deep/new"), at("moved")).unwrap();
        std::fs::write(at("deep/new"), "by another editor").unwrap();
        for name in ["moved", "deep/new"] {
            assert_eq!(
                marked.of(&Used { path: at(name), below: false }, None),
                UNTRUSTED,
                "{name}"
            );
        }
    }
}
