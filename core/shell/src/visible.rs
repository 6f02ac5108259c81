//! Text as a person sees it: characters that cannot be seen are written out.
//!
//! A command may hold control characters, or characters that turn the direction of what follows.
//! Whoever approves it must see what runs, so every text for people and models passes through here.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The text for a person to decide about: whatever is not seen, or turns the direction of writing, is
/// written out, as `\u{1b}`. Tabs and ends of lines stay.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    // Writing to a string does not fail.
    written_out(text, |shown, hidden| {
        let _ = write!(shown, "\\u{{{:x}}}", u32::from(hidden));
    })
}

/// JSON text in which whatever is not seen is written as JSON's own escapes: `\u200b`.
#[must_use]
pub fn visible_json(json: &str) -> Cow<'_, str> {
    written_out(json, |shown, hidden| {
        for unit in hidden.encode_utf16(&mut [0; 2]) {
            let _ = write!(shown, "\\u{unit:04x}");
        }
    })
}

/// A text with its hidden characters written out in one of the two forms.
fn written_out(text: &str, write_out: impl Fn(&mut String, char)) -> Cow<'_, str> {
    if !text.chars().any(|character| is_hidden(character) || is_joiner(character)) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut before = None;
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        let joins =
            is_joined(before) && (character == '\u{fe0f}' || is_joined(rest.peek().copied()));
        match is_hidden(character) || is_joiner(character) && !joins {
            true => write_out(&mut shown, character),
            false => shown.push(character),
        }
        before = Some(character);
    }
    match shown == text {
        true => text.into(),
        false => shown.into(),
    }
}

/// True for a character that is not seen: controls, and what Unicode calls default ignorable (section
/// 5.21 of the standard) or leaves blank without being a space.
fn is_hidden(character: char) -> bool {
    if character.is_ascii() {
        return character.is_control() && !matches!(character, '\n' | '\t');
    }
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0e}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// True for what joins or parts the characters beside it, and shows an emoji in colours. It is not
/// seen, and some scripts and emoji need it.
fn is_joiner(character: char) -> bool {
    matches!(character, '\u{200c}' | '\u{200d}' | '\u{fe0f}')
}

/// True for a character that may need a joiner beside it: of scripts from Arabic on, or an emoji. Latin,
/// Greek and Cyrillic, in which commands and paths are written, need none.
fn is_joined(character: Option<char>) -> bool {
    character.is_some_and(|character| {
        character >= '\u{600}'
            && !is_hidden(character)
            && !matches!(character, '\u{200c}' | '\u{200d}')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_sees_what_is_hidden() {
        assert_eq!(
            visible("rm x\x1b[2Kls\u{202e}\u{e0041}\r"),
            "rm x\\u{1b}[2Kls\\u{202e}\\u{e0041}\\u{d}"
        );
        assert!(matches!(visible("a\tb\né 👩\u{200d}💻 ❤\u{fe0f}"), Cow::Borrowed(_)));
        assert!(matches!(visible("می\u{200c}خواهم"), Cow::Borrowed(_)));
        for hidden in [
            '\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}', '\u{feff}', '\u{ad}', '\u{2066}',
            '\u{3164}', '\u{2800}', '\u{fe0f}', '\u{e0101}', '\u{115f}', '\u{85}',
        ] {
            let shown = format!("rm a\\u{{{:x}}}b", u32::from(hidden));
            assert_eq!(visible(&format!("rm a{hidden}b")), shown);
        }
        assert_eq!(visible_json("\"a\u{202e}\u{e0041}\""), r#""a\u202e\udb40\udc41""#);
    }
}
