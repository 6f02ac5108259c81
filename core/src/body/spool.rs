//! A text in the making, of which the beginning and the end are kept.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Body, IN_MEMORY, Piece, inner_bytes, whole_characters};

/// How long an end may be that stays in memory where the beginning is in a file, in bytes. It is written
/// over and over, which takes a file system three times as long.
const TAIL_IN_MEMORY: u64 = 8 << 20;

/// A text in the making. Positions count its bytes from the first one on.
#[derive(Debug)]
pub(crate) struct Spool {
    place: Place,
    /// How many bytes of the beginning are kept.
    head: u64,
    /// How many bytes are kept of what comes after that: the last ones, one over the other.
    tail: u64,
    total: u64,
    /// From where on nothing could be kept, if the file took no more.
    lost: Option<u64>,
}

#[derive(Debug)]
enum Place {
    Memory(Vec<u8>),
    /// The end too, if it is too long for memory.
    File(Arc<File>),
    /// The beginning in a file, and what comes after it in memory.
    Both(Arc<File>, Vec<u8>),
}

impl Spool {
    /// Keeps so many bytes of the beginning and so many, at least one, of the end.
    pub(crate) fn new(head: u64, tail: u64) -> Spool {
        let place = Place::Memory(Vec::new());
        Spool { place, head, tail: tail.max(1), total: 0, lost: None }
    }

    /// Keeps at most so many bytes: two thirds of them from the beginning.
    pub(crate) fn of_both_ends(most: u64) -> Spool {
        let head = most / 3 * 2;
        Spool::new(head, most - head)
    }

    /// Keeps the last bytes only.
    pub(crate) fn of_the_end(most: u64) -> Spool {
        Spool::new(0, most)
    }

    /// How many bytes there were.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// How many of them are not kept.
    pub(crate) fn dropped(&self) -> u64 {
        let [first, last] = self.kept();
        self.total - (first.1 - first.0) - (last.1 - last.0)
    }

    pub(crate) fn push(&mut self, mut bytes: &[u8]) {
        if self.lost.is_some() {
            self.total += bytes.len() as u64;
            return;
        }
        self.outgrow(bytes.len());
        while !bytes.is_empty() {
            let (at, room) = self.whereabouts(self.total);
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            if self.write(at, now).is_err() {
                self.lost = Some(self.total);
                self.total += bytes.len() as u64;
                return;
            }
            self.total += now.len() as u64;
            bytes = later;
        }
    }

    /// At most so many bytes from a position on, or from the first that is still kept after it; with
    /// the position of the first.
    pub(crate) fn part(&self, from: u64, most: usize) -> (u64, Vec<u8>) {
        let [first, last] = self.kept();
        let from = if from < first.1 { from } else { from.max(last.0) };
        let mut part = Vec::new();
        while part.len() < most {
            let at = from + part.len() as u64;
            let end = if at < first.1 { first.1 } else { last.1 };
            let left = usize::try_from(end.saturating_sub(at)).unwrap_or(usize::MAX);
            let (place, room) = self.whereabouts(at);
            let count = room.min(left).min(most - part.len());
            let before = part.len();
            if count == 0 || self.read(place, count, &mut part).is_err() {
                part.truncate(before);
                break;
            }
        }
        (from, part)
    }

    /// The text, with a note where something is left out.
    pub(crate) fn finish(self) -> Body {
        let dropped = self.dropped();
        let [first, last] = self.kept();
        let mut body = Body::default();
        if dropped == 0 {
            self.give(first.0, last.1, &mut body);
            return body;
        }
        // At most one character is cut on each side, and a broken one is no text.
        let near = first.1.min(4);
        let ending = match near {
            0 => Vec::new(),
            _ => self.part(first.1 - near, usize::try_from(near).unwrap_or(0)).1,
        };
        let cut = (ending.len() - whole_characters(&ending, ending.len())) as u64;
        self.give(first.0, first.1 - cut, &mut body);
        body.push_line(&format!("[{dropped} bytes of output are left out here]\n"));
        let (_, start) = self.part(last.0, 4);
        self.give((last.0 + inner_bytes(&start) as u64).min(last.1), last.1, &mut body);
        body
    }

    /// The two parts that are kept, each from a position up to another. The first may be empty.
    fn kept(&self) -> [(u64, u64); 2] {
        let end = self.lost.unwrap_or(self.total);
        let first = (0, end.min(self.head));
        [first, (first.1.max(end.saturating_sub(self.tail)), end)]
    }

    /// Where a position is kept, and how many more there are in a row.
    fn whereabouts(&self, position: u64) -> (u64, usize) {
        let (at, room) = if position < self.head {
            (position, self.head - position)
        } else {
            let within = (position - self.head) % self.tail;
            (self.head + within, self.tail - within)
        };
        (at, usize::try_from(room).unwrap_or(usize::MAX))
    }

    /// Moves to a file what would take too much memory. Where there can be none, less is kept.
    fn outgrow(&mut self, coming: usize) {
        let Place::Memory(text) = &self.place else { return };
        let grown = text.len() + coming;
        if grown <= IN_MEMORY || self.head + self.tail <= IN_MEMORY as u64 {
            return;
        }
        // An end alone is a log, which may live long.
        let is_apart = self.head > 0 && self.tail <= TAIL_IN_MEMORY;
        let head = usize::try_from(self.head).unwrap_or(usize::MAX).min(text.len());
        let (head, end) = text.split_at(if is_apart { head } else { text.len() });
        match nameless(head).map(Arc::new) {
            Ok(file) if is_apart => {
                let mut tail = Vec::with_capacity(usize::try_from(self.tail).unwrap_or(0));
                tail.extend_from_slice(end);
                self.place = Place::Both(file, tail);
            }
            Ok(file) => self.place = Place::File(file),
            Err(error) => {
                tracing::warn!(%error, "no file could be made for a long output: less of it is kept");
                // What there is fits, and stays where it is.
                self.head = self.head.min(IN_MEMORY as u64 / 3 * 2);
                self.tail = IN_MEMORY as u64 - self.head;
            }
        }
    }

    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        match &mut self.place {
            Place::Memory(text) => write_over(text, at, bytes),
            Place::Both(_, tail) if at >= self.head => write_over(tail, at - self.head, bytes),
            Place::File(file) | Place::Both(file, _) => return file.write_all_at(bytes, at),
        }
        Ok(())
    }

    fn read(&self, at: u64, count: usize, into: &mut Vec<u8>) -> io::Result<()> {
        match &self.place {
            Place::Memory(text) => read_from(text, at, count, into),
            Place::Both(_, tail) if at >= self.head => read_from(tail, at - self.head, count, into),
            Place::File(file) | Place::Both(file, _) => super::read_at(file, at, count, into),
        }
    }

    /// Up to where a file holds it.
    fn in_file(&self) -> u64 {
        match self.place {
            Place::Memory(_) => 0,
            Place::File(_) => u64::MAX,
            Place::Both(..) => self.head,
        }
    }

    /// Adds what stands between two positions to a body, without reading a file.
    fn give(&self, from: u64, to: u64, body: &mut Body) {
        let mut at = from;
        while at < to {
            let (place, room) = self.whereabouts(at);
            let length = (room as u64).min(to - at);
            match &self.place {
                Place::File(file) | Place::Both(file, _) if place < self.in_file() => {
                    let file = file.clone();
                    body.pieces.push(Piece::Kept { file, at: place, length });
                }
                _ => {
                    let (_, text) = self.part(at, usize::try_from(length).unwrap_or(usize::MAX));
                    body.append(Body { pieces: vec![Piece::Text(text)] });
                }
            }
            at += length;
        }
    }
}

/// Writes into a text from a place in it on, over what stands there.
fn write_over(text: &mut Vec<u8>, at: u64, bytes: &[u8]) {
    let at = usize::try_from(at).unwrap_or(text.len()).min(text.len());
    let over = bytes.len().min(text.len() - at);
    text[at..at + over].copy_from_slice(&bytes[..over]);
    text.extend_from_slice(&bytes[over..]);
}

fn read_from(text: &[u8], at: u64, count: usize, into: &mut Vec<u8>) -> io::Result<()> {
    let at = usize::try_from(at).unwrap_or(usize::MAX);
    let part = text.get(at..at.saturating_add(count)).ok_or(io::ErrorKind::UnexpectedEof)?;
    into.extend_from_slice(part);
    Ok(())
}

/// A file without a name that holds this text.
fn nameless(text: &[u8]) -> io::Result<File> {
    let file = tempfile::tempfile_in(folder())?;
    file.write_all_at(text, 0)?;
    Ok(file)
}

/// Where long texts wait: `TMPDIR`, or `/var/tmp`, which is seldom in memory as `/tmp` may be.
fn folder() -> PathBuf {
    let of_system = Path::new("/var/tmp");
    match std::env::var_os("TMPDIR") {
        None if of_system.is_dir() => of_system.to_owned(),
        _ => std::env::temp_dir(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(spool: Spool) -> String {
        let body = spool.finish();
        body.head(1 << 30).unwrap()
    }

    fn of_both_ends(most: u64, pieces: &[&str]) -> String {
        let mut spool = Spool::of_both_ends(most);
        pieces.iter().for_each(|piece| spool.push(piece.as_bytes()));
        text(spool)
    }

    #[test]
    fn what_fits_is_kept_whole() {
        assert_eq!(of_both_ends(9, &["abc", "def", "ghi"]), "abcdefghi");
        assert_eq!(of_both_ends(9, &["abcdefghi"]), "abcdefghi");
        assert_eq!(of_both_ends(9, &[]), "");
    }

    #[test]
    fn of_more_the_beginning_and_the_end_are_kept() {
        let cut = "abcdef\n[4 bytes of output are left out here]\nklm";
        assert_eq!(of_both_ends(9, &["abcdefghijklm"]), cut);
        assert_eq!(of_both_ends(9, &["abcdefg", "hij", "k", "lm"]), cut);
    }

    #[test]
    fn no_character_is_cut() {
        let text = of_both_ends(9, &[&"é".repeat(10)]);
        assert_eq!(text, "ééé\n[11 bytes of output are left out here]\né");
    }

    /// Whatever comes, and however it comes, in memory and in a file.
    #[test]
    fn both_ends_are_kept_whatever_the_pieces() {
        let whole: Vec<u8> = (0..1_500_000_u32).map(|n| b'a' + (n % 23) as u8).collect();
        for (head, tail) in [
            (0, 700),
            (400, 300),
            (0, 900_000),
            (500_000, 400_000),
            (100_000, 300_000),
            (1 << 21, 9),
            (300_000, TAIL_IN_MEMORY + 1),
        ] {
            for piece in [7_919, 262_144, whole.len()] {
                let mut spool = Spool::new(head, tail);
                whole.chunks(piece).for_each(|piece| spool.push(piece));
                let total = whole.len() as u64;
                assert_eq!(spool.total(), total);
                let first = total.min(head);
                let last = first.max(total.saturating_sub(tail));
                assert_eq!(spool.dropped(), last - first);
                let (from, part) = spool.part(last, usize::MAX);
                assert_eq!((from, part.as_slice()), (last, &whole[last as usize..]));
                let (from, part) = spool.part(0, 100);
                let expected = if first > 0 { 0 } else { last };
                assert_eq!(from, expected);
                assert_eq!(part, &whole[from as usize..from as usize + 100]);
                let text = text(spool);
                let kept = format!("{}", String::from_utf8_lossy(&whole[last as usize..]));
                assert!(text.ends_with(&kept));
                assert!(text.as_bytes().starts_with(&whole[..first as usize]));
            }
        }
    }
}
