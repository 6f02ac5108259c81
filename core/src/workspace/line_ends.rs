//! Texts that are the same but for line ends, in a file that has both kinds.

use regex::bytes::RegexBuilder;

/// The most bytes of a compiled text.
const MOST_BYTES: usize = 16 << 20;

/// The texts in `content` that are `text` but for their line ends, each once, in the order of the first
/// place, at most `most`. None where the text has no line end, or more lines than can be sought so.
pub(super) fn spellings<'c>(content: &'c [u8], text: &str, most: usize) -> Vec<&'c str> {
    let mut found: Vec<&str> = Vec::new();
    if !text.contains('\n') {
        return found;
    }
    let pattern = regex::escape(text).replace('\n', "\r?\n");
    let Ok(pattern) = RegexBuilder::new(&pattern).size_limit(MOST_BYTES).build() else {
        return found;
    };
    for place in pattern.find_iter(content) {
        if let Ok(spelling) = std::str::from_utf8(place.as_bytes())
            && !found.contains(&spelling)
        {
            found.push(spelling);
        }
        if found.len() == most {
            break;
        }
    }
    found
}

/// A text with the line ends that the one in whose place it comes begins with.
pub(super) fn ended_as(place: &str, text: &str) -> String {
    let is_crlf = place.find('\n').is_some_and(|at| place[..at].ends_with('\r'));
    if is_crlf { text.replace('\n', "\r\n") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_whatever_the_ends_of_its_lines() {
        let content = b"one\r\ntwo\nthree\r\nfour\n\ntwo\nthree\n";
        assert_eq!(spellings(content, "two\nthree\n", 9), ["two\nthree\r\n", "two\nthree\n"]);
        assert_eq!(spellings(content, "two\nthree\n", 1), ["two\nthree\r\n"]);
        assert_eq!(spellings(content, "one\ntwo", 9), ["one\r\ntwo"]);
        assert!(
            spellings(content, "two", 9).is_empty()
                && spellings(content, "two\nfour", 9).is_empty()
        );
        assert_eq!(ended_as("one\r\ntwo\n", "1\n2\n"), "1\r\n2\r\n");
        assert_eq!(ended_as("two\nthree\r\n", "1\n2\n"), "1\n2\n");
    }
}
