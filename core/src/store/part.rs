//! A file until it is whole: it has another name, and goes if it never comes to be.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// The part of a file. Dropping it removes it; [`keep`](Part::keep) gives it its name.
pub(super) struct Part {
    to: PathBuf,
    path: PathBuf,
}

impl Part {
    /// Makes the part of a file that does not exist. Of two who want the same file one goes on.
    /// The error says what is in the way.
    pub fn create(to: &Path) -> Result<(Part, File), String> {
        let to = std::path::absolute(to).map_err(|error| error.to_string())?;
        if to.symlink_metadata().is_ok() {
            return Err("the file exists already; name another".into());
        }
        let mut name = to.as_os_str().to_owned();
        name.push(".part");
        let path = PathBuf::from(name);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => Ok((Part { to, path }, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(format!(
                "`{}` is there: somebody is writing it, or was killed before it was whole; delete \
                 it if nobody is",
                path.display()
            )),
            Err(error) => Err(format!("`{}` cannot be made: {error}", path.display())),
        }
    }

    /// Where the part is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Brings the part to the disk and gives it the name of the whole. Linking fails where
    /// renaming would replace what came to be there meanwhile.
    pub fn keep(self) -> io::Result<()> {
        File::open(&self.path)?.sync_all()?;
        fs::hard_link(&self.path, &self.to)?;
        let to = self.to.clone();
        drop(self);
        File::open(to.parent().unwrap_or(Path::new("/")))?.sync_all()
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}
