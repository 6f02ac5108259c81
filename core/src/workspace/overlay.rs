//! What folders show besides the files on the disk, and instead of them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// True for a path, from the root and without links, whose file on the disk is not to be seen.
pub(crate) type Shadow = Arc<dyn Fn(&Path) -> bool + Send + Sync>;

/// Files that are seen in folders where the disk has none, or others.
#[derive(Clone, Default)]
pub(crate) struct Overlay {
    shadow: Option<Shadow>,
    files: Vec<OverlaidFile>,
}

/// A file that is not on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OverlaidFile {
    /// Its path from the root, in the normal form of a path.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
}

/// What an overlay has in one folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overlaid {
    File(u64),
    Folder,
}

impl Overlay {
    /// `shadow` is true for the paths from the root, without links, that are left out on the disk,
    /// with all that is below them.
    pub(crate) fn new(shadow: Option<Shadow>, files: Vec<OverlaidFile>) -> Overlay {
        Overlay { shadow, files }
    }

    /// True if what the disk has there is not to be seen.
    pub(super) fn shadows(&self, path: &Path) -> bool {
        self.shadow.as_ref().is_some_and(|shadow| shadow(path))
    }

    /// What the overlay has in a folder, by name. The folder's path from the root is empty or ends
    /// with a slash.
    pub(super) fn in_folder(&self, folder: &str) -> BTreeMap<Cow<'_, str>, Overlaid> {
        let mut found = BTreeMap::new();
        for file in &self.files {
            let Some(below) = file.path.strip_prefix(folder) else { continue };
            match below.split_once('/') {
                Some((name, _)) => found.insert(Cow::Borrowed(name), Overlaid::Folder),
                None => found.insert(Cow::Borrowed(below), Overlaid::File(file.bytes)),
            };
        }
        found
    }

    /// The files below a folder, whose path from the root is empty or ends with a slash.
    pub(super) fn below(&self, folder: &[u8]) -> impl Iterator<Item = &OverlaidFile> {
        self.files.iter().filter(move |file| file.path.as_bytes().starts_with(folder))
    }

    /// True if it has a file there; the path is from the root.
    pub(super) fn has(&self, path: &Path) -> bool {
        self.files.iter().any(|file| Path::new(&file.path) == path)
    }

    /// True if a file of the overlay is below the folder, whose path from the root is empty or ends
    /// with a slash.
    pub(super) fn reaches_into(&self, folder: &str) -> bool {
        self.files.iter().any(|file| file.path.starts_with(folder))
    }
}

impl fmt::Debug for Overlay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Overlay").field("files", &self.files).finish_non_exhaustive()
    }
}
