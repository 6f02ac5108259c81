//! Finds the place in a file that is most similar to a text that is not in it.
//!
//! It is a hint in an error, so the work is bounded rather than the answer exact.

use super::line_diff::line_diff;
use crate::limits;
use crate::scrub::placeholder_length;

/// Lines of the file that are looked at.
const MAX_LINES: usize = 50_000;
/// Of those, how many are compared and not only tested for being equal.
const MAX_COMPARED: usize = 5_000;
/// Lines of the wanted text that are compared, and lines of the file that are shown.
const MAX_WINDOW: usize = 12;
/// Characters of a line that are compared and shown.
const MAX_CHARS: usize = 160;
/// Places where the most distinctive line fits that are then compared as a whole.
const MAX_PLACES: usize = 16;
/// How similar a place must be to be named, from 0 to 1.
const LIKE_ENOUGH: f64 = 0.5;

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// Its first line, counted from 1.
    pub line: usize,
    /// The lines there, as many as the wanted text has; long ones are shortened.
    pub text: String,
    /// The wanted text and this one line by line: what both have after a blank, what only the wanted
    /// one has after `-`, what only the file has after `+`.
    pub diff: String,
}

impl Nearest {
    /// True if a placeholder of a secret stands there.
    pub(super) fn has_placeholder(&self) -> bool {
        let text = self.text.as_bytes();
        memchr::memchr_iter(b'[', text).any(|at| placeholder_length(&text[at..]).is_some())
    }
}

/// The place in `content` that looks most like `wanted`, if any looks like it at all.
pub(super) fn nearest(content: &[u8], wanted: &str) -> Option<Nearest> {
    let wanted: Vec<&str> = wanted.trim_matches('\n').lines().take(MAX_WINDOW).collect();
    let (anchor_at, anchor) = wanted
        .iter()
        .map(|line| compared(line))
        .enumerate()
        .max_by_key(|(_, line)| line.len())
        .filter(|(_, line)| !line.is_empty())?;

    let lines: Vec<&[u8]> = content.split(|&byte| byte == b'\n').take(MAX_LINES).collect();
    let start = places_of(anchor, &lines)
        .into_iter()
        .filter_map(|line| line.checked_sub(anchor_at))
        .map(|start| (likeness_at(&lines[start..], &wanted), start))
        // Of equals the first in the file.
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
        .filter(|(score, _)| *score >= LIKE_ENOUGH)
        .map(|(_, start)| start)?;
    let there: Vec<String> =
        lines[start..].iter().take(wanted.len()).map(|line| shown(line)).collect();
    let wanted: Vec<String> = wanted.iter().map(|line| shown(line.as_bytes())).collect();
    let (wanted, text) = (wanted.join("\n"), there.join("\n"));
    let mut diff = line_diff(&wanted, &text, usize::MAX);
    if diff.is_empty() {
        diff =
            " (the same but for line ends, or for what is behind the characters that are compared)"
                .into();
    }
    Some(Nearest { line: start + 1, text, diff })
}

/// The lines that look most like `anchor`.
fn places_of(anchor: &str, lines: &[&[u8]]) -> Vec<usize> {
    let mut budget = MAX_COMPARED;
    let mut places: Vec<(f64, usize)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let line = shown(line);
        let line = compared(&line);
        let comparable = line.len() * 2 >= anchor.len() && line.len() <= anchor.len() * 2;
        let score = if line == anchor {
            1.0
        } else if comparable && budget > 0 {
            budget -= 1;
            strsim::sorensen_dice(line, anchor)
        } else {
            continue;
        };
        if score >= LIKE_ENOUGH {
            places.push((score, at));
        }
    }
    places.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    places.truncate(MAX_PLACES);
    places.into_iter().map(|(_, at)| at).collect()
}

/// How much the lines from here on look like those wanted, from 0 to 1.
fn likeness_at(lines: &[&[u8]], wanted: &[&str]) -> f64 {
    let scores = wanted.iter().zip(lines).map(|(wanted, line)| {
        let line = shown(line);
        strsim::sorensen_dice(compared(&line), compared(wanted))
    });
    scores.sum::<f64>() / wanted.len() as f64
}

/// A line as it is shown: as text, without its CR, not too long.
fn shown(line: &[u8]) -> String {
    // Four bytes are the most that a character has.
    let start = &line[..line.len().min(4 * MAX_CHARS)];
    let text = String::from_utf8_lossy(start);
    limits::prefix_of_chars(text.trim_end_matches('\r'), MAX_CHARS).to_owned()
}

/// A line as it is compared: blanks around it are what models most often get wrong.
fn compared(line: &str) -> &str {
    limits::prefix_of_chars(line, MAX_CHARS).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_blanks_are_found_and_shown_as_they_are() {
        let place = nearest(b"a\n\tif x {\n\t\ty();\n\t}\n", "    if x {\n        y();\n").unwrap();
        assert_eq!((place.line, place.text.as_str()), (2, "\tif x {\n\t\ty();"));
        assert_eq!(place.diff, "-    if x {\n-        y();\n+\tif x {\n+\t\ty();");
    }

    #[test]
    fn of_two_similar_lines_the_surroundings_decide() {
        let content = "start one\n  call_it(now);\nend\nstart two\n  call_it(now);\nend\n";
        let place = nearest(content.as_bytes(), "start two\n call_it(now)\n").unwrap();
        assert_eq!(place.line, 4);
    }

    #[test]
    fn nothing_alike_is_nothing() {
        assert_eq!(nearest(b"alpha\nbeta\n", "zzzzzzzz"), None);
        assert_eq!(nearest(b"", "x"), None);
        assert_eq!(nearest(b"x\n", "\n \n"), None);
    }

    #[test]
    fn a_large_file_of_large_lines_is_searched_in_bounded_time() {
        let line = "some text that is nearly the same, over and over again ".repeat(20);
        let content = format!("{line}\n").repeat(20_000);
        let began = std::time::Instant::now();
        let place = nearest(content.as_bytes(), &line.replace("again", "agian")).unwrap();
        assert_eq!(place.line, 1);
        assert!(place.text.chars().count() <= MAX_CHARS);
        assert!(began.elapsed().as_secs() < 20);
    }
}
