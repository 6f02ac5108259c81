//! Where the marks of a template stand in the tree of its text.

use std::ops::Range;

use crate::shell::{
    ir::{Assigned, Command, CommandKind, Piece, RedirectionKind, Script, Word},
    parse, precheck,
};

/// Where a word stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Where {
    /// Among the words of a command, in front of any `--`.
    Operand,
    /// Among words that are taken as they are: behind `--`, in a list, in `for`.
    Value,
    /// Where exactly one word stands.
    One,
}

/// A word with marks in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) span: Range<usize>,
    pub(super) at: Where,
    /// True if a variable keeps it.
    pub(super) is_kept: bool,
}

/// What was found in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    pub(super) places: Vec<Place>,
    /// What calculates with variables, if something does: arithmetic runs commands that stand in them.
    pub(super) calculates: Option<&'static str>,
    /// True if a program could take what a variable keeps for an option.
    pub(super) passes_variables: bool,
}

/// The words of a text in which marks stand, where that is allowed. A mark that stands elsewhere is in
/// none of them.
///
/// # Errors
/// What is wrong, with the mark that it is about.
pub(super) fn places(text: &str, marks: &[String]) -> Result<Places, String> {
    if let Some(fatal) = precheck::check(text).iter().find(|finding| finding.is_fatal()) {
        return Err(fatal.why());
    }
    let parsed = parse::parse(text);
    if let Some(problem) = parsed.problems.first() {
        return Err(format!(
            "it cannot be understood: {}. Put what is complicated into a script, and call that",
            problem.what
        ));
    }
    if parsed.script.items.is_empty() {
        return Err("there is no command in it".into());
    }
    let mut looking = Looking { text, marks, found: Places::default() };
    looking.script(&parsed.script)?;
    let shown = format!("{:?}", parsed.script);
    let calculates = [
        ("Arithmetic", "arithmetic"),
        ("Test(", "`[[ … ]]`"),
        ("Slice {", "`${…:…}`"),
        ("index: Some", "an index in brackets"),
    ];
    let calculates = calculates.iter().find(|(sign, _)| shown.contains(sign));
    looking.found.calculates = calculates.map(|(_, what)| *what);
    Ok(looking.found)
}

/// Builtins that take their arguments for code, for names of variables, or for what a shell is set to.
const READ_AS_CODE: &[&str] = &[
    "eval",
    "source",
    ".",
    "exec",
    "trap",
    "alias",
    "let",
    "declare",
    "typeset",
    "local",
    "readonly",
    "unset",
    "read",
    "mapfile",
    "readarray",
    "getopts",
    "shopt",
    "enable",
    "builtin",
    "hash",
    "complete",
    "compgen",
    "bind",
    "fc",
    "coproc",
];

/// Builtins of which one option takes the name of a variable.
const NAME_BY_OPTION: &[(&str, &[&str])] =
    &[("test", &["-v", "-R"]), ("[", &["-v", "-R"]), ("printf", &["-v"]), ("wait", &["-p"])];

/// Programs that take what stands behind `--` for more than operands.
const NO_END_OF_OPTIONS: &[&str] = &["find"];

/// Builtins that do nothing else for what begins with `-`, or keep it.
const NO_OPTIONS: &[&str] =
    &["echo", "printf", "test", "[", "set", "export", "shift", "return", "exit", "true", ":"];

struct Looking<'t> {
    text: &'t str,
    marks: &'t [String],
    found: Places,
}

impl Looking<'_> {
    fn script(&mut self, script: &Script) -> Result<(), String> {
        for item in &script.items {
            self.pipeline(&item.pipeline.commands)?;
        }
        Ok(())
    }

    fn pipeline(&mut self, commands: &[Command]) -> Result<(), String> {
        commands.iter().try_for_each(|command| self.command(command))
    }

    fn command(&mut self, command: &Command) -> Result<(), String> {
        match &command.kind {
            CommandKind::Simple(simple) => {
                for assignment in &simple.assignments {
                    match &assignment.value {
                        Assigned::Word(word) => self.word(word, Where::One, true)?,
                        Assigned::Array(words) => self.words(words, Where::Value, true)?,
                    }
                }
                self.simple(&simple.words)?;
            }
            CommandKind::Group(script) | CommandKind::Subshell(script) => self.script(script)?,
            CommandKind::If(branches, otherwise) => {
                for (condition, body) in branches {
                    self.script(condition)?;
                    self.script(body)?;
                }
                otherwise.iter().try_for_each(|script| self.script(script))?;
            }
            CommandKind::While { condition, body } => {
                self.script(condition)?;
                self.script(body)?;
            }
            CommandKind::For { words, body, .. } => {
                self.words(words.as_deref().unwrap_or_default(), Where::Value, true)?;
                self.script(body)?;
            }
            CommandKind::ForArithmetic { body, .. } => self.script(body)?,
            CommandKind::Case { subject, arms } => {
                self.word(subject, Where::One, false)?;
                arms.iter().try_for_each(|(_, body)| self.script(body))?;
            }
            CommandKind::Function { body, .. } => self.command(body)?,
            CommandKind::Time(pipeline) => self.pipeline(&pipeline.commands)?,
            CommandKind::Coproc { body, .. } => self.command(body)?,
            CommandKind::Test(_) | CommandKind::Arithmetic { .. } | CommandKind::Unknown(_) => {}
        }
        for redirection in &command.redirections {
            match &redirection.kind {
                RedirectionKind::Read(word)
                | RedirectionKind::Write { to: word, .. }
                | RedirectionKind::Append(word)
                | RedirectionKind::ReadWrite(word)
                | RedirectionKind::WriteBoth { to: word, .. }
                | RedirectionKind::HereString(word) => self.word(word, Where::One, false)?,
                RedirectionKind::Duplicate(_) | RedirectionKind::HereDocument { .. } => {}
            }
        }
        Ok(())
    }

    fn simple(&mut self, words: &[Word]) -> Result<(), String> {
        let Some((program, arguments)) = words.split_first() else { return Ok(()) };
        if self.mark_in(program).is_some() {
            let mark = self.mark_in(program).unwrap_or_default();
            return Err(format!(
                "`{mark}` would choose the program; write the program out, with a tool for each, or a \
                 `case` that knows every value"
            ));
        }
        self.nested(program)?;
        let name = literal(program).unwrap_or_default();
        let name = name.rsplit_once('/').map_or(name.as_str(), |(_, name)| name).to_owned();
        let (mut at, mut before) = (Where::Operand, String::new());
        for word in arguments {
            let text = literal(word).unwrap_or_default();
            if let Some(mark) = self.mark_in(word) {
                self.check_builtin(&name, &before, mark, &text)?;
            }
            let found = self.found.places.len();
            match &*name {
                "export" => self.word(word, Where::One, true)?,
                _ => self.word(word, at, name == "set")?,
            }
            if name == "export"
                && let Some(place) = self.found.places.get_mut(found)
            {
                // What is kept stands behind the name.
                let named = self.text[place.span.clone()].find('=');
                place.span.start += named.map_or(0, |at| at + 1);
            }
            self.found.passes_variables |=
                at == Where::Operand && !NO_OPTIONS.contains(&&*name) && begins_with_variable(word);
            if text == "--" && !NO_END_OF_OPTIONS.contains(&&*name) {
                at = Where::Value;
            }
            before = text;
        }
        Ok(())
    }

    /// Refuses an argument of a builtin that would read it as code or as a name.
    fn check_builtin(
        &self,
        name: &str,
        before: &str,
        mark: &str,
        text: &str,
    ) -> Result<(), String> {
        let is_option = |options: &[&str]| {
            options.iter().any(|option| before == *option || text.starts_with(option))
        };
        let takes_name =
            NAME_BY_OPTION.iter().any(|(of, options)| *of == name && is_option(options));
        let names = name == "export" && text.find('=').is_none_or(|end| text[..end].contains(mark));
        if READ_AS_CODE.contains(&name) || takes_name || names {
            return Err(format!(
                "`{mark}` is given to `{name}`, which would read it as code or as a name; assign it \
                 instead (`x={mark}`), and use \"$x\""
            ));
        }
        Ok(())
    }

    fn words(&mut self, words: &[Word], at: Where, is_kept: bool) -> Result<(), String> {
        words.iter().try_for_each(|word| self.word(word, at, is_kept))
    }

    /// Takes a word down if marks stand in it, and looks into what it runs.
    fn word(&mut self, word: &Word, at: Where, is_kept: bool) -> Result<(), String> {
        for piece in &word.pieces {
            if let Piece::Literal { text, quoted: true } = piece
                && let Some(mark) = self.marks.iter().find(|mark| text.contains(mark.as_str()))
            {
                return Err(format!(
                    "`{mark}` stands between quotes, or behind a backslash; write it without them: its \
                     value becomes one quoted word by itself, also as a piece of one (`--name={mark}`)"
                ));
            }
        }
        if self.mark_in(word).is_some() && self.fits(word) {
            self.found.places.push(Place { span: word.span.clone(), at, is_kept });
        }
        self.nested(word)
    }

    /// The first mark that stands in a word itself.
    fn mark_in(&self, word: &Word) -> Option<&str> {
        let texts = word.pieces.iter().filter_map(|piece| match piece {
            Piece::Literal { text, .. } => Some(text),
            _ => None,
        });
        let mut found = texts.flat_map(|text| {
            self.marks.iter().find(|mark| text.contains(mark.as_str())).map(String::as_str)
        });
        found.next()
    }

    /// True if the text has at the word's place that word: of a text that was parsed within another one,
    /// such as between backticks, the place is that of the other.
    fn fits(&self, word: &Word) -> bool {
        let Some(text) = self.text.get(word.span.clone()) else { return false };
        let again = parse::parse(&format!("x {text}"));
        let [item] = &again.script.items[..] else { return false };
        let [Command { kind: CommandKind::Simple(simple), .. }] = &item.pipeline.commands[..]
        else {
            return false;
        };
        let [_, same] = &simple.words[..] else { return false };
        let marks = |text: &str| -> usize {
            self.marks.iter().map(|mark| text.matches(mark.as_str()).count()).sum()
        };
        let own: usize = shape(word).iter().flatten().map(|(text, _)| marks(text)).sum();
        again.problems.is_empty() && shape(same) == shape(word) && marks(text) == own
    }

    fn nested(&mut self, word: &Word) -> Result<(), String> {
        for piece in &word.pieces {
            match piece {
                Piece::Command { script, .. } | Piece::Process { script, .. } => {
                    self.script(script)?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// What a word is made of: its texts, with whether they are quoted, and nothing for all else. Texts
/// that follow each other are one.
fn shape(word: &Word) -> Vec<Option<(String, bool)>> {
    let mut shape: Vec<Option<(String, bool)>> = Vec::new();
    for piece in &word.pieces {
        match (piece, shape.last_mut()) {
            (Piece::Literal { text, quoted }, Some(Some((before, same)))) if quoted == same => {
                before.push_str(text);
            }
            (Piece::Literal { text, quoted }, _) => shape.push(Some((text.clone(), *quoted))),
            _ => shape.push(None),
        }
    }
    shape
}

/// True if what a variable keeps may stand at the start of a word.
fn begins_with_variable(word: &Word) -> bool {
    let empty = |piece: &&Piece| matches!(piece, Piece::Literal { text, .. } if text.is_empty());
    let mut pieces = word.pieces.iter().skip_while(empty);
    matches!(pieces.next(), Some(Piece::Variable(_)))
}

/// The text of a word that is nothing else.
fn literal(word: &Word) -> Option<String> {
    word.pieces
        .iter()
        .map(|piece| match piece {
            Piece::Literal { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect()
}
