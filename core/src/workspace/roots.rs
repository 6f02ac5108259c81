//! The folders that one caller may use, and which of them a path means.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::path::Led;
use super::rules::{Other, Rules};
use super::{Deny, Error, Quota, RelativePath, Workspace};
use crate::kind::Resource;

/// As many folders as one path may be led through by links.
const MAX_ROOTS_PASSED: usize = 40;

/// A folder that a caller may use.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    pub workspace: Workspace,
    /// It is never written.
    pub read_only: bool,
    /// The path by which the model knows it, where that is not the machine's: what a container has
    /// mounted there. Absolute.
    pub shown_as: Option<PathBuf>,
}

/// What holds in all of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    /// Files that are never written, by their absolute paths without links.
    pub kept: Arc<[PathBuf]>,
    /// What is refused and hidden, seen from each root and from each of `anchors`.
    pub deny: Arc<Deny>,
    /// The protected names that the owner opens. None: no name is protected.
    pub opened: Option<Arc<[String]>>,
    /// Folders that are no roots, but from which denied paths count all the same. Without links.
    pub anchors: Vec<PathBuf>,
    /// Files with several names on the disk are refused.
    pub single_names: bool,
    /// What may be written into folders that the caller, or those above him, share with others.
    pub quotas: Vec<Arc<Quota>>,
}

/// The folders that one caller may use. The first is the workspace: relative paths are of there.
///
/// An absolute path is of the root that has it beneath itself by its names; where several have, of
/// the innermost. Whether a place is written says the innermost root, too, whichever way a path has
/// come there; and a root that is given twice, once for reading only, is read only.
///
/// A link is followed beneath its own root; where its target is not there, beneath the root that
/// has it. So a link never leads to what the same path, written out, would not.
#[derive(Clone, Debug)]
pub(crate) struct Roots {
    roots: Vec<Root>,
    limits: Limits,
}

/// A root as the model may know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RootInfo {
    /// What an absolute path of there begins with; `.` for the workspace, where the model does not
    /// know it by another path.
    pub path: String,
    pub read_only: bool,
}

impl Root {
    /// A root that the model knows by the machine's path.
    pub(crate) fn new(workspace: Workspace, read_only: bool) -> Root {
        Root { workspace, read_only, shown_as: None }
    }

    pub(crate) fn real(&self) -> &Path {
        self.workspace.real_root()
    }

    /// How many names of an absolute path lead to this root, if it is beneath it.
    fn names_before(&self, path: &Path) -> Option<usize> {
        let spellings = [self.shown_as.as_deref(), Some(self.workspace.root()), Some(self.real())];
        let fitting = spellings.into_iter().flatten().filter(|root| path.starts_with(root));
        fitting.map(|root| root.components().count()).max()
    }
}

impl Roots {
    pub(crate) fn new(workspace: Root, others: Vec<Root>, limits: Limits) -> Roots {
        let mut roots: Vec<Root> = Vec::with_capacity(1 + others.len());
        for root in std::iter::once(workspace).chain(others) {
            match roots.iter_mut().find(|known| known.real() == root.real()) {
                Some(known) => known.read_only |= root.read_only,
                None => roots.push(root),
            }
        }
        Roots { roots, limits }
    }

    /// The workspace under its rules.
    pub(crate) fn workspace(&self) -> Workspace {
        self.ruled(&self.roots[0])
    }

    /// Which root a path means, and where in there, without a look at links.
    ///
    /// # Errors
    /// As [`Workspace::relative`].
    pub(crate) fn meant(&self, path: &str) -> Result<(Workspace, RelativePath), Error> {
        let workspace = self.ruled(self.root_of(Path::new(path)).unwrap_or(&self.roots[0]));
        let path = workspace.relative(path)?;
        Ok((workspace, path))
    }

    /// The same, and a link that leads to another root is followed there.
    ///
    /// # Errors
    /// As [`Workspace::relative`]; [`Error::Outside`], [`Error::Links`] and [`Error::Denied`].
    pub(crate) fn place(&self, path: &str) -> Result<(Workspace, RelativePath), Error> {
        let (workspace, place) = self.meant(path)?;
        if self.roots.len() == 1 {
            return Ok((workspace, place));
        }
        let Some(mut target) = workspace.leads_beyond(&place)? else {
            return Ok((workspace, place));
        };
        for _ in 0..MAX_ROOTS_PASSED {
            let outside = || Error::Outside { path: path.to_owned() };
            let workspace = self.ruled(self.root_of(&target).ok_or_else(outside)?);
            match workspace.linked(&target, path)? {
                Led::Here(place) => return Ok((workspace, place)),
                Led::Beyond(next) => target = next,
            }
        }
        Err(Error::Links { path: path.to_owned() })
    }

    /// The path as a resource that a call declares: relative if it is in the workspace, absolute if
    /// it is in another root, and `.` for whatever may be in several places.
    ///
    /// # Errors
    /// As [`Roots::meant`].
    pub(crate) fn resource(&self, path: &str) -> Result<Resource, Error> {
        let (root, path) = self.meant(path)?;
        let anything = Resource::Path(".".to_owned());
        if root.has_link(&path) {
            return Ok(anything);
        }
        let (_, named) = root.named(Path::new(path.normalised()));
        let around = self.roots[0].real().starts_with(&named);
        let named = named.into_os_string().into_string();
        Ok(named.ok().filter(|_| !around).map_or(anything, Resource::Path))
    }

    /// The folders, without links, and whether each is only read. The workspace comes first.
    pub(crate) fn folders(&self) -> impl Iterator<Item = (&Path, bool)> {
        self.roots.iter().map(|root| (root.real(), root.read_only))
    }

    /// What the model may know of the roots, the workspace first.
    pub(crate) fn infos(&self) -> Vec<RootInfo> {
        let shown = |(index, root): (usize, &Root)| {
            let path = match (&root.shown_as, index) {
                (Some(shown), _) => shown.display().to_string(),
                (None, 0) => ".".to_owned(),
                (None, _) => root.workspace.root().display().to_string(),
            };
            RootInfo { path, read_only: root.read_only }
        };
        self.roots.iter().enumerate().map(shown).collect()
    }

    /// The root that has an absolute path.
    fn root_of(&self, path: &Path) -> Option<&Root> {
        let fitting = self.roots.iter().filter_map(|root| Some((root.names_before(path)?, root)));
        fitting.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, root)| root)
    }

    fn ruled(&self, root: &Root) -> Workspace {
        let others = self.roots.iter().filter(|other| other.real() != root.real());
        let other =
            |other: &Root| Other { real: other.real().to_owned(), read_only: other.read_only };
        let home = self.roots[0].real();
        root.workspace.clone().ruled(Rules {
            kept: self.limits.kept.clone(),
            deny: self.limits.deny.clone(),
            opened: self.limits.opened.clone(),
            read_only: root.read_only,
            single_names: self.limits.single_names,
            others: others.map(other).collect(),
            anchors: self.limits.anchors.clone(),
            home: (home != root.real()).then(|| home.to_owned()),
            shown_as: root.shown_as.clone(),
            quotas: self.limits.quotas.clone(),
        })
    }
}
