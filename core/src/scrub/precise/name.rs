//! Which names say that their value is a secret.

/// How much a name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// `session`, `key`, `auth`: the value must look random.
    Weak,
    /// `password`, `api_key`, `client_secret`: any literal is a secret.
    Strong,
}

/// What a name tells of its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Telling {
    /// The kind that a secret under this name has: `password`, `api-key`, `token`…
    pub kind: &'static str,
    pub strength: Strength,
}

/// What the last word of an identifier tells: `DB_PASSWORD`, `dbPassword`, `db-password` and
/// `spring.datasource.password` end with `password`, `turnkey`, `KEY_PREFIX` and `sort_key` tell
/// nothing.
pub(super) fn telling(name: &[u8]) -> Option<Telling> {
    let _ = name;
    None
}
