//! Cutting a very long line so that the match stays in sight.

use std::ops::Range;

/// The most characters of a line that are shown, besides the marks.
pub(super) const MOST_CHARS: usize = 400;
/// How many of them stand before the match, at most.
const BEFORE: usize = 100;
/// Stands for what was cut.
const MARK: char = '…';

/// The line as it is shown: without its end, and cut around `focus` where it is long. What is no
/// UTF-8 is shown as U+FFFD.
pub(super) fn shown(line: &[u8], focus: Option<Range<usize>>) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    // Fewer bytes are fewer characters.
    if line.len() <= MOST_CHARS {
        return String::from_utf8_lossy(line).into_owned();
    }
    let focus = focus.map_or(0, |focus| focus.start.min(line.len()));
    let (before, begins) = last_chars(&line[..focus], BEFORE);
    let (after, ends) = first_chars(&line[focus..], MOST_CHARS - before.chars().count());
    let mark = |is_whole: bool| if is_whole { String::new() } else { MARK.to_string() };
    [mark(begins), before, after, mark(ends)].concat()
}

/// The last characters of a text, and whether they are all of it.
fn last_chars(text: &[u8], most: usize) -> (String, bool) {
    // No character has more than four bytes.
    let start = border(text, text.len().saturating_sub(4 * most));
    let tail = String::from_utf8_lossy(&text[start..]);
    let beyond = tail.chars().count().saturating_sub(most);
    (tail.chars().skip(beyond).collect(), start == 0 && beyond == 0)
}

/// The first characters of a text, and whether they are all of it.
fn first_chars(text: &[u8], most: usize) -> (String, bool) {
    let end = border(text, (4 * most).min(text.len()));
    let head = String::from_utf8_lossy(&text[..end]);
    let count = head.chars().count();
    (head.chars().take(most).collect(), end == text.len() && count <= most)
}

/// The next place at or behind `at` where no character is cut in two.
fn border(text: &[u8], at: usize) -> usize {
    let is_inside = |at: usize| text.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    (at..text.len().min(at + 4)).find(|at| !is_inside(*at)).unwrap_or(at.min(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_line_is_shown_whole_without_its_end() {
        assert_eq!(shown(b"one two\r\n", Some(4..7)), "one two");
        assert_eq!(shown("ä".repeat(200).as_bytes(), None), "ä".repeat(200));
        assert_eq!(shown(b"a\xffb\n", None), "a\u{fffd}b");
    }

    #[test]
    fn a_long_line_is_cut_around_the_match() {
        let line = format!("{}needle{}", "x".repeat(5_000), "y".repeat(5_000));
        let text = shown(line.as_bytes(), Some(5_000..5_006));
        assert_eq!(text.chars().count(), MOST_CHARS + 2);
        assert!(
            text.starts_with(&format!("…{}needley", "x".repeat(BEFORE))) && text.ends_with("y…")
        );
        let start = shown(line.as_bytes(), None);
        assert_eq!(start, format!("{}…", "x".repeat(MOST_CHARS)));
        let end = shown(line.as_bytes(), Some(9_990..10_000));
        assert_eq!(end, format!("…{}", "y".repeat(BEFORE + 16)));
    }

    #[test]
    fn no_character_is_cut_in_two_wherever_the_match_is() {
        let line = "aä€𝄞".repeat(600);
        for at in (0..line.len()).filter(|at| line.is_char_boundary(*at)) {
            let text = shown(line.as_bytes(), Some(at..at));
            assert!(!text.contains('\u{fffd}'), "{at}");
            assert!(line.contains(text.trim_matches(MARK)), "{at}");
        }
    }
}
