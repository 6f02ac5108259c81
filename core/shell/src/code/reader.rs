//! Reads code from its beginning to its end, both branches of everything, and keeps what names
//! stand for. It reads twice: what a name becomes later is known the second time.

mod forks;
mod names;
mod reflection;
mod suffixes;

use std::collections::BTreeMap;

use super::pure::{formatted, repeated};
use super::thing::{From, Thing};
use super::token::{Part, Token, tokens};
use super::{Act, Language, Tables};
use crate::effect::Effect;
use crate::environment::steers;
use crate::interpret::is_poison;
use crate::value::Value;

/// The most expressions in each other.
const DEEPEST: usize = 28;

/// The most texts of code in each other.
const MOST_TEXTS: usize = 4;

/// The most acts of one code.
const MOST_ACTS: usize = 256;

/// The most words of code that are looked at.
const FUEL: usize = 40_000;

/// A reading of code.
pub(super) struct Reader<'a> {
    pub(super) language: Language,
    pub(super) tables: &'static Tables,
    /// What the code is called with, its own name first.
    pub(super) arguments: &'a [Value],
    /// The home folder.
    pub(super) home: &'a str,
    pub(super) acts: Vec<Act>,
    names: BTreeMap<String, Thing>,
    /// What the names became the first time.
    later: BTreeMap<String, Thing>,
    /// The parameters of functions.
    pub(super) functions: BTreeMap<String, Vec<String>>,
    /// Modules whose names are all here.
    stars: Vec<String>,
    /// Modules that are neither of the language nor well known.
    pub(super) foreign: Vec<String>,
    /// True if the names of one of them are all here.
    pub(super) foreign_names: bool,
    pub(super) tokens: Vec<Token>,
    pub(super) at: usize,
    /// How many parentheses are around, in which lines do not end anything.
    pub(super) parentheses: usize,
    depth: usize,
    texts: usize,
    fuel: usize,
    /// True once something may be skipped or done again.
    pub(super) branching: bool,
    /// True where the next thing is assigned to a name.
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
    Name(String),
    Variable(String),
    Nothing,
}

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
    pub(super) fn text(&mut self, text: &str) -> Thing {
        if self.texts >= MOST_TEXTS {
            self.dynamic("code within code, too deep to follow");
            return Thing::Unknown(From::Other);
        }
        let inner = tokens(text, self.language);
        let outer = (std::mem::replace(&mut self.tokens, inner), self.at, self.parentheses);
        (self.at, self.parentheses) = (0, 0);
        self.texts += 1;
        let mut last = Thing::Unknown(From::Other);
        while self.at < self.tokens.len() {
            let before = self.at;
            let thing = self.expression();
            if self.at == before {
                self.at += 1;
            } else {
                last = thing;
            }
        }
        self.texts -= 1;
        (self.tokens, self.at, self.parentheses) = outer;
        last
    }

    pub(super) fn act(&mut self, act: Act) {
        // In another folder the same is something else.
        let since = self.acts.iter().rposition(|act| matches!(act, Act::Folder { .. }));
        let before = self.acts.get(since.unwrap_or(0)..).unwrap_or_default();
        if self.acts.len() < MOST_ACTS && !before.contains(&act) {
            self.acts.push(act);
        } else if self.acts.len() == MOST_ACTS {
            let why = "the code does more than is looked at".to_owned();
            self.acts.push(Act::Effect(Effect::Dynamic { why }));
        }
    }

    pub(super) fn effect(&mut self, effect: Effect) {
        self.act(Act::Effect(effect));
    }

    pub(super) fn dynamic(&mut self, why: impl Into<String>) {
        self.effect(Effect::Dynamic { why: why.into() });
    }

    pub(super) fn peek(&mut self) -> Option<Token> {
        while self.parentheses > 0 && self.tokens.get(self.at) == Some(&Token::Line) {
            self.at += 1;
        }
        self.tokens.get(self.at).cloned()
    }

    pub(super) fn is_mark(&mut self, mark: &str) -> bool {
        matches!(self.peek(), Some(Token::Mark(other)) if other == mark)
    }

    pub(super) fn is_name(&mut self, name: &str) -> bool {
        matches!(self.peek(), Some(Token::Name(other)) if other == name)
    }

    pub(super) fn take(&mut self, mark: &str) -> bool {
        let found = self.is_mark(mark);
        self.at += usize::from(found);
        found
    }

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
    pub(super) fn expression(&mut self) -> Thing {
        if self.depth >= DEEPEST || self.fuel == 0 {
            self.dynamic("the code is too long or too deep to follow");
            self.at = self.tokens.len();
            return Thing::Unknown(From::Other);
        }
        self.depth += 1;
        let start = self.at;
        let (mut thing, mut target) = self.operand();
        while self.at > start {
            match self.operator(&thing, &target) {
                Some(next) => (thing, target) = (next, Target::Nothing),
                None => break,
            }
        }
        self.depth -= 1;
        thing
    }

    /// What becomes of a thing by the operator that follows; none if none follows.
    #[expect(clippy::too_many_lines, reason = "one arm an operator")]
    fn operator(&mut self, thing: &Thing, target: &Target) -> Option<Thing> {
        use Language::{JavaScript, Lua, Perl, Php, Python, Ruby};
        match self.peek()? {
            Token::Mark(mark @ ("=" | ":=" | "+=" | ".=" | "||=" | "??=" | "//=" | "&&=")) => {
                self.at += 1;
                let value = self.assigned();
                let value = match (mark, target) {
                    ("+=" | ".=", Target::Name(name)) => self.name(name).then(&value),
                    _ => value,
                };
                self.put_into(thing, target, &value);
                self.assign(target, value.clone());
                Some(value)
            }
            Token::Mark("=>") if self.language == JavaScript => {
                self.at += 1;
                self.branching = true;
                self.expression();
                Some(Thing::function())
            }
            Token::Mark("+") => Some(self.both(thing, |one, other| one.then(other))),
            Token::Mark(".") if matches!(self.language, Perl | Php) => {
                Some(self.both(thing, |one, other| one.then(other)))
            }
            Token::Mark("..") if self.language == Lua => {
                Some(self.both(thing, |one, other| one.then(other)))
            }
            Token::Mark("<<") if self.language == Ruby => {
                let mut added = Thing::Unknown(From::Other);
                let value = self.both(thing, |one, other| {
                    added = other.clone();
                    one.then(other)
                });
                self.put_into(thing, target, &added);
                self.assign(target, value.clone());
                Some(value)
            }
            Token::Mark("%") if self.language == Python || self.language == Ruby => {
                Some(self.both(thing, formatted))
            }
            Token::Mark("*") => Some(self.both(thing, repeated)),
            Token::Mark("/") if matches!(thing, Thing::Path(path, _) if path == "pathlib.Path()") => {
                Some(self.both(thing, |one, other| match one {
                    Thing::Path(path, made) => {
                        let all = made.iter().chain([other]).cloned().collect();
                        Thing::Path(path.clone(), all)
                    }
                    _ => Thing::Unknown(From::Other),
                }))
            }
            Token::Mark("?") if !matches!(self.language, Python | Lua) => {
                self.at += 1;
                let one = self.expression();
                let other = if self.take(":") { self.expression() } else { one.clone() };
                Some(self.one_of(&one, &other))
            }
            Token::Mark("||" | "&&" | "??") => Some(self.either(thing)),
            Token::Mark("//") if self.language == Perl => Some(self.either(thing)),
            Token::Name(name) => self.word_operator(&name, thing, target),
            Token::Mark(
                "-" | "/" | "//" | "%" | "**" | "==" | "===" | "!=" | "!==" | "<" | ">" | "<="
                | ">=" | "<=>" | "&" | "|" | "^" | ">>" | "<<" | "=~" | "!~" | "~=" | ".." | "..."
                | "-=" | "*=" | "/=" | "%=" | "|=" | "**=" | "++" | "--",
            ) => Some(self.both(thing, |_, _| Thing::Unknown(From::Other))),
            _ => None,
        }
    }

    fn word_operator(&mut self, name: &str, thing: &Thing, target: &Target) -> Option<Thing> {
        use Language::{JavaScript, Lua, Perl, Php, Python, Ruby};
        match (name, self.language) {
            ("or" | "and", Python | Perl | Ruby | Php | Lua) => Some(self.either(thing)),
            ("if" | "unless", Python | Perl | Ruby) => {
                self.at += 1;
                self.branching = true;
                self.expression();
                if self.language == Python && self.is_name("else") {
                    self.at += 1;
                    let other = self.expression();
                    return Some(self.one_of(thing, &other));
                }
                Some(thing.clone())
            }
            ("for", Python) => {
                self.loop_over();
                Some(Thing::Unknown(thing.from()))
            }
            ("as", Python) => {
                self.at += 1;
                let name = self.next_name()?;
                self.assign(&Target::Name(name), thing.clone());
                Some(thing.clone())
            }
            ("of", JavaScript) => {
                self.at += 1;
                let all = self.expression();
                self.iterated(&all);
                self.branching = true;
                self.assign(target, all.element());
                Some(Thing::Unknown(From::Other))
            }
            ("in" | "is" | "not" | "instanceof", _)
            | ("x" | "eq" | "ne" | "lt" | "gt" | "le" | "ge" | "cmp", Perl) => {
                Some(self.both(thing, |_, _| Thing::Unknown(From::Other)))
            }
            _ => None,
        }
    }

    fn both(&mut self, one: &Thing, join: impl FnOnce(&Thing, &Thing) -> Thing) -> Thing {
        self.at += 1;
        let (other, _) = self.operand();
        join(one, &other)
    }

    fn either(&mut self, one: &Thing) -> Thing {
        self.at += 1;
        let other = self.expression();
        self.one_of(one, &other)
    }

    /// One of the two. Of functions that matter it is not known any more which is called.
    fn one_of(&self, one: &Thing, other: &Thing) -> Thing {
        let matters = |thing: &Thing| match thing {
            Thing::Path(path, _) => {
                self.is_verb(thing) || self.tables.is_risky(path) || self.tables.holds_code(path)
            }
            _ => false,
        };
        if one != other && (matters(one) || matters(other)) {
            return Thing::Unknown(From::Code);
        }
        one.or(other)
    }

    /// The right side of an assignment, which may be several things.
    fn assigned(&mut self) -> Thing {
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
        Thing::List(all)
    }

    pub(super) fn assign(&mut self, target: &Target, value: Thing) {
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
            Target::Variable(name) if is_poison(name) || steers(name) => {
                let effect = Effect::EnvironmentPoison { name: name.clone(), value: value.value() };
                self.effect(effect);
            }
            _ => {}
        }
    }

    pub(super) fn assign_all(&mut self, names: &[String], value: &Thing) {
        for (at, name) in names.iter().enumerate() {
            let value = match value {
                Thing::List(all) => all.get(at).cloned().unwrap_or(Thing::Unknown(From::Other)),
                other => Thing::Unknown(other.from()),
            };
            self.assign(&Target::Name(name.clone()), value);
        }
    }

    /// One thing with all that is called and taken of it.
    pub(super) fn operand(&mut self) -> (Thing, Target) {
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
                    if SKIPPED.contains(&name.as_str()) && !self.is_called(&name) =>
                {
                    self.branching |= BRANCHING.contains(&name.as_str());
                    self.at += 1;
                    self.made_by_name(&name);
                    if DECLARING.contains(&name.as_str()) && self.destructured() {
                        return (Thing::Unknown(From::Other), Target::Nothing);
                    }
                }
                _ => break,
            }
        }
        let Some(token) = self.peek() else {
            return (Thing::Unknown(From::Other), Target::Nothing);
        };
        let (thing, target) = match token {
            Token::Mark(mark @ ("(" | "[" | "{")) => (self.bracketed(mark), Target::Nothing),
            Token::Mark(_) | Token::Line => {
                // What stood before has nothing behind it.
                if start == self.at || negative {
                    self.at = self.at.max(start);
                }
                return (Thing::Unknown(From::Other), Target::Nothing);
            }
            Token::Name(name) => {
                self.at += 1;
                match self.statement(&name) {
                    Some(thing) => (thing, Target::Nothing),
                    None => (self.name(&name), Target::Name(name)),
                }
            }
            token => {
                self.at += 1;
                (self.literal(token, negative), Target::Nothing)
            }
        };
        self.suffixes(thing, target, assigning)
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
            (name, Language::Python) => OF_OTHERS.contains(&name),
            _ => false,
        }
    }

    fn literal(&mut self, token: Token, negative: bool) -> Thing {
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
                Thing::Unknown(From::Other)
            }
            Token::Pattern(code) => {
                if let Some(code) = code {
                    self.text(&code);
                }
                Thing::Unknown(From::Other)
            }
            Token::Words(words) => Thing::List(words.into_iter().map(Thing::known).collect()),
            Token::Number(number) => Thing::Number(if negative { -number } else { number }),
            _ => Thing::Unknown(From::Other),
        }
    }

    fn parts(&mut self, parts: &[Part]) -> Thing {
        // What is known so far; behind the first part that is not, nothing is.
        let mut known = String::new();
        let mut rest: Option<Thing> = None;
        for part in parts {
            let part = match part {
                Part::Text(text) => Thing::known(text.clone()),
                Part::Code(code) => self.put_in(code),
            };
            match (&rest, part.text()) {
                (None, Some(text)) => known.push_str(text),
                (None, None) => rest = Some(part),
                (Some(before), _) if before.from() == From::Other && part.from() != From::Other => {
                    rest = Some(part);
                }
                (Some(Thing::Text(Value::OneOf(_))), _) => rest = rest.map(|rest| rest.then(&part)),
                (Some(_), _) => {}
            }
        }
        let known = Thing::known(known);
        match rest {
            Some(rest) => known.then(&rest),
            None => known.short(),
        }
    }

    /// The value of code within a text.
    fn put_in(&mut self, code: &str) -> Thing {
        let thing = self.text(code);
        self.shown(&thing);
        match thing {
            Thing::List(words) => {
                words.iter().enumerate().fold(Thing::known(""), |all, (at, word)| {
                    let space = Thing::known(if at > 0 { " " } else { "" });
                    all.then(&space).then(word)
                })
            }
            thing => thing,
        }
    }
}

/// Words that say nothing of what is done.
const SKIPPED: &[&str] = &[
    "return", "yield", "await", "new", "not", "if", "elif", "elsif", "else", "while", "try",
    "except", "finally", "class", "async", "const", "let", "var", "my", "our", "local", "static",
    "public", "do", "end", "then", "unless", "until", "begin", "rescue", "ensure", "throw",
    "raise", "typeof", "void", "with", "repeat", "catch", "switch", "case", "when", "assert",
    "export", "default", "global", "nonlocal", "del", "delete", "die", "BEGIN", "END", "pass",
];

/// Those of them that are plain names in Python.
const OF_OTHERS: &[&str] = &[
    "new", "const", "let", "var", "my", "our", "local", "static", "public", "do", "end", "then",
    "repeat", "export", "default", "begin", "void",
];

/// Those of them behind which something may be skipped or done again.
const BRANCHING: &[&str] = &[
    "if", "elif", "elsif", "else", "while", "try", "except", "unless", "until", "rescue", "switch",
    "case", "when", "catch", "repeat", "class", "do",
];

const DECLARING: &[&str] = &["const", "let", "var", "my", "our", "local"];

pub(super) fn is_environment(thing: &Thing) -> bool {
    matches!(thing, Thing::Path(path, _) if path == "environment")
}

/// True for a variable that holds a secret, by its name.
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    [
        "SECRET",
        "TOKEN",
        "PASSWORD",
        "PASSWD",
        "API_KEY",
        "APIKEY",
        "PRIVATE_KEY",
        "ACCESS_KEY",
        "CREDENTIAL",
        "_DSN",
    ]
    .iter()
    .any(|part| name.contains(part))
        || name.ends_with("_KEY")
        || name.ends_with("_PASS")
        || name == "DATABASE_URL"
}
