//! What a preset needs besides variables.

/// What is made of a preset's variables besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Adapter {
    /// Nothing.
    None,
    /// A token or a key for one host, as git takes it.
    Git,
    /// Settings for the git that it runs.
    Gh,
    /// A file of passwords for one server, as psql takes it.
    Psql,
}
