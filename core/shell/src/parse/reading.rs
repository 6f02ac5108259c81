//! Calls of the parser crate, with a limit and guarded against panics.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use shuck_parser::parser::{ParseResult, Parser};

use super::cases;

/// The option of `shopt` from which on the crate expands aliases by itself. It loses its place in
/// the text by that, and may panic. The evaluation follows aliases without it.
pub(super) const EXPANDING: &str = "expand_aliases";

/// The text that the crate gets in its place, of the same length, so that all places stay as they
/// are.
const NOT_EXPANDING: &str = "expand_nothing";

/// How many steps the crate may take for a text, with everything that it reads again within it.
/// Ordinary text takes less than one step per byte.
fn fuel(text: &str) -> usize {
    /// The fewest steps that a text gets, however short it is.
    const AT_LEAST: usize = 1_000;
    AT_LEAST + 2 * text.len()
}

/// The crate's tree of a text. None if it cannot read it, or if it panicked, which is only known of
/// texts that `loses_its_place` finds.
pub(super) fn read(text: &str, apart: bool) -> Option<ParseResult> {
    if loses_its_place(text) {
        return None;
    }
    let text = match text.contains(EXPANDING) {
        true => Cow::Owned(text.replace(EXPANDING, NOT_EXPANDING)),
        false => Cow::Borrowed(text),
    };
    let other = apart.then(|| cases::apart(&text)).flatten();
    let text = other.as_deref().unwrap_or(&text);
    catch_unwind(AssertUnwindSafe(|| Parser::with_fuel(text, fuel(text)).parse())).ok()
}

/// True for a text in which the crate may slice at a place that is no character boundary, and
/// panic. It miscounts continuations in a quoted text before a backtick, and here-documents around
/// backticks with an open quote.
fn loses_its_place(text: &str) -> bool {
    let is_lost = || text.contains("\\\n") || text.matches("<<").nth(1).is_some();
    !text.is_ascii() && text.contains('`') && is_lost()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_in_which_the_crate_loses_its_place_is_not_read() {
        assert!(read("echo \"\\\n`wҙw`\"h", false).is_none());
        assert!(read("echo \"\\\n`www`\"h", false).is_some());
        assert!(read("echo \"\\\nҙ\"", false).is_some());
        assert!(read("<<E `\"`<<E\né\nE\n", false).is_none());
        assert!(read("<<E `\"`<<E\ne\nE\n", false).is_some());
        assert!(read("\"$(cat <<'E'\n`é`\nE\n)\"", false).is_some());
    }
}
