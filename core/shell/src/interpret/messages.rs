//! Messages of the shell, where they go to what may be run: `{ cd 'a⏎rm -rf /'; } 2>&1 | sh`.
//!
//! What is complained about stands in them as it was written, line ends and all.

use super::super::invocation::Argument;
use super::super::ir::{Redirection, RedirectionKind};
use super::Interpreter;
use super::builtins::is_builtin;
use super::state::{Descriptor, State};

impl Interpreter<'_> {
    /// From here on the shell may complain to where its errors were led just now.
    pub(super) fn complains(&mut self, state: &State, before: &Descriptor) {
        let errors = state.descriptor(2);
        if errors != *before {
            self.doubt_written(&errors);
        }
    }

    /// True for a command, with its name and arguments, about which the shell says nothing once its
    /// errors are led elsewhere. What a program says is told with its output.
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
