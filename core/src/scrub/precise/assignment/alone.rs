//! Values that stand alone on a line, and the line before says what they are: `The password is:`,
//! a heading, or a command of which they are the output, as in `$ cat db_password`.

use super::super::super::view::View;
use super::super::judge::Form;
use super::super::name::{Strength, Telling};
use super::site::Site;
use super::value::{Need, Value, bare, blanks, next_line, quoted};

/// How far the line goes on behind the name at most, in bytes.
const REST: usize = 160;
/// How many lines there may be between, without anything on them.
const EMPTY: usize = 2;

/// How far into its line a prompt is sought, in bytes.
const PROMPT: usize = 48;

/// How far into a line the string may be that a comment explains, in bytes.
const NAMED: usize = 64;

/// How a line leads to the value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lead {
    /// With a colon at its end, or as a heading.
    Says,
    /// As a command.
    Prints,
    /// As a comment of code.
    Explains,
}

/// The value on the line below, or behind an empty one.
pub(super) fn value(view: &View<'_>, site: &Site<'_>, telling: Telling) -> Option<Value> {
    let lead = lead(view.text, site)?;
    let vague = telling.strength == Strength::Weak && telling.kind != "credential";
    if vague && lead != Lead::Prints {
        return None;
    }
    let rest = rest(view.text, site);
    if lead != Lead::Prints && names_another(rest) {
        return None;
    }
    let mut line = next_line(view.text, site.end + rest.len())?;
    if lead == Lead::Explains {
        return explained(view, line);
    }
    if lead == Lead::Says {
        for _ in 0..EMPTY {
            line = next_line(view.text, line).unwrap_or(line);
        }
    }
    let start = line + view.text[line..].iter().take(8).take_while(|b| **b == b' ').count();
    let value = bare(view, start, Form::Line)?;
    let end = value.span.end;
    let ends = view.text.get(end).map_or(view.last, |b| matches!(b, b'\n' | b'\r'));
    ends.then(|| value.needs(Need::Random))
}

/// False if the line of the name does not lead to a value below it.
pub(super) fn may_lead(text: &[u8], site: &Site<'_>) -> bool {
    lead(text, site).is_some()
}

fn lead(text: &[u8], site: &Site<'_>) -> Option<Lead> {
    let rest = rest(text, site);
    let end = site.end + rest.len();
    if !matches!(text.get(end), Some(b'\n' | b'\r')) {
        return None;
    }
    let trimmed = rest.trim_ascii_end();
    if trimmed.ends_with(b":") && !matches!(site.before(), b'"' | b'\'') {
        return Some(Lead::Says);
    }
    let before = site.line_before();
    if before.starts_with(b"#") && trimmed.is_empty() && before.len() < 48 {
        return Some(Lead::Says);
    }
    if prints(before, site.name(), rest) {
        return Some(Lead::Prints);
    }
    let comment = before.trim_ascii_start();
    let explains = [&b"# "[..], b"// ", b"-- ", b"; "].iter().any(|sign| comment.starts_with(sign));
    let below = &text[end..text.len().min(end + NAMED)];
    let string = explains && memchr::memchr2(b'"', b'\'', below).is_some();
    string.then_some(Lead::Explains)
}

/// The string that the line below a comment gives to a name, or has by itself:
/// `# password of the reports`, and then `RU = "v"`.
fn explained(view: &View<'_>, line: usize) -> Option<Value> {
    let text = view.text;
    let start = line + blanks(text, line);
    let before =
        text[start..].iter().take(NAMED).position(|b| matches!(b, b'"' | b'\'' | b'\n'))?;
    let gives =
        matches!(text[start..start + before].trim_ascii_end().last(), None | Some(b'=' | b':'));
    let at = gives.then_some(start + before)?;
    let value = quoted(view, at, Form::QuotedCode)?;
    let behind = text.get(value.span.end + 1..).unwrap_or_default();
    let rest = behind.iter().position(|b| !b",; \t".contains(b));
    let ends = rest.map_or(view.last, |rest| matches!(behind[rest], b'\n' | b'\r'));
    ends.then(|| value.needs(Need::Random))
}

/// The rest of the line behind the name.
fn rest<'t>(text: &'t [u8], site: &Site<'_>) -> &'t [u8] {
    let rest = &text[site.end..text.len().min(site.end + REST)];
    &rest[..memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len())]
}

/// True for a prompt and a command that prints what is secret.
fn prints(before: &[u8], name: &[u8], rest: &[u8]) -> bool {
    const COMMANDS: &[&[u8]] = &[
        b"cat",
        b"echo",
        b"printenv",
        b"pass",
        b"aws",
        b"az",
        b"gcloud",
        b"kubectl",
        b"oc",
        b"vault",
        b"terraform",
        b"tofu",
        b"argocd",
        b"op",
        b"bw",
        b"security",
        b"heroku",
        b"jq",
        b"yq",
        b"docker",
        b"sudo",
        b"gopass",
        b"doppler",
        b"secret-tool",
        b"pulumi",
        b"consul",
    ];
    // Before it, a host and a folder may stand.
    let front = &before[..before.len().min(PROMPT)];
    let sign = |at: &usize| matches!(before.get(at + 1), Some(b' '));
    let Some(at) = memchr::memchr3_iter(b'$', b'#', b'>', front).find(sign) else { return false };
    let command = &before[at + 2..];
    let word = command.split(|b| *b == b' ').next().unwrap_or_default();
    let word = if word.is_empty() { name } else { word };
    let more = |part: &[u8]| memchr::memmem::find(rest, part).is_some();
    COMMANDS.contains(&word) && !more(b" > ") && !more(b">>") && !more(b"sha") && !more(b"wc ")
}

/// True if the line is about something else of that name: `token hash:`, `key fingerprint:`.
fn names_another(rest: &[u8]) -> bool {
    const WORDS: &[&[u8]] = &[
        b"hash",
        b"digest",
        b"checksum",
        b"fingerprint",
        b"sha1",
        b"sha2",
        b"sha5",
        b"sha-",
        b"SHA",
        b"md5",
        b" id",
        b"ID",
        b"commit",
        b"name",
        b"file",
        b"path",
        b"public",
        b"url",
        b"URL",
        b"version",
        b"error",
        b"example",
    ];
    WORDS.iter().any(|word| memchr::memmem::find(rest, word).is_some())
}
