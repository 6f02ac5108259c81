//! Lowers compound commands and functions.

use std::sync::Arc;

use shuck_ast::{
    CompoundCommand as Compound, ConditionalExpr, ForCommand, FunctionDef, IfCommand,
    Span as TheirSpan, TimeCommand,
};

use super::Lowering;
use super::atoms::Mode;
use super::command::literal;
use super::word::one_group;
use crate::ir::{Command, CommandKind, Item, Joint, Piece, Pipeline, Script, Span, Word};

/// What succeeds if a script fails.
fn negated(script: Script, span: Span) -> Script {
    let kind = CommandKind::Group(script);
    let command = Command { kind, redirections: Vec::new(), span: span.clone() };
    let pipeline =
        Pipeline { negated: true, commands: vec![command], with_stderr: Vec::new(), span };
    let (joint, background, begins_line) = (Joint::Always, false, false);
    Script { items: vec![Item { joint, pipeline, background, begins_line }] }
}

impl Lowering<'_, '_> {
    /// Lowers a compound command.
    pub(super) fn compound(&mut self, compound: &Compound) -> CommandKind {
        match compound {
            Compound::If(it) => self.conditional(it),
            Compound::For(it) => self.for_words(it),
            Compound::Select(it) => {
                let words = it.words.iter().map(|word| self.word(word, Mode::WORD));
                let mut words: Vec<Word> = words.collect();
                // What is not chosen leaves the variable empty.
                let pieces = vec![Piece::Unknown("a choice".into())];
                words.push(Word { pieces, span: self.span(it.span) });
                let name = self.name(&it.variable);
                CommandKind::For { name, words: Some(words), body: self.sequence(&it.body) }
            }
            Compound::ArithmeticFor(it) => {
                let spans = [it.init_span, it.condition_span, it.step_span];
                let words = spans
                    .into_iter()
                    .flatten()
                    .flat_map(|span| self.arithmetic_text(span).1)
                    .collect();
                CommandKind::ForArithmetic { words, body: self.sequence(&it.body) }
            }
            Compound::While(it) => CommandKind::While {
                condition: self.sequence(&it.condition),
                body: self.sequence(&it.body),
            },
            Compound::Until(it) => {
                let span = self.span(it.condition.span);
                CommandKind::While {
                    condition: negated(self.sequence(&it.condition), span),
                    body: self.sequence(&it.body),
                }
            }
            Compound::Case(it) => {
                let subject = self.word(&it.word, Mode::SINGLE);
                let mut arms = Vec::with_capacity(it.cases.len());
                for case in &it.cases {
                    let patterns =
                        case.patterns.iter().map(|pattern| self.pattern(pattern)).collect();
                    arms.push((patterns, self.sequence(&case.body)));
                }
                CommandKind::Case { subject, arms }
            }
            Compound::Subshell(body) => CommandKind::Subshell(self.sequence(body)),
            Compound::BraceGroup(body) => CommandKind::Group(self.sequence(body)),
            Compound::Arithmetic(it) => self.arithmetic_command(it.span, it.expr_span),
            Compound::Time(it) => self.timed(it),
            Compound::Conditional(it) => {
                self.check_test(it.span);
                let mut words = Vec::new();
                self.test(&it.expression, &mut words);
                CommandKind::Test(words)
            }
            Compound::Coproc(it) => {
                let mut negated = false;
                let body = Box::new(self.command(&it.body, &mut negated));
                CommandKind::Coproc { name: self.name(&it.name), body }
            }
            Compound::Repeat(it) => self.unknown("`repeat`, which is of another shell", it.span),
            Compound::Foreach(it) => self.unknown("`foreach`, which is of another shell", it.span),
            Compound::Always(it) => self.unknown("`always`, which is of another shell", it.span),
        }
    }

    /// Lowers `time`.
    fn timed(&mut self, it: &TimeCommand) -> CommandKind {
        let Some(stmt) = &it.command else { return CommandKind::Group(Script::default()) };
        self.check_time(it.span, stmt.span);
        let mut items = self.sequence_of(stmt).items;
        match (items.pop(), items.is_empty()) {
            (Some(item), true) => CommandKind::Time(Box::new(item.pipeline)),
            (item, _) => {
                items.extend(item);
                CommandKind::Group(Script { items })
            }
        }
    }

    /// A sequence of one statement.
    fn sequence_of(&mut self, stmt: &shuck_ast::Stmt) -> Script {
        let sequence = shuck_ast::StmtSeq {
            leading_comments: Vec::new(),
            stmts: vec![stmt.clone()],
            trailing_comments: Vec::new(),
            span: stmt.span,
        };
        self.sequence(&sequence)
    }

    /// Lowers `if`.
    fn conditional(&mut self, it: &IfCommand) -> CommandKind {
        let mut branches = vec![(self.sequence(&it.condition), self.sequence(&it.then_branch))];
        for (condition, body) in &it.elif_branches {
            branches.push((self.sequence(condition), self.sequence(body)));
        }
        let otherwise = it.else_branch.as_ref().map(|body| self.sequence(body));
        CommandKind::If(branches, otherwise)
    }

    /// Lowers `for name in …`.
    fn for_words(&mut self, it: &ForCommand) -> CommandKind {
        let name = match &it.targets[..] {
            [target] => target.name.as_ref().map(|name| self.name(name)),
            _ => None,
        };
        let words =
            it.words.as_ref().map(|words| self.side_by_side(&words.iter().collect::<Vec<_>>()));
        let body = self.sequence(&it.body);
        match name {
            Some(name) => CommandKind::For { name, words, body },
            None => self.unknown("a loop that could not be read", it.span),
        }
    }

    /// `((…))`, which is two subshells if the inner parentheses are not one pair.
    fn arithmetic_command(&mut self, span: TheirSpan, inside: Option<TheirSpan>) -> CommandKind {
        let slice = self.slice(span).trim_end_matches([' ', '\t', '\n', ';', '&', '|']).to_owned();
        if let Some(body) = slice.strip_prefix('(').and_then(|body| body.strip_suffix(')'))
            && !one_group(body)
        {
            let script = self.script_within(body, self.span(span)).unwrap_or_default();
            return CommandKind::Subshell(script);
        }
        let (text, words) = inside.map(|span| self.arithmetic_text(span)).unwrap_or_default();
        CommandKind::Arithmetic { text, words }
    }

    /// Lowers the definition of a function.
    pub(super) fn function(&mut self, function: &FunctionDef) -> CommandKind {
        let name = match &function.header.entries[..] {
            [entry] => match &entry.static_name {
                Some(name) => self.name(name),
                None => self.slice(entry.word.span).to_owned(),
            },
            _ => return self.unknown("a function with several names", function.span),
        };
        let mut negated = false;
        CommandKind::Function { name, body: Arc::new(self.command(&function.body, &mut negated)) }
    }

    /// Collects the words of `[[ … ]]`.
    fn test(&mut self, expression: &ConditionalExpr, words: &mut Vec<Word>) {
        match expression {
            ConditionalExpr::Binary(it) => {
                if let ConditionalExpr::Word(word) = &*it.left {
                    self.check_operator(word.span);
                }
                self.test(&it.left, words);
                words.push(literal(it.op.as_str(), self.span(it.op_span)));
                self.test(&it.right, words);
            }
            ConditionalExpr::Unary(it) => {
                words.push(literal(it.op.as_str(), self.span(it.op_span)));
                self.test(&it.expr, words);
            }
            ConditionalExpr::Parenthesized(it) => self.test(&it.expr, words),
            ConditionalExpr::Word(word) | ConditionalExpr::Regex(word) => {
                words.push(self.word(word, Mode::SINGLE));
            }
            ConditionalExpr::Pattern(pattern) => words.push(self.pattern(pattern)),
            ConditionalExpr::VarRef(reference) => words.push(self.declared(reference)),
        }
    }
}
