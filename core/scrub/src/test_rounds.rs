//! How long the long tests run: `make soak` sets `TOOLKEEP_SOAK`.

/// `short` in `make test`, `long` in `make soak`.
pub(crate) fn rounds(short: usize, long: usize) -> usize {
    if std::env::var_os("TOOLKEEP_SOAK").is_some() { long } else { short }
}
