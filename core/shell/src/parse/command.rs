//! Lowers sequences, pipelines, simple commands and declarations.

use shuck_ast::{
    ArrayElem, Assignment as TheirAssignment, AssignmentValue, BinaryOp, BuiltinCommand,
    Command as Theirs, CompoundCommand, DeclClause, DeclOperand, Name,
    SimpleCommand as TheirSimple, Stmt, StmtSeq, StmtTerminator, Subscript, VarRef,
    Word as TheirWord, WordPart,
};

use super::atoms::Mode;
use super::reading::EXPANDING;
use super::{Lowering, doubt};
use crate::ir::{
    Assigned, Assignment, Command, CommandKind, Item, Joint, Piece, Pipeline, Script,
    SimpleCommand, Span, Word,
};

/// Words that are no command where they stand alone; the crate takes some for one in odd places.
const RESERVED: &[&str] = &[
    "if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for",
    "select", "in", "function", "{", "}", "[[", "]]", "coproc", "(", ")",
];

impl Lowering<'_, '_> {
    /// Lowers a sequence of statements.
    pub(super) fn sequence(&mut self, sequence: &StmtSeq) -> Script {
        let mut items = Vec::with_capacity(sequence.stmts.len());
        for (at, stmt) in sequence.stmts.iter().enumerate() {
            if let Some(next) = sequence.stmts.get(at + 1)
                && stmt.terminator.is_none()
                && !self.ends_line(stmt, next)
            {
                // `echo a (b)`: a shell refuses it.
                self.problem("two commands with nothing between them", self.span(next.span));
            }
            let first = items.len();
            self.list(stmt, Joint::Always, &mut items);
            let before = at.checked_sub(1).and_then(|before| sequence.stmts.get(before));
            if let Some(item) = items.get_mut(first) {
                item.begins_line = before.is_some_and(|before| self.ends_line(before, stmt));
            }
        }
        Script { items }
    }

    /// True if a line break stands between two commands.
    fn ends_line(&self, stmt: &Stmt, next: &Stmt) -> bool {
        let between = stmt.span.start.offset()..next.span.start.offset();
        let between = self.source.get(between).unwrap_or_default();
        // The span of a group begins behind its parenthesis.
        let between = between.trim_end_matches([' ', '\t', '(', '{', '!']);
        let continued =
            |before: &str| (before.len() - before.trim_end_matches('\\').len()) % 2 == 1;
        between.strip_suffix('\n').is_some_and(|before| !continued(before))
    }

    /// Appends the pipelines of a list that `&&` and `||` join.
    fn list(&mut self, stmt: &Stmt, joint: Joint, items: &mut Vec<Item>) {
        let first = items.len();
        match &stmt.command {
            Theirs::Binary(binary) if matches!(binary.op, BinaryOp::And | BinaryOp::Or) => {
                let next = if binary.op == BinaryOp::And { Joint::And } else { Joint::Or };
                self.list(&binary.left, joint, items);
                self.list(&binary.right, next, items);
            }
            _ => {
                let pipeline = self.pipeline(stmt);
                items.push(Item { joint, pipeline, background: false, begins_line: false });
            }
        }
        if matches!(stmt.terminator, Some(StmtTerminator::Background(_))) {
            for item in &mut items[first..] {
                item.background = true;
            }
        }
    }

    /// Lowers a pipeline.
    fn pipeline(&mut self, stmt: &Stmt) -> Pipeline {
        let mut pipeline = Pipeline {
            negated: false,
            commands: Vec::new(),
            with_stderr: Vec::new(),
            span: self.span(stmt.span),
        };
        self.stages(stmt, &mut pipeline);
        pipeline
    }

    /// Appends the stages of a pipeline.
    pub(super) fn stages(&mut self, stmt: &Stmt, pipeline: &mut Pipeline) {
        pipeline.negated ^= stmt.negated;
        if stmt.negated {
            self.check_negation(stmt.span);
        }
        if let Theirs::Binary(binary) = &stmt.command
            && matches!(binary.op, BinaryOp::Pipe | BinaryOp::PipeAll)
        {
            self.stages(&binary.left, pipeline);
            pipeline.with_stderr.push(binary.op == BinaryOp::PipeAll);
            match &binary.right.command {
                Theirs::Compound(CompoundCommand::Time(it)) => {
                    pipeline.negated ^= binary.right.negated;
                    let redirected = !binary.right.redirects.is_empty();
                    self.timed_stage(it, redirected, pipeline);
                }
                _ => self.stages(&binary.right, pipeline),
            }
            if !stmt.redirects.is_empty() {
                self.problem("a redirection of a pipeline", self.span(stmt.span));
            }
            return;
        }
        let command = self.command(stmt, &mut pipeline.negated);
        pipeline.commands.push(command);
    }

    /// Lowers a command with its redirections.
    pub(super) fn command(&mut self, stmt: &Stmt, negated: &mut bool) -> Command {
        let kind = match &stmt.command {
            Theirs::Simple(simple) => self.simple(simple, negated),
            Theirs::Builtin(builtin) => self.builtin(builtin),
            Theirs::Decl(declaration) => self.declaration(declaration),
            Theirs::Compound(compound) => self.compound(compound),
            Theirs::Function(function) => self.function(function),
            Theirs::Binary(_) => {
                let mut items = Vec::new();
                self.list(stmt, Joint::Always, &mut items);
                CommandKind::Group(Script { items })
            }
            Theirs::AnonymousFunction(_) => self.unknown("a function without a name", stmt.span),
        };
        Command {
            kind,
            redirections: self.redirections(&stmt.redirects),
            span: self.span(stmt.span),
        }
    }

    /// A command that only the crate knows.
    pub(super) fn unknown(&mut self, what: &str, span: shuck_ast::Span) -> CommandKind {
        self.problem(what, self.span(span));
        CommandKind::Unknown(what.to_owned())
    }

    /// Lowers a simple command.
    fn simple(&mut self, simple: &TheirSimple, negated: &mut bool) -> CommandKind {
        let mut words: Vec<&TheirWord> = Vec::with_capacity(simple.args.len() + 1);
        if !self.is_no_word(&simple.name) {
            words.push(&simple.name);
        }
        words.extend(&simple.args);
        if simple.assignments.is_empty() {
            // The crate reads only one `!` as a negation.
            let signs = words.iter().take_while(|word| self.slice(word.span) == "!").count();
            words.drain(..signs);
            *negated ^= signs % 2 == 1;
            if let Some(first) = words.first() {
                let text = self.slice(first.span);
                // Behind several signs the crate knows neither assignments nor words of the shell.
                let is_hidden = text == "time" || text.contains(['=', '[', '{', '(', '\\']);
                if RESERVED.contains(&text) || signs > 0 && is_hidden {
                    let what = format!("`{text}` as a command");
                    self.problem(what, self.span(first.span));
                }
            }
        }
        CommandKind::Simple(SimpleCommand {
            assignments: self.assignments(&simple.assignments),
            words: self.side_by_side(&words),
            arrays: Vec::new(),
        })
    }

    /// Words. The crate ends one behind `{'a','b'}`, though quotes go on with it.
    pub(super) fn side_by_side(&mut self, words: &[&TheirWord]) -> Vec<Word> {
        let mut all: Vec<Word> = Vec::with_capacity(words.len());
        let mut end = None;
        for word in words {
            let goes_on = end == Some(word.span.start.offset());
            let lowered = self.word(word, Mode { tilde: !goes_on, ..Mode::WORD });
            self.hidden_option(word, &lowered);
            self.check_number(word.span);
            if all.is_empty() {
                self.check_element(word.span);
            }
            match all.last_mut() {
                Some(last) if goes_on => {
                    last.pieces.extend(lowered.pieces);
                    last.span.end = last.span.end.max(lowered.span.end);
                }
                _ => {
                    self.check_begin(word.span);
                    all.push(lowered);
                }
            }
            let is_empty = word.span.start.offset() == word.span.end.offset();
            end = Some(word.span.end.offset()).filter(|_| !is_empty);
        }
        all
    }

    /// An option that the crate must not see, written so that it was not kept from it.
    fn hidden_option(&mut self, theirs: &TheirWord, word: &Word) {
        let text = word.pieces.iter().map_while(|piece| match piece {
            Piece::Literal { text, .. } => Some(text.as_str()),
            _ => None,
        });
        if !self.slice(theirs.span).contains(EXPANDING) && text.collect::<String>() == EXPANDING {
            self.problem("aliases, switched on in a hidden way", word.span.clone());
        }
    }

    /// The crate gives a command without a word an empty one.
    fn is_no_word(&self, word: &TheirWord) -> bool {
        word.span.start.offset() == word.span.end.offset()
            && word.parts.iter().all(|part| {
                matches!(&part.kind, WordPart::Literal(text) if text.is_empty() || self.slice(part.span).is_empty())
            })
    }

    /// Lowers a command that the crate keeps apart: `break`, `return`, `exit`.
    fn builtin(&mut self, builtin: &BuiltinCommand) -> CommandKind {
        let (name, first, rest, assignments, span) = match builtin {
            BuiltinCommand::Break(it) => {
                ("break", &it.depth, &it.extra_args, &it.assignments, it.span)
            }
            BuiltinCommand::Continue(it) => {
                ("continue", &it.depth, &it.extra_args, &it.assignments, it.span)
            }
            BuiltinCommand::Return(it) => {
                ("return", &it.code, &it.extra_args, &it.assignments, it.span)
            }
            BuiltinCommand::Exit(it) => {
                ("exit", &it.code, &it.extra_args, &it.assignments, it.span)
            }
        };
        let mut words = vec![literal(name, self.span(span))];
        words.extend(first.iter().chain(rest).map(|word| self.word(word, Mode::WORD)));
        let assignments = self.assignments(assignments);
        CommandKind::Simple(SimpleCommand { assignments, words, arrays: Vec::new() })
    }

    /// Lowers a declaration. Arrays are kept apart from its words.
    fn declaration(&mut self, declaration: &DeclClause) -> CommandKind {
        let span = self.span(declaration.variant_span);
        let mut words = vec![literal(declaration.variant.as_str(), span)];
        let mut arrays = Vec::new();
        for operand in &declaration.operands {
            self.check_begin(match operand {
                DeclOperand::Flag(word) | DeclOperand::Dynamic(word) => word.span,
                DeclOperand::Name(reference) => reference.span,
                DeclOperand::Assignment(assignment) => assignment.span,
            });
            match operand {
                DeclOperand::Flag(word) | DeclOperand::Dynamic(word) => {
                    words.push(self.word(word, Mode::WORD));
                }
                DeclOperand::Name(reference) => words.push(self.declared(reference)),
                DeclOperand::Assignment(assignment) => match &assignment.value {
                    AssignmentValue::Scalar(value) => {
                        self.check_value(assignment.span);
                        let mut word = self.declared(&assignment.target);
                        let sign = if assignment.append { "+=" } else { "=" };
                        word.pieces.push(Piece::Literal { text: sign.to_owned(), quoted: false });
                        word.pieces.extend(self.word(value, Mode::DECLARED).pieces);
                        word.span = self.span(assignment.span);
                        words.push(word);
                    }
                    AssignmentValue::Compound(_) => {
                        words.push(self.declared(&assignment.target));
                        arrays.push(self.assignment(assignment));
                    }
                },
            }
        }
        let assignments = self.assignments(&declaration.assignments);
        CommandKind::Simple(SimpleCommand { assignments, words, arrays })
    }

    /// The name that a declaration or a test is about, with its index.
    pub(super) fn declared(&mut self, reference: &VarRef) -> Word {
        let mut word = literal(reference.name.as_str(), self.span(reference.span));
        if let Some(index) = reference.subscript.as_deref() {
            word.pieces.push(Piece::Literal { text: "[".to_owned(), quoted: true });
            word.pieces.extend(self.index(index).pieces);
            word.pieces.push(Piece::Literal { text: "]".to_owned(), quoted: true });
        }
        word
    }

    /// The index of what is assigned to, declared or tested.
    fn index(&mut self, index: &Subscript) -> Word {
        let span = index.span();
        if doubt::in_index(self.slice(span)) {
            self.problem("an index that could not be read", self.span(span));
        }
        self.subscript(index)
    }

    /// Lowers assignments.
    fn assignments(&mut self, assignments: &[TheirAssignment]) -> Vec<Assignment> {
        assignments.iter().map(|assignment| self.assignment(assignment)).collect()
    }

    /// Lowers an assignment.
    fn assignment(&mut self, assignment: &TheirAssignment) -> Assignment {
        let index = assignment.target.subscript.as_deref().map(|index| self.index(index));
        let value = match &assignment.value {
            AssignmentValue::Scalar(word) => {
                self.check_value(assignment.span);
                Assigned::Word(self.word(word, Mode::VALUE))
            }
            AssignmentValue::Compound(array) => {
                self.check_array(assignment, array);
                let mut words = Vec::with_capacity(array.elements.len());
                for element in &array.elements {
                    let mut word = self.word(element.value(), Mode::WORD);
                    if let ArrayElem::Keyed { key, .. } | ArrayElem::KeyedAppend { key, .. } =
                        element
                    {
                        if doubt::in_key(self.slice(key.span())) {
                            self.problem("an index that could not be read", self.span(key.span()));
                        }
                        // What runs in an index runs, but where the value goes is unknown.
                        word.pieces.extend(self.subscript(key).pieces);
                        word.pieces.push(Piece::Unknown("an index".into()));
                    }
                    words.push(word);
                }
                Assigned::Array(words)
            }
        };
        Assignment {
            name: assignment.target.name.as_str().to_owned(),
            index,
            append: assignment.append,
            value,
            span: self.span(assignment.span),
        }
    }

    /// The text of a name.
    pub(super) fn name(&self, name: &Name) -> String {
        name.as_str().to_owned()
    }
}

/// A word that is a literal.
pub(super) fn literal(text: &str, span: Span) -> Word {
    Word { pieces: vec![Piece::Literal { text: text.to_owned(), quoted: false }], span }
}
