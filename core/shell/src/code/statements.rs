//! Statements that bind names: imports, loops, functions, declarations.
//!
//! Each is read in the form of its language, and binds names to abstract values. The bodies are
//! read as expressions by the reader, which takes every branch.

use super::Language;
use super::abstract_value::{AbstractValue, Provenance};
use super::reader::{Reader, Target};
use super::token::Token;

impl Reader<'_> {
    /// Reads a statement that begins with this word, which is read; none if none does.
    pub(super) fn statement(&mut self, word: &str) -> Option<AbstractValue> {
        use Language::{JavaScript, Lua, Perl, Php, Python, Ruby};
        match (word, self.language) {
            ("import", Python) => self.python_import(),
            ("from", Python) => self.python_from(),
            ("import", JavaScript) if !self.is_mark("(") => self.javascript_import(),
            ("for", Python | Ruby) => {
                self.at -= 1;
                self.loop_over();
            }
            ("constructor", JavaScript) if self.is_mark("(") => {
                self.at -= 1;
                self.function();
            }
            ("for" | "foreach", Perl) => self.perl_loop(),
            ("for" | "foreach", _) => self.branching = true,
            ("def", Python | Ruby) | ("function", Lua) => self.function(),
            ("function", JavaScript | Php) | ("sub", Perl) => {
                self.function();
                if self.is_mark("{") {
                    self.bracketed("{");
                }
                return Some(AbstractValue::function());
            }
            ("lambda", Python) => {
                self.branching = true;
                while self.peek().is_some_and(|token| token != Token::Line) && !self.is_mark(":") {
                    self.at += 1;
                }
                self.take(":");
                self.expression();
            }
            ("use" | "no", Perl) => {
                let mut path = self.next_name().unwrap_or_default();
                while self.take("::") {
                    path = format!("{path}.{}", self.next_name().unwrap_or_default());
                }
                self.import(&path);
                self.import_all(&path);
                if path == "lib" {
                    let (arguments, _) = self.bare();
                    arguments.iter().for_each(|value| self.library(value));
                }
            }
            ("include" | "extend" | "prepend", Ruby) => {
                let parentheses = usize::from(self.is_mark("("));
                if !matches!(self.tokens.get(self.at + parentheses), Some(Token::Name(_))) {
                    return None;
                }
                self.at += parentheses;
                let module = self.next_name().unwrap_or_default();
                self.import_all(&module);
            }
            _ => return None,
        }
        Some(AbstractValue::Unknown(Provenance::Other))
    }

    /// A path of names with dots between them.
    fn dotted(&mut self) -> String {
        let mut path = String::new();
        while self.take(".") || self.take("...") {}
        while let Some(name) = self.next_name() {
            path.push_str(&name);
            if !self.take(".") {
                break;
            }
            path.push('.');
        }
        path
    }

    /// `import a.b as c, d`.
    fn python_import(&mut self) {
        loop {
            let path = self.dotted();
            self.import(&path);
            if self.is_name("as") {
                self.at += 1;
                if let Some(name) = self.next_name() {
                    self.assign(&Target::Name(name), AbstractValue::path(path));
                }
            } else {
                let first = path.split('.').next().unwrap_or_default().to_owned();
                self.assign(&Target::Name(first.clone()), AbstractValue::path(first));
            }
            if !self.take(",") {
                break;
            }
        }
    }

    /// `from a import b as c`.
    fn python_from(&mut self) {
        let path = self.dotted();
        self.import(&path);
        if !self.is_name("import") {
            return;
        }
        self.at += 1;
        let parentheses = self.take("(");
        self.parentheses += usize::from(parentheses);
        if self.take("*") {
            self.import_all(&path);
        }
        while let Some(name) = self.next_name() {
            let bound = if self.is_name("as") {
                self.at += 1;
                self.next_name().unwrap_or_default()
            } else {
                name.clone()
            };
            let value = self.member(&AbstractValue::path(path.clone()), &name);
            self.assign(&Target::Name(bound), value);
            if !self.take(",") {
                break;
            }
        }
        if parentheses {
            self.take(")");
            self.parentheses -= 1;
        }
    }

    /// `import fs, {a as b} from 'fs'`, `import * as fs from 'fs'`, `import 'fs'`
    fn javascript_import(&mut self) {
        let mut bound: Vec<(Option<String>, String)> = Vec::new();
        let mut braces = false;
        loop {
            match self.peek() {
                Some(Token::Mark("{")) => (braces, self.at) = (true, self.at + 1),
                Some(Token::Mark("," | "*" | "}")) => self.at += 1,
                Some(Token::Name(name)) if name == "from" => self.at += 1,
                Some(Token::Name(name)) if name == "as" => {
                    self.at += 1;
                    if let (Some(last), Some(name)) = (bound.pop(), self.next_name()) {
                        bound.push((last.0, name));
                    } else if let Some(Token::Name(name)) = self.tokens.get(self.at - 1).cloned() {
                        bound.push((None, name));
                    }
                }
                Some(Token::Name(name)) => {
                    self.at += 1;
                    bound.push((braces.then(|| name.clone()), name));
                }
                _ => break,
            }
        }
        let module = self.operand().0;
        let module = self.import_by_name(&module);
        for (member, name) in bound {
            let value = match member {
                Some(member) => self.member(&module, &member),
                None => module.clone(),
            };
            self.assign(&Target::Name(name), value);
        }
    }

    /// `for x, y in all`; the word `for` is next.
    pub(super) fn loop_over(&mut self) {
        self.at += 1;
        self.branching = true;
        let mut names = Vec::new();
        while let Some(token) = self.peek() {
            match token {
                Token::Name(name) if name == "in" => {
                    self.at += 1;
                    break;
                }
                Token::Name(name) => names.push(name),
                Token::Mark("(" | ")" | "," | "[" | "]" | "*") => {}
                _ => return,
            }
            self.at += 1;
        }
        let all = self.expression();
        self.shown(&all);
        let element = all.element();
        match (&names[..], element) {
            ([name], element) => self.assign(&Target::Name(name.clone()), element),
            (names, element) => self.assign_all(names, &element),
        }
    }

    /// `foreach my $x (…)`, `for (…)`; the word is read.
    fn perl_loop(&mut self) {
        self.branching = true;
        while self.is_name("my") || self.is_name("our") {
            self.at += 1;
        }
        let name = self.next_name().unwrap_or_else(|| "$_".to_owned());
        if self.is_mark("(") {
            let all = self.bracketed("(");
            self.shown(&all);
            self.assign(&Target::Name(name), all.element());
        }
    }

    /// The name and the parameters of a function; the word `def` is read.
    fn function(&mut self) {
        self.branching = true;
        let name = self.next_name();
        if !self.take("(") {
            return;
        }
        let mut parameters = Vec::new();
        let mut depth = 1_usize;
        let mut fresh = true;
        while depth > 0 {
            match self.tokens.get(self.at) {
                None => break,
                Some(Token::Mark("(" | "[" | "{")) => depth += 1,
                Some(Token::Mark(")" | "]" | "}")) => depth -= 1,
                Some(Token::Mark(",")) if depth == 1 => fresh = true,
                Some(Token::Name(name)) if depth == 1 && fresh => {
                    parameters.push(name.clone());
                    fresh = false;
                }
                _ => {}
            }
            self.at += 1;
        }
        if let Some(name) = name {
            self.functions.insert(name, parameters);
        }
    }

    /// `const {a, b: c} = …`, `my ($a, $b) = …`; false if nothing of the kind stands here.
    pub(super) fn destructured(&mut self) -> bool {
        let open = match self.peek() {
            Some(Token::Mark(open @ ("{" | "(" | "["))) => open,
            _ => return false,
        };
        if open == "{" && self.language != Language::JavaScript {
            return false;
        }
        self.at += 1;
        let mut names: Vec<(String, String)> = Vec::new();
        let mut renames = false;
        while let Some(token) = self.tokens.get(self.at).cloned() {
            self.at += 1;
            match token {
                Token::Name(name) if renames => {
                    if let Some(last) = names.last_mut() {
                        last.1 = name;
                    }
                    renames = false;
                }
                Token::Name(name) => names.push((name.clone(), name)),
                Token::Mark(":") => renames = true,
                Token::Mark("}" | ")" | "]") => break,
                _ => {}
            }
        }
        if self.take("=") {
            let value = self.expression();
            if open == "{" {
                for (member, name) in names {
                    let operand = self.member(&value, &member);
                    self.assign(&Target::Name(name), operand);
                }
            } else {
                let names: Vec<String> = names.into_iter().map(|(_, name)| name).collect();
                self.assign_all(&names, &value);
            }
        }
        true
    }
}
