//! From what the model wrote to a path beneath the root.

use std::fmt;
use std::path::{Path, PathBuf};

use super::resolve::End;
use super::{Error, Workspace};
use crate::limits;

/// The longest path a model may write, in bytes.
pub const MAX_PATH_BYTES: usize = 4096;

/// A path beneath the root of a workspace. Displays as the model wrote it.
///
/// The normal form has no `.`, no `..`, no doubled or trailing slash and is never absolute, so equal
/// normal forms are the same path. It says nothing about links: two different normal forms may still
/// lead to one file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RelativePath {
    written: String,
    normal: String,
    /// A link to another root has led here.
    by_link: bool,
}

impl RelativePath {
    /// The normal form, `.` for the root itself.
    pub fn normalised(&self) -> &str {
        &self.normal
    }

    /// The path as the model wrote it.
    pub fn as_written(&self) -> &str {
        &self.written
    }

    /// True if the spelling can only mean a folder (`docs/`, `.`), whatever exists there.
    pub fn names_folder(&self) -> bool {
        self.normal == "."
            || self.written.ends_with('/')
            || matches!(self.written.rsplit('/').next(), Some("." | ".."))
    }

    /// True if this is the place itself, without a link on the way.
    pub(super) fn is_itself(&self, place: &Path) -> bool {
        !self.by_link && self.as_path() == place
    }

    /// A path from the root that is in its normal form.
    pub(super) fn plain(normal: &str) -> RelativePath {
        RelativePath { written: normal.to_owned(), normal: normal.to_owned(), by_link: false }
    }

    /// A path from the root that the model wrote otherwise.
    #[cfg(test)]
    pub(super) fn linked_as(written: &str, normal: &str) -> RelativePath {
        RelativePath { written: written.to_owned(), normal: normal.to_owned(), by_link: true }
    }

    /// What to put in front of a path from this folder, so that the model may use it: as the model
    /// wrote it where that is absolute, for then it may lie in another root.
    pub(super) fn shown_base(&self) -> String {
        match self.written.starts_with('/') {
            true => format!("{}/", self.written.trim_end_matches('/')),
            false if self.normal == "." => String::new(),
            false => format!("{}/", self.normal),
        }
    }

    pub(super) fn as_path(&self) -> &Path {
        Path::new(&self.normal)
    }
}

/// Where a link leads.
pub(super) enum Led {
    /// To a place in this root.
    Here(RelativePath),
    /// To an absolute path of the machine that is not beneath the root by its names.
    Beyond(PathBuf),
}

impl fmt::Display for RelativePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

impl Workspace {
    /// What `path` means in this workspace, where `path` is as the model wrote it: relative to the
    /// root, or absolute with the root's own path in front. Nothing is expanded: `~` and `$HOME` are
    /// ordinary names.
    ///
    /// `a/../b` is `b`, as a reader of the text would take it. The kernel would disagree if `a` were
    /// a link, and then what a call declares and what it opens could differ; so `..` after a link is
    /// refused. That test is about meaning and not about safety: whatever comes out resolves beneath
    /// the root.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidPath`] for a path that is empty, has a NUL or more than [`MAX_PATH_BYTES`]
    /// bytes; [`Error::AmbiguousParent`]; [`Error::Outside`] if `..` climbs above the root or the
    /// path is absolute and elsewhere.
    pub fn relative(&self, path: &str) -> Result<RelativePath, Error> {
        check(path)?;
        let outside = || Error::Outside { path: path.to_owned() };
        let beneath = if path.starts_with('/') {
            self.beneath_root(Path::new(path)).and_then(Path::to_str).ok_or_else(outside)?
        } else {
            path
        };
        let mut names: Vec<&str> = Vec::new();
        for name in beneath.split('/') {
            match name {
                "" | "." => {}
                ".." => {
                    self.check_parent(path, &names)?;
                    names.pop().ok_or_else(outside)?;
                }
                name => names.push(name),
            }
        }
        let normal = if names.is_empty() { ".".to_owned() } else { names.join("/") };
        Ok(RelativePath { written: path.to_owned(), normal, by_link: false })
    }

    /// Where an absolute path leads that a link had in it, for a path that the model wrote.
    pub(super) fn linked(&self, target: &Path, written: &str) -> Result<Led, Error> {
        let beneath = self.beneath_root(target).and_then(Path::to_str);
        let outside = || Error::Outside { path: written.to_owned() };
        let written = written.to_owned();
        // Its `..` come from links, so they mean what the kernel takes them for.
        let normal = beneath.ok_or_else(outside)?.to_owned();
        let path = RelativePath { normal, written, by_link: true };
        match self.follow(&path)? {
            End::Here(place) => {
                let normal = place.to_str().ok_or_else(outside)?.to_owned();
                Ok(Led::Here(RelativePath { normal, ..path }))
            }
            End::Beyond(target) => Ok(Led::Beyond(target)),
        }
    }

    /// True if a part of the path is a link: then it may be another's file, too.
    pub(super) fn has_link(&self, path: &RelativePath) -> bool {
        !self.has_no_link(path.as_path())
    }

    /// False if the rules hide a place, or a folder that leads to it.
    fn is_shown(&self, place: &str) -> bool {
        let shown = RelativePath::plain(place);
        let above =
            Path::new(place).parent().and_then(Path::to_str).filter(|above| !above.is_empty());
        let above = above.is_none_or(|above| self.follow(&RelativePath::plain(above)).is_ok());
        above && self.check_shown(&shown, shown.as_path()).is_ok()
    }

    fn check_parent(&self, path: &str, before: &[&str]) -> Result<(), Error> {
        let link = before.join("/");
        let is_link = || self.dir().symlink_metadata(&link).is_ok_and(|found| found.is_symlink());
        if !before.is_empty() && is_link() && self.is_shown(&link) {
            return Err(Error::AmbiguousParent { path: path.to_owned(), link });
        }
        Ok(())
    }
}

fn check(path: &str) -> Result<(), Error> {
    let problem = if path.is_empty() {
        "is empty; name a file or folder relative to the workspace root"
    } else if path.contains('\0') {
        "contains a NUL character"
    } else if path.len() > MAX_PATH_BYTES {
        "is longer than 4096 bytes"
    } else {
        return Ok(());
    };
    let path = limits::shortened(path, 100).replace('\0', "\\0");
    Err(Error::InvalidPath { path, problem })
}
