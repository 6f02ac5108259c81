//! Passwords that a command reads from its standard input: `echo v | docker login
//! --password-stdin`, `passwd <<< v`, `echo bob:v | chpasswd`.

use super::super::super::view::View;
use super::client_flag::word;
use super::value::{Value, blanks};

/// How far before and behind a command its input is searched, in bytes.
const MAX_LINE: usize = 256;

/// True for a flag that takes the password from the input.
pub(super) fn is_flag(name: &[u8]) -> bool {
    name.ends_with(b"-stdin") || name == b"with-token"
}

/// The input of the command whose part `text[at..end]` is known.
pub(super) fn value(view: &View<'_>, at: usize, end: usize) -> Option<Value> {
    here_string(view, end).or_else(|| echoed(view, at))
}

/// A here-string: `<<< v`.
fn here_string(view: &View<'_>, end: usize) -> Option<Value> {
    let rest = &view.text[end..view.text.len().min(end + MAX_LINE)];
    let line = rest.iter().position(|b| matches!(b, b'\n' | b'|' | b';')).unwrap_or(rest.len());
    let marker = end + memchr::memmem::find(&rest[..line], b"<<<")? + b"<<<".len();
    word(view, marker + blanks(view.text, marker))
}

/// A pipe: `echo v |`.
fn echoed(view: &View<'_>, at: usize) -> Option<Value> {
    let before = &view.text[at.saturating_sub(MAX_LINE)..at];
    let line = &before[memchr::memrchr(b'\n', before).map_or(0, |end| end + 1)..];
    let pipe = memchr::memrchr3(b'|', b';', b'&', line).filter(|pipe| line[*pipe] == b'|')?;
    let front = line[..pipe].trim_ascii_end();
    let echoes = [&b"echo"[..], b"printf", b"Write-Output"];
    if !echoes.iter().any(|echo| memchr::memmem::find(front, echo).is_some()) {
        return None;
    }
    let quote = *front.last()?;
    let inner = &front[..front.len() - 1];
    let length = match quote {
        b'"' | b'\'' => 1 + inner.len() - inner.iter().rposition(|b| *b == quote)?,
        _ => front.iter().rev().take_while(|b| !b.is_ascii_whitespace()).count(),
    };
    word(view, at - (line.len() - front.len()) - length)
}
