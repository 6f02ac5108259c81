//! Notices that a mounted file was replaced while a command ran.
//!
//! A mount stays with the file under it. When another file is renamed over that file, the mount is gone
//! from the path, whoever did it. Git and most editors write that way.

use std::fs;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// How often is looked.
const EVERY: Duration = Duration::from_millis(100);

/// How much longer that is for each path: to look at one takes a few microseconds, and looking is to take a
/// small part of the time.
const FOR_EACH: Duration = Duration::from_micros(50);

/// Files and folders, and which ones they are.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    all: Vec<(PathBuf, Option<Identity>)>,
    looked: Instant,
}

/// What identifies a file or folder among others of its name. Inode numbers alone are reused.
type Identity = (u64, u64, Option<SystemTime>);

impl Kept {
    /// Those at these paths now. Sockets are none of them: services that end and start again bind others.
    pub(crate) fn of(paths: impl Iterator<Item = PathBuf>) -> Kept {
        let is_socket = |path: &PathBuf| {
            fs::symlink_metadata(path).is_ok_and(|data| data.file_type().is_socket())
        };
        let all = paths.filter(|path| !is_socket(path)).map(|path| {
            let now = identity(&path);
            (path, now)
        });
        Kept { all: all.collect(), looked: Instant::now() }
    }

    /// What sets them apart from others, as bytes.
    #[cfg(feature = "docker")]
    pub(crate) fn stamp(&self) -> String {
        format!("{:?}", self.all)
    }

    /// False if another stands at one of the paths by now, or nothing.
    #[cfg(feature = "docker")]
    pub(crate) fn are_there(&self) -> bool {
        self.all.iter().all(|(path, known)| identity(path) == *known)
    }

    fn every(&self) -> Duration {
        EVERY.max(FOR_EACH * u32::try_from(self.all.len()).unwrap_or(u32::MAX))
    }

    /// When is to be looked again, if ever.
    pub(crate) fn next(&self) -> Option<Instant> {
        (!self.all.is_empty()).then(|| self.looked + self.every())
    }

    /// A path at which something else stands by now, or nothing any more.
    pub(crate) fn replaced(&mut self) -> Option<&Path> {
        if self.next().is_none_or(|next| Instant::now() < next) {
            return None;
        }
        self.looked = Instant::now();
        let mut all = self.all.iter();
        all.find(|(path, known)| identity(path) != *known).map(|(path, _)| path.as_path())
    }
}

fn identity(path: &Path) -> Option<Identity> {
    let data = fs::symlink_metadata(path).ok()?;
    Some((data.dev(), data.ino(), data.created().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_away_or_takes_the_place_of_another_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["a", "b", "new"] {
            fs::write(at(name), "").unwrap();
        }
        let kept = Kept::of(["a", "b", "none"].map(at).into_iter());
        let look = || {
            let mut kept = kept.clone();
            assert_eq!(kept.replaced(), None, "it is too early");
            kept.looked -= EVERY;
            kept.replaced().map(Path::to_owned)
        };
        fs::write(at("a"), "written in its place").unwrap();
        assert_eq!(look(), None);
        fs::rename(at("new"), at("a")).unwrap();
        assert_eq!(look(), Some(at("a")));
        let kept = Kept::of(["b", "none"].map(at).into_iter());
        let look = || {
            let mut kept = kept.clone();
            kept.looked -= EVERY;
            kept.replaced().map(Path::to_owned)
        };
        assert_eq!(look(), None);
        fs::write(at("none"), "").unwrap();
        assert_eq!(look(), Some(at("none")));
        fs::remove_file(at("b")).unwrap();
        assert_eq!(look(), Some(at("b")));
    }
}
