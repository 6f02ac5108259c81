//! Matches that go over several lines.
//!
//! The library that searches line by line looks at a text from the end of each match on, as if it
//! began there, and knows nothing of secrets. So here the matches are found first, each within a
//! piece of the text that has no placeholder in it (see `around_masks` for why), and then the lines
//! that they are in.

use std::collections::VecDeque;
use std::ops::Range;

use regex_automata::Input;
use regex_automata::meta::Regex;

use super::around_masks::{matches_piece, pieces};
use super::pattern::Pattern;

/// Gives `take` each line to show, with its number from 1 and whether a match is in it, until it
/// answers false. The context is how many lines are shown before and after those with a match.
///
/// To find one match may take a look at all of the text, and a line may have as many as it has
/// characters. So it is asked before each whether that `is_stopped`.
pub(super) fn lines(
    pattern: &Pattern,
    text: &[u8],
    (before, after): (usize, usize),
    is_stopped: &dyn Fn() -> bool,
    take: &mut dyn FnMut(u64, &[u8], bool) -> bool,
) {
    let mut matches = matches(pattern, text).take_while(|_| !is_stopped()).peekable();
    let mut waiting: VecDeque<(u64, Range<usize>)> = VecDeque::new();
    let (mut start, mut number, mut left) = (0, 0, 0);
    while start < text.len() && (left > 0 || matches.peek().is_some()) {
        let end = memchr::memchr(b'\n', &text[start..]).map_or(text.len(), |at| start + at + 1);
        let line = start..end;
        number += 1;
        start = end;
        while matches.next_if(|found| is_over(found, &line)).is_some() {}
        if matches.peek().is_some_and(|found| reaches(found, &line, text)) {
            for (number, line) in waiting.drain(..) {
                if !take(number, &text[line], false) {
                    return;
                }
            }
            if !take(number, &text[line], true) {
                return;
            }
            left = after;
        } else if left > 0 {
            left -= 1;
            if !take(number, &text[line], false) {
                return;
            }
        } else if before > 0 {
            if waiting.len() == before {
                waiting.pop_front();
            }
            waiting.push_back((number, line));
        }
    }
}

/// True if the match ends before the line. An empty one at its start does not.
fn is_over(found: &Range<usize>, line: &Range<usize>) -> bool {
    found.end < line.start || (found.end == line.start && !found.is_empty())
}

/// True if some of the match is in the line.
fn reaches(found: &Range<usize>, line: &Range<usize>, text: &[u8]) -> bool {
    let is_at_end = line.end == text.len() && !text.ends_with(b"\n");
    found.start < line.end || (is_at_end && found.start == line.end)
}

/// The matches that stand whatever is masked, in their order.
fn matches<'t>(pattern: &'t Pattern, text: &'t [u8]) -> impl Iterator<Item = Range<usize>> + 't {
    let whole = (0..text.len(), false, false);
    let pieces: Box<dyn Iterator<Item = (Range<usize>, bool, bool)>> = match pattern.is_about_masks
    {
        true => Box::new(std::iter::once(whole)),
        false => Box::new(pieces(text)),
    };
    let regex = pattern.around_masks_regex();
    pieces.flat_map(move |(piece, is_behind, is_before)| {
        let stands = (!is_behind && !is_before)
            || matches_piece(pattern, &text[piece.clone()], is_behind, is_before);
        let found = regex.filter(|_| stands).map(|regex| within(regex, text, piece));
        found.into_iter().flatten()
    })
}

fn within<'t>(
    regex: &'t Regex,
    text: &'t [u8],
    piece: Range<usize>,
) -> impl Iterator<Item = Range<usize>> + 't {
    regex.find_iter(Input::new(text).range(piece)).map(|found| found.range())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::workspace::Reading;

    /// The numbers of the lines that are shown, those with a match marked.
    fn shown(query: &str, text: &str, context: (usize, usize)) -> String {
        let reading = Reading { is_multiline: true, ..Reading::default() };
        let pattern = Pattern::new(query, reading).unwrap();
        let mut shown = Vec::new();
        lines(&pattern, text.as_bytes(), context, &|| false, &mut |number, _, is_match| {
            shown.push(format!("{number}{}", if is_match { "!" } else { "" }));
            true
        });
        shown.join(" ")
    }

    #[test]
    fn each_line_of_a_match_is_shown_once_with_what_is_around() {
        let text = "a\nstart\nmid\nend\nb\nc\nstart end\nd\n";
        assert_eq!(shown("start.*?end", text, (0, 0)), "2! 3! 4! 7!");
        assert_eq!(shown("start\nmid", text, (1, 1)), "1 2! 3! 4");
        assert_eq!(shown("start.*?end", text, (1, 2)), "1 2! 3! 4! 5 6 7! 8");
        assert_eq!(shown("mid\n", text, (0, 0)), "3!");
        assert_eq!(shown("^b$", text, (0, 0)), "5!");
        assert_eq!(shown("d$", text, (0, 0)), "3! 4! 7! 8!");
        assert_eq!(shown("nothing", text, (1, 1)), "");
        assert_eq!(shown("z*", "a\nb", (0, 0)), "1! 2!");
        assert_eq!(shown("b$", "a\nb", (0, 0)), "2!");
        assert_eq!(shown("a\r?\nb", "a\r\nb\r\n", (0, 0)), "1! 2!");
    }

    #[test]
    fn nothing_is_sought_any_more_once_it_is_stopped() {
        let reading = Reading { is_multiline: true, ..Reading::default() };
        let pattern = Pattern::new("(?:a.*z|a)", reading).unwrap();
        let asked = Cell::new(0);
        let is_stopped = || asked.replace(asked.get() + 1) >= 3;
        let mut shown = 0;
        lines(&pattern, "aaaaaaaa\na\n".as_bytes(), (0, 0), &is_stopped, &mut |_, _, _| {
            shown += 1;
            true
        });
        assert_eq!((asked.get(), shown), (4, 1));
    }

    #[test]
    fn no_match_goes_over_what_is_masked_or_depends_on_it() {
        let text = "one\nKEY=[REDACTED:github-pat:abcdefgh]\ntwo\nthree\n";
        assert_eq!(shown("two\nthree", text, (0, 0)), "3! 4!");
        assert_eq!(shown("one\nKEY=", text, (0, 0)), "1! 2!");
        // These would reveal how long the secret is, or what it ends with.
        assert_eq!(shown("one.*two", text, (0, 0)), "");
        assert_eq!(shown(r"\w\ntwo", text, (0, 0)), "");
        assert_eq!(shown(r"KEY=\b", text, (0, 0)), "");
        assert_eq!(shown("REDACTED.*two", text, (0, 0)), "2! 3!", "it asks for the placeholder");
    }
}
