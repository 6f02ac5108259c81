//! The body of a PEM or PGP key block: lines of base64 and what may stand between them.
//!
//! Key blocks are pasted into code, JSON, YAML, logs and diffs. So the lines of a body may be
//! indented, quoted, numbered or prefixed by a log, and their line ends may be escaped. [`next`]
//! finds the next *piece* of base64 behind a *gap* of such separators, or says that the body is
//! over, or that it must see more text.

use super::End;

/// A run of base64 of at least this many bytes is a piece wherever it stands in a body. Bodies have
/// lines of 64, 70 or 76; no word of prose is that long.
pub(crate) const MIN_LONG_PIECE: usize = 24;
/// The longest gap between two pieces, in bytes: a line end, a deep indentation, a comment mark.
const MAX_GAP: usize = 160;
/// How many bytes of a piece behind a quote are read to see that it is no key of a JSON object.
const MAX_KEY_LENGTH: usize = 512;
/// Two gaps, a short piece and the end mark: the most that stays undecided.
#[cfg(test)]
pub(super) const MAX_UNDECIDED: usize = 2 * MAX_GAP + MAX_KEY_LENGTH + 64;

/// What follows in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextPiece {
    /// A piece of base64, as far as it is visible.
    Piece { start: usize, end: usize },
    /// The body is over.
    Over,
    /// More text is needed to decide.
    More,
}

/// The end of a body that reaches `from`.
pub(super) fn end(text: &[u8], from: usize, last: bool) -> End {
    let mut end = base64_end(text, from);
    loop {
        match next(text, end, last) {
            NextPiece::Piece { end: further, .. } => end = further,
            NextPiece::Over => return End::At(end),
            NextPiece::More => return End::Beyond(end),
        }
    }
}

/// The next piece at or behind `from`. `from` is not inside a piece.
pub(crate) fn next(text: &[u8], from: usize, last: bool) -> NextPiece {
    match next_adjacent(text, from, last) {
        NextPiece::Over => next_in_log_line(text, from, last),
        next => next,
    }
}

/// The next piece, with nothing but separators before it on its line.
fn next_adjacent(text: &[u8], from: usize, last: bool) -> NextPiece {
    let mut gap = Gap::default();
    let mut at = from;
    loop {
        at = gap.skip_separators(text, at, from + MAX_GAP);
        if at >= text.len() {
            return if last { NextPiece::Over } else { NextPiece::More };
        }
        if at >= from + MAX_GAP || text[at..].starts_with(b"----") {
            return NextPiece::Over;
        }
        let end = base64_end(text, at);
        if end == at {
            return undecided_or_over(text, at, last);
        }
        if is_line_number(&text[at..end])
            && text.get(end).is_some_and(|&byte| is_line_number_separator(byte))
        {
            at = end;
            continue;
        }
        return judge_piece(text, at, end, &gap, last);
    }
}

/// The piece at the end of the next line, where a log puts a time or the name of a container before
/// it: a whole line of base64, or the last one before the end mark.
fn next_in_log_line(text: &[u8], from: usize, last: bool) -> NextPiece {
    let behind = &text[from..];
    let here = Line::first(behind);
    if !is_suffix(here.text) {
        return if here.ends || last || here.text.len() > MAX_SUFFIX {
            NextPiece::Over
        } else {
            NextPiece::More
        };
    }
    if !here.ends {
        return if last { NextPiece::Over } else { NextPiece::More };
    }
    let start = from + here.length;
    let line = Line::first(&text[start..]);
    if line.is_long() {
        return NextPiece::Over;
    }
    if !line.ends && !last {
        return NextPiece::More;
    }
    let shown = without_suffix(line.text);
    let length = shown.iter().rev().take_while(|&&byte| is_letter(byte)).count();
    let length = length - colour_suffix_length(shown, length);
    let end = start + shown.len();
    let piece = NextPiece::Piece { start: end - length, end };
    let run = &shown[shown.len() - length..];
    let has = |is: fn(&u8) -> bool| run.iter().any(is);
    let mixed =
        has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit);
    if length >= MIN_WHOLE_LINE && mixed {
        return piece;
    }
    if length == 0 || length >= MIN_WHOLE_LINE {
        return NextPiece::Over;
    }
    let below = Line::first(&text[start + line.length..]);
    let ends_block = memchr::memmem::find(below.text, b"-----END").is_some();
    match ends_block {
        true => piece,
        false if below.ends || below.is_long() || last => NextPiece::Over,
        false => NextPiece::More,
    }
}

/// This much base64 at the end of a log line is a whole line of a body; whole lines have 64 bytes
/// and more.
const MIN_WHOLE_LINE: usize = 60;
/// The longest log line with a piece, with what the log puts before it.
const MAX_LOG_LINE: usize = 200;
/// The longest suffix behind a line, in bytes.
const MAX_SUFFIX: usize = 16;
/// Suffixes that a terminal's colours, `cat -A` and HTML put behind lines.
const SUFFIXES: [&[u8]; 7] = [b"\x1b[0m", b"\x1b[m", b"^M$", b"$", b"<br>", b"<br/>", b"\r"];

/// A line of a text.
struct Line<'t> {
    text: &'t [u8],
    /// Its length with its line end.
    length: usize,
    ends: bool,
}

impl Line<'_> {
    /// The first line of a text, as far as it is read.
    fn first(text: &[u8]) -> Line<'_> {
        let seen = &text[..text.len().min(MAX_LOG_LINE + 1)];
        match memchr::memchr(b'\n', seen) {
            Some(at) => Line { text: &seen[..at], length: at + 1, ends: true },
            None => Line { text: seen, length: seen.len(), ends: false },
        }
    }

    /// True if the line goes on and is already longer than any of a log.
    fn is_long(&self) -> bool {
        !self.ends && self.length > MAX_LOG_LINE
    }
}

/// True if the text is nothing but suffixes of a line.
fn is_suffix(text: &[u8]) -> bool {
    without_suffix(text).is_empty()
}

/// A line without the suffixes that may stand behind it.
pub(crate) fn without_suffix(mut text: &[u8]) -> &[u8] {
    while let Some(less) = SUFFIXES.iter().find_map(|suffix| text.strip_suffix(*suffix)) {
        text = less;
    }
    text
}

/// How many bytes at the end of a line, all letters and digits, end a colour sequence of a
/// terminal: 3 for `32m` of `ESC[1;32m`.
fn colour_suffix_length(line: &[u8], last: usize) -> usize {
    let (before, run) = line.split_at(line.len() - last);
    let digits = run.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mark = before.iter().rev().take(8);
    let opened =
        mark.take_while(|byte| byte.is_ascii_digit() || matches!(byte, b';' | b'[')).count();
    let escaped = opened > 0 && before[..before.len() - opened].last() == Some(&0x1b);
    if escaped && run.get(digits) == Some(&b'm') { digits + 1 } else { 0 }
}

/// True for a byte of base64.
fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// What stands between two pieces.
#[derive(Default)]
struct Gap<'t> {
    line: bool,
    quote: bool,
    /// The quote that ended a string, as it is written, if no such quote has opened another since.
    left: Option<&'t [u8]>,
}

impl<'t> Gap<'t> {
    /// Goes on behind a quote.
    fn pass_quote(&mut self, quote: &'t [u8]) {
        self.quote = true;
        self.left = match self.left {
            None => Some(quote),
            Some(left) if left == quote => None,
            // Nested strings: where they end, no other string begins.
            Some(left) => Some(left),
        };
    }

    /// The next byte that does not separate pieces.
    fn skip_separators(&mut self, text: &'t [u8], mut at: usize, limit: usize) -> usize {
        while at < limit {
            let Some(&byte) = text.get(at) else { break };
            match byte {
                b'\n' | b'\r' => self.line = true,
                b'"' | b'\'' | b'`' => self.pass_quote(&text[at..=at]),
                b'-' if text[at..].starts_with(b"----") => break,
                // A `+` joins quoted lines, or marks a line of a diff. A point joins them in PHP.
                b'+' if base64_end(text, at) == at + 1 => {}
                b'.' if self.left.is_some() => {}
                b' '
                | b'\t'
                | b','
                | b'>'
                | b'#'
                | b'*'
                | b'|'
                | b':'
                | b'('
                | b')'
                | b'-'
                | b';'
                | 0x80..=0xff => {}
                b'\\' | b'%' | b'&' => match escape(&text[at..]) {
                    Some((Escape::Line, length)) => {
                        self.line = true;
                        at += length;
                        continue;
                    }
                    Some((Escape::Quote, length)) => {
                        self.pass_quote(&text[at..at + length]);
                        at += length;
                        continue;
                    }
                    _ => break,
                },
                _ => break,
            }
            at += 1;
        }
        at
    }
}

/// Decides whether the base64 in `text[start..end]` is a piece. A long one is decided by its first
/// bytes alone, so that it can be decided before its end is visible.
fn judge_piece(text: &[u8], start: usize, end: usize, gap: &Gap<'_>, last: bool) -> NextPiece {
    let piece = NextPiece::Piece { start, end };
    let escaped = text.len() - end < 16 && matches!(text.get(end), Some(b'\\' | b'%'));
    let open = !last && (end == text.len() || escaped);
    if is_assignment(&text[start..end.min(start + MIN_LONG_PIECE)]) {
        return NextPiece::Over;
    }
    if gap.quote && end - start < MAX_KEY_LENGTH {
        match is_object_key(text, end, last) {
            _ if open => return NextPiece::More,
            None => return NextPiece::More,
            Some(true) => return NextPiece::Over,
            Some(false) => {}
        }
    }
    if gap.left.is_some() && is_literal(&text[start..end.min(start + MIN_LONG_PIECE)]) {
        return if open && end - start < MIN_LONG_PIECE {
            NextPiece::More
        } else {
            NextPiece::Over
        };
    }
    if end - start >= MIN_LONG_PIECE {
        return piece;
    }
    if open {
        return NextPiece::More;
    }
    let mut behind = Gap::default();
    let after = behind.skip_separators(text, end, end + MAX_GAP);
    if text[after..].starts_with(b"----") {
        return piece;
    }
    if !last && text.len() - after < 16 {
        return NextPiece::More;
    }
    let alone = (gap.line || gap.quote) && (behind.line || behind.quote || after == text.len());
    let word = text[end..after].first().is_some_and(|&byte| matches!(byte, b':' | b'-' | b'('));
    if alone && !word { piece } else { NextPiece::Over }
}

/// True for what may stand behind a string in JSON, as a number or `true` does. It is no line of a
/// key.
fn is_literal(piece: &[u8]) -> bool {
    piece.len() < MIN_LONG_PIECE || piece.iter().all(u8::is_ascii_digit)
}

/// True for `NAME=value`, which is no base64: padding stands only at the end, or before the
/// checksum of a PGP block.
fn is_assignment(piece: &[u8]) -> bool {
    let behind = piece.iter().skip_while(|&&byte| byte != b'=').find(|&&byte| byte != b'=');
    behind.is_some() && piece[0] != b'='
}

/// True if the text that ends at `end` is a key of a JSON object: a quote and a colon follow.
/// `None` if more text is needed.
fn is_object_key(text: &[u8], end: usize, last: bool) -> Option<bool> {
    let rest = &text[end..];
    let skipped = rest.iter().take(8).take_while(|&&byte| byte == b'\\').count();
    let quoted = match rest.get(skipped) {
        Some(b'"' | b'\'') => true,
        Some(_) => false,
        None if last => false,
        None => return None,
    };
    if !quoted {
        return Some(false);
    }
    let rest = &rest[skipped + 1..];
    match rest.iter().take(8).find(|byte| !matches!(byte, b' ' | b'\t')) {
        Some(&byte) => Some(byte == b':'),
        None if last || rest.len() >= 8 => Some(false),
        None => None,
    }
}

/// The answer where neither a piece nor a gap continues: the text may end inside an escape.
fn undecided_or_over(text: &[u8], at: usize, last: bool) -> NextPiece {
    let rest = &text[at..];
    let starts = matches!(rest[0], b'\\' | b'%' | b'&' | b'-');
    if starts && !last && rest.len() < 16 { NextPiece::More } else { NextPiece::Over }
}

/// True for a line number before a line: at most six digits.
fn is_line_number(piece: &[u8]) -> bool {
    piece.len() <= 6 && piece.iter().all(u8::is_ascii_digit)
}

/// True for a byte that separates a line number from its line.
fn is_line_number_separator(byte: u8) -> bool {
    matches!(byte, b'\t' | b' ' | b':' | b'|' | 0x80..=0xff)
}

/// The end of the run of base64 that starts at `at`, with its padding, plain or escaped.
fn base64_end(text: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = text.get(at) {
        at += match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' | b'=' => 1,
            b'\\' | b'%' => match escape(&text[at..]) {
                Some((Escape::Letter, length)) => length,
                _ => break,
            },
            _ => break,
        };
    }
    at
}

/// What an escape sequence means for a body.
enum Escape {
    Line,
    Quote,
    Letter,
}

/// The escape that `text` starts with, and its length: `\n`, `\\n`, `\/`, `\"`, `\u000a`, `%2B`,
/// `&#10;`.
fn escape(text: &[u8]) -> Option<(Escape, usize)> {
    if text.starts_with(b"&#10;") || text.starts_with(b"&#13;") {
        return Some((Escape::Line, 5));
    }
    if text.first() == Some(&b'%') {
        return Some((escape_of_hex(text.get(1..3)?)?, 3));
    }
    let slashes = text.iter().take(8).take_while(|&&byte| byte == b'\\').count();
    if slashes == 0 {
        return None;
    }
    let behind = slashes + 1;
    Some(match text.get(slashes)? {
        b'n' | b'r' | b't' | b'\n' | b'\r' => (Escape::Line, behind),
        b'"' | b'\'' => (Escape::Quote, behind),
        b'/' => (Escape::Letter, behind),
        b'x' => (escape_of_hex(text.get(behind..behind + 2)?)?, behind + 2),
        b'u' if text.get(behind..behind + 2)? == b"00" => {
            (escape_of_hex(text.get(behind + 2..behind + 4)?)?, behind + 4)
        }
        _ => return None,
    })
}

/// What the byte with these two hexadecimal digits is to a body.
fn escape_of_hex(digits: &[u8]) -> Option<Escape> {
    let digits = [digits[0].to_ascii_lowercase(), digits[1].to_ascii_lowercase()];
    Some(match &digits {
        b"0a" | b"0d" | b"09" | b"20" => Escape::Line,
        b"22" | b"27" => Escape::Quote,
        b"2b" | b"2f" | b"3d" => Escape::Letter,
        _ => return None,
    })
}
