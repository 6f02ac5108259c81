//! Breaks: what may stand inside a value without being part of it. The ends of lines that it was
//! wrapped into, and invisible characters.

/// Line ends, the longest first: plain ones, also behind the `\` of a shell or the `=` of
/// quoted-printable; escaped ones, once or twice, in JSON strings and in URLs. The last ones are
/// U+2028, U+2029, U+0085, the vertical tab and the form feed.
const LINE_ENDS: &[&[u8]] = &[
    b"\\\\r\\\\n",
    b"\\r\\n",
    b"%0D%0A",
    b"%0d%0a",
    b"\\\\n",
    b"\\\r\n",
    b"=\r\n",
    b"%0A",
    b"%0a",
    b"\\n",
    b"\\\n",
    b"=\n",
    b"\r\n",
    b"\n",
    b"\r",
    b"\xe2\x80\xa8",
    b"\xe2\x80\xa9",
    b"\xc2\x85",
    b"\x0b",
    b"\x0c",
];

/// The deepest indentation of a line, and the most blanks at its end.
const MAX_INDENT: usize = 64;

/// The longest terminal control sequence that counts as invisible, in bytes.
const MAX_SEQUENCE: usize = 32;

/// A break inside a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Break {
    /// Its length in bytes; never 0.
    pub length: usize,
    /// True for a line end, false for an invisible character.
    pub line: bool,
}

impl Break {
    /// An invisible character of this length; `None` if it is 0.
    fn invisible(length: usize) -> Option<Break> {
        (length > 0).then_some(Break { length, line: false })
    }

    /// A line end of this length.
    fn line(length: usize) -> Break {
        Break { length, line: true }
    }
}

/// True for the first bytes of breaks, and for a few others, so that the bytes form a
/// [class](crate::simd::Class) of eight rows. Blanks, and the `=` before a line end, are left out.
pub(super) fn may_start(byte: u8) -> bool {
    let lead = match byte >> 4 {
        0xc | 0xd => matches!(byte & 15, 0x2 | 0x8 | 0xd),
        0xe => matches!(byte & 15, 0x1..=0x3 | 0xf),
        0xf => matches!(byte & 15, 0x0 | 0x3),
        _ => false,
    };
    lead || matches!(byte, 0x01..=0x08 | b'\n'..=0x1f | 0x7f | b'\\' | b'%')
}

/// The break that `text` starts with.
pub(super) fn at_start(text: &[u8]) -> Option<Break> {
    // Nearly every call is decided here.
    match text.first()? {
        b'\n' => return Some(Break::line(1 + blanks(text[1..].iter()))),
        b if !may_start(*b) && !is_blank(*b) && *b != b'=' => return None,
        _ => {}
    }
    let invisible = [sequence_at_start, invisible_at_start, escaped_at_start];
    if let Some(length) = invisible.iter().map(|length| length(text)).find(|length| *length > 0) {
        return Break::invisible(length);
    }
    let before = blanks(text.iter());
    let rest = &text[before..];
    let end = LINE_ENDS.iter().find(|end| rest.starts_with(end))?.len();
    Some(Break::line(before + end + blanks(rest[end..].iter())))
}

/// The break that `text` ends with.
pub(super) fn at_end(text: &[u8]) -> Option<Break> {
    let invisible = [sequence_at_end, invisible_at_end, escaped_at_end];
    if let Some(length) = invisible.iter().map(|length| length(text)).find(|length| *length > 0) {
        return Break::invisible(length);
    }
    let indent = blanks(text.iter().rev());
    let rest = &text[..text.len() - indent];
    let end = LINE_ENDS.iter().find(|end| rest.ends_with(end))?.len();
    let before = blanks(rest[..rest.len() - end].iter().rev());
    Some(Break::line(before + end + indent))
}

/// How many blanks there are at the start.
fn blanks<'t>(text: impl Iterator<Item = &'t u8>) -> usize {
    text.take(MAX_INDENT).take_while(|b| is_blank(**b)).count()
}

pub(super) fn is_blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t')
}

/// True for characters that show nothing: Unicode's `Default_Ignorable_Code_Point` (zero-width
/// characters, direction marks, variation selectors, tags), interlinear annotation, control
/// characters without a layout function, and their pictures. NUL is not included: it is half of
/// UTF-16.
fn is_invisible(character: u32) -> bool {
    matches!(character,
        0x01..=0x08 | 0x0e..=0x1f | 0x7f..=0x84 | 0x86..=0x9f
        | 0xad | 0x34f | 0x61c | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f
        | 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x206f | 0x3164
        | 0x2400..=0x2426 | 0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xfff0..=0xfffb
        | 0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a | 0xe0000..=0xe0fff)
}

/// The length of the invisible character that `text` starts with, or 0.
fn invisible_at_start(text: &[u8]) -> usize {
    let width = match text.first() {
        Some(0..=0x7f) => 1,
        Some(0xc2..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf4) => 4,
        _ => return 0,
    };
    let character = text.get(..width).and_then(|bytes| std::str::from_utf8(bytes).ok());
    let character = character.and_then(|text| text.chars().next());
    if character.is_some_and(|c| is_invisible(c.into())) { width } else { 0 }
}

/// The length of the invisible character that `text` ends with, or 0.
fn invisible_at_end(text: &[u8]) -> usize {
    let is_invisible = |width: &usize| {
        let start = text.len().checked_sub(*width);
        start.is_some_and(|start| invisible_at_start(&text[start..]) == *width)
    };
    (1..=4).find(is_invisible).unwrap_or(0)
}

/// The length of the escaped invisible character that `text` starts with, as in JSON: `\u200b`, or
/// a pair of surrogates.
fn escaped_at_start(text: &[u8]) -> usize {
    let unit = |at: usize| {
        let escape = text.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u32::from_str_radix(std::str::from_utf8(escape).ok()?, 16).ok()
    };
    match unit(0) {
        // The high surrogates of U+E0000 to U+E0FFF.
        Some(0xdb40..=0xdb43) if unit(6).is_some_and(|low| (0xdc00..0xe000).contains(&low)) => 12,
        Some(unit) if is_invisible(unit) => 6,
        _ => 0,
    }
}

/// The length of the escaped invisible character that `text` ends with, or 0.
fn escaped_at_end(text: &[u8]) -> usize {
    let is_escaped = |length: &usize| {
        let start = text.len().checked_sub(*length);
        start.is_some_and(|start| escaped_at_start(&text[start..]) == *length)
    };
    [12, 6].into_iter().find(is_escaped).unwrap_or(0)
}

/// The length of the terminal control sequence that `text` starts with, or 0: `ESC [ 0 ; 31 m`
/// (ECMA-48, 5.4).
fn sequence_at_start(text: &[u8]) -> usize {
    let Some(rest) = text.strip_prefix(b"\x1b[") else { return 0 };
    let rest = &rest[..rest.len().min(MAX_SEQUENCE)];
    let end = rest.iter().position(|b| !matches!(b, 0x20..=0x3f));
    end.filter(|end| matches!(rest[*end], 0x40..=0x7e)).map_or(0, |end| end + 3)
}

/// The length of the terminal control sequence that `text` ends with, or 0.
fn sequence_at_end(text: &[u8]) -> usize {
    let from = text.len().saturating_sub(MAX_SEQUENCE + 2);
    let Some(start) = text[from..].iter().rposition(|b| *b == 0x1b) else { return 0 };
    let tail = &text[from + start..];
    if sequence_at_start(tail) == tail.len() { tail.len() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_break_is_the_same_from_either_side() {
        let lines: &[&str] = &["\n", "\r\n", "  \n\t ", "\\\n", "\\r\\n  ", "%0A", "\u{2028}"];
        let invisible: &[&str] = &[
            "\u{200b}",
            "\u{200f}",
            "\u{2060}",
            "\u{feff}",
            "\u{ad}",
            "\u{34f}",
            "\u{e0041}",
            "\u{202e}",
            "\u{fe0f}",
            "\x07",
            "\u{9b}",
            "\\u200b",
            "\\udb40\\udc41",
            "\x1b[0;31m",
        ];
        for (texts, line) in [(lines, true), (invisible, false)] {
            for text in texts {
                let want = Some(Break { length: text.len(), line });
                assert_eq!(at_start(format!("{text}x").as_bytes()), want, "{text:?}");
                assert_eq!(at_end(format!("x{text}").as_bytes()), want, "{text:?}");
                let first = text.trim_start_matches(' ').as_bytes()[0];
                assert!(may_start(first), "{text:?}");
            }
        }
        for text in ["x", " x", "é", "日", "\\u0041", "\\x", "%41", "\0", "🦀"] {
            assert_eq!(at_start(text.as_bytes()), None, "{text:?}");
        }
    }
}
