//! Asking the crate.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use shuck_parser::parser::{ParseResult, Parser};

use super::cases;

/// The option of `shopt` from which on the crate puts aliases into the text by itself. It loses its
/// place by that, and may panic. Whoever interprets the text follows aliases without.
pub(super) const EXPANDING: &str = "expand_aliases";

/// What stands there for the crate, as long as the other.
const NOT_EXPANDING: &str = "expand_nothing";

/// How many steps the crate may take for a text, and for all that it reads again within it. Ordinary
/// text takes less than one for each byte; what takes more nests so that it is read again and again.
fn fuel(text: &str) -> usize {
    const AT_LEAST: usize = 1_000;
    AT_LEAST + 2 * text.len()
}

/// The crate's tree of a text; nothing if it panicked, which no text is known to bring about.
pub(super) fn read(text: &str, apart: bool) -> Option<ParseResult> {
    let text = match text.contains(EXPANDING) {
        true => Cow::Owned(text.replace(EXPANDING, NOT_EXPANDING)),
        false => Cow::Borrowed(text),
    };
    let other = apart.then(|| cases::apart(&text)).flatten();
    let text = other.as_deref().unwrap_or(&text);
    catch_unwind(AssertUnwindSafe(|| Parser::with_fuel(text, fuel(text)).parse())).ok()
}
