//! What programs do with their arguments: the seam between the evaluation and the judge.
//!
//! A [`Model`] is data: names, a grammar of options, and a function from parsed arguments to
//! effects. A [`tool::Tool`] is the same for programs with many commands, as one dense table
//! without functions. Both stand in tables by area in `crate::models`, with examples that a test
//! runs. `crate::grammar` reads arguments by a [`Grammar`] into [`Parsed`], and a model reports
//! what it found to a [`Report`].
//!
//! A grammar is complete: an option that it does not have makes the whole call "not understood",
//! which asks. So a missing option is a nuisance, and never a hole.
//!
//! # Example
//!
//! The row of a program in a table, as `models::kinds` abbreviates it:
//!
//! ```text
//! model(
//!     &["shuf", "gshuf"],                                 names
//!     &gnu(&[list("-e --echo, -n --head-count=, -o --output=>, …")]),   options; `>`: a file it writes
//!     shuf,                                               the function for its effects
//!     &[ex("shuf -e -o out.txt a b", &["write:workspace"])],   examples, which a test runs
//! )
//! ```

pub mod tool;

use crate::effect::{Access, Certainty, Effect, FileEffect};
use crate::env::Env;
use crate::invocation::{Argument, Invocation};
use crate::ir::Span;
use crate::place;
use crate::value::{Origin, Value};
use tool::Command;

/// What is known of a program.
pub struct Model {
    /// Its names: `grep`, `egrep`. The name of the file, without its folder. One text may hold several,
    /// with spaces between them.
    pub names: &'static [&'static str],
    /// Its options.
    pub grammar: &'static Grammar,
    /// What it does.
    pub effects: fn(&mut Report<'_>, &Parsed<'_>),
    /// Commands and what is expected of them.
    #[cfg_attr(not(test), expect(dead_code, reason = "for the tests of the models"))]
    pub examples: &'static [Example],
}

impl Model {
    /// Its names, one by one.
    pub fn each_name(&self) -> impl Iterator<Item = &'static str> {
        self.names.iter().flat_map(|names| names.split_whitespace())
    }
}

/// A command, and the effects that it must have.
#[cfg_attr(not(test), expect(dead_code, reason = "for the tests of the models"))]
pub struct Example {
    /// A whole command.
    pub command: &'static str,
    /// Effects, as [`Effect::label`] writes them: exactly these in any order, reads and lists within
    /// the workspace and of the system left out.
    pub effects: &'static [&'static str],
}

/// The options of a program, complete: what is not in it is unknown.
pub struct Grammar {
    /// Options with and without values, in all their spellings.
    pub options: &'static [Opt],
    /// How options are written.
    pub style: Style,
    /// Names of subcommands, each with a grammar of its own; empty: there are none.
    pub subcommands: &'static [(&'static str, &'static Grammar)],
}

impl Grammar {
    /// A grammar without subcommands.
    pub const fn of(style: Style, options: &'static [Opt]) -> Grammar {
        Grammar { options, style, subcommands: &[] }
    }

    /// True if an option of it, or of a subcommand, names a command that is run.
    #[must_use]
    pub fn runs_commands(&self) -> bool {
        self.options.iter().any(|option| option.listed.contains('!'))
            || self.options.iter().any(|option| option.role == Role::Runs)
            || self.subcommands.iter().any(|(_, grammar)| grammar.runs_commands())
    }
}

/// An option: `-o`, `--output`, with what it takes.
pub struct Opt {
    /// A name to ask for it: `output`.
    pub id: &'static str,
    /// Its spellings with their dashes: `-o`, `--output`. `-#` is a number behind a dash, which is its
    /// value: `head -5`. `+*` is any word behind a plus: `cargo +nightly`.
    pub spellings: &'static [&'static str],
    /// What it takes.
    pub takes: Takes,
    /// What its value is.
    pub role: Role,
    /// Several options at once, as [`Opt::list`] reads them; empty: this is one.
    pub listed: &'static str,
}

impl Opt {
    /// Many options in a text. A comma stands between two, and spaces between the spellings of one,
    /// by the first of which it is asked for: `-a --all, -o --output=>, --color[=], --arg==`. Behind
    /// the last spelling stands what it takes: `=` a value, `[=]` perhaps one that is attached, `==`
    /// two values. Behind that stands what its value is, if the program does nothing else with it
    /// that counts: `<` a file that it reads, `>` a file that it writes, `/` the folder in which it
    /// works, `!` a command that it runs.
    pub const fn list(listed: &'static str) -> Opt {
        Opt { listed, ..Opt::flag(&[""]) }
    }

    /// An option, named by its first spelling.
    pub const fn of(spellings: &'static [&'static str], takes: Takes, role: Role) -> Opt {
        Opt { id: spellings[0], spellings, takes, role, listed: "" }
    }

    /// An option without a value, named by its first spelling.
    pub const fn flag(spellings: &'static [&'static str]) -> Opt {
        Opt::of(spellings, Takes::Nothing, Role::Plain)
    }

    /// An option with a value, named by its first spelling.
    pub const fn value(spellings: &'static [&'static str]) -> Opt {
        Opt::of(spellings, Takes::Value, Role::Plain)
    }

    /// An option that may have a value attached, named by its first spelling.
    pub const fn attached(spellings: &'static [&'static str]) -> Opt {
        Opt::of(spellings, Takes::Attached, Role::Plain)
    }
}

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing.
    Nothing,
    /// A value: `-o x`, `-ox`, `--output=x`, `--output x`.
    Value,
    /// Perhaps a value, attached: `-i.bak`, `--color=auto`.
    Attached,
    /// Two values: `--arg name value`. Each counts as a value of the option.
    Two,
}

/// What the value of an option is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Something that the model looks at, or that does not count.
    Plain,
    /// A file that is read.
    Reads,
    /// A file that is written.
    Writes,
    /// The folder in which it works.
    Folder,
    /// A command that is run.
    Runs,
}

/// How options are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// GNU: clusters, abbreviated long options, operands anywhere, `--`.
    Gnu,
    /// Options end with the first operand: `env`, `timeout`, `ssh`.
    Posix,
    /// Long options with one dash, never abbreviated: `find`, `java`, `openssl`. What takes a value
    /// that is attached is spelled by its beginning: `-D`.
    Single,
    /// As [`Style::Single`], but options end with the first operand: `java -jar x.jar`.
    SinglePosix,
    /// Options as Go's `flag` or `cobra` read them: `-x` and `--x` alike, and those of a command hold
    /// behind its subcommands, too.
    Go,
    /// As GNU, and `--no-x` takes `--x` back: `git`.
    Git,
    /// As GNU, and the options of a command hold behind its subcommands, too: `cargo`, `npm`.
    Inherited,
    /// As [`Style::Inherited`], but options end with the first operand.
    InheritedPosix,
    /// No options at all: `dd if=…`.
    Operands,
}

/// Arguments, read by a grammar.
pub struct Parsed<'a> {
    /// The call.
    pub invocation: &'a Invocation,
    /// The path of subcommands: `remote`, `add`.
    pub subcommands: Vec<&'static str>,
    /// The last command, of a program that stands as a [`crate::model::tool::Tool`].
    pub command: Option<&'static Command>,
    /// Options in their order, with their values.
    pub options: Vec<(&'static str, Option<Argument>)>,
    /// The values of options that name files, or commands.
    pub named: Vec<(Role, &'static str, Argument)>,
    /// What is no option, in its order.
    pub operands: Vec<Argument>,
    /// Options that the grammar does not have, that are ambiguous or lack their value, as written.
    pub unknown: Vec<Argument>,
    /// Operands, which stand among those above too, that may be options: their beginning is not
    /// known, and no `--` stands before them.
    pub perhaps: Vec<Argument>,
}

impl Parsed<'_> {
    /// True if an option is there.
    pub fn has(&self, id: &str) -> bool {
        self.options.iter().any(|(other, _)| *other == id)
    }

    /// The value of an option; of several, the last one's.
    pub fn value(&self, id: &str) -> Option<&Argument> {
        self.options.iter().rev().find(|(other, _)| *other == id)?.1.as_ref()
    }

    /// The values of an option, in their order.
    pub fn values<'p>(&'p self, id: &'p str) -> impl Iterator<Item = &'p Argument> {
        self.options
            .iter()
            .filter(move |(other, _)| *other == id)
            .filter_map(|(_, value)| value.as_ref())
    }
}

/// Collects what a model finds.
pub struct Report<'a> {
    /// What is known of the machine.
    pub env: &'a Env,
    /// The call.
    pub invocation: &'a Invocation,
    /// The folder in which it works: the call's, unless an option says otherwise.
    pub cwd: Value,
    /// Effects with their certainty and place.
    pub found: Vec<(Effect, Certainty, Span)>,
}

impl Report<'_> {
    /// The name of the program, without its folder.
    #[must_use]
    pub fn name(&self) -> &str {
        self.invocation.program.value.as_known().map_or("", crate::invocation::program_name)
    }

    /// A file is read. `-` is standard input.
    pub fn reads(&mut self, argument: &Argument) {
        if argument.value.as_known() != Some("-") {
            self.file(Access::Read, argument);
        }
    }

    /// A file is written. `-` is standard output.
    pub fn writes(&mut self, argument: &Argument) {
        if argument.value.as_known() != Some("-") {
            self.file(Access::Write, argument);
        }
    }

    /// An effect of the whole call.
    pub fn add(&mut self, effect: Effect) {
        self.at(effect, self.invocation.span.clone());
    }

    /// An effect that one word causes.
    pub fn at(&mut self, effect: Effect, span: Span) {
        self.push(effect, Certainty::Must, span);
    }

    /// An effect that depends on what is not known here: a file's content, a setting.
    pub fn may(&mut self, effect: Effect) {
        self.push(effect, Certainty::May, self.invocation.span.clone());
    }

    /// An effect with its certainty and place.
    pub fn push(&mut self, effect: Effect, certainty: Certainty, span: Span) {
        let conditional = if self.invocation.conditional { Certainty::May } else { certainty };
        self.found.push((effect, certainty.min(conditional), span));
    }

    /// Something is done with the file or folder that an argument names.
    pub fn file(&mut self, access: Access, argument: &Argument) {
        self.tree(access, argument, false, false);
    }

    /// Something is done with what an argument names and all that is below, if `recursive`.
    pub fn tree(&mut self, access: Access, argument: &Argument, recursive: bool, forced: bool) {
        let effect = self.file_effect(access, &argument.value, recursive, forced);
        self.at(effect, argument.span.clone());
    }

    /// Something is done with a file whose name stands in no argument of its own: a default, a
    /// part of a word.
    pub fn path(&mut self, access: Access, path: &str) {
        let effect = self.file_effect(access, &Value::known(path), false, false);
        self.add(effect);
    }

    /// The effect of doing something with a path, which is resolved from the folder it works in.
    pub fn file_effect(
        &self,
        access: Access,
        path: &Value,
        recursive: bool,
        forced: bool,
    ) -> Effect {
        let path = match path {
            // The names that a pattern finds stand where the pattern does.
            Value::Unknown(Origin::Glob(pattern)) => globbed(pattern),
            other => other.clone(),
        };
        let path = place::resolve(&path, &self.cwd, self.env);
        let scope = place::scope(&path, self.env);
        Effect::File(FileEffect { access, path, scope, recursive, forced })
    }

    /// The call is not understood, and why: what it does is unknown.
    pub fn not_understood(&mut self, why: impl Into<String>) {
        let program = self.invocation.program.value.prefix().to_owned();
        self.add(Effect::Unmodelled { program, why: why.into() });
    }
}

/// What the names surely begin with that a pattern finds.
pub(super) fn globbed(pattern: &str) -> Value {
    let fixed = pattern.find(['*', '?', '[']).map_or(pattern, |at| &pattern[..at]);
    let origin = Origin::Glob(pattern.to_owned());
    if fixed.is_empty() {
        Value::Prefix("./".into(), origin)
    } else {
        Value::Prefix(fixed.into(), origin)
    }
}
