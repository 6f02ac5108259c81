//! The files of a workspace that are not on its disk: tools that list, find and search files include them,
//! and leave out the files on the disk that they replace.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::tool::ToolError;
use crate::workspace::{OverlaidFile, Overlay, Shadow};

/// What a call sees besides the disk. The default is nothing.
#[derive(Clone, Default)]
pub(crate) struct FileOverlay {
    /// True for a path on the disk, from the root and without links, that is not to be seen, with
    /// all that is below it. `None`: there is none.
    pub shadow: Option<Shadow>,
    /// What is seen, in any order.
    pub files: Vec<VirtualFile>,
    /// What to say instead of a listing of a folder of the store that has nothing.
    pub nothing: Option<String>,
}

/// A file that is not on the disk.
#[derive(Clone)]
pub(crate) struct VirtualFile {
    /// Its path from the root in the normal form: `SOUL.md`, `memory/2026/plans.md`.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Reads its text. Called only where the text is searched.
    pub text: Reading,
}

/// Reads a text when it is needed.
pub(crate) type Reading =
    Arc<dyn Fn() -> BoxFuture<'static, Result<String, ToolError>> + Send + Sync>;

impl FileOverlay {
    /// The same in the form that the `workspace` room understands.
    pub(crate) fn overlay(&self) -> Overlay {
        let files = self.files.iter();
        let files = files.map(|file| OverlaidFile { path: file.path.clone(), bytes: file.bytes });
        Overlay::new(self.shadow.clone(), files.collect())
    }
}
