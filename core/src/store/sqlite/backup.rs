//! Copying a database while others write to it.

use std::path::Path;

use rusqlite::Connection;

use super::errors::from_sqlite;
use crate::store::temp_file::TempFile;
use crate::store::{Error, Kind};

/// Writes the database as it is now to a new file. The copy gets its name once it is whole and on
/// the disk, so a file of that name is always a whole backup.
pub(super) fn copy(connection: &Connection, to: &Path, url: &str) -> Result<(), Error> {
    let refuse =
        |why: String| Error::new(Kind::Path, url, format!("the backup `{}`: {why}", to.display()));
    // The part's path is whole: SQLite would read a relative one that begins with `file:` as a
    // URI, and copy elsewhere.
    let (temp_file, _) = TempFile::create(to).map_err(refuse)?;
    let Some(name) = temp_file.path().to_str() else {
        return Err(refuse("the path is no UTF-8".into()));
    };
    connection.execute("VACUUM INTO ?1", [name]).map_err(|error| from_sqlite(url, error))?;
    temp_file.keep().map_err(|error| refuse(error.to_string()))
}
