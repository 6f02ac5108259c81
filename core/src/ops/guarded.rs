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

    /// The variables of an environment that was opened.
    pub(super) fn opened_env(env: &[u8]) -> Guarded {
        Guarded::env(&serde_json::from_slice(env).unwrap_or_default())
    }

    /// One value.
    pub(super) fn value(name: &str, value: &str) -> Guarded {
        Guarded(vec![(Zeroizing::new(value.to_owned()), kind_of(name))])
    }

    /// Has them masked in the texts of a tenant, in place of what `key` held before.
    pub(super) fn hold(&self, runtime: &Runtime, tenant: &str, key: &impl Debug) {
        let values = self.0.iter().map(|(value, kind)| (value.as_str(), kind.as_str()));
        runtime.path().scrubbers.hold(source(tenant, key), values);
    }
}

/// Has what `key` held masked no longer.
pub(super) fn release(runtime: &Runtime, tenant: &str, key: &impl Debug) {
    runtime.path().scrubbers.release(&source(tenant, key));
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
