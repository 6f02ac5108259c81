//! What a filter of `jq` or `yq` reads besides its input: variables, modules and files that it
//! names.
//!
//! The filter is split into tokens, just well enough to know which words are functions.

use crate::effect::Effect;
use crate::invocation::Argument;
use crate::model::Report;
use crate::value::{Origin, Value};

/// The language of a filter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    /// That of `jq`.
    Jq,
    /// That of either program called `yq`, which has functions for files and variables.
    Yq,
}

/// Reports what a filter reads besides its input.
pub(super) fn report_effects(report: &mut Report<'_>, filter: &Argument, language: Language) {
    let texts = filter.value.possible().unwrap_or_default();
    let all: Vec<Reads> = match &filter.value {
        Value::Prefix(start, _) => vec![reads(start, language)],
        _ => texts.iter().map(|text| reads(text, language)).collect(),
    };
    for one in all {
        for name in one.variables {
            let name = Argument::new(Value::known(name), filter.span.clone());
            report.variable(&name);
        }
        if one.dumps {
            report.add(Effect::EnvironmentDump);
        }
        if one.unclear {
            report.not_understood("its filter reads more than its input");
        }
    }
    // What a program wrote may be a filter of its own.
    let origin = filter.value.origin();
    if matches!(origin, Some(Origin::Output(_) | Origin::Input | Origin::Other)) {
        report.not_understood("a part of its filter is not known");
    }
}

/// What a filter reads besides its input.
#[derive(Default)]
struct Reads {
    /// Variables of the environment that it names.
    variables: Vec<String>,
    /// True if it reads the whole environment.
    dumps: bool,
    /// True if it is not known what it reads.
    unclear: bool,
}

/// A word of a filter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Token<'t> {
    /// A function or a keyword.
    Word(&'t str),
    /// `$name`
    Variable(&'t str),
    /// `.name`
    Field(&'t str),
    /// A text, if all of it stands there.
    Text(Option<&'t str>),
    /// Any other character.
    Sign(char),
}

/// True for a character of a name.
fn is_of_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// What a filter reads.
fn reads(text: &str, language: Language) -> Reads {
    let mut lexer = Lexer { rest: text, tokens: Vec::new(), open: Vec::new(), doubtful: false };
    lexer.all(language);
    let tokens = &lexer.tokens;
    let mut found = Reads::default();
    for (at, token) in tokens.iter().enumerate() {
        let rest = tokens.get(at + 1..).unwrap_or_default();
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let is_key = matches!(before, Some(Token::Sign('{' | ',')))
            && rest.first() == Some(&Token::Sign(':'));
        match *token {
            Token::Variable("ENV") => found.environment(rest),
            Token::Word(word) if !is_key => found.word(word, rest, language),
            _ => {}
        }
    }
    // Comments end, and texts go on, in another way from version to version.
    if lexer.doubtful {
        let mut words = text.split(|char: char| !is_of_word(char));
        found.unclear |= words.any(|word| word == "ENV" || Reads::is_more(word, language));
    }
    found
}

impl Reads {
    /// True for a word that reads something.
    fn is_more(word: &str, language: Language) -> bool {
        /// Functions that read modules or the environment.
        const MODULES: &[&str] = &["env", "import", "include", "modulemeta"];
        let lower = word.to_ascii_lowercase();
        MODULES.contains(&word)
            || language == Language::Yq
                && (["load", "env"].iter().any(|part| lower.contains(part))
                    || ["eval", "system", "exec"].contains(&&*lower))
    }

    /// Notes what a function reads.
    fn word(&mut self, word: &str, rest: &[Token<'_>], language: Language) {
        if !Reads::is_more(word, language) {
            return;
        }
        match (word, rest) {
            ("env" | "strenv", [Token::Sign('('), Token::Word(name), Token::Sign(')'), ..])
                if language == Language::Yq =>
            {
                self.variables.push((*name).to_owned());
            }
            ("env", _) => self.environment(rest),
            _ => self.unclear = true,
        }
    }

    /// The environment, of which what follows may take one variable.
    fn environment(&mut self, rest: &[Token<'_>]) {
        match rest {
            [Token::Field(name), ..]
            | [Token::Sign('.'), Token::Text(Some(name)), ..]
            | [Token::Sign('['), Token::Text(Some(name)), Token::Sign(']'), ..] => {
                self.variables.push((*name).to_owned());
            }
            _ => self.dumps = true,
        }
    }
}

/// A splitting of a filter into tokens.
struct Lexer<'t> {
    /// The text that is left.
    rest: &'t str,
    /// The words so far.
    tokens: Vec<Token<'t>>,
    /// The parentheses that are open within each `\(…)` of a text.
    open: Vec<usize>,
    /// True if programs may read it in different ways.
    doubtful: bool,
}

impl<'t> Lexer<'t> {
    /// Reads all tokens.
    fn all(&mut self, language: Language) {
        while let Some(first) = self.rest.trim_start().chars().next() {
            self.rest = self.rest.trim_start();
            if is_of_word(first) {
                let word = self.take_word();
                self.tokens.push(Token::Word(word));
                continue;
            }
            self.rest = self.rest.strip_prefix(first).unwrap_or_default();
            match first {
                '"' => self.text(language),
                '$' => {
                    self.rest = self.rest.trim_start();
                    let name = self.take_word();
                    self.tokens.push(Token::Variable(name));
                }
                '.' if self.rest.starts_with(|char: char| char.is_alphabetic() || char == '_')
                    && self.tokens.last() != Some(&Token::Sign('.')) =>
                {
                    let name = self.take_word();
                    self.tokens.push(Token::Field(name));
                }
                ')' if self.open.last() == Some(&0) => {
                    self.open.pop();
                    self.tokens.push(Token::Sign(')'));
                    self.text(language);
                }
                sign => {
                    self.doubtful |= sign == '#';
                    if let Some(open) = self.open.last_mut() {
                        match sign {
                            '(' => *open += 1,
                            ')' => *open -= 1,
                            _ => {}
                        }
                    }
                    self.tokens.push(Token::Sign(sign));
                }
            }
        }
    }

    /// Takes a name.
    fn take_word(&mut self) -> &'t str {
        let end = self.rest.find(|char| !is_of_word(char)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    /// Reads a text up to its end, or to a filter within it.
    fn text(&mut self, language: Language) {
        let text = self.rest;
        let mut at = 0;
        let mut is_plain = true;
        while let Some(found) = text.get(at..).and_then(|rest| rest.find(['"', '\\'])) {
            let (before, rest) = text.split_at(at + found);
            if let Some(rest) = rest.strip_prefix('"') {
                self.tokens.push(Token::Text(is_plain.then_some(before)));
                self.rest = rest;
                return;
            }
            is_plain = false;
            if let Some(rest) = rest.strip_prefix("\\(") {
                self.tokens.push(Token::Text(None));
                self.open.push(0);
                self.tokens.push(Token::Sign('('));
                self.rest = rest;
                return;
            }
            self.doubtful |= language == Language::Yq;
            at += found + 1 + rest.chars().nth(1).map_or(0, char::len_utf8);
        }
        self.doubtful = true;
        self.rest = "";
    }
}

#[cfg(test)]
mod tests {
    use super::{Language, reads};

    #[test]
    fn filters_are_read_as_their_programs_do() {
        for (text, dumps, unclear, variables) in [
            (".env | .environment", false, false, ""),
            ("\"the env of \\(.a | .b(1))\"", false, false, ""),
            ("\"\\(env)\"", true, false, ""),
            ("\"\\((.a)) \\($ENV)\"", true, false, ""),
            ("{env: 1, import: 2, \"ENV\": $ENV.HOME}", false, false, "HOME"),
            ("[1,env,2]", true, false, ""),
            ("$ ENV", true, false, ""),
            ("$#\nENV", false, true, ""),
            (".a # it's \" the end\n| env", false, true, ""),
            ("$ENV[\"A\"], env.\"B\", $ENV .C", false, false, "A B C"),
            ("..env", true, false, ""),
            ("import \"config\" as $d; $d", false, true, ""),
            ("include \"a\"; .", false, true, ""),
        ] {
            let found = reads(text, Language::Jq);
            let named = found.variables.join(" ");
            assert_eq!(
                (found.dumps, found.unclear, &*named),
                (dumps, unclear, variables),
                "{text}"
            );
        }
        for (text, unclear) in [
            (".a.load = 1", false),
            ("load(\"/x\")", true),
            ("LOAD_STR(\"/x\")", true),
            (".a = strenv(HOME)", false),
            ("envsubst(nu)", true),
            (".a = \"x\\\" + load(\\\"y\"", true),
        ] {
            assert_eq!(reads(text, Language::Yq).unclear, unclear, "{text}");
        }
    }
}
