//! Lowers parameters and their operations: `${name:-word}`, `${name#pattern}`, `${name[index]}`.

use shuck_ast::{
    BourneParameterExpansion as Bourne, ParameterExpansionSyntax, ParameterOp, Pattern, Subscript,
    VarRef, Word as TheirWord, WordPart,
};

use super::Lowering;
use super::atoms::Mode;
use crate::ir::{Operation, Piece, Span, Variable, Word};

impl Lowering<'_, '_> {
    /// Lowers a parameter.
    pub(super) fn parameter(
        &mut self,
        part: &WordPart,
        span: shuck_ast::Span,
        quoted: bool,
    ) -> Piece {
        let (variable, operation) = match part {
            WordPart::Variable(name) if name.as_str().is_empty() => {
                return self.braced_command(span, quoted);
            }
            WordPart::Variable(name) => (Variable::plain(name.as_str(), quoted), Operation::None),
            WordPart::Parameter(expansion) => match &expansion.syntax {
                ParameterExpansionSyntax::Bourne(bourne) => {
                    return self.bourne(bourne, span, quoted);
                }
                ParameterExpansionSyntax::Zsh(_) => return self.unknown_parameter(span),
            },
            WordPart::Length(reference) | WordPart::ArrayLength(reference) => {
                (self.reference(reference, quoted), Operation::Length)
            }
            WordPart::ArrayAccess(reference) => {
                (self.reference(reference, quoted), Operation::None)
            }
            WordPart::ArrayIndices(reference) => {
                return self.bourne(
                    &Bourne::Indices { reference: (**reference).clone() },
                    span,
                    quoted,
                );
            }
            WordPart::PrefixMatch { prefix, .. } => {
                (Variable::plain(prefix.as_str(), quoted), Operation::Names)
            }
            WordPart::Transformation { reference, operator } => {
                (self.reference(reference, quoted), Operation::Transform(*operator))
            }
            _ => return self.unknown_parameter(span),
        };
        Piece::Variable(Variable { operation, ..variable })
    }

    /// An expansion that only the crate knows: its value is unknown, and what runs in it, too.
    pub(super) fn unknown_parameter(&mut self, span: shuck_ast::Span) -> Piece {
        self.problem("a parameter that could not be read", self.span(span));
        Piece::Unknown(self.slice(span).to_owned())
    }

    /// Lowers a reference to a variable or an element.
    fn reference(&mut self, reference: &VarRef, quoted: bool) -> Variable {
        let index = reference.subscript.as_deref().map(|index| Box::new(self.subscript(index)));
        Variable { index, ..Variable::plain(reference.name.as_str(), quoted) }
    }

    /// Lowers the index of an array.
    pub(super) fn subscript(&mut self, subscript: &Subscript) -> Word {
        let span = self.span(subscript.span());
        if let Some(selector) = subscript.selector() {
            let text = selector.as_char().to_string();
            return Word { pieces: vec![Piece::Literal { text, quoted: true }], span };
        }
        match subscript.word_ast() {
            Some(word) => self.without_singles(true, |this| this.word(word, Mode::PLAIN)),
            None => {
                let text = subscript.syntax_text(self.source).to_owned();
                self.without_singles(true, |this| this.word_within(&text, Mode::PLAIN, span))
            }
        }
    }

    /// Lowers an expansion that every shell has.
    fn bourne(&mut self, bourne: &Bourne, span: shuck_ast::Span, quoted: bool) -> Piece {
        let place = self.span(span);
        let (reference, operation) = match bourne {
            Bourne::Access { reference } => (reference, Operation::None),
            Bourne::Length { reference } => (reference, Operation::Length),
            Bourne::Indices { reference } => {
                (reference, Operation::Unknown { text: "indices".into(), words: Vec::new() })
            }
            Bourne::PrefixMatch { prefix, .. } => {
                let variable = Variable::plain(prefix.as_str(), quoted);
                return Piece::Variable(Variable { operation: Operation::Names, ..variable });
            }
            Bourne::Indirect { reference, operator: None, operand: None, .. } => {
                (reference, Operation::Indirect)
            }
            Bourne::Indirect { reference, operator, operand_word_ast, .. } => {
                let mut words = Vec::new();
                if let Some(operand) = operand_word_ast {
                    words.push(self.operand(operand, quoted));
                }
                if let Some(operator) = operator {
                    words.extend(self.operation(operator, None, quoted, true, &place).words());
                }
                (reference, Operation::Unknown { text: "indirect".into(), words })
            }
            Bourne::Slice { reference, offset_word_ast, length_word_ast, .. } => {
                let offset = Box::new(self.operand(offset_word_ast, true));
                let length =
                    length_word_ast.as_ref().map(|length| Box::new(self.operand(length, true)));
                (reference, Operation::Slice { offset, length })
            }
            Bourne::Operation { reference, operator, operand_word_ast, colon_variant, .. } => {
                let operand = operand_word_ast.as_deref();
                (reference, self.operation(operator, operand, quoted, *colon_variant, &place))
            }
            Bourne::Transformation { reference, operator } => {
                (reference, Operation::Transform(*operator))
            }
        };
        if reference.name.as_str().is_empty() {
            return self.unknown_parameter(span);
        }
        let variable = self.reference(reference, quoted);
        Piece::Variable(Variable { operation, ..variable })
    }

    /// What stands behind `:-` and its like. Between double quotes, single quotes do not quote, and
    /// neither do they in a calculation, or in what stands in such a text itself.
    fn operand(&mut self, word: &TheirWord, quoted: bool) -> Word {
        let singles = quoted || self.singles;
        self.without_singles(singles, |this| this.word(word, Mode::SINGLE))
    }

    /// What is put in the place of a pattern, in which they do.
    fn replacement(&mut self, word: &TheirWord) -> Box<Word> {
        Box::new(self.without_singles(false, |this| this.word(word, Mode::SINGLE)))
    }

    /// Lowers the operation of an expansion.
    fn operation(
        &mut self,
        operator: &ParameterOp,
        operand: Option<&TheirWord>,
        quoted: bool,
        colon: bool,
        place: &Span,
    ) -> Operation {
        let nothing = Word { pieces: Vec::new(), span: place.clone() };
        let operand = operand.map(|operand| self.operand(operand, quoted));
        let word = || Box::new(operand.clone().unwrap_or(nothing));
        match operator {
            ParameterOp::UseDefault => Operation::Default { word: word(), colon },
            ParameterOp::AssignDefault => Operation::Assign { word: word(), colon },
            ParameterOp::UseReplacement => Operation::Alternative { word: word(), colon },
            ParameterOp::Error => Operation::Error { word: word(), colon },
            ParameterOp::RemovePrefixShort { pattern } => self.trim(pattern, true, false),
            ParameterOp::RemovePrefixLong { pattern } => self.trim(pattern, true, true),
            ParameterOp::RemoveSuffixShort { pattern } => self.trim(pattern, false, false),
            ParameterOp::RemoveSuffixLong { pattern } => self.trim(pattern, false, true),
            ParameterOp::ReplaceFirst { pattern, replacement_word_ast, .. } => {
                let pattern = Box::new(self.pattern(pattern));
                let with = self.replacement(replacement_word_ast);
                Operation::Replace { pattern, with, all: false }
            }
            ParameterOp::ReplaceAll { pattern, replacement_word_ast, .. } => {
                let pattern = Box::new(self.pattern(pattern));
                let with = self.replacement(replacement_word_ast);
                Operation::Replace { pattern, with, all: true }
            }
            ParameterOp::UpperFirst
            | ParameterOp::UpperAll
            | ParameterOp::LowerFirst
            | ParameterOp::LowerAll => match operand {
                Some(operand) if !operand.pieces.is_empty() => {
                    Operation::Unknown { text: "case".into(), words: vec![operand] }
                }
                _ => Operation::Case {
                    upper: matches!(operator, ParameterOp::UpperFirst | ParameterOp::UpperAll),
                    all: matches!(operator, ParameterOp::UpperAll | ParameterOp::LowerAll),
                },
            },
        }
    }

    /// Lowers `#`, `##`, `%` and `%%`.
    fn trim(&mut self, pattern: &Pattern, prefix: bool, longest: bool) -> Operation {
        Operation::Trim { pattern: Box::new(self.pattern(pattern)), prefix, longest }
    }
}
