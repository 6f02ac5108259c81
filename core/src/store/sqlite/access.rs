//! Why a path cannot be opened: what SQLite would only call "unable to open", or would open and fail on later.

use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rustix::fs::{Access, AtFlags, CWD, accessat};

use crate::store::{Error, Kind};

/// Sees that a database can be opened, or made, at a path.
///
/// # Errors
///
/// [`Kind::Path`] and [`Kind::ReadOnly`], naming the file or the folder that is in the way.
pub(super) fn check(path: &Path, url: &str) -> Result<(), Error> {
    let found = match path.metadata() {
        Ok(found) => found,
        Err(error) => return check_missing(path, &error, url),
    };
    if found.is_dir() {
        return Err(wrong_place(url, "the path is a folder; name a file in it".into()));
    }
    if !found.is_file() {
        let message = "the path is a device, a pipe or a socket; name a regular file";
        return Err(wrong_place(url, message.into()));
    }
    check_file(path, &found, url)?;
    // The log is beside the file itself, where the path is a link to it.
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    check_folder(&real, url)
}

fn check_missing(path: &Path, error: &io::Error, url: &str) -> Result<(), Error> {
    let parent = path.parent();
    match (error.kind(), parent) {
        (ErrorKind::PermissionDenied, _) => {
            // From the root on, the first folder that may not be entered.
            let folders = path.ancestors().skip(1).collect::<Vec<_>>();
            let closed = folders.into_iter().rev().find(|folder| !may(folder, Access::EXEC_OK));
            Err(no_entry(url, closed.or(parent).unwrap_or(path)))
        }
        (ErrorKind::NotFound | ErrorKind::NotADirectory, Some(parent)) if !parent.is_dir() => {
            let message = format!("there is no folder `{}`; make it first", parent.display());
            Err(wrong_place(url, message))
        }
        (ErrorKind::NotFound, _) => check_folder(path, url),
        _ => {
            let message =
                format!("`{}` cannot be looked at ({error}); name another file", path.display());
            Err(wrong_place(url, message))
        }
    }
}

fn check_file(path: &Path, found: &Metadata, url: &str) -> Result<(), Error> {
    let mode = found.permissions().mode();
    // Root may do everything; a file that is marked as closed or read-only is still meant to be so.
    if mode & 0o444 == 0 || !may(path, Access::READ_OK) {
        let message = format!(
            "permission denied: `{}` may not be read (mode {:03o}); give its owner the right with `chmod \
             u+rw`, run as its owner, or take another file",
            path.display(),
            mode & 0o777
        );
        return Err(wrong_place(url, message));
    }
    if mode & 0o222 == 0 {
        return Err(read_only(url));
    }
    match denied(path, Access::WRITE_OK) {
        Some(ErrorKind::ReadOnlyFilesystem) => Err(read_only_disk(path, url)),
        Some(_) => Err(read_only(url)),
        None => Ok(()),
    }
}

/// SQLite keeps its log beside the file, so it must be able to make files there.
fn check_folder(file: &Path, url: &str) -> Result<(), Error> {
    let Some(folder) = file.parent() else { return Ok(()) };
    let closed = folder.metadata().is_ok_and(|found| found.permissions().mode() & 0o111 == 0);
    if closed || !may(folder, Access::EXEC_OK) {
        return Err(no_entry(url, folder));
    }
    match denied(folder, Access::WRITE_OK) {
        Some(ErrorKind::ReadOnlyFilesystem) => Err(read_only_disk(folder, url)),
        Some(_) => {
            let message = format!(
                "permission denied: no file can be made in the folder `{}`, where the store keeps its log \
                 too; make the folder writable (`chmod u+w`), or take another one",
                folder.display()
            );
            Err(Error::new(Kind::ReadOnly, url, message))
        }
        None => Ok(()),
    }
}

/// The kernel's word on what this process may do; whatever else goes wrong, SQLite meets it by itself.
fn denied(path: &Path, access: Access) -> Option<ErrorKind> {
    let error = io::Error::from(accessat(CWD, path, access, AtFlags::EACCESS).err()?).kind();
    matches!(error, ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem).then_some(error)
}

fn may(path: &Path, access: Access) -> bool {
    denied(path, access).is_none()
}

fn no_entry(url: &str, folder: &Path) -> Error {
    let message = format!(
        "permission denied: the folder `{}` may not be entered; give its owner the right with `chmod u+rwx`, \
         run as its owner, or take another folder",
        folder.display()
    );
    wrong_place(url, message)
}

fn read_only_disk(path: &Path, url: &str) -> Error {
    let message = format!(
        "the file system of `{}` is mounted read-only; mount it for writing, or take another place",
        path.display()
    );
    Error::new(Kind::ReadOnly, url, message)
}

pub(super) fn read_only(url: &str) -> Error {
    let message = "the file can only be read; make it and its folder writable, or take another";
    Error::new(Kind::ReadOnly, url, message)
}

pub(super) fn wrong_place(url: &str, message: String) -> Error {
    Error::new(Kind::Path, url, message)
}
