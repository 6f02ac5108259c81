//! Values that stand alone on a line, and the line before says what they are: `The password is:`,
//! a heading, or a command of which they are the output, as in `$ cat db_password`.

use super::super::super::view::View;
use super::super::judge::{self, Form};
use super::super::name::{self, Strength, Telling};
use super::site::{LINE, Site};
use super::value::{Need, Value, bare, next_line};

/// How far the line goes on behind the name at most, in bytes.
const REST: usize = 160;
/// How many lines there may be between, without anything on them.
const EMPTY: usize = 2;
/// How far into its line a prompt is sought, in bytes.
const PROMPT: usize = 48;
/// The longest heading before the name, in bytes.
const HEADING: usize = 48;
/// The longest word between the name and the end of its line, in bytes.
const WORD: usize = 32;

/// How a line leads to the value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lead {
    /// With a colon at its end, or as a heading.
    Says,
    /// As a command.
    Prints,
}

/// The value on the line below, or behind an empty one.
pub(super) fn value(view: &View<'_>, site: &Site<'_>, telling: Telling) -> Option<Value> {
    let lead = lead(view.text, site)?;
    let vague = telling.strength == Strength::Weak && telling.kind != "credential";
    if vague && lead == Lead::Says {
        return None;
    }
    let rest = rest(view.text, site);
    if lead == Lead::Says && names_another(rest) || rest.split(|b| *b == b' ').any(is_seen) {
        return None;
    }
    let mut line = next_line(view.text, site.end + rest.len())?;
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

/// How the line of the name leads on. It does not where a secret stands in it, masked or not, as
/// less of it would be seen with the secret than with its placeholder.
fn lead(text: &[u8], site: &Site<'_>) -> Option<Lead> {
    let rest = rest(text, site);
    if !matches!(text.get(site.end + rest.len()), Some(b'\n' | b'\r')) {
        return None;
    }
    let trimmed = rest.trim_ascii_end();
    let before = site.line_before();
    let says = trimmed.ends_with(b":") && !matches!(site.before(), b'"' | b'\'')
        || before.starts_with(b"#") && trimmed.is_empty() && before.len() < HEADING;
    let lead = if says {
        Lead::Says
    } else {
        prints(before, site.name(), rest).then_some(Lead::Prints)?
    };
    (before.len() < LINE && site.behind_secret().is_none()).then_some(lead)
}

/// True for a word that has to be looked at for itself: what stands below would hide it.
fn is_seen(word: &[u8]) -> bool {
    let front = word.strip_suffix(b":").unwrap_or(word);
    let (name, value) = front.split_at(front.iter().position(|b| *b == b'=').unwrap_or(0));
    word.len() > WORD
        || front.iter().any(|b| b":@[".contains(b))
        || !name.is_empty() && name::telling(name).is_some()
        || judge::is_opaque(value)
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
    let Some(at) = memchr::memchr2_iter(b'$', b'#', front).find(sign) else { return false };
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
