//! Assignments: finds the value that is assigned to a secret's name, in JSON, YAML, TOML, env
//! files, headers, flags, XML, code and prose.
//!
//! A candidate is a keyword such as `password` or `key` inside a name. The way of the data:
//!
//! 1. `site` finds the whole name around the keyword, and how it is quoted.
//! 2. [`name`] classifies the name.
//! 3. `syntax` reads on behind the name: which of the many ways to assign a value this is, and
//!    where the value lies. Each group of ways has a module: `language`, `markup`, `pair`,
//!    `parallel`, `call`, `command`, `stdin`, `cookie`, `prose`, `own_line`. `value` finds the
//!    ends of quoted and unquoted values.
//! 4. [`judge`] decides whether the value is a secret.
//!
//! Some candidates are no names but announce a password without one: `marker` recognises them, with
//! `client_flag`, `account_command`, `arguments` and `oracle_login`.
//!
//! Most names are no secrets, or have no value. So [`skip`] answers first, from a few bytes.
//!
//! Invariant: [`skip`] passes only over names at which [`inspect`] finds nothing, and continues
//! where `inspect` would. `skip_tests` compares the two on random pieces of text.

use super::super::hit::{Confidence, Hit, Kind};
use super::super::placeholder;
use super::super::view::{Outcome, View};
use super::candidate::MIN_RUN;
use super::judge::{self, Form, NamedValue, PrefixSet};
use super::kinds::Kinds;
use super::name::{self, NameClass, Strength};
use super::table::{Cell, Table};
use crate::words;
use marker::Marker;
use site::{NameSpan, Site};
use value::{Requirement, Value};

mod account_command;
mod arguments;
mod call;
mod client_flag;
mod command;
mod cookie;
mod language;
mod marker;
mod markup;
mod oracle_login;
mod own_line;
mod pair;
mod parallel;
mod prose;
mod site;
mod stdin;
mod syntax;
mod value;

#[cfg(test)]
mod skip_tests;
#[cfg(test)]
mod tests;

/// How much of the line behind a value the judge sees, in bytes.
const MAX_REST: usize = 256;

/// Prefixes of public keys, from `data/words/assignment.toml`.
static PUBLIC_KEY_PREFIXES: PrefixSet = PrefixSet::new(words::PUBLIC_KEY_PREFIXES);

/// Where to continue behind a name at which [`inspect`] finds nothing, if a few bytes show that.
/// Most names are like that. `None` if `inspect` must decide.
#[inline]
pub(super) fn skip(kinds: &Kinds, view: &View<'_>) -> Option<usize> {
    if !marker::is_name(view.ahead()) {
        return None;
    }
    let name_span = NameSpan::around(view.text, view.at);
    if name_span.follows_colon(view.text) && placeholder_around(view).is_some() {
        return None;
    }
    let name = &view.text[name_span.start..name_span.end];
    let behind = || chain_end(view.text, name_span.read).max(view.at + 1);
    if !name::may_be_secret_name(name) {
        return Some(behind());
    }
    let site = Site::new(view, name_span);
    if has_weak_value(kinds, view, &site) {
        // A weak value is not itself the name of another value.
        return Some(name_span.read);
    }
    let idle = has_no_assignment(view, &site) || has_empty_string(view, &site);
    (idle || has_macro_value(kinds, view, &site) || continues_as_prose(view, &site)).then(behind)
}

/// Inspects the name that contains the candidate.
pub(super) fn inspect(kinds: &Kinds, view: &View<'_>) -> Outcome {
    if let Some(marker) = Marker::at(view.ahead()) {
        let name = marker.may_be_name(view.ahead());
        let look = inspect_marker(kinds, view, marker);
        if look.hit.is_some() || !name {
            return look;
        }
    }
    if let Some(end) = placeholder_around(view) {
        return Outcome::none(end);
    }
    let name_span = NameSpan::around(view.text, view.at);
    let resume = chain_end(view.text, name_span.read).max(view.at + 1);
    let name = &view.text[name_span.start..name_span.end];
    if !name::may_be_secret_name(name) {
        debug_assert!(name::classify(name).is_none(), "the name has a class");
        return Outcome::none(resume);
    }
    if let Some(hit) = find(kinds, view, &Site::new(view, name_span)) {
        let resume = resume.max(hit.span.end);
        return Outcome { hit: Some(hit), ..Outcome::none(resume) };
    }
    Outcome::none(resume)
}

/// How far a chain `a=b=c=…` goes on behind the name, up to its last name but one: each is only the
/// value of the one before. Only names too short to be a token are skipped.
fn chain_end(text: &[u8], read: usize) -> usize {
    let link = |at: usize| {
        let belongs = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        let length = text[at..].iter().take(MIN_RUN).take_while(|&&b| belongs(b)).count();
        let equals = text.get(at + length) == Some(&b'=');
        (length > 0 && length < MIN_RUN && equals).then_some(at + length + 1)
    };
    let (mut before, mut at) = (read, read + 1);
    if text.get(read) != Some(&b'=') {
        return read;
    }
    while let Some(next) = link(at) {
        (before, at) = (at, next);
    }
    before
}

/// Inspects a candidate that is no name but announces a password.
fn inspect_marker(kinds: &Kinds, view: &View<'_>, marker: Marker) -> Outcome {
    const PASSWORD: NameClass = NameClass { kind: "password", strength: Strength::Strong };
    let value = marker.value(view);
    let hit = value.and_then(|value| judge_value(kinds, view, b"password", PASSWORD, value));
    let resume = (view.at + 1).max(hit.as_ref().map_or(0, |hit| hit.span.end));
    Outcome { hit, ..Outcome::none(resume) }
}

/// The end of the placeholder whose kind contains the candidate.
fn placeholder_around(view: &View<'_>) -> Option<usize> {
    let belongs = |b: u8| b.is_ascii_lowercase() || matches!(b, b'0'..=b':' | b'-');
    let behind = view.text[..view.at].iter().rev().take(64);
    let start = view.at - behind.take_while(|&&b| belongs(b)).count();
    if view.text[..start].last() != Some(&b'D') {
        return None;
    }
    let start = start.checked_sub(b"[REDACTED".len())?;
    let end = start + placeholder::length(&view.text[start..])?;
    (end > view.at).then_some(end)
}

/// True if nothing is assigned behind the name, however it is classified: `f(key)`, `key.len()`.
/// Every way of [`syntax::read_value`] begins differently, or needs a quote, a blank, a flag or a
/// tag. Most names in code are like that.
fn has_no_assignment(view: &View<'_>, site: &Site<'_>) -> bool {
    let idle = match view.text[site.end..] {
        [b'{', b'"', ..] | [b'<', b'-', ..] | [b'<', b'<', b'-', ..] => false,
        [b',', ref rest @ ..] if rest.trim_ascii_start().starts_with(b"<<\"") => false,
        [b',' | b';', ..] => !Table::may_have_header(view.text, site.start..site.end),
        [b')', b'.', ..] => !call::may_be_expected(&view.text[site.end..]),
        [b')' | b'{' | b'}' | b'/' | b'>' | b'@' | b'#' | b'$' | b'^' | b'~', ..] => true,
        [b'.' | b'+', next, ..] => next != b'=',
        [b'!' | b'?', next, ..] => !matches!(next, b'=' | b':' | b'?'),
        [b':', b':', next, ..] => !matches!(next, b':' | b'='),
        [b'<', next, ..] => next != b'/',
        [b'(', ..] => !call::may_take_string(view.text, site.end),
        _ => false,
    };
    idle && is_plain_name(view, site)
}

/// True if an empty string is assigned: `"password": ""`.
fn has_empty_string(view: &View<'_>, site: &Site<'_>) -> bool {
    let text = view.text;
    let quoted = site.opened.is_some_and(|quote| quote.slashes == 0);
    let end = site.end + usize::from(quoted);
    let start = match text.get(end..) {
        Some([b':', b' ', ..]) => end + 2,
        Some([b':' | b'=', ..]) => end + 1,
        _ => return false,
    };
    let empty = match text[start..] {
        [open @ (b'"' | b'\''), close, next, ..] => open == close && next != open,
        _ => false,
    };
    let closed = site.opened.is_none_or(|quote| text[site.end] == quote.byte);
    empty && closed && is_plain_name(view, site) && parallel::own_value(text, site, start).is_none()
}

/// False for the name of a flag or a tag.
fn is_plain_name(view: &View<'_>, site: &Site<'_>) -> bool {
    let tag = match view.text[..site.start] {
        [.., b':', b':'] | [] => false,
        [.., before] => matches!(before, b'<' | b':'),
    };
    site.dashes == 0 && !tag
}

/// True if the assigned value is too short for the name, or does not look random although the name
/// is weak.
fn has_weak_value(kinds: &Kinds, view: &View<'_>, site: &Site<'_>) -> bool {
    let behind = &view.text[site.end..];
    let Some(place) = value::short_value(behind, judge::MIN_ID) else { return false };
    let (value, start) = (&behind[place.clone()], site.end + place.start);
    // A colon at its end does not belong to the value.
    !value.ends_with(b":")
        && !judge::is_random(value)
        && kinds.match_whole(value).is_none()
        && is_plain_name(view, site)
        && parallel::own_value(view.text, site, start).is_none()
        && class_of(site).is_none_or(|class| class.strength == Strength::Weak)
}

/// True if a sentence goes on behind the name with a word that states no value: `the key space is`.
fn continues_as_prose(view: &View<'_>, site: &Site<'_>) -> bool {
    let Some([b' ', rest @ ..]) = view.text.get(site.end..) else { return false };
    let length = rest.iter().take(judge::MIN_ID).take_while(|b| b.is_ascii_lowercase()).count();
    let word = (1..judge::MIN_ID).contains(&length) && matches!(rest[length..], [b' ' | b'\n', ..]);
    word && prose::states_nothing(&rest[..length])
        && !own_line::may_lead_in(view.text, site)
        && is_plain_name(view, site)
        && command::argument(view, site, site.end + 1).is_none()
}

/// True if the assigned value is a macro call: `key: &hex!("00ff")`.
fn has_macro_value(kinds: &Kinds, view: &View<'_>, site: &Site<'_>) -> bool {
    value::is_macro(&view.text[site.end..], kinds.shortest.min(judge::MIN_RANDOM))
        && is_plain_name(view, site)
        && !cookie::is_header(site.name())
        && !syntax::has_properties(view.text, site.end + b": ".len())
        && parallel::own_value(view.text, site, site.end + b": ".len()).is_none()
        && class_of(site).is_none_or(|class| class.strength == Strength::Weak)
}

/// The secret assigned to a name, if there is one.
fn find(kinds: &Kinds, view: &View<'_>, site: &Site<'_>) -> Option<Hit> {
    let class = class_of(site)?;
    let found = assigned(kinds, view, site, class);
    debug_assert!(found.is_none() || skip(kinds, view).is_none(), "it was passed over");
    found
}

/// The secret assigned to a name of this class.
fn assigned(kinds: &Kinds, view: &View<'_>, site: &Site<'_>, class: NameClass) -> Option<Hit> {
    let name = site.name();
    let assigned = syntax::read_value(view, site, class);
    let secret = assigned.and_then(|value| judge_value(kinds, view, name, class, value));
    secret.or_else(|| judge_value(kinds, view, name, class, value_below(view, site, class)?))
}

/// The value that stands alone on a line below the name.
fn value_below(view: &View<'_>, site: &Site<'_>, class: NameClass) -> Option<Value> {
    let leads = matches!(site.behind(), [b' ' | b'\n' | b'\r', ..] | [b':', b'\n' | b'\r', ..]);
    if leads { own_line::value(view, site, class) } else { None }
}

/// The class of the name in its place.
fn class_of(site: &Site<'_>) -> Option<NameClass> {
    let class = name::classify(site.name())?;
    let sure = class.strength == Strength::Weak && is_strengthened(site, class);
    Some(if sure { NameClass { strength: Strength::Strong, ..class } } else { class })
}

/// True if the text around a weak name makes it a strong one.
fn is_strengthened(site: &Site<'_>, class: NameClass) -> bool {
    match class.kind {
        // A session in a cookie header is a secret whatever it looks like.
        "session" | "cookie" | "token" => cookie::is_inside(site.line_before()),
        "authorization" if cookie::is_inside(site.line_before()) => true,
        "key" => completes_key_name(site.word_before()) || site.behind().starts_with(b" Content  "),
        "authorization" => site.name() == b"AUTH" && site.is_command(),
        "password" => matches!(site.word_before(), b"de" | b"De"),
        _ => false,
    }
}

/// A word that completes `key` to a strong name: `API key`, `secret key`.
fn completes_key_name(word: &[u8]) -> bool {
    [&b"api"[..], b"secret", b"access", b"private", b"encryption", b"signing", b"license"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(word))
}

/// The secret in a value with a name in structured data. Positions count from the start of `value`.
pub(super) fn find_named(kinds: &Kinds, name: &[u8], value: &[u8]) -> Option<Hit> {
    let class = name::classify(name)?;
    let view = View { text: value, at: 0, floor: 0, last: true };
    judge_value(kinds, &view, name, class, Value::closed(0..value.len(), Form::QuotedData))
}

/// The secret in a cell of a table. Positions count from the start of the view.
pub(super) fn find_in_cell(kinds: &Kinds, view: &View<'_>, cell: Cell) -> Option<Hit> {
    let Cell { start, end, class } = cell;
    let value = Value::closed(start..end, Form::QuotedData);
    judge_value(kinds, view, class.kind.as_bytes(), class, value)
}

/// Turns a value into a hit if it is a secret.
fn judge_value(
    kinds: &Kinds,
    view: &View<'_>,
    name: &[u8],
    class: NameClass,
    mut value: Value,
) -> Option<Hit> {
    value.span.start += scheme_length(&view.text[value.span.clone()], class);
    if has_link(&view.text[value.span.clone()]) {
        // The link is a candidate of its own.
        return None;
    }
    skip_placeholders(view.text, &mut value);
    skip_leading_mark(view.text, &mut value);
    if value.span.is_empty() || value.span.start < view.floor {
        return None;
    }
    let text = &view.text[value.span.clone()];
    let cut = text.starts_with(b"${") && !text.contains(&b'}');
    // A key block is a candidate of its own, too.
    if cut || PUBLIC_KEY_PREFIXES.matches(text) || text.starts_with(b"-----BEGIN") {
        return None;
    }
    if !value.partial
        && let Some(known) = kinds.match_whole(text)
    {
        return Some(Hit { span: value.span, open: value.open, ..known });
    }
    let confidence = match value.requirement {
        Requirement::SurelyRandom => {
            is_believable_in_prose(name, class, text).then_some(Confidence::Low)?
        }
        Requirement::ByName | Requirement::LooksRandom => {
            let class = if value.requirement == Requirement::LooksRandom {
                class.weakened()
            } else {
                class
            };
            let after = rest_of_line(view.text, value.span.end);
            judge::judge(&NamedValue { name, class, value: text, form: value.form, after })?
        }
    };
    let value = value::completed(view, value);
    Some(Hit {
        span: value.span,
        kind: Kind::Known(class.kind),
        confidence,
        verified: false,
        encoding: None,
        open: value.open,
    })
}

/// True if a value may be a secret in a sentence: random text; an id under a strong name; a mix of
/// letters, digits and marks for a password.
fn is_believable_in_prose(name: &[u8], class: NameClass, value: &[u8]) -> bool {
    let sure = class.strength == Strength::Strong || name.eq_ignore_ascii_case(b"key");
    judge::is_random(value)
        || sure && judge::is_opaque(value)
        || matches!(class.kind, "password" | "credential")
            && (judge::is_password_like(value) || judge::is_memorable(value))
}

/// True if the value contains a link, or the placeholder of one.
fn has_link(text: &[u8]) -> bool {
    let masked = b"[REDACTED:connection";
    memchr::memchr2_iter(b':', b'[', text)
        .any(|at| text[at..].starts_with(b"://") || text[at..].starts_with(masked))
}

/// The rest of the line from a position on, as far as the judge sees it.
fn rest_of_line(text: &[u8], from: usize) -> &[u8] {
    let rest = &text[from..text.len().min(from + MAX_REST)];
    &rest[..memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len())]
}

/// The length of the scheme, with its blanks, that `text` starts with, or 0. `token` stays as it is
/// in `Authorization: token …`.
fn scheme_length(text: &[u8], class: NameClass) -> usize {
    const EVERYWHERE: &[&[u8]] = &[b"bearer", b"basic"];
    let belongs = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
    let word = text.iter().take(24).take_while(|&&b| belongs(b)).count();
    let blanks = value::blanks(text, word);
    if word == 0 || blanks == 0 {
        return 0;
    }
    let known = |list: &[&[u8]]| list.iter().any(|s| s.eq_ignore_ascii_case(&text[..word]));
    // `OAuth realm="…", oauth_token="…"` has names of its own.
    let pair = text[word + blanks..].iter().take(32).position(|&b| b == b'=');
    let named = pair.is_some_and(|at| {
        text.get(word + blanks + at + 1).is_some_and(|&b| b.is_ascii_alphanumeric() || b == b'"')
    });
    let known =
        known(EVERYWHERE) || (class.kind == "authorization" && known(words::HEADER_SCHEMES));
    if known && !named { word + blanks } else { 0 }
}

/// Skips a reference or mark in front of a token: `<hidden>k3v…`, `${X}k3v…`, `[REDACTED:X]k3v…`.
fn skip_leading_mark(text: &[u8], value: &mut Value) {
    let shown = &text[value.span.clone()];
    if !matches!(shown.first(), Some(b'[' | b'<' | b'{' | b'$' | b'(')) {
        return;
    }
    let ours = shown.starts_with(b"[REDACTED");
    let shown = shown.strip_suffix(b"]").filter(|_| ours).unwrap_or(shown);
    let closes = |b: &u8| matches!(b, b']' | b'>' | b'}' | b')') || ours && *b == b':';
    let closing = shown.iter().rposition(closes);
    if let Some(at) = closing
        && judge::is_random(&shown[at + 1..])
    {
        value.span.start += at + 1;
    }
}

/// Leaves out placeholders. What stands before or behind them may still be a secret.
fn skip_placeholders(text: &[u8], value: &mut Value) {
    while let Some(length) = placeholder::length(&text[value.span.clone()]) {
        value.span.start += length;
    }
    while text[value.span.clone()].ends_with(b"]")
        && let Some(open) = memchr::memmem::rfind(&text[value.span.clone()], b"[REDACTED")
    {
        let at = value.span.start + open;
        if placeholder::length(&text[at..value.span.end]) != Some(value.span.end - at) {
            break;
        }
        value.span.end = at;
        value.open = None;
    }
}
