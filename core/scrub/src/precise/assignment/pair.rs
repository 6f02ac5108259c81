//! Pairs: the name is itself a value, as in `{"name": "PASSWORD", "value": "v"}`, also in YAML,
//! forms and Terraform.

use super::super::super::view::View;
use super::super::judge::Form;
use super::super::name::NameClass;
use super::site::{Site, quote_at, slashes_before};
use super::value::{Requirement, Value, blanks, block, next_line, quoted, unquoted};

/// The most white space between the parts of a pair.
const MAX_BLANKS: usize = 64;

/// The longest label of a pair, such as `name` or `value`.
const MAX_LABEL: usize = 24;

/// How far a value may stand before its name, in bytes.
const BEFORE: usize = 512;

/// `"name":"PASSWORD","value":"v"`, from the comma behind the name.
pub(super) fn value_after(view: &View<'_>, site: &Site<'_>, at: usize) -> Option<Value> {
    if !is_labelled(site) {
        return None;
    }
    let mut at = at;
    for _ in 0..4 {
        if view.text.get(at) != Some(&b',') {
            break;
        }
        let member = member(view, at + 1)?;
        if is_value_label(member.label) {
            return Some(member.value);
        }
        at = member.end;
    }
    value_before(view, site)
}

/// `"PASSWORD": {"type": "string", "value": "v"}`, from the brace.
pub(super) fn value_within(view: &View<'_>, class: NameClass, at: usize) -> Option<Value> {
    let mut at = at + 1;
    for _ in 0..4 {
        let member = member(view, at)?;
        if is_value_label(member.label) {
            // Design tokens have a value, too.
            let requirement = if class.kind == "password" {
                Requirement::ByName
            } else {
                Requirement::LooksRandom
            };
            return Some(member.value.requiring(requirement));
        }
        if view.text.get(member.end) != Some(&b',') {
            return None;
        }
        at = member.end + 1;
    }
    None
}

/// `"value":"v","name":"PASSWORD"`, from the name on.
pub(super) fn value_before(view: &View<'_>, site: &Site<'_>) -> Option<Value> {
    let quote = site.opened?;
    if !is_labelled(site) {
        return None;
    }
    let opening = site.start - 1 - quote.slashes;
    let from = opening.saturating_sub(BEFORE);
    let before = &view.text[from..opening];
    let label = [&b"value"[..], b"Value"]
        .iter()
        .filter_map(|label| memchr::memmem::rfind(before, label))
        .max()?;
    let at = (from + label).checked_sub(1)?;
    let mut at = at - slashes_before(view.text, at);
    for turn in 0..4 {
        let found = member(view, at)?;
        if turn == 0 && !is_value_label(found.label) {
            return None;
        }
        if found.value.span.start == site.start {
            return (turn > 0)
                .then(|| member(view, from + label - 1 - quote.slashes))?
                .map(|m| m.value);
        }
        if view.text.get(found.end) != Some(&b',') {
            return None;
        }
        at = found.end + 1;
    }
    None
}

/// A member of a JSON object.
struct Member<'t> {
    label: &'t [u8],
    value: Value,
    /// Where the next comma or brace is.
    end: usize,
}

/// The `"label": "value"` at `at`.
fn member<'t>(view: &View<'t>, at: usize) -> Option<Member<'t>> {
    let text = view.text;
    let at = at + spaces(text, at);
    let (quote, start) = quote_at(text, at)?;
    let length = text[start..]
        .iter()
        .take(MAX_LABEL)
        .take_while(|&&b| b.is_ascii_alphanumeric() || b == b'_')
        .count();
    let (closing, end) = quote_at(text, start + length)?;
    let colon = end + spaces(text, end);
    if closing != quote || text.get(colon) != Some(&b':') {
        return None;
    }
    let label = &text[start..start + length];
    let from = colon + 1 + spaces(text, colon + 1);
    let value = quoted(view, from, Form::QuotedData)
        .or_else(|| (!is_value_label(label)).then(|| unquoted(view, from, Form::Line)).flatten())?;
    let mut end = value.span.end;
    if let Some((_, behind)) = quote_at(text, end) {
        end = behind;
    }
    Some(Member { label, value, end: end + spaces(text, end) })
}

/// True for the label of a value.
fn is_value_label(label: &[u8]) -> bool {
    [&b"value"[..], b"val", b"content", b"secret_value", b"defaultvalue"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(label))
}

/// True if the quoted name is the value of `"name":`, `"key":` or similar.
fn is_labelled(site: &Site<'_>) -> bool {
    let before = site.line_before();
    let Some(quote) = site.opened else { return false };
    let Some(before) = before.get(..before.len().saturating_sub(1 + quote.slashes)) else {
        return false;
    };
    let Some(before) = before.trim_ascii_end().strip_suffix(b":") else { return false };
    ends_with_label(before.trim_ascii_end())
}

/// True if the text ends with the label of a name.
fn ends_with_label(text: &[u8]) -> bool {
    let text = match text {
        [front @ .., b'"' | b'\''] => front,
        _ => text,
    };
    let text = &text[..text.len() - slashes_before(text, text.len())];
    let length = text
        .iter()
        .rev()
        .take(MAX_LABEL)
        .take_while(|&&b| b.is_ascii_alphanumeric() || b == b'_')
        .count();
    let label = &text[text.len() - length..];
    [&b"name"[..], b"key", b"id", b"field", b"header", b"variable", b"parameter", b"parametername"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(label))
}

/// `- name: PASSWORD` and `value: v` on the line below it.
pub(super) fn value_below(view: &View<'_>, site: &Site<'_>, at: usize) -> Option<Value> {
    let text = view.text;
    let before = site.line_before();
    let quote = site.opened.map_or(0, |quote| quote.slashes + 1);
    let before = before.get(..before.len().checked_sub(quote)?)?.trim_ascii_end();
    if !ends_with_label(before.strip_suffix(b":")?) {
        return None;
    }
    let line = at + spaces(text, at);
    let label = text[line..].iter().take(8).take_while(|&&b| b.is_ascii_alphabetic()).count();
    if !is_value_label(&text[line..line + label]) || text.get(line + label) != Some(&b':') {
        return None;
    }
    let start = line + label + 1;
    let start = start + blanks(text, start);
    if matches!(text.get(start), Some(b'|' | b'>')) {
        return block(view, start);
    }
    quoted(view, start, Form::QuotedData).or_else(|| unquoted(view, start, Form::Line))
}

/// A part of a form: `Content-Disposition: form-data; name="password"`, an empty line, and `v`.
///
/// Source: RFC 7578.
pub(super) fn part_below(view: &View<'_>, site: &Site<'_>, at: usize) -> Option<Value> {
    let before = site.line_before();
    memchr::memmem::find(before, b"form-data; name=")?;
    let empty = next_line(view.text, at)?;
    unquoted(view, next_line(view.text, empty)?, Form::Query)
}

/// How much white space stands at `at`, up to 64 bytes.
fn spaces(text: &[u8], at: usize) -> usize {
    text[at.min(text.len())..]
        .iter()
        .take(MAX_BLANKS)
        .take_while(|b| b.is_ascii_whitespace())
        .count()
}

/// `variable "password" { … default = "v" }` of Terraform, from the brace.
pub(super) fn default_of(view: &View<'_>, site: &Site<'_>, at: usize) -> Option<Value> {
    /// The longest body of a variable that is read.
    const BODY: usize = 512;
    if !site.line_before().starts_with(b"variable") {
        return None;
    }
    let body = &view.text[at..view.text.len().min(at + BODY)];
    let body = &body[..body.iter().position(|&b| b == b'}').unwrap_or(body.len())];
    let label = at + memchr::memmem::find(body, b"default")? + b"default".len();
    let equals = label + blanks(view.text, label);
    let start = equals + 1 + blanks(view.text, (equals + 1).min(view.text.len()));
    (view.text.get(equals) == Some(&b'=')).then(|| quoted(view, start, Form::QuotedCode)).flatten()
}
