//! Syntax: the ways to assign a value to a name.
//!
//! [`read_value`] looks at what follows the name and dispatches to one reader per syntax. A reader
//! returns where the value lies and how it is written; it does not judge the value.

use super::super::super::placeholder;
use super::super::super::view::View;
use super::super::judge::Form;
use super::super::name::NameClass;
use super::language::{self, AfterName};
use super::site::{Site, is_quote, quote_at};
use super::value::{
    Value, blanks, block, ends_member, next_line, quoted, requiring_random, unquoted,
};
use super::{call, client_flag, command, cookie, markup, pair, parallel, prose, site, stdin};
use crate::words;

// The limits below keep a reader from walking far through hostile text. What is longer is not read as
// that syntax.

/// The most bytes of brackets and stars between a name and its separator.
const MAX_DECORATION: usize = 8;
/// The longest type, conversion, accessor list or YAML property between a name and its value.
const MAX_EXPRESSION: usize = 48;
/// A word of so many bytes with a digit is a token and no part of a type.
const MIN_TOKEN_IN_TYPE: usize = 16;
/// The longest path of names before a call, or before the next `=` of a chain.
const MAX_PATH: usize = 64;
/// The longest list of numbers of a terminal colour: `38;5;214`.
const MAX_COLOUR: usize = 12;
/// The longest dot leader, and the fewest dots that make one, with its colon.
const MAX_LEADER: usize = 64;
const MIN_LEADER_DOTS: usize = 4;

/// The value that is assigned to the name, in whatever syntax.
pub(super) fn read_value(view: &View<'_>, site: &Site<'_>, class: NameClass) -> Option<Value> {
    let text = view.text;
    let (end, closed) = behind_quote(text, site);
    if site.opens_tag() {
        return markup::element(view, site);
    }
    let tail = end + decoration_length(&text[end..]);
    let at = tail + blanks(text, tail);
    let rest = text.get(at..)?;
    if site.dashes > 1 && stdin::is_flag(site.name()) {
        return stdin::value(view, site.start, site.end);
    }
    let value = language::value(view, site, class, AfterName { end, at, closed });
    if value.is_some() {
        return value;
    }
    if let Some((length, plain)) = operator(rest).filter(|_| site.before() != b'{') {
        return assigned(view, site, class, at + length, Form::QuotedCode, plain);
    }
    match rest {
        // A default in a shell: `${NAME:-default}`.
        [b':', b'-' | b'=', ..] if site.before() == b'{' => unquoted(view, at + 2, Form::Env),
        [b':', b'?' | b'+', ..] if site.before() == b'{' => None,
        [b'=', b'>', ..] => assigned(view, site, class, at + 2, Form::QuotedData, None),
        [b'=' | b'!', b'=', ..] => compared(view, at),
        [b':', b':', ..] => None,
        // A default for an environment variable: `process.env.API_KEY || "…"`.
        [b'|', b'|', ..] | [b'?', b'?', ..] if is_environment_variable(site.name()) => {
            quoted(view, at + 2 + blanks(text, at + 2), Form::QuotedCode)
        }
        [b'-', b'>', ..] if closed && site.opened.is_some_and(|quote| quote.byte != b'`') => {
            assigned(view, site, class, at + 2, Form::QuotedData, None)
        }
        [b'=', ..] => equals(view, site, class, tail, at),
        [b':', ..] => colon(view, site, class, at, (closed, at > tail)),
        [0xEF, 0xBC, 0x9A, ..] => {
            assigned(view, site, class, at + 3, Form::QuotedData, Some(Form::Line))
        }
        [b'%', b'3', b'D' | b'd', ..] => unquoted(view, at + 3, Form::Query),
        [b'{', ..] if closed => pair::default_of(view, site, at),
        [b'{', b' ', b'g', b'e', b't', ..] => behind_accessors(view, at),
        [b'&', b'g', b't', b';', ..] if site.before() == b';' => markup::escaped(view, at + 4),
        [b'&', b'q', ..] | [b'%', b'2', b'2', ..] => markup::encoded(view, at),
        [b'(', ..] if at == site.end => call::argument(view, site, at),
        [b',', ..] if closed => {
            pair::value_after(view, site, at).or_else(|| call::next_argument(view, site, at))
        }
        [b'\n' | b'\r', ..] => pair::value_below(view, site, at),
        [b'}', ..] if closed => pair::value_before(view, site),
        [b'<', b'/', ..] if matches!(site.before(), b'>' | b' ') => markup::sibling(view, at),
        [b'<', b'<', b'<', ..] if site.name() == b"passwd" => {
            client_flag::word(view, at + 3 + blanks(text, at + 3))
        }
        [b'.', ..] if at > end => after_dot_leader(view, at),
        [b'a'..=b'z' | b'A'..=b'Z' | b'>', ..] if closed && site.before() == b'=' => {
            markup::attribute(view, at)
        }
        _ if at > end || site.dashes > 0 => {
            command::argument(view, site, at).or_else(|| prose::stated_value(view, class, at))
        }
        _ => None,
    }
}

/// The length of the assignment operator that `text` starts with, and how an unquoted value behind
/// it is written, if it may be unquoted.
fn operator(text: &[u8]) -> Option<(usize, Option<Form>)> {
    match text {
        [b':', b':', b':', b'=', ..] => Some((4, Some(Form::Spaced))),
        [b':', b':', b'=', ..] | [b'?', b'?', b'=', ..] => Some((3, Some(Form::Spaced))),
        [b':' | b'?', b'=', ..] => Some((2, Some(Form::Spaced))),
        [b'.' | b'+', b'=', ..] => Some((2, None)),
        [b'|', b'|', b'=', ..] => Some((3, None)),
        _ => None,
    }
}

/// Behind the closing quote of the name, and whether there is one.
fn behind_quote(text: &[u8], site: &Site<'_>) -> (usize, bool) {
    match quote_at(text, site.end) {
        Some((quote, end)) if site.opened.is_none_or(|opened| opened == quote) => (end, true),
        _ => (site.end, false),
    }
}

/// The length of what may stand between a name and its separator: `]`, `[]`, `?`, `**`.
fn decoration_length(text: &[u8]) -> usize {
    let length = text
        .iter()
        .take(MAX_DECORATION)
        .take_while(|&&b| matches!(b, b']' | b'[' | b'*' | b'0'..=b'9'))
        .count();
    let marked = matches!(text.get(length..), Some([b'?' | b'!', b':', ..]));
    length + usize::from(marked)
}

/// `name = value`.
fn equals(
    view: &View<'_>,
    site: &Site<'_>,
    class: NameClass,
    tail: usize,
    at: usize,
) -> Option<Value> {
    let spaced = at > tail || matches!(view.text.get(at + 1), Some(b' ' | b'\t'));
    if matches!(site.before(), b'?' | b'&') && is_badge(site.line_before()) {
        return None;
    }
    let (form, strings) = match site.before() {
        _ if site.dashes > 0 => (Form::Flag, Form::QuotedData),
        _ if spaced => (Form::Spaced, Form::QuotedCode),
        b'?' | b'&' => (Form::Query, Form::QuotedCode),
        before => close_forms(before, site.line_before()),
    };
    if spaced && view.text.get(at + 1) == Some(&b'=') {
        return None;
    }
    assigned(view, site, class, at + 1, strings, Some(form))
}

/// How an unquoted value and a string behind `name=` are written, by the line before the name.
fn close_forms(before: u8, line: &[u8]) -> (Form, Form) {
    match before {
        _ if cookie::is_inside(line) => (Form::Query, Form::QuotedCode),
        b';' => (Form::List, Form::QuotedData),
        // `mount -o username=u,password=v,vers=3.0`
        b',' if memchr::memmem::find(line, b" -o ").is_some() => (Form::List, Form::QuotedData),
        b' ' if line.trim_ascii_end().ends_with(b";") => (Form::List, Form::QuotedData),
        _ if starts_line(line) => (Form::Env, Form::QuotedData),
        _ => (Form::Env, Form::QuotedCode),
    }
}

/// True in the address of a badge, whose token is public.
fn is_badge(before: &[u8]) -> bool {
    let blank = memchr::memrchr3(b' ', b'\t', b'\r', before);
    let address = &before[blank.map_or(0, |at| at + 1)..];
    [&b".svg?"[..], b"img.shields.io/"]
        .iter()
        .any(|part| memchr::memmem::find(address, part).is_some())
}

/// True if only a keyword of a shell stands before the name on its line.
fn starts_line(line: &[u8]) -> bool {
    matches!(
        line.trim_ascii(),
        b"" | b"+" | b"-" | b"$" | b"export" | b"set" | b"ENV" | b"ARG" | b"- " | b"# "
    )
}

/// `name: value`, or `name: Type = value`.
fn colon(
    view: &View<'_>,
    site: &Site<'_>,
    class: NameClass,
    at: usize,
    (closed, apart): (bool, bool),
) -> Option<Value> {
    let text = view.text;
    let stars = text[at + 1..].iter().take(2).take_while(|&&b| b == b'*').count();
    let emphasis = if site.before() == b'*' { stars } else { 0 };
    let start = at + 1 + emphasis;
    let start = start + blanks(text, start);
    if cookie::is_header(site.name()) && !closed {
        return cookie::first_random(view, start);
    }
    if let Some(equals) = behind_type(text, start) {
        return assigned(view, site, class, equals, Form::QuotedCode, None);
    }
    let start = behind_properties(text, start);
    match text.get(start..)? {
        [b'|' | b'>', ..] => block(view, start),
        // Without quotes, `"k": value` is a number or code; but `["v"]` is a list of one.
        [b'[', rest @ ..] if rest.first().is_some_and(|&b| is_quote(b) || b == b'\\') => {
            quoted(view, start + 1, Form::QuotedData)
        }
        [b'{', ..] if closed => pair::value_within(view, class, start),
        // In YAML it may still be a string.
        _ if closed => assigned(view, site, class, start, Form::QuotedData, None)
            .or_else(|| requiring_random(unquoted(view, start, Form::Line))),
        // ``Pass :meth:`…` `` is markup, and no password starts with a letter outside ASCII.
        [b':' | 0x80.., ..] => None,
        // A part of an address: `arn:aws:secretsmanager:eu-west-1:1:secret:name`.
        _ if start == at + 1 && (apart || site.before() == b':') => None,
        // A switch of a Windows command: `/password:v`.
        _ if start == at + 1 && site.line_before().ends_with(b" /") => {
            assigned(view, site, class, start, Form::QuotedData, Some(Form::Flag))
        }
        _ => assigned(view, site, class, start, Form::QuotedData, Some(Form::Line)),
    }
}

/// Where the value starts behind `Type =`.
fn behind_type(text: &[u8], at: usize) -> Option<usize> {
    let belongs = |b: u8| {
        b.is_ascii_alphanumeric()
            || matches!(b, b' ' | b'_' | b'&' | b'\'' | b'<' | b'>' | b'[' | b']')
            || matches!(b, b':' | b'?' | b'.' | b',' | b'|' | b'*')
    };
    let length = text[at..].iter().take(MAX_EXPRESSION).take_while(|&&b| belongs(b)).count();
    let equals = at + length;
    let typed = text[at..equals].ends_with(b" ") && text[equals..].starts_with(b"= ");
    if !typed || length == 1 || has_next(&text[at..equals]) {
        return None;
    }
    let mut words = text[at..equals].split(|b| !b.is_ascii_alphanumeric());
    let token =
        words.any(|word| word.len() >= MIN_TOKEN_IN_TYPE && word.iter().any(u8::is_ascii_digit));
    (!token).then_some(equals + 2)
}

/// True if another parameter follows the type of this one: `str, method: str`.
fn has_next(types: &[u8]) -> bool {
    let mut depth = 0_u32;
    types.iter().any(|byte| {
        match byte {
            b'<' | b'[' => depth += 1,
            b'>' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        *byte == b',' && depth == 0
    })
}

/// A comparison: `name == "value"`. Only a literal counts there.
fn compared(view: &View<'_>, at: usize) -> Option<Value> {
    let signs = view.text[at..].iter().take_while(|&&b| matches!(b, b'=' | b'!')).count();
    let start = at + signs + blanks(view.text, at + signs);
    let value = quoted(view, start, Form::QuotedCode)?;
    // `if pass == "git"` compares with a word.
    let word = view.text[value.span.clone()].iter().all(|b| b.is_ascii_lowercase() || *b == b'_');
    (!word).then_some(value)
}

/// The value at `at`: a string, or an unquoted value if `plain` allows one.
fn assigned(
    view: &View<'_>,
    site: &Site<'_>,
    class: NameClass,
    at: usize,
    strings: Form,
    plain: Option<Form>,
) -> Option<Value> {
    let text = view.text;
    let start = at + blanks(text, at);
    let start = start + terminal_colour_length(&text[start..]);
    let start = parallel::own_value(text, site, start).unwrap_or(start);
    if let Some((quote, _)) = quote_at(text, start)
        && site.opened != Some(quote)
        && quote.slashes == 0
        && (closes_member(text, site, start) || is_inside(site, quote.byte))
    {
        // The quote ends the string that contains the name: `"password: " + x`.
        return None;
    }
    if let Some(value) = quoted(view, start, strings) {
        return Some(value);
    }
    if let Some(value) = wrapped(view, start).or_else(|| language::bracketed(view, start)) {
        return Some(value);
    }
    if text[start..].starts_with(b"[") && text.get(start + 1).is_some_and(|&b| is_quote(b)) {
        // A list of one.
        let value = quoted(view, start + 1, Form::QuotedCode)?;
        let own_line = text[value.span.end..].get(1) == Some(&b']');
        return own_line.then_some(value);
    }
    if let Some(line) = next_line(text, start) {
        return below(view, site, line, strings);
    }
    let plain = plain?;
    let start = start + super::scheme_length(&text[start..], class);
    // `token=token=token=…`: the value is itself a name.
    let link = text[start..].iter().take(MAX_PATH).take_while(|&&b| is_named(b)).count();
    let next = &text[start + link..];
    let goes_on = matches!(next, [b'=', next, ..] if is_named(*next))
        || matches!(next, [b'=', masked @ ..] if placeholder::length(masked).is_some());
    let chained = goes_on && super::super::name::classify(&text[start..start + link]).is_some();
    if chained {
        return None;
    }
    unquoted(view, start, plain).filter(|value| !is_call(&text[value.span.clone()], plain))
}

/// True for the name of an environment variable in code: `process.env.API_KEY`.
fn is_environment_variable(name: &[u8]) -> bool {
    let own = name.iter().rposition(|b| *b == b'.').map_or(0, |at| at + 1);
    let (path, own) = name.split_at(own);
    path.ends_with(b"env.") && !own.iter().any(u8::is_ascii_lowercase)
}

/// The length of the terminal colours that `text` starts with, and of the blanks behind them.
fn terminal_colour_length(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(code) = text[at..].strip_prefix(b"\x1b[") {
        let digits =
            code.iter().take(MAX_COLOUR).take_while(|b| b.is_ascii_digit() || **b == b';').count();
        if code.get(digits) != Some(&b'm') {
            break;
        }
        at += b"\x1b[".len() + digits + 1;
    }
    if at > 0 { at + blanks(text, at) } else { 0 }
}

/// The only word of the next line, if it is indented deeper than the name, which starts its own
/// line.
fn below(view: &View<'_>, site: &Site<'_>, line: usize, strings: Form) -> Option<Value> {
    let text = view.text;
    let quote = site.opened.map_or(0, |quote| quote.slashes + 1);
    let before = site.line_before();
    let before = &before[..before.len() - quote.min(before.len())];
    let start = line + blanks(text, line);
    if !before.trim_ascii().is_empty() || start - line <= before.len() {
        return None;
    }
    let ends = |end: usize| {
        let rest = end + blanks(text, end.min(text.len()));
        text.get(rest).map_or(view.last, |&b| matches!(b, b'\n' | b'\r' | b',' | b';'))
    };
    if let Some(value) = quoted(view, start, strings) {
        return ends(value.span.end + 1).then_some(value);
    }
    let value = unquoted(view, start, Form::Line).filter(|_| site.opened.is_none())?;
    (ends(value.span.end) && text[value.span.end - 1] != b':').then_some(value)
}

/// The value behind the accessors of C#: `Password { get; set; } = "v"`.
fn behind_accessors(view: &View<'_>, at: usize) -> Option<Value> {
    let rest = &view.text[at..];
    let close = rest.iter().take(MAX_EXPRESSION).position(|b| *b == b'}')?;
    let length = rest[close..].strip_prefix(b"} = ").map(|_| close + b"} = ".len())?;
    quoted(view, at + length, Form::QuotedCode)
}

/// The value behind a dot leader: `Password . . . . : v`, `Password ..... v`.
fn after_dot_leader(view: &View<'_>, at: usize) -> Option<Value> {
    let leader =
        view.text[at..].iter().take(MAX_LEADER).take_while(|b| matches!(b, b'.' | b' ')).count();
    let dots = view.text[at..at + leader].iter().filter(|b| **b == b'.').count();
    let colon = usize::from(view.text.get(at + leader) == Some(&b':'));
    let start = at + leader + colon;
    (dots + colon >= MIN_LEADER_DOTS)
        .then(|| unquoted(view, start + blanks(view.text, start), Form::Line))?
}

/// A prefilter: true if YAML properties stand before the value.
pub(super) fn has_properties(text: &[u8], at: usize) -> bool {
    behind_properties(text, at) != at
}

/// The bytes of the name of an anchor.
static ANCHOR: [bool; 256] = {
    let mut belongs = [true; 256];
    let mut others = b" \t\n\x0c\r,[]{}".as_slice();
    while let [first, rest @ ..] = others {
        belongs[*first as usize] = false;
        others = rest;
    }
    belongs
};

/// Where a value starts behind its YAML properties: `!!str v`, `&anchor v`.
///
/// Source: YAML 1.2.2, section 6.9.2: the name of an anchor has no blanks, and none of `,[]{}`.
fn behind_properties(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let length =
        |belongs: fn(&&u8) -> bool| rest.iter().take(MAX_EXPRESSION).take_while(belongs).count();
    let length = match rest {
        [b'!', b'!', ..] => length(|b| !b.is_ascii_whitespace()),
        [b'&', ..] => {
            let length = length(|b| ANCHOR[usize::from(**b)]);
            let ended = rest.get(length).is_none_or(u8::is_ascii_whitespace);
            if !ended || !(2..MAX_EXPRESSION).contains(&length) {
                return at;
            }
            length
        }
        _ => return at,
    };
    at + length + blanks(text, at + length)
}

/// True for calls and indexes: `grammar.opmap[value]`, `cls._process(x)`, `typing.Union[bytes`.
fn is_call(value: &[u8], form: Form) -> bool {
    let belongs = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b':');
    let length = value.iter().take(MAX_PATH).take_while(|&&b| belongs(b)).count();
    let (path, rest) = value.split_at(length);
    let (Some(first), [open @ (b'(' | b'['), .., last]) = (path.first(), rest) else {
        return false;
    };
    let close = if *open == b'(' { b')' } else { b']' };
    let named = !first.is_ascii_digit() && path.iter().any(|b| !b.is_ascii_alphanumeric());
    matches!(form, Form::Line | Form::Spaced) && named && (*last == close || !rest.contains(&close))
}

/// True for a byte of a name.
fn is_named(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// True if the quote at `at` seems to end a JSON string that began on the line of the name.
fn closes_member(text: &[u8], site: &Site<'_>, at: usize) -> bool {
    let line = site.line_before();
    // A line that is longer than what is read may have begun with one.
    let begun = line.contains(&b'"') || line.len() >= site::MAX_LINE;
    text[at] == b'"' && begun && ends_member(&text[at + 1..])
}

/// True if the name stands inside a string that such a quote opened on its line.
///
/// Only the text behind the last secret counts. A placeholder is shorter than its secret, so more
/// of the line would be visible once it is masked.
fn is_inside(site: &Site<'_>, quote: u8) -> bool {
    let (line, closes) = match site.behind_secret() {
        Some(line) => (line, ends_string(line, quote)),
        None => (site.line_before(), false),
    };
    let mut count = usize::from(closes);
    for (at, &byte) in line.iter().enumerate() {
        let apostrophe = quote == b'\''
            && at > 0
            && line[at - 1].is_ascii_alphabetic()
            && line.get(at + 1).is_some_and(u8::is_ascii_alphabetic);
        count += usize::from(byte == quote && !apostrophe);
    }
    count % 2 == 1
}

/// True if the first such quote in `line` seems to end a string rather than to begin one.
fn ends_string(line: &[u8], quote: u8) -> bool {
    let at = line.iter().position(|&byte| byte == quote);
    at.is_some_and(|at| at == 0 || !b" \t=([{:,+>|&".contains(&line[at - 1]))
}

/// The literal in a call that only converts it: `String::from("v")`.
fn wrapped(view: &View<'_>, at: usize) -> Option<Value> {
    let rest = &view.text[at..];
    let belongs = |b: u8| {
        b.is_ascii_alphanumeric()
            || matches!(b, b'_' | b':' | b'.' | b'[' | b']' | b'&' | b'*' | b' ')
    };
    let length = rest.iter().take(MAX_EXPRESSION).take_while(|&&b| belongs(b)).count();
    if rest.get(length) != Some(&b'(') {
        return None;
    }
    let front = &rest[..length];
    let own = front.iter().rposition(|b| b":.] ".contains(b)).map_or(0, |at| at + 1);
    words::WRAPPERS.contains(&&front[own..]).then_some(())?;
    quoted(view, at + length + 1, Form::QuotedCode)
}
