//! Prose: values that a sentence states, as in "the password is …".
//!
//! Sentences mention secrets far more often than they reveal them. So a value in prose must look
//! random, or like a password that people make.

use super::super::super::view::View;
use super::super::judge::Form;
use super::super::name::{NameClass, Strength};
use super::value::{Requirement, Value, blanks, next_line, quoted, requiring_random, unquoted};
use crate::words;

/// The value that the sentence states.
pub(super) fn stated_value(view: &View<'_>, class: NameClass, at: usize) -> Option<Value> {
    let text = view.text;
    // An algorithm with several passes: `a two-pass …`.
    if text[..at].trim_ascii_end().ends_with(b"-pass") {
        return None;
    }
    let strong = class.strength == Strength::Strong;
    match text[at..] {
        [b'|', ..] => {
            return requiring_random(unquoted(view, at + 1 + blanks(text, at + 1), Form::Line));
        }
        [b'(', ..] if strong => return in_parentheses(view, at + 1),
        [b'"' | b'\'' | b'`', ..] if strong => return stated_after_verb(view, class, at),
        _ => {}
    }
    let mut at = at;
    let mut after_preposition = false;
    for turn in 0..WORDS_BETWEEN {
        let most = if turn == 0 { 24 } else { 64 };
        let length =
            text[at..].iter().take(most).take_while(|&&b| !b.is_ascii_whitespace()).count();
        let word = &text[at..at + length];
        let next = at + length + blanks(text, at + length);
        let verb = word.strip_suffix(b":").unwrap_or(word);
        let is_verb = verb.len() <= MAX_VERB
            && words::STATING_VERBS.iter().any(|known| known.eq_ignore_ascii_case(verb));
        if word.is_empty() || next == at + length {
            // The last word of a line, or a long word.
            let below = if is_verb { alone_on_next_line(view, at + length) } else { None };
            return below
                .or_else(|| (turn == 0 && strong).then(|| stated_word(view, at)).flatten());
        }
        let is_past_action = |word: &[u8]| words::PAST_ACTIONS.contains(&word);
        let behind = text[next..].split(|b| !b.is_ascii_alphabetic()).next().unwrap_or_default();
        if is_verb && !is_past_action(behind) {
            return stated_after_verb(view, class, next);
        }
        // `password for bob: …`
        if after_preposition && word.ends_with(b":") {
            return stated_after_verb(view, class, next);
        }
        // `the password for staging is …`, `the password was set to …`
        let is_preposition = words::PREPOSITIONS.contains(&word);
        if !after_preposition && !is_verb && !is_past_action(word) && !is_preposition {
            // `use token …`
            return (turn == 0 && strong).then(|| stated_word(view, at)).flatten();
        }
        after_preposition |= is_preposition;
        at = next;
    }
    None
}

/// A prefilter: true if a sentence that goes on with this lower-case word states no value.
pub(super) fn states_nothing(word: &[u8]) -> bool {
    let leads = |list: &[&[u8]]| list.contains(&word);
    word.len() > MAX_LEAD_WORD
        || !(leads(words::STATING_VERBS)
            || leads(words::PREPOSITIONS)
            || leads(words::PAST_ACTIONS))
}

/// The longest stating verb, in bytes.
const MAX_VERB: usize = 6;

/// How many words may stand between the name and the value.
const WORDS_BETWEEN: usize = 7;

/// The longest word that may stand before a stated value, in bytes.
const MAX_LEAD_WORD: usize = 9;

/// A value in parentheses behind the name.
fn in_parentheses(view: &View<'_>, at: usize) -> Option<Value> {
    /// The longest value in parentheses.
    const LONGEST: usize = 64;
    let rest = &view.text[at..view.text.len().min(at + LONGEST)];
    let length = rest.iter().position(|b| b.is_ascii_whitespace() || b"()".contains(b))?;
    let closed = rest[length] == b')' && length > 0;
    closed.then(|| Value::closed(at..at + length, Form::Line).requiring(Requirement::SurelyRandom))
}

/// The only word of the next line that is not empty.
fn alone_on_next_line(view: &View<'_>, at: usize) -> Option<Value> {
    let mut line = next_line(view.text, at)?;
    line = next_line(view.text, line).unwrap_or(line);
    let value = stated_word(view, line + blanks(view.text, line))?;
    let end = value.span.end;
    let own_line = next_line(view.text, end).is_some()
        || view.last && end + blanks(view.text, end) == view.text.len();
    own_line.then_some(value)
}

/// The value behind a verb: a string, or a word.
fn stated_after_verb(view: &View<'_>, class: NameClass, at: usize) -> Option<Value> {
    if let Some(value) = quoted(view, at, Form::QuotedCode) {
        let requirement = if class.kind == "password" {
            Requirement::SurelyRandom
        } else {
            Requirement::LooksRandom
        };
        return Some(value.requiring(requirement));
    }
    stated_word(view, at)
}

/// A word of a sentence, without the punctuation behind it.
fn stated_word(view: &View<'_>, at: usize) -> Option<Value> {
    let mut value = unquoted(view, at, Form::Line)?;
    while matches!(view.text[value.span.clone()].last(), Some(b'.' | b',' | b'!' | b'?' | b':')) {
        value.span.end -= 1;
    }
    (!value.span.is_empty()).then(|| value.requiring(Requirement::SurelyRandom))
}
