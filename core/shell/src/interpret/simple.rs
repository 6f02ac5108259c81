//! Simple commands: assignments, then a function, a builtin or a program.

use std::sync::Arc;

use super::super::effect::Effect;
use super::super::env::Shell;
use super::super::invocation::{Argument, Stdin};
use super::super::ir::{Assigned, Assignment, Piece, Redirection, SimpleCommand, Span, Word};
use super::super::value::{Origin, Value};
use super::state::{Arguments, Content, Descriptor, Replacement, State};
use super::{Call, Flow, Interpreter, join};

/// The most times that a function is followed into itself.
const MOST_RECURSIONS: usize = 2;

/// What follows the name of an alias, as a variable.
const BEHIND_ALIAS: &str = "TOOLKEEP_BEHIND_ALIAS";

/// The most programs that are tried for a pattern.
const MOST_FITTING: usize = 16;

/// Programs of every machine that do harm, or run others, if they are named by a pattern.
const COMMON: &[&str] = &[
    "rm",
    "dd",
    "sh",
    "bash",
    "dash",
    "zsh",
    "mkfs",
    "mkfs.ext4",
    "shred",
    "nc",
    "ncat",
    "netcat",
    "curl",
    "wget",
    "sudo",
    "su",
    "env",
    "printenv",
    "chmod",
    "chown",
    "mount",
    "umount",
    "kill",
    "pkill",
    "killall",
    "shutdown",
    "reboot",
    "halt",
    "poweroff",
    "init",
    "systemctl",
    "crontab",
    "python",
    "python3",
    "perl",
    "ruby",
    "node",
    "php",
    "cat",
    "cp",
    "mv",
    "ln",
    "tee",
    "find",
    "xargs",
    "base64",
    "ssh",
    "scp",
    "rsync",
    "tar",
    "awk",
    "sed",
    "busybox",
    "nohup",
    "timeout",
    "socat",
    "telnet",
    "openssl",
    "nsenter",
    "unshare",
    "docker",
    "rmdir",
    "unlink",
    "truncate",
    "wipefs",
    "fdisk",
    "iptables",
    "useradd",
    "usermod",
    "passwd",
    "setcap",
    "nmap",
];

/// Builtins that are programs, too, and that models know.
const ALSO_PROGRAMS: &[&str] = &["echo", "printf", "test", "[", "kill", "pwd", "true", "false"];

/// A command, ready to run.
pub(super) struct Ready<'a> {
    pub(super) name: &'a str,
    pub(super) program: Argument,
    pub(super) arguments: Vec<Argument>,
    pub(super) environment: Vec<(String, Value)>,
    pub(super) span: Span,
}

impl Interpreter<'_> {
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
                self.refused(&state, &assignment.name, &assignment.span);
                self.assignment(&mut state, assignment);
            }
            let outer = state.descriptors.clone();
            self.redirect(&mut state, redirections);
            self.complains(&state, &errors);
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
                self.complains(&state, &errors);
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
            self.written_perhaps(sinks);
        }
        flow.fail = join(flow.fail, unopened);
        self.run_deferred(
            deferred,
            &Stdin::Pipe(self.out.invocations.len().checked_sub(1).into_iter().collect()),
        );
        if let Some((before, was_stopped)) = before {
            let is_stopped = std::mem::replace(&mut self.may_be_stopped, was_stopped);
            self.as_if_unset(before, simple, redirections, span, &words);
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

    /// What the command is if no variable of the environment that it names is set: `r${x}m`. This
    /// is looked at where it makes a difference to what the command is, or to its options.
    fn as_if_unset(
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
                let call =
                    Ready { name: &name, program, arguments, environment, span: span.clone() };
                self.named_call(state, call)
            }
            Value::OneOf(names) => {
                self.conditional += 1;
                let mut flow = Flow::default();
                for name in names {
                    let program = Argument { value: Value::Known(name.clone()), ..program.clone() };
                    let (arguments, environment) = (arguments.clone(), environment.clone());
                    let call =
                        Ready { name: &name, program, arguments, environment, span: span.clone() };
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
                if may_be_nothing && !arguments.is_empty() && self.spends(arguments.len(), span) {
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
        self.burn(COMMON.len() / 8);
        let folders = ["/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/"];
        let fits = |name: &&&str| {
            folders.iter().any(|folder| pattern.matches(&format!("{folder}{name}")) == Some(true))
        };
        self.conditional += 1;
        for name in COMMON.iter().filter(fits).take(MOST_FITTING) {
            if !self.spends(arguments.len(), span) {
                break;
            }
            let program = Argument { value: Value::known(*name), many: false, ..program.clone() };
            let (arguments, environment) = (arguments.to_vec(), environment.to_vec());
            let span = span.clone();
            let call = Ready { name, program, arguments, environment, span };
            self.named_call(state.clone(), call);
        }
        self.conditional -= 1;
    }

    fn named_call(&mut self, state: State, call: Ready<'_>) -> Flow {
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
    fn replaced_call(&mut self, state: &State, call: &Ready<'_>, replacement: Replacement) -> Flow {
        self.conditional += 1;
        let mut flow = Flow::default();
        match replacement.clone() {
            Replacement::Alias(Value::Known(text)) if self.depth < super::DEEPEST => {
                let mut inner = state.clone();
                // An alias is none within itself.
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

    /// A program: it is told, and what it runs itself, and what it writes, if that is known.
    pub(super) fn run_program(&mut self, state: &State, invocation: super::Invocation) {
        if !self.spends(invocation.arguments.len(), &invocation.span) {
            return;
        }
        let output = self.output(state, &invocation);
        self.may_be_shadowed(state, &invocation);
        let files_in_doubt = self.files_in_doubt;
        self.may_write(state, &invocation);
        let Some(number) = self.invoke(invocation.clone()) else { return };
        match output {
            Some(Value::Prefix(text, Origin::Output(_))) => {
                self.write(state, Value::Prefix(text, Origin::Output(vec![number])));
            }
            Some(output) => self.write(state, output),
            None => {
                if !super::unwrap::unwrap(self, state, number, &invocation, files_in_doubt) {
                    let output = Value::Unknown(Origin::Output(vec![number]));
                    match state.descriptor(2) {
                        errors if errors == state.descriptor(1) => {}
                        errors @ Descriptor::Output { .. } => self.doubt_written(&errors),
                        errors => self.write_to(&errors, output.clone(), false),
                    }
                    self.write(state, output);
                }
            }
        }
        self.may_have_read(state, &invocation);
    }

    fn function(&mut self, mut state: State, call: &Ready<'_>, body: &Arc<super::Command>) -> Flow {
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
