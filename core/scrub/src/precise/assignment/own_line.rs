//! Values on a line of their own, announced by the line before: `The password is:`, a heading, or a
//! command that prints them, as in `$ cat db_password`.

use super::super::super::view::View;
use super::super::judge::{self, Form};
use super::super::name::{self, NameClass, Strength};
use super::site::{MAX_LINE, Site};
use super::value::{Requirement, Value, next_line, unquoted};
use crate::words;

/// How far the line may go on behind the name, in bytes.
const MAX_REST: usize = 160;
/// How many empty lines may stand in between.
const MAX_EMPTY_LINES: usize = 2;
/// How far into its line a prompt is searched, in bytes.
const MAX_PROMPT: usize = 48;
/// The longest heading before the name, in bytes.
const MAX_HEADING: usize = 48;
/// The longest word between the name and the end of its line, in bytes.
const MAX_WORD: usize = 32;

/// How a line announces the value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LeadIn {
    /// As a label with a colon at its end, or as a heading.
    Label,
    /// As a command that prints it.
    Command,
}

/// The value on the line below, or behind empty lines.
pub(super) fn value(view: &View<'_>, site: &Site<'_>, class: NameClass) -> Option<Value> {
    let lead_in = lead_in(view.text, site)?;
    let vague = class.strength == Strength::Weak && class.kind != "credential";
    if vague && lead_in == LeadIn::Label {
        return None;
    }
    let rest = rest(view.text, site);
    if lead_in == LeadIn::Label && names_other_property(rest)
        || rest.split(|b| *b == b' ').any(is_own_candidate)
    {
        return None;
    }
    let mut line = next_line(view.text, site.end + rest.len())?;
    if lead_in == LeadIn::Label {
        for _ in 0..MAX_EMPTY_LINES {
            line = next_line(view.text, line).unwrap_or(line);
        }
    }
    let start = line + view.text[line..].iter().take(8).take_while(|b| **b == b' ').count();
    let value = unquoted(view, start, Form::Line)?;
    let end = value.span.end;
    let ends = view.text.get(end).map_or(view.last, |b| matches!(b, b'\n' | b'\r'));
    ends.then(|| value.requiring(Requirement::SurelyRandom))
}

/// A prefilter: false only if the line does not announce a value below it.
pub(super) fn may_lead_in(text: &[u8], site: &Site<'_>) -> bool {
    lead_in(text, site).is_some()
}

/// How the line announces a value. It does not if it contains a secret, masked or not: a
/// placeholder is shorter than its secret, so that the decision could change once the secret is
/// masked.
fn lead_in(text: &[u8], site: &Site<'_>) -> Option<LeadIn> {
    let rest = rest(text, site);
    if !matches!(text.get(site.end + rest.len()), Some(b'\n' | b'\r')) {
        return None;
    }
    let trimmed = rest.trim_ascii_end();
    let before = site.line_before();
    let labels = trimmed.ends_with(b":") && !matches!(site.before(), b'"' | b'\'')
        || before.starts_with(b"#") && trimmed.is_empty() && before.len() < MAX_HEADING;
    let lead_in = if labels {
        LeadIn::Label
    } else {
        is_printing_command(before, site.name(), rest).then_some(LeadIn::Command)?
    };
    (before.len() < MAX_LINE && site.behind_secret().is_none()).then_some(lead_in)
}

/// True for a word that is a candidate of its own, which a value below would hide.
fn is_own_candidate(word: &[u8]) -> bool {
    let front = word.strip_suffix(b":").unwrap_or(word);
    let (name, value) = front.split_at(front.iter().position(|b| *b == b'=').unwrap_or(0));
    word.len() > MAX_WORD
        || front.iter().any(|b| b":@[".contains(b))
        || !name.is_empty() && name::classify(name).is_some()
        || judge::is_opaque(value)
}

/// The rest of the line behind the name.
fn rest<'t>(text: &'t [u8], site: &Site<'_>) -> &'t [u8] {
    let rest = &text[site.end..text.len().min(site.end + MAX_REST)];
    &rest[..memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len())]
}

/// True for a prompt and a command that prints a secret.
fn is_printing_command(before: &[u8], name: &[u8], rest: &[u8]) -> bool {
    // A host and a folder may stand before it.
    let front = &before[..before.len().min(MAX_PROMPT)];
    let sign = |at: &usize| matches!(before.get(at + 1), Some(b' '));
    let Some(at) = memchr::memchr2_iter(b'$', b'#', front).find(sign) else { return false };
    let command = &before[at + 2..];
    let word = command.split(|b| *b == b' ').next().unwrap_or_default();
    let word = if word.is_empty() { name } else { word };
    let more = |part: &[u8]| memchr::memmem::find(rest, part).is_some();
    words::PRINTING_COMMANDS.contains(&word)
        && !more(b" > ")
        && !more(b">>")
        && !more(b"sha")
        && !more(b"wc ")
}

/// True if the line is about another property: `token hash:`, `key fingerprint:`.
fn names_other_property(rest: &[u8]) -> bool {
    words::OTHER_PROPERTIES.iter().any(|word| memchr::memmem::find(rest, word).is_some())
}
