//! By what the state of a file is recognised: its identity, size and times.

use std::time::{Duration, SystemTime};

use super::{Error, RelativePath, Workspace};

/// How long ago a file must have been changed for its times to distinguish it from a later state: file
/// systems count time in steps of a few milliseconds.
const SETTLED: Duration = Duration::from_millis(50);

impl Workspace {
    /// A text that is another one once the file is another one, or was changed by anybody. None
    /// where the platform does not say, or the file was changed a moment ago.
    ///
    /// # Errors
    ///
    /// As [`Workspace::read`], but nothing of the file's content is looked at.
    pub fn stamp(&self, path: &RelativePath) -> Result<Option<String>, Error> {
        let file = self.open_file(path)?;
        let metadata = file.metadata().map_err(|error| Error::from_io(path, "read", error))?;
        Ok(text(&metadata, SystemTime::now()))
    }
}

#[cfg(unix)]
fn text(metadata: &std::fs::Metadata, now: SystemTime) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;

    let changed = Duration::new(
        u64::try_from(metadata.ctime()).ok()?,
        u32::try_from(metadata.ctime_nsec()).ok()?,
    );
    let age = now.duration_since(SystemTime::UNIX_EPOCH + changed).ok()?;
    (age >= SETTLED).then(|| {
        format!(
            "{}:{}:{}:{}.{}:{}.{}",
            metadata.dev(),
            metadata.ino(),
            metadata.size(),
            metadata.mtime(),
            metadata.mtime_nsec(),
            metadata.ctime(),
            metadata.ctime_nsec()
        )
    })
}

#[cfg(not(unix))]
fn text(_: &std::fs::Metadata, _: SystemTime) -> Option<String> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_changed_a_moment_ago_has_no_stamp_and_each_later_state_has_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("f");
        let stamp = || {
            let metadata = std::fs::metadata(&file).unwrap();
            assert_eq!(text(&metadata, SystemTime::now() - Duration::from_secs(60)), None);
            text(&metadata, SystemTime::now() + SETTLED).unwrap()
        };
        std::fs::write(&file, "one").unwrap();
        let first = stamp();
        assert_eq!(first, stamp());
        std::thread::sleep(SETTLED);
        std::fs::write(&file, "two").unwrap();
        let second = stamp();
        assert_ne!(first, second);
        std::fs::remove_file(&file).unwrap();
        std::thread::sleep(SETTLED);
        std::fs::write(&file, "two").unwrap();
        assert_ne!(second, stamp());
    }

    #[test]
    fn nothing_outside_of_the_workspace_has_a_stamp() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(folder.path()).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("link")).unwrap();
        for path in ["link", "missing", "."] {
            let path = workspace.relative(path).unwrap();
            assert!(workspace.stamp(&path).is_err(), "{path}");
        }
    }
}
