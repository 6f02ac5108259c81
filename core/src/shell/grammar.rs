//! Reads arguments by a [`Grammar`], exactly as the program would.
//!
//! What is not known of a word is kept apart: a word that may be an option is told as such, and an
//! option that is not in the grammar, or ambiguous, makes the whole call not understood.

use super::invocation::{Argument, Invocation};
use super::model::{Grammar, Opt, Parsed, Style, Takes};
use super::models::tool::{Command, Tool};
use super::value::{Origin, Value};

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
            meant: Vec::new(),
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
    options: &'static [Opt],
    groups: &'static [&'static [Opt]],
    style: Style,
    grammars: &'static [(&'static str, &'static Grammar)],
    commands: &'static [Command],
}

/// What every tool has.
const HELP: &[Opt] = &[Opt::flag(&["--help"])];

impl Level {
    fn of_grammar(grammar: &'static Grammar) -> Level {
        let Grammar { options, style, subcommands } = *grammar;
        Level { options, groups: &[], style, grammars: subcommands, commands: &[] }
    }

    fn of_command(command: &'static Command, style: Style) -> Level {
        let style = command.style.unwrap_or(style);
        let (groups, commands) = (command.options, command.commands);
        Level { options: HELP, groups, style, grammars: &[], commands }
    }

    fn options(&self) -> impl Iterator<Item = &'static Opt> + use<> {
        self.options.iter().chain(self.groups.iter().copied().flatten())
    }

    fn has_subcommands(&self) -> bool {
        !self.grammars.is_empty() || !self.commands.is_empty()
    }
}

struct Reader<'a> {
    parsed: Parsed<'a>,
    /// The program, and the subcommands so far.
    levels: Vec<Level>,
    rest: &'a [Argument],
}

impl<'a> Reader<'a> {
    fn level(&self) -> &Level {
        &self.levels[self.levels.len() - 1]
    }

    fn style(&self) -> Style {
        self.level().style
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

    fn all(&mut self) {
        while let Some((argument, rest)) = self.rest.split_first() {
            self.rest = rest;
            if self.style() == Style::Operands {
                self.parsed.operands.push(argument.clone());
                continue;
            }
            match &argument.value {
                Value::Known(text) if text == "--" => {
                    if self.style() == Style::Single {
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
                Value::Prefix(text, origin) if text.starts_with('-') => {
                    self.begun(argument, text, origin);
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
        if matches!(self.style(), Style::Posix | Style::InheritedPosix) {
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

    /// The options that count here, those of the subcommand first.
    fn options(&self) -> impl Iterator<Item = &'static Opt> + use<> {
        let inherited =
            matches!(self.style(), Style::Go | Style::Inherited | Style::InheritedPosix);
        let from = if inherited { 0 } else { self.levels.len() - 1 };
        let levels: Vec<Level> = self.levels[from..].iter().rev().copied().collect();
        levels.into_iter().flat_map(|level| level.options())
    }

    fn exact(&self, spelling: &str) -> Option<&'static Opt> {
        self.options().find(|option| option.spellings.contains(&spelling))
    }

    fn option(&mut self, argument: &Argument, text: &str) {
        let numbered = text[1..].bytes().all(|byte| byte.is_ascii_digit());
        if numbered
            && let Some(option) = self.exact("-#")
            && self.exact(&text[..2]).is_none()
        {
            let value = Argument { value: Value::known(&text[1..]), ..argument.clone() };
            self.parsed.options.push((option.id, Some(value)));
            return;
        }
        match self.style() {
            Style::Single => self.single(argument, text),
            Style::Go => self.go(argument, text),
            _ if text.starts_with("--") => self.long(argument, text),
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
    fn negated(&self, name: &str) -> Option<&'static Opt> {
        let positive = name.strip_prefix("--no-").filter(|_| self.style() == Style::Git)?;
        self.exact(&format!("--{positive}"))
    }

    /// The only long option that begins so.
    fn abbreviated(&self, name: &str) -> Option<&'static Opt> {
        if let Some(option) = self.exact(name) {
            return Some(option);
        }
        let mut found: Option<&'static Opt> = None;
        for option in self.options() {
            if option
                .spellings
                .iter()
                .any(|other| other.starts_with("--") && other.starts_with(name))
            {
                match found {
                    Some(before) if !std::ptr::eq(before, option) => return None,
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
                self.parsed.options.push((option.id, None));
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
    fn take(&mut self, option: &'static Opt, attached: Option<Argument>, argument: &Argument) {
        let value = match (option.takes, attached) {
            (Takes::Nothing | Takes::Attached, None) => None,
            (Takes::Nothing, Some(_)) => {
                self.parsed.unknown.push(argument.clone());
                return;
            }
            (_, Some(value)) => Some(value),
            (_, None) => match self.rest.split_first() {
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
        if let Some(value) = &value
            && matches!(option.takes, Takes::Reads | Takes::Writes | Takes::Folder | Takes::Runs)
        {
            self.parsed.meant.push((option, value.clone()));
        }
        self.parsed.options.push((option.id, value));
    }

    /// A word whose end is not known: `-o$x`, `--output=$x`.
    fn begun(&mut self, argument: &Argument, text: &str, origin: &Origin) {
        let style = self.style();
        if let Some((name, value)) = text.split_once('=')
            && text.starts_with("--")
        {
            let option =
                if style == Style::Single { self.exact(name) } else { self.abbreviated(name) };
            let value = Value::known(value).then(Value::Unknown(origin.clone()));
            let value = Argument { value, ..argument.clone() };
            match option {
                Some(option) => self.take(option, Some(value), argument),
                None => self.parsed.unknown.push(argument.clone()),
            }
        } else if text.starts_with("--") || style == Style::Go {
            self.parsed.unknown.push(argument.clone());
        } else if style == Style::Single {
            match self.attached(text) {
                Some((option, value)) => {
                    let value = Value::known(value).then(Value::Unknown(origin.clone()));
                    let value = Argument { value, ..argument.clone() };
                    self.parsed.options.push((option.id, Some(value)));
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
            self.parsed.options.push((option.id, Some(value)));
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
    fn attached<'t>(&self, text: &'t str) -> Option<(&'static Opt, &'t str)> {
        let fits = self.options().filter(|option| option.takes == Takes::Attached);
        let all =
            fits.flat_map(|option| option.spellings.iter().map(move |other| (option, *other)));
        all.filter_map(|(option, other)| text.strip_prefix(other).map(|rest| (option, rest)))
            .min_by_key(|(_, rest)| rest.len())
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
                    self.parsed.options.push((option.id, None));
                }
            }
            Some(option) => self.take(option, value, argument),
            None if text.starts_with("--") => self.parsed.unknown.push(argument.clone()),
            None => self.cluster(argument, text, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use proptest::prelude::*;

    use super::super::invocation::{Invocation, Locus, Stdin, Stdout};
    use super::*;

    const SUB: Grammar = Grammar {
        options: &[Opt { id: "all", spellings: &["-a", "--all"], takes: Takes::Nothing }],
        style: Style::Gnu,
        subcommands: &[],
    };

    macro_rules! grammar {
        ($style:ident, $subcommands:expr) => {
            Grammar {
                options: &[
                    Opt { id: "a", spellings: &["-a", "--alpha"], takes: Takes::Nothing },
                    Opt { id: "b", spellings: &["-b", "--beta"], takes: Takes::Value },
                    Opt { id: "c", spellings: &["-c", "--gamma"], takes: Takes::Attached },
                    Opt { id: "alpine", spellings: &["--alpine"], takes: Takes::Nothing },
                    Opt { id: "better", spellings: &["--better"], takes: Takes::Value },
                ],
                style: Style::$style,
                subcommands: $subcommands,
            }
        };
    }

    static GNU: Grammar = grammar!(Gnu, &[]);
    static POSIX: Grammar = grammar!(Posix, &[]);
    static GO: Grammar = grammar!(Go, &[("run", &SUB)]);
    static GIT: Grammar = grammar!(Gnu, &[("add", &SUB)]);
    static FIND: Grammar = Grammar {
        options: &[
            Opt { id: "name", spellings: &["-name"], takes: Takes::Value },
            Opt { id: "delete", spellings: &["-delete"], takes: Takes::Nothing },
            Opt { id: "define", spellings: &["-D"], takes: Takes::Attached },
            Opt { id: "lines", spellings: &["-#"], takes: Takes::Attached },
        ],
        style: Style::Single,
        subcommands: &[],
    };

    fn invocation(values: Vec<Value>) -> Invocation {
        let argument = |value| Argument { value, many: false, span: 0..0 };
        Invocation {
            program: argument(Value::known("x")),
            arguments: values.into_iter().map(argument).collect(),
            environment: Vec::new(),
            stdin: Stdin::Inherited,
            stdout: Stdout::Inherited,
            cwd: Value::known("/"),
            locus: Locus::Here,
            wrappers: Vec::new(),
            outer: None,
            builtin: false,
            conditional: false,
            span: 0..0,
        }
    }

    /// The result in the words of `getopt(1)`; none if something is unknown.
    fn shown(words: &[String], grammar: &'static Grammar) -> Option<String> {
        let invocation = invocation(words.iter().map(Value::known).collect());
        let parsed = parse(&invocation, grammar);
        let mut all = parsed.subcommands.iter().map(|name| format!("{name} ")).collect::<String>();
        for (id, value) in &parsed.options {
            all.push_str(id);
            if let Some(value) = value {
                all.push_str(&format!("={:?}", value.value.as_known()?));
            }
            all.push(' ');
        }
        for operand in &parsed.operands {
            all.push_str(&format!("{:?} ", operand.value.as_known()?));
        }
        parsed.unknown.is_empty().then_some(all)
    }

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn options_are_read_in_every_spelling() {
        for (grammar, text, expected) in [
            (&GNU, "-ab x y --gamma=z", Some("a b=\"x\" c=\"z\" \"y\" ")),
            (&GNU, "-abx y -- -a", Some("a b=\"x\" \"y\" \"-a\" ")),
            (&GNU, "--alph --bet=x", None),
            (&GNU, "--alph --beta=x", Some("a b=\"x\" ")),
            (&GNU, "--al", None),
            (&GNU, "--alpha=x", None),
            (&GNU, "-ax", None),
            (&GNU, "-b", None),
            (&GNU, "-c x", Some("c \"x\" ")),
            (&GNU, "-cx -", Some("c=\"x\" \"-\" ")),
            (&POSIX, "-a x -a", Some("a \"x\" \"-a\" ")),
            (&GIT, "-a add -a x", Some("add a all \"x\" ")),
            (&GIT, "-a other -z", Some("a \"other\" \"-z\" ")),
            (&GIT, "add --alpha", None),
            (&GO, "-alpha --b x -beta=y", Some("a b=\"x\" b=\"y\" ")),
            (&GO, "--alpha=false -ab x", Some("a b=\"x\" ")),
            (
                &FIND,
                ". -name -delete -delete -Dx=y -12",
                Some("name=\"-delete\" delete define=\"x=y\" lines=\"12\" \".\" "),
            ),
            (&FIND, ". -delet", None),
        ] {
            assert_eq!(shown(&words(text), grammar).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_not_known_of_a_word_is_kept_apart() {
        let unknown = || Value::Unknown(Origin::Other);
        let prefix = |text: &str| Value::Prefix(text.into(), Origin::Other);
        let call = invocation(vec![prefix("-b"), prefix("--beta="), unknown(), prefix("x")]);
        let parsed = parse(&call, &GNU);
        assert_eq!(parsed.values("b").count(), 2);
        assert_eq!((parsed.operands.len(), parsed.perhaps.len()), (2, 1));
        assert!(parsed.unknown.is_empty());
        for value in [prefix("-a"), prefix("--"), prefix("-z")] {
            let call = invocation(vec![value]);
            assert_eq!(parse(&call, &GNU).unknown.len(), 1);
        }
        let call = invocation(vec![Value::known("--"), unknown()]);
        assert!(parse(&call, &GNU).perhaps.is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn options_are_read_as_getopt_reads_them(
            words in prop::collection::vec(
                prop::sample::select(vec![
                    "-a", "-b", "-c", "-ab", "-bx", "-cx", "-acx", "-d", "--", "-", "x", "y=z", "--alpha",
                    "--alph", "--al", "--alpine", "--alpi", "--beta", "--bet", "--beta=x", "--better=",
                    "--bett=y", "--gamma", "--g=x", "--alpha=x", "--other", "-aaa", "--b",
                ]),
                0..6,
            ),
            posix in any::<bool>(),
        ) {
            let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
            let short = if posix { "+ab:c::" } else { "ab:c::" };
            let output = Command::new("getopt")
                .args(["-q", "-u", "-o", short, "-l", "alpha,beta:,gamma::,alpine,better:", "--"])
                .args(&words)
                .output();
            if let Ok(output) = output {
                let ours = shown(&words, if posix { &POSIX } else { &GNU });
                prop_assert_eq!(output.status.success(), ours.is_some(), "{:?}", &words);
                if let Some(ours) = ours {
                    prop_assert_eq!(normal(&String::from_utf8_lossy(&output.stdout)), ours.replace('"', ""));
                }
            }
        }
    }

    /// The output of `getopt -u` in the words of [`shown`].
    fn normal(output: &str) -> String {
        let mut all = String::new();
        let mut words = output.trim_start_matches(' ').trim_end().split(' ');
        while let Some(word) = words.next() {
            let (id, takes) = match word {
                "-a" | "--alpha" => ("a", false),
                "--alpine" => ("alpine", false),
                "-b" | "--beta" => ("b", true),
                "--better" => ("better", true),
                "-c" | "--gamma" => ("c", true),
                "--" => break,
                other => (other, false),
            };
            let value = if takes { words.next().unwrap_or_default() } else { "" };
            // For what may have no value, `getopt` writes an empty one.
            let optional = id == "c" && value.is_empty();
            all.push_str(id);
            if takes && !optional {
                all.push('=');
                all.push_str(value);
            }
            all.push(' ');
        }
        words.for_each(|word| all.push_str(&format!("{word} ")));
        all
    }
}
