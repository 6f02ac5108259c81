//! Changing a file from what stands in it, so that no other change is lost.
//!
//! Changes of one file wait for each other within a process (see [`lock`](super::lock)). Among
//! processes, a change is made from what was read and put in place only if that still stands there,
//! which is confirmed under the folder's lock right before the rename. If it does not, the change is
//! made once more with the folder locked all the while; then only a program that knows nothing of
//! the lock can be in the way, and its change is not lost either: ours is called off.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::folder_lock::FolderLock;
use super::lock::while_locked;
use super::replace::{remove, replace};
use super::resolve::Place;
use super::{Error, RelativePath, Workspace};

/// What stands at a path.
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
    /// A file with more bytes than were asked for: so many.
    Large(u64),
}

/// What becomes of it.
pub(crate) enum Change {
    /// It stays as it is.
    Keep,
    /// The file gets this content; with the permissions given, if there was no file.
    Put(Vec<u8>, Option<u32>),
    /// The file goes.
    Remove,
}

/// A change of a file: what to make of what stands there, and what to ask at the last moment.
pub(crate) struct Changing<M, L> {
    /// Files of up to so many bytes are read.
    pub most_bytes: u64,
    /// True to make missing folders.
    pub make_folders: bool,
    /// Makes the change. Called again if another process changed the file meanwhile, and before
    /// folders are made.
    pub make: M,
    /// Asked when only the rename is left, under the folder's lock; may still call it off.
    pub last: L,
}

impl Standing {
    /// What stands in an open file, read up to `most_bytes`.
    pub(super) fn read(
        path: &RelativePath,
        target: PathBuf,
        mut file: File,
        most_bytes: u64,
    ) -> Result<Standing, Error> {
        let failed = |error| Error::from_io(path, "read", error);
        let version = Version::of(&file).map_err(failed)?;
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

    /// The file's permissions; none if there is no file.
    pub(crate) fn mode(&self) -> Option<u32> {
        self.version.map(|version| version.mode & 0o777)
    }

    /// What tells this state of the file from another without its content; none if it is missing.
    pub(crate) fn version(&self) -> Option<Version> {
        self.version
    }
}

/// What tells one version of a file from the next without reading it.
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
        let metadata = file.metadata()?;
        Ok(Version {
            bytes: metadata.len(),
            identity: (metadata.dev(), metadata.ino()),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
            mode: metadata.mode(),
        })
    }
}

impl Workspace {
    /// Changes a file from what stands in it. Gives what `make` told of the change.
    pub(crate) fn change<T, E, M, L>(
        &self,
        path: &RelativePath,
        changing: Changing<M, L>,
    ) -> Result<T, E>
    where
        E: From<Error>,
        M: FnMut(&Standing) -> Result<(Change, T), E>,
        L: FnMut(&Standing, &T) -> Result<(), E>,
    {
        self.change_then(path, changing, |told| told)
    }

    /// The same, and makes something of it before the next change of the file by this process.
    pub(crate) fn change_then<T, E, M, L, R>(
        &self,
        path: &RelativePath,
        mut changing: Changing<M, L>,
        done: impl FnOnce(T) -> R,
    ) -> Result<R, E>
    where
        E: From<Error>,
        M: FnMut(&Standing) -> Result<(Change, T), E>,
        L: FnMut(&Standing, &T) -> Result<(), E>,
    {
        let place = match self.place(path, false) {
            Err(Error::NotFound { .. }) if changing.make_folders => {
                // What is refused leaves no folders behind.
                (changing.make)(&self.missing(path)?)?;
                self.place(path, true)?
            }
            place => place?,
        };
        let change = || {
            for exclusive in [false, true] {
                if let Some(told) = attempt(path, &place, exclusive, &mut changing)? {
                    return Ok(done(told));
                }
            }
            Err(Error::Changed { path: path.to_string() }.into())
        };
        while_locked(&place, change).map_err(|error| Error::from_io(path, "change", error))?
    }

    /// What stands at a path, read up to `most_bytes`. A path whose folder is missing is missing.
    pub(crate) fn standing(&self, path: &RelativePath, most_bytes: u64) -> Result<Standing, Error> {
        match self.place_seen(path) {
            Ok(place) => standing(path, &place, most_bytes),
            Err(Error::NotFound { .. }) => self.missing(path),
            Err(error) => Err(error),
        }
    }

    fn missing(&self, path: &RelativePath) -> Result<Standing, Error> {
        Ok(Standing { target: self.target(path)?, body: Body::Missing, version: None })
    }
}

/// One attempt. None if the file was changed by somebody else meanwhile.
fn attempt<T, E, M, L>(
    path: &RelativePath,
    place: &Place,
    exclusive: bool,
    changing: &mut Changing<M, L>,
) -> Result<Option<T>, E>
where
    E: From<Error>,
    M: FnMut(&Standing) -> Result<(Change, T), E>,
    L: FnMut(&Standing, &T) -> Result<(), E>,
{
    let take = || FolderLock::take(path, &place.dir);
    let held = if exclusive { take()? } else { None };
    let before = standing(path, place, changing.most_bytes)?;
    let (change, told) = (changing.make)(&before)?;
    let bytes = match &change {
        Change::Put(content, _) => Some(content.len() as u64),
        Change::Keep | Change::Remove => None,
    };
    let (mut late, mut shared) = (None, None);
    let mut moved = false;
    let confirm = || -> Result<(), E> {
        if held.is_none() {
            late = take()?;
        }
        if !is_still(path, place, &before)? {
            moved = true;
            return Err(Error::Changed { path: path.to_string() }.into());
        }
        if let Some(bytes) = bytes {
            shared = place.admit(path, bytes)?;
        }
        (changing.last)(&before, &told)
    };
    let done = match change {
        Change::Keep => Ok(()),
        Change::Put(content, mode) => replace(path, place, (&content, mode), confirm).map(drop),
        Change::Remove => {
            let mut confirm = confirm;
            confirm().and_then(|()| remove(path, place).map_err(E::from))
        }
    };
    drop((held, late, shared));
    match done {
        Ok(()) => Ok(Some(told)),
        Err(_) if moved => Ok(None),
        Err(error) => Err(error),
    }
}

fn standing(path: &RelativePath, place: &Place, most_bytes: u64) -> Result<Standing, Error> {
    let target = place.target.clone();
    match place.open_file(path) {
        Err(Error::NotFound { .. }) => Ok(Standing { target, body: Body::Missing, version: None }),
        opened => Standing::read(path, target, opened?, most_bytes),
    }
}

/// True if the file is still what was read. Compares the content too: two changes within one tick
/// of the file system's clock leave the same times.
fn is_still(path: &RelativePath, place: &Place, before: &Standing) -> Result<bool, Error> {
    let failed = |error| Error::from_io(path, "read", error);
    let Some(version) = before.version else {
        return match place.dir.symlink_metadata(Path::new(&place.name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
            Err(error) => Err(failed(error)),
            Ok(_) => Ok(false),
        };
    };
    let mut file = match place.open_file(path) {
        Err(Error::NotFound { .. }) => return Ok(false),
        opened => opened?,
    };
    if Version::of(&file).map_err(failed)? != version {
        return Ok(false);
    }
    let Body::Whole(content) = &before.body else { return Ok(true) };
    let mut rest = content.as_slice();
    let mut block = vec![0; content.len().clamp(1, 64 << 10)];
    loop {
        let count = match file.read(&mut block) {
            Ok(0) => return Ok(rest.is_empty()),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(failed(error)),
        };
        if !rest.starts_with(&block[..count]) {
            return Ok(false);
        }
        rest = &rest[count..];
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

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

    impl Fixture {
        fn change(
            &self,
            make: impl FnMut(&Standing) -> Result<(Change, ()), Error>,
        ) -> Result<(), Error> {
            let path = self.workspace.relative("file").unwrap();
            let last = |_: &Standing, (): &()| Ok(());
            self.workspace
                .change(&path, Changing { most_bytes: 100, make_folders: true, make, last })
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
            Ok((Change::Put([content, b"+".to_vec()].concat(), None), ()))
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
            Ok((Change::Put(b"new".to_vec(), None), ()))
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
                    true => Change::Put(b"ours".to_vec(), None),
                    false => Change::Keep,
                };
                Ok((change, ()))
            })
            .unwrap();
        assert_eq!((missing, fixture.content().as_str()), (vec![true, false], "theirs"));
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
            fixture
                .workspace
                .change(&path, Changing { most_bytes: 100, make_folders: false, make, last })
        };
        assert!(remove(false).is_err());
        assert_eq!(fixture.content(), "old");
        remove(true).unwrap();
        assert!(!fixture.root.path().join("file").exists());
    }

    #[test]
    fn a_changed_content_is_told_even_where_nothing_else_of_the_file_differs() {
        let fixture = fixture();
        let path = fixture.workspace.relative("file").unwrap();
        let place = fixture.workspace.place(&path, false).unwrap();
        let mut before = standing(&path, &place, 100).unwrap();
        assert!(is_still(&path, &place, &before).unwrap());
        for other in ["odd", "olds", "ol", ""] {
            before.body = Body::Whole(other.into());
            assert!(!is_still(&path, &place, &before).unwrap(), "{other}");
        }
        before = standing(&path, &place, 100).unwrap();
        fs::write(fixture.root.path().join("other"), "old").unwrap();
        fs::rename(fixture.root.path().join("other"), fixture.root.path().join("file")).unwrap();
        assert!(!is_still(&path, &place, &before).unwrap());
    }
}
