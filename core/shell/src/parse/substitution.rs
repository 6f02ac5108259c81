//! Lowers what runs in a word: `$(…)`, `<(…)`, backticks, `${ …; }`.

use shuck_ast::StmtSeq;
use shuck_parser::parser::ParseStatus;

use super::{DEEPEST_SUBSTITUTION, Lowering, doubt, reading};
use crate::ir::{Piece, Script};

impl Lowering<'_, '_> {
    /// Lowers the inside of `$(…)`. The crate forgets what is wrong with it, so it is parsed once
    /// more by itself.
    pub(super) fn inside(&mut self, body: &StmtSeq, span: shuck_ast::Span) -> Script {
        let slice = self.slice(span);
        let inside = slice.get(2..slice.len().saturating_sub(1)).unwrap_or_default().to_owned();
        let plain = |char: char| char.is_ascii_alphanumeric() || "_-./ ".contains(char);
        let is_plain = inside.chars().all(plain) && !body.stmts.is_empty();
        if body.stmts.is_empty() && !is_blank(&inside) {
            self.problem("a substitution that is no command", self.span(span));
        }
        if !is_plain && self.may_read(&inside, &self.span(span)) {
            let read = reading::read(&inside, self.apart);
            if read.is_none_or(|read| read.status != ParseStatus::Clean) {
                self.problem("a substitution that is no command", self.span(span));
            }
        }
        if self.nesting >= DEEPEST_SUBSTITUTION {
            self.problem("nested too deep", self.span(span));
            return Script::default();
        }
        self.nesting += 1;
        let script = self.without_singles(false, |this| this.sequence(body));
        self.nesting -= 1;
        script
    }

    /// Lowers `<(…)` or `>(…)`. An empty one makes no word at all in a shell.
    pub(super) fn process(&mut self, body: &StmtSeq, span: shuck_ast::Span, writes: bool) -> Piece {
        let script = self.inside(body, span);
        if script.items.is_empty() {
            self.problem("a substitution that is no command", self.span(span));
        }
        Piece::Process { script, writes }
    }

    /// Lowers the inside of backticks. Its backslashes are resolved before it is parsed.
    pub(super) fn backticks(&mut self, span: shuck_ast::Span, quoted: bool) -> Script {
        let slice = self.slice(span);
        let inside = slice.strip_prefix('`').and_then(|inside| inside.strip_suffix('`'));
        let Some(inside) = inside else {
            self.problem("backticks that could not be read", self.span(span));
            return Script::default();
        };
        let mut text = String::with_capacity(inside.len());
        let mut rest = inside.chars().peekable();
        while let Some(char) = rest.next() {
            match (char, rest.peek()) {
                ('\\', Some('`' | '\\' | '$')) => text.extend(rest.next()),
                ('\\', Some('"')) if quoted => text.extend(rest.next()),
                _ => text.push(char),
            }
        }
        // Between double quotes a line goes on within single ones, too.
        let goes_on = quoted && text.contains("\\\n") && text.contains('\'');
        if goes_on || doubt::in_backticks(&text) {
            self.problem("backticks that could not be read", self.span(span));
        }
        self.script_within(&text, self.span(span)).unwrap_or_default()
    }

    /// Lowers `${ …; }`.
    pub(super) fn braced_command(&mut self, span: shuck_ast::Span, quoted: bool) -> Piece {
        let slice = self.slice(span);
        let inside = slice.strip_prefix("${").and_then(|inside| inside.strip_suffix('}'));
        match inside {
            Some(inside)
                if inside.starts_with([' ', '\t', '\n', '|']) && !inside.trim().is_empty() =>
            {
                let inside = inside.trim_start_matches('|').to_owned();
                let script = self.script_within(&inside, self.span(span)).unwrap_or_default();
                Piece::Command { script, quoted }
            }
            _ => self.unknown_parameter(span),
        }
    }
}

/// True if there is nothing to run: only blanks and comments.
fn is_blank(text: &str) -> bool {
    text.lines().map(str::trim_start).all(|line| line.is_empty() || line.starts_with('#'))
}
