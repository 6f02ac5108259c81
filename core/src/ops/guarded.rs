//! What is stored as a secret is masked in the texts of its tenant: from when it is stored, or is
//! opened for use, until it is replaced or deleted.

use std::collections::BTreeMap;
use std::fmt::Debug;

use secrecy::{ExposeSecret as _, SecretString};
use zeroize::Zeroizing;

use crate::runtime::Runtime;
use crate::scrubbers::Source;

/// What placeholders call a value whose name says nothing.
const KIND: &str = "credential";
/// The longest kind, in bytes.
const LONGEST_KIND: usize = 40;

/// The values of something that is stored, each with its kind.
pub(super) struct Guarded(Vec<(Zeroizing<String>, String)>);

impl Guarded {
    /// The variables of an environment; placeholders call them by their names.
    pub(super) fn env(env: &BTreeMap<String, SecretString>) -> Guarded {
        let variable = |(name, value): (&String, &SecretString)| {
            (Zeroizing::new(value.expose_secret().to_owned()), kind_of(name))
        };
        Guarded(env.iter().map(variable).collect())
    }

    /// The variables of an environment that was opened: the JSON object that was sealed.
    pub(super) fn opened_env(env: &[u8]) -> Guarded {
        let mut rest = std::str::from_utf8(env).unwrap_or_default();
        let mut variables = Vec::new();
        while let Some((name, after)) = literal(rest)
            && let Some((value, after)) = literal(after)
        {
            variables.push((unescaped(value), kind_of(&unescaped(name))));
            rest = after;
        }
        Guarded(variables)
    }

    /// The same with what is secret in each, by its name.
    pub(super) fn with_parts(mut self, of: fn(&str, &str) -> Vec<Zeroizing<String>>) -> Guarded {
        let parts = |(value, kind): &(Zeroizing<String>, String)| {
            let found = of(&kind.to_ascii_uppercase().replace('-', "_"), value);
            found.into_iter().map(|part| (part, kind.clone())).collect::<Vec<_>>()
        };
        let found: Vec<_> = self.0.iter().flat_map(parts).collect();
        self.0.extend(found);
        self
    }

    /// One value.
    pub(super) fn value(name: &str, value: &str) -> Guarded {
        Guarded(vec![(Zeroizing::new(value.to_owned()), kind_of(name))])
    }

    /// Has them masked in the texts of a tenant, in place of what `key` held before.
    pub(super) fn hold(&self, runtime: &Runtime, tenant: &str, key: &impl Debug) {
        let values = self.0.iter().map(|(value, kind)| (value.as_str(), kind.as_str()));
        runtime.path().texts.scrubbers.hold(source(tenant, key), values);
    }
}

/// What stands in the next string of JSON text, and the text behind it.
fn literal(text: &str) -> Option<(&str, &str)> {
    let inside = text.split_once('"')?.1;
    let mut escaped = false;
    let end = inside.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })?;
    Some((&inside[..end], &inside[end + 1..]))
}

/// What a string of JSON that was written by serde says. Serde's own reader would leave a copy on
/// the heap.
fn unescaped(inside: &str) -> Zeroizing<String> {
    let mut out = Zeroizing::new(String::with_capacity(inside.len()));
    let mut rest = inside.chars();
    while let Some(c) = rest.next() {
        let escape = if c == '\\' { rest.next() } else { None };
        out.push(match escape {
            None => c,
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('u') => {
                let code =
                    rest.by_ref().take(4).try_fold(0, |sum, c| Some(sum * 16 + c.to_digit(16)?));
                code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            Some(other) => other,
        });
    }
    out
}

/// Has what `key` held masked no longer.
pub(super) fn release(runtime: &Runtime, tenant: &str, key: &impl Debug) {
    runtime.path().texts.scrubbers.release(&source(tenant, key));
}

fn source(tenant: &str, key: &impl Debug) -> Source {
    // It tells credentials from tools, and where one name ends and the next begins.
    Source { tenant: tenant.to_owned(), name: format!("{key:?}") }
}

/// `gh-token` for `GH_TOKEN`.
fn kind_of(name: &str) -> String {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let kind = name.to_ascii_lowercase().replace(['_', '.', ' '], "-");
    match (1..=LONGEST_KIND).contains(&kind.len()) && kind.chars().all(fits) {
        true => kind,
        false => KIND.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment_that_was_opened_is_read_as_it_was_written() {
        let env = BTreeMap::from([
            ("A_TOKEN", "plain \"quoted\" \\ back\\\"slash"),
            ("B\"", "line\nnext\u{1}\t\u{8}\u{c}\r/ é 🔑"),
            ("C", ""),
        ]);
        let written = serde_json::to_vec(&env).unwrap();
        let Guarded(read) = Guarded::opened_env(&written);
        let values: Vec<&str> = read.iter().map(|(value, _)| value.as_str()).collect();
        assert_eq!(values, env.values().copied().collect::<Vec<_>>());
        assert_eq!(read[0].1, "a-token");
        assert!(Guarded::opened_env(b"not json").0.is_empty());
    }
}
