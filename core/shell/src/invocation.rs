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

/// A program that the command runs, or may run, with everything that it gets from the shell.
#[derive(Clone, Debug, PartialEq)]
pub struct Invocation {
    /// The program as it is called: `ls`, `/bin/ls`, `./run.sh`. If it is unknown, it may be any
    /// program.
    pub program: Argument,
    /// Its arguments, without the program itself.
    pub arguments: Vec<Argument>,
    /// Variables that are set for this invocation alone, and those that the script exported before.
    pub environment: Vec<(String, Value)>,
    /// What it reads on standard input.
    pub stdin: Stdin,
    /// Where its standard output goes.
    pub stdout: Stdout,
    /// The folder that it starts in, absolute if it is known.
    pub cwd: Value,
    /// The machine that it runs on. On another machine its files are not the owner's.
    pub locus: Locus,
    /// The wrapper commands that it was found in, the outermost first: `sudo`, `xargs`.
    pub wrappers: Vec<String>,
    /// The number of the invocation that runs it, if it was found in a wrapper or an inner script.
    /// That one's output holds its output.
    pub outer: Option<usize>,
    /// True if the shell itself does it: `cd`, `export`. The evaluation reports its effects, and it
    /// needs no model. Builtins that are programs as well (`echo`, `kill`, `test`) are not marked.
    pub builtin: bool,
    /// True if it runs only under a condition, or may run several times.
    pub conditional: bool,
    /// Its place in the text.
    pub span: Span,
}

impl Invocation {
    /// The name of the program without its folder; none if it is not known.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.program.value.as_known()?.rsplit('/').next()
    }
}

/// A word after expansion. A word that becomes several is several arguments; if it is not known how
/// many, it is one with `many`.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// What is known of its text.
    pub value: Value,
    /// True if it may be none, one or several arguments: a glob, an unquoted variable that is not
    /// known.
    pub many: bool,
    /// Its place in the text.
    pub span: Span,
    /// The numbers of the invocations whose output went into it: `$(…)`. What they wrote may be
    /// known nevertheless.
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
    /// The input of the whole command: nothing, as a rule.
    Inherited,
    /// A text of the command itself: a here-document, `echo … |`.
    Text(Value),
    /// The rest that other readers may have left of such a text.
    Rest(Value),
    /// A file.
    File(Value),
    /// The output of other invocations, by their numbers.
    Pipe(Vec<usize>),
    /// Something that is not known.
    Unknown,
}

/// Where a program's standard output goes.
#[derive(Clone, Debug, PartialEq)]
pub enum Stdout {
    /// To the output of the whole command.
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
    /// Nowhere: to `/dev/null`, or it is closed.
    Nowhere,
}

/// The machine that a program runs on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Locus {
    /// This machine, with its files.
    Here,
    /// A container, which sees the files that its options share.
    Container,
    /// Another machine, by its address.
    Remote(Value),
}
