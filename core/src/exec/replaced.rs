//! What walls stand around by being mounted there. A mount is gone once another file has been put in the
//! place of the one under it, whoever did that, as Git and most editors do with what they write anew.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// How often is looked.
const EVERY: Duration = Duration::from_millis(100);

/// Files and folders, and which ones they are.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    all: Vec<(PathBuf, Option<Identity>)>,
    looked: Instant,
}

/// What tells a file or folder from another of its name. Numbers alone are used again.
type Identity = (u64, u64, Option<SystemTime>);

impl Kept {
    /// Those at these paths now.
    pub(crate) fn of(paths: impl Iterator<Item = PathBuf>) -> Kept {
        let all = paths.map(|path| {
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

    /// When is to be looked again, if ever.
    pub(crate) fn next(&self) -> Option<Instant> {
        (!self.all.is_empty()).then(|| self.looked + EVERY)
    }

    /// The paths at which others stand than when was looked last. Where nothing stands any more, there is
    /// no other yet.
    pub(crate) fn replaced(&mut self) -> Vec<PathBuf> {
        if self.next().is_none_or(|next| Instant::now() < next) {
            return Vec::new();
        }
        self.looked = Instant::now();
        let mut replaced = Vec::new();
        for (path, known) in &mut self.all {
            let now = identity(path);
            if now != *known && now.is_some() {
                replaced.push(path.clone());
            }
            *known = now;
        }
        replaced
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
    fn what_takes_the_place_of_another_is_told_once() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["a", "b", "new"] {
            fs::write(at(name), "").unwrap();
        }
        let mut kept = Kept::of(["a", "b", "none"].map(at).into_iter());
        let look = |kept: &mut Kept| {
            kept.looked -= EVERY;
            kept.replaced()
        };
        fs::write(at("a"), "written in its place").unwrap();
        assert!(look(&mut kept).is_empty());
        fs::rename(at("new"), at("a")).unwrap();
        assert!(kept.replaced().is_empty(), "it is too early");
        assert_eq!(look(&mut kept), [at("a")]);
        assert!(look(&mut kept).is_empty());
        fs::remove_file(at("b")).unwrap();
        assert!(look(&mut kept).is_empty());
        fs::write(at("b"), "").unwrap();
        fs::write(at("none"), "").unwrap();
        assert_eq!(look(&mut kept), [at("b"), at("none")]);
    }
}
