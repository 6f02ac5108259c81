//! Programs of `awk`: `system`, pipes, redirections, `getline`, `ENVIRON`, the network of gawk.
//!
//! The program is split into tokens and read twice in order, like other code: what a variable
//! becomes later counts before, because the program runs once per line of input. Patterns and
//! conditions are ignored.

use std::collections::BTreeMap;

use super::Act;
use super::address::host_of;
use crate::effect::{Access, Effect, Payload};
use crate::value::{Origin, Value};

/// The most acts of one program.
const MAX_ACTS: usize = 256;

/// A word of a program.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// A text between double quotes.
    Text(String),
    /// A name or a keyword.
    Name(String),
    /// A number, as it is written.
    Number(String),
    /// A regular expression.
    Pattern,
    /// An operator.
    Mark(&'static str),
    /// The end of a line.
    Line,
}

/// The operators, the longer ones first, so that `>>` is not read as two.
const MARKS: &[&str] = &[
    "|&", "||", "&&", ">>", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%=", "^=", "++", "--",
    "!~", "{", "}", "(", ")", "[", "]", ";", ",", "+", "-", "*", "/", "%", "^", "!", ">", "<", "|",
    "?", ":", "~", "$", "=", "@", "&",
];

/// What a program does beside reading its input and printing, with the variables it is given.
#[must_use]
pub fn awk(program: &str, variables: &[(String, Value)]) -> Vec<Act> {
    let tokens = tokens(program);
    let mut reader = Reader {
        tokens,
        at: 0,
        variables: variables.iter().cloned().collect(),
        acts: Vec::new(),
        prints: false,
        parentheses: 0,
    };
    reader.all();
    // What a variable becomes later counts before, in the next line of input.
    reader.acts.clear();
    reader.at = 0;
    reader.all();
    reader.acts
}

/// Splits a program into tokens.
#[expect(clippy::too_many_lines, reason = "one match arm per kind of character")]
fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let char = chars[at];
        let after_value = match tokens.last() {
            Some(Token::Text(_) | Token::Number(_)) => true,
            Some(Token::Name(name)) => {
                !matches!(name.as_str(), "print" | "printf" | "return" | "in" | "case")
            }
            Some(Token::Mark(mark)) => matches!(*mark, ")" | "]"),
            _ => false,
        };
        let rest = &chars[at..];
        match char {
            '\n' => {
                tokens.push(Token::Line);
                at += 1;
            }
            '\\' | '\r' => at += 1 + usize::from(rest.get(1) == Some(&'\n')),
            ' ' | '\t' => at += 1,
            '#' => at += rest.iter().take_while(|char| **char != '\n').count(),
            '"' => {
                let (text, length) = quoted(rest);
                tokens.push(Token::Text(text));
                at += length;
            }
            '/' if !after_value => {
                let mut end = 1;
                let mut class = false;
                while let Some(char) = rest.get(end) {
                    match char {
                        '\\' => end += 1,
                        '[' => class = true,
                        ']' => class = false,
                        '/' if !class => break,
                        '\n' => break,
                        _ => {}
                    }
                    end += 1;
                }
                tokens.push(Token::Pattern);
                at += end + 1;
            }
            _ if char == '_' || char.is_alphabetic() => {
                let word: String = rest
                    .iter()
                    .take_while(|char| **char == '_' || char.is_alphanumeric())
                    .collect();
                at += word.chars().count();
                tokens.push(Token::Name(word));
            }
            _ if char.is_ascii_digit() => {
                let word: String = rest
                    .iter()
                    .take_while(|char| char.is_ascii_alphanumeric() || **char == '.')
                    .collect();
                at += word.len();
                tokens.push(Token::Number(word));
            }
            _ => {
                let starts = |mark: &str| {
                    mark.chars().enumerate().all(|(at, char)| rest.get(at) == Some(&char))
                };
                let mark = MARKS.iter().find(|mark| mark.starts_with(char) && starts(mark));
                at += mark.map_or(1, |mark| mark.len());
                tokens.extend(mark.map(|mark| Token::Mark(mark)));
            }
        }
    }
    tokens
}

/// A text between double quotes, and how long it is written.
fn quoted(chars: &[char]) -> (String, usize) {
    let mut text = String::new();
    let mut at = 1;
    while at < chars.len() && chars[at] != '"' {
        if chars[at] != '\\' {
            text.push(chars[at]);
            at += 1;
            continue;
        }
        at += 1;
        let digits = |from: usize, most: usize, radix: u32| -> String {
            chars[from.min(chars.len())..]
                .iter()
                .take(most)
                .take_while(|char| char.is_digit(radix))
                .collect()
        };
        let (radix, most, skip) = match chars.get(at) {
            Some('x') => (16, 2, 1),
            _ => (8, 3, 0),
        };
        let code = digits(at + skip, most, radix);
        match chars.get(at) {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some(_) if !code.is_empty() => {
                text.extend(u32::from_str_radix(&code, radix).ok().and_then(char::from_u32));
                at += code.len() + skip - 1;
            }
            Some(other) => text.push(*other),
            None => {}
        }
        at += 1;
    }
    (text, at + 1)
}

/// A reading of a program.
struct Reader {
    /// The words of the program.
    tokens: Vec<Token>,
    /// The place of the next word.
    at: usize,
    /// What variables hold, as far as it is known.
    variables: BTreeMap<String, Value>,
    /// What the program does, so far.
    acts: Vec<Act>,
    /// True within a `print` or `printf`, where `>` and `|` write.
    prints: bool,
    /// How many parentheses are around since the last `print`; within them `>` compares.
    parentheses: usize,
}

impl Reader {
    /// Records an act, once.
    fn act(&mut self, act: Act) {
        if self.acts.len() < MAX_ACTS && !self.acts.contains(&act) {
            self.acts.push(act);
        } else if self.acts.len() == MAX_ACTS {
            let why = "the program does more than is looked at".to_owned();
            self.acts.push(Act::Effect(Effect::Dynamic { why }));
        }
    }

    /// True if this mark stands so many tokens ahead.
    fn is_mark(&self, ahead: usize, mark: &str) -> bool {
        matches!(self.tokens.get(self.at + ahead), Some(Token::Mark(other)) if *other == mark)
    }

    /// True if this name stands so many tokens ahead.
    fn is_name(&self, ahead: usize, name: &str) -> bool {
        matches!(self.tokens.get(self.at + ahead), Some(Token::Name(other)) if other == name)
    }

    /// Reads all tokens.
    #[expect(clippy::too_many_lines, reason = "one match arm per kind of token")]
    fn all(&mut self) {
        let mut last = Value::Unknown(Origin::Other);
        while let Some(token) = self.tokens.get(self.at).cloned() {
            match token {
                Token::Line | Token::Mark(";" | "{" | "}") => {
                    (self.prints, self.parentheses) = (false, 0);
                    self.at += 1;
                }
                Token::Name(name) if name == "print" || name == "printf" => {
                    (self.prints, self.parentheses) = (true, 0);
                    self.at += 1;
                }
                Token::Name(name) if name == "system" && self.is_mark(1, "(") => {
                    self.at += 2;
                    self.parentheses += 1;
                    let command = self.value();
                    self.act(Act::Shell(command));
                }
                Token::Name(name) if name == "getline" => {
                    self.at += 1;
                    // A variable may stand before the file.
                    if matches!(self.tokens.get(self.at), Some(Token::Name(_)))
                        && self.is_mark(1, "<")
                    {
                        self.at += 1;
                    }
                    if self.is_mark(0, "<") {
                        self.at += 1;
                        let file = self.primary();
                        self.file(Access::Read, file);
                    }
                }
                Token::Name(name) if name == "ENVIRON" => self.environment(),
                Token::Name(name) if name == "ARGV" => self.inputs(),
                Token::Name(name) if name == "SYMTAB" => {
                    let why = "awk changes variables by names that are not told".to_owned();
                    self.act(Act::Effect(Effect::Dynamic { why }));
                    self.at += 1;
                }
                Token::Name(name) if self.is_mark(1, "=") => {
                    self.at += 2;
                    let value = self.value();
                    let value = match self.variables.remove(&name) {
                        Some(before) => before.or(value),
                        None => value,
                    };
                    self.variables.insert(name, value.clone());
                    last = value;
                }
                Token::Mark("|" | "|&") => {
                    self.at += 1;
                    if self.is_name(0, "getline") {
                        self.command(last.clone());
                    } else {
                        let command = self.value();
                        self.command(command);
                    }
                }
                Token::Mark(">" | ">>") if self.prints && self.parentheses == 0 => {
                    self.at += 1;
                    let file = self.value();
                    self.file(Access::Write, file);
                }
                Token::Mark("@") => {
                    let why = "awk loads a file, or calls a function that is not known".to_owned();
                    self.act(Act::Effect(Effect::Dynamic { why }));
                    self.at += 1;
                }
                Token::Mark("(") => {
                    self.parentheses += 1;
                    self.at += 1;
                }
                Token::Mark(")") => {
                    self.parentheses = self.parentheses.saturating_sub(1);
                    self.at += 1;
                }
                Token::Mark(_) | Token::Pattern => self.at += 1,
                Token::Text(_) | Token::Name(_) | Token::Number(_) => last = self.value(),
            }
        }
    }

    /// Records an access to a file, or to what `/inet/…` stands for.
    fn file(&mut self, access: Access, file: Value) {
        if file.prefix().starts_with("/inet") {
            return self.command(file);
        }
        if !matches!(file.as_known(), Some("/dev/stdout" | "/dev/stderr" | "-" | "/dev/stdin")) {
            self.act(Act::file(access, file));
        }
    }

    /// A command, or a place in the network of gawk: `/inet/tcp/0/host/80`.
    fn command(&mut self, command: Value) {
        let Some(place) = command.prefix().strip_prefix("/inet") else {
            return self.act(Act::Shell(command));
        };
        let parts: Vec<&str> = place.split('/').collect();
        let host = parts
            .get(3)
            .map_or(Value::Unknown(Origin::Other), |host| host_of(&Value::known(*host)).0);
        let port = parts.get(4).and_then(|port| port.parse().ok());
        if parts.get(2).is_some_and(|local| *local != "0") {
            let port = parts.get(2).and_then(|port| port.parse().ok());
            self.act(Act::Effect(Effect::Listen { port }));
        }
        let sends = Payload::Text;
        self.act(Act::Effect(Effect::Network { host, port, fetches: true, sends }));
    }

    /// What is put into `ARGV` is read as a file. A function that is given a part of it may do that.
    fn inputs(&mut self) {
        /// Words behind which `ARGV` is only looked at.
        const LOOK: &[&str] = &[
            "if", "while", "for", "length", "print", "printf", "sprintf", "index", "substr",
            "tolower", "toupper", "int", "match", "system", "close", "return",
        ];
        let is_name = |ahead: usize, named: &dyn Fn(&str) -> bool| {
            let token = self.at.checked_sub(ahead).and_then(|at| self.tokens.get(at));
            matches!(token, Some(Token::Name(name)) if named(name))
        };
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        let is_given = match before {
            Some(Token::Mark("(")) => is_name(2, &|name| !LOOK.contains(&name)),
            Some(Token::Mark(",")) => !self.prints,
            Some(Token::Name(name)) => name == "getline",
            _ => false,
        };
        if is_given {
            let why = "a function may change which files awk reads".to_owned();
            self.act(Act::Effect(Effect::Dynamic { why }));
        }
        self.at += 1;
        if !self.is_mark(0, "[") {
            return;
        }
        let mut depth = 0_usize;
        while let Some(token) = self.tokens.get(self.at) {
            match token {
                Token::Mark("[") => depth += 1,
                Token::Mark("]") => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                break;
            }
        }
        if self.is_mark(0, "=") {
            self.at += 1;
            let file = self.value();
            self.file(Access::Read, file);
        }
    }

    /// Records what is read of `ENVIRON`.
    fn environment(&mut self) {
        self.at += 1;
        let name = match (self.tokens.get(self.at), self.tokens.get(self.at + 1)) {
            (Some(Token::Mark("[")), Some(Token::Text(name))) => Some(name.clone()),
            _ => None,
        };
        match name {
            Some(name) if crate::names::is_secret_name(&name) => {
                let kind = format!("the variable {name}");
                self.act(Act::Effect(Effect::Secret { kind, path: None }));
            }
            Some(_) => {}
            None => self.act(Act::Effect(Effect::EnvironmentDump)),
        }
    }

    /// One text, number, variable or field.
    fn primary(&mut self) -> Value {
        let Some(token) = self.tokens.get(self.at).cloned() else {
            return Value::Unknown(Origin::Other);
        };
        self.at += 1;
        match token {
            Token::Text(text) | Token::Number(text) => Value::Known(text),
            Token::Name(name) if name == "ENVIRON" => {
                self.at -= 1;
                self.environment();
                Value::Unknown(Origin::Other)
            }
            Token::Name(name) => {
                if self.is_mark(0, "(") || self.is_mark(0, "[") {
                    return Value::Unknown(Origin::Other);
                }
                self.variables.get(&name).cloned().unwrap_or(Value::Unknown(Origin::Input))
            }
            Token::Mark("(") => {
                let value = self.value();
                self.at += usize::from(self.is_mark(0, ")"));
                value
            }
            _ => Value::Unknown(Origin::Input),
        }
    }

    /// What stands side by side, joined. An operator makes it unknown.
    fn value(&mut self) -> Value {
        let mut all = self.primary();
        loop {
            match self.tokens.get(self.at) {
                Some(Token::Name(name))
                    if matches!(
                        name.as_str(),
                        "getline" | "in" | "print" | "printf" | "system"
                    ) =>
                {
                    break;
                }
                Some(Token::Text(_) | Token::Name(_) | Token::Number(_)) => {
                    let next = self.primary();
                    all = all.then(next);
                }
                Some(Token::Mark("(")) if all.as_known().is_some() => {
                    let next = self.primary();
                    all = all.then(next);
                }
                Some(Token::Mark("$")) => {
                    self.at += 2;
                    all = all.then(Value::Unknown(Origin::Input));
                }
                Some(Token::Mark("?")) => {
                    self.at += 1;
                    let one = self.value();
                    self.at += usize::from(self.is_mark(0, ":"));
                    let other = self.value();
                    return one.or(other);
                }
                _ => break,
            }
        }
        all
    }
}
