//! Paths that the owner denies, and what is exempt from that.
//!
//! A path is denied if any way to read it leads to a denied place: with links followed, in letters of
//! either case, and with characters that only look like others. It is exempt only as it stands.

use super::env::Env;
use super::place::{is_within, normal};
use super::value::{Origin, Value};

/// True if a path, absolute and resolved, is denied, or may be by the pattern that finds it.
#[must_use]
pub fn is_denied(path: &Value, env: &Env) -> bool {
    if env.deny_paths.is_empty() {
        return false;
    }
    match path {
        Value::Known(text) => is_denied_text(text, env),
        Value::OneOf(texts) => texts.iter().any(|text| is_denied_text(text, env)),
        Value::Prefix(text, Origin::Glob(pattern)) => may_find(&whole(text, pattern), env),
        Value::Prefix(text, _) => {
            let folder = text.rsplit_once('/').map_or("/", |(folder, _)| folder);
            is_denied_text(folder, env)
        }
        Value::Unknown(_) => false,
    }
}

/// True if something denied, that is not exempt, lies below a path.
#[must_use]
pub fn holds_denied(path: &Value, env: &Env) -> bool {
    let Some(texts) = path.possible() else { return false };
    let roots = env.deny_paths.iter().map(|root| {
        let fixed = root.find(is_meta).unwrap_or(root.len());
        normal(&root[..fixed], env)
    });
    let roots: Vec<String> = roots.collect();
    texts.iter().any(|text| {
        let text = folded(text).to_lowercase();
        roots.iter().any(|root| is_within(&root.to_lowercase(), &text))
    })
}

/// True if an entry, a path or a glob, closes a path as it stands on the disk.
#[must_use]
pub(crate) fn closes(entry: &str, path: &str) -> bool {
    is_below(path, entry, &Env::default())
}

/// The folder below which everything lies that a glob finds. None for a path that is none.
#[must_use]
pub(crate) fn glob_root(entry: &str) -> Option<&str> {
    let literal = &entry[..entry.find(is_meta)?];
    Some(literal.rsplit_once('/').map_or("", |(folder, _)| folder))
}

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

/// True if a path is a denied one or below it, in letters of either case.
fn is_below(path: &str, root: &str, env: &Env) -> bool {
    if root.contains(is_meta) {
        return fits_beginning(&parts(root), &parts(path));
    }
    let path = path.to_lowercase();
    is_within(&path, &root.to_lowercase()) || is_within(&path, &normal(root, env).to_lowercase())
}

/// True if a pattern fits the first parts of a path. `**` is any number of them.
fn fits_beginning(pattern: &[String], path: &[String]) -> bool {
    let Some((first, pattern)) = pattern.split_first() else { return true };
    if first == "**" {
        return (0..=path.len()).any(|skipped| fits_beginning(pattern, &path[skipped..]));
    }
    let Some((name, path)) = path.split_first() else { return false };
    let is_hidden = name.starts_with('.') && first.starts_with(['*', '?']);
    // What an owner denies is denied in hidden folders, too.
    let fits = if is_hidden { fits(first, &format!("_{name}")) } else { fits(first, name) };
    fits && fits_beginning(pattern, path)
}

/// A pattern as it is written, behind what it surely begins with once that is resolved.
pub(super) fn whole(begins: &str, pattern: &str) -> String {
    let fixed = pattern.find(is_meta).unwrap_or(pattern.len());
    format!("{begins}{}", &pattern[fixed..])
}

/// True if a pattern, whose resolved beginning is known, may find one of some absolute paths, or what
/// is below one.
#[must_use]
pub fn finds_any(begins: &str, pattern: &str, roots: &[String]) -> bool {
    let pattern = parts(&whole(begins, pattern));
    !pattern.iter().any(|part| says_nothing(part))
        && roots.iter().any(|root| finds(&pattern, &parts(root)))
}

/// True for a pattern that fits every name, so that it tells nothing of what it is meant to find.
#[must_use]
pub fn says_nothing(pattern: &str) -> bool {
    pattern.contains(is_meta) && !pattern.contains(|char: char| char.is_ascii_alphanumeric())
}

/// True if the last name of a pattern may be one of some names. A pattern that says next to nothing
/// of the name does not count.
#[must_use]
pub fn finds_name(pattern: &str, names: &[&str]) -> bool {
    let last = pattern.rsplit('/').next().unwrap_or_default();
    let says = last.chars().filter(char::is_ascii_alphanumeric).count();
    names.iter().any(|name| (says > 2 || name.starts_with('.') && says > 0) && fits(last, name))
}

/// True if a pattern may find something of this name, which begins with a dot, or one of these names in it
/// and what is below.
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

fn finds(pattern: &[String], root: &[String]) -> bool {
    pattern.len() >= root.len()
        && root.iter().zip(pattern).all(|(root, pattern)| {
            pattern.contains("**") || fits(pattern, root) || root.contains(is_meta)
        })
}

/// True if an absolute pattern may find something denied.
fn may_find(pattern: &str, env: &Env) -> bool {
    let fixed = pattern.find(is_meta).unwrap_or(pattern.len());
    let folder = pattern[..fixed].rsplit_once('/').map_or("/", |(folder, _)| folder);
    let climbs = pattern.contains("..") || pattern[fixed..].contains("/.");
    if !climbs && env.deny_exempt.iter().any(|root| is_within(folder, &normal(root, env))) {
        return false;
    }
    let pattern = parts(pattern);
    env.deny_paths.iter().any(|root| finds(&pattern, &parts(&normal(root, env))))
}

fn is_meta(char: char) -> bool {
    matches!(char, '*' | '?' | '[' | '{')
}

fn parts(path: &str) -> Vec<String> {
    let parts = path.split('/').filter(|part| !part.is_empty() && *part != ".");
    parts.map(str::to_lowercase).collect()
}

/// True if a pattern for one name may fit it. Brackets stand for any character. A name that begins
/// with a dot is not found by a pattern that does not.
fn fits(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && pattern.starts_with(['*', '?']) {
        return false;
    }
    let mut simple = String::new();
    let mut rest = pattern.chars();
    while let Some(char) = rest.next() {
        match char {
            '[' => {
                simple.push('?');
                rest.by_ref().find(|char| *char == ']');
            }
            // What stands between braces, or in an extended pattern, may be anything.
            '{' | '(' | '@' | '+' | '!' => return true,
            char => simple.push(char),
        }
    }
    is_fit(&simple.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
}

/// True if a pattern of `*`, `?` and characters fits a text.
fn is_fit(pattern: &[char], text: &[char]) -> bool {
    let (mut at, mut from) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while from < text.len() {
        match pattern.get(at) {
            Some('*') => {
                back = Some((at + 1, from));
                at += 1;
            }
            Some(char) if *char == '?' || *char == text[from] => {
                at += 1;
                from += 1;
            }
            _ => {
                let Some((after, start)) = back else { return false };
                back = Some((after, start + 1));
                at = after;
                from = start + 1;
            }
        }
    }
    pattern[at..].iter().all(|char| *char == '*')
}

/// True if a glob fits a text: `*` is any text, `?` one character, all else itself.
#[must_use]
pub fn matches(pattern: &str, text: &str) -> bool {
    is_fit(&pattern.chars().collect::<Vec<_>>(), &text.chars().collect::<Vec<_>>())
}

/// A text without characters that are not seen, and with wide ones as the plain ones that they look
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
    use super::super::value::{Origin, Value};
    use super::{Env, holds_denied, is_denied};

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
