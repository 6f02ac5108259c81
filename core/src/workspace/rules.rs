//! The rules of a workspace, compiled: what may be read, written and seen where.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::deny::{Deny, Folded};
use super::quota::{Quota, QuotaInRoot};
use super::replace::is_temporary;
use super::{Error, RelativePath, Workspace};

/// What holds in one root. By default everything below it may be read and written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    /// Files that are never written, by their absolute paths without links.
    pub kept: Arc<[PathBuf]>,
    /// What is refused and hidden, seen from this root and from each of `others`.
    pub deny: Arc<Deny>,
    /// The protected names that the owner opens. None: no name is protected.
    pub opened: Option<Arc<[String]>>,
    /// The root is never written.
    pub read_only: bool,
    /// A file with several names on the disk is refused.
    pub single_names: bool,
    /// The other roots that the same caller has. Where one lies in another, the rules of both hold.
    pub others: Vec<Other>,
    /// Further folders from which denied paths count, by their absolute paths without links.
    pub anchors: Vec<PathBuf>,
    /// The caller's workspace, where this root is another one.
    pub home: Option<PathBuf>,
    /// The absolute path by which the model knows the root, where that is not the machine's.
    pub shown_as: Option<PathBuf>,
    /// What may be written into folders that the caller, or those above him, share with others.
    pub quotas: Vec<Arc<Quota>>,
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
    /// The root's own absolute path, where anything is denied.
    root: Option<Folded>,
    /// Where the root lies in the roots around it.
    outer: Vec<Folded>,
    /// Where the roots in this one lie.
    inner: Vec<Folded>,
    /// Who says whether they are written, the innermost first.
    deeper: Vec<Deeper>,
    /// The shared folders that lie in this root, or around it.
    pub(super) quotas: Vec<QuotaInRoot>,
}

#[derive(Debug)]
struct Deeper {
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
    /// all that is below it. So is what a killed writer left. The path is one from the root, without
    /// links and without `..`.
    ///
    /// Cheap, and free where nothing is denied.
    pub fn hides(&self, relative: &Path) -> bool {
        relative.file_name().is_some_and(is_temporary) || self.rules.hides(relative)
    }

    /// What identifies a file, from its path without links: its root and its path from
    /// there. A file in the caller's workspace is known by that root, and by its relative path; any
    /// other one by its absolute path.
    pub(crate) fn named(&self, place: &Path) -> (PathBuf, PathBuf) {
        let Some(home) = &self.rules.rules.home else {
            return (self.real_root().to_owned(), place.to_owned());
        };
        let absolute = match place == Path::new(".") {
            true => self.real_root().to_owned(),
            false => self.real_root().join(place),
        };
        match absolute.strip_prefix(home) {
            Ok(at) if at.as_os_str().is_empty() => (home.clone(), PathBuf::from(".")),
            Ok(at) => (home.clone(), at.to_owned()),
            Err(_) => (PathBuf::new(), absolute),
        }
    }

    /// False if the file has more names than the rules allow.
    pub(super) fn allows_names_of(&self, file: &File) -> bool {
        self.rules.allows_names_of(file).unwrap_or_default()
    }

    /// An error if what lies there, from the root and without links, is denied.
    pub(super) fn check_shown(&self, path: &RelativePath, place: &Path) -> Result<(), Error> {
        // A listing hides a folder with all that is in it, so nothing in there is shown by its path.
        if place.iter().any(is_temporary) || self.hides(place) {
            return Err(Error::Denied { path: path.to_string() });
        }
        Ok(())
    }

    /// An error if what lies there, from the root and without links, may not be written.
    pub(super) fn check_written(&self, path: &RelativePath, place: &Path) -> Result<(), Error> {
        self.check_shown(path, place)?;
        if self.rules.freezes(place) {
            return Err(Error::ReadOnly { path: path.to_string() });
        }
        if self.keeps(place) {
            return Err(Error::Kept { path: path.to_string() });
        }
        self.check_named(path, place)?;
        self.rules.quotas.iter().try_for_each(|quota| quota.check_path(path, place))
    }

    /// True if the place, relative to the root and without links, is that of a kept file.
    fn keeps(&self, place: &Path) -> bool {
        let kept = &self.rules.rules.kept;
        let place = self.real_root().join(place);
        // The name may be spelled otherwise where the file system takes it for the same.
        let found = || std::fs::canonicalize(&place).is_ok_and(|found| kept.contains(&found));
        // No folder is made in the place of one that is not there yet.
        let within = || kept.iter().any(|kept| place.starts_with(kept));
        !kept.is_empty() && (within() || found())
    }
}

impl Compiled {
    fn new(rules: Rules, root: &Path) -> Compiled {
        let named = (!rules.deny.is_empty()).then(|| Folded::new(root));
        let mut compiled = Compiled { root: named, ..Compiled::default() };
        for other in rules.others.iter().map(|other| &other.real).chain(&rules.anchors) {
            if let Ok(at) = root.strip_prefix(other) {
                compiled.outer.push(Folded::new(at));
            } else if let Ok(at) = other.strip_prefix(root) {
                compiled.inner.push(Folded::new(at));
            }
        }
        for other in &rules.others {
            if let Ok(at) = other.real.strip_prefix(root) {
                let (at, folded) = (at.to_owned(), Folded::new(at));
                compiled.deeper.push(Deeper { at, folded, read_only: other.read_only });
            }
        }
        let quotas = rules.quotas.iter().filter_map(|quota| QuotaInRoot::new(quota, root));
        compiled.quotas = quotas.collect();
        compiled.deeper.sort_by_key(|deeper| std::cmp::Reverse(deeper.at.as_os_str().len()));
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
            || self.inner.iter().any(|at| path.within(at).is_some_and(|path| deny.denies(&path)))
    }

    fn freezes(&self, relative: &Path) -> bool {
        let path = Folded::new(relative);
        // A read-only root is read-only under all of its names. A writable one is writable under its own name only.
        let covers = |deeper: &&Deeper| match deeper.read_only {
            true => path.within(&deeper.folded).is_some(),
            false => relative.starts_with(&deeper.at),
        };
        self.deeper.iter().find(covers).map_or(self.rules.read_only, |deeper| deeper.read_only)
    }
}

impl Compiled {
    /// An error if the file has more names than the rules allow.
    pub(super) fn check_file(
        &self,
        path: &RelativePath,
        file: &File,
        action: &'static str,
    ) -> Result<(), Error> {
        match self.allows_names_of(file) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Error::ManyNames { path: path.to_string() }),
            Err(error) => Err(Error::from_io(path, action, error)),
        }
    }

    fn allows_names_of(&self, file: &File) -> io::Result<bool> {
        Ok(!self.rules.single_names || file.metadata()?.nlink() == 1)
    }

    /// An error if this is a kept file under another name.
    pub(super) fn check_not_kept(
        &self,
        path: &RelativePath,
        file: &File,
        action: &'static str,
    ) -> Result<(), Error> {
        if self.rules.kept.is_empty() {
            return Ok(());
        }
        let metadata = file.metadata().map_err(|error| Error::from_io(path, action, error))?;
        let same = |kept: &PathBuf| {
            std::fs::metadata(kept)
                .is_ok_and(|kept| (kept.dev(), kept.ino()) == (metadata.dev(), metadata.ino()))
        };
        if self.rules.kept.iter().any(same) {
            return Err(Error::Kept { path: path.to_string() });
        }
        Ok(())
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
            assert_eq!(workspace.rules.freezes(Path::new(path)), frozen, "{path}");
        }
        assert!(ruled(folder.path(), true, &[], &[]).rules.freezes(Path::new("a")));
    }
}
