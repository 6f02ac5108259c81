//! What stands behind a thing: members, calls with their arguments, indices.

use super::super::Language;
use super::super::thing::{From, Thing};
use super::super::token::Token;
use super::{Reader, Target, is_environment};

impl Reader<'_> {
    /// What is called and taken of a thing.
    #[expect(clippy::too_many_lines, reason = "one arm a suffix")]
    pub(super) fn suffixes(
        &mut self,
        mut thing: Thing,
        mut target: Target,
        assigning: bool,
    ) -> (Thing, Target) {
        use Language::{JavaScript, Lua, Perl, Php, Ruby};
        loop {
            self.fuel = self.fuel.saturating_sub(1);
            let Some(token) = self.peek() else { break };
            match token {
                Token::Mark(".") if matches!(self.language, Perl | Php) => break,
                Token::Mark("." | "?." | "->" | "::") => {
                    self.at += 1;
                    if let Some(name) = self.next_name() {
                        let is_variable = is_environment(&thing);
                        thing = match self.method_name(&name) {
                            Some(name) => self.member(&thing, &name),
                            None => Thing::Unknown(From::Code),
                        };
                        target = if is_variable { Target::Variable(name) } else { Target::Nothing };
                    }
                }
                Token::Line if self.language == JavaScript && self.next_is_dot() => self.at += 1,
                Token::Mark(":")
                    if self.language == Lua
                        && matches!(self.tokens.get(self.at + 1), Some(Token::Name(_))) =>
                {
                    self.at += 1;
                    if let Some(name) = self.next_name() {
                        thing = self.member(&thing, &name);
                    }
                }
                Token::Mark("(") => {
                    if self.calls_by_name(&thing) {
                        thing = Thing::Unknown(From::Code);
                    }
                    let (given, named) = self.given();
                    thing = self.call(&thing, given, named);
                    target = Target::Nothing;
                }
                Token::Mark("[") => {
                    let is_variable = is_environment(&thing);
                    let key = self.index_key("[");
                    target = match key.text() {
                        Some(name) if is_variable => Target::Variable(name.to_owned()),
                        _ => Target::Nothing,
                    };
                    thing = self.index(&thing, &key);
                }
                Token::Mark("{")
                    if self.language == Perl
                        && (matches!(&target, Target::Name(name) if name.starts_with(['$', '@', '%']))
                            || matches!(
                                self.tokens.get(self.at.wrapping_sub(1)),
                                Some(Token::Mark("->"))
                            )) =>
                {
                    let is_variable = is_environment(&thing);
                    let key = self.index_key("{");
                    target = match key.text() {
                        Some(name) if is_variable => Target::Variable(name.to_owned()),
                        _ => Target::Nothing,
                    };
                    thing = self.index(&thing, &key);
                }
                Token::Text(_) | Token::Mark("{")
                    if self.language == Lua && matches!(thing, Thing::Path(..)) =>
                {
                    let (given, _) = self.operand();
                    thing = self.call(&thing, vec![given], Vec::new());
                    target = Target::Nothing;
                }
                _ if matches!(self.language, Perl | Ruby | Php)
                    && self.is_verb(&thing)
                    && self.begins_argument() =>
                {
                    let (given, named) = self.bare();
                    thing = self.call(&thing, given, named);
                    target = Target::Nothing;
                }
                _ => break,
            }
        }
        let takes_none = matches!(self.language, Perl | Ruby) && self.is_verb(&thing);
        if takes_none && matches!(target, Target::Name(_) | Target::Nothing) && !self.is_mark("=") {
            thing = self.call(&thing, Vec::new(), Vec::new());
        } else if !assigning {
            self.handed_on(&thing);
        }
        (thing, target)
    }

    /// The name of a method; none if it is in a variable of which it is not known.
    fn method_name(&mut self, name: &str) -> Option<String> {
        let in_variable = name.starts_with('$')
            && matches!(self.language, Language::Perl | Language::Php)
            && self.is_mark("(");
        if !in_variable {
            return Some(name.to_owned());
        }
        self.name(name).text().map(str::to_owned)
    }

    /// True for a call of what may be the name of any function: `$f(…)`, `$f->(…)`.
    fn calls_by_name(&self, thing: &Thing) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        let indirect = match self.language {
            Language::Php => match before {
                Some(Token::Name(name)) => name.starts_with('$'),
                before => matches!(before, Some(Token::Mark("]" | ")"))),
            },
            Language::Perl => matches!(before, Some(Token::Mark("->"))),
            _ => false,
        };
        indirect && matches!(thing, Thing::Unknown(_))
    }

    pub(super) fn next_is_dot(&self) -> bool {
        let next = self.tokens[self.at..].iter().find(|token| **token != Token::Line);
        matches!(next, Some(Token::Mark("." | "?.")))
    }

    /// True where the next word may be the first argument of a call without parentheses.
    pub(super) fn begins_argument(&mut self) -> bool {
        match self.peek() {
            Some(Token::Name(name)) => ![
                "if", "unless", "and", "or", "x", "eq", "ne", "while", "until", "do", "for",
                "foreach", "then",
            ]
            .contains(&name.as_str()),
            Some(Token::Mark("[" | "\\" | "<" | "-" | "&" | "$" | "@" | "*" | "::")) => {
                !matches!(self.tokens.get(self.at + 1), Some(Token::Mark("=" | ">")))
            }
            Some(Token::Mark("{")) => self.language == Language::Perl,
            Some(Token::Mark(_) | Token::Line) | None => false,
            Some(_) => true,
        }
    }

    /// Arguments without parentheses.
    pub(in super::super) fn bare(&mut self) -> (Vec<Thing>, Vec<(String, Thing)>) {
        let mut given = Vec::new();
        let mut named = Vec::new();
        // A block, or a file handle, before the arguments.
        if self.is_mark("{") {
            self.bracketed("{");
            given.push(Thing::function());
        }
        loop {
            let before = self.at;
            self.argument(&mut given, &mut named);
            if self.at == before || !self.take(",") {
                break;
            }
        }
        (given, named)
    }

    /// Arguments between parentheses.
    pub(super) fn given(&mut self) -> (Vec<Thing>, Vec<(String, Thing)>) {
        self.at += 1;
        self.parentheses += 1;
        let mut given = Vec::new();
        let mut named = Vec::new();
        while self.peek().is_some() && !self.is_mark(")") {
            let before = self.at;
            self.argument(&mut given, &mut named);
            if self.at == before {
                self.at += 1;
            }
        }
        self.parentheses -= 1;
        self.at = (self.at + 1).min(self.tokens.len());
        (given, named)
    }

    pub(super) fn argument(&mut self, given: &mut Vec<Thing>, named: &mut Vec<(String, Thing)>) {
        let marks = if self.language == Language::Python { "=" } else { ":" };
        if let Some(Token::Name(name)) = self.peek()
            && matches!(self.tokens.get(self.at + 1), Some(Token::Mark(mark)) if *mark == marks)
            && self.language != Language::Lua
        {
            self.at += 2;
            let value = self.expression();
            named.push((name, value));
            return;
        }
        let spread = self.is_mark("*") || self.is_mark("**") || self.is_mark("...");
        let before = self.at;
        let thing = self.expression();
        if self.at == before {
            return;
        }
        if self.take("=>") || self.language == Language::Ruby && self.take(":") {
            let value = self.expression();
            named.push((thing.text().unwrap_or_default().to_owned(), value));
        } else if spread {
            given.extend(thing.elements());
        } else {
            given.push(thing);
        }
    }

    /// What stands between brackets.
    pub(in super::super) fn bracketed(&mut self, open: &str) -> Thing {
        self.at += 1;
        let close = match open {
            "(" => ")",
            "[" => "]",
            _ => "}",
        };
        let parentheses = if open == "{" { 0 } else { self.parentheses + 1 };
        let outer = std::mem::replace(&mut self.parentheses, parentheses);
        let mut all = Vec::new();
        let mut pairs = Vec::new();
        let mut commas = 0;
        while self.peek().is_some() && !self.is_mark(close) {
            let before = self.at;
            let key = match (self.peek(), self.tokens.get(self.at + 1)) {
                (Some(Token::Name(name)), Some(Token::Mark(":" | "=>"))) if open == "{" => {
                    self.at += 1;
                    Some(name)
                }
                (Some(Token::Name(name)), Some(Token::Mark("=")))
                    if self.language == Language::Lua && open == "{" =>
                {
                    self.at += 1;
                    Some(name)
                }
                _ => None,
            };
            let thing = match &key {
                Some(name) => Thing::known(name.clone()),
                None => self.expression(),
            };
            if key.is_some() || self.is_mark("=>") || open == "{" && self.is_mark(":") {
                self.at += 1;
                let value = self.expression();
                pairs.push((thing.text().unwrap_or_default().to_owned(), value));
            } else if self.at == before {
                commas += usize::from(self.is_mark(","));
                self.at += 1;
            } else {
                all.push(thing);
            }
        }
        self.parentheses = outer;
        self.at = (self.at + 1).min(self.tokens.len());
        match open {
            "(" if all.len() == 1 && commas == 0 => all.remove(0),
            "{" if !pairs.is_empty() || all.iter().any(is_environment) => {
                let spread = all.into_iter().filter(is_environment);
                pairs.extend(spread.map(|thing| ("...".to_owned(), thing)));
                Thing::Map(pairs)
            }
            "{" if self.language == Language::Lua => Thing::List(all),
            "{" => Thing::Unknown(From::Other),
            _ if !pairs.is_empty() => Thing::Map(pairs),
            _ => Thing::List(all),
        }
    }

    /// What stands between the brackets behind a thing.
    pub(super) fn index_key(&mut self, open: &str) -> Thing {
        if let (Some(Token::Name(name)), Some(Token::Mark("}"))) =
            (self.tokens.get(self.at + 1), self.tokens.get(self.at + 2))
            && open == "{"
            && !name.starts_with('$')
        {
            let key = Thing::known(name.clone());
            self.at += 3;
            return key;
        }
        let start = self.at;
        let inner = self.bracketed(open);
        let colons = self.tokens[start..self.at.min(self.tokens.len())]
            .iter()
            .filter(|token| **token == Token::Mark(":"))
            .count();
        match inner {
            // `[::-1]` is the whole from its end.
            Thing::List(all) if colons == 2 && matches!(all[..], [Thing::Number(-1)]) => {
                Thing::path("[::-1]")
            }
            Thing::List(_) if colons > 0 || self.sliced(start) => Thing::path("[:]"),
            Thing::List(mut all) if all.len() == 1 => all.remove(0),
            other => other,
        }
    }

    pub(super) fn sliced(&self, start: usize) -> bool {
        let end = self.at.min(self.tokens.len());
        self.tokens[start..end].iter().any(|token| matches!(token, Token::Mark("::" | "..")))
    }

    pub(super) fn index(&mut self, thing: &Thing, key: &Thing) -> Thing {
        match (thing, key) {
            (Thing::Text(value), Thing::Path(path, _)) if path == "[::-1]" => {
                Thing::Text(value.map(|text| text.chars().rev().collect()))
            }
            (Thing::List(all), Thing::Path(path, _)) if path == "[::-1]" => {
                Thing::List(all.iter().rev().cloned().collect())
            }
            (Thing::List(all), Thing::Path(path, _)) if path == "[:]" => {
                // A part of a list: any of them.
                Thing::List(vec![Thing::List(all.clone()).element()])
            }
            (Thing::List(all), Thing::Number(number)) => {
                let at = if *number < 0 { number + all.len() as i64 } else { *number };
                let found = usize::try_from(at).ok().and_then(|at| all.get(at));
                found.cloned().unwrap_or(Thing::Unknown(From::Other))
            }
            (Thing::Map(_), key) => match key.text().and_then(|key| thing.option(key)) {
                Some(found) => found.clone(),
                None => Thing::Unknown(From::Other),
            },
            (_, key) if is_environment(thing) => self.variable(key),
            (_, key) => match key.text() {
                Some(name) => {
                    let reflects = |path: &str| self.tables.reflective.contains(&path);
                    if matches!(thing, Thing::Path(path, _) if reflects(path)) {
                        self.dynamic("a function is found by its name");
                    }
                    let name = name.to_owned();
                    self.member(thing, &name)
                }
                None if matches!(thing, Thing::Path(path, _) if self.tables.holds_code(path)) => {
                    Thing::Unknown(From::Code)
                }
                // `local["rm"]`, `rm["-rf", "/x"]` of modules that run programs.
                None if matches!(key, Thing::List(_)) => {
                    self.keyed(thing, key);
                    Thing::Unknown(thing.from())
                }
                None => Thing::Unknown(thing.from()),
            },
        }
    }
}
