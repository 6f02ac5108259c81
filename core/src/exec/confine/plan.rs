//! Writes the plan that the confining program goes through.

use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use super::wire;

/// A plan, and the files that go along with it.
#[derive(Default)]
pub(crate) struct Plan {
    bytes: Vec<u8>,
    /// What each step is for, in words for an error.
    steps: Vec<String>,
    files: Vec<Arc<OwnedFd>>,
    makes_terminal: bool,
}

/// The places that are taken before a plan names any: itself and the three standard files.
const FIRST_PLACE: u64 = 4;

impl Plan {
    /// Begins a step.
    pub(crate) fn step(&mut self, tag: wire::Tag, what: impl Into<String>) -> &mut Plan {
        self.makes_terminal |= tag == wire::NEW_TERMINAL;
        self.bytes.push(tag);
        self.steps.push(what.into());
        self
    }

    pub(crate) fn number(&mut self, number: u64) -> &mut Plan {
        self.bytes.extend(number.to_le_bytes());
        self
    }

    pub(crate) fn text(&mut self, text: impl AsRef<[u8]>) -> &mut Plan {
        let text = text.as_ref();
        // No text is longer than 4 GiB: the file in memory could not hold it.
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        self.bytes.extend(length.to_le_bytes());
        self.bytes.extend(text);
        self.bytes.push(0);
        self
    }

    pub(crate) fn path(&mut self, path: &Path) -> &mut Plan {
        self.text(path.as_os_str().as_bytes())
    }

    /// Names a file by the place that it goes along at.
    pub(crate) fn file(&mut self, file: Arc<OwnedFd>) -> &mut Plan {
        let known = self.files.iter().position(|one| Arc::ptr_eq(one, &file));
        let place = known.unwrap_or(self.files.len());
        if known.is_none() {
            self.files.push(file);
        }
        self.number(FIRST_PLACE + place as u64)
    }

    /// Words, with their number in front.
    pub(crate) fn list<T: AsRef<OsStr>>(&mut self, words: &[T]) -> &mut Plan {
        self.number(words.len() as u64);
        for word in words {
            self.text(word.as_ref().as_bytes());
        }
        self
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.files.iter().map(|file| file.as_fd())
    }

    /// True if it makes the terminal that the command has.
    pub(crate) fn makes_terminal(&self) -> bool {
        self.makes_terminal
    }

    /// What a step is for.
    pub(crate) fn what(&self, step: u32) -> &str {
        self.steps.get(step as usize).map_or("an unknown step", String::as_str)
    }

    /// The position of the last step.
    pub(crate) fn last(&self) -> u32 {
        u32::try_from(self.steps.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }
}
