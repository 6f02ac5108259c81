//! Separates the lines that a shell session writes about itself from the output of its command.

/// Splits one of the two outputs of a session into the command's output and the session's own lines,
/// which begin with its word.
#[derive(Debug, Default)]
pub(super) struct Marks {
    word: Vec<u8>,
    held: Vec<u8>,
}

/// A part of what was written.
#[derive(Debug)]
pub(super) enum Part<'b> {
    /// The command's.
    Output(&'b [u8]),
    /// The rest of a line that begins with the word.
    Mark(&'b str),
}

impl Marks {
    /// Looks for lines with this word from now on.
    pub(super) fn expect(&mut self, word: &str) {
        self.word = format!("{word} ").into_bytes();
        self.held.clear();
    }

    /// Takes what was written and gives its parts, one after the other.
    pub(super) fn push(&mut self, bytes: &[u8], mut part: impl FnMut(Part<'_>)) {
        self.held.extend_from_slice(bytes);
        let mut from = 0;
        while let Some(at) = memchr::memmem::find(&self.held[from..], &self.word) {
            let at = from + at;
            let rest = at + self.word.len();
            let Some(end) = memchr::memchr(b'\n', &self.held[rest..]) else {
                give(&self.held[from..at], &mut part);
                self.held.drain(..at);
                return;
            };
            give(&self.held[from..at], &mut part);
            part(Part::Mark(&String::from_utf8_lossy(&self.held[rest..rest + end])));
            from = rest + end + 1;
        }
        let kept = from + self.held[from..].len() - self.begun(&self.held[from..]);
        give(&self.held[from..kept], &mut part);
        self.held.drain(..kept);
    }

    /// Gives what was held back because it could have become a line of the session's.
    pub(super) fn finish(&mut self, mut part: impl FnMut(Part<'_>)) {
        give(&std::mem::take(&mut self.held), &mut part);
    }

    /// How many of the last bytes may be the beginning of the word.
    fn begun(&self, bytes: &[u8]) -> usize {
        let most = bytes.len().min(self.word.len().saturating_sub(1));
        let fits = |count: &usize| self.word.starts_with(&bytes[bytes.len() - count..]);
        (1..=most).rev().find(fits).unwrap_or(0)
    }
}

fn give(bytes: &[u8], part: &mut impl FnMut(Part<'_>)) {
    if !bytes.is_empty() {
        part(Part::Output(bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&str]) -> (String, Vec<String>) {
        let mut marks = Marks::default();
        marks.expect("WORD");
        let (mut text, mut report) = (String::new(), Vec::new());
        let mut part = |part: Part<'_>| match part {
            Part::Output(bytes) => text.push_str(std::str::from_utf8(bytes).unwrap()),
            Part::Mark(mark) => report.push(mark.to_owned()),
        };
        pieces.iter().for_each(|piece| marks.push(piece.as_bytes(), &mut part));
        marks.finish(&mut part);
        (text, report)
    }

    #[test]
    fn lines_of_the_session_are_distinguished_from_output_wherever_it_is_cut() {
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
