//! Changes a file based on its content, so that no other change is lost.
//!
//! Changes of one file wait for each other within a process (see [`lock`](super::lock)). Among processes,
//! a change is computed from what was read, and put in place only if the file still has that content,
//! which is checked under the folder's lock right before the rename. If it has not, the change is computed
//! once more with the folder locked the whole time. Then only a program that ignores the lock can
//! interfere, and its change is not lost either: ours is called off.

mod spent;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use cap_std::fs::{Metadata, MetadataExt as _};

pub(crate) use spent::Spent;

use super::attributes::Attributes;
use super::folder_lock::FolderLock;
use super::local::is_local;
use super::lock::while_locked;
use super::replace::{Begun, remove, seen_writable};
use super::resolve::Place;
use super::wait::Wait;
use super::{Error, RelativePath, Workspace};

/// How much of a file is compared at a time, in bytes: small enough for the processor's cache.
const BLOCK_BYTES: usize = 64 << 10;

/// What exists at a path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    /// The path without links, relative to the root.
    pub target: PathBuf,
    /// What is there.
    pub body: Body,
    version: Option<Version>,
}

/// What is there.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// Nothing.
    Missing,
    /// A file with this content.
    Whole(Vec<u8>),
    /// A file with more bytes than were asked for: its size.
    Large(u64),
}

/// What becomes of it.
pub(crate) enum Change<'c> {
    /// It stays as it is.
    Keep,
    /// The file gets this content; with the attributes given, if there was no file.
    Put(Cow<'c, [u8]>, Option<Attributes>),
    /// The file goes.
    Remove,
}

/// A change of a file: what to make of what stands there, and what to ask at the last moment.
pub(crate) struct Changing<'c, M, L> {
    /// Files of up to so many bytes are read.
    pub most_bytes: u64,
    /// The content that the file will most likely get, if that is known beforehand. Writing it to the disk
    /// begins before the file is read. The file itself stays until the change is made.
    pub expected: Option<&'c [u8]>,
    /// True to make missing folders.
    pub make_folders: bool,
    /// Makes the change. Called again if another process changed the file meanwhile, and before
    /// folders are made.
    pub make: M,
    /// Called when only the rename is left, under the folder's lock. It may still cancel the change.
    pub last: L,
}

impl Standing {
    /// What stands in an open file, read up to `most_bytes`.
    pub(super) fn read(
        path: &RelativePath,
        target: PathBuf,
        file: &File,
        most_bytes: u64,
    ) -> Result<Standing, Error> {
        let version = Version::of(file).map_err(|error| Error::from_io(path, "read", error))?;
        Standing::read_as(path, target, (file, version), most_bytes)
    }

    /// The same, if its version is already known.
    fn read_as(
        path: &RelativePath,
        target: PathBuf,
        (mut file, version): (&File, Version),
        most_bytes: u64,
    ) -> Result<Standing, Error> {
        let failed = |error| Error::from_io(path, "read", error);
        let mut content = Vec::new();
        if version.bytes <= most_bytes {
            content.reserve(usize::try_from(version.bytes).unwrap_or_default());
            file.by_ref().take(most_bytes + 1).read_to_end(&mut content).map_err(failed)?;
        }
        let bytes = version.bytes.max(content.len() as u64);
        let body = if bytes > most_bytes { Body::Large(bytes) } else { Body::Whole(content) };
        Ok(Standing { target, body, version: Some(version) })
    }

    /// The content, where it was read.
    pub(crate) fn content(&self) -> Option<&[u8]> {
        match &self.body {
            Body::Whole(content) => Some(content),
            Body::Missing | Body::Large(_) => None,
        }
    }

    /// True if nothing is there.
    pub(crate) fn is_missing(&self) -> bool {
        self.body == Body::Missing
    }

    /// What identifies this state of the file without its content; none if it is missing.
    pub(crate) fn version(&self) -> Option<Version> {
        self.version
    }
}

/// What distinguishes one version of a file from the next without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Version {
    bytes: u64,
    identity: (u64, u64),
    modified: (i64, i64),
    changed: (i64, i64),
    mode: u32,
}

impl Version {
    pub(super) fn of(file: &File) -> io::Result<Version> {
        Ok(Version::of_metadata(&Metadata::from_file(file)?))
    }

    fn of_metadata(metadata: &Metadata) -> Version {
        Version {
            bytes: metadata.len(),
            identity: (metadata.dev(), metadata.ino()),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
            mode: metadata.mode(),
        }
    }
}

impl Workspace {
    /// Changes a file from what stands in it. Returns the outcome that `make` gave.
    pub(crate) fn change<'c, T, E, M, L>(
        &self,
        path: &RelativePath,
        changing: Changing<'c, M, L>,
    ) -> Result<T, E>
    where
        E: From<Error>,
        M: FnMut(&Standing) -> Result<(Change<'c>, T), E>,
        L: FnMut(&Standing, &T) -> Result<(), E>,
    {
        self.change_then(path, changing, |outcome| outcome).map(|(outcome, _)| outcome)
    }

    /// The same, and calls `done` before this process changes the file again. Also returns what is left to
    /// be dropped.
    pub(crate) fn change_then<'c, T, E, M, L, R>(
        &self,
        path: &RelativePath,
        mut changing: Changing<'c, M, L>,
        done: impl FnOnce(T) -> R,
    ) -> Result<(R, Spent), E>
    where
        E: From<Error>,
        M: FnMut(&Standing) -> Result<(Change<'c>, T), E>,
        L: FnMut(&Standing, &T) -> Result<(), E>,
    {
        let wait = Wait::begin();
        let mut made = Vec::new();
        let place = match self.place(path, false) {
            Err(Error::NotFound { .. }) if changing.make_folders => {
                let missing = self.missing(path)?;
                (changing.make)(&missing)?;
                made = self.missing_folders(&missing.target);
                self.place(path, true)?
            }
            place => place?,
        };
        let change = || {
            for exclusive in [false, true] {
                if let Some((outcome, spent)) =
                    attempt(path, &place, (exclusive, wait), &mut changing)?
                {
                    return Ok((done(outcome), spent));
                }
            }
            Err(Error::Changed { path: path.to_string() }.into())
        };
        let done = while_locked(path, &place, wait, change).map_err(E::from).flatten();
        if done.is_err() {
            // What is refused leaves no folders behind.
            self.remove_empty(&made);
        }
        done
    }

    /// What stands at a path, read up to `most_bytes`. A path whose folder is missing is missing.
    pub(crate) fn standing(&self, path: &RelativePath, most_bytes: u64) -> Result<Standing, Error> {
        match self.place_seen(path) {
            Ok(place) => {
                let file = open(path, &place)?;
                let version = version(path, file.as_ref())?;
                standing(path, &place, file.as_ref().zip(version), most_bytes)
            }
            Err(Error::NotFound { .. }) => self.missing(path),
            Err(error) => Err(error),
        }
    }

    fn missing(&self, path: &RelativePath) -> Result<Standing, Error> {
        Ok(Standing { target: self.target(path)?, body: Body::Missing, version: None })
    }
}

/// One attempt. None if the file was changed by somebody else meanwhile.
fn attempt<'c, T, E, M, L>(
    path: &RelativePath,
    place: &Place,
    (exclusive, wait): (bool, Wait),
    changing: &mut Changing<'c, M, L>,
) -> Result<Option<(T, Spent)>, E>
where
    E: From<Error>,
    M: FnMut(&Standing) -> Result<(Change<'c>, T), E>,
    L: FnMut(&Standing, &T) -> Result<(), E>,
{
    let take = || FolderLock::take(path, &place.dir, wait);
    let held = if exclusive { take()? } else { None };
    let mut file = open(path, place)?;
    let version = version(path, file.as_ref())?;
    let (is_new, is_local) = (file.is_none(), file.as_ref().is_some_and(is_local));
    let begin = |content: &[u8], is_open| Begun::new(path, place, content, is_open);
    let expected = changing.expected;
    let seen = file.as_ref().zip(version);
    let (early, before) = standing_behind(path, place, seen, (expected, changing.most_bytes))?;
    let (change, outcome) = (changing.make)(&before)?;
    let bytes = match &change {
        Change::Put(content, _) => Some(content.len() as u64),
        Change::Keep | Change::Remove => None,
    };
    // Checked while the disk is writing.
    let seen = file.as_ref().filter(|_| bytes.is_some() && is_local);
    let seen = seen.and_then(|file| seen_writable(place, file));
    let (mut late, mut shared) = (None, Vec::new());
    let mut moved = false;
    let confirm = || -> Result<(), E> {
        if held.is_none() {
            late = take()?;
        }
        if let Some(bytes) = bytes {
            shared = place.admit(path, bytes, wait)?;
        }
        (changing.last)(&before, &outcome)?;
        // As the last step: what others write from here on is overwritten.
        if !is_still(path, place, &before, file.as_ref())? {
            moved = true;
            return Err(Error::Changed { path: path.to_string() }.into());
        }
        file = file.take().filter(|_| is_local);
        Ok(())
    };
    let done = match change {
        Change::Keep => Ok(()),
        Change::Put(content, like) => {
            let is_early = expected.is_some_and(|expected| std::ptr::eq(expected, &*content));
            let begun = match early.filter(|_| is_early && like.is_none()) {
                Some(begun) => begun,
                None => begin(&content, is_new && like.is_none())?,
            };
            begun.put(path, place, (seen, like.as_ref()), confirm)
        }
        Change::Remove => {
            let mut confirm = confirm;
            confirm().and_then(|()| remove(path, place).map_err(E::from))
        }
    };
    drop((held, late, shared));
    match done {
        Ok(()) => Ok(Some((outcome, Spent::of(file, before)))),
        Err(_) if moved => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads the file at the place while the content expected to replace it is written to the disk. If the file
/// already has that size it may be equal, and is read first.
fn standing_behind<'p>(
    path: &RelativePath,
    place: &'p Place,
    file: Option<(&File, Version)>,
    (expected, most_bytes): (Option<&[u8]>, u64),
) -> Result<(Option<Begun<'p>>, Standing), Error> {
    let begin = |content| Begun::new(path, place, content, file.is_none());
    let there = file.map(|(_, version)| version.bytes);
    let early = expected.filter(|content| there != Some(content.len() as u64));
    let early = early.map(begin).transpose()?;
    let before = standing(path, place, file, most_bytes)?;
    let is_other = |content: &&[u8]| early.is_none() && before.content() != Some(*content);
    let late = expected.filter(is_other).map(begin).transpose()?;
    Ok((early.or(late), before))
}

/// The file at the place; none if there is nothing.
fn open(path: &RelativePath, place: &Place) -> Result<Option<File>, Error> {
    match place.open_file(path) {
        Err(Error::NotFound { .. }) => Ok(None),
        opened => opened.map(Some),
    }
}

fn version(path: &RelativePath, file: Option<&File>) -> Result<Option<Version>, Error> {
    let version = file.map(Version::of).transpose();
    version.map_err(|error| Error::from_io(path, "read", error))
}

fn standing(
    path: &RelativePath,
    place: &Place,
    file: Option<(&File, Version)>,
    most_bytes: u64,
) -> Result<Standing, Error> {
    let target = place.target.clone();
    match file {
        None => Ok(Standing { target, body: Body::Missing, version: None }),
        Some(file) => Standing::read_as(path, target, file, most_bytes),
    }
}

/// True if the file at the place is still the one that was opened, as it was read. Compares the
/// content too: two changes within one tick of the file system's clock leave the same times.
fn is_still(
    path: &RelativePath,
    place: &Place,
    before: &Standing,
    file: Option<&File>,
) -> Result<bool, Error> {
    let failed = |error| Error::from_io(path, "read", error);
    let now = match place.dir.symlink_metadata(Path::new(&place.name)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        found => Some(Version::of_metadata(&found.map_err(failed)?)),
    };
    // While it is open no other file can have its identity.
    if now != before.version {
        return Ok(false);
    }
    let (Some(file), Body::Whole(content)) = (file, &before.body) else { return Ok(true) };
    let mut block = vec![0; content.len().clamp(1, BLOCK_BYTES)];
    let mut at = 0;
    loop {
        let count = match file.read_at(&mut block, at as u64) {
            Ok(0) => return Ok(at == content.len()),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(failed(error)),
        };
        if !content[at..].starts_with(&block[..count]) {
            return Ok(false);
        }
        at += count;
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::error::Code;

    struct Fixture {
        root: tempfile::TempDir,
        workspace: Workspace,
    }

    fn fixture() -> Fixture {
        let root = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(root.path()).unwrap();
        fs::write(root.path().join("file"), "old").unwrap();
        Fixture { root, workspace }
    }

    /// Makes a change of what was expected.
    type Made = fn(&'static [u8]) -> Result<Change<'static>, Error>;

    impl Fixture {
        fn change(
            &self,
            make: impl FnMut(&Standing) -> Result<(Change<'static>, ()), Error>,
        ) -> Result<(), Error> {
            let path = self.workspace.relative("file").unwrap();
            let last = |_: &Standing, (): &()| Ok(());
            let changing =
                Changing { most_bytes: 100, expected: None, make_folders: true, make, last };
            self.workspace.change(&path, changing)
        }

        fn content(&self) -> String {
            fs::read_to_string(self.root.path().join("file")).unwrap()
        }
    }

    #[test]
    fn a_change_is_made_again_from_what_somebody_else_wrote_meanwhile() {
        let fixture = fixture();
        let mut seen = Vec::new();
        let change = fixture.change(|standing| {
            let content = standing.content().unwrap().to_vec();
            if seen.is_empty() {
                fs::write(fixture.root.path().join("file"), "odd").unwrap();
            }
            seen.push(content.clone());
            Ok((Change::Put([content, b"+".to_vec()].concat().into(), None), ()))
        });
        change.unwrap();
        assert_eq!(seen, [b"old".to_vec(), b"odd".to_vec()]);
        assert_eq!(fixture.content(), "odd+");
    }

    #[test]
    fn a_file_that_somebody_keeps_changing_is_left_to_them() {
        let fixture = fixture();
        let mut rounds = 0;
        let error = fixture.change(|_| {
            rounds += 1;
            fs::write(fixture.root.path().join("file"), format!("{rounds}")).unwrap();
            Ok((Change::Put(b"new".into(), None), ()))
        });
        assert_eq!(error.unwrap_err().code(), Code::Conflict);
        assert_eq!((rounds, fixture.content().as_str()), (2, "2"));
    }

    #[test]
    fn a_file_that_appears_meanwhile_is_not_replaced_unseen() {
        let fixture = fixture();
        let file = fixture.root.path().join("file");
        fs::remove_file(&file).unwrap();
        let mut missing = Vec::new();
        fixture
            .change(|standing| {
                missing.push(standing.is_missing());
                fs::write(&file, "theirs").unwrap();
                let change = match standing.is_missing() {
                    true => Change::Put(b"ours".into(), None),
                    false => Change::Keep,
                };
                Ok((change, ()))
            })
            .unwrap();
        assert_eq!((missing, fixture.content().as_str()), (vec![true, false], "theirs"));
    }

    #[test]
    fn what_is_refused_leaves_no_folders_behind() {
        let fixture = fixture();
        let at = |name: &str| fixture.root.path().join(name);
        fs::set_permissions(at("file"), fs::Permissions::from_mode(0o600)).unwrap();
        let file = fixture.workspace.relative("file").unwrap();
        let like = fixture.workspace.attributes(&file).unwrap();
        let writes = |path: &str, allowed: bool| {
            let path = fixture.workspace.relative(path).unwrap();
            let make = |_: &Standing| Ok((Change::Put(b"x".into(), like.clone()), ()));
            let last = |_: &Standing, (): &()| match allowed {
                true => Ok(()),
                false => Err(Error::Changed { path: "file".into() }),
            };
            let changing =
                Changing { most_bytes: 100, expected: None, make_folders: true, make, last };
            fixture.workspace.change::<_, Error, _, _>(&path, changing)
        };
        assert!(writes("a/b/c", false).is_err() && !at("a").exists());
        fs::create_dir(at("a")).unwrap();
        assert!(writes("a/b/c", false).is_err() && at("a").exists() && !at("a/b").exists());
        writes("a/b/c", true).unwrap();
        assert_eq!(fs::metadata(at("a/b/c")).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(writes("a/b/d/e", false).is_err() && at("a/b/c").exists() && !at("a/b/d").exists());
    }

    #[test]
    fn a_file_is_removed_unless_the_last_question_calls_it_off() {
        let fixture = fixture();
        let path = fixture.workspace.relative("file").unwrap();
        let remove = |allowed: bool| {
            let make = |_: &Standing| Ok((Change::Remove, ()));
            let last = |_: &Standing, (): &()| match allowed {
                true => Ok(()),
                false => Err(Error::Changed { path: "file".into() }),
            };
            let changing =
                Changing { most_bytes: 100, expected: None, make_folders: false, make, last };
            fixture.workspace.change(&path, changing)
        };
        assert!(remove(false).is_err());
        assert_eq!(fixture.content(), "old");
        remove(true).unwrap();
        assert!(!fixture.root.path().join("file").exists());
    }

    #[test]
    fn what_was_expected_is_put_or_gone_again_and_never_in_the_way() {
        let fixture = fixture();
        let path = fixture.workspace.relative("file").unwrap();
        let expected = Some(b"expected".as_slice());
        let change = |change: Made| {
            let make = |standing: &Standing| {
                assert_eq!(standing.content(), Some(fixture.content().as_bytes()));
                assert_eq!(fs::read_dir(fixture.root.path()).unwrap().count(), 2);
                change(b"expected").map(|change| (change, ()))
            };
            let last = |_: &Standing, (): &()| Ok(());
            let changing = Changing { most_bytes: 100, expected, make_folders: true, make, last };
            let done = fixture.workspace.change::<_, Error, _, _>(&path, changing);
            assert_eq!(fs::read_dir(fixture.root.path()).unwrap().count(), 1);
            (done.is_ok(), fixture.content())
        };
        let cases: [(Made, _); 4] = [
            (|_| Ok(Change::Keep), (true, "old")),
            (|_| Ok(Change::Put(b"other".into(), None)), (true, "other")),
            (|_| Err(Error::Changed { path: "file".into() }), (false, "other")),
            (|expected| Ok(Change::Put(expected.into(), None)), (true, "expected")),
        ];
        for (made, (is_ok, content)) in cases {
            assert_eq!(change(made), (is_ok, content.to_owned()));
        }
    }

    #[test]
    fn a_file_that_has_what_is_expected_already_is_looked_at_first() {
        for (expected, files) in [("old", 1), ("new", 2)] {
            let fixture = fixture();
            let path = fixture.workspace.relative("file").unwrap();
            let make = |_: &Standing| {
                assert_eq!(fs::read_dir(fixture.root.path()).unwrap().count(), files);
                Ok((Change::Put(expected.as_bytes().into(), None), ()))
            };
            let last = |_: &Standing, (): &()| Ok(());
            let expected = Some(expected.as_bytes());
            let changing = Changing { most_bytes: 100, expected, make_folders: true, make, last };
            fixture.workspace.change::<_, Error, _, _>(&path, changing).unwrap();
        }
    }

    #[test]
    fn changed_content_is_noticed_even_if_nothing_else_of_the_file_differs() {
        let fixture = fixture();
        let path = fixture.workspace.relative("file").unwrap();
        let place = fixture.workspace.place(&path, false).unwrap();
        let file = open(&path, &place).unwrap();
        let seen = file.as_ref().zip(version(&path, file.as_ref()).unwrap());
        let mut before = standing(&path, &place, seen, 100).unwrap();
        let is_still = |before: &Standing| is_still(&path, &place, before, file.as_ref()).unwrap();
        assert!(is_still(&before));
        for other in ["odd", "olds", "ol", ""] {
            before.body = Body::Whole(other.into());
            assert!(!is_still(&before), "{other}");
        }
        before.body = Body::Whole(b"old".into());
        assert!(is_still(&before));
        fs::write(fixture.root.path().join("other"), "old").unwrap();
        fs::rename(fixture.root.path().join("other"), fixture.root.path().join("file")).unwrap();
        assert!(!is_still(&before));
    }
}
