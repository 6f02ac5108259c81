//! The lines that a seat writes between the outputs of commands.

/// One of the two outputs of a seat: what is a command's, and the lines that begin with its word.
#[derive(Debug, Default)]
pub(super) struct Marks {
    word: Vec<u8>,
    held: Vec<u8>,
}

impl Marks {
    /// Looks for lines with this word from now on.
    pub(super) fn expect(&mut self, word: &str) {
        self.word = format!("{word} ").into_bytes();
        self.held.clear();
    }

    /// Takes what was written: gives what is the command's to `sink`, and the rest of each line that
    /// begins with the word to `mark`.
    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        mut sink: impl FnMut(&[u8]),
        mut mark: impl FnMut(&str),
    ) {
        self.held.extend_from_slice(bytes);
        let mut from = 0;
        while let Some(at) = memchr::memmem::find(&self.held[from..], &self.word) {
            let at = from + at;
            let rest = at + self.word.len();
            let Some(end) = memchr::memchr(b'\n', &self.held[rest..]) else {
                give(&self.held[from..at], &mut sink);
                self.held.drain(..at);
                return;
            };
            give(&self.held[from..at], &mut sink);
            mark(&String::from_utf8_lossy(&self.held[rest..rest + end]));
            from = rest + end + 1;
        }
        let kept = from + self.held[from..].len() - self.begun(&self.held[from..]);
        give(&self.held[from..kept], &mut sink);
        self.held.drain(..kept);
    }

    /// Gives what was held back, because it could have become a line of the seat's.
    pub(super) fn finish(&mut self, mut sink: impl FnMut(&[u8])) {
        give(&std::mem::take(&mut self.held), &mut sink);
    }

    /// How many of the last bytes may be the beginning of the word.
    fn begun(&self, bytes: &[u8]) -> usize {
        let most = bytes.len().min(self.word.len().saturating_sub(1));
        let fits = |count: &usize| self.word.starts_with(&bytes[bytes.len() - count..]);
        (1..=most).rev().find(fits).unwrap_or(0)
    }
}

fn give(bytes: &[u8], sink: &mut impl FnMut(&[u8])) {
    if !bytes.is_empty() {
        sink(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&str]) -> (String, Vec<String>) {
        let mut marks = Marks::default();
        marks.expect("WORD");
        let (mut text, mut told) = (String::new(), Vec::new());
        for piece in pieces {
            let sink = |bytes: &[u8]| text.push_str(std::str::from_utf8(bytes).unwrap());
            marks.push(piece.as_bytes(), sink, |mark| told.push(mark.to_owned()));
        }
        marks.finish(|bytes| text.push_str(std::str::from_utf8(bytes).unwrap()));
        (text, told)
    }

    #[test]
    fn lines_of_the_seat_are_told_from_output_wherever_it_is_cut() {
        let all = "WORD begin\none WORDS WOR\nno newlineWORD 3 swamped\n";
        let whole = read(&[all]);
        assert_eq!(whole.0, "one WORDS WOR\nno newline");
        assert_eq!(whole.1, ["begin", "3 swamped"]);
        for at in 0..all.len() {
            let (one, other) = all.split_at(at);
            assert_eq!(read(&[one, other]), whole, "cut at {at}");
        }
        let bytes: Vec<String> = all.chars().map(String::from).collect();
        assert_eq!(read(&bytes.iter().map(String::as_str).collect::<Vec<_>>()), whole);
    }

    #[test]
    fn what_only_began_like_one_is_output() {
        assert_eq!(read(&["a WORD"]), ("a WORD".to_owned(), vec![]));
        assert_eq!(read(&["a WOR", "LD"]), ("a WORLD".to_owned(), vec![]));
    }
}
