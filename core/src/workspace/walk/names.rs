//! Names of a folder, many in one piece of memory.

use std::ffi::CStr;

/// Names one after the other, each with a NUL behind it.
#[derive(Default)]
pub(super) struct Names {
    bytes: Vec<u8>,
    count: usize,
}

impl Names {
    pub(super) fn push(&mut self, name: &CStr) {
        self.bytes.extend_from_slice(name.to_bytes_with_nul());
        self.count += 1;
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// All of them, and none is left; `None` if there was none.
    pub(super) fn take(&mut self) -> Option<Names> {
        (self.count > 0).then(|| std::mem::take(self))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &CStr> {
        let mut left = &self.bytes[..];
        std::iter::from_fn(move || {
            let name = CStr::from_bytes_until_nul(left).ok()?;
            left = &left[name.count_bytes() + 1..];
            Some(name)
        })
    }
}

/// Files and folders of one folder.
#[derive(Default)]
pub(super) struct Chunk {
    /// One after the other, each with a NUL behind it.
    names: Vec<u8>,
    /// Where each name begins, and whether it is a folder's.
    entries: Vec<(u32, bool)>,
}

impl Chunk {
    pub(super) fn push(&mut self, name: &CStr, is_folder: bool) {
        // Never so long: a chunk has some thousand names of at most 255 bytes.
        if let Ok(start) = u32::try_from(self.names.len()) {
            self.names.extend_from_slice(name.to_bytes_with_nul());
            self.entries.push((start, is_folder));
        }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn clear(&mut self) {
        self.names.clear();
        self.entries.clear();
    }

    pub(super) fn sort(&mut self) {
        let names = &self.names;
        self.entries.sort_unstable_by(|a, b| name_at(names, a.0).cmp(name_at(names, b.0)));
    }

    /// The names in their order, and whether each is a folder's.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&CStr, bool)> {
        self.entries.iter().map(|(start, is_folder)| (name_at(&self.names, *start), *is_folder))
    }
}

fn name_at(names: &[u8], start: u32) -> &CStr {
    CStr::from_bytes_until_nul(&names[start as usize..]).unwrap_or_default()
}
