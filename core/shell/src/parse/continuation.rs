//! Line continuations within known words, within assigned names, within numbers of descriptors, and
//! between the two brackets of arithmetic.
//!
//! A shell removes continuations before it reads words: `i\⏎f` is `if`, `a\⏎b=c` sets a variable,
//! and `$(\⏎(1))` is a number. The crate does not know such a word. So the continuations are moved
//! before the word, where they mean the same, and every place in the text stays what it is.

use std::borrow::Cow;

/// The words that a shell knows where a command begins.
const KNOWN: &[&str] = &[
    "if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for",
    "select", "in", "function", "time", "coproc", "declare", "typeset", "local", "export",
    "readonly", "[[", "]]", "exit", "return", "break", "continue",
];

/// The text with the continuations within such words moved before them.
///
/// Quotes are not considered here. Between double quotes a continuation may stand anywhere in a
/// word, and `check_quoted` makes sure that a quoted text which would change lost none.
pub(super) fn moved(text: &str) -> Cow<'_, str> {
    if !text.contains("\\\n") {
        return Cow::Borrowed(text);
    }
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    let mut begins = true;
    while let Some(char) = rest.chars().next() {
        let found = if begins { known(rest) } else { None };
        if let Some((word, length)) = found.or_else(|| arithmetic(rest, begins)) {
            result.push_str(&"\\\n".repeat((length - word.len()) / 2));
            result.push_str(&word);
            rest = &rest[length..];
            begins = word.ends_with('(');
            continue;
        }
        // What is between single quotes is only itself, and a comment ends with its line in any case.
        let comments = begins && !result.ends_with(['{', '}']);
        let length = match char {
            '#' if comments => rest.find('\n').unwrap_or(rest.len()),
            '\'' => rest[1..].find('\'').map_or(1, |end| end + 2),
            '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            char => char.len_utf8(),
        };
        begins = ends(char) || rest.starts_with("\\\n") && begins;
        result.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    Cow::Owned(result)
}

/// True for a character that ends a word.
fn ends(char: char) -> bool {
    char.is_ascii_whitespace() || ";|&(){}`".contains(char)
}

/// A known word with continuations in it that begins here: the word without them, and its length
/// with them.
fn known(text: &str) -> Option<(String, usize)> {
    let mut word = String::new();
    let mut rest = text;
    loop {
        if let Some(after) = rest.strip_prefix("\\\n").filter(|_| !word.is_empty()) {
            rest = after;
            continue;
        }
        let is_letter = |char: &char| char.is_ascii_alphanumeric() || "_[]".contains(*char);
        let added = rest.strip_prefix('+').filter(|_| !word.is_empty());
        if added.is_some_and(|behind| behind.trim_start_matches("\\\n").starts_with('=')) {
            word.push('+');
            rest = rest[1..].trim_start_matches("\\\n");
            break;
        }
        match rest.chars().next().filter(is_letter) {
            Some(letter) => {
                word.push(letter);
                rest = &rest[1..];
            }
            _ => break,
        }
    }
    let length = text.len() - rest.len();
    let is_whole = rest.chars().next().is_none_or(|char| ends(char) || char == '\\');
    let is_assigned = || {
        let sets = rest.starts_with('=') || word.ends_with(']');
        sets && word.starts_with(|char: char| char == '_' || char.is_ascii_alphabetic())
    };
    let is_number =
        || rest.starts_with(['<', '>']) && word.chars().all(|char| char.is_ascii_digit());
    let is_known = is_whole && KNOWN.contains(&word.as_str()) || is_assigned() || is_number();
    (length > word.len() && is_known).then_some((word, length))
}

/// The brackets of arithmetic with continuations between them that begin here: without those, and
/// the length with them.
fn arithmetic(text: &str, begins: bool) -> Option<(String, usize)> {
    let (mut word, mut rest) = match text.strip_prefix('$') {
        Some(rest) => ("$".to_owned(), rest),
        None if begins && text.starts_with('(') => (String::new(), text),
        None => return None,
    };
    while let Some(behind) = rest.trim_start_matches("\\\n").strip_prefix('(') {
        word.push('(');
        rest = behind;
    }
    let length = text.len() - rest.len();
    (length > word.len()).then_some((word, length))
}

#[cfg(test)]
mod tests {
    use super::moved;

    #[test]
    fn continuations_within_known_words_move_before_them() {
        for (text, expected) in [
            ("i\\\nf x", "\\\nif x"),
            ("ls; d\\\neclar\\\ne -a x", "ls; \\\n\\\ndeclare -a x"),
            ("r\\\nm x", "r\\\nm x"),
            ("if\\\n x", "\\\nif x"),
            ("a\\\nb=c", "\\\nab=c"),
            ("ls; a\\\nb+\\\n=c", "ls; \\\n\\\nab+=c"),
            ("b+\\\n=c", "\\\nb+=c"),
            ("b+\\\nc", "b+\\\nc"),
            ("x $(\\\n(1 + 2))", "x \\\n$((1 + 2))"),
            ("x\"$(\\\n\\\n(1))\"", "x\"\\\n\\\n$((1))\""),
            ("(\\\n(x))", "\\\n((x))"),
            ("x \\$(\\\n(1))", "x \\$(\\\n(1))"),
            ("$(\\\nls)", "$(\\\nls)"),
            ("$\\\n(ls)", "\\\n$(ls)"),
            ("((\\\n(x)))", "\\\n(((x)))"),
            ("x <(\\\n(x))", "x <(\\\n(x))"),
            ("a\\\nb[1]=c", "\\\nab[1]=c"),
            ("2\\\n>x ls", "\\\n2>x ls"),
            ("'; a\\\nb=c'", "'; a\\\nb=c'"),
            ("x \\\n a\\\nb=c", "x \\\n \\\nab=c"),
            ("xi\\\nf y", "xi\\\nf y"),
            ("if x", "if x"),
            ("# a\\\nb=c", "# a\\\nb=c"),
            ("ls;#i\\\nf x", "ls;#i\\\nf x"),
            ("ls # it's\na\\\nb=c", "ls # it's\n\\\nab=c"),
            ("ls x#a; c\\\nb=c", "ls x#a; \\\ncb=c"),
            ("ls ${#a} a\\\nb=c", "ls ${#a} \\\nab=c"),
        ] {
            assert_eq!(moved(text), expected);
            assert_eq!(moved(text).len(), text.len());
        }
    }
}
