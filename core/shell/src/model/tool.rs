//! Tools: programs with commands, as data. Names, options and actions stand in dense tables.
//!
//! ```text
//! commands! {
//!     "remove rm" [COMMON] "-f --force, --log=>, -m --message=, --editor=!" => Here, If("-f", &[Loss]);
//! }
//! ```
//!
//! One line is one command: its names, groups of shared options in `[…]`, its own options, and its
//! actions behind `=>`. Options stand in one text, as [`Opt::list`] describes it; the text is read
//! at compile time. A command's own options count before those of its groups.
//!
//! An [`Action`] says what a command does in the words of the field: it reads its operands, fetches
//! from a host, changes a cloud. What cannot be said so is a function, [`Action::Call`].

use crate::effect::{Access, SystemChange};
use crate::model::{Opt, Parsed, Report, Role, Style, Takes};

/// A program.
pub struct Tool {
    /// The program itself; its names are those of the program, and what it does holds for all of its
    /// commands.
    pub command: Command,
    /// How options are written, unless a command says otherwise.
    pub style: Style,
    /// Commands and what is expected of them: as [`crate::model::Example`] has it, the effects parted by blanks.
    #[cfg_attr(not(test), expect(dead_code, reason = "for the tests of the models"))]
    pub examples: &'static [(&'static str, &'static str)],
}

/// A command of a program, or the program itself.
pub struct Command {
    /// Its names, parted by blanks. `*` stands for any word, which stays an operand.
    pub names: &'static str,
    /// Its options, in groups.
    pub options: &'static [&'static [Opt]],
    /// How its options are written, if not as the program's.
    pub style: Option<Style>,
    /// What it does.
    pub actions: &'static [Action],
    /// Its own commands.
    pub commands: &'static [Command],
}

/// What a command does. A command has a list of actions, and all of them happen.
#[derive(Clone, Copy)]
pub enum Action {
    /// It reads what its operands name.
    Reads,
    /// It writes what its operands name.
    Writes,
    /// It runs the code that its operands name, which is that of the project if it is in the workspace.
    Executes,
    /// Every word may be the name of a file, which it reads and may write: for programs whose options
    /// are not known one by one ([`Style::Operands`]).
    Touches,
    /// As [`Action::Touches`], but it writes none.
    Looks,
    /// It writes in the working folder.
    Here,
    /// It does something with a fixed path; `~/` is the home folder.
    At(Access, &'static str),
    /// It runs scripts or settings of the project.
    Project,
    /// It fetches from this host; empty: it is not known.
    Fetches(&'static str),
    /// It fetches if something is not there yet.
    MayFetch(&'static str),
    /// It sends files of the working folder to this host; empty: it is not known. What a request says
    /// itself is only fetched, and what it changes there has effects of its own.
    Sends(&'static str),
    /// It listens.
    Listens,
    /// It installs its operands.
    Installs,
    /// It removes its operands.
    Removes,
    /// It fetches and runs its first operand.
    Package,
    /// Its operands, those before this one left out, are a program with its arguments, which it runs.
    Runs(usize),
    /// What stands behind `--` among its operands, or all of them without, is a program that it runs.
    RunsBehindDashes,
    /// Each of its operands is a text that it gives to a shell.
    RunsTexts,
    /// The values of this option are texts that it gives to a shell, behind these words.
    RunsOption(&'static str, &'static str),
    /// It runs what a setting or an argument names, for a reader.
    Setting(&'static str),
    /// It changes something at this provider.
    Cloud(&'static str),
    /// It deletes something at this provider.
    Destroys(&'static str),
    /// It changes data of a database; true: it deletes them.
    Database(bool),
    /// It shows a secret of this kind.
    Secret(&'static str),
    /// It changes the system.
    System(SystemChange),
    /// It reaches out of a container by this.
    Escapes(&'static str),
    /// It loses work in a repository.
    Loss,
    /// It changes a repository on another machine: forced, deletes.
    Remote(bool, bool),
    /// What it does is not known, and why.
    Unknown(&'static str),
    /// This, if one of these options is there, by their ids, parted by blanks.
    If(&'static str, &'static [Action]),
    /// This, if none of these options is there.
    Unless(&'static str, &'static [Action]),
    /// This, if there are operands.
    WithOperands(&'static [Action]),
    /// This, if there are none.
    Alone(&'static [Action]),
    /// What a function finds.
    Call(fn(&mut Report<'_>, &Parsed<'_>)),
}

impl Command {
    /// True if an option of it, or of a command of it, names a command that is run, or its operands
    /// are one.
    pub fn runs_commands(&self) -> bool {
        self.actions.iter().any(Action::runs)
            || self.options.iter().copied().flatten().any(|option| option.role == Role::Runs)
            || self.commands.iter().any(Command::runs_commands)
    }

    /// True if a word names it.
    pub fn is_named(&self, word: &str) -> bool {
        self.names.split(' ').any(|name| name == word)
    }
}

impl Action {
    /// True if operands are a command that is run.
    fn runs(&self) -> bool {
        match self {
            Action::Runs(_)
            | Action::RunsBehindDashes
            | Action::RunsTexts
            | Action::RunsOption(..) => true,
            Action::If(_, inner)
            | Action::Unless(_, inner)
            | Action::WithOperands(inner)
            | Action::Alone(inner) => inner.iter().any(Action::runs),
            _ => false,
        }
    }
}

/// How many options a text has, and how many spellings they have together.
pub(in super::super) const fn count(text: &str) -> (usize, usize) {
    let (bytes, mut at, mut options, mut spellings) = (text.as_bytes(), 0, 1, 0);
    while at < bytes.len() {
        if begins(bytes, at) {
            spellings += 1;
        }
        if bytes[at] == b',' {
            options += 1;
        }
        at += 1;
    }
    (options, spellings)
}

/// True for a byte that separates two spellings.
const fn parts(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b',')
}

/// True where a spelling begins.
const fn begins(bytes: &[u8], at: usize) -> bool {
    !parts(bytes[at]) && (at == 0 || parts(bytes[at - 1]))
}

/// All spellings of a text, one behind the other, without their marks.
pub(in super::super) const fn spellings<const N: usize>(text: &'static str) -> [&'static str; N] {
    let bytes = text.as_bytes();
    let mut all = [""; N];
    let (mut at, mut number) = (0, 0);
    while at < bytes.len() {
        if begins(bytes, at) {
            // A spelling is at least two bytes long, so that `-=` is one.
            let mut to = at + 2;
            while to < bytes.len() && !parts(bytes[to]) && !is_mark(bytes[to]) {
                to += 1;
            }
            all[number] = text.split_at(to).0.split_at(at).1;
            number += 1;
        }
        at += 1;
    }
    all
}

/// True for a byte that ends a spelling and begins its marks.
const fn is_mark(byte: u8) -> bool {
    matches!(byte, b'=' | b'[')
}

/// The options of a text.
pub(in super::super) const fn table<const N: usize>(
    text: &str,
    spellings: &'static [&'static str],
) -> [Opt; N] {
    let bytes = text.as_bytes();
    let mut all = [const { Opt::flag(&[""]) }; N];
    let (mut at, mut number, mut first, mut next) = (0, 0, 0, 0);
    while at <= bytes.len() {
        if at < bytes.len() && begins(bytes, at) {
            next += 1;
        }
        if at == bytes.len() || bytes[at] == b',' {
            let (takes, role) = marks(bytes, at);
            all[number] = Opt::of(spellings.split_at(next).0.split_at(first).1, takes, role);
            number += 1;
            first = next;
        }
        at += 1;
    }
    all
}

/// What the marks before this place say.
const fn marks(bytes: &[u8], end: usize) -> (Takes, Role) {
    let (role, end) = match bytes[end - 1] {
        b'<' => (Role::Reads, end - 1),
        b'>' => (Role::Writes, end - 1),
        b'/' => (Role::Folder, end - 1),
        b'!' => (Role::Runs, end - 1),
        _ => (Role::Plain, end),
    };
    let takes = match (bytes[end - 2], bytes[end - 1]) {
        (b'=', b'=') => Takes::Two,
        (b'=', b']') => Takes::Attached,
        (_, b'=') => Takes::Value,
        _ => Takes::Nothing,
    };
    (takes, role)
}

/// Options from a text, as the module's documentation describes it. The table is built at compile
/// time.
macro_rules! opts {
    ($text:expr) => {{
        const TEXT: &str = $text;
        const SPELLINGS: &[&str] =
            &$crate::model::tool::spellings::<{ $crate::model::tool::count(TEXT).1 }>(TEXT);
        const OPTIONS: &[$crate::model::Opt] =
            &$crate::model::tool::table::<{ $crate::model::tool::count(TEXT).0 }>(TEXT, SPELLINGS);
        OPTIONS
    }};
}
pub(in super::super) use opts;

/// A style of options, or none where a command has the one of its program.
macro_rules! style {
    () => {
        None
    };
    ($style:ident) => {
        Some($crate::model::Style::$style)
    };
}
pub(in super::super) use style;

/// Commands, as the module's documentation describes them.
macro_rules! commands {
    ($($(@$style:ident)? $names:literal $([$($group:expr),*])? $($options:literal)?
        => $($action:expr),* $(; { $($inner:tt)* })? ;)*) => {
        &[$($crate::model::tool::Command {
            names: $names,
            options: &[$($crate::model::tool::opts!($options),)? $($($group,)*)?],
            style: $crate::model::tool::style!($($style)?),
            actions: &[$($action),*],
            commands: $crate::model::tool::commands!($($($inner)*)?),
        }),*]
    };
}
pub(in super::super) use commands;

/// Programs, each with its style, options and effects, its commands and its examples.
macro_rules! tools {
    ($($style:ident $names:literal $([$($group:expr),*])? $($options:literal)?
        => $($action:expr),* ; $({ $($inner:tt)* })? [$($command:literal: $effects:literal),* $(,)?])*) => {
        &[$($crate::model::tool::Tool {
            style: $crate::model::Style::$style,
            command: $crate::model::tool::Command {
                names: $names,
                options: &[$($crate::model::tool::opts!($options),)? $($($group,)*)?],
                style: None,
                actions: &[$($action),*],
                commands: $crate::model::tool::commands!($($($inner)*)?),
            },
            examples: &[$(($command, $effects)),*],
        }),*]
    };
}
pub(in super::super) use tools;
