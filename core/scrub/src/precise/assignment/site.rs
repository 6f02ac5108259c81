//! Sites: where a name starts and ends, how it is quoted, and what stands before it on its line.

use super::super::super::placeholder;
use super::super::super::view::View;
use super::super::name::MAX_NAME;

/// The most backslashes that are counted before a quote.
const MAX_BACKSLASHES: usize = 64;

/// How much of the line before a name is read, in bytes.
pub(super) const MAX_LINE: usize = 256;

/// A quote with the backslashes before it, as it opens or closes a string at some depth of
/// escaping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quote {
    pub byte: u8,
    /// How many backslashes stand before it: 0, 1, 3, 7…
    pub slashes: usize,
}

/// A name in a text.
#[derive(Debug)]
pub(super) struct Site<'t> {
    text: &'t [u8],
    pub start: usize,
    pub end: usize,
    /// How many hyphens stand before the name: 1 or 2 for a flag.
    pub dashes: usize,
    /// The quote directly before the name.
    pub opened: Option<Quote>,
    /// Where the last secret ended.
    floor: usize,
}

/// The span of the name that contains a candidate.
#[derive(Clone, Copy, Debug)]
pub(super) struct NameSpan {
    /// Where the hyphens and dots before the name start.
    run: usize,
    pub start: usize,
    pub end: usize,
    /// How far the text was read to find the end.
    pub read: usize,
}

impl NameSpan {
    /// The name around `at`.
    #[inline]
    pub(super) fn around(text: &[u8], at: usize) -> NameSpan {
        let wide = !text[at].is_ascii();
        let read = at + length(&text[at..], wide);
        if read == at + MAX_NAME {
            return NameSpan::overlong(text, at);
        }
        let behind = text[at.saturating_sub(MAX_NAME)..at].iter().rev();
        let before = if wide { 0 } else { behind.take_while(|&&b| belongs(b)).count() };
        let mut start = at - before;
        if start > 0 && text[start - 1] == b'\\' && matches!(text[start], b'n' | b't' | b'r') {
            // The letter belongs to an escaped line end: `\npassword=`.
            start += usize::from(start < at);
        }
        let run = start;
        while start < read && matches!(text[start], b'-' | b'.') {
            start += 1;
        }
        let mut end = read;
        while end > start && matches!(text[end - 1], b'-' | b'.') {
            end -= 1;
        }
        NameSpan { run, start, end, read }
    }

    /// True if a colon stands before the name and its hyphens and dots.
    #[inline]
    pub(super) fn follows_colon(&self, text: &[u8]) -> bool {
        text[..self.run].last() == Some(&b':')
    }

    /// A name that is too long. All of it is read here, so that it is read only once.
    #[cold]
    fn overlong(text: &[u8], at: usize) -> NameSpan {
        let more = text[at..].iter().take_while(|&&b| b.is_ascii() && belongs(b)).count();
        NameSpan { run: at, start: at, end: at, read: at + more.max(1) }
    }
}

impl<'t> Site<'t> {
    /// The site of a name.
    pub(super) fn new(view: &View<'t>, name_span: NameSpan) -> Site<'t> {
        let text = view.text;
        let NameSpan { run, start, end, read: _ } = name_span;
        let dashes = text[run..start].iter().filter(|&&b| b == b'-').count();
        let opened = if end == start { None } else { quote_before(text, run) };
        Site { text, start, end, dashes, opened, floor: view.floor }
    }

    /// The word before the name, with only blanks and a quote in between; at most 24 bytes.
    pub(super) fn word_before(&self) -> &'t [u8] {
        let quote = self.opened.map_or(0, |quote| quote.slashes + 1);
        let before =
            self.text[..self.start - (quote + self.dashes).min(self.start)].trim_ascii_end();
        let length = before.iter().rev().take(24).take_while(|b| !b.is_ascii_whitespace()).count();
        &before[before.len() - length..]
    }

    /// True if the name opens a tag, with or without a prefix: `<password`, `<db:password`.
    pub(super) fn opens_tag(&self) -> bool {
        if !matches!(self.text[..self.start].last(), Some(b'<' | b':')) {
            return false;
        }
        let line = self.line_before();
        let front = match line {
            [front @ .., b':'] => {
                let prefix = front.iter().rev().take(32).take_while(|b| b.is_ascii_alphanumeric());
                &front[..front.len() - prefix.count()]
            }
            _ => line,
        };
        front.ends_with(b"<")
    }

    /// The name.
    pub(super) fn name(&self) -> &'t [u8] {
        &self.text[self.start..self.end]
    }

    /// The byte before the name and its quote; a line end at the start of the text.
    pub(super) fn before(&self) -> u8 {
        let quote = self.opened.map_or(0, |quote| quote.slashes + 1);
        let at = self.start.checked_sub(self.dashes + quote + 1);
        at.map_or(b'\n', |at| self.text[at])
    }

    /// The line before the name, with its quote, as far as it is read.
    pub(super) fn line_before(&self) -> &'t [u8] {
        let from = self.start.saturating_sub(MAX_LINE);
        let before = &self.text[from..self.start];
        let line = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
        &before[line..]
    }

    /// The text behind the name.
    pub(super) fn behind(&self) -> &'t [u8] {
        &self.text[self.end..]
    }

    /// True for the first word behind a client's prompt: `127.0.0.1:6379> AUTH v`.
    pub(super) fn is_command(&self) -> bool {
        self.line_before().ends_with(b"> ")
    }

    /// The text on the line between the last secret, masked or not, and the name; `None` if no
    /// secret stands before it on the line.
    pub(super) fn behind_secret(&self) -> Option<&'t [u8]> {
        let line = self.start - self.line_before().len();
        let masked = placeholder::end_between(self.text, line, self.start).unwrap_or(0);
        let from = masked.max(self.floor).min(self.start);
        (from > line).then(|| &self.text[from..self.start])
    }
}

/// The bytes of names. Outside ASCII, only the letters that take two bytes: Latin and Cyrillic.
/// Scripts with three bytes a letter are written without blanks, so a name has no start there.
static NAME: [bool; 256] = {
    let mut name = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        name[byte] = (byte as u8).is_ascii_alphanumeric()
            || matches!(byte as u8, b'_' | b'-' | b'.' | 0x80..=0xBF | 0xC3..=0xC5 | 0xD0 | 0xD1);
        byte += 1;
    }
    name
};

#[inline]
/// True for a byte of a name.
fn belongs(byte: u8) -> bool {
    NAME[usize::from(byte)]
}

/// The length of the name that `text` starts in. In a script without blanks it ends before wide
/// punctuation.
#[inline]
fn length(text: &[u8], wide: bool) -> usize {
    if !wide {
        return text.iter().take(MAX_NAME).take_while(|&&b| belongs(b)).count();
    }
    let punctuation = |at: usize| matches!(text[at..], [0xEF, 0xBC, ..] | [0xE3, 0x80, ..]);
    let inside =
        |&(at, &b): &(usize, &u8)| if b.is_ascii() { belongs(b) } else { !punctuation(at) };
    text.iter().enumerate().take(MAX_NAME).take_while(inside).count()
}

/// The quote directly before `at`.
fn quote_before(text: &[u8], at: usize) -> Option<Quote> {
    let byte = *text[..at].last()?;
    is_quote(byte).then(|| Quote { byte, slashes: slashes_before(text, at - 1) })
}

/// True for a quote of any language.
pub(super) fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// How many backslashes stand before `at`, up to 64.
pub(super) fn slashes_before(text: &[u8], at: usize) -> usize {
    text[..at].iter().rev().take(MAX_BACKSLASHES).take_while(|&&b| b == b'\\').count()
}

/// The quote at `at`, with the backslashes before it, and its end.
pub(super) fn quote_at(text: &[u8], at: usize) -> Option<(Quote, usize)> {
    let slashes = text[at..].iter().take(MAX_BACKSLASHES).take_while(|&&b| b == b'\\').count();
    let byte = *text.get(at + slashes)?;
    is_quote(byte).then_some((Quote { byte, slashes }, at + slashes + 1))
}
