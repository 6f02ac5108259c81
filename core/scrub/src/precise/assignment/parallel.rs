//! Parallel assignments: `user, password = "u", "v"`.

use super::site::{Site, quote_at};
use super::value::blanks;

/// The most names in a list.
const NAMES: usize = 6;
/// The longest value before the last one, in bytes.
const LONGEST: usize = 128;

/// Where the value for this name starts, if the value at `at` is for the first of several names and
/// this is another one. Only strings are recognised.
pub(super) fn own_value(text: &[u8], site: &Site<'_>, at: usize) -> Option<usize> {
    if site.before() != b' ' {
        return None;
    }
    let mut at = at;
    for _ in 0..names_before(site.line_before())? {
        at += value_length(&text[at..])?;
        if text.get(at) != Some(&b',') {
            return None;
        }
        at += 1 + blanks(text, at + 1);
    }
    quote_at(text, at).map(|_| at)
}

/// How many names stand before another one in a list at the start of a line; `None` if there is
/// anything else.
fn names_before(line: &[u8]) -> Option<usize> {
    let is_keyword = |word: &[u8]| matches!(word, b"var" | b"let" | b"const" | b"local");
    let mut list = line.trim_ascii();
    if list.first().is_some_and(u8::is_ascii_digit) {
        // No name begins with a digit, but the time of a log line does.
        return None;
    }
    for count in 0..=NAMES {
        match list {
            before if count > 0 && (before.is_empty() || is_keyword(before)) => return Some(count),
            [before @ .., b','] => list = before.trim_ascii_end(),
            _ => return None,
        }
        let other = |b: &u8| !(b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$'));
        let (before, name) = list.split_at(list.iter().rposition(other).map_or(0, |at| at + 1));
        if name.is_empty() {
            return None;
        }
        list = before.trim_ascii_end();
    }
    None
}

/// The length of the value that `text` starts with: a string, or text without quotes and brackets.
fn value_length(text: &[u8]) -> Option<usize> {
    let text = &text[..text.len().min(LONGEST)];
    match text {
        [quote @ (b'"' | b'\'' | b'`'), rest @ ..] => {
            let end = rest.iter().position(|b| b == quote || matches!(b, b'\\' | b'\n'))?;
            (rest[end] == *quote).then_some(end + 2)
        }
        _ => {
            let end = text.iter().position(|b| b",\n\"'`()[]{}".contains(b))?;
            (text[end] == b',').then_some(end)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_stand_in_a_list_of_names() {
        for (line, count) in [
            ("user,", Some(1)),
            ("  var user , host.name,", Some(2)),
            ("const\ta, $b, c_1,", Some(3)),
            ("a,b,c,d,e,f,", Some(6)),
            ("a,b,c,d,e,f,g,", None),
            ("a b,", None),
            ("log, var a,", None),
            // In other languages these words are names.
            ("local ,", Some(1)),
            ("user, let,", Some(2)),
            (",", None),
            ("a,,", None),
            ("a", None),
            ("", None),
            ("2026-03-01 idle for 12s,", None),
            ("12, a,", None),
        ] {
            assert_eq!(names_before(line.as_bytes()), count, "{line}");
        }
    }
}
