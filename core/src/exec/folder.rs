//! A folder that goes with whatever commands have put there, however deep it is and whatever its modes.

use std::ffi::{CStr, CString};
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use rustix::path::Arg;
use tempfile::TempDir;

/// A folder of its own, gone when it is dropped.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    last: Option<&'static str>,
}

impl Folder {
    /// Takes over a folder. `last` names the file in it that goes last, and only if all else has gone: as
    /// long as it is there, another can try again.
    pub(super) fn of(made: TempDir, last: Option<&'static str>) -> Folder {
        Folder { path: made.keep(), last }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = remove(&self.path, self.last) {
            tracing::warn!(folder = %self.path.display(), %error, "a folder was not taken away");
        }
    }
}

/// A folder to look in, and no link to one.
pub(super) const HANDLE: OFlags =
    OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Takes away a folder with all that is in it, and the file `last` in it after all else. Folders within it
/// are put side by side, one after the other: so neither the stack, nor the length of a path, nor the number
/// of open files says how deep they may be.
///
/// # Errors
/// The first, once all has gone that can.
pub(super) fn remove(folder: &Path, last: Option<&str>) -> io::Result<()> {
    let mut taking =
        Removal { top: opened(CWD, folder)?, next: 0, waiting: Vec::new(), failed: None };
    for (name, kind) in entries(&taking.top)? {
        match kind {
            _ if last.is_some_and(|last| last.as_bytes() == name.to_bytes()) => {}
            FileType::Directory => taking.waiting.push(name),
            _ => taking.note(rustix::fs::unlinkat(&taking.top, &name, AtFlags::empty())),
        }
    }
    while let Some(name) = taking.waiting.pop() {
        let taken = taking.take(&name);
        taking.note(taken);
    }
    if let Some(error) = taking.failed {
        return Err(error.into());
    }
    match last.map(|last| rustix::fs::unlinkat(&taking.top, last, AtFlags::empty())) {
        None | Some(Ok(()) | Err(Errno::NOENT)) => {}
        Some(Err(error)) => return Err(error.into()),
    }
    fs::remove_dir(folder)
}

/// A folder that is being taken away.
struct Removal {
    top: OwnedFd,
    /// The name of the next folder that is put there, as a number.
    next: u64,
    /// The folders that stand there and are still to go.
    waiting: Vec<CString>,
    failed: Option<Errno>,
}

impl Removal {
    fn note(&mut self, done: Result<(), Errno>) {
        if let Err(error) = done {
            self.failed.get_or_insert(error);
        }
    }

    /// Takes away a folder that stands in the first one. Those in it are put beside it before.
    fn take(&mut self, name: &CStr) -> Result<(), Errno> {
        let folder = opened(&self.top, name)?;
        for (name, kind) in entries(&folder)? {
            let done = match kind {
                FileType::Directory => self.move_to_top(&folder, &name),
                _ => rustix::fs::unlinkat(&folder, &name, AtFlags::empty()),
            };
            self.note(done);
        }
        rustix::fs::unlinkat(&self.top, name, AtFlags::REMOVEDIR)
    }

    fn move_to_top(&mut self, folder: &OwnedFd, name: &CStr) -> Result<(), Errno> {
        // Only root can move a folder that is not writable.
        drop(opened(folder, name)?);
        loop {
            let beside = CString::new(self.next.to_string()).map_err(|_| Errno::INVAL)?;
            self.next += 1;
            let (top, flags) = (&self.top, RenameFlags::NOREPLACE);
            match rustix::fs::renameat_with(folder, name, top, &beside, flags) {
                Err(Errno::EXIST) => {}
                Err(error) => return Err(error),
                Ok(()) => {
                    self.waiting.push(beside);
                    return Ok(());
                }
            }
        }
    }
}

/// A folder, with a mode that lets it be gone through and emptied.
fn opened(at: impl AsFd, name: impl Arg) -> Result<OwnedFd, Errno> {
    let folder = rustix::fs::openat(at, name, HANDLE, Mode::empty())?;
    // A handle of this kind has a mode only by this name. If it cannot be set, the next step fails and says so.
    let by_name = format!("/proc/self/fd/{}", folder.as_raw_fd());
    let _ = fs::set_permissions(by_name, fs::Permissions::from_mode(0o700));
    Ok(folder)
}

/// What stands in a folder.
fn entries(folder: &OwnedFd) -> Result<Vec<(CString, FileType)>, Errno> {
    let mut all = Vec::new();
    let listed = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    for entry in Dir::new(rustix::fs::openat(folder, c".", listed, Mode::empty())?)? {
        let entry = entry?;
        let name = entry.file_name();
        if name == c"." || name == c".." {
            continue;
        }
        let kind = match entry.file_type() {
            FileType::Unknown => {
                let data = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
                FileType::from_raw_mode(data.st_mode)
            }
            known => known,
        };
        all.push((name.to_owned(), kind));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn made(last: Option<&'static str>) -> Folder {
        Folder::of(tempfile::tempdir().unwrap(), last)
    }

    #[test]
    fn a_folder_is_removed_however_deep_it_is() {
        let folder = made(Some("owner"));
        fs::write(folder.path().join("owner"), "").unwrap();
        let mut at = opened(CWD, folder.path()).unwrap();
        for _ in 0..20_000 {
            rustix::fs::mkdirat(&at, "deep", Mode::RWXU).unwrap();
            at = rustix::fs::openat(&at, "deep", HANDLE, Mode::empty()).unwrap();
        }
        rustix::fs::mkdirat(&at, "0", Mode::empty()).unwrap();
        let path = folder.path().to_owned();
        drop(folder);
        assert!(!path.exists());
    }

    #[test]
    fn a_folder_is_removed_whatever_its_modes_and_no_link_is_followed() {
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("kept"), "").unwrap();
        let folder = made(None);
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("a/b/c")).unwrap();
        fs::create_dir_all(at("1/0/x")).unwrap();
        symlink(elsewhere.path(), at("a/b/link")).unwrap();
        symlink(elsewhere.path(), at("link")).unwrap();
        fs::write(at("a/b/c/file"), "").unwrap();
        for (name, mode) in [("a/b/c", 0o500), ("a/b", 0o000), ("a", 0o400), ("", 0o500)] {
            fs::set_permissions(at(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        let path = folder.path().to_owned();
        drop(folder);
        assert!(!path.exists());
        assert!(elsewhere.path().join("kept").exists());
    }
}
