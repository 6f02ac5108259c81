//! Prints commands again from what was understood of them, so that a shell reads exactly what was
//! judged.
//!
//! Each known text stands between single quotes, one command a line, and nothing else is printed.
//! So the shell that runs the script finds nothing in it that the analysis did not see.
//!
//! What is printed is parsed and printed once more before it is believed. What does not stay the
//! same is not printed at all, and the text runs as it was written.
//!
//! - Scripts, commands, redirections and words: this file.
//! - `${…}`: `expansion`.

mod expansion;

#[cfg(test)]
mod tests;

use crate::ir::{
    Assigned, Assignment, Command, CommandKind, Item, Joint, Operation, Piece, Pipeline,
    Redirection, RedirectionKind, Script, SimpleCommand, Word,
};
use crate::parse;

/// What stands before a script in which no name is a pattern.
pub const NO_PATTERNS: &str = "'set' '-f'\n";

/// Builtins that run a text in this shell, in which there may be patterns.
const RUNS_TEXTS: &[&str] = &["eval", ".", "source", "trap", "alias", "mapfile", "readarray"];

/// The canonical script of a text that was parsed without problems; none if it cannot be printed.
/// A second time it is the same. `set -f` stands before it if there is no pattern in it, nor may be in
/// a text that it runs.
#[must_use]
pub fn canonical(text: &str, script: &Script) -> Option<String> {
    // The commands do not keep which cases fall through.
    if text.contains(";&") || text.contains(";;&") {
        return None;
    }
    let body = print(script)?;
    let parsed = parse::parse(&body);
    if !parsed.problems.is_empty() || print(&parsed.script)? != body {
        return None;
    }
    let runs_texts = RUNS_TEXTS.iter().any(|name| body.contains(&format!("'{name}'")));
    let may_match = body.contains(['*', '?', '[']) || runs_texts;
    let is_set = body.starts_with(NO_PATTERNS);
    Some(if may_match || is_set { body } else { format!("{NO_PATTERNS}{body}") })
}

/// The commands of a script, as they are printed.
#[must_use]
pub fn print(script: &Script) -> Option<String> {
    let mut printer = Printer::default();
    printer.script(script)?;
    printer.bodies();
    Some(printer.out)
}

/// The script as it is printed.
#[derive(Default)]
struct Printer {
    /// The text so far.
    out: String,
    /// Here-documents whose bodies follow the line.
    pending: Vec<String>,
}

/// Where a word stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// Between blanks.
    Word,
    /// In an expansion outside of quotes, where what is bare is split.
    Operand,
    /// Between double quotes, or in a here-document.
    Quoted,
}

impl Printer {
    /// Appends a text.
    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Ends the line, and appends the here-documents that it opened.
    fn line(&mut self) {
        self.push("\n");
        self.bodies();
    }

    /// Appends the bodies of here-documents.
    fn bodies(&mut self) {
        for body in std::mem::take(&mut self.pending) {
            self.push(&body);
        }
    }

    /// Prints a script on one line.
    fn script(&mut self, script: &Script) -> Option<()> {
        for (at, item) in script.items.iter().enumerate() {
            self.item(item)?;
            let next = script.items.get(at + 1);
            let background = item.background;
            match next {
                Some(next) if next.joint == Joint::And => self.push(" && "),
                Some(next) if next.joint == Joint::Or => self.push(" || "),
                // What stands in one line stays there: an expansion that fails ends all of it.
                Some(next) if !next.begins_line => self.push(if background { " & " } else { "; " }),
                _ => {
                    self.push(if background { " &" } else { "" });
                    self.line();
                }
            }
        }
        Some(())
    }

    /// Prints a pipeline of a script.
    fn item(&mut self, item: &Item) -> Option<()> {
        self.pipeline(&item.pipeline)
    }

    /// Prints a pipeline.
    fn pipeline(&mut self, pipeline: &Pipeline) -> Option<()> {
        if pipeline.negated {
            self.push("! ");
        }
        for (at, command) in pipeline.commands.iter().enumerate() {
            if at > 0 {
                let with_stderr = pipeline.with_stderr.get(at - 1).copied().unwrap_or(false);
                self.push(if with_stderr { " |& " } else { " | " });
            }
            self.command(command)?;
        }
        Some(())
    }

    /// Prints a command with its redirections.
    fn command(&mut self, command: &Command) -> Option<()> {
        match &command.kind {
            CommandKind::Simple(simple) => self.simple(simple)?,
            kind => self.compound(kind)?,
        }
        for (at, redirection) in command.redirections.iter().enumerate() {
            let is_first = at == 0
                && matches!(&command.kind, CommandKind::Simple(simple) if simple.words.is_empty() && simple.assignments.is_empty());
            if !is_first {
                self.push(" ");
            }
            self.redirection(redirection)?;
        }
        Some(())
    }

    /// Prints a compound command.
    #[expect(clippy::too_many_lines, reason = "one match arm per compound command")]
    fn compound(&mut self, kind: &CommandKind) -> Option<()> {
        match kind {
            CommandKind::Group(script) => self.block("{", script, "}"),
            CommandKind::Subshell(script) => self.block("(", script, ")"),
            CommandKind::If(branches, otherwise) => {
                for (at, (condition, body)) in branches.iter().enumerate() {
                    self.block(if at == 0 { "if" } else { "elif" }, condition, "then")?;
                    self.line();
                    self.whole(body)?;
                }
                if let Some(body) = otherwise {
                    self.block("else", body, "")?;
                }
                self.push("fi");
                Some(())
            }
            CommandKind::While { condition, body } => {
                self.block("while", condition, "do")?;
                self.line();
                self.whole(body)?;
                self.push("done");
                Some(())
            }
            CommandKind::For { name, words, body } => {
                self.push("for ");
                self.push(name);
                if let Some(words) = words {
                    self.push(" in");
                    self.words(words)?;
                }
                self.line();
                self.block("do", body, "done")
            }
            CommandKind::Case { subject, arms } => {
                self.push("case ");
                self.word(subject, At::Word)?;
                self.push(" in");
                self.line();
                for (patterns, body) in arms {
                    for (at, pattern) in patterns.iter().enumerate() {
                        self.push(if at == 0 { "(" } else { " | " });
                        self.word(pattern, At::Word)?;
                    }
                    self.push(")");
                    self.line();
                    self.script(body)?;
                    self.push(";;");
                    self.line();
                }
                self.push("esac");
                Some(())
            }
            CommandKind::Function { name, body } => {
                let plain = |char: char| char == '_' || char.is_ascii_alphanumeric();
                if name.is_empty() || !name.chars().all(plain) {
                    return None;
                }
                self.push(name);
                self.push("() ");
                self.command(body)
            }
            CommandKind::Test(words) => self.test(words),
            CommandKind::Arithmetic { text, .. } => {
                self.push("((");
                self.push(text);
                self.push("))");
                Some(())
            }
            CommandKind::Time(pipeline) => {
                self.push("time ");
                self.pipeline(pipeline)
            }
            CommandKind::Simple(simple) => self.simple(simple),
            CommandKind::ForArithmetic { .. }
            | CommandKind::Coproc { .. }
            | CommandKind::Unknown(_) => None,
        }
    }

    /// A script that may not be empty, on lines of its own.
    fn whole(&mut self, script: &Script) -> Option<()> {
        if script.items.is_empty() {
            return None;
        }
        self.script(script)
    }

    /// Prints a script between two words, on lines of its own.
    fn block(&mut self, open: &str, script: &Script, close: &str) -> Option<()> {
        self.push(open);
        self.line();
        self.whole(script)?;
        self.push(close);
        Some(())
    }

    /// `[[ … ]]` with one operator. Of several it is not kept how they hang together.
    fn test(&mut self, words: &[Word]) -> Option<()> {
        self.push("[[ ");
        let mut rest = words;
        while let Some((first, others)) = rest.split_first()
            && bare(first) == Some("!")
        {
            self.push("! ");
            rest = others;
        }
        match rest {
            [word] => self.word(word, At::Word)?,
            [operator, word] => {
                let operator = bare(operator).filter(|text| text.starts_with('-'))?;
                self.push(operator);
                self.push(" ");
                self.word(word, At::Word)?;
            }
            [left, operator, right] => {
                let operator = bare(operator).filter(|text| {
                    text.starts_with('-') || matches!(*text, "==" | "=" | "!=" | "<" | ">")
                })?;
                self.word(left, At::Word)?;
                self.push(" ");
                self.push(operator);
                self.push(" ");
                self.word(right, At::Word)?;
            }
            _ => return None,
        }
        self.push(" ]]");
        Some(())
    }

    /// Prints a simple command.
    fn simple(&mut self, simple: &SimpleCommand) -> Option<()> {
        let mut first = true;
        for assignment in &simple.assignments {
            if !std::mem::take(&mut first) {
                self.push(" ");
            }
            self.assignment(assignment)?;
        }
        let declares = simple.words.first().and_then(bare).filter(|name| DECLARING.contains(name));
        for (at, word) in simple.words.iter().enumerate() {
            if !std::mem::take(&mut first) {
                self.push(" ");
            }
            match declares {
                Some(name) if at == 0 => self.push(name),
                Some(_) => self.declared(word, &simple.arrays)?,
                None => self.word(word, At::Word)?,
            }
        }
        Some(())
    }

    /// Prints words with blanks before them.
    fn words(&mut self, words: &[Word]) -> Option<()> {
        for word in words {
            self.push(" ");
            self.word(word, At::Word)?;
        }
        Some(())
    }

    /// An operand of `export` and the like, whose name and sign stand without quotes.
    fn declared(&mut self, word: &Word, arrays: &[Assignment]) -> Option<()> {
        if let Some(name) = bare(word)
            && let Some(array) = arrays.iter().find(|array| array.name == name)
        {
            return self.assignment(array);
        }
        let Some(Piece::Literal { text, quoted: false }) = word.pieces.first() else {
            return self.word(word, At::Word);
        };
        let is_name = |name: &str| {
            !name.is_empty() && name.chars().all(|char| char == '_' || char.is_ascii_alphanumeric())
        };
        let sign = match word.pieces.get(1) {
            Some(Piece::Literal { text, .. }) => text.as_str(),
            Some(_) => return None,
            None => return self.word(word, At::Word),
        };
        if !is_name(text) || !matches!(sign, "=" | "+=") {
            return None;
        }
        self.push(text);
        self.push(sign);
        self.pieces(&word.pieces[2..], At::Word)
    }

    /// Prints an assignment.
    fn assignment(&mut self, assignment: &Assignment) -> Option<()> {
        self.push(&assignment.name);
        if let Some(index) = &assignment.index {
            self.index(index)?;
        }
        self.push(if assignment.append { "+=" } else { "=" });
        match &assignment.value {
            Assigned::Word(word) => self.pieces(&word.pieces, At::Word),
            Assigned::Array(words) => {
                self.push("(");
                for (at, word) in words.iter().enumerate() {
                    if at > 0 {
                        self.push(" ");
                    }
                    self.word(word, At::Word)?;
                }
                self.push(")");
                Some(())
            }
        }
    }

    /// `[…]` with a plain index.
    fn index(&mut self, index: &Word) -> Option<()> {
        let plain = |char: char| char.is_ascii_alphanumeric() || "_@*-".contains(char);
        self.push("[");
        for piece in &index.pieces {
            match piece {
                Piece::Literal { text, .. } | Piece::Glob(text) if text.chars().all(plain) => {
                    self.push(text)
                }
                Piece::Variable(variable) if variable.operation == Operation::None => {
                    self.variable(variable, At::Quoted)?;
                }
                _ => return None,
            }
        }
        self.push("]");
        Some(())
    }

    /// Prints a word. None if it cannot be printed so that it stays the same.
    fn word(&mut self, word: &Word, at: At) -> Option<()> {
        if word.pieces.is_empty() {
            if at == At::Word {
                self.push("''");
            }
            return Some(());
        }
        self.pieces(&word.pieces, at)
    }

    /// Prints the pieces of a word.
    fn pieces(&mut self, pieces: &[Piece], at: At) -> Option<()> {
        let mut number = 0;
        while let Some(piece) = pieces.get(number) {
            number += 1;
            match piece {
                Piece::Literal { text, quoted } => {
                    let mut text = text.clone();
                    let mut quoted = *quoted || at == At::Word;
                    // What stands side by side is one text.
                    while let Some(Piece::Literal { text: next, quoted: also }) = pieces.get(number)
                        && (at == At::Word || *also == quoted)
                    {
                        text.push_str(next);
                        quoted |= *also;
                        number += 1;
                    }
                    self.literal(&text, quoted, at)?;
                }
                Piece::Tilde(user) => {
                    self.push("~");
                    self.push(user);
                    match pieces.get(number) {
                        None => {}
                        Some(Piece::Literal { text, .. }) if text.starts_with('/') => {
                            self.push("/");
                            number += 1;
                            let mut rest =
                                vec![Piece::Literal { text: text[1..].to_owned(), quoted: true }];
                            rest.retain(|piece| !matches!(piece, Piece::Literal { text, .. } if text.is_empty()));
                            rest.extend(pieces[number..].iter().cloned());
                            return self.pieces(&rest, at);
                        }
                        Some(_) => return None,
                    }
                }
                piece => self.piece(piece, at)?,
            }
        }
        Some(())
    }

    /// Prints a literal between the quotes that its place needs.
    fn literal(&mut self, text: &str, quoted: bool, at: At) -> Option<()> {
        match at {
            At::Quoted => {
                for char in text.chars() {
                    if matches!(char, '\\' | '$' | '`' | '"' | '}') {
                        // In a here-document a quote is escaped by nothing.
                        self.push("\\");
                    }
                    self.out.push(char);
                }
            }
            At::Operand if !quoted => {
                for char in text.chars() {
                    let plain = char.is_ascii_alphanumeric() || " \t_-./:=,+%@".contains(char);
                    if char == '\n' {
                        return None;
                    }
                    if !plain {
                        self.push("\\");
                    }
                    self.out.push(char);
                }
            }
            At::Operand | At::Word => {
                self.push("'");
                self.push(&text.replace('\'', "'\\''"));
                self.push("'");
            }
        }
        Some(())
    }

    /// Prints an expansion.
    fn piece(&mut self, piece: &Piece, at: At) -> Option<()> {
        let quoted = match piece {
            Piece::Variable(variable) => variable.quoted,
            Piece::Command { quoted, .. } | Piece::Arithmetic { quoted, .. } => *quoted,
            _ => false,
        };
        let marks = quoted && at != At::Quoted;
        if marks {
            self.push("\"");
        }
        let inner = if quoted || at == At::Quoted { At::Quoted } else { At::Operand };
        match piece {
            Piece::Variable(variable) => self.variable(variable, inner)?,
            Piece::Command { script, .. } => self.substitution("$(", script)?,
            Piece::Process { script, writes } => {
                self.substitution(if *writes { ">(" } else { "<(" }, script)?;
            }
            Piece::Arithmetic { text, .. } => {
                self.push("$((");
                self.push(text);
                self.push("))");
            }
            Piece::Glob(text) => self.push(text),
            Piece::Brace(all) if all.len() > 1 => {
                for (number, pieces) in all.iter().enumerate() {
                    self.push(if number == 0 { "{" } else { "," });
                    self.pieces(pieces, at)?;
                }
                self.push("}");
            }
            Piece::Brace(_) | Piece::Unknown(_) | Piece::Literal { .. } | Piece::Tilde(_) => {
                return None;
            }
        }
        if marks {
            self.push("\"");
        }
        Some(())
    }

    /// A script within a word. Bodies of documents that stand before it follow behind.
    fn substitution(&mut self, open: &str, script: &Script) -> Option<()> {
        let pending = std::mem::take(&mut self.pending);
        self.push(open);
        self.line();
        self.script(script)?;
        self.push(")");
        self.pending = pending;
        Some(())
    }

    /// Prints a redirection.
    fn redirection(&mut self, redirection: &Redirection) -> Option<()> {
        if let Some(name) = &redirection.fd_name {
            self.push(&format!("{{{name}}}"));
        } else if let Some(fd) = redirection.fd {
            self.push(&fd.to_string());
        }
        let (sign, word) = match &redirection.kind {
            RedirectionKind::Read(word) => ("< ", word),
            RedirectionKind::Write { to, clobber: false } => ("> ", to),
            RedirectionKind::Write { to, clobber: true } => (">| ", to),
            RedirectionKind::Append(word) => (">> ", word),
            RedirectionKind::ReadWrite(word) => ("<> ", word),
            RedirectionKind::WriteBoth { to, append: false } => ("&> ", to),
            RedirectionKind::WriteBoth { to, append: true } => ("&>> ", to),
            RedirectionKind::HereString(word) => ("<<< ", word),
            RedirectionKind::Duplicate(word) => {
                self.push(">&");
                return match literal_of(word) {
                    Some(text) if text.chars().all(|char| char.is_ascii_digit() || char == '-') => {
                        self.push(text);
                        Some(())
                    }
                    _ => self.word(word, At::Word),
                };
            }
            RedirectionKind::HereDocument { body, quoted } => return self.document(body, *quoted),
        };
        self.push(sign);
        self.word(word, At::Word)
    }

    /// Prints the body of a here-document.
    fn document(&mut self, body: &Word, quoted: bool) -> Option<()> {
        let mut inner = Printer::default();
        for piece in &body.pieces {
            match piece {
                Piece::Literal { text, .. } if quoted => inner.push(text),
                Piece::Literal { text, .. } => {
                    for char in text.chars() {
                        if matches!(char, '\\' | '$' | '`') {
                            inner.push("\\");
                        }
                        inner.out.push(char);
                    }
                }
                _ if quoted => return None,
                piece => inner.piece(piece, At::Quoted)?,
            }
        }
        let mut text = inner.out;
        if !text.is_empty() && !text.ends_with('\n') || !inner.pending.is_empty() {
            return None;
        }
        let mut end = "END".to_owned();
        while text.lines().any(|line| line == end) {
            end.push('_');
        }
        let mark = if quoted { "'" } else { "" };
        self.push(&format!("<<{mark}{end}{mark}"));
        text.push_str(&end);
        text.push('\n');
        self.pending.push(text);
        Some(())
    }
}

/// Builtins whose operands are assignments.
const DECLARING: &[&str] = &["export", "declare", "typeset", "local", "readonly"];

/// A word that is one text without quotes.
fn bare(word: &Word) -> Option<&str> {
    match &word.pieces[..] {
        [Piece::Literal { text, quoted: false }] => Some(text),
        _ => None,
    }
}

/// The text of a word that is a single literal.
fn literal_of(word: &Word) -> Option<&str> {
    match &word.pieces[..] {
        [Piece::Literal { text, .. }] => Some(text),
        _ => None,
    }
}
