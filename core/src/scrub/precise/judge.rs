//! Judges whether a value that stands under a telling name is a secret, or code, a reference, a
//! placeholder, prose, or plainly none (a port, a flag, a path).

use super::super::hit::Confidence;
use super::name::Telling;

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Between quotes, in data: JSON, YAML, TOML, a connection list.
    QuotedData,
    /// Between quotes, in code.
    QuotedCode,
    /// Unquoted after `=` without blanks: an env file, a shell.
    Env,
    /// Unquoted after `: `: YAML, a header, a log line; or prose.
    Line,
    /// Unquoted after ` = `: TOML-like, INI, code.
    Spaced,
    /// After a flag of a command: `--password X`, `--password=X`.
    Flag,
    /// The text of an XML element.
    Element,
    /// In the query of a URL, a form, or a cookie.
    Query,
    /// A part of a `;` or `,` list of `name=value` pairs.
    List,
    /// A line of a block below its name: YAML `|`.
    Block,
}

/// A value and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim<'t> {
    pub name: &'t [u8],
    pub telling: Telling,
    pub value: &'t [u8],
    pub form: Form,
    /// The rest of the line behind the value, as far as it is seen.
    pub after: &'t [u8],
}

/// The confidence with which the value is a secret; `None` if it is none.
pub(super) fn judge(claim: &Claim<'_>) -> Option<Confidence> {
    let _ = (
        claim.name,
        claim.telling.kind,
        claim.telling.strength,
        claim.form,
        claim.after,
    );
    (!claim.value.is_empty()).then_some(Confidence::Medium)
}

/// True if text without any name looks like a random token: long enough, mixed, no words, no
/// UUID, digest, path or version.
pub(super) fn is_random(value: &[u8]) -> bool {
    let _ = value;
    false
}

/// True if the whole value is a stand-in: `xxxx`, `<token>`, `${TOKEN}`, `changeme`, `***`,
/// `your-key-here`, a placeholder of this library, a reference to where the secret is kept.
pub(super) fn is_stand_in(value: &[u8]) -> bool {
    let _ = value;
    false
}
