//! Where a shell does not go on with the next command.
//!
//! An expansion that fails (`$((1/0))`, `${!x}` without a name in `x`) ends the whole line of the script
//! in which it stands, with what was set so far, and the shell goes on with the next line; a subshell
//! ends. A redirection that fails keeps its command from running. And a trap runs between any two
//! commands.

use super::parameter::is_name;
use super::sinks::Sink;
use super::state::State;
use super::{Interpreter, arithmetic, join};
use crate::ir::{Piece, Redirection, RedirectionKind, Word};
use crate::value::{Origin, Value};

impl Interpreter<'_> {
    /// An expansion may fail here.
    pub(super) fn may_fail(&mut self, state: &State) {
        self.abandoned = join(self.abandoned.take(), Some(state.clone()));
        // What would be written from here on is perhaps not.
        self.write(state, Value::Unknown(Origin::Other));
        self.may_end(state);
    }

    /// The shell may end here, or run a trap.
    pub(super) fn may_end(&mut self, state: &State) {
        if !self.traps.is_empty() {
            self.midway = join(self.midway.take(), Some(state.clone()));
        }
    }

    /// Notes that the shell may have ended here. What a shell within another one writes from here
    /// on is uncertain.
    pub(super) fn mark_maybe_ended(&mut self) {
        self.may_have_ended |= self.shells > 0;
    }

    /// Notes that a shell of the text may be stopped from here on, or was stopped while it wrote.
    pub(super) fn mark_maybe_stopped(&mut self) {
        self.may_be_stopped = true;
        let nothing = vec![Sink::empty(); self.sinks.len()];
        self.stopped_since(nothing);
    }

    /// True where a command may not run any more: the shell, the function or the round of the loop
    /// around it may have ended before.
    pub(super) fn may_be_unreachable(&self) -> bool {
        let is_left = |(breaks, continues): &(Vec<State>, Vec<State>)| {
            !breaks.is_empty() || !continues.is_empty()
        };
        self.may_have_ended
            || self.shells > 0 && (self.may_be_stopped || !self.exits.is_empty())
            || self.calls.iter().any(|call| !call.returns.is_empty())
            || self.loops.iter().any(is_left)
    }

    /// Runs something, and applies `undo` to the state from which the shell goes on if it fails
    /// midway.
    pub(super) fn with_undo<T>(
        &mut self,
        run: impl FnOnce(&mut Self) -> T,
        undo: impl FnOnce(&mut State),
    ) -> T {
        let outer = self.abandoned.take();
        let done = run(self);
        if let Some(state) = &mut self.abandoned {
            undo(state);
        }
        self.abandoned = join(outer, self.abandoned.take());
        done
    }

    /// True if the shell may refuse to evaluate an expression whose value is not known.
    pub(super) fn arithmetic_may_fail(&self, state: &State, text: &str) -> bool {
        let variable = |name: &str| match self.named(state, name, None) {
            _ if !is_name(name) => None,
            Value::Known(text) => Some(text),
            Value::Unknown(Origin::Number) => Some("1".to_owned()),
            _ => None,
        };
        let text = text.replace('$', "");
        arithmetic::evaluate(&text, &variable).is_none() || !divides_by_numbers(&text)
    }
}

/// True if what stands behind each `/` and `%` is a number other than zero.
fn divides_by_numbers(text: &str) -> bool {
    text.split(['/', '%']).skip(1).all(|rest| {
        let rest = rest.trim_start();
        let end = rest.find(|char: char| !char.is_ascii_alphanumeric() && char != '#');
        let divisor = &rest[..end.unwrap_or(rest.len())];
        divisor.bytes().all(|byte| byte.is_ascii_digit())
            && divisor.starts_with(|char: char| ('1'..='9').contains(&char))
    })
}

/// Whether one of these may fail, so that their command does not run.
pub(super) fn may_fail_to_open(state: &State, redirections: &[Redirection]) -> bool {
    redirections.iter().any(|redirection| match &redirection.kind {
        RedirectionKind::HereDocument { .. } | RedirectionKind::HereString(_) => false,
        RedirectionKind::Read(word)
        | RedirectionKind::Write { to: word, .. }
        | RedirectionKind::Append(word)
        | RedirectionKind::ReadWrite(word)
        | RedirectionKind::WriteBoth { to: word, .. } => literal(word) != Some("/dev/null"),
        RedirectionKind::Duplicate(word) => match literal(word) {
            Some("-") => false,
            Some(number @ ("0" | "1" | "2")) => {
                number.parse().is_ok_and(|number| state.descriptor(number).may_be_closed())
            }
            _ => true,
        },
    })
}

/// The text of a word that is a single literal.
fn literal(word: &Word) -> Option<&str> {
    match &word.pieces[..] {
        [Piece::Literal { text, .. }] => Some(text),
        _ => None,
    }
}
