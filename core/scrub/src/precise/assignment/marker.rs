//! Markers: candidates that are no names, but announce a password before or behind them.

use super::super::super::view::View;
use super::super::judge::{self, Form};
use super::account_command::Command;
use super::value::{Requirement, Value, blanks, quoted, unquoted};
use super::{arguments, client_flag, oracle_login};

/// What the candidate is, if it is no name.
pub(super) enum Marker {
    /// `:thin:` or `sqlplus `, before `user/password`. Holds the offset of the user.
    User(usize),
    /// A flag of a client.
    Flag,
    /// `IDENTIFIED BY 'v'`, `ConvertTo-SecureString 'v'`. Holds the offset of the value.
    Password(usize),
    /// A command that manages accounts. Holds the command and the offset of its words.
    Command(Command, usize),
    /// A function that takes a password. Holds the offset of the arguments and the number of the
    /// secret one.
    Call(usize, usize),
}

impl Marker {
    /// The marker that `text` starts with.
    #[inline]
    pub(super) fn at(text: &[u8]) -> Option<Marker> {
        if is_name(text) { None } else { Marker::parse_marker(text) }
    }

    /// The marker that `text` starts with, if a name does not stand there.
    fn parse_marker(text: &[u8]) -> Option<Marker> {
        if let Some((length, nth)) = arguments::call(text) {
            return Some(Marker::Call(length, nth));
        }
        if let Some((command, length)) = Command::at(text) {
            return Some(Marker::Command(command, length));
        }
        match text.first()? {
            b':' => Some(Marker::User(b":thin:".len())),
            b' ' | b'-' => Some(Marker::Flag),
            b's' | b'S' => begins(text, b"sqlplus ").map(Marker::User),
            b'i' | b'I' => begins(text, b"identified by").map(Marker::Password),
            b't' | b'T' => begins(text, b"to-securestring").map(Marker::Password),
            _ => None,
        }
    }

    /// True for a marker that may also be a name: `client_auth("v")`.
    pub(super) fn may_be_name(&self, text: &[u8]) -> bool {
        matches!(self, Marker::Call(..)) && text[0].eq_ignore_ascii_case(&b'a')
    }

    /// The password that the marker announces.
    pub(super) fn value(self, view: &View<'_>) -> Option<Value> {
        match self {
            Marker::User(length) => oracle_login::after_user(view, view.at + length),
            Marker::Command(command, length) => command.password(view, view.at + length),
            Marker::Flag => client_flag::argument(view),
            Marker::Call(length, nth) => arguments::secret(view, view.at + length, nth),
            Marker::Password(length) => password(view, view.at + length),
        }
    }
}

/// A prefilter: true for most names and for no marker, by the first two letters.
#[inline]
pub(super) fn is_name(text: &[u8]) -> bool {
    let &[first, second, ..] = text else { return false };
    match first | 0x20 {
        b'k' => true,
        b'p' => second | 0x20 != b'l',
        b'a' => !matches!(text.get(4), Some(b'=' | b'(')),
        b'c' => {
            !matches!(second | 0x20, b'h' | b'u' | b'a')
                && text.get(2).is_some_and(|third| third | 0x20 != b'y')
        }
        b's' => !matches!(second | 0x20, b'q' | b'n' | b'u'),
        b't' => text.get(2).is_some_and(|&third| third != b'-'),
        b'j' => text.get(3).is_some_and(|&fourth| fourth != b'.'),
        _ => false,
    }
}

/// The length of `word`, if `text` begins with it, in any case.
fn begins(text: &[u8], word: &[u8]) -> Option<usize> {
    text.get(..word.len())?.eq_ignore_ascii_case(word).then_some(word.len())
}

/// The password behind `IDENTIFIED BY` or `ConvertTo-SecureString`.
fn password(view: &View<'_>, at: usize) -> Option<Value> {
    let mut start = at + blanks(view.text, at);
    if let Some(flag) = begins(&view.text[start..], b"-string") {
        start += flag + blanks(view.text, start + flag);
    }
    // In prose, things are identified by many words; SQL keywords are in capitals.
    let capitals = view.text[view.at..at].iter().all(|b| !b.is_ascii_lowercase());
    let strings = view.text.get(start).is_some_and(|&b| b == b'\'' || b == b'"' && capitals)
        || !capitals && matches!(view.text[view.at], b't' | b'T');
    let line = &view.text[view.at.saturating_sub(64)..view.at];
    let account_command = capitals || memchr::memmem::find(line, b"user ").is_some();
    let likely =
        |value: &Value| account_command && judge::is_memorable(&view.text[value.span.clone()]);
    if let Some(value) = quoted(view, start, Form::QuotedData)
        && (strings || likely(&value))
    {
        return Some(value);
    }
    let value = unquoted(view, start, Form::Flag)?;
    Some(if likely(&value) { value } else { value.requiring(Requirement::LooksRandom) })
}
