//! Places at which the crate reads something else than a shell does.
//!
//! Each check knows one such place, and records a problem where it finds it, so that the text is
//! never taken for understood. The checks were found by comparing the crate with Bash on generated
//! texts; the tests of the crate repeat that comparison.

use std::ops::Range;

use shuck_ast::{
    ArrayElem, ArrayExpr, Assignment, LiteralText, Redirect, Span as TheirSpan, StmtSeq,
    TimeCommand, Word as TheirWord, WordPart, WordPartNode,
};

use super::Lowering;
use super::command::literal;
use super::doubt::{self, odd_backslashes};
use super::word::expands;
use crate::ir::{Command, CommandKind, Operation, Piece, Pipeline, SimpleCommand, Variable};

impl Lowering<'_, '_> {
    /// A word that begins where no shell begins one, because the crate ended another word too
    /// early.
    pub(super) fn check_begin(&mut self, span: TheirSpan) {
        let is_empty = span.start.offset() == span.end.offset();
        // A shell knows a comment there.
        let is_comment = self.slice(span).starts_with('#');
        if !is_empty && (is_comment || self.is_within(span)) {
            self.problem("a word that begins within another", self.span(span));
        }
    }

    /// A redirection whose number is the end of a word to a shell: `]2>x`.
    pub(super) fn check_descriptor(&mut self, span: TheirSpan) {
        // Behind `<(…)` a number belongs to the word, and behind `(…)` it does not.
        let behind_bracket =
            self.source.get(..span.start.offset()).is_some_and(|before| before.ends_with(')'));
        let is_number = self.slice(span).starts_with(|char: char| char.is_ascii_digit());
        if is_number && (behind_bracket || self.is_within(span)) {
            self.problem("a descriptor within a word", self.span(span));
        }
    }

    /// A word like `a[`. Where a command begins, a shell takes everything up to the next `]` for an
    /// index.
    pub(super) fn check_element(&mut self, span: TheirSpan) {
        let slice = self.slice(span);
        let name =
            slice.trim_start_matches(|char: char| char == '_' || char.is_ascii_alphanumeric());
        let is_name =
            name.len() < slice.len() && !slice.starts_with(|char: char| char.is_ascii_digit());
        let opens = || name.matches('[').count() > name.matches(']').count();
        if is_name && name.starts_with('[') && opens() {
            self.problem("an index that could not be read", self.span(span));
        }
    }

    /// A redirection that closes a descriptor with a word right behind it. To a shell `>&-` is
    /// complete, and what follows is another word.
    pub(super) fn check_closing(&mut self, redirect: &Redirect) {
        let plain: String = self.slice(redirect.span).split("\\\n").collect();
        let closes = |at: usize| plain[at + 3..].chars().next();
        let found = ["<&-", ">&-"].iter().find_map(|sign| plain.find(sign)).and_then(closes);
        if found.is_some() || self.goes_on(redirect.span) {
            self.problem("a redirection that could not be read", self.span(redirect.span));
        }
    }

    /// True if a word continues right behind a closing redirection.
    fn goes_on(&self, span: TheirSpan) -> bool {
        let ends = |char: char| char.is_ascii_whitespace() || ";|&()<>`}".contains(char);
        let behind = self.behind(span).trim_start_matches("\\\n");
        self.slice(span).ends_with("&-") && behind.chars().next().is_some_and(|char| !ends(char))
    }

    /// True if the text before belongs to a word that continues here.
    fn is_within(&self, span: TheirSpan) -> bool {
        let mut before = self.source.get(..span.start.offset()).unwrap_or_default();
        // A line that goes on is no border, unless its backslash is a character itself.
        while let Some(rest) = before.strip_suffix("\\\n")
            && !odd_backslashes(rest)
        {
            before = rest;
        }
        before.ends_with(|char: char| !char.is_ascii_whitespace() && !";|&()<>`".contains(char))
    }

    /// A word that is the number of a descriptor to a shell.
    pub(super) fn check_number(&mut self, span: TheirSpan) {
        let slice = self.slice(span);
        let is_number = !slice.is_empty() && slice.bytes().all(|byte| byte.is_ascii_digit());
        if is_number && self.behind(span).starts_with(['<', '>']) {
            self.problem("a descriptor that could not be read", self.span(span));
        }
    }

    /// A word before an operator of `[[` that is an operator itself, once it is put together from
    /// several lines. A shell takes what follows for its operand, and the whole for an error.
    pub(super) fn check_operator(&mut self, span: TheirSpan) {
        /// The letters of tests with one operand.
        const UNARY: &str = "abcdefghknoprstuvwxzGLNORS";
        let slice = self.slice(span).replace("\\\n", "");
        let letter =
            slice.strip_prefix('-').and_then(|rest| rest.strip_prefix(|c| UNARY.contains(c)));
        if letter == Some("") {
            self.problem("a test that could not be read", self.span(span));
        }
    }

    /// A literal whose last `$` or backslash belongs to what follows, or to nothing.
    pub(super) fn check_literal(&mut self, part: &WordPartNode, span: TheirSpan, quoted: bool) {
        if !matches!(part.kind, WordPart::Literal(_)) {
            return;
        }
        let slice = self.slice(span);
        let takes = |char: char| expands(char) || !quoted && matches!(char, '\'' | '"');
        let is_dollar = slice.strip_suffix('$').is_some_and(|before| !odd_backslashes(before))
            && self.behind(span).starts_with(takes);
        if is_dollar {
            self.problem("an expansion that could not be read", self.span(span));
        } else if odd_backslashes(slice) {
            self.problem("a backslash before nothing", self.span(span));
        }
    }

    /// An expansion or a quote to the crate, and an escaped character to a shell: `{\$[x;y`.
    pub(super) fn check_escape(&mut self, part: &WordPartNode, span: TheirSpan) {
        if matches!(part.kind, WordPart::Literal(_)) || self.slice(span).is_empty() {
            return;
        }
        if odd_backslashes(self.source.get(..span.start.offset()).unwrap_or_default()) {
            self.problem("an expansion that could not be read", self.span(span));
        }
    }

    /// Text behind the commands at which the crate stopped reading without an error.
    pub(super) fn check_rest(&mut self, commands: &StmtSeq) {
        let Some(last) = commands.stmts.last() else { return };
        let redirected = last.redirects.iter().map(|redirect| redirect.span);
        let ends = redirected.chain([last.span]).map(|span| span.end.offset());
        let end = ends.max().unwrap_or_default();
        let (before, behind) = self.source.split_at_checked(end).unwrap_or_default();
        if before.ends_with('\n') {
            return;
        }
        let line = behind.lines().next().unwrap_or_default();
        let rest = line.trim_start_matches([' ', '\t', ';', '&', ')', '}']);
        if !rest.is_empty() && !rest.starts_with('#') {
            let end = self.source.len();
            let span = self.place.clone().unwrap_or(end - behind.len()..end);
            self.problem("a text that could not be read", span);
        }
    }

    /// A word of which the crate leaves out a part.
    pub(super) fn check_word(&mut self, word: &TheirWord) {
        let mut read = word.span.start.offset();
        let mut gaps = word.parts.iter().map(|part| {
            let gap = read..part.span.start.offset();
            read = part.span.end.offset();
            gap
        });
        let is_gap = |gap: Range<usize>| {
            self.source.get(gap).is_some_and(|gap| !gap.replace("\\\n", "").is_empty())
        };
        // It takes a brace that ends nothing for a word of its own.
        let is_split = self.slice(word.span).strip_prefix('}').is_some_and(|rest| !rest.is_empty());
        if gaps.any(is_gap) || is_gap(read..word.span.end.offset()) || is_split {
            self.problem("a word that could not be read", self.span(word.span));
        }
        // Of `echo x=(;` it takes all that follows for nothing.
        if self.slice(word.span).ends_with('=') {
            self.check_value(word.span);
        }
    }

    /// The text that the crate leaves out at the end of a text between double quotes. An error if
    /// it leaves out something before that.
    pub(super) fn left_out(&self, parts: &[WordPartNode], span: TheirSpan) -> Result<&str, ()> {
        let slice = self.slice(span);
        let inside = slice.trim_start_matches('$').strip_prefix('"');
        let inside = inside.and_then(|inside| inside.strip_suffix('"')).ok_or(())?;
        let last = span.end.offset() - 1;
        let mut read = last - inside.len();
        for part in parts {
            let is_elsewhere = match &part.kind {
                WordPart::Literal(LiteralText::Owned(text) | LiteralText::CookedSource(text)) => {
                    !text.is_empty() && self.slice(part.span).is_empty()
                }
                _ => false,
            };
            if part.span.start.offset() > read || is_elsewhere {
                return Err(());
            }
            read = part.span.end.offset();
        }
        Ok(self.source.get(read..last).unwrap_or_default())
    }

    /// A parameter of which the crate read only a part.
    pub(super) fn check_parameter(&mut self, piece: &Piece, span: TheirSpan) {
        let Piece::Variable(variable) = piece else { return };
        let is_letter = |char: char| char == '_' || char.is_ascii_alphanumeric();
        let slice = self.slice(span);
        let inside = slice.strip_prefix("${").and_then(|inside| inside.strip_suffix('}'));
        let is_whole = match inside {
            Some(inside) => is_whole(inside, variable) && !doubt::in_parameter(inside),
            // `$a⏎b` with a continuation is `$ab`, and `$a{b,c}` is `$ab $ac`: braces come first.
            None => {
                let behind = self.behind(span);
                let goes_on = behind.starts_with("\\\n")
                    && behind.trim_start_matches("\\\n").starts_with(is_letter)
                    || behind.starts_with('{') && !variable.quoted;
                !slice.starts_with('$') || !slice.ends_with(is_letter) || !goes_on
            }
        };
        let is_known = match variable.operation {
            Operation::Transform(kind) => kind.is_ascii_alphabetic(),
            _ => true,
        };
        if !is_whole || !is_known || !is_parameter(&variable.name) {
            self.problem("a parameter that could not be read", self.span(span));
        }
    }

    /// A `time` for which the crate takes the command of the next line, or an option on two lines.
    pub(super) fn check_time(&mut self, sign: TheirSpan, command: TheirSpan) {
        let between = self.source.get(sign.start.offset()..command.start.offset());
        let is_option = self.slice(command).starts_with("-\\\n");
        if is_option || between.is_some_and(|between| between.contains('\n')) {
            self.problem("a sign without a command", self.span(sign));
        }
    }

    /// A `!` for which the crate takes the command of the next line.
    pub(super) fn check_negation(&mut self, span: TheirSpan) {
        let before = self.source.get(..span.start.offset()).unwrap_or_default();
        let behind = self.source.get(span.start.offset()..).unwrap_or_default();
        let between = match behind.strip_prefix('!') {
            Some(rest) => &rest[..rest.len() - rest.trim_start().len()],
            None => &before[before.trim_end().len()..],
        };
        let is_comment =
            behind.strip_prefix('!').is_some_and(|rest| rest.trim_start().starts_with('#'));
        if between.contains('\n') || is_comment {
            self.problem("a sign without a command", self.span(span));
        }
    }

    /// A `[[` that a shell ends elsewhere.
    pub(super) fn check_test(&mut self, span: TheirSpan) {
        if doubt::in_test(self.slice(span)) {
            self.problem("a test that could not be read", self.span(span));
        }
    }

    /// An arithmetic expression that a shell ends elsewhere.
    pub(super) fn check_arithmetic(&mut self, text: &str, span: TheirSpan) {
        if doubt::in_arithmetic(text) {
            self.problem("a calculation that could not be read", self.span(span));
        }
    }

    /// An array that a shell ends elsewhere.
    pub(super) fn check_array(&mut self, assignment: &Assignment, array: &ArrayExpr) {
        let goes_on = |char: char| !char.is_whitespace() && !";|&<>()`}".contains(char);
        let is_word = self.behind(assignment.span).starts_with(goes_on);
        if is_word || !self.is_array(assignment, array).unwrap_or_default() {
            self.problem("an array that could not be read", self.span(assignment.span));
        }
    }

    /// True if an array has its parentheses, and nothing between them but its elements. The spans of
    /// some have the parentheses in them, and those of others not.
    fn is_array(&self, assignment: &Assignment, array: &ArrayExpr) -> Option<bool> {
        let target = &assignment.target;
        let target = match &target.subscript {
            Some(index) => index.span().end.offset() + 1,
            None => target.name_span.end.offset(),
        };
        let behind = self.source.get(target..assignment.span.end.offset())?;
        let opened = behind.strip_prefix('+').unwrap_or(behind).strip_prefix("=(")?;
        let mut at = target + behind.len() - opened.len();
        for element in &array.elements {
            let gap = self.source.get(at..element.span().start.offset())?;
            let gap = match element {
                ArrayElem::Sequential(_) => gap,
                ArrayElem::Keyed { .. } | ArrayElem::KeyedAppend { .. } => gap.strip_suffix('[')?,
            };
            if doubt::between_elements(gap) {
                return Some(false);
            }
            at = element.span().end.offset();
        }
        let gap = self.source.get(at..assignment.span.end.offset())?.strip_suffix(')')?;
        Some(!doubt::between_elements(gap))
    }

    /// A value that is an array to a shell and nothing to the crate.
    pub(super) fn check_value(&mut self, span: TheirSpan) {
        if self.behind(span).trim_start_matches("\\\n").starts_with('(') {
            self.problem("an array that could not be read", self.span(span));
        }
    }

    /// Lowers `time` behind `|`, where it is a program and no word of the shell.
    pub(super) fn timed_stage(
        &mut self,
        it: &TimeCommand,
        redirected: bool,
        pipeline: &mut Pipeline,
    ) {
        let span = self.span(it.span);
        let names: &[&str] = if it.posix_format { &["time", "-p"] } else { &["time"] };
        let names = names.iter().map(|name| literal(name, span.clone()));
        let (at, negated) = (pipeline.commands.len(), pipeline.negated);
        match &it.command {
            Some(stmt) => self.stages(stmt, pipeline),
            None => {
                let simple = SimpleCommand {
                    assignments: Vec::new(),
                    words: Vec::new(),
                    arrays: Vec::new(),
                };
                let kind = CommandKind::Simple(simple);
                pipeline.commands.push(Command {
                    kind,
                    redirections: Vec::new(),
                    span: span.clone(),
                });
            }
        }
        let first = pipeline.commands.get_mut(at).map(|command| &mut command.kind);
        match first {
            Some(CommandKind::Simple(simple))
                if simple.assignments.is_empty() && !redirected && negated == pipeline.negated =>
            {
                simple.words.splice(0..0, names);
            }
            _ => self.problem("`time` behind a pipe", span),
        }
    }

    /// The text behind a place.
    fn behind(&self, span: TheirSpan) -> &str {
        self.source.get(span.end.offset()..).unwrap_or_default()
    }
}

/// True if the braces of a parameter hold nothing but what was understood.
fn is_whole(inside: &str, variable: &Variable) -> bool {
    let (sign, end) = match &variable.operation {
        Operation::None => ("", String::new()),
        Operation::Length => ("#", String::new()),
        Operation::Indirect => ("!", String::new()),
        Operation::Transform(kind) => ("", format!("@{kind}")),
        Operation::Names => return inside.ends_with(['*', '@']),
        // What stands behind the name is read to the end.
        _ => return true,
    };
    let Some(rest) = inside.strip_prefix(sign) else { return false };
    let Some(rest) = rest.strip_prefix(variable.name.as_str()) else { return false };
    let Some(index) = rest.strip_suffix(end.as_str()) else { return false };
    match variable.index {
        None => index.is_empty(),
        Some(_) => index.starts_with('[') && index.ends_with(']'),
    }
}

/// True for the name of a parameter.
fn is_parameter(name: &str) -> bool {
    let is_letter = |char: char| char == '_' || char.is_ascii_alphanumeric();
    let is_number = name.chars().all(|char| char.is_ascii_digit());
    let is_special = matches!(name, "@" | "*" | "#" | "?" | "-" | "$" | "!");
    is_special
        || !name.is_empty()
            && name.chars().all(is_letter)
            && (is_number || !name.starts_with(|char: char| char.is_ascii_digit()))
}
