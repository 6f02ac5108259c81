//! Invocations: the programs that a command runs, with their arguments.
//!
//! The evaluation turns a script into a list of these. An [`Invocation`] is everything that a
//! program gets from the shell: its words, its environment, its working folder, and what its
//! standard input and output are connected to. Models read it and report effects; nothing behind
//! the evaluation looks at the text again.

use crate::ir::Span;
use crate::value::Value;

/// The name of a program without its folder: `rm` for `/bin/rm`.
#[must_use]
pub fn program_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// A program that the command runs, or may run.
#[derive(Clone, Debug, PartialEq)]
pub struct Invocation {
    /// The program as it is called: `ls`, `/bin/ls`, `./run.sh`. Unknown: it may be any.
    pub program: Argument,
    /// Its arguments, without the program.
    pub arguments: Vec<Argument>,
    /// Variables that are set for it alone, and those that the script exported before.
    pub environment: Vec<(String, Value)>,
    /// What it reads on standard input.
    pub stdin: Stdin,
    /// Where its standard output goes.
    pub stdout: Stdout,
    /// The folder it starts in, absolute if it is known.
    pub cwd: Value,
    /// On which machine: here, or somewhere that the owner's files are not.
    pub locus: Locus,
    /// The wrappers it was found in, the outermost first: `sudo`, `xargs`.
    pub wrappers: Vec<String>,
    /// The number of the invocation that runs it, if it is in a wrapper or an inner script. What it
    /// writes, that one writes.
    pub outer: Option<usize>,
    /// True if the shell itself does it: `cd`, `export`. The evaluation reports what it does,
    /// and it needs no model. Builtins that are programs as well (`echo`, `kill`, `test`) are not.
    pub builtin: bool,
    /// True if it runs only where something else turns out so, or may run several times.
    pub conditional: bool,
    /// Where it stands in the text.
    pub span: Span,
}

impl Invocation {
    /// The name of the program without its folder; none if it is not known.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.program.value.as_known()?.rsplit('/').next()
    }
}

/// A word after expansion. A word that becomes several is several arguments; where it is not known
/// how many, one with `many`.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// What is known of it.
    pub value: Value,
    /// True if it may be none, one or several arguments: a glob, an unquoted unknown.
    pub many: bool,
    /// Where it stands.
    pub span: Span,
    /// The numbers of the invocations that ran to make it: `$(…)`. What they wrote may be known.
    pub made_by: Vec<usize>,
}

impl Argument {
    /// One argument, which no program made.
    #[must_use]
    pub fn new(value: Value, span: Span) -> Argument {
        Argument { value, many: false, span, made_by: Vec::new() }
    }
}

/// What a program reads on standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stdin {
    /// What the caller gives: nothing, as a rule.
    Inherited,
    /// A text of the command itself: a here-document, `echo … |`.
    Text(Value),
    /// What others may have left of such a text.
    Rest(Value),
    /// A file.
    File(Value),
    /// What another invocation writes, by its number in the list of all.
    Pipe(Vec<usize>),
    /// Something else.
    Unknown,
}

/// Where a program's standard output goes.
#[derive(Clone, Debug, PartialEq)]
pub enum Stdout {
    /// To the caller.
    Inherited,
    /// To a file, whole or at its end.
    File {
        /// The file.
        path: Value,
        /// True if it is written at its end.
        append: bool,
    },
    /// Into another invocation.
    Pipe,
    /// Into a word of the text: `$(…)`.
    Substitution,
    /// Nowhere: `/dev/null`, closed.
    Nowhere,
}

/// Where a program runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Locus {
    /// On this machine, in this file system.
    Here,
    /// In a container that shares what its options say.
    Container,
    /// On another machine.
    Remote(Value),
}
