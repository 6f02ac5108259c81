//! Builtins: what the shell itself does when a command has one of its names.
//!
//! `cd`, `eval`, `exec`, `command`, `trap`, `exit` and the loops' `break` and `continue` stand
//! here. `declare` has what sets variables, `read` what reads, `source` what runs a file, and
//! `tables` what changes the meaning of names.

use super::expand::joined;
use super::output::is_everywhere;
use super::print::destination;
use super::simple::{ReadyCommand, SPECIAL, is_also_program};
use super::state::{HeldVariable, State};
use super::{Flow, Interpreter, output};
use crate::effect::{CodeFrom, Effect};
use crate::invocation::Argument;
use crate::ir::Span;
use crate::place;
use crate::value::{Origin, Value};

impl Interpreter<'_> {
    /// Runs a builtin. A command that is no builtin is given back.
    pub(super) fn builtin<'a>(
        &mut self,
        mut state: State,
        call: ReadyCommand<'a>,
    ) -> Result<Flow, Box<(State, ReadyCommand<'a>)>> {
        let is_builtin = is_builtin(call.name);
        if is_builtin {
            self.indexes(&mut state, &call);
        }
        if !is_builtin || is_also_program(call.name) {
            if call.name == "printf" {
                self.print_into(&mut state, &call);
            }
            return Err(Box::new((state, call)));
        }
        let runs_other = matches!(call.name, "command" | "builtin" | "exec" | "eval" | ".");
        if !runs_other && call.name != ":" {
            let invocation = self.invocation(
                &state,
                call.program.clone(),
                call.arguments.clone(),
                call.environment.clone(),
                true,
            );
            let number = self.invoke(invocation);
            if output::may_print(call.name, &call.arguments) {
                let origin = Origin::Output(number.into_iter().collect());
                self.write(&state, Value::Unknown(origin));
            }
        }
        // In a POSIX shell a special builtin keeps what is set for it alone, and one that declares a
        // variable may in any.
        let keeps =
            SPECIAL.contains(&call.name) || matches!(call.name, "declare" | "typeset" | "local");
        let before: Vec<(String, Value, Option<HeldVariable>)> = call
            .environment
            .iter()
            .map(|(name, value)| (name.clone(), value.clone(), state.held(name).cloned()))
            .collect();
        for (name, value) in &call.environment {
            state.set_text(name, value.clone());
        }
        let undo = |state: &mut State| {
            for (name, given, held) in &before {
                state.undo(name, given, held.clone(), keeps);
            }
        };
        let mut flow = self.with_undo(|this| this.known_builtin(state, call), undo);
        [&mut flow.ok, &mut flow.fail].into_iter().flatten().for_each(undo);
        Ok(flow)
    }

    /// The index of an array in an argument is evaluated.
    fn indexes(&mut self, state: &mut State, call: &ReadyCommand<'_>) {
        let values: Vec<Value> = match call.name {
            "printf" => destination(&call.arguments).map(|(name, _)| name).into_iter().collect(),
            "test" | "[" => tested(&call.arguments),
            name if NAMING.contains(&name) => {
                call.arguments.iter().map(|argument| argument.value.clone()).collect()
            }
            _ => Vec::new(),
        };
        for text in values.iter().flat_map(unmatched) {
            // Behind `=` it is a value.
            if text.split('=').next().is_some_and(|name| name.contains('[')) {
                self.may_fail(state);
                self.arithmetic(state, &text, &call.span);
            }
        }
    }

    /// Runs a builtin by its name. One that changes nothing that is kept may succeed or fail.
    fn known_builtin(&mut self, state: State, call: ReadyCommand<'_>) -> Flow {
        match call.name {
            ":" => Flow::ok(state),
            "cd" | "pushd" | "popd" => self.folder(state, &call),
            "export" | "declare" | "typeset" | "local" | "readonly" => self.declare(state, &call),
            "unset" => self.unset(state, &call),
            "set" => self.set(state, &call),
            "shift" => self.shift(state, &call),
            "eval" => self.eval(state, &call),
            "source" | "." => self.source(state, &call),
            "exec" => self.exec(state, call),
            "command" => self.command_builtin(state, call),
            "builtin" => {
                let arguments = call.arguments.clone();
                self.without_functions(state, arguments, &call)
            }
            "trap" => self.trap(state, &call),
            "alias" => self.alias(state, &call).unsure(),
            "unalias" => self.unalias(state, &call).unsure(),
            "hash" => self.hash(state, &call).unsure(),
            "enable" => self.enable(state, &call).unsure(),
            "read" => self.read(state, &call),
            "mapfile" | "readarray" => self.mapfile(state, &call),
            "exit" => self.exit(state, &call),
            "logout" => {
                // Only a shell that one logs in to ends.
                self.exits.push(state.clone());
                Flow::fail(state)
            }
            "return" if call.arguments.len() <= 1 && self.returns(&state) => Flow::default(),
            "break" | "continue" => self.break_or_continue(state, &call),
            "let" => self.let_builtin(state, &call),
            "getopts" => self.getopts(state, &call),
            "history" | "fc" => self.history(state, &call),
            "compgen" => self.compgen(state, &call),
            "shopt" => self.shopt(state, &call),
            "bind" | "complete" if !call.arguments.is_empty() => {
                let why = format!("`{}` names commands that run later", call.name);
                self.found(Effect::Dynamic { why }, call.name, &call.span);
                Flow::both(state)
            }
            "umask" if !call.arguments.is_empty() => {
                // Later files may not be written again.
                self.files_in_doubt = true;
                Flow::both(state)
            }
            "ulimit" if !call.arguments.is_empty() => {
                self.mark_maybe_stopped();
                Flow::both(state)
            }
            "jobs" if call.arguments.iter().any(|it| it.value.as_known() == Some("-x")) => {
                let why = "`jobs -x` runs a command".to_owned();
                self.found(Effect::Dynamic { why }, call.name, &call.span);
                Flow::both(state)
            }
            _ => Flow::both(state),
        }
    }

    /// `cd`, `pushd` and `popd`.
    fn folder(&mut self, mut state: State, call: &ReadyCommand<'_>) -> Flow {
        if call.name == "popd" {
            return self.popd(state);
        }
        let before = state.cwd.clone();
        if call.name == "pushd" {
            state.stack.push(before);
        }
        let mut flow = self.cd(state, call);
        if call.name == "pushd"
            && let Some(state) = &mut flow.fail
        {
            state.stack.pop();
        }
        flow
    }

    /// `cd`: the folder behind it is known if its operand is.
    fn cd(&mut self, state: State, call: &ReadyCommand<'_>) -> Flow {
        let mut target = None;
        for argument in &call.arguments {
            match argument.value.as_known() {
                Some("-L" | "-P" | "-e" | "-@" | "--" | "-n") if target.is_none() => {}
                _ => target = target.or(Some(argument)),
            }
        }
        let target = match target {
            None if call.name == "pushd" => {
                let below = state.stack.iter().rev().nth(1);
                below.cloned().unwrap_or(Value::Unknown(Origin::Other))
            }
            None => state.value("HOME"),
            Some(argument) => match argument.value.as_known() {
                Some("-") => state.value("OLDPWD"),
                Some("") => state.cwd.clone(),
                _ if argument.many && argument.value.origin().is_none() => {
                    Value::Unknown(Origin::Other)
                }
                _ => argument.value.clone(),
            },
        };
        let mut there = state.clone();
        there.set_text("OLDPWD", state.cwd.clone());
        there.cwd = place::resolve(&target, &state.cwd, self.env);
        let stays = there.cwd == state.cwd;
        Flow { ok: Some(there), fail: (!stays).then_some(state) }
    }

    /// `popd`.
    fn popd(&mut self, mut state: State) -> Flow {
        let before = state.clone();
        match state.stack.pop() {
            Some(cwd) => {
                state.cwd = cwd;
                Flow::ok(state)
            }
            None => Flow::fail(before),
        }
    }

    /// `eval`: runs its words as a script in this shell.
    fn eval(&mut self, state: State, call: &ReadyCommand<'_>) -> Flow {
        let values: Vec<Value> = call
            .arguments
            .iter()
            .enumerate()
            .filter(|(at, argument)| *at > 0 || argument.value.as_known() != Some("--"))
            .map(|(_, argument)| argument.value.clone())
            .collect();
        let text = joined(&values, " ");
        if text.as_known().is_some() && call.arguments.iter().any(|word| !word.made_by.is_empty()) {
            let name = Argument::new(Value::known("eval"), call.span.clone());
            let words = call.arguments.clone();
            let invocation = self.invocation(&state, name, words, Vec::new(), true);
            self.invoke(invocation);
        }
        self.script_value(&state, &text, "eval", &call.span).unwrap_or_else(|| Flow::both(state))
    }

    /// Runs a value as a script in this shell. What is not known of it is reported.
    pub(super) fn script_value(
        &mut self,
        state: &State,
        text: &Value,
        program: &str,
        span: &Span,
    ) -> Option<Flow> {
        match text {
            Value::Known(text) => Some(self.text(state.clone(), text, span)),
            Value::OneOf(texts) => {
                self.conditional += 1;
                let mut flow = Flow::default();
                for text in texts {
                    flow = flow.or(self.text(state.clone(), text, span));
                }
                self.conditional -= 1;
                Some(flow)
            }
            Value::Prefix(start, origin) => {
                let why = format!("the end of what `{program}` runs is not known");
                self.found(Effect::Dynamic { why }, program, span);
                self.evaluates(state, text, program, span);
                self.beginning(state, start, origin, span);
                None
            }
            Value::Unknown(origin) => {
                if let Origin::Output(writers) = origin
                    && !writers.is_empty()
                {
                    self.found(Effect::Code { from: CodeFrom::Stdin }, program, span);
                }
                let why = format!("what `{program}` runs is not known");
                self.found(Effect::Dynamic { why }, program, span);
                self.evaluates(state, text, program, span);
                None
            }
        }
    }

    /// Records an invocation for a text that the shell runs, so that it can be followed to where
    /// the text comes from.
    fn evaluates(&mut self, state: &State, text: &Value, program: &str, span: &Span) {
        let word = |value| Argument::new(value, span.clone());
        let arguments = vec![word(text.clone())];
        let program = word(Value::known(program));
        let invocation = self.invocation(state, program, arguments, Vec::new(), true);
        self.invoke(invocation);
    }

    /// Runs the known beginning of a text, whose end is a word that nobody knows.
    fn beginning(&mut self, state: &State, start: &str, origin: &Origin, span: &Span) {
        // A name that a program picks has no slash in it.
        let end = if *origin == Origin::Picked { "picked" } else { "${TOOLKEEP_UNKNOWN}" };
        let text = format!("{start}{end}");
        let problems = self.out.problems.len();
        self.conditional += 1;
        self.text(state.clone(), &text, span);
        self.conditional -= 1;
        self.out.problems.truncate(problems);
    }

    /// `exec`: with words the shell ends, without them only redirections stay.
    fn exec(&mut self, state: State, call: ReadyCommand<'_>) -> Flow {
        let mut arguments = call.arguments.clone();
        while let Some(text) = arguments.first().and_then(|argument| argument.value.as_known()) {
            let takes = match text {
                "--" => {
                    arguments.remove(0);
                    break;
                }
                "-c" | "-l" | "-cl" | "-lc" => 1,
                "-a" => 2,
                text if text.starts_with("-a") => 1,
                _ => break,
            };
            arguments.drain(..takes.min(arguments.len()));
        }
        if arguments.is_empty() {
            return Flow::ok(state);
        }
        self.without_functions(state.clone(), arguments, &call);
        if self.conditional > 0 {
            self.mark_maybe_ended();
        }
        // Where it cannot be run, a shell that runs a script ends.
        Flow::default()
    }

    /// Runs words as a builtin or a program.
    fn without_functions(
        &mut self,
        mut state: State,
        arguments: Vec<Argument>,
        call: &ReadyCommand<'_>,
    ) -> Flow {
        let functions = std::mem::take(&mut state.functions);
        let replaced = std::mem::take(&mut state.replaced);
        let mut flow = self.call(state, arguments, call.environment.clone(), &call.span);
        for state in [&mut flow.ok, &mut flow.fail].into_iter().flatten() {
            if state.functions.is_empty() {
                state.functions = functions.clone();
            }
            state.replaced = replaced.clone();
        }
        flow
    }

    /// `command`: runs its words without functions, or says what a name stands for.
    fn command_builtin(&mut self, state: State, call: ReadyCommand<'_>) -> Flow {
        let mut arguments = call.arguments.clone();
        while let Some(text) = arguments.first().and_then(|argument| argument.value.as_known()) {
            match text {
                "-p" | "--" => _ = arguments.remove(0),
                "-v" | "-V" | "-pv" | "-pV" => {
                    let names: Vec<Value> =
                        arguments.iter().skip(1).map(|argument| argument.value.clone()).collect();
                    let output = match &names[..] {
                        [Value::Known(name)] if text.ends_with('v') => output::found_program(name),
                        _ => Value::Unknown(Origin::Output(Vec::new())),
                    };
                    let before = self.sinks.clone();
                    self.write(&state, output);
                    if !names.iter().all(|name| name.as_known().is_some_and(is_everywhere)) {
                        self.maybe_unwritten(before);
                    }
                    return Flow::both(state);
                }
                _ => break,
            }
        }
        if arguments.is_empty() {
            return Flow::ok(state);
        }
        self.without_functions(state, arguments, &call)
    }

    /// `trap`: keeps what runs when the shell ends.
    fn trap(&mut self, state: State, call: &ReadyCommand<'_>) -> Flow {
        let mut arguments = call.arguments.iter();
        let first = arguments.next();
        let first = match first.and_then(|first| first.value.as_known()) {
            Some("--") => arguments.next(),
            _ => first,
        };
        if let Some(action) = first
            && !arguments.as_slice().is_empty()
            && !matches!(action.value.as_known(), Some("" | "-" | "-p" | "-l"))
        {
            self.traps.push((action.value.clone(), call.span.clone()));
            let at_end = |signal: &Argument| matches!(signal.value.as_known(), Some("EXIT" | "0"));
            if arguments.all(at_end) {
                return Flow::both(state);
            }
            self.conditional += 1;
            let flow = self.script_value(&state, &action.value.clone(), "trap", &call.span);
            self.conditional -= 1;
            if flow.and_then(Flow::end).is_some_and(|end| end != state) {
                let why = "a trap changes what is set between any two commands".to_owned();
                self.found(Effect::Dynamic { why }, "trap", &call.span);
            }
        }
        Flow::both(state)
    }

    /// Some options make other commands of the same words.
    fn shopt(&mut self, state: State, call: &ReadyCommand<'_>) -> Flow {
        for argument in &call.arguments {
            if argument.value.as_known().is_none_or(changes_commands) {
                let why = "an option that changes what later commands are".to_owned();
                self.found(Effect::Dynamic { why }, "shopt", &call.span);
            }
        }
        Flow::both(state)
    }

    /// `exit`: ends the shell, unless its argument is an error.
    fn exit(&mut self, state: State, call: &ReadyCommand<'_>) -> Flow {
        let is_number = |argument: &Argument| {
            !argument.many
                && argument.value.as_known().is_none_or(|text| text.parse::<i64>().is_ok())
        };
        match &call.arguments[..] {
            [_, _, ..] => Flow::both(state),
            [code] if !is_number(code) => Flow::both(state),
            _ => {
                self.exits.push(state);
                Flow::default()
            }
        }
    }

    /// `break` and `continue`.
    fn break_or_continue(&mut self, state: State, call: &ReadyCommand<'_>) -> Flow {
        let levels = match call.arguments.first() {
            None => Some(1),
            Some(levels) => levels.value.as_known().and_then(|text| text.parse::<usize>().ok()),
        };
        let depth = self.loops.len();
        match levels {
            Some(levels) if levels >= 1 && depth > 0 => {
                let at = depth - levels.min(depth);
                let (breaks, continues) = &mut self.loops[at];
                let list = if call.name == "break" { breaks } else { continues };
                list.push(state);
                Flow::default()
            }
            _ => Flow::both(state),
        }
    }
}

/// Whether an option of `shopt`, or of `set -o`, makes other commands of the same words.
pub(in super::super) fn changes_commands(option: &str) -> bool {
    /// Options that change what later commands of the same words do.
    const CHANGING: &[&str] = &[
        "braceexpand", "execfail", "extdebug", "failglob", "keyword", "lastpipe",
        "localvar_inherit", "localvar_unset", "onecmd", "physical", "posix", "xpg_echo",
    ];
    CHANGING.contains(&option) || option.starts_with("compat")
}

/// The words of `test` that may name an element of an array.
fn tested(arguments: &[Argument]) -> Vec<Value> {
    let is_pattern = |value: &Value| matches!(value.origin(), Some(Origin::Glob(_)));
    let after_v = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| arguments.get(at));
        before.is_some_and(|word| word.value.as_known() == Some("-v"))
    };
    let words = arguments.iter().map(|argument| &argument.value).enumerate();
    let may_name = words.filter(|(at, value)| !is_pattern(value) || after_v(*at));
    may_name.map(|(_, value)| value.clone()).collect()
}

/// What a word may be, or its beginning. A pattern that fits no file stays as it is written.
pub(super) fn unmatched(value: &Value) -> Vec<String> {
    match value {
        Value::Prefix(_, Origin::Glob(pattern)) | Value::Unknown(Origin::Glob(pattern)) => {
            vec![pattern.replace('\\', "")]
        }
        Value::OneOf(texts) => texts.clone(),
        other => vec![other.prefix().to_owned()],
    }
}

/// Those whose arguments may be names of variables.
const NAMING: &[&str] = &[
    "[", "declare", "export", "getopts", "let", "local", "read", "readonly", "test", "typeset",
    "unset", "wait",
];

/// True for the name of a builtin of Bash.
pub(super) fn is_builtin(name: &str) -> bool {
    NAMES.contains(&name)
}

/// The builtins of Bash.
const NAMES: &[&str] = &[
    ":", ".", "[", "alias", "bg", "bind", "break", "builtin", "caller", "cd", "command", "compgen",
    "complete", "compopt", "continue", "declare", "dirs", "disown", "echo", "enable", "eval",
    "exec", "exit", "export", "false", "fc", "fg", "getopts", "hash", "help", "history", "jobs",
    "kill", "let", "local", "logout", "mapfile", "popd", "printf", "pushd", "pwd", "read",
    "readarray", "readonly", "return", "set", "shift", "shopt", "source", "suspend", "test",
    "times", "trap", "true", "type", "typeset", "ulimit", "umask", "unalias", "unset", "wait",
];
