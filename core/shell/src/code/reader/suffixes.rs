//! What follows a value: members, calls with their arguments, indices.

use super::super::Language;
use super::super::abstract_value::{AbstractValue, Provenance};
use super::super::token::Token;
use super::{Reader, Target, is_environment};

impl Reader<'_> {
    /// Reads everything that follows a value: members, calls, indices. The result is the value
    /// behind all of them.
    #[expect(clippy::too_many_lines, reason = "one match arm per suffix")]
    pub(super) fn suffixes(
        &mut self,
        mut value: AbstractValue,
        mut target: Target,
        assigning: bool,
    ) -> (AbstractValue, Target) {
        use Language::{JavaScript, Lua, Perl, Php, Ruby};
        loop {
            self.fuel = self.fuel.saturating_sub(1);
            let Some(token) = self.peek() else { break };
            match token {
                Token::Mark(".") if matches!(self.language, Perl | Php) => break,
                Token::Mark("." | "?." | "->" | "::") => {
                    self.at += 1;
                    if let Some(name) = self.next_name() {
                        let is_variable = is_environment(&value);
                        value = match self.method_name(&name) {
                            Some(name) => self.member(&value, &name),
                            None => AbstractValue::Unknown(Provenance::Code),
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
                        value = self.member(&value, &name);
                    }
                }
                Token::Mark("(") => {
                    if self.calls_by_name(&value) {
                        value = AbstractValue::Unknown(Provenance::Code);
                    }
                    let (arguments, named) = self.arguments();
                    value = self.call(&value, arguments, named);
                    target = Target::Nothing;
                }
                Token::Mark("[") => {
                    let is_variable = is_environment(&value);
                    let key = self.index_key("[");
                    target = match key.text() {
                        Some(name) if is_variable => Target::Variable(name.to_owned()),
                        _ => Target::Nothing,
                    };
                    value = self.index(&value, &key);
                }
                Token::Mark("{")
                    if self.language == Perl
                        && (matches!(&target, Target::Name(name) if name.starts_with(['$', '@', '%']))
                            || matches!(
                                self.tokens.get(self.at.wrapping_sub(1)),
                                Some(Token::Mark("->"))
                            )) =>
                {
                    let is_variable = is_environment(&value);
                    let key = self.index_key("{");
                    target = match key.text() {
                        Some(name) if is_variable => Target::Variable(name.to_owned()),
                        _ => Target::Nothing,
                    };
                    value = self.index(&value, &key);
                }
                Token::Text(_) | Token::Mark("{")
                    if self.language == Lua && matches!(value, AbstractValue::Path(..)) =>
                {
                    let (arguments, _) = self.operand();
                    value = self.call(&value, vec![arguments], Vec::new());
                    target = Target::Nothing;
                }
                _ if matches!(self.language, Perl | Ruby | Php)
                    && self.is_known_call(&value)
                    && self.begins_argument() =>
                {
                    let (arguments, named) = self.bare();
                    value = self.call(&value, arguments, named);
                    target = Target::Nothing;
                }
                _ => break,
            }
        }
        let takes_none = matches!(self.language, Perl | Ruby) && self.is_known_call(&value);
        if takes_none && matches!(target, Target::Name(_) | Target::Nothing) && !self.is_mark("=") {
            value = self.call(&value, Vec::new(), Vec::new());
        } else if !assigning {
            self.check_callback(&value);
        }
        (value, target)
    }

    /// The name of a method. None if it stands in a variable that is not known.
    fn method_name(&mut self, name: &str) -> Option<String> {
        let in_variable = name.starts_with('$')
            && matches!(self.language, Language::Perl | Language::Php)
            && self.is_mark("(");
        if !in_variable {
            return Some(name.to_owned());
        }
        self.name(name).text().map(str::to_owned)
    }

    /// True for a call whose function is named by a text: `$f(…)`, `$f->(…)`.
    fn calls_by_name(&self, value: &AbstractValue) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        let indirect = match self.language {
            Language::Php => match before {
                Some(Token::Name(name)) => name.starts_with('$'),
                before => matches!(before, Some(Token::Mark("]" | ")"))),
            },
            Language::Perl => matches!(before, Some(Token::Mark("->"))),
            _ => false,
        };
        indirect && matches!(value, AbstractValue::Unknown(_))
    }

    /// True if a member follows, perhaps on the next line.
    pub(super) fn next_is_dot(&self) -> bool {
        let next = self.tokens[self.at..].iter().find(|token| **token != Token::Line);
        matches!(next, Some(Token::Mark("." | "?.")))
    }

    /// True if the next word may be the first argument of a call without parentheses.
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

    /// Reads arguments without parentheses.
    pub(in super::super) fn bare(&mut self) -> (Vec<AbstractValue>, Vec<(String, AbstractValue)>) {
        let mut arguments = Vec::new();
        let mut named = Vec::new();
        // A block, or a file handle, before the arguments.
        if self.is_mark("{") {
            self.bracketed("{");
            arguments.push(AbstractValue::function());
        }
        loop {
            let before = self.at;
            self.argument(&mut arguments, &mut named);
            if self.at == before || !self.take(",") {
                break;
            }
        }
        (arguments, named)
    }

    /// Reads arguments between parentheses.
    pub(super) fn arguments(&mut self) -> (Vec<AbstractValue>, Vec<(String, AbstractValue)>) {
        self.at += 1;
        self.parentheses += 1;
        let mut arguments = Vec::new();
        let mut named = Vec::new();
        while self.peek().is_some() && !self.is_mark(")") {
            let before = self.at;
            self.argument(&mut arguments, &mut named);
            if self.at == before {
                self.at += 1;
            }
        }
        self.parentheses -= 1;
        self.at = (self.at + 1).min(self.tokens.len());
        (arguments, named)
    }

    /// Reads one argument, named or not.
    pub(super) fn argument(
        &mut self,
        arguments: &mut Vec<AbstractValue>,
        named: &mut Vec<(String, AbstractValue)>,
    ) {
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
        let operand = self.expression();
        if self.at == before {
            return;
        }
        if self.take("=>") || self.language == Language::Ruby && self.take(":") {
            let value = self.expression();
            named.push((operand.text().unwrap_or_default().to_owned(), value));
        } else if spread {
            arguments.extend(operand.elements());
        } else {
            arguments.push(operand);
        }
    }

    /// Reads what stands between brackets: a group, a list or a map.
    pub(in super::super) fn bracketed(&mut self, open: &str) -> AbstractValue {
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
            let operand = match &key {
                Some(name) => AbstractValue::known(name.clone()),
                None => self.expression(),
            };
            if key.is_some() || self.is_mark("=>") || open == "{" && self.is_mark(":") {
                self.at += 1;
                let value = self.expression();
                pairs.push((operand.text().unwrap_or_default().to_owned(), value));
            } else if self.at == before {
                commas += usize::from(self.is_mark(","));
                self.at += 1;
            } else {
                all.push(operand);
            }
        }
        self.parentheses = outer;
        self.at = (self.at + 1).min(self.tokens.len());
        match open {
            "(" if all.len() == 1 && commas == 0 => all.remove(0),
            "{" if !pairs.is_empty() || all.iter().any(is_environment) => {
                let spread = all.into_iter().filter(is_environment);
                pairs.extend(spread.map(|operand| ("...".to_owned(), operand)));
                AbstractValue::Map(pairs)
            }
            "{" if self.language == Language::Lua => AbstractValue::List(all),
            "{" => AbstractValue::Unknown(Provenance::Other),
            _ if !pairs.is_empty() => AbstractValue::Map(pairs),
            _ => AbstractValue::List(all),
        }
    }

    /// Reads the index between the brackets behind a value.
    pub(super) fn index_key(&mut self, open: &str) -> AbstractValue {
        if let (Some(Token::Name(name)), Some(Token::Mark("}"))) =
            (self.tokens.get(self.at + 1), self.tokens.get(self.at + 2))
            && open == "{"
            && !name.starts_with('$')
        {
            let key = AbstractValue::known(name.clone());
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
            AbstractValue::List(all)
                if colons == 2 && matches!(all[..], [AbstractValue::Number(-1)]) =>
            {
                AbstractValue::path("[::-1]")
            }
            AbstractValue::List(_) if colons > 0 || self.sliced(start) => {
                AbstractValue::path("[:]")
            }
            AbstractValue::List(mut all) if all.len() == 1 => all.remove(0),
            other => other,
        }
    }

    /// True if an index is a range.
    pub(super) fn sliced(&self, start: usize) -> bool {
        let end = self.at.min(self.tokens.len());
        self.tokens[start..end].iter().any(|token| matches!(token, Token::Mark("::" | "..")))
    }

    /// The element of a value.
    pub(super) fn index(&mut self, operand: &AbstractValue, key: &AbstractValue) -> AbstractValue {
        match (operand, key) {
            (AbstractValue::Text(value), AbstractValue::Path(path, _)) if path == "[::-1]" => {
                AbstractValue::Text(value.map(|text| text.chars().rev().collect()))
            }
            (AbstractValue::List(all), AbstractValue::Path(path, _)) if path == "[::-1]" => {
                AbstractValue::List(all.iter().rev().cloned().collect())
            }
            (AbstractValue::List(all), AbstractValue::Path(path, _)) if path == "[:]" => {
                // A part of a list: any of them.
                AbstractValue::List(vec![AbstractValue::List(all.clone()).element()])
            }
            (AbstractValue::List(all), AbstractValue::Number(number)) => {
                let at = if *number < 0 { number + all.len() as i64 } else { *number };
                let found = usize::try_from(at).ok().and_then(|at| all.get(at));
                found.cloned().unwrap_or(AbstractValue::Unknown(Provenance::Other))
            }
            (AbstractValue::Map(_), key) => match key.text().and_then(|key| operand.option(key)) {
                Some(found) => found.clone(),
                None => AbstractValue::Unknown(Provenance::Other),
            },
            (_, key) if is_environment(operand) => self.variable(key),
            (_, key) => match key.text() {
                Some(name) => {
                    let reflects = |path: &str| self.tables.reflective.contains(&path);
                    if matches!(operand, AbstractValue::Path(path, _) if reflects(path)) {
                        self.dynamic("a function is found by its name");
                    }
                    let name = name.to_owned();
                    self.member(operand, &name)
                }
                None if matches!(operand, AbstractValue::Path(path, _) if self.tables.holds_code(path)) => {
                    AbstractValue::Unknown(Provenance::Code)
                }
                // `local["rm"]`, `rm["-rf", "/x"]` of modules that run programs.
                None if matches!(key, AbstractValue::List(_)) => {
                    self.check_index(operand, key);
                    AbstractValue::Unknown(operand.provenance())
                }
                None => AbstractValue::Unknown(operand.provenance()),
            },
        }
    }
}
