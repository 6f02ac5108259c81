//! Texts within a command in which the crate is known to lose its place.
//!
//! It counts braces that open nothing, and sees quotes and comments where a shell sees none. Then
//! it takes what follows for a part of the word, while a shell reads commands there. Each function
//! here is given the inside of one construct and says whether it holds such a thing. If it does,
//! the command is asked about.

/// True for the inside of a `${…}` that may be misread: a bare brace or a comment.
pub(super) fn in_parameter(inside: &str) -> bool {
    let is_open = inside.matches('{').count() > inside.matches('}').count();
    let has_comment = || has_comment(inside.trim_start_matches('#'));
    is_open
        || has_bare_brace(inside)
        || ["$'", "$$(", "<(", ">("].iter().any(|sign| inside.contains(sign))
        || inside.contains(['`', '(']) && has_comment()
}

/// True for an expression that may be misread.
pub(super) fn in_arithmetic(text: &str) -> bool {
    let escapes = text.replace("\\\n", "").contains('\\');
    let is_open = text.matches('{').count() != text.matches('}').count();
    escapes
        || is_open
        || !is_balanced(text)
        || has_bare_brace(text)
        || has_comment(text)
        || ["$'", "$[", "$$("].iter().any(|sign| text.contains(sign))
}

/// True for the index of an assignment that may be misread: `a[1 << 2]=x`.
pub(super) fn in_index(text: &str) -> bool {
    let text = without_quotes(text);
    let ends = |char: char| char.is_whitespace() || "<>|&;".contains(char);
    text.contains(ends) || has_bare_brace(&text) || has_comment(&text)
}

/// True for the index of an array element that may be misread. It is expanded and then evaluated,
/// which expands once more what a parameter or a backslash had quoted.
pub(super) fn in_key(text: &str) -> bool {
    let is_quoted = text.contains("${") && text.contains('\'');
    is_quoted || text.contains('\\') && text.contains(['$', '`'])
}

/// True for the inside of backticks with a quote in a comment. A shell that looks for the closing
/// backtick does not always know that it is in a comment.
pub(super) fn in_backticks(text: &str) -> bool {
    let has_quote = |comment: &str| comment.contains(['\'', '"', '`']);
    comments(text).filter_map(|comment| comment.lines().next()).any(has_quote)
}

/// True for a `[[ … ]]` that may be misread.
pub(super) fn in_test(text: &str) -> bool {
    /// Signs behind which a pattern begins.
    const PATTERNS: &[&str] = &["=~", "@(", "?(", "*(", "+(", "!("];
    let patterns = PATTERNS.iter().filter_map(|sign| text.find(sign));
    let runs = |at: usize| text[at..].contains("$(") || text[at..].contains('`');
    patterns.min().is_some_and(runs) || has_bare_brace(&without_counts(&without_quotes(text)))
}

/// True if every bracket that is closed was opened before.
fn is_balanced(text: &str) -> bool {
    let mut open = 0_usize;
    text.chars().all(|char| match char {
        '(' => {
            open += 1;
            true
        }
        ')' => open.checked_sub(1).map(|left| open = left).is_some(),
        _ => true,
    })
}

/// True if nothing but blanks and comments stands between the elements of an array.
pub(super) fn between_elements(gap: &str) -> bool {
    let mut begins = false;
    let mut rest = gap;
    while let Some(char) = rest.chars().next() {
        rest = match char {
            ' ' | '\t' | '\n' => &rest[1..],
            '\\' if rest.starts_with("\\\n") => &rest[2..],
            '#' if begins => &rest[rest.find('\n').unwrap_or(rest.len())..],
            _ => return true,
        };
        begins = true;
    }
    false
}

/// True if there is a `{` that does not belong to a `${`.
fn has_bare_brace(text: &str) -> bool {
    text.match_indices('{').any(|(at, _)| {
        let before = &text[..at];
        let dollars = before.len() - before.trim_end_matches('$').len();
        let is_escaped = odd_backslashes(before.trim_end_matches('$'));
        // `$$` is a parameter itself.
        dollars.saturating_sub(usize::from(is_escaped)) % 2 == 0
    })
}

/// True if there is a `#` where it might begin a comment.
fn has_comment(text: &str) -> bool {
    comments(text).next().is_some()
}

/// The text from each `#` on that might begin a comment.
fn comments(text: &str) -> impl Iterator<Item = &str> {
    let begins = |char: char| char.is_whitespace() || ";|&()`".contains(char);
    let is_one = move |at: &usize| text[..*at].chars().next_back().is_none_or(begins);
    text.match_indices('#').map(|(at, _)| at).filter(is_one).map(|at| &text[at..])
}

/// True if the text ends in a backslash that is not escaped itself.
pub(super) fn odd_backslashes(text: &str) -> bool {
    text.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// A text without those quotes that hold plain characters only.
fn without_quotes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(['\'', '"']) {
        let quote = &rest[start..=start];
        let inside = &rest[start + 1..];
        let end = inside.find(quote).filter(|_| !odd_backslashes(&rest[..start]));
        let is_plain = |inside: &str| !inside.contains(['$', '`', '\\', '\'', '"']);
        match end.filter(|end| is_plain(&inside[..*end]) && !rest[..start].ends_with('$')) {
            Some(end) => {
                plain.push_str(&rest[..start]);
                rest = &inside[end + 1..];
            }
            None => {
                plain.push_str(&rest[..=start]);
                rest = inside;
            }
        }
    }
    plain.push_str(rest);
    plain
}

/// A regular expression without its counts: `{2,3}`.
fn without_counts(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let inside = &rest[start + 1..];
        let digits = inside.trim_start_matches(|char: char| char.is_ascii_digit() || char == ',');
        let is_count = digits.len() < inside.len() && !rest[..start].ends_with('$');
        match digits.strip_prefix('}').filter(|_| is_count) {
            Some(behind) => {
                plain.push_str(&rest[..start]);
                rest = behind;
            }
            None => {
                plain.push_str(&rest[..=start]);
                rest = inside;
            }
        }
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_that_open_nothing_are_doubted() {
        for text in ["x#{", "x-$$(} }", "x:-{b,c}", "x:-$${", "x:-\\${", "x/\\{/"] {
            assert!(in_parameter(text), "{text}");
        }
        for text in ["x:-<(ls)", "x/>(ls)", "x:-`ls;#'`", "x:-$(ls #'\n)"] {
            assert!(in_parameter(text), "{text}");
        }
        for text in ["x", "x:-${y}", "x:-$$${y}", "x:-a}b", "x//\"a b\"/c", "#x", "x:-$(ls)"] {
            assert!(!in_parameter(text), "{text}");
        }
    }

    #[test]
    fn what_looks_like_a_comment_in_a_calculation_is_doubted() {
        for text in
            ["x = $['E'", "x # 1", "$(echo;#')", "x + {", "${x+$'}'}", "${x^^\\}", "${x=${y}${y:-}"]
        {
            assert!(in_arithmetic(text), "{text}");
        }
        for text in ["x + 1", "16#ff", "${#x} + $#", "a[i] << 2", "x ? y : $(f 1)"] {
            assert!(!in_arithmetic(text), "{text}");
        }
    }

    #[test]
    fn what_is_quoted_in_the_index_of_an_element_is_doubted() {
        for text in ["${x:-'$(ls)'}", "\\$(ls)", "\"\\`ls\\`\""] {
            assert!(in_key(text), "{text}");
        }
        for text in ["$(ls)", "${x:-1}", "'a b'", "a\\ b", "1"] {
            assert!(!in_key(text), "{text}");
        }
    }

    #[test]
    fn quotes_in_a_comment_between_backticks_are_doubted() {
        for text in ["ls #'\nls", "#\"", "ls $( (\\\n#'\n))", "ls;#`\nls"] {
            assert!(in_backticks(text), "{text}");
        }
        for text in ["ls # all\n'a'", "echo a#'b'", "echo ${#x} '#'", "ls"] {
            assert!(!in_backticks(text), "{text}");
        }
    }

    #[test]
    fn operators_and_blanks_in_an_index_are_doubted() {
        for text in ["1 # ", "1<<2", "1|2", "1 ", "x{", "\"$x y\""] {
            assert!(in_index(text), "{text}");
        }
        for text in ["i", "$i", "i+1", "$((i+1))", "${#a[@]}", "\"a b\"", "'a b|c'", "@", "-1"] {
            assert!(!in_index(text), "{text}");
        }
    }

    #[test]
    fn braces_in_a_test_are_doubted_unless_they_count() {
        for text in ["[[ a =~ {b ]]", "[[ a =~ (a|{b) ]]", "[[ a == {a,b} ]]", "[[ a == \\{ ]]"] {
            assert!(in_test(text), "{text}");
        }
        for text in ["[[ a =~ ^[0-9]{3}$ ]]", "[[ a =~ ^.{2,}-${x}$ ]]", "[[ $x == \"{\" ]]"] {
            assert!(!in_test(text), "{text}");
        }
    }

    #[test]
    fn between_elements_stand_blanks_and_comments() {
        for gap in ["", " ", "\n  # it's\n  ", " \\\n ", "\n"] {
            assert!(!between_elements(gap), "{gap:?}");
        }
        for gap in ["#'\n", ";", "a", " )"] {
            assert!(between_elements(gap), "{gap:?}");
        }
    }
}
