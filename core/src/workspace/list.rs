//! What is in a folder.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use cap_std::fs::Dir;

use super::open::open_dir_nofollow;
use super::{Error, RelativePath, Workspace};

/// How much of a folder to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListOptions {
    /// How many levels: 1 for the folder itself. Taken as 1 to 10; default 1.
    pub depth: usize,
    /// The most entries over all levels; default 1000.
    pub max_entries: usize,
}

impl ListOptions {
    /// The deepest listing.
    pub const MAX_DEPTH: usize = 10;
}

impl Default for ListOptions {
    fn default() -> ListOptions {
        ListOptions { depth: 1, max_entries: 1000 }
    }
}

/// What a folder holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The entries, each folder sorted by name, what is in a folder right behind it.
    pub entries: Vec<Entry>,
    /// True if there are more than the cap allowed.
    pub more: bool,
}

/// A thing in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its path from the listed folder. Bytes of a name that are no UTF-8 are shown as U+FFFD.
    pub path: String,
    /// What it is. Links are not followed.
    pub kind: EntryKind,
    /// The size of a file in bytes; 0 for everything else.
    pub bytes: u64,
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, wherever it leads.
    Link,
    /// A device, a FIFO or a socket.
    Other,
}

impl Workspace {
    /// Lists a folder. The folder itself may be reached through links that stay inside; links in it
    /// are shown and not followed. A folder below that cannot be opened is shown without content.
    /// Memory grows with the cap and not with the folder.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`] with names that look alike, [`Error::NotAFolder`], and the refusals.
    pub fn list(&self, path: &RelativePath, options: ListOptions) -> Result<Listing, Error> {
        let (dir, place) = self.open_folder(path, "list")?;
        let mut listing = Listing { entries: Vec::new(), more: false };
        let depth = options.depth.clamp(1, ListOptions::MAX_DEPTH);
        self.add(&mut listing, (&dir, &place), "", depth, options.max_entries)
            .map_err(|error| Error::from_io(path, "list", error))?;
        Ok(listing)
    }

    fn add(
        &self,
        listing: &mut Listing,
        (dir, place): (&Dir, &Path),
        prefix: &str,
        depth: usize,
        max_entries: usize,
    ) -> io::Result<()> {
        let room = max_entries.saturating_sub(listing.entries.len());
        for (name, entry) in self.first_entries((dir, place), room, &mut listing.more)? {
            if listing.entries.len() >= max_entries {
                listing.more = true;
                return Ok(());
            }
            let Entry { path, kind, bytes } = entry;
            let path = format!("{prefix}{path}");
            let below = format!("{path}/");
            listing.entries.push(Entry { path, kind, bytes });
            if kind == EntryKind::Folder
                && depth > 1
                && let Ok(folder) = open_dir_nofollow(dir, Path::new(&name))
            {
                // It may vanish or be closed to us while we look; what is listed so far stands.
                let _ = self.add(
                    listing,
                    (&folder, &place.join(&name)),
                    &below,
                    depth - 1,
                    max_entries,
                );
            }
        }
        Ok(())
    }

    /// The first entries of a folder in order of name, at most `room` of them.
    fn first_entries(
        &self,
        (dir, place): (&Dir, &Path),
        room: usize,
        more: &mut bool,
    ) -> io::Result<BTreeMap<std::ffi::OsString, Entry>> {
        let mut first = BTreeMap::new();
        for entry in dir.entries()? {
            let entry = entry?;
            let name = entry.file_name();
            if self.hides(&place.join(&name)) {
                continue;
            }
            first.insert(name, entry);
            if first.len() > room {
                first.pop_last();
                *more = true;
            }
        }
        let described = first.into_iter().filter_map(|(name, entry)| {
            // Gone since its name was read.
            let metadata = entry.metadata().ok()?;
            let file_type = metadata.file_type();
            let (kind, bytes) = if file_type.is_file() {
                (EntryKind::File, metadata.len())
            } else if file_type.is_dir() {
                (EntryKind::Folder, 0)
            } else if file_type.is_symlink() {
                (EntryKind::Link, 0)
            } else {
                (EntryKind::Other, 0)
            };
            let path = name.to_string_lossy().into_owned();
            Some((name, Entry { path, kind, bytes }))
        });
        Ok(described.collect())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::error::Code;

    fn tree() -> (tempfile::TempDir, Workspace) {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("b/deep/er")).unwrap();
        fs::write(root.path().join("b/x"), "12345").unwrap();
        fs::write(root.path().join("a.txt"), "123").unwrap();
        fs::write(root.path().join("c"), "").unwrap();
        symlink("/etc", root.path().join("out")).unwrap();
        symlink("b", root.path().join("in")).unwrap();
        let workspace = Workspace::open(root.path()).unwrap();
        (root, workspace)
    }

    fn list(workspace: &Workspace, path: &str, depth: usize, max_entries: usize) -> Listing {
        let path = workspace.relative(path).unwrap();
        workspace.list(&path, ListOptions { depth, max_entries }).unwrap()
    }

    fn paths(listing: &Listing) -> Vec<&str> {
        listing.entries.iter().map(|entry| entry.path.as_str()).collect()
    }

    #[test]
    fn one_level_is_sorted_with_kinds_and_sizes() {
        let (_root, workspace) = tree();
        let listing = list(&workspace, ".", 1, 1000);
        let shown: Vec<_> =
            listing.entries.iter().map(|e| (e.path.as_str(), e.kind, e.bytes)).collect();
        let wanted = [
            ("a.txt", EntryKind::File, 3),
            ("b", EntryKind::Folder, 0),
            ("c", EntryKind::File, 0),
            ("in", EntryKind::Link, 0),
            ("out", EntryKind::Link, 0),
        ];
        assert_eq!(shown, wanted);
        assert!(!listing.more);
    }

    #[test]
    fn deeper_levels_follow_their_folder_and_links_are_not_followed() {
        let (_root, workspace) = tree();
        let listing = list(&workspace, ".", 2, 1000);
        assert_eq!(paths(&listing), ["a.txt", "b", "b/deep", "b/x", "c", "in", "out"]);
        assert_eq!(paths(&list(&workspace, "b", 99, 1000)), ["deep", "deep/er", "x"]);
        assert_eq!(paths(&list(&workspace, "in", 0, 1000)), ["deep", "x"]);
    }

    #[test]
    fn the_cap_keeps_the_first_names_and_tells_that_there_are_more() {
        let (_root, workspace) = tree();
        for (max_entries, more) in [(0, true), (1, true), (4, true), (5, false), (6, false)] {
            let listing = list(&workspace, ".", 1, max_entries);
            assert_eq!(listing.entries.len(), max_entries.min(5));
            assert_eq!(listing.more, more, "{max_entries}");
        }
        let listing = list(&workspace, ".", 3, 4);
        assert_eq!(paths(&listing), ["a.txt", "b", "b/deep", "b/deep/er"]);
        assert!(listing.more);
    }

    #[test]
    fn what_is_no_folder_says_so_and_what_is_missing_names_the_likely() {
        let (_root, workspace) = tree();
        let error = |path| {
            let path = workspace.relative(path).unwrap();
            workspace.list(&path, ListOptions::default()).unwrap_err()
        };
        assert!(matches!(error("a.txt"), Error::NotAFolder { .. }));
        let missing = error("b/depp");
        assert_eq!(missing.code(), Code::NotFound);
        assert!(missing.to_string().contains("`b/deep`"), "{missing}");
        let outside = error("out");
        assert_eq!(outside.code(), Code::AccessDenied);
        assert!(outside.to_string().contains("access denied"));
    }
}
