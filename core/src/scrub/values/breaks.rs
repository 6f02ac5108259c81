//! What may stand inside a value without being part of it: the ends of lines into which it was
//! wrapped, and characters that nobody sees.

/// Zero-width space, non-joiner and joiner, word joiner, byte order mark, soft hyphen.
const UNSEEN: &[&[u8]] = &[
    b"\xe2\x80\x8b",
    b"\xe2\x80\x8c",
    b"\xe2\x80\x8d",
    b"\xe2\x81\xa0",
    b"\xef\xbb\xbf",
    b"\xc2\xad",
];

/// Ends of lines, the longest first: real ones, also behind the `\` of a shell or the `=` of
/// quoted-printable; and those in strings of JSON, once or twice escaped, and of URLs.
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
];

/// How far a line may be indented.
const INDENT: usize = 64;

/// The length of the break that `text` starts with; 0 if it starts with none.
pub(super) fn at_start(text: &[u8]) -> usize {
    if let Some(unseen) = UNSEEN.iter().find(|unseen| text.starts_with(unseen)) {
        return unseen.len();
    }
    let Some(end) = LINE_ENDS.iter().find(|end| text.starts_with(end)) else { return 0 };
    end.len() + text[end.len()..].iter().take(INDENT).take_while(|b| is_blank(**b)).count()
}

/// The length of the break that `text` ends with; 0 if it ends with none.
pub(super) fn at_end(text: &[u8]) -> usize {
    if let Some(unseen) = UNSEEN.iter().find(|unseen| text.ends_with(unseen)) {
        return unseen.len();
    }
    let indent = text.iter().rev().take(INDENT).take_while(|b| is_blank(**b)).count();
    let text = &text[..text.len() - indent];
    LINE_ENDS.iter().find(|end| text.ends_with(end)).map_or(0, |end| end.len() + indent)
}

fn is_blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t')
}
