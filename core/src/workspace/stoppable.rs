//! A file that is read no further once nobody waits for what is made of it.

use std::io::{self, Read};

/// Ends in an error when nobody waits any more.
pub(crate) struct Stoppable<'s, R> {
    pub(super) inner: R,
    pub(super) is_stopped: &'s (dyn Fn() -> bool + Sync),
}

impl<R: Read> Read for Stoppable<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if (self.is_stopped)() {
            return Err(io::Error::other("nobody waits for the results"));
        }
        self.inner.read(into)
    }
}
