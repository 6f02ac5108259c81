//! The abstract evaluation: walks a script as a shell would, and keeps what is certain. Nothing is
//! run.
//!
//! This module is one circle on purpose. A shell runs programs; a wrapper command (`sudo`, `xargs`,
//! `sh -c`) is a program that runs another, or a shell; and the code in that shell may call
//! wrappers again. So the evaluation of scripts and the evaluation of wrappers call each other, and
//! stand together in this one module. Everything below it (models, grammars, code of other
//! languages) knows nothing of it.
//!
//! The invariant: whatever a real shell may do with the text is among the invocations and effects,
//! or a [`Problem`] says that something is missing. Precision may be lost, a command never.
//!
//! How it works:
//!
//! - A `State` (`state`) is what is known of a shell between two commands: variables, functions,
//!   aliases, the working folder, descriptors.
//! - A command leaves a `Flow` (`flow`): the state behind it if it succeeded, and the state if it
//!   failed. Where two ways meet, states are joined, and a value becomes one of several or unknown.
//! - Loops run as often as they certainly do, up to a limit. Then they run once more with all that
//!   they change unknown.
//! - Words expand to values (`expand`, `parameter`, `arithmetic`), simple commands to calls
//!   (`simple`), and a call is a function, a builtin (`builtins`, `declare`, `read`, `source`,
//!   `tables`) or a program.
//! - A program becomes an [`Invocation`]. If it is a wrapper, `wrappers` looks for what it runs. If
//!   it is pure and its input is known, `output` computes what it writes.
//! - What is written into pipes, words and files is kept (`sinks`, `files`, `input`), so that `echo
//!   … | sh` is read.
//! - `fuel` counts the work. Limits are counts and never times, so that a verdict is the same on
//!   every machine.
//!
//! # Example
//!
//! ```text
//! d=/srv; for f in a b; do echo "rm -rf $d/$f"; done | sh
//! ```
//!
//! 1. `d=/srv` leaves a state in which `d` is known.
//! 2. The words of the loop are known, so it runs twice, once with each value. `echo` is pure: what
//!    it writes goes into the sink of the pipe, which then holds `rm -rf /srv/a⏎rm -rf /srv/b⏎`.
//! 3. `sh` becomes an invocation with that text on standard input. It is a wrapper, so its text is
//!    parsed and evaluated as a script of its own.
//! 4. The result has the invocations `echo` (twice), `sh`, and `rm` (twice) with `sh` as their
//!    wrapper. The models then say that `rm` deletes two trees.

mod arithmetic;
mod assign;
mod builtins;
mod compound;
mod declare;
mod expand;
mod failing;
mod files;
mod flow;
mod fuel;
mod input;
mod messages;
mod output;
mod parameter;
mod pattern;
mod print;
mod read;
mod record;
mod redirections;
mod several;
mod simple;
mod sinks;
mod source;
pub(super) mod state;
mod tables;
mod wrappers;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use crate::effect::{Effect, Found};
use crate::env::Env;
use crate::invocation::{Argument, Invocation, Locus, Stdin, Stdout};
use crate::ir::{Command, CommandKind, Item, Joint, Pipeline, Script, Span};
use crate::parse::{self, Problem};
use crate::value::{Origin, Value};
pub(super) use builtins::changes_commands;
use files::Written;
use flow::{Flow, join};
use input::OpenedTexts;
use sinks::Sink;
use state::{Arguments, Call, Descriptor, State};

/// The most invocations of one text. A person who approves the command has to read them.
pub const MOST_INVOCATIONS: usize = 256;

/// The most bytes of all texts within the text together, such as the scripts of `sh -c`. It is
/// twice the longest text, so that a script which is printed once and run once fits.
const LONGEST_TEXTS: usize = 2 * crate::precheck::LONGEST;

/// The most commands that are evaluated, those in loops and functions counted each time. Ordinary
/// text has fewer than two hundred.
const FUEL: usize = 2_000;

/// The most functions, `eval` and `source` within each other.
const DEEPEST: usize = 12;

/// The most commands in each other, those of functions and inner texts included. A level takes some
/// 20 KiB of stack in an unoptimised build.
const DEEPEST_COMMAND: usize = 40;

/// The most traps that set further traps. Nobody needs two.
const MOST_TRAPS: usize = 4;

/// What a text does, as far as the evaluation of the shell knows.
#[derive(Clone, Debug, Default)]
pub struct Interpretation {
    /// The programs that it runs.
    pub invocations: Vec<Invocation>,
    /// What the shell itself does, and what is not known.
    pub found: Vec<Found>,
    /// What was not understood, or is beyond a limit. With one the text is never understood.
    pub problems: Vec<Problem>,
    /// What is known of files that the text writes, by their absolute path: their text.
    pub files: BTreeMap<String, Value>,
}

/// The context of a text that is evaluated: which wrappers run it, and on which machine.
#[derive(Clone, Debug)]
pub(super) struct Context {
    /// The wrappers around it, the outermost first.
    pub(super) wrappers: Vec<String>,
    /// On which machine it runs.
    pub(super) locus: Locus,
    /// The place of all that is in it; none for the whole text.
    pub(super) place: Option<Span>,
    /// The number of the invocation that runs it.
    pub(super) outer: Option<usize>,
}

/// The evaluation of one text and the texts within it.
pub(super) struct Interpreter<'e> {
    /// The snapshot of the machine.
    pub(super) env: &'e Env,
    /// The result so far.
    pub(super) out: Interpretation,
    /// What stands around the text that is evaluated now.
    pub(super) around: Context,
    /// The shell at the beginning of the text. What differs from it was set by the script.
    start: State,
    /// The work that may still be done.
    fuel: usize,
    /// The number of texts around: `eval` in `eval`.
    depth: usize,
    /// How many branches and loops are around; none: it surely runs.
    conditional: usize,
    /// How many loops are around whose condition holds for sure.
    endless: usize,
    /// How many shells within the first one are around: subshells, substitutions, parts of pipelines.
    shells: usize,
    /// True once the inner shell that runs may have ended.
    may_have_ended: bool,
    /// True once the text may have stopped a shell of its own: `kill`, `ulimit`.
    may_be_stopped: bool,
    /// How many pipelines and background commands are around.
    subshells: usize,
    /// What is written into pipes and words.
    sinks: Vec<Sink>,
    /// What the text wrote to files, by their absolute paths.
    files: BTreeMap<String, Written>,
    /// True once something ran that may have changed files, or keeps them from being written.
    pub(super) files_in_doubt: bool,
    /// The texts that were opened to be read.
    openings: OpenedTexts,
    /// Texts that would run commands if they were evaluated.
    expressions: Vec<String>,
    /// The names that were declared as those of arrays.
    arrays: BTreeSet<String>,
    /// The scripts of `>(…)`, which run once the command that they belong to is known.
    deferred: Vec<(State, Script)>,
    /// For each loop around, the states at its `break` and `continue`.
    loops: Vec<(Vec<State>, Vec<State>)>,
    /// The functions and sourced files that are running, the innermost last.
    calls: Vec<Call>,
    /// True while variables of the environment are taken for unset.
    assume_unset: bool,
    /// True while `${name:-text}` is taken for the text.
    assume_defaults: bool,
    /// True once a text stood in for a variable of the environment, which may be set.
    saw_default: bool,
    /// True once a limit was reported. One report is enough.
    limit_reported: bool,
    /// What runs when the shell ends, and the span of the `trap` that says so.
    traps: Vec<(Value, Span)>,
    /// What is known where the shell ends before its last command.
    exits: Vec<State>,
    /// What is known wherever a trap may run while others do.
    midway: Option<State>,
    /// What is known where an expansion failed, from which the shell goes on with its next line.
    abandoned: Option<State>,
    /// How many commands are around.
    nesting: usize,
    /// How many bytes of inner texts may still be parsed.
    texts: usize,
    /// The numbers of the invocations at a place.
    places: BTreeMap<(usize, usize), Vec<usize>>,
    /// The numbers of all that ran, in turn, some of them several times.
    ran: Vec<usize>,
}

impl<'e> Interpreter<'e> {
    /// An evaluation that starts in a fresh shell.
    pub(super) fn new(env: &'e Env) -> Interpreter<'e> {
        Interpreter {
            env,
            out: Interpretation::default(),
            around: Context { wrappers: Vec::new(), locus: Locus::Here, place: None, outer: None },
            start: State::new(env),
            fuel: FUEL,
            depth: 0,
            conditional: 0,
            endless: 0,
            shells: 0,
            may_have_ended: false,
            may_be_stopped: false,
            subshells: 0,
            sinks: Vec::new(),
            files: BTreeMap::new(),
            files_in_doubt: false,
            openings: OpenedTexts::default(),
            expressions: Vec::new(),
            arrays: BTreeSet::new(),
            deferred: Vec::new(),
            loops: Vec::new(),
            calls: Vec::new(),
            assume_unset: false,
            assume_defaults: false,
            saw_default: false,
            limit_reported: false,
            traps: Vec::new(),
            exits: Vec::new(),
            midway: None,
            abandoned: None,
            nesting: 0,
            texts: LONGEST_TEXTS,
            places: BTreeMap::new(),
            ran: Vec::new(),
        }
    }

    /// The result.
    pub(super) fn finish(mut self) -> Interpretation {
        self.out.files =
            self.files.into_iter().map(|(path, written)| (path, written.text)).collect();
        self.out
    }

    /// Evaluates the whole text. If a default stood in for a variable of the environment
    /// (`${x:-text}`), it does so twice, the second time with the defaults.
    pub(super) fn whole(&mut self, script: &Script) {
        let state = self.start.clone();
        let flow = self.lines(state.clone(), script);
        self.end(flow);
        if self.saw_default {
            self.assume_defaults = true;
            // The second run gets invocations of its own, because it reads and writes by other numbers.
            self.places.clear();
            self.may_be_stopped = false;
            self.conditional += 1;
            let flow = self.lines(state, script);
            self.end(flow);
            self.conditional -= 1;
        }
    }

    /// Runs what a shell runs when it ends, with what it knows then.
    fn end(&mut self, flow: Flow) {
        let exits = std::mem::take(&mut self.exits);
        let last = exits.into_iter().fold(flow.end(), |last, exit| join(last, Some(exit)));
        let midway = self.midway.take().filter(|midway| Some(midway) != last.as_ref());
        let states: Vec<State> = last.into_iter().chain(midway).collect();
        self.conditional += 1;
        for _ in 0..MOST_TRAPS {
            // What a trap traps runs as well.
            for (text, span) in std::mem::take(&mut self.traps) {
                for state in &states {
                    self.script_value(state, &text, "trap", &span);
                }
            }
        }
        self.conditional -= 1;
        if let Some((_, span)) = self.traps.pop() {
            self.unknown("traps in traps, too deep to follow", span);
        }
    }

    /// Runs a text as a shell of its own: what `sh -c` does. Its descriptors are those of `state`.
    pub(super) fn shell(&mut self, state: &State, text: &str, arguments: &[Argument], span: &Span) {
        let mut inner = state.of_program(&self.start, self.env);
        if let Some((zero, rest)) = arguments.split_first() {
            inner.set_text("0", zero.value.clone());
            inner.arguments = Arguments::of(rest);
        }
        let start = std::mem::replace(&mut self.start, State::new(self.env));
        let calls = std::mem::take(&mut self.calls);
        self.subshell(inner, |this, inner| this.parsed(inner, text, span, Self::lines));
        self.start = start;
        self.calls = calls;
    }

    /// Runs something within a wrapper.
    pub(super) fn within(
        &mut self,
        around: Context,
        conditional: bool,
        run: impl FnOnce(&mut Self),
    ) {
        let before = std::mem::replace(&mut self.around, around);
        self.conditional += usize::from(conditional);
        run(self);
        self.conditional -= usize::from(conditional);
        self.around = before;
    }

    /// Parses and runs a text in this shell: `eval`.
    pub(super) fn text(&mut self, state: State, text: &str, place: &Span) -> Flow {
        self.parsed(state, text, place, Self::script)
    }

    /// Parses a text, and runs it as a part of a line or as lines of its own.
    fn parsed(
        &mut self,
        state: State,
        text: &str,
        place: &Span,
        run: impl FnOnce(&mut Self, State, &Script) -> Flow,
    ) -> Flow {
        if self.depth >= DEEPEST || self.texts < text.len() {
            self.unknown("texts within texts, more than are followed", place.clone());
            return Flow::both(state);
        }
        self.texts -= text.len();
        let fatal =
            crate::precheck::check(text).into_iter().find(crate::precheck::Finding::is_fatal);
        if let Some(finding) = fatal {
            self.unknown(&finding.why(), place.clone());
            return Flow::both(state);
        }
        let parsed = parse::parse_within(text, place);
        self.out.problems.extend(parsed.problems);
        let before = self.around.place.replace(place.clone());
        self.depth += 1;
        let flow = run(self, state, &parsed.script);
        self.depth -= 1;
        self.around.place = before;
        flow
    }

    /// Runs what stands within a line of a script.
    fn script(&mut self, state: State, script: &Script) -> Flow {
        self.lists(state, script, false)
    }

    /// Runs the lines of a shell. Where one is abandoned, the next one runs.
    fn lines(&mut self, state: State, script: &Script) -> Flow {
        self.lists(state, script, true)
    }

    /// Runs the items of a script one list after the other. `lines` says whether each line stands
    /// alone, so that a failed expansion abandons only its line.
    fn lists(&mut self, state: State, script: &Script, lines: bool) -> Flow {
        let mut flow = Flow::ok(state);
        let mut at = 0;
        while at < script.items.len() {
            let end = at
                + 1
                + script.items[at + 1..]
                    .iter()
                    .take_while(|item| item.joint != Joint::Always)
                    .count();
            if lines && script.items[at].begins_line {
                flow.fail = join(flow.fail, self.abandoned.take());
            }
            flow = match flow.end() {
                Some(state) => self.list(state, &script.items[at..end]),
                None => Flow::default(),
            };
            if flow.fail.as_ref().is_some_and(|state| state.ends_on_failure) {
                self.mark_maybe_ended();
            }
            at = end;
        }
        if lines {
            flow.fail = join(flow.fail, self.abandoned.take());
        }
        flow
    }

    /// Pipelines that are joined by `&&` and `||`.
    fn list(&mut self, state: State, items: &[Item]) -> Flow {
        if let Some(first) = items.first()
            && first.background
        {
            let inner: Vec<Item> =
                items.iter().map(|item| Item { background: false, ..item.clone() }).collect();
            if self.endless > 0 {
                let why = "it starts processes without end".to_owned();
                self.found(Effect::Dynamic { why }, "&", &first.pipeline.span);
            }
            self.apart(state.clone(), |this, inner_state| this.list(inner_state, &inner));
            return Flow::ok(state);
        }
        let mut flow = Flow::ok(state);
        for item in items {
            flow = match item.joint {
                Joint::Always => match flow.end() {
                    Some(state) => self.pipeline(state, &item.pipeline),
                    None => return Flow::default(),
                },
                Joint::And => {
                    let surely = flow.fail.is_none();
                    let next = match flow.ok {
                        Some(state) => {
                            self.branch(!surely, |this| this.pipeline(state, &item.pipeline))
                        }
                        None => Flow::default(),
                    };
                    Flow { ok: next.ok, fail: join(next.fail, flow.fail) }
                }
                Joint::Or => {
                    let surely = flow.ok.is_none();
                    let next = match flow.fail {
                        Some(state) => {
                            self.branch(!surely, |this| this.pipeline(state, &item.pipeline))
                        }
                        None => Flow::default(),
                    };
                    Flow { ok: join(next.ok, flow.ok), fail: next.fail }
                }
            };
        }
        flow
    }

    /// Runs a pipeline, negated or not.
    fn pipeline(&mut self, state: State, pipeline: &Pipeline) -> Flow {
        let flow = match &pipeline.commands[..] {
            [command] => self.command(state, command),
            commands => self.stages(state, commands, &pipeline.with_stderr),
        };
        if pipeline.negated { Flow { ok: flow.fail, fail: flow.ok } } else { flow }
    }

    /// Runs the stages of a pipeline, each in a subshell, with the output of one as the input of
    /// the next.
    fn stages(&mut self, state: State, commands: &[Command], with_stderr: &[bool]) -> Flow {
        let mut stdin = None;
        for (at, command) in commands.iter().enumerate() {
            let with_errors =
                (with_stderr.get(at) == Some(&true)).then(|| redirections::with_errors(command));
            let command = with_errors.as_ref().unwrap_or(command);
            let mut inner = state.clone();
            if let Some(stdin) = stdin.take() {
                inner.redirect(0, stdin);
            }
            let run = |this: &mut Self, inner: State| {
                this.apart(inner, |this, inner| this.command(inner, command));
            };
            if at + 1 == commands.len() {
                run(self, inner);
            } else {
                let first = self.out.invocations.len();
                let output = self.collect(&mut inner, false, run);
                let writers = (first..self.out.invocations.len())
                    .filter(|number| self.out.invocations[*number].stdout == Stdout::Pipe)
                    .collect();
                stdin =
                    Some(self.piped(&output).unwrap_or(Descriptor::Input(Stdin::Pipe(writers))));
            }
        }
        Flow::both(state)
    }

    /// Runs something in a shell of its own, of which nothing comes back.
    fn subshell(&mut self, state: State, run: impl FnOnce(&mut Self, State) -> Flow) -> Flow {
        let loops = std::mem::take(&mut self.loops);
        let (traps, exits) = (std::mem::take(&mut self.traps), std::mem::take(&mut self.exits));
        let (abandoned, midway) = (self.abandoned.take(), self.midway.take());
        let ended = std::mem::replace(&mut self.may_have_ended, false);
        self.shells += 1;
        let mut flow = run(self, state);
        self.shells -= 1;
        self.files_in_doubt |= self.may_have_ended;
        self.may_have_ended = ended;
        flow.fail = join(flow.fail, self.abandoned.take());
        self.end(flow.clone());
        (self.abandoned, self.midway) = (abandoned, midway);
        (self.traps, self.exits) = (traps, exits);
        self.loops = loops;
        flow
    }

    /// Runs something in a shell beside this one: in a pipeline, in the background.
    fn apart(&mut self, state: State, run: impl FnOnce(&mut Self, State) -> Flow) -> Flow {
        self.subshells += 1;
        let flow = self.subshell(state, run);
        self.subshells -= 1;
        flow
    }

    /// Runs one command with its redirections, and closes afterwards what they opened.
    fn command(&mut self, state: State, command: &Command) -> Flow {
        let words = match &command.kind {
            CommandKind::Simple(simple) => simple.words.len() + simple.assignments.len(),
            _ => 0,
        };
        if !self.may_spend(words, &command.span) {
            return Flow::both(state);
        }
        self.spend_fuel(state.variables.len() / fuel::VARIABLES_PER_FUEL);
        self.may_end(&state);
        self.nesting += 1;
        let outer = state.descriptors.clone();
        let opens = !command.redirections.is_empty();
        let flow = self.with_undo(
            |this| this.redirected(state, command),
            |state| {
                if opens {
                    state.descriptors = outer;
                }
            },
        );
        self.nesting -= 1;
        flow
    }

    /// A command with its redirections.
    fn redirected(&mut self, mut state: State, command: &Command) -> Flow {
        if let CommandKind::Simple(simple) = &command.kind {
            return self.simple(state, simple, &command.redirections, &command.span);
        }
        let outer = state.descriptors.clone();
        let deferred = self.deferred.len();
        let unopened =
            failing::may_fail_to_open(&state, &command.redirections).then(|| state.clone());
        let errors = state.descriptor(2);
        self.redirect(&mut state, &command.redirections);
        self.may_complain(&state, &errors);
        let stdout = self.out.invocations.len();
        let sinks = unopened.is_some().then(|| self.sinks.clone());
        let mut flow = self.compound(state, command);
        if let Some(sinks) = sinks {
            self.maybe_unwritten(sinks);
        }
        flow.fail = join(flow.fail, unopened);
        self.run_deferred(deferred, &Stdin::Pipe((stdout..self.out.invocations.len()).collect()));
        for state in [&mut flow.ok, &mut flow.fail].into_iter().flatten() {
            if !command.redirections.is_empty() {
                state.descriptors = outer.clone();
            }
        }
        flow
    }
}
