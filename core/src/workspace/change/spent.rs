//! What a change leaves over.

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

/// File systems of this machine alone, by the numbers of Linux's `magic.h`. Others may give a file
/// that is open another name before they replace it, and between the two there is none: NFS does.
const LOCAL: [u64; 7] = [
    0xEF53,      // ext2, ext3, ext4
    0x5846_5342, // XFS
    0x9123_683E, // Btrfs
    0xF2F5_2010, // F2FS
    0x2FC1_2FC1, // ZFS
    0x0102_1994, // tmpfs
    0x794C_7630, // overlayfs
];

/// True if a file may be open while it is replaced.
#[cfg(target_os = "linux")]
pub(super) fn is_replaced_while_open(file: &File) -> bool {
    rustix::fs::fstatfs(file).is_ok_and(|system| LOCAL.contains(&(system.f_type as u64)))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn is_replaced_while_open(_: &File) -> bool {
    false
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
