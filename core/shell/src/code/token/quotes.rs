//! Quotes of Perl and Ruby that begin with a word (`qw(…)`, `%w[…]`), and here-documents.

use super::{Lexer, Part, Token};

/// Stands for code of Perl that is not looked at.
pub(super) const UNKNOWN: &str = "eval($unknown)";

/// True for a pattern of Perl that runs code where it fits.
pub(super) fn runs_code(pattern: &[Part]) -> bool {
    let runs = |text: &str| text.contains("(?{") || text.contains("(??{") || text.contains("(*{");
    pattern.iter().any(|part| matches!(part, Part::Text(text) if runs(text)))
}

impl Lexer {
    /// The sign that ends what this one opens, read past blanks.
    pub(super) fn delimiter(&mut self) -> Option<(char, char)> {
        while self.peek(0) == ' ' {
            self.at += 1;
        }
        let open = self.peek(0);
        if open == '\0' || open.is_alphanumeric() || open.is_whitespace() || "_,;)".contains(open) {
            return None;
        }
        self.at += 1;
        Some((open, closing(open)))
    }

    /// `q(…)`, `qq{…}`, `qx/…/`, `qw(…)`, `m{…}`, `s/…/…/`, `tr/…/…/` of Perl.
    pub(super) fn quote_like(&mut self, name: &str) -> bool {
        let names = ["q", "qq", "qx", "qw", "qr", "m", "s", "tr", "y"];
        if !names.contains(&name) || self.starts("=>") || self.starts("::") {
            return false;
        }
        let before = self.at;
        if matches!(self.tokens.last(), Some(Token::Mark("->" | "{"))) && self.peek(0) == '}' {
            return false;
        }
        let Some((open, close)) = self.delimiter() else {
            self.at = before;
            return false;
        };
        if open == '=' || open == ',' {
            self.at = before;
            return false;
        }
        let codes = !matches!(name, "q" | "qw" | "m" | "qr" | "s" | "tr" | "y");
        let parts = self.parts(open, close, codes && open != '\'');
        let token = match name {
            "q" | "qq" => Token::Text(parts),
            "qx" => Token::Command(parts),
            "qw" => Token::Words(words(&parts)),
            "m" | "qr" => {
                self.flags();
                Token::Pattern(runs_code(&parts).then(|| UNKNOWN.to_owned()))
            }
            _ => {
                let (open, close) = if open == close {
                    (open, close)
                } else {
                    self.delimiter().unwrap_or((open, close))
                };
                let with = self.parts(open, close, false);
                let flags = self.flags();
                let is_code = name == "s" && flags.contains('e');
                let runs = name == "s" && runs_code(&parts);
                let text = with.into_iter().next().map(|part| match part {
                    Part::Text(text) | Part::Code(text) => text,
                });
                let text = match text {
                    // `ee` runs what the code makes.
                    Some(text) if flags.matches('e').count() > 1 => Some(format!("eval({text})")),
                    text => text,
                };
                let text = text.filter(|_| is_code);
                Token::Pattern(if runs { Some(UNKNOWN.to_owned()) } else { text })
            }
        };
        self.tokens.push(token);
        true
    }

    /// `%w[…]`, `%x(…)`, `%q(…)`, `%(…)` of Ruby.
    pub(super) fn percent(&mut self) -> bool {
        let kind = self.peek(1);
        let (kind, skip) = match kind {
            'w' | 'W' | 'i' | 'q' | 'Q' | 'x' | 'r' => (kind, 2),
            '(' | '[' | '{' | '|' | '!' => ('Q', 1),
            _ => return false,
        };
        let open = self.peek(skip);
        if open.is_alphanumeric() || open.is_whitespace() || open == '\0' {
            return false;
        }
        self.at += skip + 1;
        let parts = self.parts(open, closing(open), matches!(kind, 'Q' | 'x' | 'W'));
        self.tokens.push(match kind {
            'w' | 'W' | 'i' => Token::Words(words(&parts)),
            'x' => Token::Command(parts),
            'r' => Token::Pattern(None),
            _ => Token::Text(parts),
        });
        true
    }

    /// `<<EOF`, `<<~'EOF'`; its body follows the line.
    pub(super) fn here_document(&mut self) -> bool {
        let mut ahead = 2;
        ahead += usize::from(self.starts("<<<"));
        ahead += usize::from(matches!(self.peek(ahead), '~' | '-'));
        let quote = Some(self.peek(ahead)).filter(|char| matches!(char, '"' | '\'' | '`'));
        ahead += usize::from(quote.is_some());
        let start = self.at + ahead;
        let end: String = self.chars[start.min(self.chars.len())..]
            .iter()
            .take_while(|char| **char == '_' || char.is_alphanumeric())
            .collect();
        if !end.chars().next().is_some_and(|char| char.is_uppercase() || char == '_') {
            return false;
        }
        self.at = start + end.chars().count() + usize::from(quote.is_some());
        self.bodies.push((self.tokens.len(), end, quote != Some('\'')));
        self.tokens.push(match quote {
            Some('`') => Token::Command(Vec::new()),
            _ => Token::Text(Vec::new()),
        });
        true
    }

    /// Reads the bodies of the here-documents that the line opened.
    pub(super) fn here_documents(&mut self) {
        for (token, end, codes) in std::mem::take(&mut self.bodies) {
            let mut body = String::new();
            while self.at < self.chars.len() {
                let start = self.at;
                self.skip_line();
                let line = self.since(start);
                self.at = (self.at + 1).min(self.chars.len());
                if line.trim().trim_end_matches(';') == end {
                    break;
                }
                body.push_str(&line);
                body.push('\n');
            }
            let mut inner = Lexer {
                chars: body.chars().collect(),
                at: 0,
                language: self.language,
                tokens: Vec::new(),
                bodies: Vec::new(),
            };
            let parts = inner.parts('\0', '\0', codes);
            if let Some(Token::Text(text) | Token::Command(text)) = self.tokens.get_mut(token) {
                *text = parts;
            }
        }
    }
}

/// The character that closes what this one opens.
fn closing(open: char) -> char {
    match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        other => other,
    }
}

/// The words of a list of words.
fn words(parts: &[Part]) -> Vec<String> {
    let text: String = parts
        .iter()
        .map(|part| match part {
            Part::Text(text) | Part::Code(text) => text.as_str(),
        })
        .collect();
    text.split_whitespace().map(str::to_owned).collect()
}
