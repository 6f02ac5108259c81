//! What is kept of an output: all of it, or its beginning and its end.

use std::collections::VecDeque;

/// An output as far as it is kept.
#[derive(Debug)]
pub(crate) struct Captured {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    most: usize,
    total: u64,
}

impl Captured {
    /// Keeps at most so many bytes: two thirds of them from the beginning.
    pub(crate) fn new(most: usize) -> Captured {
        Captured { head: Vec::new(), tail: VecDeque::new(), most, total: 0 }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = self.head_room();
        let (first, rest) = bytes.split_at(bytes.len().min(room - self.head.len()));
        self.head.extend(first);
        let most = self.most - room;
        let rest = &rest[rest.len().saturating_sub(most)..];
        let over = (self.tail.len() + rest.len()).saturating_sub(most);
        self.tail.drain(..over);
        self.tail.extend(rest);
    }

    fn head_room(&self) -> usize {
        self.most / 3 * 2
    }

    /// How many bytes there were.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// How many of them are not kept.
    pub(crate) fn dropped(&self) -> u64 {
        self.total - self.head.len() as u64 - self.tail.len() as u64
    }

    /// The text, with a note where something is left out. Bytes that are no UTF-8 become U+FFFD.
    pub(crate) fn text(mut self) -> String {
        let dropped = self.dropped();
        if dropped == 0 {
            self.head.extend(self.tail);
            return text(&self.head);
        }
        // At most one character is cut on each side, and a broken one is no text.
        let tail: Vec<u8> = self.tail.into();
        let tail = &tail[tail.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count()..];
        let head = match std::str::from_utf8(&self.head) {
            Err(error) if error.error_len().is_none() => &self.head[..error.valid_up_to()],
            _ => &self.head,
        };
        let (head, tail) = (text(head), text(tail));
        format!("{head}\n[{dropped} bytes of output are left out here]\n{tail}")
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(most: usize, pieces: &[&str]) -> String {
        let mut captured = Captured::new(most);
        pieces.iter().for_each(|piece| captured.push(piece.as_bytes()));
        captured.text()
    }

    #[test]
    fn what_fits_is_kept_whole() {
        assert_eq!(captured(9, &["abc", "def", "ghi"]), "abcdefghi");
        assert_eq!(captured(9, &["abcdefghi"]), "abcdefghi");
        assert_eq!(captured(9, &[]), "");
    }

    #[test]
    fn of_more_the_beginning_and_the_end_are_kept() {
        let cut = "abcdef\n[4 bytes of output are left out here]\nklm";
        assert_eq!(captured(9, &["abcdefghijklm"]), cut);
        assert_eq!(captured(9, &["abcdefg", "hij", "k", "lm"]), cut);
    }

    #[test]
    fn no_character_is_cut() {
        let text = captured(9, &[&"é".repeat(10)]);
        assert_eq!(text, "ééé\n[11 bytes of output are left out here]\né");
    }
}
