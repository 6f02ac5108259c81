//! The words of scripting languages: names, texts with code in them, marks. Comments are skipped.
//!
//! One lexer reads all languages; where they differ, it asks for the language. What it cannot be
//! sure of (a slash that may begin a pattern) it decides by the word before.

mod quotes;

use super::Language;

/// A word of code.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A name, with its sigil where the language has them: `system`, `$x`, `@ARGV`.
    Name(String),
    /// A text.
    Text(Vec<Part>),
    /// A text that a shell runs: `` `…` ``, `qx(…)`, `%x(…)`.
    Command(Vec<Part>),
    /// A pattern, with the code that replaces what it finds: `s/x/…/e`.
    Pattern(Option<String>),
    /// Words: `qw(a b)`, `%w[a b]`.
    Words(Vec<String>),
    /// A number.
    Number(i64),
    /// An operator or a bracket.
    Mark(&'static str),
    /// A line ends.
    Line,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    /// A text that stands for itself.
    Text(String),
    /// Code whose value stands there.
    Code(String),
}

/// The operators, the longest first, so that `===` is not read as `==`.
const MARKS: &[&str] = &[
    "===", "!==", "**=", "...", "<=>", "||=", "&&=", "??=", "//=", "=>", "->", "::", "?.", "&&",
    "||", "??", "+=", ".=", "-=", "*=", "/=", "%=", "|=", "==", "!=", "<=", ">=", "<<", ">>", "**",
    "..", ":=", "=~", "!~", "++", "--", "//", "~=", "(", ")", "[", "]", "{", "}", ",", ";", ":",
    ".", "+", "-", "*", "/", "%", "=", "<", ">", "!", "?", "&", "|", "^", "~", "@", "$", "#", "\\",
];

/// The most characters of a name between braces. Longer ones are no names.
const LONGEST_NAME: usize = 128;

/// Splits a text into words. Every character belongs to a word, a comment or a blank. A text that
/// is never closed ends with the code.
pub(super) fn tokens(text: &str, language: Language) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let mut lexer = Lexer { chars, at: 0, language, tokens: Vec::new(), bodies: Vec::new() };
    while lexer.at < lexer.chars.len() {
        lexer.next();
    }
    lexer.tokens
}

/// A splitting of code into words.
struct Lexer {
    /// The code.
    chars: Vec<char>,
    /// The place of the next character.
    at: usize,
    /// Its language.
    language: Language,
    /// The words so far.
    tokens: Vec<Token>,
    /// Here-documents whose bodies follow the line: the token, the end, whether code is put in.
    bodies: Vec<(usize, String, bool)>,
}

impl Lexer {
    /// The character so far ahead.
    fn peek(&self, ahead: usize) -> char {
        self.chars.get(self.at + ahead).copied().unwrap_or('\0')
    }

    /// True if a text stands next.
    fn starts(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(ahead, char)| self.peek(ahead) == char)
    }

    /// Reads the next word.
    fn next(&mut self) {
        let char = self.peek(0);
        match char {
            '\n' => {
                self.at += 1;
                self.tokens.push(Token::Line);
                self.here_documents();
            }
            '\\' if self.peek(1) == '\n' => self.at += 2,
            _ if char.is_whitespace() => self.at += 1,
            _ if self.comment() || self.text_like() || self.name() => {}
            _ if char.is_ascii_digit() => self.number(),
            _ => {
                let mark = MARKS.iter().find(|mark| mark.starts_with(char) && self.starts(mark));
                self.at += mark.map_or(1, |mark| mark.len());
                self.tokens.extend(mark.map(|mark| Token::Mark(mark)));
            }
        }
    }

    /// Skips the rest of the line.
    fn skip_line(&mut self) {
        while self.at < self.chars.len() && self.peek(0) != '\n' {
            self.at += 1;
        }
    }

    /// Skips everything to the end of a text.
    fn skip_past(&mut self, end: &str) {
        while self.at < self.chars.len() && !self.starts(end) {
            self.at += 1;
        }
        self.at = (self.at + end.len()).min(self.chars.len());
    }

    /// Skips a comment. False if none stands here.
    fn comment(&mut self) -> bool {
        use Language::{JavaScript, Lua, Perl, Php, Python, Ruby};
        let hash = matches!(self.language, Python | Perl | Ruby | Php) && self.peek(0) == '#';
        let slashes = matches!(self.language, JavaScript | Php) && self.starts("//");
        if matches!(self.language, JavaScript | Php) && self.starts("/*") {
            self.skip_past("*/");
        } else if self.language == Lua && self.starts("--[[") {
            self.skip_past("]]");
        } else if hash || slashes || self.language == Lua && self.starts("--") {
            self.skip_line();
        } else {
            return false;
        }
        true
    }

    /// True if the word before is a value, so that a slash divides and a percent sign is an
    /// operator.
    fn after_value(&self) -> bool {
        match self.tokens.last() {
            Some(Token::Name(name)) => {
                let verbs = [
                    "return", "split", "grep", "and", "or", "not", "if", "unless", "while", "in",
                    "typeof", "case", "print", "puts", "when", "then", "do", "join", "push", "p",
                    "keys", "values", "each", "map", "sort", "foreach", "for", "system", "exec",
                ];
                !verbs.contains(&name.as_str())
            }
            Some(Token::Text(_) | Token::Number(_) | Token::Words(_)) => true,
            Some(Token::Mark(mark)) => matches!(*mark, ")" | "]" | "}"),
            _ => false,
        }
    }

    /// Reads a text, a pattern or a command. False if none begins here.
    fn text_like(&mut self) -> bool {
        use Language::{JavaScript, Lua, Perl, Php, Python, Ruby};
        let char = self.peek(0);
        match (char, self.language) {
            ('\'' | '"', Python) => self.python_text(""),
            ('"', _) => self.quoted('"', true),
            ('\'', JavaScript | Lua) => self.quoted('\'', true),
            ('\'', _) => self.quoted('\'', false),
            ('`', JavaScript) => self.quoted('`', true),
            ('`', Perl | Ruby | Php) => {
                self.at += 1;
                let parts = self.parts('`', '`', true);
                self.tokens.push(Token::Command(parts));
            }
            ('[', Lua) if self.starts("[[") => {
                let start = self.at + 2;
                self.skip_past("]]");
                let end = self.at.saturating_sub(2).max(start).min(self.chars.len());
                let text = self.chars[start.min(end)..end].iter().collect();
                self.tokens.push(Token::Text(vec![Part::Text(text)]));
            }
            ('/', JavaScript | Perl | Ruby) if !self.after_value() => {
                self.at += 1;
                let pattern = self.parts('/', '/', false);
                self.flags();
                let runs = self.language == Perl && quotes::runs_code(&pattern);
                self.tokens.push(Token::Pattern(runs.then(|| quotes::UNKNOWN.to_owned())));
            }
            ('%', Ruby) if !self.after_value() => return self.percent(),
            (':', Ruby) if self.peek(1).is_alphabetic() && !self.starts("::") => {
                self.at += 1;
                let word = self.word();
                self.tokens.push(Token::Text(vec![Part::Text(word)]));
            }
            ('<', Perl | Ruby | Php) if self.starts("<<") => return self.here_document(),
            _ => return false,
        }
        true
    }

    /// Reads a text between quotes.
    fn quoted(&mut self, quote: char, codes: bool) {
        self.at += 1;
        let parts = self.parts(quote, quote, codes);
        self.tokens.push(Token::Text(parts));
    }

    /// Reads up to `close`, which is counted in pairs with `open`. With `codes`, escapes and code
    /// within the text are read.
    fn parts(&mut self, open: char, close: char, codes: bool) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        let mut text = String::new();
        let mut depth = 0_usize;
        while self.at < self.chars.len() {
            let char = self.peek(0);
            if char == '\\' {
                self.at += 1;
                if codes {
                    text.extend(self.escape());
                } else {
                    let next = self.peek(0);
                    if next != close && next != '\\' {
                        text.push('\\');
                    }
                    text.push(next);
                    self.at += 1;
                }
            } else if char == close && depth == 0 {
                self.at += 1;
                break;
            } else if let Some(code) = codes.then(|| self.code(close)).flatten() {
                if !text.is_empty() {
                    parts.push(Part::Text(std::mem::take(&mut text)));
                }
                parts.push(Part::Code(code));
            } else {
                if open != close {
                    depth += usize::from(char == open);
                    depth -= usize::from(char == close);
                }
                text.push(char);
                self.at += 1;
            }
        }
        if !text.is_empty() || parts.is_empty() {
            parts.push(Part::Text(text));
        }
        parts
    }

    /// Reads the code that stands in a text: `${x}`, `#{x}`, `$x`.
    fn code(&mut self, close: char) -> Option<String> {
        use Language::{JavaScript, Perl, Php, Ruby};
        let (first, second) = (self.peek(0), self.peek(1));
        match self.language {
            JavaScript if close == '`' && first == '$' && second == '{' => Some(self.braced(1)),
            Ruby if first == '#' && second == '{' => Some(self.braced(1)),
            Php if first == '{' && second == '$' => Some(self.braced(0)),
            Perl if first == '@' && second == '{' => Some(self.braced(1)),
            Perl | Php if first == '$' && second == '{' => {
                let inner = self.braced(1);
                let is_name = inner.chars().all(|char| char.is_alphanumeric() || char == '_');
                Some(if is_name { format!("${inner}") } else { inner })
            }
            Perl | Php if matches!(first, '$' | '@') && is_start(second) => {
                if first == '@' && self.language == Php {
                    return None;
                }
                self.at += 1;
                let mut code = format!("{first}{}", self.word());
                // An element of it: `$ENV{HOME}`, `$x[0]`, `$x->{a}`.
                loop {
                    let arrow = if self.starts("->") { 2 } else { 0 };
                    let (open, end) = match self.peek(arrow) {
                        '{' => ('{', '}'),
                        '[' => ('[', ']'),
                        _ => break,
                    };
                    self.at += arrow + 1;
                    code.push(open);
                    while self.at < self.chars.len() && self.peek(0) != end {
                        code.push(self.peek(0));
                        self.at += 1;
                    }
                    self.at += 1;
                    code.push(end);
                }
                Some(code)
            }
            _ => None,
        }
    }

    /// Reads the code between braces.
    fn braced(&mut self, ahead: usize) -> String {
        self.at += ahead + 1;
        let start = self.at;
        let mut depth = 1_usize;
        while self.at < self.chars.len() {
            match self.peek(0) {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            self.at += 1;
        }
        let code = self.since(start);
        self.at += 1;
        code
    }

    /// Reads the character that an escape stands for. The backslash is already read.
    fn escape(&mut self) -> Option<char> {
        let char = self.peek(0);
        self.at += 1;
        let plain = match char {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'a' => '\u{7}',
            'e' => '\u{1b}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            '\n' | '\0' => return None,
            'x' => return self.coded(2, 16),
            'u' => return self.coded(4, 16),
            'U' => return self.coded(8, 16),
            '0'..='7' if self.language != Language::Lua => {
                self.at -= 1;
                return self.coded(3, 8);
            }
            '0'..='9' => {
                self.at -= 1;
                return self.coded(3, 10);
            }
            other => other,
        };
        Some(plain)
    }

    /// Reads a character that is written as a number: `\x41`.
    fn coded(&mut self, most: usize, radix: u32) -> Option<char> {
        let braces = self.peek(0) == '{';
        self.at += usize::from(braces);
        let mut number = 0_u32;
        let most = if braces { 8 } else { most };
        for _ in 0..most {
            let Some(digit) = self.peek(0).to_digit(radix) else { break };
            number = number.saturating_mul(radix).saturating_add(digit);
            self.at += 1;
        }
        self.at += usize::from(braces && self.peek(0) == '}');
        char::from_u32(number)
    }

    /// The text between an earlier place and this one.
    fn since(&self, start: usize) -> String {
        let end = self.at.min(self.chars.len());
        self.chars.get(start..end).unwrap_or_default().iter().collect()
    }

    /// Reads a name.
    fn word(&mut self) -> String {
        let start = self.at;
        while is_start(self.peek(0)) || self.peek(0).is_alphanumeric() {
            self.at += 1;
        }
        self.since(start)
    }

    /// Reads the letters behind a pattern.
    fn flags(&mut self) -> String {
        let start = self.at;
        while self.peek(0).is_ascii_alphabetic() {
            self.at += 1;
        }
        self.since(start)
    }

    /// Reads a number.
    fn number(&mut self) {
        let start = self.at;
        while self.peek(0).is_ascii_alphanumeric()
            || self.peek(0) == '_'
            || self.peek(0) == '.' && self.peek(1).is_ascii_digit()
        {
            self.at += 1;
        }
        let text = self.since(start).replace('_', "");
        let number = match text.as_bytes() {
            [b'0', b'x' | b'X', ..] => i64::from_str_radix(&text[2..], 16),
            [b'0', b'o' | b'O', ..] => i64::from_str_radix(&text[2..], 8),
            [b'0', b'b' | b'B', ..] => i64::from_str_radix(&text[2..], 2),
            _ => text.parse(),
        };
        self.tokens.push(Token::Number(number.unwrap_or(0)));
    }

    /// Reads a name, or a text that begins with one: `f"…"`, `q(…)`.
    fn name(&mut self) -> bool {
        let char = self.peek(0);
        let sigils = match self.language {
            Language::Perl => "$@%",
            Language::Php => "$",
            Language::Ruby => "$@",
            _ => "",
        };
        if sigils.contains(char) && char != '\0' {
            return self.variable(char);
        }
        if char == '\\' && self.peek(1) == 'u' && self.language == Language::JavaScript {
            return self.escaped_name();
        }
        let is_script = self.language == Language::JavaScript;
        if !(is_start(char) || is_script && char == '$') {
            return false;
        }
        let mut name = String::new();
        while is_start(self.peek(0))
            || self.peek(0).is_alphanumeric()
            || is_script && self.peek(0) == '$'
        {
            name.push(self.peek(0));
            self.at += 1;
        }
        if self.peek(0) == '\\' && self.language == Language::JavaScript {
            self.tokens.push(Token::Name(name));
            return self.escaped_name();
        }
        let is_prefix = name.len() <= 2 && name.chars().all(|char| "rRbBfFuU".contains(char));
        if self.language == Language::Python && is_prefix && matches!(self.peek(0), '\'' | '"') {
            self.python_text(&name.to_ascii_lowercase());
            return true;
        }
        if self.language == Language::Perl && self.quote_like(&name) {
            return true;
        }
        if self.language == Language::Ruby
            && matches!(self.peek(0), '?' | '!')
            && self.peek(1) != '='
        {
            name.push(self.peek(0));
            self.at += 1;
        }
        self.tokens.push(Token::Name(name));
        true
    }

    /// `\u0065val`, alone or as the end of a name.
    fn escaped_name(&mut self) -> bool {
        let mut name = match self.tokens.last() {
            Some(Token::Name(start)) if !self.chars[self.at - 1].is_whitespace() => start.clone(),
            _ => String::new(),
        };
        if !name.is_empty() {
            self.tokens.pop();
        }
        while self.peek(0) == '\\' || is_start(self.peek(0)) || self.peek(0).is_alphanumeric() {
            if self.peek(0) == '\\' {
                self.at += 1;
                name.extend(self.escape());
            } else {
                name.push(self.peek(0));
                self.at += 1;
            }
        }
        self.tokens.push(Token::Name(name));
        true
    }

    /// `$x`, `@x`, `%x`, `$_`, `$!`
    fn variable(&mut self, sigil: char) -> bool {
        let next = self.peek(1);
        if sigil == '%' && self.after_value() {
            return false;
        }
        let mut name = sigil.to_string();
        if next == '{' {
            let inner: String = self.chars[self.at + 2..]
                .iter()
                .take(LONGEST_NAME)
                .take_while(|char| **char != '}')
                .collect();
            let is_name = inner.chars().all(|char| is_start(char) || char.is_alphanumeric());
            if inner.is_empty() || !is_name {
                return false;
            }
            self.at += inner.chars().count() + 3;
            name.push_str(&inner);
        } else if is_start(next) || sigil == '@' && next == '@' {
            self.at += 1 + usize::from(next == '@');
            name.push_str(&self.word());
            // `$main::x`
            while self.language == Language::Perl && self.starts("::") && is_start(self.peek(2)) {
                self.at += 2;
                name = format!("{sigil}{}", self.word());
            }
        } else if sigil == '$' && !next.is_whitespace() && next != '\0' && next != '(' {
            self.at += 2;
            name.push(next);
        } else {
            return false;
        }
        self.tokens.push(Token::Name(name));
        true
    }

    /// Reads a text of Python by its prefix: raw, formatted, of bytes.
    fn python_text(&mut self, prefix: &str) {
        let quote = self.peek(0);
        let triple = self.peek(1) == quote && self.peek(2) == quote;
        let end: String = std::iter::repeat_n(quote, if triple { 3 } else { 1 }).collect();
        self.at += end.len();
        let mut parts = Vec::new();
        let mut text = String::new();
        while self.at < self.chars.len() && !self.starts(&end) {
            let char = self.peek(0);
            if char == '\\' && !prefix.contains('r') {
                self.at += 1;
                text.extend(self.escape());
            } else if char == '\\' {
                text.extend([char, self.peek(1)]);
                self.at += 2;
            } else if prefix.contains('f') && char == '{' && self.peek(1) != '{' {
                if !text.is_empty() {
                    parts.push(Part::Text(std::mem::take(&mut text)));
                }
                parts.push(Part::Code(self.braced(0)));
            } else {
                text.push(char);
                self.at += 1 + usize::from(prefix.contains('f') && "{}".contains(char));
            }
        }
        self.at = (self.at + end.len()).min(self.chars.len());
        if !text.is_empty() || parts.is_empty() {
            parts.push(Part::Text(text));
        }
        self.tokens.push(Token::Text(parts));
    }
}

/// True for a character that a name may begin with.
fn is_start(char: char) -> bool {
    char == '_' || char.is_alphabetic()
}
