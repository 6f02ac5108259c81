//! A file that is too large to be held, masked as it is read.

use std::io::{self, BufRead, Read};

use crate::scrub::{Scrubber, Stream};
use crate::terminal::{Cleaner, Returns};

/// What a reader gives, without what commands a terminal, and with the secrets masked, as in the whole: a page of it shows no half of one.
pub(super) struct Masked<R> {
    inner: R,
    /// None once the inner reader has come to its end.
    stream: Option<Stream>,
    cleaner: Cleaner,
    ready: Vec<u8>,
    taken: usize,
}

impl<R: BufRead> Masked<R> {
    pub(super) fn new(inner: R, scrubber: &Scrubber) -> Masked<R> {
        let (stream, cleaner) = (Some(scrubber.stream()), Cleaner::new(Returns::Pictures));
        Masked { inner, stream, cleaner, ready: Vec::new(), taken: 0 }
    }

    /// Masks the next block of the inner reader.
    fn refill(&mut self, stream: &mut Stream) -> io::Result<bool> {
        let block = self.inner.fill_buf()?;
        let length = block.len();
        self.ready = stream.push(&self.cleaner.cleaned(block));
        self.taken = 0;
        self.inner.consume(length);
        Ok(length > 0)
    }
}

impl<R: BufRead> BufRead for Masked<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.taken == self.ready.len()
            && let Some(mut stream) = self.stream.take()
        {
            let filled = self.refill(&mut stream);
            if matches!(filled, Ok(false)) {
                let mut rest = Vec::new();
                self.cleaner.finish(&mut rest);
                self.ready = stream.push(&rest);
                self.ready.extend(stream.finish());
                self.taken = 0;
            } else {
                self.stream = Some(stream);
                filled?;
            }
        }
        Ok(&self.ready[self.taken..])
    }

    fn consume(&mut self, amount: usize) {
        self.taken += amount;
    }
}

impl<R: BufRead> Read for Masked<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let ready = self.fill_buf()?;
        let length = ready.len().min(into.len());
        into[..length].copy_from_slice(&ready[..length]);
        self.consume(length);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[test]
    fn what_is_read_in_blocks_is_masked_as_the_whole() {
        let scrubber = crate::scrub::Scrubber::seed();
        let line = format!("password={} and more\n", "hunter2".repeat(3));
        let text = line.repeat(2_000);
        for block in [1, 7, 100, 5_000] {
            let inner = BufReader::with_capacity(block, text.as_bytes());
            let mut masked = String::new();
            Masked::new(inner, &scrubber).read_to_string(&mut masked).unwrap();
            assert_eq!(masked, scrubber.scrub(&text));
        }
    }
}
