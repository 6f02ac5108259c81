//! Copying a database while others write to it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use rusqlite::Connection;

use super::errors::from_sqlite;
use crate::store::archive::part_of;
use crate::store::{Error, Kind};

/// Writes the database as it is now to a new file. The copy gets its name once it is whole and on
/// the disk, so a file of that name is always a whole backup.
pub(super) fn copy(connection: &Connection, to: &Path, url: &str) -> Result<(), Error> {
    let refuse =
        |why: String| Error::new(Kind::Path, url, format!("the backup `{}`: {why}", to.display()));
    // SQLite would read a relative path that begins with `file:` as a URI, and copy elsewhere.
    let to = &std::path::absolute(to).map_err(|error| refuse(error.to_string()))?;
    if to.symlink_metadata().is_ok() {
        return Err(refuse("the file exists already; name another".into()));
    }
    let part = part_of(to);
    // Made first, so that of two backups to one place only one goes on.
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&part)
        .map_err(|error| refuse(format!("`{}` cannot be made: {error}", part.display())))?;
    let finish = || -> Result<(), Error> {
        let Some(name) = part.to_str() else { return Err(refuse("the path is no UTF-8".into())) };
        connection.execute("VACUUM INTO ?1", [name]).map_err(|error| from_sqlite(url, error))?;
        keep(&part, to).map_err(|error| refuse(error.to_string()))
    };
    finish().inspect_err(|_| drop(fs::remove_file(&part)))
}

/// Linking fails where renaming would replace what came to be there meanwhile.
fn keep(part: &Path, to: &Path) -> io::Result<()> {
    File::open(part)?.sync_all()?;
    fs::hard_link(part, to)?;
    fs::remove_file(part)?;
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}
