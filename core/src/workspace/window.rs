//! A page of lines out of a stream of any length.
//!
//! Knows nothing of files: stored artifacts are paged with the same code. Reads block by block, keeps
//! no more than the page, and goes on only to count lines, not without end.

use std::io::{self, BufRead};
use std::str;

use crate::limits;

/// Which part of a text to show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadRange {
    /// The first line to show; the first line of the text is 0.
    pub offset: usize,
    /// The most lines to show; `None` for no such limit. Zero shows none and only counts.
    pub limit: Option<usize>,
    /// How many characters of the first line to leave out: where the page before cut a long line.
    pub column: usize,
    /// The most bytes to show; `None` for no such limit. At least one character is shown.
    pub max_bytes: Option<usize>,
}

/// Where the next page begins; a [`ReadRange`] of these two continues without gap or overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line, from 0.
    pub offset: usize,
    /// The character within the line, from 0. Not zero only after a line that was cut.
    pub column: usize,
}

/// A page of text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadText {
    /// The lines with their line ends as they are. Empty if the range begins beyond the end.
    pub text: String,
    /// The line of the first character, from 0.
    pub first_line: usize,
    /// How many lines are shown; one of which only a part is shown counts.
    pub lines_shown: usize,
    /// How many lines the whole text has, or how many were counted. A line end at the very end begins
    /// no further line.
    pub total_lines: usize,
    /// True if there may be more lines: they are counted up to 32 MiB behind a page.
    pub may_be_more: bool,
    /// Where to go on; `None` if the end was reached.
    pub next: Option<Position>,
    /// True if bytes of the page were no UTF-8 and are shown as U+FFFD.
    pub lossy: bool,
    /// True if control characters of terminals are left out of the text.
    pub cleaned: bool,
}

/// How much is read behind a page to count lines.
const COUNTED_BYTES: usize = 32 << 20;

/// The lines of `reader` within `range`, at most `max_chars` characters of them (at least one).
///
/// A page ends between two lines where it can. Only a line that is longer than the cap by itself is
/// cut, between two characters, and `next` then points into it.
///
/// A page that shows something is followed by at most 32 MiB in which lines are counted.
///
/// # Errors
///
/// Those of the reader.
pub fn window(
    mut reader: impl BufRead,
    range: ReadRange,
    max_chars: usize,
) -> io::Result<ReadText> {
    let mut page = Page::new(range, max_chars.max(1));
    let mut behind = 0;
    loop {
        let block = match reader.fill_buf() {
            Ok(block) => block,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if block.is_empty() {
            return Ok(page.finish());
        }
        if behind > COUNTED_BYTES && range.limit != Some(0) {
            return Ok(ReadText { may_be_more: true, ..page.finish() });
        }
        page.take(block);
        let taken = block.len();
        reader.consume(taken);
        if page.closed.is_some() {
            behind += taken;
        }
    }
}

struct Page {
    range: ReadRange,
    max_chars: usize,
    /// The line that the next byte belongs to.
    line: usize,
    /// True if that line has bytes already.
    line_begun: bool,
    text: String,
    chars: usize,
    /// Where the current line begins in `text`.
    line_start: usize,
    whole_lines: usize,
    /// Characters of the first line still to leave out.
    skip: usize,
    /// The begin of a character whose rest is in the next block.
    carry: Vec<u8>,
    lossy: bool,
    /// Set once nothing more is shown: where the next page begins, if there is so much text.
    closed: Option<Position>,
    cut: bool,
}

impl Page {
    fn new(range: ReadRange, max_chars: usize) -> Page {
        let start = Position { offset: range.offset, column: range.column };
        Page {
            range,
            max_chars,
            line: 0,
            line_begun: false,
            text: String::new(),
            chars: 0,
            line_start: 0,
            whole_lines: 0,
            skip: range.column,
            carry: Vec::new(),
            lossy: false,
            closed: (range.limit == Some(0)).then_some(start),
            cut: false,
        }
    }

    fn take(&mut self, mut block: &[u8]) {
        while let Some(&last) = block.last() {
            if self.closed.is_some() {
                self.line += memchr::memchr_iter(b'\n', block).count();
                self.line_begun = last != b'\n';
                return;
            }
            let end = memchr::memchr(b'\n', block).map(|at| at + 1);
            let (piece, rest) = block.split_at(end.unwrap_or(block.len()));
            if self.line >= self.range.offset {
                self.show(piece);
            }
            if end.is_some() {
                self.end_line();
            }
            self.line_begun = end.is_none();
            block = rest;
        }
    }

    fn end_line(&mut self) {
        let shown = self.line >= self.range.offset && self.closed.is_none();
        self.line += 1;
        if shown {
            self.whole_lines += 1;
            self.line_start = self.text.len();
            self.skip = 0;
            if self.range.limit == Some(self.whole_lines) {
                self.closed = Some(Position { offset: self.line, column: 0 });
            }
        }
    }

    /// Decodes bytes of the current line. Decoding begins anew with each line, so a column means the
    /// same on every page.
    fn show(&mut self, piece: &[u8]) {
        let mut joined = std::mem::take(&mut self.carry);
        let mut bytes = if joined.is_empty() {
            piece
        } else {
            joined.extend_from_slice(piece);
            &joined
        };
        while !bytes.is_empty() && self.closed.is_none() {
            let (valid, problem) = match str::from_utf8(bytes) {
                Ok(text) => (text, None),
                Err(error) => {
                    let valid = &bytes[..error.valid_up_to()];
                    (str::from_utf8(valid).unwrap_or_default(), Some(error.error_len()))
                }
            };
            bytes = &bytes[valid.len()..];
            self.push(valid);
            match problem {
                None => {}
                Some(Some(length)) => {
                    bytes = &bytes[length..];
                    self.push_replacement();
                }
                Some(None) => {
                    self.carry = bytes.to_vec();
                    return;
                }
            }
        }
    }

    fn push_replacement(&mut self) {
        let before = self.text.len();
        self.push("\u{fffd}");
        self.lossy |= self.text.len() > before;
    }

    fn push(&mut self, mut text: &str) {
        if self.closed.is_some() {
            return;
        }
        if self.skip > 0 {
            let Some((start, _)) = text.char_indices().nth(self.skip) else {
                self.skip -= text.chars().count();
                return;
            };
            self.skip = 0;
            text = &text[start..];
        }
        let end = self.room_in(text);
        let shown = &text[..end.unwrap_or(text.len())];
        self.text.push_str(shown);
        self.chars += shown.chars().count();
        if end.is_some() {
            self.close_within_line();
        }
    }

    /// Where the page is full in a text that is to follow; none if all of it has room.
    fn room_in(&self, text: &str) -> Option<usize> {
        let room = self.max_chars - self.chars;
        let by_chars = text.char_indices().nth(room).map(|(end, _)| end);
        let Some(most) = self.range.max_bytes else { return by_chars };
        let room = most.saturating_sub(self.text.len());
        if text.len() <= room {
            return by_chars;
        }
        let first = if self.text.is_empty() { text.chars().next() } else { None };
        let least = first.map_or(0, char::len_utf8);
        let by_bytes = limits::prefix_of_bytes(text, room).len().max(least);
        // All of it may be a single character, which is always shown.
        Some(by_bytes.min(by_chars.unwrap_or(by_bytes))).filter(|end| *end < text.len())
    }

    /// The page is full in the middle of the current line.
    fn close_within_line(&mut self) {
        if self.whole_lines > 0 {
            self.text.truncate(self.line_start);
            self.closed = Some(Position { offset: self.line, column: 0 });
        } else {
            self.cut = true;
            let column = self.range.column + self.chars;
            self.closed = Some(Position { offset: self.line, column });
        }
    }

    fn finish(mut self) -> ReadText {
        if !self.carry.is_empty() {
            self.push_replacement();
        }
        let total_lines = self.line + usize::from(self.line_begun);
        let ends_shown = self.closed.is_none() && self.line_begun && self.line >= self.range.offset;
        ReadText {
            text: self.text,
            first_line: self.range.offset,
            lines_shown: self.whole_lines + usize::from(ends_shown || self.cut),
            total_lines,
            may_be_more: false,
            next: self.closed.filter(|next| next.offset < total_lines),
            lossy: self.lossy,
            cleaned: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn page(text: &[u8], offset: usize, limit: Option<usize>, max_chars: usize) -> ReadText {
        window(text, ReadRange { offset, limit, ..ReadRange::default() }, max_chars).unwrap()
    }

    /// Every page from the start, read in blocks of `block` bytes.
    fn all_pages(
        text: &[u8],
        limit: Option<usize>,
        max_chars: usize,
        block: usize,
    ) -> Vec<ReadText> {
        let mut pages: Vec<ReadText> = Vec::new();
        let mut range = ReadRange { limit, ..ReadRange::default() };
        loop {
            let reader = BufReader::with_capacity(block, text);
            let page = window(reader, range, max_chars).unwrap();
            let next = page.next;
            assert!(page.text.chars().count() <= max_chars);
            pages.push(page);
            let Some(next) = next else { return pages };
            assert!(pages.len() < 10_000, "paging makes no progress");
            range = ReadRange { offset: next.offset, column: next.column, ..range };
        }
    }

    #[test]
    fn a_page_has_no_more_bytes_than_asked_for_and_goes_on_where_it_was_cut() {
        let text = "ä€\nééééé\nx\n";
        for most in 1..=text.len() + 1 {
            let mut range = ReadRange { max_bytes: Some(most), ..ReadRange::default() };
            let mut whole = String::new();
            loop {
                let page = window(text.as_bytes(), range, 100).unwrap();
                assert!(page.text.len() <= most || page.text.chars().count() == 1, "{page:?}");
                whole.push_str(&page.text);
                let Some(next) = page.next else { break };
                range = ReadRange { offset: next.offset, column: next.column, ..range };
            }
            assert_eq!(whole, text, "{most}");
        }
    }

    #[test]
    fn a_trailing_line_end_begins_no_further_line() {
        for (text, lines) in [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("a\n\n", 2), ("\n", 1)] {
            let page = page(text.as_bytes(), 0, None, 100);
            assert_eq!((page.total_lines, page.lines_shown), (lines, lines), "{text:?}");
            assert_eq!((page.text.as_str(), page.next), (text, None), "{text:?}");
        }
    }

    #[test]
    fn a_limit_ends_the_page_and_names_the_next_line() {
        let page = page(b"a\r\nb\nc\nd\n", 1, Some(2), 100);
        assert_eq!(page.text, "b\nc\n");
        assert_eq!((page.first_line, page.lines_shown, page.total_lines), (1, 2, 4));
        assert_eq!(page.next, Some(Position { offset: 3, column: 0 }));
    }

    #[test]
    fn crlf_is_kept() {
        assert_eq!(page(b"a\r\nb\r\n", 0, Some(1), 100).text, "a\r\n");
    }

    #[test]
    fn the_last_page_has_no_next() {
        assert_eq!(page(b"a\nb\n", 1, Some(1), 100).next, None);
        assert_eq!(page(b"a\nb", 1, Some(1), 100).next, None);
        assert_eq!(page(b"a\nb", 0, None, 3).next, None);
    }

    #[test]
    fn a_range_beyond_the_end_shows_nothing_and_counts_the_lines() {
        let page = page(b"a\nb\n", 9, None, 100);
        assert_eq!((page.text.as_str(), page.lines_shown, page.total_lines), ("", 0, 2));
        assert_eq!((page.first_line, page.next), (9, None));
    }

    #[test]
    fn a_limit_of_zero_only_counts() {
        let page = page(b"a\nb\n", 1, Some(0), 100);
        assert_eq!((page.text.as_str(), page.lines_shown, page.total_lines), ("", 0, 2));
        assert_eq!(page.next, Some(Position { offset: 1, column: 0 }));
    }

    #[test]
    fn a_page_ends_between_two_lines_where_it_can() {
        let page = page("ab\nçd\nef\n".as_bytes(), 0, None, 8);
        assert_eq!(page.text, "ab\nçd\n");
        assert_eq!(page.next, Some(Position { offset: 2, column: 0 }));
    }

    #[test]
    fn a_line_longer_than_the_cap_is_cut_between_characters() {
        let page = page("é🦀é🦀\nx".as_bytes(), 0, None, 3);
        assert_eq!((page.text.as_str(), page.lines_shown), ("é🦀é", 1));
        assert_eq!(page.next, Some(Position { offset: 0, column: 3 }));
        let range = ReadRange { column: 3, ..ReadRange::default() };
        let rest = window("é🦀é🦀\nx".as_bytes(), range, 3).unwrap();
        assert_eq!((rest.text.as_str(), rest.lines_shown, rest.next), ("🦀\nx", 2, None));
    }

    #[test]
    fn lines_far_behind_a_page_are_not_counted_and_the_result_says_so() {
        let text = vec![b'\n'; COUNTED_BYTES + 3 * 4096];
        let range = ReadRange { limit: Some(1), ..ReadRange::default() };
        let read = |text| window(BufReader::with_capacity(4096, text), range, 10).unwrap();
        let page = read(&text[..]);
        assert!(page.may_be_more && page.total_lines > COUNTED_BYTES, "{}", page.total_lines);
        assert_eq!(page.next, Some(Position { offset: 1, column: 0 }));
        let page = read(&text[..COUNTED_BYTES]);
        assert_eq!((page.may_be_more, page.total_lines), (false, COUNTED_BYTES));
        let range = ReadRange { offset: COUNTED_BYTES + 5, ..range };
        let page = window(BufReader::with_capacity(4096, &text[..]), range, 10).unwrap();
        assert_eq!((page.text.as_str(), page.may_be_more), ("\n", false));
    }

    #[test]
    fn a_huge_single_line_paged_to_the_end_is_the_original() {
        let text = "0123456789é".repeat(20_000);
        let pages = all_pages(text.as_bytes(), None, 7_001, 4096);
        assert_eq!(pages.iter().map(|page| page.text.as_str()).collect::<String>(), text);
        assert!(pages.iter().all(|page| page.total_lines == 1 && !page.lossy));
    }

    #[test]
    fn pages_of_any_text_in_any_blocks_join_to_the_text() {
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = move |below: usize| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed % below as u64) as usize
        };
        let alphabet: [&[u8]; 9] = [
            b"a",
            b"\n",
            b"\r\n",
            "é".as_bytes(),
            "🦀".as_bytes(),
            b"\xff",
            b"\xf0\x9f",
            b"b",
            b"\0",
        ];
        for _ in 0..1000 {
            let text: Vec<u8> =
                (0..random(40)).flat_map(|_| alphabet[random(alphabet.len())].to_vec()).collect();
            let limit = [None, Some(1), Some(3)][random(3)];
            let pages = all_pages(&text, limit, 1 + random(12), 1 + random(7));
            let joined: String = pages.iter().map(|page| page.text.as_str()).collect();
            let whole = String::from_utf8_lossy(&text);
            assert_eq!(joined, whole);
            assert!(
                pages.iter().all(|page| page.total_lines == whole.split_inclusive('\n').count())
            );
            let lossy = pages.iter().any(|page| page.lossy);
            assert_eq!(lossy, str::from_utf8(&text).is_err());
        }
    }
}
