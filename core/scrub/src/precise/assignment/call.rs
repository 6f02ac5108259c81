//! Values passed to a function: `setPassword("v")`, `put("password", "v")`,
//! `expect(user.password).toBe("v")`.

use super::super::super::view::View;
use super::super::judge::{self, Form};
use super::super::name::{self, ArgumentStyle};
use super::site::Site;
use super::value::{Requirement, Value, blanks, may_open, quoted};
use crate::words;

/// The longest name of a function that is read.
const MAX_FUNCTION_NAME: usize = 48;

/// A prefilter: false only if no string is the first argument behind the bracket at `at`.
pub(super) fn may_take_string(text: &[u8], at: usize) -> bool {
    let start = at + 1 + blanks(text, at + 1);
    may_open(&text[start..])
}

/// The argument of a function with a secret's name: `.password("v")`.
pub(super) fn argument(view: &View<'_>, site: &Site<'_>, at: usize) -> Option<Value> {
    let value = quoted(view, at + 1 + blanks(view.text, at + 1), Form::QuotedCode)?;
    let style = name::argument_style(site.name())?;
    let text = view.text[value.span.clone()].trim_ascii_end();
    // `password("Password: ")` is a prompt.
    let asks = matches!(text.last(), Some(b':' | b'?'));
    let more = matches!(view.text.get(after_value(view.text, &value))?, b',' if style == ArgumentStyle::MoreArguments);
    let done = view.text.get(after_value(view.text, &value)) == Some(&b')');
    ((more || done) && !asks).then_some(value)
}

/// The value behind its quoted name: `("password", "v")`, and `["--password", "v"]`.
pub(super) fn next_argument(view: &View<'_>, site: &Site<'_>, at: usize) -> Option<Value> {
    let start = at + 1 + blanks(view.text, at + 1);
    if site.dashes > 0 {
        return quoted(view, start, Form::Flag);
    }
    let quote = site.opened.map_or(0, |quote| quote.slashes + 1);
    let line = site.line_before();
    let line = line[..line.len() - quote.min(line.len())].trim_ascii_end();
    // The element of a page: `fill("#password", "v")`.
    let line = line.strip_suffix(b"#").unwrap_or(line);
    let line = match line {
        [line @ .., b'"' | b'\''] if site.opened.is_none() => line,
        _ => line,
    };
    let before = line.last().copied().unwrap_or(b'\n');
    if !matches!(before, b'(' | b'[' | b'{') {
        return None;
    }
    let value = quoted(view, start, Form::QuotedCode)?;
    let end = after_value(view.text, &value);
    let ends = match view.text.get(end..)? {
        [b')' | b']' | b'}', ..] => true,
        [b',', rest @ ..] => rest.trim_ascii_start().first().is_some_and(u8::is_ascii_digit),
        _ => false,
    };
    let is_setter = before == b'(' && is_setter(site);
    // The function may not set anything, or this may be a row of a table.
    let likely = || judge::is_memorable(&view.text[value.span.clone()]);
    let is_certain = ends && (is_setter || before == b'(' && likely());
    ends.then(|| if is_certain { value } else { value.requiring(Requirement::LooksRandom) })
}

/// `find("password").send_keys("v")`, from the bracket behind the quoted name.
pub(super) fn sent_to_element(view: &View<'_>, at: usize) -> Option<Value> {
    let rest = &view.text[at + 1..];
    let verb = words::ELEMENT_SETTERS.iter().find(|verb| rest.starts_with(verb))?;
    quoted(view, at + 1 + verb.len(), Form::QuotedCode)
}

/// A prefilter: false only if no test states a value behind the bracket.
pub(super) fn may_be_expected(text: &[u8]) -> bool {
    words::EXPECTATIONS.iter().any(|verb| text.starts_with(verb))
}

/// `expect(user.password).toBe("v")`, from the bracket behind the name.
pub(super) fn expected_by_test(view: &View<'_>, at: usize) -> Option<Value> {
    let verb = words::EXPECTATIONS.iter().find(|verb| view.text[at..].starts_with(verb))?;
    let value = quoted(view, at + verb.len(), Form::QuotedCode)?;
    judge::is_memorable(&view.text[value.span.clone()]).then_some(value)
}

/// Behind the closing quote of a value and the blanks there.
fn after_value(text: &[u8], value: &Value) -> usize {
    let slashes = text[value.span.end..].iter().take_while(|&&b| b == b'\\').count();
    let end = (value.span.end + slashes + 1).min(text.len());
    end + blanks(text, end)
}

/// True if the function that takes name and value is a setter.
fn is_setter(site: &Site<'_>) -> bool {
    let line = site.line_before();
    let Some(open) = line.iter().rposition(|&b| b == b'(') else { return false };
    let name = &line[..open];
    let length = name
        .iter()
        .rev()
        .take(MAX_FUNCTION_NAME)
        .take_while(|&&b| b.is_ascii_alphanumeric() || b == b'_')
        .count();
    let name = &name[name.len() - length..];
    let header = |end: &[u8; 6]| end.eq_ignore_ascii_case(b"header");
    name.last_chunk().is_some_and(header)
        || words::SETTER_VERBS.iter().any(|verb| {
            name.get(..verb.len()).is_some_and(|start| start.eq_ignore_ascii_case(verb))
        })
}
