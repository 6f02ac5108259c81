//! Reading a text file page by page.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};

use super::change::Standing;
use super::media::{Media, SNIFFED_BYTES};
use super::stoppable::Stoppable;
use super::{Error, ReadRange, ReadText, RelativePath, Workspace, window};

/// What is read at once: enough to keep a disk busy, little enough to forget.
const BLOCK_BYTES: usize = 128 << 10;
const _: () = assert!(BLOCK_BYTES >= SNIFFED_BYTES);

impl Workspace {
    /// The lines of a text file within `range`, at most `max_chars` characters of them. See
    /// [`window`] for how a page is cut. Uses the same memory for a file of any size.
    ///
    /// Bytes that are no UTF-8 are shown as U+FFFD. A range beyond the end is no error.
    ///
    /// # Errors
    ///
    /// [`Error::Binary`] for a file that holds no text, recognised by its first 8 KiB (see
    /// [`Media::of_file`]); [`Error::NotFound`] with names that look alike; [`Error::IsFolder`] and
    /// [`Error::NotRegular`], which is found out without blocking; and the refusals.
    pub fn read(
        &self,
        path: &RelativePath,
        range: ReadRange,
        max_chars: usize,
    ) -> Result<ReadText, Error> {
        let reader = self.open_text(path, &|| false)?;
        window(reader, range, max_chars).map_err(|error| Error::from_io(path, "read", error))
    }

    /// As [`Workspace::read`], of what `through` makes of the file. Ends early once it `is_stopped`.
    pub(crate) fn read_through<'s, R: BufRead>(
        &self,
        path: &RelativePath,
        (range, max_chars): (ReadRange, usize),
        is_stopped: &'s (dyn Fn() -> bool + Sync),
        through: impl FnOnce(BufReader<Stoppable<'s, File>>) -> R,
    ) -> Result<ReadText, Error> {
        let reader = through(self.open_text(path, is_stopped)?);
        window(reader, range, max_chars).map_err(|error| Error::from_io(path, "read", error))
    }

    /// Reads a whole text file of at most `max_bytes`. Gives nothing for a larger one.
    ///
    /// # Errors
    ///
    /// As [`Workspace::read`].
    pub fn read_whole(
        &self,
        path: &RelativePath,
        max_bytes: u64,
    ) -> Result<Option<Vec<u8>>, Error> {
        let mut whole = Vec::new();
        let read = self.open_text(path, &|| false)?.take(max_bytes + 1).read_to_end(&mut whole);
        read.map_err(|error| Error::from_io(path, "read", error))?;
        Ok((whole.len() as u64 <= max_bytes).then_some(whole))
    }

    /// Reads a text file of at most `max_bytes`; of a larger one only what identifies this state of it
    /// from others.
    ///
    /// # Errors
    ///
    /// As [`Workspace::read`].
    pub(crate) fn read_standing(
        &self,
        path: &RelativePath,
        max_bytes: u64,
    ) -> Result<Standing, Error> {
        let (file, target) = self.open_file_at(path)?;
        let standing = Standing::read(path, target, &file, max_bytes)?;
        check_text(path, standing.content().unwrap_or_default())?;
        Ok(standing)
    }

    fn open_text<'s>(
        &self,
        path: &RelativePath,
        is_stopped: &'s (dyn Fn() -> bool + Sync),
    ) -> Result<BufReader<Stoppable<'s, File>>, Error> {
        let file = Stoppable { inner: self.open_file(path)?, is_stopped };
        let mut reader = BufReader::with_capacity(BLOCK_BYTES, file);
        let start = reader.fill_buf().map_err(|error| Error::from_io(path, "read", error))?;
        check_text(path, start)?;
        Ok(reader)
    }
}

/// An error if a file that begins so is no text.
pub(super) fn check_text(path: &RelativePath, start: &[u8]) -> Result<(), Error> {
    match Media::of_file(path.normalised(), start) {
        Some(media) => Err(Error::Binary { path: path.to_string(), media }),
        None => Ok(()),
    }
}
