//! Simple commands: assignments and words become a call of a function, a builtin or a program.
//!
//! The order is that of a shell: words are expanded, redirections opened, assignments made for the
//! command; then an alias, a function, a builtin and a program of the name are tried in turn. Where
//! the name itself is not known, every possibility is followed, and an effect says that the command
//! is not known.

use std::sync::Arc;

use super::state::{Arguments, Content, Descriptor, Replacement, State};
use super::{Call, Flow, Interpreter, join};
use crate::effect::Effect;
use crate::env::Shell;
use crate::invocation::{Argument, Stdin};
use crate::ir::{Assigned, Assignment, Piece, Redirection, SimpleCommand, Span, Word};
use crate::value::{Origin, Value};

/// How often a function is followed into itself. The second time shows what a further one would do.
const MOST_RECURSIONS: usize = 2;

/// The name of a variable that holds the words behind an alias while its text is evaluated.
const BEHIND_ALIAS: &str = "TOOLKEEP_BEHIND_ALIAS";

/// The most programs that are tried for a command that is a pattern.
const MAX_GLOB_PROGRAMS: usize = 16;

/// Programs of every machine that do harm or run others, tried where a command is a pattern:
/// `/bin/r?`.
const NOTABLE_PROGRAMS: &[&str] = &[
    "rm", "dd", "sh", "bash", "dash", "zsh", "mkfs", "mkfs.ext4", "shred", "nc", "ncat", "netcat",
    "curl", "wget", "sudo", "su", "env", "printenv", "chmod", "chown", "mount", "umount", "kill",
    "pkill", "killall", "shutdown", "reboot", "halt", "poweroff", "init", "systemctl", "crontab",
    "python", "python3", "perl", "ruby", "node", "php", "cat", "cp", "mv", "ln", "tee", "find",
    "xargs", "base64", "ssh", "scp", "rsync", "tar", "awk", "sed", "busybox", "nohup", "timeout",
    "socat", "telnet", "openssl", "nsenter", "unshare", "docker", "rmdir", "unlink", "truncate",
    "wipefs", "fdisk", "iptables", "useradd", "usermod", "passwd", "setcap", "nmap",
];

/// Builtins that are programs, too, and that models know.
const ALSO_PROGRAMS: &[&str] = &["echo", "printf", "test", "[", "kill", "pwd", "true", "false"];

/// A command whose words are expanded and whose name is known.
pub(super) struct ReadyCommand<'a> {
    /// Its name as it is called.
    pub(super) name: &'a str,
    /// The word that is its name.
    pub(super) program: Argument,
    /// The words behind it.
    pub(super) arguments: Vec<Argument>,
    /// The variables that are set for it alone.
    pub(super) environment: Vec<(String, Value)>,
    /// Its place in the text.
    pub(super) span: Span,
}

impl Interpreter<'_> {
    /// Runs a simple command.
    #[expect(clippy::too_many_lines, reason = "the steps of a command, in the order of a shell")]
    pub(super) fn simple(
        &mut self,
        mut state: State,
        simple: &SimpleCommand,
        redirections: &[Redirection],
        span: &Span,
    ) -> Flow {
        let deferred = self.deferred.len();
        let plain = |piece: &Piece| matches!(piece, Piece::Literal { .. });
        let is_plain = simple.words.iter().all(|word| word.pieces.iter().all(plain));
        let before =
            (!self.assume_unset && !is_plain).then(|| (state.clone(), self.may_be_stopped));
        let words = self.arguments(&mut state, &simple.words);
        let unopened =
            super::failing::may_fail_to_open(&state, redirections).then(|| state.clone());
        let sinks = unopened.is_some().then(|| self.sinks.clone());
        let errors = state.descriptor(2);
        let mut flow = if words.is_empty() {
            for assignment in &simple.assignments {
                self.check_read_only(&state, &assignment.name, &assignment.span);
                self.assignment(&mut state, assignment);
            }
            let outer = state.descriptors.clone();
            self.redirect(&mut state, redirections);
            self.may_complain(&state, &errors);
            state.descriptors = outer;
            let substitutes = simple.assignments.iter().any(may_substitute);
            if substitutes || !redirections.is_empty() {
                Flow::both(state)
            } else {
                Flow::ok(state)
            }
        } else {
            let outer = state.descriptors.clone();
            self.elements_opened(&mut state, &words, redirections);
            self.redirect(&mut state, redirections);
            if !self.is_silent(&state, &words, redirections) {
                self.may_complain(&state, &errors);
            }
            let environment = self.environment(&mut state, &simple.assignments);
            self.declared_arrays(&mut state, &words, &simple.arrays);
            let keeps = words[0].value.as_known() == Some("exec") && words.len() == 1;
            let mut flow = match self.split_declaration(&state, simple, &words) {
                Some(split) => {
                    self.conditional += 1;
                    let flow = self.call(state.clone(), split, environment.clone(), span);
                    self.conditional -= 1;
                    flow.or(self.call(state, words.clone(), environment, span))
                }
                None => self.call(state, words.clone(), environment, span),
            };
            for state in [&mut flow.ok, &mut flow.fail].into_iter().flatten() {
                // What the command itself read on is read on.
                if !keeps && !redirections.is_empty() {
                    state.descriptors = outer.clone();
                }
            }
            flow
        };
        if let Some(sinks) = sinks {
            self.maybe_unwritten(sinks);
        }
        flow.fail = join(flow.fail, unopened);
        self.run_deferred(
            deferred,
            &Stdin::Pipe(self.out.invocations.len().checked_sub(1).into_iter().collect()),
        );
        if let Some((before, was_stopped)) = before {
            let is_stopped = std::mem::replace(&mut self.may_be_stopped, was_stopped);
            self.retry_with_unset_variables(before, simple, redirections, span, &words);
            self.may_be_stopped |= is_stopped;
        }
        flow
    }

    /// The words of a declaration if its operands are split, as some shells do and Bash where its name
    /// is quoted. None where that makes no other words.
    fn split_declaration(
        &mut self,
        state: &State,
        simple: &SimpleCommand,
        words: &[Argument],
    ) -> Option<Vec<Argument>> {
        if !super::expand::declares(&simple.words) {
            return None;
        }
        let is_bare =
            matches!(simple.words[0].pieces.first(), Some(Piece::Literal { quoted: false, .. }));
        if is_bare && self.env.shell == Shell::Bash {
            return None;
        }
        let (mut state, mut split) = (state.clone(), Vec::new());
        for word in &simple.words {
            self.argument(&mut state, word, &mut split);
        }
        (split.len() != words.len()).then_some(split)
    }

    /// Runs the command once more as if no variable of the environment that it names were set:
    /// `r${x}m`. This happens where it changes what the command is, or its options.
    fn retry_with_unset_variables(
        &mut self,
        mut state: State,
        simple: &SimpleCommand,
        redirections: &[Redirection],
        span: &Span,
        words: &[Argument],
    ) {
        let of_environment = |argument: &Argument| {
            matches!(
                argument.value.origin(),
                Some(Origin::Environment(_) | Origin::EnvironmentOr(..) | Origin::Other)
            )
        };
        if !words.iter().any(of_environment) {
            return;
        }
        self.assume_unset = true;
        let unset = self.arguments(&mut state.clone(), &simple.words);
        let program_differs = words.first().is_some_and(of_environment);
        let is_option = |argument: &Argument| {
            argument.value.as_known().is_some_and(|text| text.starts_with('-'))
        };
        let options = |words: &[Argument]| words.iter().filter(|word| is_option(word)).count();
        if !unset.is_empty() && (program_differs || options(&unset) > options(words)) {
            self.conditional += 1;
            self.redirect(&mut state, redirections);
            let environment = self.environment(&mut state, &simple.assignments);
            self.call(state, unset, environment, span);
            self.conditional -= 1;
        }
        self.assume_unset = false;
    }

    /// Runs some words as a command.
    pub(in super::super) fn call(
        &mut self,
        state: State,
        words: Vec<Argument>,
        environment: Vec<(String, Value)>,
        span: &Span,
    ) -> Flow {
        let mut words = words.into_iter();
        let Some(program) = words.next() else { return Flow::ok(state) };
        let arguments: Vec<Argument> = words.collect();
        let value = program.value.clone();
        match value {
            Value::Known(name) if !program.many => {
                let call = ReadyCommand {
                    name: &name,
                    program,
                    arguments,
                    environment,
                    span: span.clone(),
                };
                self.named_call(state, call)
            }
            Value::OneOf(names) => {
                self.conditional += 1;
                let mut flow = Flow::default();
                for name in names {
                    let program = Argument { value: Value::Known(name.clone()), ..program.clone() };
                    let (arguments, environment) = (arguments.clone(), environment.clone());
                    let call = ReadyCommand {
                        name: &name,
                        program,
                        arguments,
                        environment,
                        span: span.clone(),
                    };
                    flow = flow.or(self.named_call(state.clone(), call));
                }
                self.conditional -= 1;
                flow
            }
            _ => {
                let may_be_nothing = program.many;
                let why = "the command itself is not known".to_owned();
                let shown = program.value.prefix().to_owned();
                self.found(Effect::Dynamic { why }, &shown, &program.span.clone());
                self.globbed(&state, &program, &arguments, &environment, span);
                let invocation =
                    self.invocation(&state, program, arguments.clone(), environment.clone(), false);
                self.run_program(&state, invocation);
                if may_be_nothing && !arguments.is_empty() && self.may_spend(arguments.len(), span)
                {
                    self.conditional += 1;
                    self.nesting += 1;
                    self.call(state.clone(), arguments, environment, span);
                    self.nesting -= 1;
                    self.conditional -= 1;
                }
                Flow::both(state)
            }
        }
    }

    /// A command that is a pattern: `/bin/r?`. Of the programs that everybody has, those that fit.
    fn globbed(
        &mut self,
        state: &State,
        program: &Argument,
        arguments: &[Argument],
        environment: &[(String, Value)],
        span: &Span,
    ) {
        let Some(Origin::Glob(written)) = program.value.origin() else { return };
        // Of the folder that one is in: it may be any, and nothing says which.
        if written.chars().all(|char| "*?".contains(char)) {
            return;
        }
        let mut pattern = super::pattern::Pattern::default();
        if !pattern.glob(written) {
            return;
        }
        self.spend_fuel(NOTABLE_PROGRAMS.len() / 8);
        let folders = ["/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/"];
        let fits = |name: &&&str| {
            folders.iter().any(|folder| pattern.matches(&format!("{folder}{name}")) == Some(true))
        };
        self.conditional += 1;
        for name in NOTABLE_PROGRAMS.iter().filter(fits).take(MAX_GLOB_PROGRAMS) {
            if !self.may_spend(arguments.len(), span) {
                break;
            }
            let program = Argument { value: Value::known(*name), many: false, ..program.clone() };
            let (arguments, environment) = (arguments.to_vec(), environment.to_vec());
            let span = span.clone();
            let call = ReadyCommand { name, program, arguments, environment, span };
            self.named_call(state.clone(), call);
        }
        self.conditional -= 1;
    }

    /// Runs a command of a known name: an alias, a function, a builtin or a program.
    fn named_call(&mut self, state: State, call: ReadyCommand<'_>) -> Flow {
        let name = call.name.to_owned();
        let mut flow = Flow::default();
        if let Some(replacement) = state.replaced.get(&name).cloned() {
            flow = self.replaced_call(&state, &call, replacement);
        }
        if let Some(bodies) = state.functions.get(&name).cloned() {
            for body in bodies.all {
                flow = flow.or(self.function(state.clone(), &call, &body));
            }
            // In a POSIX shell some builtins come before functions.
            if !bodies.or_none && !SPECIAL.contains(&name.as_str()) {
                return flow;
            }
        }
        let next = match self.builtin(state, call) {
            Ok(flow) => flow,
            Err(other) => {
                let (state, call) = *other;
                let invocation =
                    self.invocation(&state, call.program, call.arguments, call.environment, false);
                let surely = match name.as_str() {
                    "true" => true,
                    "echo" | "pwd" => !state.descriptor(1).may_be_closed(),
                    "printf" => {
                        !state.descriptor(1).may_be_closed()
                            && super::print::never_fails(&invocation.arguments)
                    }
                    _ => false,
                };
                self.run_program(&state, invocation);
                match name.as_str() {
                    "false" => Flow::fail(state),
                    _ if surely => Flow::ok(state),
                    _ => Flow::both(state),
                }
            }
        };
        flow.or(next)
    }

    /// An alias, or a path that was given to `hash -p`. The shell may not look at aliases.
    fn replaced_call(
        &mut self,
        state: &State,
        call: &ReadyCommand<'_>,
        replacement: Replacement,
    ) -> Flow {
        self.conditional += 1;
        let mut flow = Flow::default();
        match replacement.clone() {
            Replacement::Alias(Value::Known(text)) if self.depth < super::DEEPEST => {
                let mut inner = state.clone();
                // An alias is not expanded within itself.
                Arc::make_mut(&mut inner.replaced).remove(call.name);
                let mut line = text;
                let is_alias = |word: &Argument| {
                    word.value.as_known().is_none_or(|word| state.replaced.contains_key(word))
                };
                if line.ends_with([' ', '\t']) && call.arguments.first().is_some_and(is_alias) {
                    let why =
                        "the word behind an alias that ends in a blank is one, too".to_owned();
                    self.found(Effect::Dynamic { why }, call.name, &call.span);
                }
                // `$@` in an alias is that of the shell: what follows the name has one of its own.
                if !call.arguments.is_empty() {
                    inner.set(
                        BEHIND_ALIAS,
                        Content::Array(match Arguments::of(&call.arguments) {
                            Arguments::Known(values) => Some(values),
                            Arguments::Unknown => None,
                        }),
                    );
                    line = format!("{line} \"${{{BEHIND_ALIAS}[@]}}\"");
                }
                flow = self.text(inner, &line, &call.span);
                for after in [&mut flow.ok, &mut flow.fail].into_iter().flatten() {
                    let aliases = Arc::make_mut(&mut after.replaced);
                    aliases.insert(call.name.to_owned(), replacement.clone());
                    after.restore(BEHIND_ALIAS, None);
                }
            }
            Replacement::Path(path) if path.as_known().is_some() => {
                let program = Argument { value: path, ..call.program.clone() };
                let invocation = self.invocation(
                    state,
                    program,
                    call.arguments.clone(),
                    call.environment.clone(),
                    false,
                );
                self.run_program(state, invocation);
            }
            _ => {
                let why = "an alias or a path for this name is not known".to_owned();
                self.found(Effect::Dynamic { why }, call.name, &call.span);
            }
        }
        self.conditional -= 1;
        flow
    }

    /// Runs a program: records its invocation, evaluates what a wrapper runs, and writes what is
    /// known of its output.
    pub(super) fn run_program(&mut self, state: &State, invocation: super::Invocation) {
        if !self.may_spend(invocation.arguments.len(), &invocation.span) {
            return;
        }
        let output = self.output(state, &invocation);
        self.check_shadowing(state, &invocation);
        let files_in_doubt = self.files_in_doubt;
        self.may_write(state, &invocation);
        let Some(number) = self.invoke(invocation.clone()) else { return };
        match output {
            Some(Value::Prefix(text, Origin::Output(_))) => {
                self.write(state, Value::Prefix(text, Origin::Output(vec![number])));
            }
            Some(output) => self.write(state, output),
            None => {
                if !super::wrappers::evaluate_wrapper(
                    self, state, number, &invocation, files_in_doubt,
                ) {
                    let output = Value::Unknown(Origin::Output(vec![number]));
                    match state.descriptor(2) {
                        errors if errors == state.descriptor(1) => {}
                        errors @ Descriptor::Output { .. } => self.doubt_output(&errors),
                        errors => self.write_to(&errors, output.clone(), false),
                    }
                    self.write(state, output);
                }
            }
        }
        self.may_have_read(state, &invocation);
    }

    /// Runs the body of a function with its own arguments and local variables.
    fn function(
        &mut self,
        mut state: State,
        call: &ReadyCommand<'_>,
        body: &Arc<super::Command>,
    ) -> Flow {
        let around = self.calls.iter().filter(|running| running.name == call.name).count();
        if around > 0 {
            let subshells = self.subshells;
            if let Some(running) = self.calls.iter_mut().find(|running| running.name == call.name) {
                running.copies += usize::from(subshells > running.subshells);
                if running.copies >= 2 || running.copies == 1 && self.conditional == 0 {
                    self.found(Effect::Bomb, call.name, &call.span);
                }
            }
        }
        // A function of the same name may be another by now.
        let is_it =
            |running: &&Call| running.body.as_ref().is_some_and(|other| Arc::ptr_eq(other, body));
        let into_itself = self.calls.iter().filter(is_it).count();
        if into_itself >= MOST_RECURSIONS || self.calls.len() >= super::DEEPEST {
            self.unknown("functions within functions, too deep to follow", call.span.clone());
            return Flow::both(state);
        }
        let before = state.clone();
        state.arguments = Arguments::of(&call.arguments);
        for (name, value) in &call.environment {
            state.set_text(name, value.clone());
            state.export(name, true);
        }
        self.calls.push(Call {
            name: call.name.to_owned(),
            body: Some(body.clone()),
            returns: Vec::new(),
            locals: Vec::new(),
            copies: 0,
            subshells: self.subshells,
        });
        let loops = std::mem::take(&mut self.loops);
        let outer = self.abandoned.take();
        let flow = self.command(state, body);
        self.loops = loops;
        let ended = self.calls.pop();
        let (returns, locals) =
            ended.map(|ended| (ended.returns, ended.locals)).unwrap_or_default();
        let mut flow = returns.into_iter().fold(flow, |flow, state| flow.or(Flow::both(state)));
        let ends = [&mut flow.ok, &mut flow.fail, &mut self.abandoned];
        for state in ends.into_iter().flatten() {
            state.arguments = before.arguments.clone();
            locals.iter().for_each(|(name, held)| state.restore(name, held.clone()));
            for (name, value) in &call.environment {
                state.undo(name, value, before.held(name).cloned(), false);
            }
        }
        self.abandoned = join(outer, self.abandoned.take());
        flow
    }

    /// `return`: false if neither a function nor a sourced text runs, where it does nothing.
    pub(super) fn returns(&mut self, state: &State) -> bool {
        match self.calls.last_mut() {
            Some(call) => {
                call.returns.push(state.clone());
                true
            }
            None => false,
        }
    }
}

/// Builtins that a POSIX shell looks for before functions.
pub(super) const SPECIAL: &[&str] = &[
    "break", ":", ".", "continue", "eval", "exec", "exit", "export", "readonly", "return", "set",
    "shift", "times", "trap", "unset",
];

/// True for a builtin that is a program as well, and that has a model.
pub(super) fn is_also_program(name: &str) -> bool {
    ALSO_PROGRAMS.contains(&name)
}

/// True for an assignment that may run a command, whose status becomes its own.
fn may_substitute(assignment: &Assignment) -> bool {
    let is_more =
        |word: &Word| word.pieces.iter().any(|piece| !matches!(piece, Piece::Literal { .. }));
    let in_value = match &assignment.value {
        Assigned::Word(word) => is_more(word),
        Assigned::Array(words) => words.iter().any(is_more),
    };
    in_value || assignment.index.as_ref().is_some_and(is_more)
}
