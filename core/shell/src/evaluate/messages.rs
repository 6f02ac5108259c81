//! Messages of the shell, where they go to something that may run them: `{ cd 'a⏎rm -rf /'; } 2>&1
//! | sh`.
//!
//! The shell quotes what it complains about as it was written, with its line ends, so an error
//! message can hold commands. Where standard error leads into a pipe or a file, what is written
//! there becomes uncertain.

use super::Interpreter;
use super::builtins::is_builtin;
use super::state::{Descriptor, State};
use crate::invocation::Argument;
use crate::ir::{Redirection, RedirectionKind};

impl Interpreter<'_> {
    /// Notes that the shell may write messages to where standard error leads now, if that has
    /// changed since `before`.
    pub(super) fn may_complain(&mut self, state: &State, before: &Descriptor) {
        let errors = state.descriptor(2);
        if errors != *before {
            self.doubt_output(&errors);
        }
    }

    /// True for a command of which the shell itself certainly writes no message, once its errors
    /// are redirected. What a program writes counts with its output.
    pub(super) fn is_silent(
        &self,
        state: &State,
        words: &[Argument],
        redirections: &[Redirection],
    ) -> bool {
        let leads = |it: &&Redirection| {
            it.fd == Some(2) || matches!(it.kind, RedirectionKind::WriteBoth { .. })
        };
        let opens = |it: &Redirection| !matches!(it.kind, RedirectionKind::Duplicate(_));
        let at = redirections.iter().position(|it| leads(&it)).map_or(0, |at| at + 1);
        let Some((program, arguments)) = words.split_first() else { return false };
        let Some(name) = program.value.as_known().filter(|_| !program.many) else { return false };
        let is_itself = !state.replaced.contains_key(name) && !state.functions.contains_key(name);
        let is_silent = match name {
            ":" | "true" | "false" => true,
            "echo" | "pwd" => !state.descriptor(1).may_be_closed(),
            "printf" => {
                !state.descriptor(1).may_be_closed() && super::print::never_fails(arguments)
            }
            name => !is_builtin(name),
        };
        is_itself && is_silent && !redirections[at..].iter().any(opens)
    }
}
