//! Behaviour of the room as a whole, mostly that of an attacker.

mod bombs;
mod concurrent;
mod confined;
mod denied;
#[cfg(target_os = "linux")]
mod model;
#[cfg(target_os = "linux")]
mod mounted;
mod random;
mod rooted;
#[cfg(target_os = "linux")]
mod swapped;
mod walked;

use std::fs;
use std::path::{Path, PathBuf};

use super::{Error, ReadRange, ReadText, Workspace, WriteMode, Written};

pub(super) const SECRET: &str = "the secret that nobody may read";

/// A workspace with a neighbour: `ws` and, beside it, `outside` with a secret.
pub(super) struct World {
    base: tempfile::TempDir,
    pub(super) workspace: Workspace,
}

impl World {
    pub(super) fn new() -> World {
        let base = tempfile::tempdir().unwrap();
        fs::create_dir_all(base.path().join("ws/subdir")).unwrap();
        fs::create_dir(base.path().join("outside")).unwrap();
        fs::write(base.path().join("outside/secret.txt"), SECRET).unwrap();
        fs::write(base.path().join("ws/hello.txt"), "hello").unwrap();
        fs::write(base.path().join("ws/subdir/nested.txt"), "nested").unwrap();
        let workspace = Workspace::open(&base.path().join("ws")).unwrap();
        World { base, workspace }
    }

    pub(super) fn base(&self) -> &Path {
        self.base.path()
    }

    pub(super) fn inside(&self, path: &str) -> PathBuf {
        self.base().join("ws").join(path)
    }

    pub(super) fn outside(&self, path: &str) -> PathBuf {
        self.base().join("outside").join(path)
    }

    pub(super) fn read(&self, path: &str) -> Result<ReadText, Error> {
        self.workspace.read(&self.workspace.relative(path)?, ReadRange::default(), 50_000)
    }

    pub(super) fn write(&self, path: &str, mode: WriteMode) -> Result<Written, Error> {
        self.workspace.write(&self.workspace.relative(path)?, b"written", mode)
    }

    /// That nothing outside was touched.
    pub(super) fn assert_outside_is_untouched(&self) {
        let names: Vec<_> =
            fs::read_dir(self.base().join("outside")).unwrap().map(|e| e.unwrap().path()).collect();
        assert_eq!(names, [self.outside("secret.txt")]);
        assert_eq!(fs::read_to_string(self.outside("secret.txt")).unwrap(), SECRET);
    }
}
