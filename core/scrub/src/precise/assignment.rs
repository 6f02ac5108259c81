//! Looks at a telling name for the value that is assigned to it: JSON, YAML, TOML, env files,
//! headers, flags, XML, code.
//!
//! `site` finds the whole name in which a telling word stands, and how it is quoted. `writing`
//! reads on from there: which of the many ways to assign this is, and where the value lies.
//! Whether that value is a secret, `judge` says.

use super::super::hit::{Confidence, Hit, Kind};
use super::super::placeholder;
use super::super::view::{Look, View};
use super::judge::{self, Claim, Form, Starts};
use super::kinds::Kinds;
use super::name::{self, Strength, Telling};
use super::sight::RUN;
use super::table::{Cell, Table};
use mark::Mark;
use site::{Extent, Site};
use value::{Need, Value};

mod account;
mod alone;
mod arguments;
mod call;
mod client;
mod command;
mod cookie;
mod dialect;
mod fed;
mod mark;
mod markup;
mod oracle;
mod pair;
mod parallel;
mod prose;
mod site;
mod value;
mod writing;

#[cfg(test)]
mod quick;
#[cfg(test)]
mod tests;

/// How much of the line behind a value is shown to the judge, in bytes.
const AFTER: usize = 256;

/// How public keys start, in DER and in the form of SSH: what says `key` may hold one.
///
/// Sources: RFC 5280 with the object identifiers of RFC 3279 and RFC 8410, and RFC 4253.
static PUBLIC: Starts = Starts::new(&[
    b"MFkwEwYHKoZIzj0",
    b"MHYwEAYHKoZIzj0",
    b"MIGbMBAGByqGSM49",
    b"MCowBQYDK2V",
    b"MIGfMA0GCSqGSIb3DQEB",
    b"MIIBIjANBgkqhkiG",
    b"MIICIjANBgkqhkiG",
    b"AAAAB3NzaC1",
    b"AAAAC3NzaC1",
    b"AAAAE2VjZHNh",
    b"ssh-",
    b"ecdsa-sha2-",
]);

/// Where to go on behind the name in which a telling word stands, if [`look`] finds nothing there
/// and a few bytes say so: most names are like that.
#[inline]
pub(super) fn pass(kinds: &Kinds, view: &View<'_>) -> Option<usize> {
    if !mark::is_name(view.ahead()) {
        return None;
    }
    let extent = Extent::around(view.text, view.at);
    if extent.follows_colon(view.text) && placeholder_around(view).is_some() {
        return None;
    }
    let name = &view.text[extent.start..extent.end];
    let behind = || chain_end(view.text, extent.read).max(view.at + 1);
    if !name::may_tell(name) {
        return Some(behind());
    }
    let site = Site::new(view, extent);
    if is_weak(kinds, view, &site) {
        // Nothing is assigned on.
        return Some(extent.read);
    }
    let idle = is_idle(view, &site) || is_empty(view, &site);
    (idle || is_macro(kinds, view, &site) || is_in_prose(view, &site)).then(behind)
}

/// Looks at the name in which a telling word stands.
pub(super) fn look(kinds: &Kinds, view: &View<'_>) -> Look {
    if let Some(mark) = Mark::at(view.ahead()) {
        let name = mark.may_be_name(view.ahead());
        let look = look_at_mark(kinds, view, mark);
        if look.hit.is_some() || !name {
            return look;
        }
    }
    if let Some(end) = placeholder_around(view) {
        return Look::nothing(end);
    }
    let extent = Extent::around(view.text, view.at);
    let resume = chain_end(view.text, extent.read).max(view.at + 1);
    let name = &view.text[extent.start..extent.end];
    if !name::may_tell(name) {
        debug_assert!(name::telling(name).is_none(), "the name tells something");
        return Look::nothing(resume);
    }
    if let Some(hit) = find(kinds, view, &Site::new(view, extent)) {
        let resume = resume.max(hit.span.end);
        return Look { hit: Some(hit), ..Look::nothing(resume) };
    }
    Look::nothing(resume)
}

/// How far `a=b=c=…` goes on behind the name, where each is but the value of the one before: to
/// the last but one. What is short enough to be no token by itself is passed over.
fn chain_end(text: &[u8], read: usize) -> usize {
    let link = |at: usize| {
        let belongs = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        let length = text[at..].iter().take(RUN).take_while(|&&b| belongs(b)).count();
        let equals = text.get(at + length) == Some(&b'=');
        (length > 0 && length < RUN && equals).then_some(at + length + 1)
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

/// Looks at a sight that is no name, but marks a password.
fn look_at_mark(kinds: &Kinds, view: &View<'_>, mark: Mark) -> Look {
    const PASSWORD: Telling = Telling { kind: "password", strength: Strength::Strong };
    let value = mark.value(view);
    let hit = value.and_then(|value| settle(kinds, view, b"password", PASSWORD, value));
    let resume = (view.at + 1).max(hit.as_ref().map_or(0, |hit| hit.span.end));
    Look { hit, ..Look::nothing(resume) }
}

/// The end of the placeholder whose kind is at the sight.
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

/// True if nothing is assigned behind the name, whatever it tells: `f(key)`, `key.len()`. What
/// [`writing::read`] takes from there begins in another way, or needs a quote, a blank, a flag or a
/// tag. Most names in code are like that.
fn is_idle(view: &View<'_>, site: &Site<'_>) -> bool {
    let idle = match view.text[site.end..] {
        [b'{', b'"', ..] | [b'<', b'-', ..] | [b'<', b'<', b'-', ..] => false,
        [b',', ref rest @ ..] if rest.trim_ascii_start().starts_with(b"<<\"") => false,
        [b',' | b';', ..] => !Table::may_be_below(view.text, site.start..site.end),
        [b')', b'.', ..] => !call::may_expect(&view.text[site.end..]),
        [b')' | b'{' | b'}' | b'/' | b'>' | b'@' | b'#' | b'$' | b'^' | b'~', ..] => true,
        [b'.' | b'+', next, ..] => next != b'=',
        [b'!' | b'?', next, ..] => !matches!(next, b'=' | b':' | b'?'),
        [b':', b':', next, ..] => !matches!(next, b':' | b'='),
        [b'<', next, ..] => next != b'/',
        [b'(', ..] => !call::may_take(view.text, site.end),
        _ => false,
    };
    idle && stands_free(view, site)
}

/// True if an empty string is assigned to the name: `"password": ""`.
fn is_empty(view: &View<'_>, site: &Site<'_>) -> bool {
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
    empty && closed && stands_free(view, site) && parallel::own_value(text, site, start).is_none()
}

/// False for what belongs to a flag or a tag.
fn stands_free(view: &View<'_>, site: &Site<'_>) -> bool {
    let tag = match view.text[..site.start] {
        [.., b':', b':'] | [] => false,
        [.., before] => matches!(before, b'<' | b':'),
    };
    site.dashes == 0 && !tag
}

/// True if what is assigned to the name is too short for what it tells, or looks too plain.
fn is_weak(kinds: &Kinds, view: &View<'_>, site: &Site<'_>) -> bool {
    let behind = &view.text[site.end..];
    let Some(place) = value::short(behind, judge::SHORTEST_ID) else { return false };
    let (value, start) = (&behind[place.clone()], site.end + place.start);
    // A colon at its end is not the value's.
    !value.ends_with(b":")
        && !judge::is_random(value)
        && kinds.whole(value).is_none()
        && stands_free(view, site)
        && parallel::own_value(view.text, site, start).is_none()
        && tells(site).is_none_or(|telling| telling.strength == Strength::Weak)
}

/// True if a sentence goes on behind the name with a word that tells no value: `the key space is`.
fn is_in_prose(view: &View<'_>, site: &Site<'_>) -> bool {
    let Some([b' ', rest @ ..]) = view.text.get(site.end..) else { return false };
    let length =
        rest.iter().take(judge::SHORTEST_ID).take_while(|b| b.is_ascii_lowercase()).count();
    let word =
        (1..judge::SHORTEST_ID).contains(&length) && matches!(rest[length..], [b' ' | b'\n', ..]);
    word && prose::is_beside(&rest[..length])
        && !alone::may_lead(view.text, site)
        && stands_free(view, site)
        && command::argument(view, site, site.end + 1).is_none()
}

/// True if what is assigned to the name is what a macro makes: `key: &hex!("00ff")`.
fn is_macro(kinds: &Kinds, view: &View<'_>, site: &Site<'_>) -> bool {
    value::is_macro(&view.text[site.end..], kinds.shortest.min(judge::SHORTEST))
        && stands_free(view, site)
        && !cookie::is_header(site.name())
        && !writing::has_properties(view.text, site.end + b": ".len())
        && parallel::own_value(view.text, site, site.end + b": ".len()).is_none()
        && tells(site).is_none_or(|telling| telling.strength == Strength::Weak)
}

fn find(kinds: &Kinds, view: &View<'_>, site: &Site<'_>) -> Option<Hit> {
    let telling = tells(site)?;
    let found = assigned(kinds, view, site, telling);
    debug_assert!(found.is_none() || pass(kinds, view).is_none(), "it was passed over");
    found
}

fn assigned(kinds: &Kinds, view: &View<'_>, site: &Site<'_>, telling: Telling) -> Option<Hit> {
    let name = site.name();
    let given = writing::read(view, site, telling);
    let secret = given.and_then(|value| settle(kinds, view, name, telling, value));
    secret.or_else(|| settle(kinds, view, name, telling, below(view, site, telling)?))
}

/// The value that stands alone on the line below the name, which ends its line or goes on in it.
fn below(view: &View<'_>, site: &Site<'_>, telling: Telling) -> Option<Value> {
    let leads = matches!(site.behind(), [b' ' | b'\n' | b'\r', ..] | [b':', b'\n' | b'\r', ..]);
    if leads { alone::value(view, site, telling) } else { None }
}

/// What the name tells where it stands.
fn tells(site: &Site<'_>) -> Option<Telling> {
    let told = name::telling(site.name())?;
    let sure = told.strength == Strength::Weak && is_sure(site, told);
    Some(if sure { Telling { strength: Strength::Strong, ..told } } else { told })
}

/// True if the name says more than its words do, for what stands before it.
fn is_sure(site: &Site<'_>, told: Telling) -> bool {
    match told.kind {
        // A session in the header of a cookie is one, however it looks.
        "session" | "cookie" | "token" => cookie::is_inside(site.line_before()),
        "authorization" if cookie::is_inside(site.line_before()) => true,
        "key" => is_whole(site.word_before()) || site.behind().starts_with(b" Content  "),
        "authorization" => site.name() == b"AUTH" && site.is_command(),
        "password" => matches!(site.word_before(), b"de" | b"De"),
        _ => false,
    }
}

/// A word with which `key` says as much as in one: `API key`, `secret key`.
fn is_whole(word: &[u8]) -> bool {
    [&b"api"[..], b"secret", b"access", b"private", b"encryption", b"signing", b"license"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(word))
}

/// The secret in a value that stands under `name` in structured data. Positions count from the
/// start of `value`.
pub(super) fn named(kinds: &Kinds, name: &[u8], value: &[u8]) -> Option<Hit> {
    let telling = name::telling(name)?;
    let view = View { text: value, at: 0, floor: 0, last: true };
    settle(kinds, &view, name, telling, Value::closed(0..value.len(), Form::QuotedData))
}

/// The secret in the cell of a table, whose place counts from the start of the view.
pub(super) fn in_cell(kinds: &Kinds, view: &View<'_>, cell: Cell) -> Option<Hit> {
    let Cell { start, end, telling } = cell;
    let value = Value::closed(start..end, Form::QuotedData);
    settle(kinds, view, telling.kind.as_bytes(), telling, value)
}

/// Makes a hit of a value if it is a secret.
fn settle(
    kinds: &Kinds,
    view: &View<'_>,
    name: &[u8],
    telling: Telling,
    mut value: Value,
) -> Option<Hit> {
    value.span.start += scheme_length(&view.text[value.span.clone()], telling);
    if has_link(&view.text[value.span.clone()]) {
        // The link is looked at for its own secrets.
        return None;
    }
    skip_placeholders(view.text, &mut value);
    skip_mark(view.text, &mut value);
    if value.span.is_empty() || value.span.start < view.floor {
        return None;
    }
    let text = &view.text[value.span.clone()];
    let cut = text.starts_with(b"${") && !text.contains(&b'}');
    // A block too is looked at for itself.
    if cut || PUBLIC.begin(text) || text.starts_with(b"-----BEGIN") {
        return None;
    }
    if !value.begun
        && let Some(known) = kinds.whole(text)
    {
        return Some(Hit { span: value.span, open: value.open, ..known });
    }
    let confidence = match value.need {
        Need::Random => is_told(name, telling, text).then_some(Confidence::Low)?,
        Need::Told | Need::Weak => {
            let telling = if value.need == Need::Weak { telling.weakened() } else { telling };
            let after = rest_of_line(view.text, value.span.end);
            judge::judge(&Claim { name, telling, value: text, form: value.form, after })?
        }
    };
    let value = value::whole(view, value);
    Some(Hit {
        span: value.span,
        kind: Kind::Known(telling.kind),
        confidence,
        verified: false,
        encoding: None,
        open: value.open,
    })
}

/// What a sentence may tell: something random; of a sure name an id, of a password one with marks.
fn is_told(name: &[u8], telling: Telling, value: &[u8]) -> bool {
    let sure = telling.strength == Strength::Strong || name.eq_ignore_ascii_case(b"key");
    judge::is_random(value)
        || sure && judge::is_opaque(value)
        || matches!(telling.kind, "password" | "credential")
            && (judge::is_password_like(value) || judge::is_memorable(value))
}

/// True if a link stands in the value, or what was put in the place of one.
fn has_link(text: &[u8]) -> bool {
    let masked = b"[REDACTED:connection";
    memchr::memchr2_iter(b':', b'[', text)
        .any(|at| text[at..].starts_with(b"://") || text[at..].starts_with(masked))
}

fn rest_of_line(text: &[u8], from: usize) -> &[u8] {
    let rest = &text[from..text.len().min(from + AFTER)];
    &rest[..memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len())]
}

/// The length of the scheme and the blanks that `text` starts with, 0 if it starts with none:
/// the scheme stays as it is in `Authorization: token …`.
fn scheme_length(text: &[u8], telling: Telling) -> usize {
    const EVERYWHERE: &[&[u8]] = &[b"bearer", b"basic"];
    const IN_HEADERS: &[&[u8]] = &[
        b"token",
        b"apikey",
        b"api-key",
        b"bot",
        b"geniekey",
        b"ssws",
        b"splunk",
        b"negotiate",
        b"oauth",
        b"jwt",
        b"sso-key",
        b"zoho-oauthtoken",
        b"klaviyo-api-key",
        b"client-id",
        b"key",
        b"api_key",
        b"apitoken",
        b"api-token",
        b"discogs",
        b"private-token",
        b"cloudsmith",
        b"pve-apitoken",
    ];
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
    let known = known(EVERYWHERE) || (telling.kind == "authorization" && known(IN_HEADERS));
    if known && !named { word + blanks } else { 0 }
}

/// What looks like a reference or a mark and goes on with a token is no reference: `<hidden>k3v…`,
/// `${X}k3v…`, `[REDACTED:X]k3v…`.
fn skip_mark(text: &[u8], value: &mut Value) {
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

/// What was masked already is no secret; what stands before or behind it may be one.
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
