//! Values that are handed to a function: `setPassword("v")`, `put("password", "v")`.

use super::super::super::view::View;
use super::super::judge::{self, Form};
use super::super::name::{self, Takes};
use super::site::Site;
use super::value::{Need, Value, blanks, may_open, quoted};

/// True if a string may be the first argument behind the bracket at `at`.
pub(super) fn may_take(text: &[u8], at: usize) -> bool {
    let start = at + 1 + blanks(text, at + 1);
    may_open(&text[start..])
}

/// `.password("v")`, where a function of the name takes the value.
pub(super) fn argument(view: &View<'_>, site: &Site<'_>, at: usize) -> Option<Value> {
    let value = quoted(view, at + 1 + blanks(view.text, at + 1), Form::QuotedCode)?;
    let takes = name::takes(site.name())?;
    let text = view.text[value.span.clone()].trim_ascii_end();
    // `password("Password: ")` asks.
    let asks = matches!(text.last(), Some(b':' | b'?'));
    let more = matches!(view.text.get(behind(view.text, &value))?, b',' if takes == Takes::More);
    let done = view.text.get(behind(view.text, &value)) == Some(&b')');
    ((more || done) && !asks).then_some(value)
}

/// `("password", "v")`, where the value follows its quoted name, and `["--password", "v"]`.
pub(super) fn next_argument(view: &View<'_>, site: &Site<'_>, at: usize) -> Option<Value> {
    let start = at + 1 + blanks(view.text, at + 1);
    if site.dashes > 0 {
        return quoted(view, start, Form::Flag);
    }
    let quote = site.opened.map_or(0, |quote| quote.slashes + 1);
    let line = site.line_before();
    let line = line[..line.len() - quote.min(line.len())].trim_ascii_end();
    // A page has an element of that name: `fill("#password", "v")`.
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
    let end = behind(view.text, &value);
    let ends = match view.text.get(end..)? {
        [b')' | b']' | b'}', ..] => true,
        [b',', rest @ ..] => rest.trim_ascii_start().first().is_some_and(u8::is_ascii_digit),
        _ => false,
    };
    let sets = before == b'(' && sets(site);
    // What is taken where nothing is set, or stands in a row of a table.
    let likely = || judge::is_memorable(&view.text[value.span.clone()]);
    let told = ends && (sets || before == b'(' && likely());
    ends.then(|| if told { value } else { value.needs(Need::Weak) })
}

/// `find("password").send_keys("v")`, from the bracket behind the quoted name.
pub(super) fn sent(view: &View<'_>, at: usize) -> Option<Value> {
    const VERBS: [&[u8]; 5] = [b".send_keys(", b".sendKeys(", b".type(", b".fill(", b".setValue("];
    let rest = &view.text[at + 1..];
    let verb = VERBS.iter().find(|verb| rest.starts_with(verb))?;
    quoted(view, at + 1 + verb.len(), Form::QuotedCode)
}

/// What a test says of a name behind a bracket.
const EXPECTS: [&[u8]; 4] = [b").toBe(", b").toEqual(", b").isEqualTo(", b").toStrictEqual("];

/// False if a test says nothing of the name before `text`.
pub(super) fn may_expect(text: &[u8]) -> bool {
    EXPECTS.iter().any(|verb| text.starts_with(verb))
}

/// `expect(user.password).toBe("v")`, from the bracket behind the name.
pub(super) fn expected(view: &View<'_>, at: usize) -> Option<Value> {
    let verb = EXPECTS.iter().find(|verb| view.text[at..].starts_with(verb))?;
    let value = quoted(view, at + verb.len(), Form::QuotedCode)?;
    judge::is_memorable(&view.text[value.span.clone()]).then_some(value)
}

fn behind(text: &[u8], value: &Value) -> usize {
    let slashes = text[value.span.end..].iter().take_while(|&&b| b == b'\\').count();
    let end = (value.span.end + slashes + 1).min(text.len());
    end + blanks(text, end)
}

/// True if the function that takes name and value is one that sets.
fn sets(site: &Site<'_>) -> bool {
    const VERBS: &[&[u8]] = &[
        b"set",
        b"put",
        b"add",
        b"with",
        b"insert",
        b"append",
        b"define",
        b"header",
        b"store",
        b"replace",
        b"setenv",
        b"putenv",
        b"env",
        b"field",
        b"param",
        b"query",
        b"property",
        b"fill",
        b"type",
    ];
    let line = site.line_before();
    let Some(open) = line.iter().rposition(|&b| b == b'(') else { return false };
    let name = &line[..open];
    let length =
        name.iter().rev().take(48).take_while(|&&b| b.is_ascii_alphanumeric() || b == b'_').count();
    let name = &name[name.len() - length..];
    let header = |end: &[u8; 6]| end.eq_ignore_ascii_case(b"header");
    name.last_chunk().is_some_and(header)
        || VERBS.iter().any(|verb| {
            name.get(..verb.len()).is_some_and(|start| start.eq_ignore_ascii_case(verb))
        })
}
