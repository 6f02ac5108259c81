//! Variables with what is done to them.

use super::{At, Printer};
use crate::ir::{Operation, Piece, Variable, Word};

impl Printer {
    pub(super) fn variable(&mut self, variable: &Variable, at: At) -> Option<()> {
        self.push("${");
        match variable.operation {
            Operation::Length => self.push("#"),
            Operation::Indirect | Operation::Names => self.push("!"),
            _ => {}
        }
        self.push(&variable.name);
        if let Some(index) = &variable.index {
            self.index(index)?;
        }
        self.operation(&variable.operation, at)?;
        self.push("}");
        Some(())
    }

    pub(super) fn operation(&mut self, operation: &Operation, at: At) -> Option<()> {
        let sign = |colon: bool, sign: &str| format!("{}{sign}", if colon { ":" } else { "" });
        match operation {
            Operation::None | Operation::Length | Operation::Indirect => {}
            Operation::Names => self.push("*"),
            Operation::Default { word, colon } => {
                self.push(&sign(*colon, "-"));
                self.word(word, at)?;
            }
            Operation::Assign { word, colon } => {
                self.push(&sign(*colon, "="));
                self.word(word, at)?;
            }
            Operation::Alternative { word, colon } => {
                self.push(&sign(*colon, "+"));
                self.word(word, at)?;
            }
            Operation::Error { word, colon } => {
                self.push(&sign(*colon, "?"));
                self.word(word, at)?;
            }
            Operation::Trim { pattern, prefix, longest } => {
                let sign = if *prefix { "#" } else { "%" };
                self.push(&sign.repeat(if *longest { 2 } else { 1 }));
                self.word(pattern, at)?;
            }
            Operation::Replace { pattern, with, all } => {
                self.push(if *all { "//" } else { "/" });
                // A slash in it would end it.
                let slash = |piece: &Piece| matches!(piece, Piece::Literal { text, .. } if text.contains('/'));
                if pattern.pieces.iter().any(slash) {
                    return None;
                }
                self.word(pattern, at)?;
                self.push("/");
                self.word(with, at)?;
            }
            Operation::Slice { offset, length } => {
                self.push(":");
                self.number(offset)?;
                if let Some(length) = length {
                    self.push(":");
                    self.number(length)?;
                }
            }
            Operation::Case { upper, all } => {
                let sign = if *upper { "^" } else { "," };
                self.push(&sign.repeat(if *all { 2 } else { 1 }));
            }
            Operation::Transform(letter) => {
                self.push("@");
                self.out.push(*letter);
            }
            Operation::Unknown { .. } => return None,
        }
        Some(())
    }

    /// A number, or a name of one.
    pub(super) fn number(&mut self, word: &Word) -> Option<()> {
        let plain = |char: char| char.is_ascii_alphanumeric() || "_- ()".contains(char);
        for piece in &word.pieces {
            match piece {
                Piece::Literal { text, .. } if text.chars().all(plain) => self.push(text),
                _ => return None,
            }
        }
        Some(())
    }
}
