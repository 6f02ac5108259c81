//! Finding files by their paths.

use std::collections::BinaryHeap;
use std::ffi::CStr;
use std::os::fd::BorrowedFd;
use std::path::Path;

use super::globs::Globs;
use super::ignoring::Unfiltered;
use super::order::{Ordered, compare};
use super::overlay::Overlay;
use super::walk::{Visit, Walk};
use super::{Error, RelativePath, Workspace};

/// What files to find.
#[derive(Clone, Debug)]
pub(crate) struct GlobOptions {
    pub globs: Globs,
    pub unfiltered: Unfiltered,
    pub max_results: usize,
}

/// Files that were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GlobFound {
    /// Their paths as a model may use them, folder by folder, each sorted by name.
    pub paths: Vec<String>,
    /// True if there are more than the cap allowed.
    pub more: bool,
    /// How many folders could not be opened.
    pub unread: usize,
}

impl Workspace {
    /// The first files below a folder whose paths match.
    pub(crate) fn glob(
        &self,
        path: &RelativePath,
        options: &GlobOptions,
        overlay: &Overlay,
        is_stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<GlobFound, Error> {
        let start = self.start(path, options.unfiltered, overlay)?;
        let below = start.path.len();
        // One more shows that there are more.
        let most = options.max_results + 1;
        let mut first = First { most, paths: BinaryHeap::new() };
        for file in overlay.below(&start.path) {
            if options.globs.match_file(Path::new(&file.path[below..]), false) {
                first.put(file.path.as_bytes());
            }
        }
        let (globs, unfiltered) = (&options.globs, options.unfiltered);
        let walk = Walk { workspace: self, globs, unfiltered, overlay, is_stopped };
        let walked = walk.run(start, &Finder { most });
        for Ordered(path) in walked.owns.into_iter().flat_map(|own| own.paths) {
            first.put(&path);
        }
        let mut found: Vec<Ordered> = first.paths.into_sorted_vec();
        let more = found.len() > options.max_results;
        found.truncate(options.max_results);
        let base = path.shown_base();
        let shown =
            |Ordered(path): &Ordered| format!("{base}{}", String::from_utf8_lossy(&path[below..]));
        Ok(GlobFound { paths: found.iter().map(shown).collect(), more, unread: walked.unread })
    }
}

/// The first paths of those that come.
struct First {
    most: usize,
    /// The last one on top.
    paths: BinaryHeap<Ordered>,
}

impl First {
    fn wants(&self, path: &[u8]) -> bool {
        self.paths.len() < self.most
            || self.paths.peek().is_some_and(|last| compare(path, &last.0).is_lt())
    }

    fn put(&mut self, path: &[u8]) {
        if self.wants(path) {
            self.paths.push(Ordered(path.to_vec()));
            if self.paths.len() > self.most {
                self.paths.pop();
            }
        }
    }
}

struct Finder {
    most: usize,
}

impl Visit for Finder {
    type Own = First;
    const IS_QUICK: bool = true;

    fn own(&self) -> First {
        First { most: self.most, paths: BinaryHeap::new() }
    }

    fn wants(&self, own: &First, path: &[u8]) -> bool {
        own.wants(path)
    }

    fn file(&self, own: &mut First, _: BorrowedFd<'_>, _: &CStr, path: &[u8]) {
        own.put(path);
    }
}
