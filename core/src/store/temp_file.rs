//! A file that is being written: it has a temporary name until it is complete, and is removed if
//! that never happens.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// A file under its temporary name. Dropping it removes it; [`keep`](TempFile::keep) gives it its
/// final name.
pub(super) struct TempFile {
    to: PathBuf,
    path: PathBuf,
}

impl TempFile {
    /// Creates the temporary file for a file that does not exist yet. Of two callers that want the
    /// same file, one succeeds. The error says what is in the way.
    pub fn create(to: &Path) -> Result<(TempFile, File), String> {
        let to = std::path::absolute(to).map_err(|error| error.to_string())?;
        if to.symlink_metadata().is_ok() {
            return Err("the file exists already; name another".into());
        }
        let mut name = to.as_os_str().to_owned();
        name.push(".part");
        let path = PathBuf::from(name);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => Ok((TempFile { to, path }, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(format!(
                "`{}` is there: somebody is writing it, or was killed before it was whole; delete \
                 it if nobody is",
                path.display()
            )),
            Err(error) => Err(format!("`{}` cannot be made: {error}", path.display())),
        }
    }

    /// Where the temporary file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Syncs the temporary file to the disk and gives it its final name. It is linked, not renamed:
    /// linking fails where renaming would replace a file that somebody created meanwhile.
    pub fn keep(self) -> io::Result<()> {
        File::open(&self.path)?.sync_all()?;
        fs::hard_link(&self.path, &self.to)?;
        let to = self.to.clone();
        drop(self);
        File::open(to.parent().unwrap_or(Path::new("/")))?.sync_all()
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}
