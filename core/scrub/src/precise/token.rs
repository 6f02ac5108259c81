//! Tokens: inspects a run of token bytes.
//!
//! It may be a token of a [known kind](super::kinds), a [bare hexadecimal key](super::hex) or a
//! [JSON web token](super::jwt). Behind the id of a key pair, the [secret key](super::key_pair) is
//! found as well.

use super::super::view::{Outcome, View};
use super::kinds::Kinds;
use super::{hex, jwt, key_pair};

/// Inspects the start of a run.
pub(super) fn inspect(kinds: &Kinds, view: &View<'_>) -> Outcome {
    let known = kinds.find_at(view.text, view.at, view.last);
    let found = known
        .or_else(|| hex::find(view))
        .or_else(|| jwt::at_token(view.text, view.at, view.last))
        .filter(|hit| hit.span.start >= view.floor);
    match found {
        Some(hit) => {
            let more: Vec<_> = key_pair::find(view, &hit).into_iter().collect();
            let resume = more.last().unwrap_or(&hit).span.end;
            Outcome { hit: Some(hit), more, resume }
        }
        // Only the first byte is skipped: a name may start inside the run.
        None => Outcome::none(view.at + 1),
    }
}
