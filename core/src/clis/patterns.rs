//! The patterns of what is denied.

use regex::Regex;

/// The largest that one compiled pattern may be, in bytes.
const MOST_BYTES: usize = 1 << 20;

/// A pattern of `deny_args`.
///
/// # Errors
/// What is wrong with it.
pub(super) fn compiled(pattern: &str) -> Result<Regex, String> {
    build(pattern, true)
}

/// A pattern of `deny_verbose`: at the start of an argument.
///
/// # Errors
/// What is wrong with it.
pub(super) fn at_start(pattern: &str) -> Result<Regex, String> {
    build(pattern, false)?;
    build(&format!("^(?:{pattern})"), false)
}

fn build(pattern: &str, any_case: bool) -> Result<Regex, String> {
    let mut builder = regex::RegexBuilder::new(pattern);
    builder.case_insensitive(any_case).size_limit(MOST_BYTES);
    builder.build().map_err(|error| match error {
        regex::Error::Syntax(text) => text.lines().last().unwrap_or_default().trim().to_owned(),
        other => other.to_string(),
    })
}
