//! Looks at a run of token bytes: a vendor's key by its prefix, a JWT, a bare run of hexadecimal
//! digits.

use super::super::view::{Look, View};
use super::kinds::{Kinds, is_token};
use super::{hex, jwt};

/// A run longer than this holds no name of which anything could be said: it is not looked at again.
const LONGEST_NAME: usize = 256;
/// How far before a run a secret may begin that is joined to it by `:`, `/`, `+`, `|` or `~`.
const JOINED: usize = 90;
/// How many bytes behind an escape a run may begin: `u0022`, and `25` before `3D`.
const ESCAPES: usize = 3;

/// Looks at a place where a run begins. A run has one beginning, so none is read twice.
pub(super) fn look(kinds: &Kinds, view: &View<'_>) -> Look {
    if let Some(hit) = opening(kinds, view) {
        return Look::found(hit);
    }
    if let Some(hit) = jwt::look(view).or_else(|| hex::look(view)) {
        return Look::found(hit);
    }
    let run = view.ahead().iter().take_while(|b| is_token(**b)).count();
    Look::nothing(view.at + if run > LONGEST_NAME { run } else { 1 })
}

/// The secret of a known kind that begins with the run at the sight; `None` where no run begins.
/// For a sight of another sort that stands at the start of a run as well: `key-…`, `secret_…`.
pub(super) fn opening(kinds: &Kinds, view: &View<'_>) -> Option<super::super::hit::Hit> {
    if view.behind().last().is_some_and(|b| is_token(*b)) {
        return None;
    }
    let text = view.text;
    let start = behind_escapes(text, view.at);
    let start = start + text[start..].iter().take_while(|b| b"-_.".contains(b)).count();
    let found = kinds.at(text, start, view.last).filter(|hit| hit.span.start >= view.floor);
    found.or_else(|| {
        let joined = joined(text, view.at.max(view.floor), view.floor)?;
        kinds.at(text, joined, view.last).filter(|hit| hit.span.end > view.at)
    })
}

/// Where the run at `at` begins in earnest: behind what is left of an escape, `n` of `\n`, `u0022`
/// of `\u0022`, `3D` of `%3D`, `32m` of a colour.
pub(super) fn behind_escapes(text: &[u8], at: usize) -> usize {
    let mut at = at;
    for _ in 0..ESCAPES {
        let rest = &text[at..];
        let digits = |n: usize| rest.get(..n).is_some_and(|d| d.iter().all(u8::is_ascii_hexdigit));
        let skip = match at.checked_sub(1).map(|n| text[n]) {
            Some(b'\\') => match rest.first() {
                Some(b'n' | b't' | b'r' | b'b' | b'f' | b'v' | b'0' | b'a' | b'e') => 1,
                Some(b'u') if rest.len() > 5 && rest[1..5].iter().all(u8::is_ascii_hexdigit) => 5,
                Some(b'x') if rest.len() > 3 && rest[1..3].iter().all(u8::is_ascii_hexdigit) => 3,
                _ => 0,
            },
            Some(b'%') if digits(2) => 2,
            Some(b'[' | b';') => colour(rest),
            _ if at >= 2 && rest.len() > 2 && &text[at - 2..at] == b"25" && digits(2) => 2,
            _ => 0,
        };
        if skip == 0 {
            break;
        }
        at += skip;
    }
    at
}

/// The length of the last number of a colour, `m` included.
fn colour(rest: &[u8]) -> usize {
    let digits = rest.iter().take(4).take_while(|b| b.is_ascii_digit()).count();
    if (1..4).contains(&digits) && rest.get(digits) == Some(&b'm') { digits + 1 } else { 0 }
}

/// Where the token begins that goes on with the run at `at`: `8123456789:` before `AAF…`, `1//`
/// before `0g…`, the start of base64 that a `+` or a `/` has cut.
fn joined(text: &[u8], at: usize, floor: usize) -> Option<usize> {
    let belongs: fn(u8) -> bool = match at.checked_sub(1).map(|n| text[n])? {
        b'/' | b'+' => |b| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'+'),
        b':' | b'|' | b'~' => |b| b.is_ascii_alphanumeric() || b"_-.:|~".contains(&b),
        _ => return None,
    };
    let least = at.saturating_sub(JOINED).max(floor);
    let length = text[least..at].iter().rev().take_while(|b| belongs(**b)).count();
    (length > 0).then_some(at - length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escape_before_a_run_is_no_part_of_it() {
        for (text, at, start) in [
            ("\\nabc", 1, 2),
            ("\\u0022abc", 1, 6),
            ("\\x22abc", 1, 4),
            ("%3Dabc", 1, 3),
            ("%253Dabc", 1, 5),
            ("\u{1b}[32mabc", 2, 5),
            ("\u{1b}[1;32mabc", 4, 7),
            ("abc", 0, 0),
            (" nabc", 1, 1),
        ] {
            assert_eq!(behind_escapes(text.as_bytes(), at), start, "{text}");
        }
    }
}
