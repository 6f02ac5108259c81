//! What may be done where in a workspace.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Workspace;
use super::deny::{Deny, Folded};

/// What holds in one root. By default everything below it may be read and written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    /// Files that are never written, by their absolute paths without links.
    pub kept: Arc<[PathBuf]>,
    /// What is refused and hidden, seen from this root and from each of `others`.
    pub deny: Arc<Deny>,
    /// The root is never written.
    pub read_only: bool,
    /// A file with several names on the disk is refused.
    pub single_names: bool,
    /// The other roots that the same caller has. Where one lies in another, the rules of both hold.
    pub others: Vec<Other>,
}

/// Another root.
#[derive(Clone, Debug)]
pub(crate) struct Other {
    /// Its absolute path without links.
    pub real: PathBuf,
    /// It is never written.
    pub read_only: bool,
}

/// The rules of a root, seen from there.
#[derive(Debug, Default)]
pub(super) struct Compiled {
    pub(super) rules: Rules,
    /// The root's own absolute path.
    root: Option<Folded>,
    /// Where the root lies in the roots around it.
    outer: Vec<Folded>,
    /// The roots that lie in this one.
    inner: Vec<Inner>,
}

#[derive(Debug)]
struct Inner {
    at: PathBuf,
    folded: Folded,
    read_only: bool,
}

impl Workspace {
    /// The same folder under these rules.
    pub(crate) fn ruled(self, rules: Rules) -> Workspace {
        let compiled = Compiled::new(rules, self.real_root());
        Workspace { rules: Arc::new(compiled), ..self }
    }

    /// True if what lies there is denied: it is shown in no listing and found by no search, with
    /// all that is below it. The path is one from the root, without links and without `..`.
    ///
    /// Cheap, and free where nothing is denied.
    pub fn hides(&self, relative: &Path) -> bool {
        self.rules.hides(relative)
    }

    /// True if what lies there, without links, may not be written.
    pub(super) fn freezes(&self, relative: &Path) -> bool {
        self.rules.freezes(relative)
    }
}

impl Compiled {
    fn new(rules: Rules, root: &Path) -> Compiled {
        let mut compiled = Compiled { root: Some(Folded::new(root)), ..Compiled::default() };
        for other in &rules.others {
            if let Ok(at) = root.strip_prefix(&other.real) {
                compiled.outer.push(Folded::new(at));
            } else if let Ok(at) = other.real.strip_prefix(root) {
                let (at, folded) = (at.to_owned(), Folded::new(at));
                compiled.inner.push(Inner { at, folded, read_only: other.read_only });
            }
        }
        // The deepest first: it is the one that counts.
        compiled.inner.sort_by_key(|inner| std::cmp::Reverse(inner.at.as_os_str().len()));
        Compiled { rules, ..compiled }
    }

    fn hides(&self, relative: &Path) -> bool {
        let deny = &self.rules.deny;
        if deny.is_empty() {
            return false;
        }
        let path = Folded::new(relative);
        deny.denies(&path)
            || self.root.iter().any(|root| deny.denies_anywhere(&path.beneath(root)))
            || self.outer.iter().any(|at| deny.denies(&path.beneath(at)))
            || self
                .inner
                .iter()
                .any(|inner| path.within(&inner.folded).is_some_and(|within| deny.denies(&within)))
    }

    fn freezes(&self, relative: &Path) -> bool {
        let path = Folded::new(relative);
        // A root that is not written is one under all of its names; one that is has its own only.
        let covers = |inner: &&Inner| match inner.read_only {
            true => path.within(&inner.folded).is_some(),
            false => relative.starts_with(&inner.at),
        };
        self.inner.iter().find(covers).map_or(self.rules.read_only, |inner| inner.read_only)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ruled(root: &Path, read_only: bool, others: &[(&str, bool)], deny: &[&str]) -> Workspace {
        let real = std::fs::canonicalize(root).unwrap();
        let other = |(path, read_only): &(&str, bool)| Other {
            real: std::path::absolute(real.join(path)).unwrap(),
            read_only: *read_only,
        };
        Workspace::open(root).unwrap().ruled(Rules {
            deny: Arc::new(Deny::new(deny).unwrap()),
            read_only,
            others: others.iter().map(other).collect(),
            ..Rules::default()
        })
    }

    #[test]
    fn a_root_in_a_root_is_denied_by_the_rules_of_both() {
        let folder = tempfile::tempdir().unwrap();
        let team = folder.path().join("team");
        std::fs::create_dir(&team).unwrap();
        let outer = ruled(folder.path(), false, &[("team", false)], &["keys", "team/own"]);
        let real = std::fs::canonicalize(folder.path()).unwrap();
        let inner = ruled(&team, false, &[(real.to_str().unwrap(), false)], &["keys", "team/own"]);
        for (path, hidden) in
            [("keys/a", true), ("team/keys", true), ("TEAM/Keys", true), ("team/own/x", true)]
        {
            assert_eq!(outer.hides(Path::new(path)), hidden, "{path}");
        }
        for (path, hidden) in [("keys", true), ("own", true), ("other", false), (".", false)] {
            assert_eq!(inner.hides(Path::new(path)), hidden, "{path}");
        }
    }

    #[test]
    fn an_absolute_entry_hides_the_place_in_every_root() {
        let folder = tempfile::tempdir().unwrap();
        let real = std::fs::canonicalize(folder.path()).unwrap();
        let entry = real.join("a/keys");
        let workspace = ruled(folder.path(), false, &[], &[entry.to_str().unwrap()]);
        assert!(workspace.hides(Path::new("A/keys/x")));
        assert!(!workspace.hides(Path::new("keys")));
    }

    #[test]
    fn the_innermost_root_says_whether_a_place_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let others = [("skills", true), ("skills/mine", false)];
        let workspace = ruled(folder.path(), false, &others, &[]);
        for (path, frozen) in [
            ("a", false),
            ("skills", true),
            ("Skills/x", true),
            ("skills-2/x", false),
            ("skills/mine/x", false),
            ("skills/Mine/x", true),
        ] {
            assert_eq!(workspace.freezes(Path::new(path)), frozen, "{path}");
        }
        assert!(ruled(folder.path(), true, &[], &[]).freezes(Path::new("a")));
    }
}
