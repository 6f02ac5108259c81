//! What is in a folder.

mod lister;

use super::globs::Globs;
use super::ignoring::Unfiltered;
use super::overlay::Overlay;
use super::{Error, RelativePath, Workspace};
use lister::{Folder, Lister};

/// How much of a folder to list.
#[derive(Clone, Debug)]
pub struct ListOptions {
    /// How many levels: 1 for the folder itself. Taken as 1 to 10; default 1.
    pub depth: usize,
    /// The most entries over all levels; default 1000.
    pub max_entries: usize,
    /// Only what comes after this path in the order of the listing: the last one of the page
    /// before. It need not exist. Default: from the start.
    pub after: Option<String>,
    /// What is left out, by paths from the listed folder ([`Globs::excluding`]). Default: nothing.
    pub exclude: Globs,
    /// Which folders are opened besides. Everything in a folder that is opened is shown. Default:
    /// neither hidden nor ignored ones.
    pub unfiltered: Unfiltered,
}

impl ListOptions {
    /// The deepest listing.
    pub const MAX_DEPTH: usize = 10;
}

impl Default for ListOptions {
    fn default() -> ListOptions {
        let unfiltered = Unfiltered::default();
        let exclude = Globs::default();
        ListOptions { depth: 1, max_entries: 1000, after: None, exclude, unfiltered }
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
    /// True for a folder within the depth whose content is left out because it is ignored or
    /// hidden.
    pub closed: bool,
    /// True for a folder within the depth that the system does not let us read.
    pub unread: bool,
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
    /// are shown and not followed. A folder below that cannot be read is marked.
    /// Memory grows with the cap and not with the folder.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`] with names that look alike, [`Error::NotAFolder`], and the refusals.
    pub fn list(&self, path: &RelativePath, options: &ListOptions) -> Result<Listing, Error> {
        self.list_over(path, options, &Overlay::default(), &|| false)
    }

    /// As [`Workspace::list`], with what the overlay has. Ends early once it `is_stopped`.
    pub(crate) fn list_over(
        &self,
        path: &RelativePath,
        options: &ListOptions,
        overlay: &Overlay,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Listing, Error> {
        let start = self.start(path, options.unfiltered, overlay)?;
        let mut lister = Lister::new(self, options, (overlay, is_stopped), start.path.len());
        let (opened, level) = match start.opened {
            Some(opened) => (Some(opened.folder), opened.level),
            None => (None, None),
        };
        let folder = Folder { opened, level, path: start.path };
        let depth = options.depth.clamp(1, ListOptions::MAX_DEPTH);
        let after = options.after.as_deref().map(|after| after.trim_matches('/'));
        lister
            .add(&folder, depth, after.filter(|after| !after.is_empty()))
            .map_err(|error| Error::from_io(path, "list", error))?;
        Ok(lister.listing)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::error::Code;
    use crate::workspace::OverlaidFile;

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
        workspace
            .list(&path, &ListOptions { depth, max_entries, ..ListOptions::default() })
            .unwrap()
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
    fn the_cap_keeps_the_first_names_and_reports_that_there_are_more() {
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
    fn pages_follow_each_other_without_a_gap_at_any_depth() {
        let (_root, workspace) = tree();
        let all = list(&workspace, ".", 3, 1000).entries;
        for page in 1..=all.len() {
            let (mut shown, mut after) = (Vec::new(), None);
            loop {
                let options =
                    ListOptions { depth: 3, max_entries: page, after, ..ListOptions::default() };
                let path = workspace.relative(".").unwrap();
                let listing = workspace.list(&path, &options).unwrap();
                shown.extend(listing.entries);
                if !listing.more {
                    break;
                }
                after = shown.last().map(|entry: &Entry| entry.path.clone());
            }
            assert_eq!(shown, all, "pages of {page}");
        }
    }

    #[test]
    fn a_page_goes_on_after_an_entry_that_is_gone() {
        let (root, workspace) = tree();
        fs::remove_dir_all(root.path().join("b")).unwrap();
        let options =
            ListOptions { depth: 3, after: Some("b/deep/er".into()), ..ListOptions::default() };
        let listing = workspace.list(&workspace.relative(".").unwrap(), &options).unwrap();
        assert_eq!(paths(&listing), ["c", "in", "out"]);
    }

    #[test]
    fn hidden_and_ignored_folders_are_shown_and_not_opened() {
        let (root, workspace) = tree();
        for folder in [".git/objects", ".config/x", "node_modules/y", "b/built/z"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        fs::write(root.path().join(".gitignore"), "node_modules/\n/b/built\n").unwrap();
        let listed = |path: &str, hidden, ignored| {
            let unfiltered = Unfiltered { hidden, ignored };
            let options = ListOptions { depth: 3, unfiltered, ..ListOptions::default() };
            let listing = workspace.list(&workspace.relative(path).unwrap(), &options).unwrap();
            let closed: Vec<String> =
                listing.entries.iter().filter(|e| e.closed).map(|e| e.path.clone()).collect();
            (listing.entries.len(), closed.join(" "))
        };
        assert_eq!(listed(".", false, false), (13, ".config .git b/built node_modules".into()));
        assert_eq!(listed(".", true, false), (14, ".git b/built node_modules".into()));
        assert_eq!(listed(".", true, true), (17, String::new()));
        // The rules of the root hold in a folder that is listed by itself.
        assert_eq!(listed("b", false, false), (4, "built".into()));
        assert_eq!(listed("node_modules", false, false), (1, String::new()));
    }

    #[test]
    fn what_an_overlay_has_is_merged_and_what_it_shadows_is_gone() {
        let (_root, workspace) = tree();
        let file = |path: &str, bytes| OverlaidFile { path: path.into(), bytes };
        let files = vec![file("b/y", 7), file("memory/old/plan.md", 9), file("c", 4)];
        let shadow = |path: &Path| path == Path::new("c") || path == Path::new("b/deep");
        let overlay = Overlay::new(Some(Arc::new(shadow)), files);
        let listed = |path: &str, depth| {
            let options = ListOptions { depth, ..ListOptions::default() };
            let path = workspace.relative(path).unwrap();
            let listing = workspace.list_over(&path, &options, &overlay, &|| false).unwrap();
            let shown = listing.entries.iter().map(|e| format!("{}:{}", e.path, e.bytes));
            shown.collect::<Vec<_>>().join(" ")
        };
        let all = "a.txt:3 b:0 b/x:5 b/y:7 c:4 in:0 memory:0 memory/old:0 memory/old/plan.md:9 \
                   out:0";
        assert_eq!(listed(".", 3), all);
        assert_eq!(listed("memory", 2), "old:0 old/plan.md:9");
        let gone = workspace.relative("b/deep").unwrap();
        let gone =
            workspace.list_over(&gone, &ListOptions::default(), &overlay, &|| false).unwrap_err();
        assert_eq!(gone.code(), Code::NotFound);
    }

    #[test]
    fn what_is_no_folder_says_so_and_what_is_missing_names_the_likely() {
        let (_root, workspace) = tree();
        let error = |path| {
            let path = workspace.relative(path).unwrap();
            workspace.list(&path, &ListOptions::default()).unwrap_err()
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
