//! What a change leaves to be dropped afterwards, because freeing it takes time.

use std::fs::File;

use super::{Body, Standing};

/// What a change has no more use for, and what takes the system time to be rid of: the blocks of the
/// file that was replaced are free only when it is closed. Nobody needs to wait for that: drop it
/// when the answer is on its way.
#[derive(Debug, Default)]
pub(crate) struct Spent {
    _replaced: Option<File>,
    contents: Vec<Vec<u8>>,
}

impl Spent {
    pub(super) fn of(file: Option<File>, before: Standing) -> Spent {
        let contents = match before.body {
            Body::Whole(content) => vec![content],
            Body::Missing | Body::Large(_) => Vec::new(),
        };
        Spent { _replaced: file, contents }
    }

    /// This content, too.
    #[must_use]
    pub(crate) fn and(mut self, content: impl Into<Vec<u8>>) -> Spent {
        self.contents.push(content.into());
        self
    }
}
