//! Which paths of a workspace are protected: a person is asked before a file tool writes there.
//!
//! There are three kinds: the names of [`place::protected`], in every folder; everything in a folder that
//! Git takes for a repository's own, whatever it is called; and what the settings of a repository around
//! the path have Git run or read (`core.hooksPath`, `include.path`, programs).
//!
//! A protected file is written only by its own path. The path of the call decides whether somebody is
//! asked, so a link that leads to a protected file is refused at the write, even if it was made after the
//! question.

mod settings;

use std::fs;
use std::path::{Component, Path, PathBuf};

pub(crate) use settings::git_targets;

use super::{Error, RelativePath, Workspace};
use crate::shell::place;

/// Why a path is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protection {
    /// It has this name in it.
    Named(&'static str),
    /// It is in a folder that Git takes for a repository's own, or would after the write.
    InGit,
    /// The settings of a repository name it.
    BySettings,
}

impl Protection {
    /// The reason that is shown to the person who decides on a write, and to a model that cannot ask.
    pub(crate) fn why(self, path: &str) -> String {
        match self {
            Protection::Named(name) => format!(
                "It changes `{path}`, and `{name}` is a protected name: Git, an agent, an editor, a shell \
                 or a tool may run or obey that by itself. The owner opens such names with `files.open`."
            ),
            Protection::InGit => format!(
                "It changes `{path}`, which lies in a folder that Git takes for a repository's own, and \
                 Git may run what stands there."
            ),
            Protection::BySettings => format!(
                "It changes `{path}`, which the settings of a Git repository around it run or read. The \
                 owner opens such paths with `files.open`."
            ),
        }
    }
}

impl Workspace {
    /// Why somebody has to be asked before a place is written, by its path from the root. None: nobody has.
    pub(crate) fn protection(&self, place: &Path) -> Option<Protection> {
        let opened = self.rules.rules.opened.as_ref()?;
        let text = place.to_string_lossy();
        if let Some(name) = place::protected(&text, opened) {
            return Some(Protection::Named(name));
        }
        if opened.iter().any(|open| place.starts_with(open)) {
            return None;
        }
        let absolute = self.real_root().join(place);
        // What is in a `.git` is known by that name.
        let has_name = place.iter().any(|part| part == ".git");
        if !has_name && is_in_git(&absolute, self.real_root()) {
            return Some(Protection::InGit);
        }
        is_named_by_settings(&absolute).then_some(Protection::BySettings)
    }

    /// The same for the path of a call, before links are followed.
    pub(crate) fn protection_of(&self, path: &RelativePath) -> Option<Protection> {
        self.protection(path.as_path())
    }

    /// An error if a link leads to what is protected. By its own path somebody was asked about it.
    pub(super) fn check_named(&self, path: &RelativePath, place: &Path) -> Result<(), Error> {
        if path.is_itself(place) || self.protection(place).is_none() {
            return Ok(());
        }
        Err(Error::Protected { path: path.to_string(), place: place.display().to_string() })
    }
}

/// True if a folder around a path, up to a root, is what Git takes for a repository's own, or would be once
/// something stands at the path.
fn is_in_git(path: &Path, root: &Path) -> bool {
    let folders = path.ancestors().skip(1).take_while(|folder| folder.starts_with(root));
    folders.into_iter().any(|folder| {
        let next = path.strip_prefix(folder).ok().and_then(|below| below.components().next());
        let has = |name: &str| {
            let comes = next.is_some_and(|next| next == Component::Normal(name.as_ref()));
            comes || fs::symlink_metadata(folder.join(name)).is_ok()
        };
        has("HEAD") && (has("objects") && has("refs") || has("commondir"))
    })
}

/// The most folders above a path that are looked at for a repository.
const MOST_ABOVE: usize = 64;

/// True if the settings of a repository around a path have Git run or read it.
fn is_named_by_settings(path: &Path) -> bool {
    let around = path.ancestors().skip(1).take(MOST_ABOVE);
    around.flat_map(named_by_settings_in).any(|target| path.starts_with(target))
}

/// What the settings of the repository in a folder have Git run or read, as [`git_targets`] says. Nothing
/// where the folder has no `.git`.
pub(crate) fn named_by_settings_in(folder: &Path) -> Vec<PathBuf> {
    let own = folder.join(".git");
    let git = match fs::symlink_metadata(&own) {
        Ok(found) if found.is_file() => settings::named_by(&own).map(|to| folder.join(to)),
        Ok(_) => Some(own),
        Err(_) => None,
    };
    git.map(|git| git_targets(&git)).unwrap_or_default()
}

/// A path without links and `..`, as far as it exists.
fn real(path: &Path) -> PathBuf {
    let mut rest = Vec::new();
    let mut at = path;
    loop {
        if let Ok(found) = fs::canonicalize(at) {
            let whole = rest.iter().rev().fold(found, |whole, part| match part {
                Component::ParentDir => whole.parent().map(Path::to_owned).unwrap_or(whole),
                part => whole.join(part),
            });
            return whole;
        }
        let (Some(last), Some(above)) = (at.components().next_back(), at.parent()) else {
            return path.to_owned();
        };
        rest.push(last);
        at = above;
    }
}

#[cfg(test)]
mod tests;
