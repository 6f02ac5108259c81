//! Paths that the owner denies, and what is exempt from that.
//!
//! A path is denied if any way to read it leads to a denied place: with links followed, in letters
//! of either case, and with characters that only look like others. An exemption is narrower on
//! purpose: it holds only for the path exactly as it stands.
//!
//! - What an entry of `deny_paths` names, and how a glob is read: `entry`.
//! - Whether a known path is denied: [`is_denied`]. Whether something denied lies below it:
//!   [`holds_denied`].
//! - Whether a pattern of the shell may find something denied: [`finds_any`], [`finds_below`],
//!   [`finds_name`].
//!
//! Nothing here looks at the disk. Links are those of the snapshot in [`Env`].
//!
//! # Example
//!
//! With `deny_paths = ["/workspace/.env", "**/*.pem"]`:
//!
//! ```text
//! cat .env             denied: the resolved path is an entry
//! cat .ENV             denied: some file systems ignore case
//! cat keys/a.pem       denied: the glob fits
//! cat .e*              denied: the pattern may find `.env`
//! cat *                not denied by itself; a confinement covers what it finds
//! ```

mod entry;

use std::path::Path;

use entry::{Part, Token, first_meta, is_fit, may_meet, unescaped};
pub use entry::{Reading, as_written, escaped, is_glob, readings, spelled_out};

use crate::env::Env;
use crate::path::{is_within, normal};
use crate::value::{Origin, Value};

/// True if an absolute, resolved path is denied, or may be by the pattern that finds it.
///
/// Where a confinement covers what is denied (`Env::covered`), only a pattern counts that names it:
/// `.e*`, and not `*`.
#[must_use]
pub fn is_denied(path: &Value, env: &Env) -> bool {
    if env.deny_paths.is_empty() {
        return false;
    }
    match path {
        Value::Known(text) => is_denied_text(text, env),
        Value::OneOf(texts) => texts.iter().any(|text| is_denied_text(text, env)),
        Value::Prefix(text, Origin::Glob(pattern)) => {
            let pattern = whole(text, pattern);
            // One that finds no file stays as it is written.
            may_find(&pattern, env) || is_denied_text(&normal(&unescaped(&pattern), env), env)
        }
        Value::Prefix(text, _) => {
            let folder = text.rsplit_once('/').map_or("/", |(folder, _)| folder);
            is_denied_text(folder, env)
        }
        Value::Unknown(_) => false,
    }
}

/// True if something that is denied and not exempt may lie below a path.
#[must_use]
pub fn holds_denied(path: &Value, env: &Env) -> bool {
    let Some(texts) = path.possible() else { return false };
    let readings = env.deny_paths.iter().flat_map(|entry| readings(entry));
    let roots: Vec<String> = readings.map(|one| root(&one, env).to_lowercase()).collect();
    texts.iter().any(|text| {
        let text = folded(text).to_lowercase();
        roots.iter().any(|root| is_within(root, &text))
    })
}

/// The folder below which a reading finds everything, with links followed.
fn root(reading: &Reading, env: &Env) -> String {
    normal(&reading.root().to_string_lossy(), env)
}

/// True if an entry, a path or a glob, closes a path exactly as it stands on the disk.
#[must_use]
pub(crate) fn closes(entry: &str, path: &str) -> bool {
    let path = parts(path);
    readings(entry).iter().any(|reading| reading.folded().closes(&path))
}

/// True if a reading closes a path exactly as it stands on the disk.
#[must_use]
pub fn is_closed_by(folded: &Reading, path: &Path) -> bool {
    // A name need not be text: what is none of it stands for any character.
    folded.closes(&parts(&path.to_string_lossy()))
}

/// [`is_denied`] for one known path. Both the path as written and the path with look-alike
/// characters folded count.
fn is_denied_text(path: &str, env: &Env) -> bool {
    let plain = folded(path);
    let is_folded = plain != path;
    let plain = if is_folded { normal(&plain, env) } else { plain };
    let within = |path: &str| env.deny_paths.iter().any(|root| is_below(path, root, env));
    if !within(path) && !within(&plain) {
        return false;
    }
    is_folded || !env.deny_exempt.iter().any(|root| is_within(path, &normal(root, env)))
}

/// True if a path is a denied one or lies below it, in letters of either case.
fn is_below(path: &str, entry: &str, env: &Env) -> bool {
    let path = path.to_lowercase();
    let is_in = |root: &str| is_within(&path, &root.to_lowercase());
    if !is_glob(entry) {
        return is_in(entry) || is_in(&normal(entry, env));
    }
    let names = parts(&path);
    readings(entry).iter().any(|reading| {
        reading.folded().closes(&names) || reading.is_path() && is_in(&root(reading, env))
    })
}

/// A pattern as it is written, behind its resolved beginning.
pub(super) fn whole(begins: &str, pattern: &str) -> String {
    let fixed = first_meta(pattern).unwrap_or(pattern.len());
    format!("{}{}", escaped(begins), &pattern[fixed..])
}

/// True if a pattern may find one of some absolute paths, or something below one. `begins` is its
/// resolved beginning.
#[must_use]
pub fn finds_any(begins: &str, pattern: &str, roots: &[String]) -> bool {
    let pattern = parts(&whole(begins, pattern));
    !pattern.iter().any(|part| says_nothing(part))
        && roots.iter().any(|root| finds(&pattern, &parts(root)))
}

/// True for a pattern that matches every name, so that it does not say what it is meant to find.
#[must_use]
pub fn says_nothing(pattern: &str) -> bool {
    pattern.contains(is_meta) && !pattern.contains(|char: char| char.is_ascii_alphanumeric())
}

/// True if the last name of a pattern may be one of some names. A pattern that matches almost every
/// name does not count.
#[must_use]
pub fn finds_name(pattern: &str, names: &[&str]) -> bool {
    let last = pattern.rsplit('/').next().unwrap_or_default();
    let says = last.chars().filter(char::is_ascii_alphanumeric).count();
    names.iter().any(|name| (says > 2 || name.starts_with('.') && says > 0) && fits(last, name))
}

/// True if a pattern may find something of this name, or one of the names `within` it and what is
/// below.
#[must_use]
pub fn finds_below(pattern: &str, name: &str, within: &[&str]) -> bool {
    let parts = parts(pattern);
    let may_fit = |part: &str| part.starts_with('.') || part.contains('(');
    (0..parts.len()).any(|at| {
        let next = parts.get(at + 1);
        may_fit(&parts[at])
            && fits(&parts[at], name)
            && next.is_none_or(|next| within.iter().any(|name| fits(next, name)))
    })
}

/// True if a pattern may find one of these roots, compared name by name.
fn finds(pattern: &[String], root: &[String]) -> bool {
    pattern.len() >= root.len()
        && root.iter().zip(pattern).all(|(root, pattern)| {
            pattern.contains("**") || fits(pattern, root) || root.contains(is_meta)
        })
}

/// True if an absolute pattern may find something denied.
fn may_find(pattern: &str, env: &Env) -> bool {
    let fixed = first_meta(pattern).unwrap_or(pattern.len());
    let folder = pattern[..fixed].rsplit_once('/').map_or("/", |(folder, _)| folder);
    let climbs = pattern.contains("..") || pattern[fixed..].contains("/.");
    if !climbs && env.deny_exempt.iter().any(|root| is_within(folder, &normal(root, env))) {
        return false;
    }
    let pattern = parts(pattern);
    let denied = env.deny_paths.iter().flat_map(|entry| readings(entry));
    denied.into_iter().any(|reading| finds_denied(&pattern, &reading, env))
}

/// True if a pattern may find what a reading closes, or something below it.
fn finds_denied(pattern: &[String], reading: &Reading, env: &Env) -> bool {
    let reading = match reading.is_path() {
        true => Reading::of_path(&root(reading, env)).folded(),
        false => reading.folded(),
    };
    let closed = reading.parts();
    // Which parts of the reading may come next: folders may be none.
    let open = |at: &mut Vec<bool>| {
        for (number, part) in closed.iter().enumerate() {
            at[number + 1] |= at[number] && *part == Part::Folders;
        }
    };
    let last = closed.iter().rposition(|part| *part != Part::Folders).unwrap_or(closed.len());
    let mut at = vec![false; closed.len() + 1];
    at[0] = true;
    open(&mut at);
    for name in pattern {
        if at[closed.len()] {
            return true;
        }
        let mut next = vec![false; closed.len() + 1];
        for number in (0..closed.len()).filter(|number| at[*number]) {
            let part = &closed[number];
            if env.covered && number == last && !names(name, part) {
                continue;
            }
            if name.contains("**") {
                next[number..].fill(true);
            } else if *part == Part::Folders {
                next[number] = true;
            } else if fits_part(name, part) {
                next[number + 1] = true;
            }
        }
        open(&mut next);
        at = next;
    }
    at[closed.len()]
}

/// True if a pattern says something of the one name that it may find.
fn names(pattern: &str, part: &Part) -> bool {
    matches!(part, Part::Name(_)) && !says_nothing(pattern)
}

/// True if a pattern for paths in a repository may name something denied.
///
/// Only its last name is compared, in whatever folder. In such patterns `*` also matches names that
/// begin with a dot. A pattern that matches every name does not count.
#[must_use]
pub fn may_name(pattern: &str, env: &Env) -> bool {
    let last = pattern.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_lowercase();
    if first_meta(&last).is_none() || says_nothing(&last) {
        return false;
    }
    let Some(tokens) = tokens_of_shell(&last) else { return true };
    let readings = env.deny_paths.iter().flat_map(|entry| readings(entry));
    readings.into_iter().any(|reading| {
        let reading = reading.folded();
        let last = reading.parts().iter().rev().find(|part| **part != Part::Folders);
        last.is_some_and(|part| may_meet(part, &tokens))
    })
}

/// True if a name may match both a pattern of the shell and a part of an entry. A pattern that does
/// not begin with a dot matches no name that does.
fn fits_part(pattern: &str, part: &Part) -> bool {
    let is_hidden = match part {
        Part::Folders => false,
        Part::Name(name) => name.starts_with('.'),
        Part::Pattern(tokens) => tokens.first() == Some(&Token::Char('.')),
    };
    if is_hidden && pattern.starts_with(['*', '?']) {
        return false;
    }
    tokens_of_shell(pattern).is_none_or(|tokens| may_meet(part, &tokens))
}

/// True for a character that makes a glob of an entry.
fn is_meta(char: char) -> bool {
    matches!(char, '*' | '?' | '[' | '{')
}

/// The names of a path in lower case, without empty ones.
fn parts(path: &str) -> Vec<String> {
    let parts = path.split('/').filter(|part| !part.is_empty() && *part != ".");
    parts.map(str::to_lowercase).collect()
}

/// True if a pattern for one name may match it. Brackets stand for any character.
fn fits(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && pattern.starts_with(['*', '?']) {
        return false;
    }
    tokens_of_shell(pattern).is_none_or(|tokens| is_fit(&tokens, &name.chars().collect::<Vec<_>>()))
}

/// A shell pattern for one name as tokens, with brackets as any character. None if braces or an
/// extended pattern make it match anything.
fn tokens_of_shell(pattern: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = pattern.chars();
    while let Some(char) = rest.next() {
        tokens.push(match char {
            '*' => Token::Any,
            '?' => Token::One,
            '\\' => Token::Char(rest.next().unwrap_or('\\')),
            '[' => {
                rest.by_ref().find(|char| *char == ']');
                Token::One
            }
            '{' | '(' | '@' | '+' | '!' => return None,
            char => Token::Char(char),
        });
    }
    Some(tokens)
}

/// True if a glob matches a text: `*` is any text, `?` one character, everything else itself.
#[must_use]
pub fn matches(pattern: &str, text: &str) -> bool {
    let token = |char| match char {
        '*' => Token::Any,
        '?' => Token::One,
        char => Token::Char(char),
    };
    let tokens: Vec<Token> = pattern.chars().map(token).collect();
    is_fit(&tokens, &text.chars().collect::<Vec<_>>())
}

/// A text without invisible characters, and with wide characters as the plain ones that they look
/// like.
fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let mut plain = String::new();
    for char in text.chars() {
        match char {
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}' => {}
            '\u{ff01}'..='\u{ff5e}' => {
                plain.extend(char::from_u32(u32::from(char) - 0xff01 + 0x21));
            }
            '\u{2024}' => plain.push('.'),
            '\u{2025}' => plain.push_str(".."),
            '\u{2026}' => plain.push_str("..."),
            '\u{2044}' | '\u{2215}' | '\u{29f8}' => plain.push('/'),
            char => plain.push(char),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::{Env, holds_denied, is_denied};
    use crate::value::{Origin, Value};

    fn env() -> Env {
        Env {
            deny_paths: vec![
                "/app/data".into(),
                "/workspace/.hidden".into(),
                "/workspace/*/key".into(),
            ],
            deny_exempt: vec!["/app/data/open".into()],
            ..Env::default()
        }
    }

    #[test]
    fn what_lies_in_a_denied_place_is_denied_unless_it_is_exempt_as_it_stands() {
        for (path, expected) in [
            ("/app/data", true),
            ("/app/data/x", true),
            ("/APP/Data/x", true),
            ("/app/database", false),
            ("/app/data/open", false),
            ("/app/data/open/x", false),
            ("/app/data/opened", true),
            ("/app/data/Open/x", true),
            ("/app/data/open/\u{ff0e}\u{ff0e}/x", true),
            ("/app/data/open/.\u{200b}./x", true),
            ("/workspace/.hidden/x", true),
            ("/workspace/a/key", true),
            ("/workspace/a/key/x", true),
            ("/workspace/a/b/key", false),
        ] {
            assert_eq!(is_denied(&Value::known(path), &env()), expected, "{path}");
        }
    }

    #[test]
    fn two_stars_are_any_number_of_folders() {
        let deny_paths = vec!["/workspace/**/*.pem".to_owned()];
        let env = Env { deny_paths, ..Env::default() };
        for (path, expected) in [
            ("/workspace/x.pem", true),
            ("/workspace/a/b/X.pem", true),
            ("/workspace/a/.b/.x.pem", true),
            ("/workspace/a/x.pem/below", true),
            ("/workspace/a/pem", false),
            ("/srv/x.pem", false),
        ] {
            assert_eq!(is_denied(&Value::known(path), &env), expected, "{path}");
        }
    }

    #[test]
    fn patterns_are_denied_if_they_may_find_something_denied() {
        for (prefix, pattern, expected) in [
            ("/workspace/.h", ".h*n/x", true),
            ("/workspace/", "*", false),
            ("/workspace/", "?hidden/x", false),
            ("/workspace/", "[.]hidden/x", true),
            ("/app/", "/app/*", true),
            ("/app/d", "/app/d*/x", true),
            ("/app/e", "/app/e*", false),
            ("/app/data/open/", "/app/data/open/*", false),
            ("/app/data/open/", "/app/data/open/*/../../x", true),
        ] {
            let path = Value::Prefix(prefix.into(), Origin::Glob(pattern.into()));
            assert_eq!(is_denied(&path, &env()), expected, "{pattern}");
        }
    }

    #[test]
    fn no_path_climbs_out_of_a_denied_place() {
        for path in ["/app/data/open/../../x", "/app/data/../x", "/app/data/open/a/../../../etc/x"]
        {
            assert!(is_denied(&Value::known(super::normal(path, &env())), &env()), "{path}");
        }
        let path = super::normal("/app/data/open/a/../x", &env());
        assert!(!is_denied(&Value::known(path), &env()));
    }

    #[test]
    fn folders_above_hold_what_is_denied() {
        for (path, expected) in [("/", true), ("/app", true), ("/workspace", true), ("/srv", false)]
        {
            assert_eq!(holds_denied(&Value::known(path), &env()), expected, "{path}");
        }
    }
}
