//! Sights that are no names, but say that a password follows or stands before them.

use super::super::super::view::View;
use super::super::judge::{self, Form};
use super::account::Command;
use super::value::{Need, Value, bare, blanks, quoted};
use super::{arguments, client, oracle};

/// What the sight is, if it is no name.
pub(super) enum Mark {
    /// `:thin:` or `sqlplus `, before `user/password`; where the user starts.
    User(usize),
    /// The flag of a client.
    Flag,
    /// `IDENTIFIED BY 'v'`, `ConvertTo-SecureString 'v'`; where the value may start.
    Password(usize),
    /// A command that manages accounts: which it is, and where its words start.
    Command(Command, usize),
    /// A function that takes one: where its arguments start, and which it is.
    Call(usize, usize),
}

impl Mark {
    #[inline]
    pub(super) fn at(text: &[u8]) -> Option<Mark> {
        if is_name(text) { None } else { Mark::whole(text) }
    }

    fn whole(text: &[u8]) -> Option<Mark> {
        if let Some((length, nth)) = arguments::call(text) {
            return Some(Mark::Call(length, nth));
        }
        if let Some((command, length)) = Command::at(text) {
            return Some(Mark::Command(command, length));
        }
        match text.first()? {
            b':' => Some(Mark::User(b":thin:".len())),
            b' ' | b'-' => Some(Mark::Flag),
            b's' | b'S' => begins(text, b"sqlplus ").map(Mark::User),
            b'i' | b'I' => begins(text, b"identified by").map(Mark::Password),
            b't' | b'T' => begins(text, b"to-securestring").map(Mark::Password),
            _ => None,
        }
    }

    /// True for what may be a name all the same: `client_auth("v")`.
    pub(super) fn may_be_name(&self, text: &[u8]) -> bool {
        matches!(self, Mark::Call(..)) && text[0].eq_ignore_ascii_case(&b'a')
    }

    pub(super) fn value(self, view: &View<'_>) -> Option<Value> {
        match self {
            Mark::User(length) => oracle::behind_user(view, view.at + length),
            Mark::Command(command, length) => command.password(view, view.at + length),
            Mark::Flag => client::argument(view),
            Mark::Call(length, nth) => arguments::secret(view, view.at + length, nth),
            Mark::Password(length) => password(view, view.at + length),
        }
    }
}

/// True for most names, and for no mark: by its first two letters.
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

fn begins(text: &[u8], word: &[u8]) -> Option<usize> {
    text.get(..word.len())?.eq_ignore_ascii_case(word).then_some(word.len())
}

fn password(view: &View<'_>, at: usize) -> Option<Value> {
    let mut start = at + blanks(view.text, at);
    if let Some(flag) = begins(&view.text[start..], b"-string") {
        start += flag + blanks(view.text, start + flag);
    }
    // In a sentence things are identified by all sorts of words.
    let capitals = view.text[view.at..at].iter().all(|b| !b.is_ascii_lowercase());
    let strings = view.text.get(start).is_some_and(|&b| b == b'\'' || b == b'"' && capitals)
        || !capitals && matches!(view.text[view.at], b't' | b'T');
    let line = &view.text[view.at.saturating_sub(64)..view.at];
    let account = capitals || memchr::memmem::find(line, b"user ").is_some();
    let likely = |value: &Value| account && judge::is_memorable(&view.text[value.span.clone()]);
    if let Some(value) = quoted(view, start, Form::QuotedData)
        && (strings || likely(&value))
    {
        return Some(value);
    }
    let value = bare(view, start, Form::Flag)?;
    Some(if likely(&value) { value } else { value.needs(Need::Weak) })
}
