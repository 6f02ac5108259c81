//! The folders of a caller by their paths on the machine, as a shell command sees them.
//!
//! File tools reach folders through handles and never need a path. A command is given paths. So the paths
//! are collected once, for the analysis of a command, for the walls around it, and for the mounts of its
//! container.

use std::path::Path;

use super::Quota;

/// Where a caller works, what he reads, and what is closed to him. Every path is absolute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallerFolders {
    /// The workspace, without links.
    pub workspace: Option<String>,
    /// The folders that he reads and writes, without links. The first is the workspace; none if
    /// there is no workspace.
    pub writable: Vec<String>,
    /// Folders that he only reads, without links.
    pub readable: Vec<String>,
    /// What is closed to him: paths with all that is below, and globs.
    pub denied: Vec<String>,
    /// The protected names that the owner opens.
    pub opened: Vec<String>,
}

impl CallerFolders {
    /// Makes the folder that a reviewer's team shares read-only to the reviewer. Quotas do not count what
    /// commands write there.
    pub(crate) fn only_reviews(&mut self, quota: &Quota) {
        if !quota.is_reviewer {
            return;
        }
        let shared = quota.folder.real_root();
        self.writable.retain(|folder| !Path::new(folder).starts_with(shared));
        self.readable.push(shared.display().to_string());
    }
}
