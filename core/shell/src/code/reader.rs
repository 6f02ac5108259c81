//! Reads code from its beginning to its end, and keeps what names stand for.
//!
//! Every branch is taken. The code is read twice: what a name becomes later in the text is known
//! the second time, as it is in a loop or in a function that is defined below its call. Only the
//! acts of the second reading count.
//!
//! Counts limit the work. What is beyond one is recorded as dynamic, which asks.
//!
//! - Names and members: `names`. What follows a value (calls, indices): `suffixes`.
//! - Code that finds functions by their names: `reflection`. Processes without end: `forks`.

mod forks;
mod keywords;
mod names;
mod reflection;
mod suffixes;

use std::collections::BTreeMap;

use super::abstract_value::{AbstractValue, Provenance};
use super::pure::{formatted, repeated};
use super::token::{Part, Token, tokens};
use super::{Act, Language, Tables};
use crate::effect::Effect;
use crate::environment::steers;
use crate::names::is_env_injection;
use crate::value::Value;
use keywords::{BRANCHING_WORDS, DECLARING_WORDS, PLAIN_NAMES_IN_PYTHON, SKIPPED_WORDS};

/// The most expressions within each other. A level takes several frames of the stack.
const DEEPEST: usize = 28;

/// The most texts of code within each other: `eval` in `eval`.
const MAX_NESTED_TEXTS: usize = 4;

/// The most acts of one code. Nobody would read more.
const MAX_ACTS: usize = 256;

/// The most words of code that are read.
const FUEL: usize = 40_000;

/// A reading of code.
pub(super) struct Reader<'a> {
    /// The language.
    pub(super) language: Language,
    /// What is known of its functions.
    pub(super) tables: &'static Tables,
    /// What the code is called with, its own name first.
    pub(super) arguments: &'a [Value],
    /// The home folder.
    pub(super) home: &'a str,
    /// What the code does, so far.
    pub(super) acts: Vec<Act>,
    /// What names stand for.
    names: BTreeMap<String, AbstractValue>,
    /// What the names became the first time.
    later: BTreeMap<String, AbstractValue>,
    /// The parameters of functions.
    pub(super) functions: BTreeMap<String, Vec<String>>,
    /// Modules whose names are all here.
    stars: Vec<String>,
    /// Modules that are neither of the language nor well known.
    pub(super) foreign: Vec<String>,
    /// True if the names of one of them are all here.
    pub(super) foreign_names: bool,
    /// The words of the text that is read now.
    pub(super) tokens: Vec<Token>,
    /// The place of the next word.
    pub(super) at: usize,
    /// How many parentheses are around, in which lines do not end anything.
    pub(super) parentheses: usize,
    /// How many expressions are around.
    depth: usize,
    /// How many texts of code are around.
    texts: usize,
    /// How many words may still be read.
    fuel: usize,
    /// True once something may be skipped or done again.
    pub(super) branching: bool,
    /// True where the next value is assigned to a name.
    assigning: bool,
    /// True if a connection is opened by hand.
    pub(super) connects: bool,
    /// True if another program is run.
    pub(super) runs: bool,
    /// How many processes it makes of itself.
    forked: usize,
}

/// What can be assigned to.
pub(super) enum Target {
    /// A name of the code.
    Name(String),
    /// A variable of the environment.
    Variable(String),
    /// Nothing that is kept.
    Nothing,
}

/// Reads a text of code; what it does.
pub(super) fn read(language: Language, text: &str, arguments: &[Value], home: &str) -> Vec<Act> {
    let mut reader = Reader {
        language,
        tables: language.tables(),
        arguments,
        home,
        acts: Vec::new(),
        names: BTreeMap::new(),
        later: BTreeMap::new(),
        functions: BTreeMap::new(),
        stars: Vec::new(),
        foreign: Vec::new(),
        foreign_names: false,
        tokens: Vec::new(),
        at: 0,
        parentheses: 0,
        depth: 0,
        texts: 0,
        fuel: FUEL,
        branching: false,
        assigning: false,
        connects: false,
        runs: false,
        forked: 0,
    };
    reader.text(text);
    reader.acts.clear();
    (reader.branching, reader.connects, reader.runs) = (false, false, false);
    reader.forked = 0;
    reader.later = std::mem::take(&mut reader.names);
    reader.text(text);
    if reader.connects && reader.runs {
        reader.effect(Effect::RemoteShell);
    }
    reader.acts
}

impl Reader<'_> {
    /// Reads a text of the same language; what its last expression is.
    pub(super) fn text(&mut self, text: &str) -> AbstractValue {
        if self.texts >= MAX_NESTED_TEXTS {
            self.dynamic("code within code, too deep to follow");
            return AbstractValue::Unknown(Provenance::Other);
        }
        let inner = tokens(text, self.language);
        let outer = (std::mem::replace(&mut self.tokens, inner), self.at, self.parentheses);
        (self.at, self.parentheses) = (0, 0);
        self.texts += 1;
        let mut last = AbstractValue::Unknown(Provenance::Other);
        while self.at < self.tokens.len() {
            let before = self.at;
            let value = self.expression();
            if self.at == before {
                self.at += 1;
            } else {
                last = value;
            }
        }
        self.texts -= 1;
        (self.tokens, self.at, self.parentheses) = outer;
        last
    }

    /// Records an act, once per folder.
    pub(super) fn act(&mut self, act: Act) {
        // In another folder the same is something else.
        let since = self.acts.iter().rposition(|act| matches!(act, Act::Folder { .. }));
        let before = self.acts.get(since.unwrap_or(0)..).unwrap_or_default();
        if self.acts.len() < MAX_ACTS && !before.contains(&act) {
            self.acts.push(act);
        } else if self.acts.len() == MAX_ACTS {
            let why = "the code does more than is looked at".to_owned();
            self.acts.push(Act::Effect(Effect::Dynamic { why }));
        }
    }

    /// Records an effect.
    pub(super) fn effect(&mut self, effect: Effect) {
        self.act(Act::Effect(effect));
    }

    /// Records that something cannot be known.
    pub(super) fn dynamic(&mut self, why: impl Into<String>) {
        self.effect(Effect::Dynamic { why: why.into() });
    }

    /// The next word. Within parentheses, ends of lines are skipped.
    pub(super) fn peek(&mut self) -> Option<Token> {
        while self.parentheses > 0 && self.tokens.get(self.at) == Some(&Token::Line) {
            self.at += 1;
        }
        self.tokens.get(self.at).cloned()
    }

    /// True if the next word is this mark.
    pub(super) fn is_mark(&mut self, mark: &str) -> bool {
        matches!(self.peek(), Some(Token::Mark(other)) if other == mark)
    }

    /// True if the next word is this name.
    pub(super) fn is_name(&mut self, name: &str) -> bool {
        matches!(self.peek(), Some(Token::Name(other)) if other == name)
    }

    /// Takes a mark, if it is next.
    pub(super) fn take(&mut self, mark: &str) -> bool {
        let found = self.is_mark(mark);
        self.at += usize::from(found);
        found
    }

    /// Takes a name, if one is next.
    pub(super) fn next_name(&mut self) -> Option<String> {
        match self.peek() {
            Some(Token::Name(name)) => {
                self.at += 1;
                Some(name)
            }
            _ => None,
        }
    }

    /// Reads an expression with its operators and assignments. It reads nothing at the end of what
    /// is around it.
    pub(super) fn expression(&mut self) -> AbstractValue {
        if self.depth >= DEEPEST || self.fuel == 0 {
            self.dynamic("the code is too long or too deep to follow");
            self.at = self.tokens.len();
            return AbstractValue::Unknown(Provenance::Other);
        }
        self.depth += 1;
        let start = self.at;
        let (mut value, mut target) = self.operand();
        while self.at > start {
            match self.operator(&value, &target) {
                Some(next) => (value, target) = (next, Target::Nothing),
                None => break,
            }
        }
        self.depth -= 1;
        value
    }

    /// The value behind the operator that follows; none if none follows.
    #[expect(clippy::too_many_lines, reason = "one match arm per operator")]
    fn operator(&mut self, operand: &AbstractValue, target: &Target) -> Option<AbstractValue> {
        use Language::{JavaScript, Lua, Perl, Php, Python, Ruby};
        match self.peek()? {
            Token::Mark(mark @ ("=" | ":=" | "+=" | ".=" | "||=" | "??=" | "//=" | "&&=")) => {
                self.at += 1;
                let value = self.assigned();
                let value = match (mark, target) {
                    ("+=" | ".=", Target::Name(name)) => self.name(name).then(&value),
                    _ => value,
                };
                self.put_into(operand, target, &value);
                self.assign(target, value.clone());
                Some(value)
            }
            Token::Mark("=>") if self.language == JavaScript => {
                self.at += 1;
                self.branching = true;
                self.expression();
                Some(AbstractValue::function())
            }
            Token::Mark("+") => Some(self.both(operand, |one, other| one.then(other))),
            Token::Mark(".") if matches!(self.language, Perl | Php) => {
                Some(self.both(operand, |one, other| one.then(other)))
            }
            Token::Mark("..") if self.language == Lua => {
                Some(self.both(operand, |one, other| one.then(other)))
            }
            Token::Mark("<<") if self.language == Ruby => {
                let mut added = AbstractValue::Unknown(Provenance::Other);
                let value = self.both(operand, |one, other| {
                    added = other.clone();
                    one.then(other)
                });
                self.put_into(operand, target, &added);
                self.assign(target, value.clone());
                Some(value)
            }
            Token::Mark("%") if self.language == Python || self.language == Ruby => {
                Some(self.both(operand, formatted))
            }
            Token::Mark("*") => Some(self.both(operand, repeated)),
            Token::Mark("/") if matches!(operand, AbstractValue::Path(path, _) if path == "pathlib.Path()") => {
                Some(self.both(operand, |one, other| match one {
                    AbstractValue::Path(path, made) => {
                        let all = made.iter().chain([other]).cloned().collect();
                        AbstractValue::Path(path.clone(), all)
                    }
                    _ => AbstractValue::Unknown(Provenance::Other),
                }))
            }
            Token::Mark("?") if !matches!(self.language, Python | Lua) => {
                self.at += 1;
                let one = self.expression();
                let other = if self.take(":") { self.expression() } else { one.clone() };
                Some(self.one_of(&one, &other))
            }
            Token::Mark("||" | "&&" | "??") => Some(self.either(operand)),
            Token::Mark("//") if self.language == Perl => Some(self.either(operand)),
            Token::Name(name) => self.word_operator(&name, operand, target),
            Token::Mark(
                "-" | "/" | "//" | "%" | "**" | "==" | "===" | "!=" | "!==" | "<" | ">" | "<="
                | ">=" | "<=>" | "&" | "|" | "^" | ">>" | "<<" | "=~" | "!~" | "~=" | ".." | "..."
                | "-=" | "*=" | "/=" | "%=" | "|=" | "**=" | "++" | "--",
            ) => Some(self.both(operand, |_, _| AbstractValue::Unknown(Provenance::Other))),
            _ => None,
        }
    }

    /// The value behind an operator that is a word: `or`, `if`, `in`.
    fn word_operator(
        &mut self,
        name: &str,
        value: &AbstractValue,
        target: &Target,
    ) -> Option<AbstractValue> {
        use Language::{JavaScript, Lua, Perl, Php, Python, Ruby};
        match (name, self.language) {
            ("or" | "and", Python | Perl | Ruby | Php | Lua) => Some(self.either(value)),
            ("if" | "unless", Python | Perl | Ruby) => {
                self.at += 1;
                self.branching = true;
                self.expression();
                if self.language == Python && self.is_name("else") {
                    self.at += 1;
                    let other = self.expression();
                    return Some(self.one_of(value, &other));
                }
                Some(value.clone())
            }
            ("for", Python) => {
                self.loop_over();
                Some(AbstractValue::Unknown(value.provenance()))
            }
            ("as", Python) => {
                self.at += 1;
                let name = self.next_name()?;
                self.assign(&Target::Name(name), value.clone());
                Some(value.clone())
            }
            ("of", JavaScript) => {
                self.at += 1;
                let all = self.expression();
                self.iterated(&all);
                self.branching = true;
                self.assign(target, all.element());
                Some(AbstractValue::Unknown(Provenance::Other))
            }
            ("in" | "is" | "not" | "instanceof", _)
            | ("x" | "eq" | "ne" | "lt" | "gt" | "le" | "ge" | "cmp", Perl) => {
                Some(self.both(value, |_, _| AbstractValue::Unknown(Provenance::Other)))
            }
            _ => None,
        }
    }

    /// Joins a value with the operand behind an operator.
    fn both(
        &mut self,
        one: &AbstractValue,
        join: impl FnOnce(&AbstractValue, &AbstractValue) -> AbstractValue,
    ) -> AbstractValue {
        self.at += 1;
        let (other, _) = self.operand();
        join(one, &other)
    }

    /// One of two: this value, or the expression behind the operator.
    fn either(&mut self, one: &AbstractValue) -> AbstractValue {
        self.at += 1;
        let other = self.expression();
        self.one_of(one, &other)
    }

    /// One of the two. Of functions that matter it is not known any more which is called.
    fn one_of(&self, one: &AbstractValue, other: &AbstractValue) -> AbstractValue {
        let matters = |value: &AbstractValue| match value {
            AbstractValue::Path(path, _) => {
                self.is_known_call(value)
                    || self.tables.is_risky(path)
                    || self.tables.holds_code(path)
            }
            _ => false,
        };
        if one != other && (matters(one) || matters(other)) {
            return AbstractValue::Unknown(Provenance::Code);
        }
        one.or(other)
    }

    /// The right side of an assignment, which may be several values.
    fn assigned(&mut self) -> AbstractValue {
        self.assigning = true;
        let first = self.expression();
        let in_list = self.parentheses > 0 || self.language == Language::JavaScript;
        if in_list || self.language == Language::Perl || !self.is_mark(",") {
            return first;
        }
        let mut all = vec![first];
        while self.take(",") {
            all.push(self.expression());
        }
        AbstractValue::List(all)
    }

    /// Assigns to a target. In a branch, a name may keep what it stood for.
    pub(super) fn assign(&mut self, target: &Target, value: AbstractValue) {
        let value = value.short();
        self.fuel = self.fuel.saturating_sub(value.weight() / 4);
        match target {
            Target::Name(name) => {
                let value = match self.names.get(name) {
                    Some(before) if self.branching => self.one_of(before, &value),
                    _ => value,
                };
                self.names.insert(name.clone(), value);
            }
            Target::Variable(name) if is_env_injection(name) || steers(name) => {
                let effect =
                    Effect::EnvironmentInjection { name: name.clone(), value: value.value() };
                self.effect(effect);
            }
            _ => {}
        }
    }

    /// Assigns the elements of a list to names.
    pub(super) fn assign_all(&mut self, names: &[String], value: &AbstractValue) {
        for (at, name) in names.iter().enumerate() {
            let value = match value {
                AbstractValue::List(all) => {
                    all.get(at).cloned().unwrap_or(AbstractValue::Unknown(Provenance::Other))
                }
                other => AbstractValue::Unknown(other.provenance()),
            };
            self.assign(&Target::Name(name.clone()), value);
        }
    }

    /// One value with all that is called and taken of it.
    pub(super) fn operand(&mut self) -> (AbstractValue, Target) {
        let start = self.at;
        let assigning = std::mem::take(&mut self.assigning);
        let mut negative = false;
        loop {
            self.fuel = self.fuel.saturating_sub(1);
            match self.peek() {
                Some(Token::Mark(
                    "!" | "+" | "~" | "&" | "*" | "**" | "..." | "\\" | "++" | "--" | "@",
                )) => {
                    self.symbolic();
                    self.at += 1;
                }
                Some(Token::Mark("-")) => {
                    self.at += 1;
                    negative = true;
                }
                Some(Token::Mark("$")) if self.language == Language::Perl => self.at += 1,
                Some(Token::Name(name))
                    if SKIPPED_WORDS.contains(&name.as_str()) && !self.is_called(&name) =>
                {
                    self.branching |= BRANCHING_WORDS.contains(&name.as_str());
                    self.at += 1;
                    self.check_class_by_name(&name);
                    if DECLARING_WORDS.contains(&name.as_str()) && self.destructured() {
                        return (AbstractValue::Unknown(Provenance::Other), Target::Nothing);
                    }
                }
                _ => break,
            }
        }
        let Some(token) = self.peek() else {
            return (AbstractValue::Unknown(Provenance::Other), Target::Nothing);
        };
        let (value, target) = match token {
            Token::Mark(mark @ ("(" | "[" | "{")) => (self.bracketed(mark), Target::Nothing),
            Token::Mark(_) | Token::Line => {
                // What stood before has nothing behind it.
                if start == self.at || negative {
                    self.at = self.at.max(start);
                }
                return (AbstractValue::Unknown(Provenance::Other), Target::Nothing);
            }
            Token::Name(name) => {
                self.at += 1;
                match self.statement(&name) {
                    Some(value) => (value, Target::Nothing),
                    None => (self.name(&name), Target::Name(name)),
                }
            }
            token => {
                self.at += 1;
                (self.literal(token, negative), Target::Nothing)
            }
        };
        self.suffixes(value, target, assigning)
    }

    /// True for a word that is a function here: `assert(…)` of PHP, `do "file"` of Perl.
    fn is_called(&self, name: &str) -> bool {
        let is_file = || match self.tokens.get(self.at + 1) {
            Some(Token::Text(_)) => true,
            Some(Token::Name(name)) => name.starts_with('$'),
            _ => false,
        };
        match (name, self.language) {
            ("assert", Language::Php) => true,
            ("do", Language::Perl) => is_file(),
            (name, Language::Python) => PLAIN_NAMES_IN_PYTHON.contains(&name),
            _ => false,
        }
    }

    /// The value of a literal.
    fn literal(&mut self, token: Token, negative: bool) -> AbstractValue {
        match token {
            Token::Text(parts) => {
                let mut all = self.parts(&parts);
                while let Some(Token::Text(more)) = self.peek()
                    && self.language == Language::Python
                {
                    self.at += 1;
                    all = all.then(&self.parts(&more));
                }
                all
            }
            Token::Command(parts) => {
                let text = self.parts(&parts);
                self.shell(&text);
                AbstractValue::Unknown(Provenance::Other)
            }
            Token::Pattern(code) => {
                if let Some(code) = code {
                    self.text(&code);
                }
                AbstractValue::Unknown(Provenance::Other)
            }
            Token::Words(words) => {
                AbstractValue::List(words.into_iter().map(AbstractValue::known).collect())
            }
            Token::Number(number) => AbstractValue::Number(if negative { -number } else { number }),
            _ => AbstractValue::Unknown(Provenance::Other),
        }
    }

    /// The value of a text with code in it.
    fn parts(&mut self, parts: &[Part]) -> AbstractValue {
        // What is known so far; behind the first part that is not, nothing is.
        let mut known = String::new();
        let mut rest: Option<AbstractValue> = None;
        for part in parts {
            let part = match part {
                Part::Text(text) => AbstractValue::known(text.clone()),
                Part::Code(code) => self.interpolate(code),
            };
            match (&rest, part.text()) {
                (None, Some(text)) => known.push_str(text),
                (None, None) => rest = Some(part),
                (Some(before), _)
                    if before.provenance() == Provenance::Other
                        && part.provenance() != Provenance::Other =>
                {
                    rest = Some(part);
                }
                (Some(AbstractValue::Text(Value::OneOf(_))), _) => {
                    rest = rest.map(|rest| rest.then(&part))
                }
                (Some(_), _) => {}
            }
        }
        let known = AbstractValue::known(known);
        match rest {
            Some(rest) => known.then(&rest),
            None => known.short(),
        }
    }

    /// The value of code within a text.
    fn interpolate(&mut self, code: &str) -> AbstractValue {
        let value = self.text(code);
        self.shown(&value);
        match value {
            AbstractValue::List(words) => {
                words.iter().enumerate().fold(AbstractValue::known(""), |all, (at, word)| {
                    let space = AbstractValue::known(if at > 0 { " " } else { "" });
                    all.then(&space).then(word)
                })
            }
            value => value,
        }
    }
}

/// True for a value that is the whole environment.
pub(super) fn is_environment(value: &AbstractValue) -> bool {
    matches!(value, AbstractValue::Path(path, _) if path == "environment")
}
