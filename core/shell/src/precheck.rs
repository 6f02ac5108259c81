//! The check of a text before it is parsed: its size, its characters, its depth.
//!
//! All of it is one pass over the text. It protects two readers. The parser only gets texts without
//! [`Finding::is_fatal`], because it overflows its stack or takes quadratic time with some texts.
//! And the person who approves must see what runs, so control characters, invisible characters,
//! look-alike letters and long rows of blanks are findings.

use crate::decision::Decision;
use crate::ir::Span;

/// The longest text that is analysed, in bytes. A person who approves a longer one would not read
/// it.
pub const LONGEST: usize = 32 * 1024;

/// The longest text that can be run at all, in bytes. Linux starts no program with a longer
/// argument (`MAX_ARG_STRLEN`, with the NUL behind it).
pub const LONGEST_RUN: usize = 128 * 1024 - 1;

/// The deepest nesting of parentheses and braces. The parser overflows a stack of 2 MiB with some
/// thousands of `$((`, and nobody reads a tenth of this.
pub const DEEPEST: usize = 64;

/// The deepest nesting of `${`. The parser reads each again for every one around it, more than
/// once.
const DEEPEST_PARAMETER: usize = 6;

/// The most substitutions and groups of patterns within each other that stand within a `${`. The
/// parser reads each of them twice for every one around it if one is never closed.
const DEEPEST_MIXED: usize = 4;

/// The most substitutions within each other with a here-document before each. The parser reads each
/// again with every one around it.
const DEEPEST_DOCUMENTED: usize = 5;

/// The most `time` and `coproc` in a row. The parser does not count their depth, and overflows a
/// stack of 2 MiB with fewer than two hundred.
const MOST_PREFIXES: usize = 24;

/// The most substitutions, and the most here-documents. Each substitution is at least one command,
/// so a text with more could not be evaluated in full.
const MOST_OPENED: usize = 256;

/// The most words and operators. Ordinary text of [`LONGEST`] bytes has fewer.
const MOST_WORDS: usize = 6 * 1024;

/// The most words and operators, each counted as often as the parser reads it.
const MOST_READ: usize = 2 * MOST_WORDS;

/// The most dollar signs outside of single quotes. Ordinary text of [`LONGEST`] bytes has fewer,
/// also text of languages in which every variable has one.
const MOST_EXPANSIONS: usize = 1536;

/// The most opened braces outside of quotes. The parser looks for the end of each.
const MOST_BRACES: usize = 2 * 1024;

/// The most blanks in a row. More of them move what follows out of sight of a person who approves.
const MOST_BLANKS: usize = 120;

/// Something that is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What.
    pub concern: Concern,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concern {
    /// It is longer than [`LONGEST`].
    TooLong,
    /// It has a NUL, at which programs written in C take it to end.
    Nul,
    /// It is not UTF-8.
    NotText,
    /// It has a control character other than a tab or a line break.
    Control(char),
    /// It has a character that is not seen, or that turns the order of what is seen.
    Hidden {
        /// Which.
        char: char,
        /// True if it stands between quotes, where it is data.
        quoted: bool,
    },
    /// It has a word that mixes letters that look alike.
    Lookalike(char),
    /// It has a long row of blanks with something behind it.
    Padding,
    /// It nests deeper than [`DEEPEST`].
    TooDeep,
    /// It has more words or substitutions than can be evaluated.
    TooMany,
}

impl Finding {
    /// The decision that this finding alone leads to.
    #[must_use]
    pub fn decision(&self) -> Decision {
        match self.concern {
            Concern::Nul => Decision::Deny,
            // Nobody is asked about what cannot run.
            Concern::TooLong if self.span.end > LONGEST_RUN => Decision::Deny,
            Concern::Hidden { quoted: true, .. } => Decision::Allow,
            _ => Decision::Ask,
        }
    }

    /// True if the text cannot be parsed because of it. The parser never gets such a text.
    #[must_use]
    pub fn is_fatal(&self) -> bool {
        matches!(
            self.concern,
            Concern::TooLong
                | Concern::Nul
                | Concern::NotText
                | Concern::TooDeep
                | Concern::TooMany
        )
    }

    /// The finding as a sentence for a person. Characters are shown as escapes.
    #[must_use]
    pub fn why(&self) -> String {
        match self.concern {
            Concern::TooLong if self.span.end > LONGEST_RUN => format!(
                "The command has {} bytes, and at most {LONGEST_RUN} can be run at all.",
                self.span.end
            ),
            Concern::TooLong => format!(
                "The command has {} bytes, with its arguments and here-documents, and is longer than \
                 {LONGEST} bytes, which are read before a command runs.",
                self.span.end
            ),
            Concern::Nul => "The command has a NUL character.".to_owned(),
            Concern::NotText => "The command is not valid UTF-8.".to_owned(),
            Concern::Control(char) => {
                format!("The command has the control character {}.", char.escape_unicode())
            }
            Concern::Hidden { char, .. } => {
                format!("The command has the invisible character {}.", char.escape_unicode())
            }
            Concern::Lookalike(char) => {
                let shown = char.escape_unicode();
                format!("A word of the command has {shown}, which looks like another letter.")
            }
            Concern::Padding => "A long row of blanks hides a part of the command.".to_owned(),
            Concern::TooDeep => format!("The command nests deeper than {DEEPEST} levels."),
            Concern::TooMany => "The command has too many words or substitutions.".to_owned(),
        }
    }
}

impl Finding {
    /// What to do instead, as a sentence.
    #[must_use]
    pub fn instead(&self) -> &'static str {
        match self.concern {
            Concern::TooLong => {
                "Write a long script to a file with `write_file` and run that file; put long data into a \
                 file, too, or give it on standard input (`stdin`), and not in the command."
            }
            _ => "Write the command in plain text, without that.",
        }
    }
}

/// Bytes as a text.
///
/// # Errors
///
/// The bytes are not UTF-8.
pub fn text(bytes: &[u8]) -> Result<&str, Finding> {
    std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        Finding { concern: Concern::NotText, span: at..at + 1 }
    })
}

/// Everything that is wrong with a text, in one pass.
#[must_use]
pub fn check(text: &str) -> Vec<Finding> {
    if text.len() > LONGEST {
        return vec![Finding { concern: Concern::TooLong, span: LONGEST..text.len() }];
    }
    let mut scan = Scan::default();
    for (at, char) in text.char_indices() {
        scan.step(at, char);
    }
    scan.end_word();
    scan.findings
}

/// The pass over a text. Quotes are followed as a shell does on the outermost level, which is exact
/// enough to tell code from data: an error here changes whether a person is asked, and never what
/// is analysed.
#[derive(Default)]
struct Scan {
    /// What was found so far.
    findings: Vec<Finding>,
    /// The quote that is open.
    quote: Option<char>,
    /// True behind a backslash.
    escaped: bool,
    /// How many blanks stand in a row.
    blanks: usize,
    /// How many parentheses and braces are open.
    depth: usize,
    /// For each open brace whether it is one of `${`.
    braces: Vec<bool>,
    /// How many `${` are open.
    parameters: usize,
    /// For each open parenthesis what it is.
    parentheses: Vec<Parenthesis>,
    /// How many substitutions are open.
    substitutions: usize,
    /// How many substitutions and groups of patterns are open within a `${`.
    mixed: usize,
    /// True where a here-document was begun since the last substitution that counts as documented.
    document: bool,
    /// How many substitutions are open that have a here-document before them.
    documented: usize,
    /// How many substitutions and here-documents there were.
    opened: usize,
    /// How many words and operators there were.
    words: usize,
    /// The same, each counted as often as the parser reads it.
    read: usize,
    /// How many dollar signs there were outside of single quotes.
    expansions: usize,
    /// How many braces were opened outside of quotes.
    opened_braces: usize,
    /// The character before.
    before: char,
    /// True behind a backslash that is not escaped itself: the next character opens and closes nothing.
    behind_backslash: bool,
    /// The words that may be `time` and `coproc`.
    keywords: Keywords,
    /// The letters of the word so far.
    word: Letters,
}

/// An open parenthesis.
#[derive(Clone, Copy)]
struct Parenthesis {
    /// True for one of `$(`, `<(` and `>(`.
    substitution: bool,
    /// True for one of them within a `${`.
    mixed: bool,
    /// True for one behind a here-document.
    documented: bool,
}

/// The words that a shell knows before a command, as far as they nest.
struct Keywords {
    /// The word so far.
    text: String,
    /// True where a command may begin.
    begins: bool,
    /// How many of them stand in a row.
    prefixes: usize,
}

impl Default for Keywords {
    fn default() -> Keywords {
        Keywords { text: String::new(), begins: true, prefixes: 0 }
    }
}

impl Keywords {
    /// Follows the words that may be `time` or `coproc`.
    fn step(&mut self, before: char, char: char) {
        match char {
            '\n' if before == '\\' => _ = self.text.pop(),
            ' ' | '\t' | '\n' | '|' | '&' | ';' | '(' | '{' => {
                match self.text.as_str() {
                    "time" | "coproc" if self.begins => self.prefixes += 1,
                    "" | "!" | "-p" | "--" | "if" | "then" | "else" | "elif" | "while"
                    | "until" | "do" => {}
                    _ => self.begins = false,
                }
                self.begins |= !matches!(char, ' ' | '\t');
                self.text.clear();
            }
            char if self.text.len() < 8 => self.text.push(char),
            _ => {}
        }
    }
}

/// The letters of the word that is being read.
#[derive(Default)]
struct Letters {
    /// True if the word has a letter of ASCII.
    ascii: bool,
    /// True if it has another letter.
    other: bool,
    /// The first letter that looks like one of ASCII, with its place.
    lookalike: Option<(usize, char)>,
}

impl Scan {
    /// Follows one character of the text.
    fn step(&mut self, at: usize, char: char) {
        self.quotes(char);
        if !self.behind_backslash {
            self.nesting(at, char);
        }
        self.behind_backslash = char == '\\' && !self.behind_backslash;
        self.counts(at, char);
        self.keywords.step(self.before, char);
        if self.keywords.prefixes > MOST_PREFIXES {
            self.found(Concern::TooDeep, at, at + char.len_utf8());
        }
        self.before = char;
        if matches!(char, ' ' | '\t' | '\n') {
            self.blanks += 1;
        } else {
            if self.blanks > MOST_BLANKS {
                self.found(Concern::Padding, at - self.blanks, at);
            }
            self.blanks = 0;
        }
        let end = at + char.len_utf8();
        match char {
            '\0' => self.found(Concern::Nul, at, end),
            '\t' | '\n' => {}
            char if char.is_control() => self.found(Concern::Control(char), at, end),
            char if is_hidden(char) => {
                let quoted = self.quote.is_some();
                self.found(Concern::Hidden { char, quoted }, at, end);
            }
            _ => {}
        }
        if self.quote.is_none() && (char.is_whitespace() || ";|&()<>".contains(char)) {
            self.end_word();
        } else if self.quote.is_none() {
            self.letter(at, char);
        }
    }

    /// Follows quotes and backslashes.
    fn quotes(&mut self, char: char) {
        if std::mem::take(&mut self.escaped) {
            return;
        }
        match (self.quote, char) {
            (None | Some('"'), '\\') => self.escaped = true,
            (None, '\'' | '"') => self.quote = Some(char),
            (Some(open), _) if open == char => self.quote = None,
            _ => {}
        }
    }

    /// Counts what is nested. Quotes do not count here, because an error about them must not let a
    /// deep text through.
    fn nesting(&mut self, at: usize, char: char) {
        match (self.before, char) {
            (_, '(') => {
                self.depth += 1;
                let substitution = matches!(self.before, '$' | '<' | '>');
                let pattern = matches!(self.before, '?' | '*' | '+' | '@' | '!' | '(');
                let mixed = (substitution || pattern) && self.parameters > 0;
                self.opened += usize::from(substitution);
                self.substitutions += usize::from(substitution);
                self.mixed += usize::from(mixed);
                let documented = substitution && std::mem::take(&mut self.document);
                self.documented += usize::from(documented);
                self.parentheses.push(Parenthesis { substitution, mixed, documented });
            }
            (_, ')') => {
                self.depth = self.depth.saturating_sub(1);
                if let Some(closed) = self.parentheses.pop() {
                    self.substitutions -= usize::from(closed.substitution);
                    self.mixed -= usize::from(closed.mixed);
                    self.documented -= usize::from(closed.documented);
                    self.document |= closed.documented;
                }
            }
            (before, '{') => {
                self.depth += 1;
                self.braces.push(before == '$');
                self.parameters += usize::from(before == '$');
            }
            (_, '}') => {
                self.depth = self.depth.saturating_sub(1);
                self.parameters -= usize::from(self.braces.pop() == Some(true));
            }
            (_, '`') => self.opened += 1,
            ('<', '<') => {
                self.opened += 1;
                self.document = true;
            }
            _ => return,
        }
        if self.depth > DEEPEST
            || self.parameters > DEEPEST_PARAMETER
            || self.mixed > DEEPEST_MIXED
            || self.documented > DEEPEST_DOCUMENTED
        {
            self.found(Concern::TooDeep, at, at + 1);
        }
        if self.opened > MOST_OPENED {
            self.found(Concern::TooMany, at, at + 1);
        }
    }

    /// Counts the first character of each word and of each operator.
    fn counts(&mut self, at: usize, char: char) {
        let kind = |char: char| match char {
            ' ' | '\t' | '\n' | '\r' | '\0' => 0,
            ';' | '|' | '&' | '(' | ')' | '<' | '>' => 1,
            _ => 2,
        };
        let begins = kind(char) != 0 && kind(char) != kind(self.before);
        if begins {
            self.words += 1;
            self.read += 1 + self.substitutions;
        }
        self.expansions += usize::from(char == '$' && self.quote != Some('\''));
        self.opened_braces += usize::from(char == '{' && self.quote.is_none());
        if self.words > MOST_WORDS
            || self.read > MOST_READ
            || self.expansions > MOST_EXPANSIONS
            || self.opened_braces > MOST_BRACES
        {
            self.found(Concern::TooMany, at, at + char.len_utf8());
        }
    }

    /// Notes the letters of a word, to find those that only look like others.
    fn letter(&mut self, at: usize, char: char) {
        if char.is_ascii_alphabetic() {
            self.word.ascii = true;
        } else if looks_like_ascii(char) {
            self.word.lookalike.get_or_insert((at, char));
        } else if char.is_alphabetic() {
            self.word.other = true;
        }
    }

    /// Ends a word. A word in a script of its own has letters that look like no others. A word that
    /// mixes ASCII with letters that look like ASCII is made to be misread.
    fn end_word(&mut self) {
        let word = std::mem::take(&mut self.word);
        if let Some((at, char)) = word.lookalike
            && !word.other
            && (word.ascii || is_styled(char))
        {
            self.found(Concern::Lookalike(char), at, at + char.len_utf8());
        }
    }

    /// Records a finding, once per kind.
    fn found(&mut self, concern: Concern, start: usize, end: usize) {
        // One of a kind is enough to decide.
        let kind = std::mem::discriminant(&concern);
        let same = |finding: &Finding| {
            std::mem::discriminant(&finding.concern) == kind && finding.concern == concern
        };
        if !self.findings.iter().any(same) {
            self.findings.push(Finding { concern, span: start..end });
        }
    }
}

/// Characters that are not seen, that look like a blank but are none, or that turn the order of
/// others: Unicode's general category Cf, its blanks, variation selectors and tags.
fn is_hidden(char: char) -> bool {
    matches!(
        char,
        '\u{a0}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{1680}'
            | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{2000}'..='\u{200f}'
            | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}' | '\u{2800}' | '\u{3000}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Letters and signs that are easily taken for ones of ASCII: of the Cyrillic, Greek and Armenian
/// scripts those of the same shape, and all full-width and mathematical ones.
fn looks_like_ascii(char: char) -> bool {
    is_styled(char)
        || "аеорсухіјѕһԁԛԝвнкмтАВЕКМНОРСТУХІЈЅԌαορνικΑΒΕΖΗΙΚΜΝΟΡΤΥΧհոսցօΙ‐‑‒–—−∕⁄∖⧵˗ǀ∣ʼ"
            .contains(char)
}

/// True for letters of other widths and mathematical alphabets, which look like ASCII.
fn is_styled(char: char) -> bool {
    matches!(char, '\u{ff01}'..='\u{ff5e}' | '\u{1d400}'..='\u{1d7ff}' | '\u{24b6}'..='\u{24e9}')
}

#[cfg(test)]
mod tests {
    use super::{Concern, DEEPEST, Decision, LONGEST, check, text};

    fn concerns(text: &str) -> Vec<Concern> {
        check(text).into_iter().map(|finding| finding.concern).collect()
    }

    #[test]
    fn ordinary_commands_raise_no_concern() {
        for text in [
            "ls -la", "echo 'größe' > \"naïve file\"", "cat отчёт.txt", "git commit -m '日本語'",
            "for i in 1 2 3; do\n\techo $i\ndone\n", "echo ✓ done", "cat /tmp/καλημέρα",
        ] {
            assert_eq!(concerns(text), [], "{text}");
        }
    }

    #[test]
    fn a_nul_is_denied_and_what_is_odd_is_asked_about() {
        assert_eq!(check("ls\0x")[0].decision(), Decision::Deny);
        for (text, concern) in [
            ("ls\r\n", Concern::Control('\r')),
            ("ls \u{1b}[2K", Concern::Control('\u{1b}')),
            ("r\u{200b}m x", Concern::Hidden { char: '\u{200b}', quoted: false }),
            ("rm\u{a0}x", Concern::Hidden { char: '\u{a0}', quoted: false }),
            ("ls \u{202e}txt", Concern::Hidden { char: '\u{202e}', quoted: false }),
            ("ls \u{e0041}", Concern::Hidden { char: '\u{e0041}', quoted: false }),
            ("c\u{430}t x", Concern::Lookalike('\u{430}')),
            ("\u{ff52}\u{ff4d} x", Concern::Lookalike('\u{ff52}')),
        ] {
            assert_eq!(concerns(text), [concern], "{text:?}");
            assert_eq!(check(text)[0].decision(), Decision::Ask, "{text:?}");
        }
    }

    #[test]
    fn what_is_hidden_between_quotes_is_only_noted() {
        let findings = check("echo 'a\u{200d}b'");
        assert_eq!(findings[0].decision(), Decision::Allow);
        assert!(findings[0].why().contains("200d"));
    }

    #[test]
    fn blanks_that_push_something_out_of_sight_are_asked_about() {
        let blanks = " ".repeat(150);
        assert_eq!(concerns(&format!("ls{blanks}; id")), [Concern::Padding]);
        assert_eq!(concerns(&format!("ls{}id", "\n".repeat(150))), [Concern::Padding]);
        assert_eq!(concerns(&format!("ls{blanks}")), []);
    }

    #[test]
    fn size_depth_and_bytes_are_limited() {
        assert_eq!(concerns(&"a".repeat(LONGEST)), []);
        assert_eq!(concerns(&"a".repeat(LONGEST + 1)), [Concern::TooLong]);
        assert_eq!(concerns(&"$(".repeat(DEEPEST)), []);
        assert_eq!(concerns(&"$(".repeat(DEEPEST + 1)), [Concern::TooDeep]);
        assert_eq!(concerns(&"$((".repeat(DEEPEST)), [Concern::TooDeep]);
        assert_eq!(concerns(&"${x:-".repeat(7)), [Concern::TooDeep]);
        assert_eq!(concerns(&format!("{}{}", "${x:-".repeat(6), "}".repeat(6))), []);
        assert_eq!(concerns(&"${x} $(y) ".repeat(200)), []);
        assert_eq!(concerns(&"$(y) ".repeat(300)), [Concern::TooMany]);
        assert_eq!(concerns(&"cat <<E\nx\nE\n".repeat(300)), [Concern::TooMany]);
        for nest in ["time ", "! time -p ", "time ls | ", "coproc ", "ti\\\nme ", "time\t"] {
            assert_eq!(concerns(&nest.repeat(30)), [Concern::TooDeep], "{nest}");
        }
        for nest in ["${a/$(b ", "${a/$(b \\} ", "${a:-\"$(b ", "${a[$(b "] {
            assert_eq!(concerns(&nest.repeat(5)), [Concern::TooDeep], "{nest}");
        }
        for nest in
            ["<<E\n$(", "(<<E\n$(<<E\n", "a(<<E\n}$(\n", "{ <<E\n\"$(", "((1<<2))$(", "<<E\n<("]
        {
            assert_eq!(concerns(&nest.repeat(6)), [Concern::TooDeep], "{nest}");
        }
        assert_eq!(concerns(&"cat <<E\n$(a $(b))\nE\nx $(cat <<F\nF\n)\n".repeat(40)), []);
        assert_eq!(concerns(&"git commit -m \"$(cat <<'E'\na\nE\n)\"\n".repeat(40)), []);
        assert_eq!(concerns(&"${a:-$(b ${c:-$(d)})} ".repeat(100)), []);
        assert_eq!(concerns("${a/?(((((b"), [Concern::TooDeep]);
        assert_eq!(concerns(&"${a##*(b|+(c))} $((${a} * ((1 + 2)))) ".repeat(50)), []);
        assert_eq!(concerns(&"\\(a\\) \\{1,2\\} ".repeat(100)), []);
        assert_eq!(concerns(&"$(y) \\)".repeat(60)), []);
        assert_eq!(concerns(&"word ".repeat(6000)), []);
        assert_eq!(concerns(&"x ".repeat(6200)), [Concern::TooMany]);
        assert_eq!(concerns(&"$x ".repeat(1500)), []);
        assert_eq!(concerns(&"\"$x\"".repeat(1600)), [Concern::TooMany]);
        assert_eq!(concerns(&format!("echo '{}'", "$x {}".repeat(3000))), []);
        assert_eq!(concerns(&"{a,b}".repeat(2100)), [Concern::TooMany]);
        assert_eq!(concerns(&"x;".repeat(3100)), [Concern::TooMany]);
        assert_eq!(concerns(&format!("$({})", "x ".repeat(6000))), []);
        assert_eq!(concerns(&format!("$(a $({}))", "x ".repeat(6000))), [Concern::TooMany]);
        assert_eq!(concerns(&"echo the time of the time\n".repeat(100)), []);
        assert_eq!(text(b"ls \xff").map_err(|finding| finding.concern), Err(Concern::NotText));
    }
}
