//! The body of a key block: lines of base64, whatever stands between them: indentation, escapes
//! for the line ends, quotes around each line, line numbers, marks of a diff, what a log puts before
//! each line.

use super::End;

/// A piece of at least this many bytes is part of a body wherever it stands in it. Bodies have
/// lines of 64, 70 or 76; no word of prose is as long.
pub(crate) const LONG: usize = 24;
/// The most bytes between two pieces: a line end, a deep indentation, a comment mark.
const BETWEEN: usize = 160;
/// How far a piece behind a quote is read, to see that it is no key of an object.
const NAME: usize = 512;
/// Between a piece and the next: both gaps, a short piece, and the mark of the end.
#[cfg(test)]
pub(super) const HOLD: usize = 2 * BETWEEN + NAME + 64;

/// What follows in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// A piece of base64 of the body, as far as it can be seen.
    Piece { start: usize, end: usize },
    /// Nothing that belongs to it.
    Over,
    /// More text must be seen.
    More,
}

/// The end of the body that has reached `from`.
pub(super) fn end(text: &[u8], from: usize, last: bool) -> End {
    let mut end = run(text, from);
    loop {
        match next(text, end, last) {
            Next::Piece { end: further, .. } => end = further,
            Next::Over => return End::At(end),
            Next::More => return End::Beyond(end),
        }
    }
}

/// The next piece of a body at or behind `from`, which is not inside a piece.
pub(crate) fn next(text: &[u8], from: usize, last: bool) -> Next {
    match close(text, from, last) {
        Next::Over => logged(text, from, last),
        next => next,
    }
}

/// The next piece with nothing before it on its line but what separates pieces.
fn close(text: &[u8], from: usize, last: bool) -> Next {
    let mut gap = Gap::default();
    let mut at = from;
    loop {
        at = gap.skip(text, at, from + BETWEEN);
        if at >= text.len() {
            return if last { Next::Over } else { Next::More };
        }
        if at >= from + BETWEEN || text[at..].starts_with(b"----") {
            return Next::Over;
        }
        let end = run(text, at);
        if end == at {
            return cut(text, at, last);
        }
        if is_gutter(&text[at..end]) && text.get(end).is_some_and(|&byte| is_mark(byte)) {
            at = end;
            continue;
        }
        return weigh(text, at, end, &gap, last);
    }
}

/// The piece at the end of the next line, behind a time, the name of a container or whatever else a log
/// puts there: a whole line of base64, or the last one before the mark of the end.
fn logged(text: &[u8], from: usize, last: bool) -> Next {
    let behind = &text[from..];
    let here = Line::first(behind);
    if !is_suffix(here.text) {
        return if here.ends || last || here.text.len() > SUFFIX { Next::Over } else { Next::More };
    }
    if !here.ends {
        return if last { Next::Over } else { Next::More };
    }
    let start = from + here.length;
    let line = Line::first(&text[start..]);
    if line.is_long() {
        return Next::Over;
    }
    if !line.ends && !last {
        return Next::More;
    }
    let shown = without_suffix(line.text);
    let length = shown.iter().rev().take_while(|&&byte| is_letter(byte)).count();
    let length = length - colour(shown, length);
    let end = start + shown.len();
    let piece = Next::Piece { start: end - length, end };
    let run = &shown[shown.len() - length..];
    let has = |is: fn(&u8) -> bool| run.iter().any(is);
    let mixed =
        has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit);
    if length >= WHOLE && mixed {
        return piece;
    }
    if length == 0 || length >= WHOLE {
        return Next::Over;
    }
    let below = Line::first(&text[start + line.length..]);
    let ends_block = memchr::memmem::find(below.text, b"-----END").is_some();
    match ends_block {
        true => piece,
        false if below.ends || below.is_long() || last => Next::Over,
        false => Next::More,
    }
}

/// So much base64 at the end of a line is a whole line of a body, which has 64 and more.
const WHOLE: usize = 60;
/// How long such a line may be, with what a log puts before it.
const LOGGED: usize = 200;
/// The longest of what may stand behind a line, all of it.
const SUFFIX: usize = 16;
/// What is put behind lines: by a terminal's colours, by `cat -A`, in HTML.
const SUFFIXES: [&[u8]; 7] = [b"\x1b[0m", b"\x1b[m", b"^M$", b"$", b"<br>", b"<br/>", b"\r"];

/// A line of a text.
struct Line<'t> {
    text: &'t [u8],
    /// How long it is with its end.
    length: usize,
    ends: bool,
}

impl Line<'_> {
    /// The first one, as far as it matters.
    fn first(text: &[u8]) -> Line<'_> {
        let seen = &text[..text.len().min(LOGGED + 1)];
        match memchr::memchr(b'\n', seen) {
            Some(at) => Line { text: &seen[..at], length: at + 1, ends: true },
            None => Line { text: seen, length: seen.len(), ends: false },
        }
    }

    fn is_long(&self) -> bool {
        !self.ends && self.length > LOGGED
    }
}

/// True if nothing but what may stand behind a line does.
fn is_suffix(text: &[u8]) -> bool {
    without_suffix(text).is_empty()
}

/// A line without what may stand behind it.
pub(crate) fn without_suffix(mut text: &[u8]) -> &[u8] {
    while let Some(less) = SUFFIXES.iter().find_map(|suffix| text.strip_suffix(*suffix)) {
        text = less;
    }
    text
}

/// How many of the last bytes of a line, all of them letters and digits, end the mark of a colour:
/// the `32m` of `ESC[1;32m`.
fn colour(line: &[u8], last: usize) -> usize {
    let (before, run) = line.split_at(line.len() - last);
    let digits = run.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mark = before.iter().rev().take(8);
    let opened =
        mark.take_while(|byte| byte.is_ascii_digit() || matches!(byte, b';' | b'[')).count();
    let escaped = opened > 0 && before[..before.len() - opened].last() == Some(&0x1b);
    if escaped && run.get(digits) == Some(&b'm') { digits + 1 } else { 0 }
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// What stands between two pieces.
#[derive(Default)]
struct Gap<'t> {
    line: bool,
    quote: bool,
    /// The quote that ended a string, as it is written, where none like it has begun another.
    left: Option<&'t [u8]>,
}

impl<'t> Gap<'t> {
    fn pass_quote(&mut self, quote: &'t [u8]) {
        self.quote = true;
        self.left = match self.left {
            None => Some(quote),
            Some(left) if left == quote => None,
            // Strings in strings: where they end, no other begins.
            Some(left) => Some(left),
        };
    }

    /// Where the next byte is that does not separate pieces.
    fn skip(&mut self, text: &'t [u8], mut at: usize, until: usize) -> usize {
        while at < until {
            let Some(&byte) = text.get(at) else { break };
            match byte {
                b'\n' | b'\r' => self.line = true,
                b'"' | b'\'' | b'`' => self.pass_quote(&text[at..=at]),
                b'-' if text[at..].starts_with(b"----") => break,
                // A `+` joins quoted lines, or marks a line of a diff; a point joins them in PHP.
                b'+' if run(text, at) == at + 1 => {}
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

/// Whether the run of base64 in `text[start..end]` is a piece of the body. A long one is judged by
/// its first bytes alone, so that it may be judged before its end is seen.
fn weigh(text: &[u8], start: usize, end: usize, gap: &Gap<'_>, last: bool) -> Next {
    let piece = Next::Piece { start, end };
    let escaped = text.len() - end < 16 && matches!(text.get(end), Some(b'\\' | b'%'));
    let open = !last && (end == text.len() || escaped);
    if assigns(&text[start..end.min(start + LONG)]) {
        return Next::Over;
    }
    if gap.quote && end - start < NAME {
        match names(text, end, last) {
            _ if open => return Next::More,
            None => return Next::More,
            Some(true) => return Next::Over,
            Some(false) => {}
        }
    }
    if gap.left.is_some() && is_literal(&text[start..end.min(start + LONG)]) {
        return if open && end - start < LONG { Next::More } else { Next::Over };
    }
    if end - start >= LONG {
        return piece;
    }
    if open {
        return Next::More;
    }
    let mut behind = Gap::default();
    let after = behind.skip(text, end, end + BETWEEN);
    if text[after..].starts_with(b"----") {
        return piece;
    }
    if !last && text.len() - after < 16 {
        return Next::More;
    }
    let alone = (gap.line || gap.quote) && (behind.line || behind.quote || after == text.len());
    let word = text[end..after].first().is_some_and(|&byte| matches!(byte, b':' | b'-' | b'('));
    if alone && !word { piece } else { Next::Over }
}

/// True if this, the beginning of what stands behind a string, may stand there in JSON, as a number
/// or `true` does: it is no line of a key.
fn is_literal(piece: &[u8]) -> bool {
    piece.len() < LONG || piece.iter().all(u8::is_ascii_digit)
}

/// `NAME=value` is no base64: padding stands at the end, or before the checksum of a PGP block.
fn assigns(piece: &[u8]) -> bool {
    let behind = piece.iter().skip_while(|&&byte| byte != b'=').find(|&&byte| byte != b'=');
    behind.is_some() && piece[0] != b'='
}

/// True if what ends at `end` is the key of an object: a quote and a colon follow.
fn names(text: &[u8], end: usize, last: bool) -> Option<bool> {
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

/// What to say where neither a piece nor a gap goes on: an escape may be cut by the end.
fn cut(text: &[u8], at: usize, last: bool) -> Next {
    let rest = &text[at..];
    let starts = matches!(rest[0], b'\\' | b'%' | b'&' | b'-');
    if starts && !last && rest.len() < 16 { Next::More } else { Next::Over }
}

/// A line number before a line: digits, and a mark or a blank behind.
fn is_gutter(piece: &[u8]) -> bool {
    piece.len() <= 6 && piece.iter().all(u8::is_ascii_digit)
}

fn is_mark(byte: u8) -> bool {
    matches!(byte, b'\t' | b' ' | b':' | b'|' | 0x80..=0xff)
}

/// The end of the run of base64 that starts at `at`: its alphabet and padding, plain or
/// escaped.
fn run(text: &[u8], mut at: usize) -> usize {
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

/// What an escape stands for.
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
        return Some((meaning(text.get(1..3)?)?, 3));
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
        b'x' => (meaning(text.get(behind..behind + 2)?)?, behind + 2),
        b'u' if text.get(behind..behind + 2)? == b"00" => {
            (meaning(text.get(behind + 2..behind + 4)?)?, behind + 4)
        }
        _ => return None,
    })
}

/// What the byte with these two hexadecimal digits is to a body.
fn meaning(digits: &[u8]) -> Option<Escape> {
    let digits = [digits[0].to_ascii_lowercase(), digits[1].to_ascii_lowercase()];
    Some(match &digits {
        b"0a" | b"0d" | b"09" | b"20" => Escape::Line,
        b"22" | b"27" => Escape::Quote,
        b"2b" | b"2f" | b"3d" => Escape::Letter,
        _ => return None,
    })
}
