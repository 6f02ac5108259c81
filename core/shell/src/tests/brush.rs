//! The simple commands of a text, as the parser of another shell reads them.

use brush_parser::ast::{
    AndOr, AndOrList, Assignment, AssignmentName, AssignmentValue, Command,
    CommandPrefixOrSuffixItem, CompoundCommand, CompoundList, ExtendedTestExpr,
    IoFileRedirectTarget, IoRedirect, Pipeline, RedirectList, SimpleCommand,
    UnexpandedArithmeticExpr, Word,
};
use brush_parser::word::{self, WordPiece, WordPieceWithSource};
use brush_parser::{Parser, ParserOptions};

use super::shown::Seen;

/// Why there is nothing to compare.
#[derive(Debug)]
pub(super) struct Incomparable;

type Reported = Result<(), Incomparable>;

/// All of them, in no order.
pub(super) fn commands(text: &str) -> Result<Vec<Seen>, Incomparable> {
    // What is a word of its own, and what is none, with a process next to it.
    let glued = text.match_indices(['<', '>']).any(|(at, _)| {
        let is_word = |char: char| !char.is_ascii_whitespace() && !";|&(<>".contains(char);
        let before = &text[..at];
        text[at + 1..].starts_with('(') && (before.ends_with(is_word) || before.ends_with("\\ "))
    });
    // They lose the rest of the line behind the mark of a here-document.
    let marked = text.lines().any(|line| line.contains("<<") && line.contains("${"));
    // They take `time` behind `!` for a program.
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let timed = words.windows(2).any(|two| two[0].ends_with('!') && two[1] == "time");
    if glued || marked || timed || UNREAD.iter().any(|part| text.contains(part)) {
        return Err(Incomparable);
    }
    let mut found = Vec::new();
    in_text(text, 0, &mut found)?;
    Ok(found)
}

/// What they take for something else than Bash does: a subshell in a subshell, and the commands in
/// braces that only newer shells know.
const UNREAD: &[&str] = &["( (", "((", "${ ", "${\t", "${\n", "${|"];

/// The most texts in each other.
const DEEPEST: usize = 16;

fn options() -> ParserOptions {
    ParserOptions::default()
}

fn in_text(text: &str, depth: usize, found: &mut Vec<Seen>) -> Reported {
    // A here-document in a substitution loses its quotes.
    if depth > DEEPEST || depth > 0 && text.contains("<<") {
        return Err(Incomparable);
    }
    let program = Parser::new(text.as_bytes(), &options()).parse_program();
    let program = program.map_err(|_| Incomparable)?;
    let mut walk = Walk { depth, found };
    program.complete_commands.iter().try_for_each(|list| walk.list(list))
}

struct Walk<'a> {
    depth: usize,
    found: &'a mut Vec<Seen>,
}

impl Walk<'_> {
    fn list(&mut self, list: &CompoundList) -> Reported {
        list.0.iter().try_for_each(|item| self.pipelines(&item.0))
    }

    fn pipelines(&mut self, list: &AndOrList) -> Reported {
        self.pipeline(&list.first)?;
        list.additional.iter().try_for_each(|next| match next {
            AndOr::And(pipeline) | AndOr::Or(pipeline) => self.pipeline(pipeline),
        })
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> Reported {
        pipeline.seq.iter().try_for_each(|command| self.command(command))
    }

    fn command(&mut self, command: &Command) -> Reported {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound, redirections) => {
                self.compound(compound)?;
                self.redirections(redirections.as_ref())
            }
            Command::Function(function) => {
                self.compound(&function.body.0)?;
                self.redirections(function.body.1.as_ref())
            }
            Command::ExtendedTest(test, redirections) => {
                self.test(&test.expr)?;
                self.redirections(redirections.as_ref())
            }
        }
    }

    fn compound(&mut self, compound: &CompoundCommand) -> Reported {
        match compound {
            CompoundCommand::Arithmetic(it) => self.arithmetic(&it.expr),
            CompoundCommand::ArithmeticForClause(it) => {
                let parts = [&it.initializer, &it.condition, &it.updater];
                parts.into_iter().flatten().try_for_each(|part| self.arithmetic(part))?;
                self.list(&it.body.list)
            }
            CompoundCommand::BraceGroup(it) => self.list(&it.list),
            CompoundCommand::Subshell(it) => self.list(&it.list),
            CompoundCommand::ForClause(it) => {
                it.values.iter().flatten().try_for_each(|word| self.word(word))?;
                self.list(&it.body.list)
            }
            CompoundCommand::CaseClause(it) => {
                self.word(&it.value)?;
                it.cases.iter().try_for_each(|case| {
                    case.patterns.iter().try_for_each(|word| self.word(word))?;
                    case.cmd.iter().try_for_each(|list| self.list(list))
                })
            }
            CompoundCommand::IfClause(it) => {
                self.list(&it.condition)?;
                self.list(&it.then)?;
                it.elses.iter().flatten().try_for_each(|other| {
                    other.condition.iter().try_for_each(|list| self.list(list))?;
                    self.list(&other.body)
                })
            }
            CompoundCommand::WhileClause(it) | CompoundCommand::UntilClause(it) => {
                self.list(&it.0)?;
                self.list(&it.1.list)
            }
            CompoundCommand::Coprocess(it) => self.command(&it.body),
        }
    }

    fn test(&mut self, test: &ExtendedTestExpr) -> Reported {
        match test {
            ExtendedTestExpr::And(one, other) | ExtendedTestExpr::Or(one, other) => {
                self.test(one)?;
                self.test(other)
            }
            ExtendedTestExpr::Not(inner) | ExtendedTestExpr::Parenthesized(inner) => {
                self.test(inner)
            }
            ExtendedTestExpr::UnaryTest(_, word) => self.word(word),
            ExtendedTestExpr::BinaryTest(_, one, other) => {
                self.word(one)?;
                self.word(other)
            }
        }
    }

    fn simple(&mut self, simple: &SimpleCommand) -> Reported {
        let prefix = simple.prefix.iter().flat_map(|prefix| &prefix.0);
        let suffix = simple.suffix.iter().flat_map(|suffix| &suffix.0);
        let is_redirection = |item: &&CommandPrefixOrSuffixItem| {
            matches!(item, CommandPrefixOrSuffixItem::IoRedirect(_))
        };
        let assignments = prefix.clone().filter(|item| !is_redirection(item)).count();
        let words = usize::from(simple.word_or_name.is_some())
            + suffix.clone().filter(|item| !is_redirection(item)).count();
        if words + assignments > 0 {
            let first = simple.word_or_name.as_ref().map(|word| self.shown(word)).transpose()?;
            self.found.push(Seen { first: first.unwrap_or_default(), words, assignments });
        }
        simple.word_or_name.iter().try_for_each(|word| self.word(word))?;
        prefix.chain(suffix).try_for_each(|item| self.item(item))
    }

    fn item(&mut self, item: &CommandPrefixOrSuffixItem) -> Reported {
        match item {
            CommandPrefixOrSuffixItem::IoRedirect(redirection) => self.redirection(redirection),
            CommandPrefixOrSuffixItem::Word(word) => self.word(word),
            CommandPrefixOrSuffixItem::AssignmentWord(assignment, _) => self.assignment(assignment),
            CommandPrefixOrSuffixItem::ProcessSubstitution(_, inner) => self.list(&inner.list),
        }
    }

    fn assignment(&mut self, assignment: &Assignment) -> Reported {
        if let AssignmentName::ArrayElementName(_, index) = &assignment.name {
            self.text(index)?;
        }
        match &assignment.value {
            AssignmentValue::Scalar(word) => self.word(word),
            AssignmentValue::Array(words) => words.iter().try_for_each(|(index, word)| {
                index.iter().try_for_each(|index| self.word(index))?;
                self.word(word)
            }),
        }
    }

    fn redirections(&mut self, list: Option<&RedirectList>) -> Reported {
        list.iter().flat_map(|list| &list.0).try_for_each(|one| self.redirection(one))
    }

    fn redirection(&mut self, redirection: &IoRedirect) -> Reported {
        match redirection {
            IoRedirect::File(_, _, target) => match target {
                IoFileRedirectTarget::Filename(word) | IoFileRedirectTarget::Duplicate(word) => {
                    self.word(word)
                }
                IoFileRedirectTarget::Fd(_) => Ok(()),
                IoFileRedirectTarget::ProcessSubstitution(_, inner) => self.list(&inner.list),
            },
            IoRedirect::HereDocument(_, document) if document.requires_expansion => {
                let pieces = word::parse_heredoc(&document.doc.value, &options());
                self.pieces(&pieces.map_err(|_| Incomparable)?)
            }
            IoRedirect::HereDocument(..) => Ok(()),
            IoRedirect::HereString(_, word) | IoRedirect::OutputAndError(word, _) => {
                self.word(word)
            }
        }
    }

    fn arithmetic(&mut self, expression: &UnexpandedArithmeticExpr) -> Reported {
        self.text(&expression.value)
    }

    fn word(&mut self, word: &Word) -> Reported {
        self.text(&word.value)
    }

    fn text(&mut self, text: &str) -> Reported {
        let pieces = word::parse(text, &options()).map_err(|_| Incomparable)?;
        self.pieces(&pieces)
    }

    fn pieces(&mut self, pieces: &[WordPieceWithSource]) -> Reported {
        pieces.iter().try_for_each(|piece| match &piece.piece {
            WordPiece::DoubleQuotedSequence(inner)
            | WordPiece::GettextDoubleQuotedSequence(inner) => self.pieces(inner),
            WordPiece::CommandSubstitution(inner)
            | WordPiece::BackquotedCommandSubstitution(inner) => {
                in_text(inner, self.depth + 1, self.found)
            }
            WordPiece::ArithmeticExpression(expression) => self.arithmetic(expression),
            // What stands in one is kept as a text that is no word yet.
            WordPiece::ParameterExpansion(parameter) if runs(&format!("{parameter:?}")) => {
                Err(Incomparable)
            }
            WordPiece::ParameterExpansion(_)
            | WordPiece::Text(_)
            | WordPiece::SingleQuotedText(_)
            | WordPiece::AnsiCQuotedText(_)
            | WordPiece::TildeExpansion(_)
            | WordPiece::EscapeSequence(_) => Ok(()),
        })
    }

    /// A word as it is shown.
    fn shown(&self, word: &Word) -> Result<String, Incomparable> {
        if word::parse_brace_expansions(&word.value, &options()).is_ok_and(|braces| {
            braces.is_some_and(|all| {
                all.iter().any(|one| matches!(one, word::BraceExpressionOrText::Expr(_)))
            })
        }) {
            return Ok("?".to_owned());
        }
        let pieces = word::parse(&word.value, &options()).map_err(|_| Incomparable)?;
        shown(&pieces, false)
    }
}

fn shown(pieces: &[WordPieceWithSource], quoted: bool) -> Result<String, Incomparable> {
    let mut all = String::new();
    for piece in pieces {
        match &piece.piece {
            WordPiece::Text(text)
                if !quoted && text != "[" && text.contains(['*', '?', '[', '(']) =>
            {
                return Err(Incomparable);
            }
            WordPiece::Text(text) | WordPiece::SingleQuotedText(text) => all.push_str(text),
            WordPiece::EscapeSequence(text) => all.push_str(match text.strip_prefix('\\') {
                Some("\n") => "",
                Some(rest) if !quoted || "$`\"\\".contains(rest) => rest,
                _ => text,
            }),
            WordPiece::DoubleQuotedSequence(inner)
            | WordPiece::GettextDoubleQuotedSequence(inner) => {
                all.push_str(&shown(inner, true)?);
            }
            // It is not decoded yet.
            WordPiece::AnsiCQuotedText(_) => return Err(Incomparable),
            WordPiece::TildeExpansion(_)
            | WordPiece::ParameterExpansion(_)
            | WordPiece::CommandSubstitution(_)
            | WordPiece::BackquotedCommandSubstitution(_)
            | WordPiece::ArithmeticExpression(_) => all.push('?'),
        }
    }
    // A parameter that is none.
    if all.contains("${") { Err(Incomparable) } else { Ok(all) }
}

fn runs(text: &str) -> bool {
    text.contains("$(") || text.contains('`') || text.contains("<(") || text.contains(">(")
}
