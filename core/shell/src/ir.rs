//! The intermediate representation: a script as a tree of commands and words.
//!
//! The parser crate is hidden behind this module: `parse` lowers its syntax tree to these types,
//! and everything else works on them. The tree keeps what an evaluation needs and drops what it
//! does not: comments, blanks, and the spelling of quotes. Every node has a [`Span`], the place in
//! the text, so that a reason can show the words it is about.

use std::ops::Range;
use std::sync::Arc;

/// A place in the text, in bytes. What comes from a text within the text (`sh -c`) has the place of
/// the word that holds it.
pub type Span = Range<usize>;

/// A list of pipelines: the whole text, or the inside of a substitution, a group or a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// The pipelines in order. Those joined by `&&` and `||` follow one another, because any of
    /// them may run.
    pub items: Vec<Item>,
}

/// A pipeline, with what joins it to the one before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// How it is joined to the item before.
    pub joint: Joint,
    /// The pipeline.
    pub pipeline: Pipeline,
    /// True if it ends with `&`.
    pub background: bool,
    /// True if it begins a line of the script. An expansion that fails abandons the rest of its
    /// line, and the next line runs.
    pub begins_line: bool,
}

/// When an item runs, given the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joint {
    /// Always: behind `;`, a line break, or as the first one.
    Always,
    /// If the one before succeeded: `&&`.
    And,
    /// If the one before failed: `||`.
    Or,
}

/// Commands, each of which reads what the one before writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// True if its status is negated by `!`.
    pub negated: bool,
    /// The commands. There is at least one.
    pub commands: Vec<Command>,
    /// For each joint between two commands, true for `|&`.
    pub with_stderr: Vec<bool>,
    /// Where it stands.
    pub span: Span,
}

/// One command of a pipeline, with the redirections that hold for all of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// What kind of command it is.
    pub kind: CommandKind,
    /// Its redirections in order, also those of a simple command.
    pub redirections: Vec<Redirection>,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandKind {
    /// Words. Builtins, declarations (`export`, `declare`), `break` and `exit` are simple commands.
    Simple(SimpleCommand),
    /// `{ …; }`
    Group(Script),
    /// `( … )`
    Subshell(Script),
    /// `if`, with the branches as pairs of condition and body, and the `else`.
    If(Vec<(Script, Script)>, Option<Script>),
    /// `while` and `until`.
    While {
        /// What is run before each round.
        condition: Script,
        /// What is repeated.
        body: Script,
    },
    /// `for name in words`; without words over the arguments. `select` is one.
    For {
        /// The variable.
        name: String,
        /// The words that it becomes; none: the arguments.
        words: Option<Vec<Word>>,
        /// What is repeated.
        body: Script,
    },
    /// `for ((…))`; the words are what its arithmetic holds.
    ForArithmetic {
        /// The words in its arithmetic.
        words: Vec<Word>,
        /// What is repeated.
        body: Script,
    },
    /// `case`, with patterns and body of each arm.
    Case {
        /// The word that is compared.
        subject: Word,
        /// The patterns and the body of each arm.
        arms: Vec<(Vec<Word>, Script)>,
    },
    /// The definition of a function.
    Function {
        /// Its name.
        name: String,
        /// What it runs.
        body: Arc<Command>,
    },
    /// `[[ … ]]` with its words.
    Test(Vec<Word>),
    /// `(( … ))` with the words that its arithmetic holds, and its text.
    Arithmetic {
        /// As it is written.
        text: String,
        /// The words that it holds.
        words: Vec<Word>,
    },
    /// `time …`
    Time(Box<Pipeline>),
    /// `coproc`
    Coproc {
        /// The variable that gets its descriptors.
        name: String,
        /// What is run.
        body: Box<Command>,
    },
    /// Something that the parser knows and the evaluation does not, with its name. A text with one
    /// is never allowed.
    Unknown(String),
}

/// A simple command: `NAME=value word word …`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimpleCommand {
    /// The assignments before the command, in order.
    pub assignments: Vec<Assignment>,
    /// The words. The first one names the command, and the operands of declarations are words as
    /// well.
    pub words: Vec<Word>,
    /// Arrays that a declaration assigns, `declare -a x=(…)`, which no word can hold. The name is
    /// one of the words, too.
    pub arrays: Vec<Assignment>,
}

/// An assignment: `NAME=value`, `NAME+=value`, `NAME[i]=value`, `NAME=(…)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The name of the variable.
    pub name: String,
    /// The index of an array element.
    pub index: Option<Word>,
    /// True for `+=`.
    pub append: bool,
    /// What is assigned.
    pub value: Assigned,
    /// Where it stands.
    pub span: Span,
}

/// What is assigned to a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assigned {
    /// One word.
    Word(Word),
    /// An array.
    Array(Vec<Word>),
}

/// A word as it is written, in pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// The pieces in order. A word without pieces is the empty text.
    pub pieces: Vec<Piece>,
    /// Where it stands.
    pub span: Span,
}

/// A piece of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A text without more meaning: quotes, backslashes, `$'…'` and line continuations are resolved.
    /// `quoted` is true if it is neither split nor a pattern.
    Literal {
        /// The text.
        text: String,
        /// True if it is neither split nor a pattern.
        quoted: bool,
    },
    /// The value of a variable, with what is done to it.
    Variable(Variable),
    /// `$(…)`, `` `…` ``
    Command {
        /// What is run.
        script: Script,
        /// True between double quotes.
        quoted: bool,
    },
    /// `$((…))` with the words it holds, and its text.
    Arithmetic {
        /// As it is written.
        text: String,
        /// The words that it holds.
        words: Vec<Word>,
        /// True between double quotes.
        quoted: bool,
    },
    /// `<(…)` and `>(…)`
    Process {
        /// What is run.
        script: Script,
        /// True for `>(…)`, which is written to.
        writes: bool,
    },
    /// `~` or `~user` at a place where it counts.
    Tilde(String),
    /// `*`, `?`, `[…]`, extended patterns, as written.
    Glob(String),
    /// `{a,b}` and `{1..9}`: what it may become, each of them pieces.
    Brace(Vec<Vec<Piece>>),
    /// Something that the parser knows and the evaluation does not, with its name. Its value is
    /// unknown.
    Unknown(String),
}

/// A parameter expansion: `$name`, `${name…}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name, a number, or one of `@ * # ? - $ ! 0`.
    pub name: String,
    /// The index between brackets: `@`, `*` or a word.
    pub index: Option<Box<Word>>,
    /// What is done to it.
    pub operation: Operation,
    /// True between double quotes.
    pub quoted: bool,
}

impl Variable {
    /// `$name`
    pub fn plain(name: &str, quoted: bool) -> Variable {
        Variable { name: name.to_owned(), index: None, operation: Operation::None, quoted }
    }
}

/// What an expansion does to the value of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Nothing.
    None,
    /// `${#name}`
    Length,
    /// `${!name}`
    Indirect,
    /// `:-`, `-`; with a colon, an empty value counts as none.
    Default {
        /// The operand.
        word: Box<Word>,
        /// True if an empty value counts as none.
        colon: bool,
    },
    /// `:=`, `=`
    Assign {
        /// The operand.
        word: Box<Word>,
        /// True if an empty value counts as none.
        colon: bool,
    },
    /// `:+`, `+`
    Alternative {
        /// The operand.
        word: Box<Word>,
        /// True if an empty value counts as none.
        colon: bool,
    },
    /// `:?`, `?`
    Error {
        /// The operand.
        word: Box<Word>,
        /// True if an empty value counts as none.
        colon: bool,
    },
    /// `#`, `##`, `%`, `%%`
    Trim {
        /// What is taken away.
        pattern: Box<Word>,
        /// True at the start, false at the end.
        prefix: bool,
        /// True for the longest that fits.
        longest: bool,
    },
    /// `/`, `//`; a pattern behind `/#` and `/%` begins with that sign, as an unquoted literal.
    Replace {
        /// What is replaced.
        pattern: Box<Word>,
        /// What stands there then.
        with: Box<Word>,
        /// True for every place that fits.
        all: bool,
    },
    /// `:offset:length`
    Slice {
        /// Where it begins.
        offset: Box<Word>,
        /// How long it is, or where it ends if that is negative.
        length: Option<Box<Word>>,
    },
    /// `^`, `^^`, `,`, `,,`
    Case {
        /// True for capitals.
        upper: bool,
        /// True for every letter, false for the first.
        all: bool,
    },
    /// `@P`, `@E`, …
    Transform(char),
    /// `${!prefix*}`
    Names,
    /// Another one, as written, with the words it holds.
    Unknown {
        /// As it is written.
        text: String,
        /// The words that it holds.
        words: Vec<Word>,
    },
}

impl Operation {
    /// The words that it holds.
    pub fn words(&self) -> Vec<Word> {
        match self {
            Operation::Default { word, .. }
            | Operation::Assign { word, .. }
            | Operation::Alternative { word, .. }
            | Operation::Error { word, .. } => vec![(**word).clone()],
            Operation::Trim { pattern, .. } => vec![(**pattern).clone()],
            Operation::Replace { pattern, with, .. } => vec![(**pattern).clone(), (**with).clone()],
            Operation::Slice { offset, length } => {
                let mut words = vec![(**offset).clone()];
                words.extend(length.as_ref().map(|length| (**length).clone()));
                words
            }
            Operation::Unknown { words, .. } => words.clone(),
            _ => Vec::new(),
        }
    }
}

/// A redirection: `2>&1`, `< file`, `<<EOF`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirection {
    /// The descriptor; none: the default of its kind.
    pub fd: Option<u32>,
    /// The variable of `{name}>`, which is set to the descriptor.
    pub fd_name: Option<String>,
    /// What it does.
    pub kind: RedirectionKind,
    /// Where it stands.
    pub span: Span,
}

/// What a redirection does with its descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RedirectionKind {
    /// `<`
    Read(Word),
    /// `>`, and `>|` where `clobber`.
    Write {
        /// The file.
        to: Word,
        /// True for `>|`.
        clobber: bool,
    },
    /// `>>`
    Append(Word),
    /// `<>`
    ReadWrite(Word),
    /// `&>` and `&>>`, `>&word`
    WriteBoth {
        /// The file.
        to: Word,
        /// True if it is written at its end.
        append: bool,
    },
    /// `<&` and `>&` with a descriptor, `-`, or a word that becomes one.
    Duplicate(Word),
    /// `<<`, the body with its expansions, literal where the delimiter is quoted.
    HereDocument {
        /// The body.
        body: Word,
        /// True if nothing in it is expanded.
        quoted: bool,
    },
    /// `<<<`
    HereString(Word),
}
