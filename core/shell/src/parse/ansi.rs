//! The escapes of `$'…'`, exactly as Bash reads them.

/// The text of the inside of `$'…'`. Bytes that are no text become the replacement character, and
/// the answer's second half is false.
pub(super) fn decode(inside: &str) -> (String, bool) {
    let mut bytes: Vec<u8> = Vec::with_capacity(inside.len());
    let mut rest = inside.chars().peekable();
    while let Some(char) = rest.next() {
        if char != '\\' {
            push(&mut bytes, char);
            continue;
        }
        let Some(kind) = rest.next() else {
            bytes.push(b'\\');
            break;
        };
        match kind {
            'a' => bytes.push(7),
            'b' => bytes.push(8),
            'e' | 'E' => bytes.push(27),
            'f' => bytes.push(12),
            'n' => bytes.push(b'\n'),
            'r' => bytes.push(b'\r'),
            't' => bytes.push(b'\t'),
            'v' => bytes.push(11),
            '\\' | '\'' | '"' | '?' => push(&mut bytes, kind),
            '0'..='7' => {
                let mut value = kind.to_digit(8).unwrap_or(0);
                value = digits(&mut rest, 8, 2, value).0;
                bytes.push((value & 0xff) as u8);
            }
            'x' => match digits(&mut rest, 16, 2, 0) {
                (_, 0) => bytes.extend(b"\\x"),
                (value, _) => bytes.push((value & 0xff) as u8),
            },
            'u' | 'U' => match digits(&mut rest, 16, if kind == 'u' { 4 } else { 8 }, 0) {
                (_, 0) => bytes.extend([b'\\', kind as u8]),
                (value, _) => push(&mut bytes, char::from_u32(value).unwrap_or('\u{fffd}')),
            },
            'c' => match rest.next() {
                Some(control) => bytes.push((control as u32 & 0x1f) as u8),
                None => bytes.extend(b"\\c"),
            },
            other => {
                bytes.push(b'\\');
                push(&mut bytes, other);
            }
        }
    }
    // A shell ends the text at a NUL.
    if let Some(end) = bytes.iter().position(|byte| *byte == 0) {
        bytes.truncate(end);
    }
    match String::from_utf8(bytes) {
        Ok(text) => (text, true),
        Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), false),
    }
}

/// Appends a character as UTF-8.
fn push(bytes: &mut Vec<u8>, char: char) {
    bytes.extend(char.encode_utf8(&mut [0; 4]).as_bytes());
}

/// At most `most` digits behind what is already read, and how many there were.
fn digits(
    rest: &mut std::iter::Peekable<std::str::Chars<'_>>,
    radix: u32,
    most: usize,
    mut value: u32,
) -> (u32, usize) {
    let mut count = 0;
    while count < most
        && let Some(digit) = rest.peek().and_then(|char| char.to_digit(radix))
    {
        value = value.wrapping_mul(radix).wrapping_add(digit);
        rest.next();
        count += 1;
    }
    (value, count)
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn escapes_of_ansi_quotes_become_what_bash_makes_of_them() {
        for (inside, text) in [
            (r"\x72\x6d", "rm"),
            (r"\162\155", "rm"),
            (r"a\nb\tc", "a\nb\tc"),
            (r"\u0072m \U0000006d", "rm m"),
            (r"\'\\\?", r"'\?"),
            (r"\q\xzz\", r"\q\xzz\"),
            (r"rm\0rest", "rm"),
            (r"\c[", "\u{1b}"),
            (r"\1234", "S4"),
        ] {
            assert_eq!(decode(inside), (text.to_owned(), true), "{inside}");
        }
        assert!(!decode(r"\xff").1);
    }
}
