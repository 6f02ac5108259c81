//! A text of any length, such as what a command writes: in memory while it is short, and otherwise all of
//! it, or all but its end, in a file without a name, which is gone with whoever holds it.

mod spool;

use std::fs::File;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::buffer::spare_capacity;
use rustix::io::Errno;

pub(crate) use spool::Spool;

/// How much of a text is kept in memory, in bytes.
pub(crate) const IN_MEMORY: usize = 256 * 1024;

/// A text that is complete. Bytes that are no UTF-8 become U+FFFD where it is shown.
#[derive(Debug, Default)]
pub(crate) struct Body {
    pieces: Vec<Piece>,
}

#[derive(Debug)]
enum Piece {
    Text(Vec<u8>),
    Kept { file: Arc<File>, at: u64, length: u64 },
}

impl Piece {
    fn length(&self) -> u64 {
        match self {
            Piece::Text(text) => text.len() as u64,
            Piece::Kept { length, .. } => *length,
        }
    }
}

impl From<String> for Body {
    fn from(text: String) -> Body {
        Body { pieces: vec![Piece::Text(text.into_bytes())] }
    }
}

impl Body {
    /// How many bytes it has.
    pub(crate) fn length(&self) -> u64 {
        self.pieces.iter().map(Piece::length).sum()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.length() == 0
    }

    /// Adds a text.
    pub(crate) fn push(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Text(last)) => last.extend_from_slice(text.as_bytes()),
            _ => self.pieces.push(Piece::Text(text.as_bytes().to_vec())),
        }
    }

    /// Adds a line, on a line of its own.
    pub(crate) fn push_line(&mut self, line: &str) {
        if !self.is_empty() && self.part(self.length() - 1, 1).is_ok_and(|last| last != b"\n") {
            self.push("\n");
        }
        self.push(line);
    }

    /// Adds another one.
    pub(crate) fn append(&mut self, other: Body) {
        for piece in other.pieces {
            match (self.pieces.last_mut(), piece) {
                (Some(Piece::Text(last)), Piece::Text(text)) => last.extend(text),
                (_, piece) => self.pieces.push(piece),
            }
        }
    }

    /// At most so many of its bytes, from one on.
    ///
    /// # Errors
    /// Where the file that holds them cannot be read.
    pub(crate) fn part(&self, from: u64, most: usize) -> io::Result<Vec<u8>> {
        let left = usize::try_from(self.length().saturating_sub(from)).unwrap_or(usize::MAX);
        let mut part = Vec::with_capacity(most.min(left));
        let mut start = 0;
        for piece in &self.pieces {
            let skipped = (from + part.len() as u64).saturating_sub(start);
            let left = piece.length().saturating_sub(skipped);
            let count = (most - part.len()).min(usize::try_from(left).unwrap_or(usize::MAX));
            start += piece.length();
            if count == 0 {
                continue;
            }
            match piece {
                Piece::Text(text) => {
                    let skipped = usize::try_from(skipped).unwrap_or(usize::MAX);
                    part.extend_from_slice(&text[skipped..skipped + count]);
                }
                Piece::Kept { file, at, .. } => {
                    read_at(file, at + skipped, count, &mut part)?;
                }
            }
        }
        Ok(part)
    }

    /// Its beginning: at most so many bytes, and no half of a character.
    ///
    /// # Errors
    /// As [`Body::part`].
    pub(crate) fn head(&self, most: usize) -> io::Result<String> {
        let mut head = self.part(0, most)?;
        if self.length() > most as u64 {
            head.truncate(whole_characters(&head, head.len()));
        }
        Ok(String::from_utf8_lossy(&head).into_owned())
    }

    /// Its end, likewise.
    ///
    /// # Errors
    /// As [`Body::part`].
    pub(crate) fn tail(&self, most: usize) -> io::Result<String> {
        let from = self.length().saturating_sub(most as u64);
        let tail = self.part(from, most)?;
        let cut = if from > 0 { inner_bytes(&tail) } else { 0 };
        Ok(String::from_utf8_lossy(&tail[cut..]).into_owned())
    }
}

/// Adds so many bytes of a file, from one on.
fn read_at(file: &File, at: u64, count: usize, into: &mut Vec<u8>) -> io::Result<()> {
    let before = into.len();
    into.reserve_exact(count);
    while into.len() < before + count {
        let from = at + (into.len() - before) as u64;
        match rustix::io::pread(file, spare_capacity(into), from) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    into.truncate(before + count);
    Ok(())
}

/// Where a tool of toolkeep's own leaves the text of its result, if that is too long for a string.
#[derive(Clone, Debug, Default)]
pub(crate) struct BodySlot(Arc<Mutex<Option<Body>>>);

impl BodySlot {
    pub(crate) fn put(&self, body: Body) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(body);
    }

    pub(crate) fn take(&self) -> Option<Body> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// True for a byte within a character.
pub(crate) fn is_inner(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// How many bytes of a character whose beginning is missing a text starts with.
pub(crate) fn inner_bytes(text: &[u8]) -> usize {
    text.iter().take(3).take_while(|byte| is_inner(**byte)).count()
}

/// The most bytes up to `most` that end with a whole character.
pub(crate) fn whole_characters(text: &[u8], most: usize) -> usize {
    for back in 1..=most.min(3) {
        let needed = match text[most - back] {
            byte if is_inner(byte) => continue,
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf7 => 4,
            _ => 1,
        };
        return if needed > back { most - back } else { most };
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_read_over_all_pieces() {
        let mut spool = Spool::new(2 * IN_MEMORY as u64, 1);
        let long: Vec<u8> = (0..IN_MEMORY + 7).map(|n| b'a' + (n % 26) as u8).collect();
        spool.push(&long);
        let mut body = Body::from("before ".to_owned());
        body.append(spool.finish());
        body.push_line("after");
        let whole = [b"before ", long.as_slice(), b"\nafter"].concat();
        assert_eq!(body.length(), whole.len() as u64);
        for (from, most) in [(0, 3), (5, 10), (0, whole.len()), (whole.len() - 9, 100), (9, 1)] {
            let end = whole.len().min(from + most);
            assert_eq!(body.part(from as u64, most).unwrap(), &whole[from..end]);
        }
        assert_eq!(body.part(whole.len() as u64 + 5, 10).unwrap(), b"");
    }

    #[test]
    fn no_character_is_cut() {
        let body = Body::from("éàü".to_owned());
        assert_eq!(body.head(3).unwrap(), "é");
        assert_eq!(body.tail(3).unwrap(), "ü");
        assert_eq!(body.head(6).unwrap(), "éàü");
        assert_eq!(body.tail(100).unwrap(), "éàü");
    }

    #[test]
    fn a_line_stands_on_its_own() {
        let mut body = Body::default();
        body.push_line("a");
        body.push_line("b\n");
        body.push_line("c");
        assert_eq!(body.head(100).unwrap(), "a\nb\nc");
    }
}
