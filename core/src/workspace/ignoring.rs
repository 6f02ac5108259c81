//! The rules of `.gitignore`, `.ignore` and `.git/info/exclude`, from the root down.
//!
//! The files are read through the handle of their folder and must not be links, as in Git. Files above the
//! root and the user's own global file are not read.

use std::ffi::{CStr, OsStr};
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::globs::has_too_many_braces;
use super::scan::{open_file, open_folder};

/// The most of a file of rules that is read. More is no list made by hand.
const MAX_BYTES: u64 = 1 << 20;

/// How many rules of a file count. Each takes some kilobytes of memory.
const MOST_RULES: usize = 4_000;

/// What else is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unfiltered {
    /// Files and folders whose names begin with a dot.
    pub hidden: bool,
    /// What is ignored, and `.git`.
    pub ignored: bool,
}

/// Which files of rules a folder has, as far as it is known.
#[derive(Clone, Copy, Default)]
pub(super) struct IgnoreFiles {
    own: bool,
    git: bool,
    repository: bool,
}

impl IgnoreFiles {
    /// All of them, perhaps.
    pub(super) const MAYBE: IgnoreFiles = IgnoreFiles { own: true, git: true, repository: true };

    pub(super) fn note(&mut self, name: &CStr) {
        match name.to_bytes() {
            b".ignore" => self.own = true,
            b".gitignore" => self.git = true,
            b".git" => self.repository = true,
            _ => {}
        }
    }

    fn any(self) -> bool {
        self.own || self.git || self.repository
    }
}

/// The rules of a folder, and of those above it.
pub(super) struct Level {
    above: Option<Arc<Level>>,
    /// How long the folder's path from the root is, with the slash behind it.
    prefix: usize,
    own: Option<Gitignore>,
    git: Option<Gitignore>,
    exclude: Option<Gitignore>,
    /// True if what Git ignores above is another repository's.
    is_repository: bool,
}

/// What the rules say of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Ignored,
    /// A rule says that it is not ignored: then it is not hidden either.
    Kept,
    Unmentioned,
}

impl Level {
    /// The rules that hold in a folder of a path that is `prefix` long with its slash.
    pub(super) fn in_folder(
        above: Option<&Arc<Level>>,
        folder: BorrowedFd<'_>,
        prefix: usize,
        ignore_files: IgnoreFiles,
    ) -> Option<Arc<Level>> {
        if !ignore_files.any() {
            return above.cloned();
        }
        let own = ignore_files.own.then(|| rules(folder, c".ignore")).flatten();
        let git = ignore_files.git.then(|| rules(folder, c".gitignore")).flatten();
        let is_repository = ignore_files.repository
            && rustix::fs::accessat(
                folder,
                c".git",
                rustix::fs::Access::EXISTS,
                rustix::fs::AtFlags::empty(),
            )
            .is_ok();
        let exclude = is_repository.then(|| excluded(folder)).flatten();
        if own.is_none() && git.is_none() && !is_repository {
            return above.cloned();
        }
        let above = above.cloned();
        Some(Arc::new(Level { above, prefix, own, git, exclude, is_repository }))
    }

    fn verdict(level: Option<&Arc<Level>>, path: &[u8], is_folder: bool) -> Verdict {
        let (mut git, mut exclude) = (Verdict::Unmentioned, Verdict::Unmentioned);
        let mut beyond = false;
        let mut at = level;
        while let Some(level) = at {
            let below = Path::new(OsStr::from_bytes(&path[level.prefix..]));
            let ask = |rules: &Option<Gitignore>| match rules {
                Some(rules) => Verdict::of(&rules.matched(below, is_folder)),
                None => Verdict::Unmentioned,
            };
            // This holds whatever Git's rules say, at every level.
            let own = ask(&level.own);
            if own != Verdict::Unmentioned {
                return own;
            }
            if !beyond {
                git = git.or_else(|| ask(&level.git));
                exclude = exclude.or_else(|| ask(&level.exclude));
            }
            beyond |= level.is_repository;
            at = level.above.as_ref();
        }
        git.or_else(|| exclude)
    }
}

impl Verdict {
    fn of<T>(found: &Match<T>) -> Verdict {
        match found {
            Match::None => Verdict::Unmentioned,
            Match::Ignore(_) => Verdict::Ignored,
            Match::Whitelist(_) => Verdict::Kept,
        }
    }

    fn or_else(self, other: impl FnOnce() -> Verdict) -> Verdict {
        match self {
            Verdict::Unmentioned => other(),
            known => known,
        }
    }
}

impl Unfiltered {
    /// True if what is at `path`, seen from the root, is looked at. The rules are those of the
    /// folder that holds it.
    pub(super) fn passes(
        self,
        level: Option<&Arc<Level>>,
        path: &[u8],
        name: &CStr,
        is_folder: bool,
    ) -> bool {
        let name = name.to_bytes();
        let verdict = match self.ignored {
            true => Verdict::Unmentioned,
            false if name == b".git" => Verdict::Ignored,
            false => Level::verdict(level, path, is_folder),
        };
        match verdict {
            Verdict::Ignored => false,
            Verdict::Kept => true,
            Verdict::Unmentioned => self.hidden || !name.starts_with(b"."),
        }
    }
}

/// `.git/info/exclude`
fn excluded(folder: BorrowedFd<'_>) -> Option<Gitignore> {
    let git = open_folder(folder, c".git").ok()?;
    let info = open_folder(git.as_fd(), c"info").ok()?;
    rules(info.as_fd(), c"exclude")
}

/// The rules in a file; `None` if there are none. What cannot be read has none, and a line that is
/// no rule is none, as in Git.
fn rules(folder: BorrowedFd<'_>, name: &CStr) -> Option<Gitignore> {
    let (file, _) = open_file(folder, name).ok()??;
    let mut text = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut text).ok()?;
    let text = String::from_utf8_lossy(&text);
    let mut builder = GitignoreBuilder::new(".");
    let lines = text.trim_start_matches('\u{feff}').lines();
    let is_rule = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
    let rules = lines.filter(is_rule).take(MOST_RULES);
    for line in rules.filter(|line| !has_too_many_braces(line)) {
        let _ = builder.add_line(None, line);
    }
    builder.build().ok().filter(|rules| !rules.is_empty())
}
