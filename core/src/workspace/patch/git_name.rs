//! The names of files in a unified diff.

use jiff::Timestamp;
use jiff::fmt::strtime;

/// What git puts in front of the names of a file. Source: `diff.mnemonicPrefix` in git-config(1); `git diff
/// -R` has them the other way round.
pub(super) const PREFIXES: [(&str, &str); 10] = [
    ("a/", "b/"),
    ("b/", "a/"),
    ("i/", "w/"),
    ("w/", "i/"),
    ("c/", "i/"),
    ("i/", "c/"),
    ("c/", "w/"),
    ("w/", "c/"),
    ("o/", "w/"),
    ("w/", "o/"),
];

/// True for a `---` or `+++` line with the time that `diff -N` gives to a file that is not there: the epoch,
/// in whichever zone. Source: diff(1) of GNU diffutils, and what patch(1) makes of it.
pub(super) fn is_of_no_time(line: &str) -> bool {
    let Some((_, time)) = line.trim_end().rsplit_once('\t') else { return false };
    let parsed = strtime::parse("%Y-%m-%d %H:%M:%S%.f %z", time);
    parsed.and_then(|time| time.to_timestamp()).is_ok_and(|time| time == Timestamp::UNIX_EPOCH)
}

/// The name in a `---` or `+++` line, without what git puts in front of it. None for `/dev/null`.
pub(super) fn name(text: &str, prefix: Option<&str>) -> Option<String> {
    let name = unquoted(text);
    if name == "/dev/null" {
        return None;
    }
    let stripped = prefix.and_then(|prefix| name.strip_prefix(prefix)).map(str::to_owned);
    Some(stripped.unwrap_or(name))
}

/// A name as it is, where git has put it in quotes for what it holds. Without what `diff` puts
/// behind it.
pub(super) fn unquoted(text: &str) -> String {
    let text = text.trim_end_matches('\r');
    let Some(quoted) = text.strip_prefix('"') else {
        let name = text.split('\t').next().unwrap_or(text);
        return name.trim_end().to_owned();
    };
    let mut bytes = Vec::with_capacity(quoted.len());
    let mut rest = quoted.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => break,
            b'\\' => match rest.next() {
                Some(b'n') => bytes.push(b'\n'),
                Some(b't') => bytes.push(b'\t'),
                Some(b'r') => bytes.push(b'\r'),
                Some(b'a') => bytes.push(7),
                Some(b'b') => bytes.push(8),
                Some(b'f') => bytes.push(12),
                Some(b'v') => bytes.push(11),
                Some(first @ b'0'..=b'3') => {
                    let digits = [Some(first), rest.next(), rest.next()];
                    let value = digits.into_iter().flatten().fold(0_u32, |value, digit| {
                        value * 8 + u32::from(digit.wrapping_sub(b'0') & 7)
                    });
                    bytes.push(u8::try_from(value).unwrap_or(b'?'));
                }
                Some(other) => bytes.push(other),
                None => {}
            },
            other => bytes.push(other),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The path in `diff --git a/path b/path`, where both are the same.
pub(super) fn same_name(text: &str) -> Option<String> {
    let text = text.trim_end();
    let middle = text.len() / 2;
    if !text.is_char_boundary(middle) || text.as_bytes().get(middle) != Some(&b' ') {
        return None;
    }
    let (old, new) = (&text[..middle], &text[middle + 1..]);
    PREFIXES.iter().find_map(|(before, behind)| {
        let has = |text: &str, prefix: &str| unquoted(text).starts_with(prefix);
        let (before, behind) = (Some(*before).filter(|prefix| has(old, prefix))?, *behind);
        let (old, new) = (name(old, Some(before))?, name(new, Some(behind))?);
        (old == new).then_some(new)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_without_prefix_quotes_and_time() {
        assert_eq!(name("a/x y.txt\t2026-01-01 00:00", Some("a/")).unwrap(), "x y.txt");
        assert_eq!(name("x.txt", Some("a/")).unwrap(), "x.txt");
        assert_eq!(name("a/x.txt", None).unwrap(), "a/x.txt");
        assert_eq!(name("\"a/\\303\\244\\\"\\t.txt\"", Some("a/")).unwrap(), "ä\"\t.txt");
        assert_eq!(name("/dev/null", Some("a/")), None);
    }

    #[test]
    fn the_head_of_a_git_diff_names_the_file_where_nothing_else_does() {
        assert_eq!(same_name("a/x y b/x y").unwrap(), "x y");
        assert_eq!(same_name("\"a/\\303\\244\" \"b/\\303\\244\"").unwrap(), "ä");
        assert_eq!(same_name("b/x a/x").unwrap(), "x");
        assert_eq!(same_name("i/x w/x").unwrap(), "x");
        assert_eq!(same_name("a/x b/y"), None);
    }

    #[test]
    fn a_file_that_is_not_there_has_the_time_of_the_epoch() {
        for time in [
            "1970-01-01 00:00:00.000000000 +0000",
            "1969-12-31 19:00:00.000000000 -0500",
            "1970-01-01 01:00:00 +0100",
        ] {
            assert!(is_of_no_time(&format!("+++ b/x\t{time}")), "{time}");
        }
        for time in
            ["2026-11-27 08:00:00.000000000 +0000", "1970-01-01 00:00:00.000000001 +0000", ""]
        {
            assert!(!is_of_no_time(&format!("+++ b/x\t{time}")), "{time}");
        }
    }
}
