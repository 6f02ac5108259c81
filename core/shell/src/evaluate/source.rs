//! `source` and `.`: a file that runs in the shell itself.
//!
//! A file that the text wrote is evaluated. Any other file may change every variable of the script,
//! so all of them become uncertain.

use std::sync::Arc;

use super::simple::ReadyCommand;
use super::state::{Arguments, Content, State};
use super::{Call, Flow, Interpreter, join};
use crate::effect::{Access, CodeFrom, Effect, FileEffect};
use crate::env::Shell;
use crate::invocation::{Argument, Stdin};
use crate::ir::Span;
use crate::place;
use crate::value::{Origin, Value};

impl Interpreter<'_> {
    /// Runs the file that the builtin names, or each one that it may name.
    pub(super) fn source(&mut self, state: State, call: &ReadyCommand<'_>) -> Flow {
        let mut arguments = call.arguments.iter();
        let Some(file) = arguments
            .next()
            .filter(|file| file.value.as_known() != Some("--"))
            .or_else(|| arguments.next())
        else {
            return Flow::fail(state);
        };
        let path = place::resolve(&file.value, &state.cwd, self.env);
        let given: Vec<Argument> = arguments.cloned().collect();
        let Value::OneOf(paths) = path else {
            return self.source_file(state, path, &given, call);
        };
        self.conditional += 1;
        let mut flow = Flow::default();
        for path in paths {
            flow = flow.or(self.source_file(state.clone(), Value::Known(path), &given, call));
        }
        self.conditional -= 1;
        flow
    }

    /// Runs one file.
    fn source_file(
        &mut self,
        mut state: State,
        path: Value,
        given: &[Argument],
        call: &ReadyCommand<'_>,
    ) -> Flow {
        let known = match path.as_known() {
            Some(known) if place::is_stdin(known) => match self.stdin(&state) {
                Stdin::Text(text) => Some(text),
                Stdin::Rest(text) => {
                    let why =
                        "a part of what `source` runs is not known, or read by another".to_owned();
                    self.found(Effect::Dynamic { why }, "source", &call.span);
                    Some(text)
                }
                Stdin::Pipe(writers) => Some(Value::Unknown(Origin::Output(writers))),
                _ => None,
            },
            Some(known) => {
                let in_doubt = self.files_in_doubt;
                self.file_to_run(known, "source", &call.span, in_doubt)
            }
            None => None,
        };
        if let Some(text) = known {
            return self.sourced(state, &text, given, &call.span);
        }
        let is_output = matches!(path.origin(), Some(Origin::Output(_)));
        if is_output && place::is_process(path.prefix())
            || self.descriptor_at(&state, &path).is_some()
        {
            self.found(Effect::Code { from: CodeFrom::Stdin }, "source", &call.span);
            let why = "what `source` runs is not known".to_owned();
            self.found(Effect::Dynamic { why }, "source", &call.span);
        }
        let scope = place::scope(&path, self.env);
        let file =
            FileEffect { access: Access::Execute, path, scope, recursive: false, forced: false };
        self.found(Effect::File(file), "source", &call.span);
        self.found(Effect::Code { from: CodeFrom::File }, "source", &call.span);
        // It may have changed any variable of this script.
        let variables = Arc::make_mut(&mut state.variables);
        for (name, held) in variables.iter_mut() {
            if self.start.held(name) != Some(&*held) {
                held.content = Content::Perhaps(Value::Unknown(Origin::Other));
            }
        }
        Flow::both(state)
    }

    /// Runs a text with arguments of its own, which a `return` ends.
    fn sourced(&mut self, mut state: State, text: &Value, given: &[Argument], span: &Span) -> Flow {
        let outer = state.arguments.clone();
        let inner = match (given, self.env.shell) {
            ([], _) => outer.clone(),
            (_, Shell::Bash) => Arguments::of(given),
            // Not every shell gives them.
            (_, Shell::Sh) => Arguments::Unknown,
        };
        state.arguments = inner.clone();
        let abandoned = self.abandoned.take();
        let (name, body, subshells) = (String::new(), None, self.subshells);
        let (returns, locals, copies) = (Vec::new(), Vec::new(), 0);
        self.calls.push(Call { name, body, returns, locals, copies, subshells });
        let flow = self.script_value(&state, text, "source", span);
        let returns = self.calls.pop().map(|ended| ended.returns).unwrap_or_default();
        let flow = flow.unwrap_or_else(|| Flow::both(state));
        let mut flow = returns.into_iter().fold(flow, |flow, state| flow.or(Flow::both(state)));
        let ends = [&mut flow.ok, &mut flow.fail, &mut self.abandoned];
        for state in ends.into_iter().flatten().filter(|_| !given.is_empty()) {
            let is_same = state.arguments == inner;
            state.arguments = if is_same { outer.clone() } else { Arguments::Unknown };
        }
        self.abandoned = join(abandoned, self.abandoned.take());
        flow
    }
}
