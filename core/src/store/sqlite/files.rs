//! The files of an open database, and whether their names still lead to them.
//!
//! SQLite goes on with the files that it opened, whatever becomes of their names: what is written after a
//! file was deleted is gone with it, and the log of a file that was replaced would be mixed into the new one.
//! So the device and the inode of each are compared before the store is used, and once more before a write
//! is acknowledged. A copy that is written over the file in place keeps both, and cannot be seen.

use std::fmt::{self, Display, Formatter};
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::store::{Error, Kind};

/// The database, its log and the index of its log, as they were when they were opened.
#[derive(Debug)]
pub(super) struct Files {
    url: String,
    database: Identity,
    log: Identity,
    index: Identity,
}

/// Which file a name leads to.
#[derive(Debug)]
pub(super) struct Identity {
    path: PathBuf,
    device: u64,
    inode: u64,
}

/// What became of a name.
enum Change {
    Gone,
    Replaced,
    Emptied,
    /// That cannot be found out.
    Unseen(io::Error),
}

impl Files {
    /// The files of a database that is open; `really` is its path without links. The log and its index
    /// exist from the first transaction until the last connection to them is closed.
    ///
    /// # Errors
    ///
    /// [`Kind::Path`] if the names already lead elsewhere.
    pub(super) fn opened(database: Identity, really: &Path, url: &str) -> Result<Files, Error> {
        let log = Identity::of(&log_of(really), url)?;
        let index = Identity::of(&sibling(really, "-shm"), url)?;
        let files = Files { url: url.to_owned(), database, log, index };
        files.check()?;
        Ok(files)
    }

    /// # Errors
    ///
    /// [`Kind::Path`] naming a file that is no longer the one that was opened.
    pub(super) fn check(&self) -> Result<(), Error> {
        // The log is empty until something is written.
        for (file, empty_is_wrong) in
            [(&self.database, true), (&self.log, false), (&self.index, false)]
        {
            if let Some(change) = file.change(empty_is_wrong) {
                return Err(changed(&self.url, &file.path, &change));
            }
        }
        Ok(())
    }

    /// True if the database is still there and nothing has taken the place of its log: then the log can
    /// safely be moved into it.
    pub(super) fn log_is_only_gone(&self) -> bool {
        let is_gone = |file: &Identity| matches!(file.change(false), None | Some(Change::Gone));
        self.database.change(true).is_none() && is_gone(&self.log) && is_gone(&self.index)
    }
}

/// The write-ahead log of a database whose path has no links.
pub(super) fn log_of(database: &Path) -> PathBuf {
    sibling(database, "-wal")
}

fn sibling(database: &Path, end: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(end);
    name.into()
}

impl Identity {
    pub(super) fn of(path: &Path, url: &str) -> Result<Identity, Error> {
        let found = fs::metadata(path).map_err(|error| changed(url, path, &Change::of(error)))?;
        Ok(Identity { path: path.to_owned(), device: found.dev(), inode: found.ino() })
    }

    fn change(&self, empty_is_wrong: bool) -> Option<Change> {
        match fs::metadata(&self.path) {
            Err(error) => Some(Change::of(error)),
            Ok(found) if (found.dev(), found.ino()) != (self.device, self.inode) => {
                Some(Change::Replaced)
            }
            Ok(found) if empty_is_wrong && found.len() == 0 => Some(Change::Emptied),
            Ok(_) => None,
        }
    }
}

impl Change {
    fn of(error: io::Error) -> Change {
        match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => Change::Gone,
            _ => Change::Unseen(error),
        }
    }
}

impl Display for Change {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Change::Gone => f.write_str("was deleted or moved away"),
            Change::Replaced => f.write_str("was replaced by another file"),
            Change::Emptied => f.write_str("was emptied"),
            Change::Unseen(error) if error.kind() == ErrorKind::PermissionDenied => {
                f.write_str("can no longer be reached: permission denied")
            }
            Change::Unseen(error) => write!(f, "can no longer be reached ({error})"),
        }
    }
}

fn changed(url: &str, path: &Path, change: &Change) -> Error {
    let message = format!(
        "`{}` {change} while the store was open, so nothing is read or written any more; put it back, or \
         close the store and open it again",
        path.display()
    );
    Error::new(Kind::Path, url, message)
}
