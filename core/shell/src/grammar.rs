//! Reads arguments by a [`Grammar`], exactly as the program would.
//!
//! Every program has its own habits: clusters (`-abc`), attached values (`-ofile`), abbreviated
//! long options (`--verb`), options that end with the first operand. A [`Style`] names the habits,
//! and [`parse`] follows them. The result says which option each word is, which value belongs to
//! which option, and which words are operands.
//!
//! A misread word would be a hole, so what is not certain is kept apart. A word that may be an
//! option, because its text is not known, stands in [`Parsed::perhaps`]. An option that the grammar
//! does not have, or that is ambiguous or lacks its value, stands in [`Parsed::unknown`], and makes
//! the whole call not understood.
//!
//! # Example
//!
//! With the grammar of `tar`, the words `-czf out.tgz src` are read like this:
//!
//! ```text
//! -c          option, takes nothing
//! -z          option, takes nothing
//! -f out.tgz  option, takes a value: the file that is written
//! src         operand
//! ```
//!
//! With the grammar of `find` the same first word would be one option named `-czf`, which `find`
//! does not have, and the call would not be understood.

#[cfg(test)]
mod tests;

use memchr::memmem::Finder;

use crate::invocation::{Argument, Invocation};
use crate::model::tool::{Command, Tool};
use crate::model::{Grammar, Opt, Parsed, Role, Style, Takes};
use crate::value::{Origin, Value};

/// Reads the arguments of an invocation.
#[must_use]
pub fn parse<'a>(invocation: &'a Invocation, grammar: &'static Grammar) -> Parsed<'a> {
    read(invocation, Level::of_grammar(grammar), None)
}

/// Reads the arguments of an invocation of a program that stands as a tool.
#[must_use]
pub fn parse_tool<'a>(invocation: &'a Invocation, tool: &'static Tool) -> Parsed<'a> {
    let level = Level::of_command(&tool.command, tool.style);
    read(invocation, level, Some(&tool.command))
}

/// Reads the arguments from the first level of options downwards.
fn read<'a>(
    invocation: &'a Invocation,
    level: Level,
    command: Option<&'static Command>,
) -> Parsed<'a> {
    let mut reader = Reader {
        parsed: Parsed {
            invocation,
            subcommands: Vec::new(),
            command,
            options: Vec::new(),
            named: Vec::new(),
            operands: Vec::new(),
            unknown: Vec::new(),
            perhaps: Vec::new(),
        },
        levels: vec![level],
        rest: &invocation.arguments,
    };
    reader.all();
    reader.parsed
}

/// The options and commands of a program or of one of its commands.
#[derive(Clone, Copy)]
struct Level {
    /// Options that belong to the level itself.
    options: &'static [Opt],
    /// Options that several commands share.
    groups: &'static [&'static [Opt]],
    /// How options are written here.
    style: Style,
    /// Subcommands that have a grammar.
    grammars: &'static [(&'static str, &'static Grammar)],
    /// Subcommands that have a row in a table.
    commands: &'static [Command],
}

/// What every tool has.
const HELP: &[Opt] = &[Opt::flag(&["--help"])];

impl Level {
    /// The level of a grammar.
    fn of_grammar(grammar: &'static Grammar) -> Level {
        let Grammar { options, style, subcommands } = *grammar;
        Level { options, groups: &[], style, grammars: subcommands, commands: &[] }
    }

    /// The level of a command of a tool. A command without a style of its own has that of its
    /// program.
    fn of_command(command: &'static Command, style: Style) -> Level {
        let style = command.style.unwrap_or(style);
        let (groups, commands) = (command.options, command.commands);
        Level { options: HELP, groups, style, grammars: &[], commands }
    }

    /// The options of this level: its own first, then those of its groups.
    fn options(&self) -> impl Iterator<Item = &'static Opt> + use<> {
        self.options.iter().chain(self.groups.iter().copied().flatten())
    }

    /// True if the first operand names a subcommand.
    fn has_subcommands(&self) -> bool {
        !self.grammars.is_empty() || !self.commands.is_empty()
    }
}

/// What programs of GNU have without saying so.
static COMMON: Opt = Opt::list("--help, --version");

/// An option of a grammar.
#[derive(Clone, Copy)]
struct Entry {
    /// The name to ask for it.
    id: &'static str,
    /// How it is spelled.
    spellings: Spellings,
    /// What it takes.
    takes: Takes,
    /// What its value is.
    role: Role,
}

/// How the spellings of an option are stored.
#[derive(Clone, Copy)]
enum Spellings {
    /// One by one.
    Apart(&'static [&'static str]),
    /// In one text, separated by blanks.
    InText(&'static str),
}

impl Entry {
    /// A single option; none if the entry is a list of options.
    fn of(option: &'static Opt) -> Option<Entry> {
        let Opt { id, takes, role, .. } = *option;
        let spellings = Spellings::Apart(option.spellings);
        option.listed.is_empty().then_some(Entry { id, spellings, takes, role })
    }

    /// An option of a list: `-o --output=>`.
    fn listed(text: &'static str) -> Option<Entry> {
        let text = text.trim();
        let (text, role) = match text.as_bytes().last()? {
            b'<' => (&text[..text.len() - 1], Role::Reads),
            b'>' => (&text[..text.len() - 1], Role::Writes),
            b'/' => (&text[..text.len() - 1], Role::Folder),
            b'!' => (&text[..text.len() - 1], Role::Runs),
            _ => (text, Role::Plain),
        };
        let ends = [("[=]", Takes::Attached), ("==", Takes::Two), ("=", Takes::Value)];
        let end = ends.iter().find_map(|(end, takes)| Some((text.strip_suffix(end)?, *takes)));
        let (text, takes) = end.unwrap_or((text, Takes::Nothing));
        let id = text.split_whitespace().next()?;
        Some(Entry { id, spellings: Spellings::InText(text), takes, role })
    }

    /// All options of an entry, which may be a list.
    fn all(option: &'static Opt) -> impl Iterator<Item = Entry> {
        Entry::of(option).into_iter().chain(option.listed.split(',').filter_map(Entry::listed))
    }

    /// The option that is spelt so, which is looked up in a list without reading the whole list.
    fn by_spelling(option: &'static Opt, spelling: &Finder<'_>) -> Option<Entry> {
        let wanted = |entry: &Entry| entry.any(|other| other.as_bytes() == spelling.needle());
        let listed = option.listed;
        if listed.is_empty() {
            return Entry::of(option).filter(wanted);
        }
        spelling.find_iter(listed.as_bytes()).find_map(|at| {
            let start = listed[..at].rfind(',').map_or(0, |comma| comma + 1);
            let end = listed[at..].find(',').map_or(listed.len(), |comma| at + comma);
            Entry::listed(&listed[start..end]).filter(wanted)
        })
    }

    /// True if one of its spellings passes a test.
    fn any(&self, test: impl Fn(&'static str) -> bool) -> bool {
        match self.spellings {
            Spellings::Apart(list) => list.iter().any(|other| test(other)),
            Spellings::InText(text) => text.split_whitespace().any(test),
        }
    }
}

/// A reading of the arguments of one call.
struct Reader<'a> {
    /// The result so far.
    parsed: Parsed<'a>,
    /// The program, and the subcommands so far.
    levels: Vec<Level>,
    /// The arguments that are left.
    rest: &'a [Argument],
}

impl<'a> Reader<'a> {
    /// The level that is read now: the innermost subcommand.
    fn level(&self) -> &Level {
        &self.levels[self.levels.len() - 1]
    }

    /// The style of the level that is read now.
    fn style(&self) -> Style {
        self.level().style
    }

    /// True if long options have a single dash.
    fn is_single(&self) -> bool {
        matches!(self.style(), Style::Single | Style::SinglePosix)
    }

    /// The subcommand of this name.
    fn below(&self, text: &str) -> Option<(&'static str, Level, Option<&'static Command>)> {
        let level = self.level();
        if let Some((name, grammar)) = level.grammars.iter().find(|(name, _)| *name == text) {
            return Some((name, Level::of_grammar(grammar), None));
        }
        let all = level.commands;
        let command = all.iter().find(|command| command.is_named(text))?;
        let name = command.names.split(' ').next().unwrap_or_default();
        Some((name, Level::of_command(command, level.style), Some(command)))
    }

    /// Reads all arguments that are left.
    fn all(&mut self) {
        while let Some((argument, rest)) = self.rest.split_first() {
            self.rest = rest;
            if self.style() == Style::Operands {
                self.parsed.operands.push(argument.clone());
                continue;
            }
            match &argument.value {
                Value::Known(text) if text == "--" => {
                    if self.is_single() {
                        self.option(argument, text);
                        continue;
                    }
                    if !self.level().has_subcommands() {
                        self.parsed.operands.extend(self.rest.iter().cloned());
                        return;
                    }
                    if !self.subcommand() {
                        return;
                    }
                }
                Value::Known(text) if text.len() > 1 && text.starts_with('-') => {
                    self.option(argument, text);
                }
                Value::Known(text) if text.starts_with('+') && self.exact("+*").is_some() => {}
                Value::Prefix(text, origin) if text.starts_with('-') => {
                    self.partial_option(argument, text, origin);
                }
                Value::OneOf(texts) if texts.iter().any(|text| text.starts_with('-')) => {
                    self.parsed.unknown.push(argument.clone());
                }
                _ => {
                    self.rest = &self.parsed.invocation.arguments
                        [self.parsed.invocation.arguments.len() - rest.len() - 1..];
                    if !self.operand() {
                        return;
                    }
                }
            }
        }
    }

    /// Reads what is no option; false if no option can follow.
    fn operand(&mut self) -> bool {
        if self.level().has_subcommands() {
            return self.subcommand();
        }
        let Some((argument, rest)) = self.rest.split_first() else { return false };
        self.rest = rest;
        let may_be_option = match &argument.value {
            // A name that a pattern finds begins as the pattern does.
            Value::Unknown(Origin::Glob(pattern)) => !pattern.starts_with(['*', '?', '[']),
            Value::Unknown(Origin::Number) => false,
            Value::Unknown(_) => true,
            _ => false,
        };
        if may_be_option {
            self.parsed.perhaps.push(argument.clone());
        }
        self.parsed.operands.push(argument.clone());
        if matches!(self.style(), Style::Posix | Style::InheritedPosix | Style::SinglePosix) {
            self.parsed.operands.extend(self.rest.iter().cloned());
            return false;
        }
        true
    }

    /// Reads the name of a subcommand; false if there is none, and all that is left is operands.
    fn subcommand(&mut self) -> bool {
        let Some((argument, rest)) = self.rest.split_first() else { return false };
        let known = argument.value.as_known().filter(|_| !argument.many);
        if let Some((name, level, command)) = known.and_then(|text| self.below(text)) {
            self.parsed.subcommands.push(name);
            self.parsed.command = command;
            self.levels.push(level);
            self.rest = rest;
            return true;
        }
        if let Some((_, level, command)) = self.below("*") {
            self.parsed.command = command;
            self.levels.push(level);
            return true;
        }
        if known.is_none() {
            self.parsed.perhaps.push(argument.clone());
        }
        self.parsed.operands.extend(self.rest.iter().cloned());
        false
    }

    /// What counts here, that of the subcommand first.
    fn lists(&self) -> impl Iterator<Item = &'static Opt> {
        let style = self.style();
        let inherited = matches!(style, Style::Go | Style::Inherited | Style::InheritedPosix);
        let first = if inherited { 0 } else { self.levels.len() - 1 };
        let own = self.levels[first..].iter().rev().flat_map(Level::options);
        let common = matches!(style, Style::Gnu | Style::Posix).then_some(&COMMON);
        own.chain(common)
    }

    /// Every option that counts here, one by one.
    fn options(&self) -> impl Iterator<Item = Entry> {
        self.lists().flat_map(Entry::all)
    }

    /// The option with exactly this spelling.
    fn exact(&self, spelling: &str) -> Option<Entry> {
        let spelling = Finder::new(spelling);
        self.lists().find_map(|option| Entry::by_spelling(option, &spelling))
    }

    /// Reads a word that begins with a dash.
    fn option(&mut self, argument: &Argument, text: &str) {
        let numbered = text[1..].bytes().all(|byte| byte.is_ascii_digit());
        if numbered
            && let Some(option) = self.exact("-#")
            && self.exact(&text[..2]).is_none()
        {
            let value = Argument { value: Value::known(&text[1..]), ..argument.clone() };
            self.push(option, Some(value));
            return;
        }
        match self.style() {
            Style::Single | Style::SinglePosix => self.single(argument, text),
            Style::Go => self.go(argument, text),
            _ if text.starts_with("--") => self.long(argument, text),
            // A grammar may spell an option of several letters with one dash: `-nv`.
            _ if text.len() > 2 && self.exact(text).is_some() => {
                if let Some(option) = self.exact(text) {
                    self.take(option, None, argument);
                }
            }
            _ => self.cluster(argument, text, None),
        }
    }

    /// `--name`, `--name=value`, `--na`
    fn long(&mut self, argument: &Argument, text: &str) {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let value = value.map(|value| Argument { value: Value::known(value), ..argument.clone() });
        match self.abbreviated(name) {
            Some(option) => self.take(option, value, argument),
            None => match self.negated(name).filter(|_| value.is_none()) {
                Some(option) => self.parsed.options.retain(|(id, _)| *id != option.id),
                None => self.parsed.unknown.push(argument.clone()),
            },
        }
    }

    /// The option that `--no-name` takes back.
    fn negated(&self, name: &str) -> Option<Entry> {
        let positive = name.strip_prefix("--no-").filter(|_| self.style() == Style::Git)?;
        self.exact(&format!("--{positive}"))
    }

    /// The only long option that begins so.
    fn abbreviated(&self, name: &str) -> Option<Entry> {
        if let Some(option) = self.exact(name) {
            return Some(option);
        }
        let mut found: Option<Entry> = None;
        for option in self.options() {
            if option.any(|other| other.starts_with("--") && other.starts_with(name)) {
                match found {
                    Some(before) if before.id != option.id => return None,
                    _ => found = Some(option),
                }
            }
        }
        found.filter(|_| name.len() > 2)
    }

    /// `-abc`, `-ovalue`; `tail` is where an unknown rest of the word comes from.
    fn cluster(&mut self, argument: &Argument, text: &str, tail: Option<&Origin>) {
        for (at, letter) in text.char_indices().skip(1) {
            let end = at + letter.len_utf8();
            let Some(option) = self.exact(&format!("-{letter}")) else {
                self.parsed.unknown.push(argument.clone());
                return;
            };
            if option.takes == Takes::Nothing {
                self.push(option, None);
                continue;
            }
            let rest = Value::known(&text[end..]);
            let rest = match tail {
                Some(origin) => rest.then(Value::Unknown(origin.clone())),
                None => rest,
            };
            let value =
                (rest != Value::known("")).then(|| Argument { value: rest, ..argument.clone() });
            self.take(option, value, argument);
            return;
        }
        if tail.is_some() {
            // More letters may follow.
            self.parsed.unknown.push(argument.clone());
        }
    }

    /// An option with what is attached to it.
    fn take(&mut self, option: Entry, attached: Option<Argument>, argument: &Argument) {
        let value = match (option.takes, attached) {
            (Takes::Nothing, None) | (Takes::Attached, None) => None,
            (Takes::Nothing, Some(_)) => {
                self.parsed.unknown.push(argument.clone());
                return;
            }
            (_, Some(value)) => Some(value),
            (Takes::Value | Takes::Two, None) => match self.rest.split_first() {
                Some((value, rest)) => {
                    self.rest = rest;
                    Some(value.clone())
                }
                None => {
                    self.parsed.unknown.push(argument.clone());
                    return;
                }
            },
        };
        self.push(option, value);
        if option.takes == Takes::Two {
            match self.rest.split_first() {
                Some((second, rest)) => {
                    self.rest = rest;
                    self.push(option, Some(second.clone()));
                }
                None => self.parsed.unknown.push(argument.clone()),
            }
        }
    }

    /// Records an option with its value, and the value by its role.
    fn push(&mut self, option: Entry, value: Option<Argument>) {
        if option.role != Role::Plain
            && let Some(value) = &value
        {
            self.parsed.named.push((option.role, option.id, value.clone()));
        }
        self.parsed.options.push((option.id, value));
    }

    /// A word whose end is not known: `-o$x`, `--output=$x`.
    fn partial_option(&mut self, argument: &Argument, text: &str, origin: &Origin) {
        let style = self.style();
        if let Some((name, value)) = text.split_once('=')
            && text.starts_with("--")
        {
            let option = if self.is_single() { self.exact(name) } else { self.abbreviated(name) };
            let value = Value::known(value).then(Value::Unknown(origin.clone()));
            let value = Argument { value, ..argument.clone() };
            match option {
                Some(option) => self.take(option, Some(value), argument),
                None => self.parsed.unknown.push(argument.clone()),
            }
        } else if text.starts_with("--") || style == Style::Go {
            self.parsed.unknown.push(argument.clone());
        } else if self.is_single() {
            match self.attached(text) {
                Some((option, value)) => {
                    let value = Value::known(value).then(Value::Unknown(origin.clone()));
                    let value = Argument { value, ..argument.clone() };
                    self.push(option, Some(value));
                }
                None => self.parsed.unknown.push(argument.clone()),
            }
        } else {
            self.cluster(argument, text, Some(origin));
        }
    }

    /// `-name`, `-name value`, `-Dkey=value`
    fn single(&mut self, argument: &Argument, text: &str) {
        if let Some(option) = self.exact(text) {
            self.take(option, None, argument);
        } else if let Some((option, value)) = self.attached(text) {
            let value = Argument { value: Value::known(value), ..argument.clone() };
            self.push(option, Some(value));
        } else if let Some((name, value)) = text.split_once('=')
            && let Some(option) = self.exact(name)
        {
            let value = Argument { value: Value::known(value), ..argument.clone() };
            self.take(option, Some(value), argument);
        } else {
            self.parsed.unknown.push(argument.clone());
        }
    }

    /// The option that takes an attached value and begins this word: the longest one.
    fn attached<'t>(&self, text: &'t str) -> Option<(Entry, &'t str)> {
        let mut best: Option<(Entry, &'t str)> = None;
        for option in self.options().filter(|option| option.takes == Takes::Attached) {
            for length in (1..=text.len()).rev().filter(|length| text.is_char_boundary(*length)) {
                let (start, rest) = text.split_at(length);
                if best.is_none_or(|(_, other)| rest.len() < other.len())
                    && option.any(|other| other == start)
                {
                    best = Some((option, rest));
                }
            }
        }
        best
    }

    /// `-x`, `--x`, `-x=value`, `-abc`
    fn go(&mut self, argument: &Argument, text: &str) {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let bare = name.trim_start_matches('-');
        let found = self
            .exact(name)
            .or_else(|| self.exact(&format!("--{bare}")))
            .or_else(|| self.exact(&format!("-{bare}")));
        let value = value.map(|value| Argument { value: Value::known(value), ..argument.clone() });
        match found {
            // `--force=true`
            Some(option) if option.takes == Takes::Nothing => {
                let off = value.as_ref().is_some_and(|value| {
                    matches!(
                        value.value.as_known(),
                        Some("false" | "0" | "f" | "F" | "FALSE" | "False")
                    )
                });
                if !off {
                    self.push(option, None);
                }
            }
            Some(option) => self.take(option, value, argument),
            None if text.starts_with("--") => self.parsed.unknown.push(argument.clone()),
            None => self.cluster(argument, text, None),
        }
    }
}
