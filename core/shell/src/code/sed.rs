//! Scripts of `sed`: the commands `r`, `w`, `e` and the flags `w` and `e` of `s` reach out of the
//! script.

use super::Act;
use crate::effect::{Access, CodeFrom, Effect};
use crate::value::{Origin, Value};

/// What a script does beside editing; none of the names in it are looked for.
#[must_use]
pub fn sed(script: &str) -> Vec<Act> {
    let mut reader = Reader { chars: script.chars().collect(), at: 0, acts: Vec::new() };
    while reader.at < reader.chars.len() {
        reader.command();
    }
    reader.acts
}

/// A reading of a script.
struct Reader {
    /// The script.
    chars: Vec<char>,
    /// The place of the next character.
    at: usize,
    /// What the script does, so far.
    acts: Vec<Act>,
}

impl Reader {
    /// The next character.
    fn peek(&self) -> char {
        self.chars.get(self.at).copied().unwrap_or('\0')
    }

    /// Skips characters.
    fn skip(&mut self, test: impl Fn(char) -> bool) {
        while self.at < self.chars.len() && test(self.peek()) {
            self.at += 1;
        }
    }

    /// The rest of the line.
    fn line(&mut self) -> String {
        let start = self.at;
        self.skip(|char| char != '\n');
        self.chars
            .get(start..self.at)
            .unwrap_or_default()
            .iter()
            .collect::<String>()
            .trim()
            .to_owned()
    }

    /// Reads up to a delimiter that no backslash stands before.
    fn until(&mut self, delimiter: char) -> String {
        let mut text = String::new();
        let mut in_class = false;
        while self.at < self.chars.len() {
            let char = self.peek();
            self.at += 1;
            match char {
                '\\' if self.at < self.chars.len() => {
                    text.extend([char, self.peek()]);
                    self.at += 1;
                    continue;
                }
                // GNU sed ends a pattern at the delimiter even within a class.
                _ if char == delimiter => break,
                '[' => in_class = true,
                ']' => in_class = false,
                '\n' if !in_class && delimiter != '\n' => {}
                _ => {}
            }
            text.push(char);
        }
        text
    }

    /// Skips the addresses of a command.
    fn address(&mut self) {
        loop {
            self.skip(char::is_whitespace);
            match self.peek() {
                '/' => {
                    self.at += 1;
                    self.until('/');
                    self.skip(|char| char == 'I' || char == 'M');
                }
                '\\' => {
                    self.at += 1;
                    let delimiter = self.peek();
                    self.at += 1;
                    self.until(delimiter);
                    self.skip(|char| char == 'I' || char == 'M');
                }
                '0'..='9' | '$' | '~' | '+' | ',' | '!' => self.at += 1,
                _ => return,
            }
        }
    }

    /// Records an access to a file.
    fn file(&mut self, access: Access, name: &str) {
        if !name.is_empty() && !matches!(name, "/dev/stdout" | "/dev/stderr" | "/dev/stdin") {
            self.acts.push(Act::file(access, Value::known(name)));
        }
    }

    /// Records that a command is run.
    fn runs(&mut self, command: Value) {
        let from = CodeFrom::Setting("the command `e` of sed".into());
        self.acts.push(Act::Effect(Effect::Code { from }));
        self.acts.push(Act::Shell(command));
    }

    /// Reads one command with its address.
    fn command(&mut self) {
        self.skip(|char| char.is_whitespace() || matches!(char, ';' | '{' | '}'));
        self.address();
        let command = self.peek();
        self.at += 1;
        match command {
            '#' => _ = self.line(),
            's' => self.substitute(),
            'y' => {
                let delimiter = self.peek();
                self.at += 1;
                self.until(delimiter);
                self.until(delimiter);
            }
            'r' | 'R' => {
                let name = self.line();
                self.file(Access::Read, &name);
            }
            'w' | 'W' => {
                let name = self.line();
                self.file(Access::Write, &name);
            }
            'e' => {
                let command = self.line();
                let command = if command.is_empty() {
                    Value::Unknown(Origin::Input)
                } else {
                    Value::known(command)
                };
                self.runs(command);
            }
            'a' | 'i' | 'c' => {
                // A text, which goes on behind a backslash at the end of its line.
                loop {
                    let line = self.line();
                    self.at += 1;
                    if !line.ends_with('\\') || self.at >= self.chars.len() {
                        break;
                    }
                }
            }
            ':' => _ = self.line(),
            'b' | 't' | 'T' => self.skip(|char| !matches!(char, ';' | '\n' | '}')),
            'q' | 'Q' | 'l' | 'L' => self.skip(|char| char.is_ascii_digit() || char == ' '),
            '{' | '}' | '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x'
            | 'z' | 'F' | 'v' | '\0' | ';' | '\n' => {}
            other => {
                let why = format!("`{other}` is no command of sed that is known");
                self.acts.push(Act::Effect(Effect::Dynamic { why }));
                self.line();
            }
        }
    }

    /// Reads the `s` command with its flags.
    fn substitute(&mut self) {
        let delimiter = self.peek();
        self.at += 1;
        self.until(delimiter);
        let with = self.until(delimiter);
        loop {
            match self.peek() {
                'g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9' => self.at += 1,
                'e' => {
                    self.at += 1;
                    let plain = !with.contains(['&', '\\']);
                    self.runs(Value::Unknown(Origin::Input));
                    self.acts.push(Act::Shell(if plain {
                        Value::known(with.clone())
                    } else {
                        let start = with.split(['&', '\\']).next().unwrap_or_default();
                        Value::known(start).then(Value::Unknown(Origin::Input))
                    }));
                }
                'w' => {
                    self.at += 1;
                    let name = self.line();
                    self.file(Access::Write, &name);
                    return;
                }
                _ => return,
            }
        }
    }
}
