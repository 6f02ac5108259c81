//! Passwords behind flags of well-known clients: `mysql -pV`, `curl -u user:V`.
//!
//! Short flags such as `-p` mean something else in most programs. So the name of the client must
//! stand before the flag, on the same command. The clients are data: `data/clients.toml`.

use super::super::super::view::View;
use super::super::judge::Form;
use super::value::{Value, blanks, quoted, unquoted};

/// How far before a flag its client may stand, in bytes.
const MAX_DISTANCE: usize = 256;

/// Among how many first words of the command the client must be.
const MAX_WORDS: usize = 12;

/// How a client takes the password.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FlagStyle {
    /// Attached to the flag: `-pV`.
    Attached,
    /// As the next word: `-p V`.
    Separate,
    /// Attached or as the next word.
    Either,
    /// Behind a user and this byte: `-u user:V`.
    AfterUser(u8),
}

/// A client and one of its flags.
struct Client {
    names: &'static [&'static [u8]],
    flag: &'static [u8],
    style: FlagStyle,
    /// A word that must stand between client and flag; empty if there is none.
    required_word: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/clients.rs"));

/// The password behind the flag at the candidate, or one blank behind it.
pub(super) fn argument(view: &View<'_>) -> Option<Value> {
    let text = view.text;
    let at = view.at + blanks(text, view.at).min(1);
    let of_flag = |client_flag: &&Client| text[at..].starts_with(client_flag.flag);
    let end = at + CLIENTS.iter().find(of_flag)?.flag.len();
    let separate = blanks(text, end);
    let start = end + separate;
    let ends = matches!(text.get(start), None | Some(b'-' | b'\n' | b'\r'));
    let may = |client_flag: &&Client| {
        of_flag(client_flag) && (!ends || matches!(client_flag.style, FlagStyle::AfterUser(_)))
    };
    let words =
        CLIENTS.iter().any(|client_flag| may(&client_flag)).then(|| words_before(text, view.at))?;
    let client_flag = CLIENTS.iter().filter(may).find(|client_flag| {
        let names = words.iter().filter(|word| word.first().is_some_and(u8::is_ascii_alphanumeric));
        names.into_iter().any(|word| client_flag.names.contains(word))
            && (client_flag.required_word.is_empty() || words.contains(&client_flag.required_word))
    })?;
    match client_flag.style {
        FlagStyle::Attached => (separate == 0 && !ends).then(|| word(view, end)).flatten(),
        FlagStyle::Separate => (separate > 0 && !ends).then(|| word(view, start)).flatten(),
        FlagStyle::Either => (!ends).then(|| word(view, start)).flatten(),
        FlagStyle::AfterUser(marker) => {
            if separate == 0 && client_flag.flag.len() > 2 && text.get(end) != Some(&b'=') {
                return None;
            }
            let start = start + usize::from(text.get(start) == Some(&b'='));
            let mut value = word(view, start)?;
            let user = text[value.span.clone()].iter().position(|&b| b == marker)?;
            value.span.start += user + 1;
            // Only the password may be quoted: `-u user:'V'`.
            if value.span.is_empty() { quoted_word(view, value.span.end) } else { Some(value) }
        }
    }
}

/// The first words of the command before `at`.
fn words_before(text: &[u8], at: usize) -> [&[u8]; MAX_WORDS] {
    let before = &text[at.saturating_sub(MAX_DISTANCE)..at];
    let line = memchr::memrchr3(b'\n', b'|', b';', before).map_or(0, |at| at + 1);
    let mut words = before[line..].split(|&b| b == b' ').filter(|word| !word.is_empty());
    std::array::from_fn(|_| words.next().map(base_name).unwrap_or_default())
}

/// The string at `at`. It is certainly a password, whatever follows it.
fn quoted_word(view: &View<'_>, at: usize) -> Option<Value> {
    Some(Value { form: Form::Query, ..quoted(view, at, Form::Flag)? })
}

/// The word at `at`. It is certainly a password, whatever follows it.
pub(super) fn word(view: &View<'_>, at: usize) -> Option<Value> {
    let value = quoted(view, at, Form::Flag).or_else(|| unquoted(view, at, Form::Flag))?;
    Some(Value { form: Form::Query, ..value })
}

/// The name of a program without its path and quotes.
fn base_name(word: &[u8]) -> &[u8] {
    let start = word.iter().rposition(|b| b"/\\\"'`(".contains(b)).map_or(0, |at| at + 1);
    &word[start..]
}
