//! `case` within substitutions. The crate may take the `)` of one of its patterns for the end of
//! the substitution.
//!
//! It knows a `case` within `$(…)`, but not behind `{`, `then` and the like, and not within `<(…)`.
//! If something in a text is not understood, the crate is asked once more about a text of the same
//! length: with a line break before each `case`, and `$(` for `<(`. All places stay what they are,
//! and the lowering looks into the text itself to distinguish the two.

/// The words behind which a command begins that may as well stand on another line.
const BEFORE: &[&str] = &["if", "then", "elif", "else", "while", "until", "do", "{"];

/// The text in the form that the crate reads better; none if it is the same.
pub(super) fn apart(text: &str) -> Option<String> {
    if !text.contains("esac") || !text.contains('(') {
        return None;
    }
    let mut bytes = text.as_bytes().to_vec();
    let mut changed = false;
    for (at, _) in text.match_indices("case") {
        let before = text[..at].trim_end_matches([' ', '\t']);
        if before.len() < at && BEFORE.iter().any(|word| ends_in(before, word)) {
            bytes[at - 1] = b'\n';
            changed = true;
        }
    }
    for open in ["<(", ">("] {
        for (at, _) in text.match_indices(open) {
            let begins = !text[..at].ends_with(['<', '>', '&']);
            // `$((` would be arithmetic.
            if begins && !text[at + open.len()..].starts_with('(') {
                bytes[at] = b'$';
                changed = true;
            }
        }
    }
    changed.then(|| String::from_utf8(bytes).ok())?
}

/// True for a text that ends in a word.
fn ends_in(text: &str, word: &str) -> bool {
    text.strip_suffix(word).is_some_and(|before| {
        before.chars().next_back().is_none_or(|char| !char.is_alphanumeric() && char != '_')
    })
}

#[cfg(test)]
mod tests {
    use super::apart;

    #[test]
    fn a_case_begins_a_line_and_a_process_is_a_command() {
        for (text, expected) in [
            ("cat <(case x in x) ls;; esac)", Some("cat $(case x in x) ls;; esac)")),
            ("$({ case x in x) ls;; esac; })", Some("$({\ncase x in x) ls;; esac; })")),
            ("$(do  case x in x) ls;; esac)", Some("$(do \ncase x in x) ls;; esac)")),
            ("$(undo case x in x) ls;; esac)", None),
            ("cat <<(case esac) <((case esac))", None),
            ("cat <(ls)", None),
        ] {
            assert_eq!(apart(text).as_deref(), expected);
        }
    }
}
