//! How much is looked at. What is beyond it is told, and no text of which that is so is understood.

use super::super::ir::Span;
use super::super::value::{Origin, Value};
use super::{DEEPEST_COMMAND, Interpreter};

/// As many words of a command cost as much as the command itself.
pub(super) const WORDS_OF_FUEL: usize = 16;

/// As many bytes of a value cost as much as a command.
pub(super) const BYTES_OF_FUEL: usize = 512;

/// As many variables that are set cost as much as a command where two ways meet.
pub(super) const VARIABLES_OF_FUEL: usize = 64;

impl Interpreter<'_> {
    /// True if a command of so many words may be looked at, which uses up some fuel. Otherwise it is
    /// told that it is not.
    pub(super) fn spends(&mut self, words: usize, span: &Span) -> bool {
        if self.fuel == 0 {
            self.limit("more commands than are looked at", span.clone());
            return false;
        }
        if self.nesting >= DEEPEST_COMMAND {
            self.unknown("commands within commands, too deep to follow", span.clone());
            return false;
        }
        self.burn(1 + words / WORDS_OF_FUEL);
        true
    }

    pub(super) fn burn(&mut self, fuel: usize) {
        self.fuel = self.fuel.saturating_sub(fuel);
    }

    /// A value that is taken once more; unknown if too much of it was.
    pub(super) fn taken(&mut self, value: Value, span: &Span) -> Value {
        let weight = value.weight() / BYTES_OF_FUEL;
        if weight > self.fuel {
            self.limit("more text than is looked at", span.clone());
            return Value::Unknown(value.origin().cloned().unwrap_or(Origin::Other));
        }
        self.burn(weight);
        value
    }

    pub(super) fn limit(&mut self, what: &str, span: Span) {
        // What follows is not looked at: the text is not understood as a whole in any case.
        self.fuel = 0;
        if !std::mem::replace(&mut self.told_limit, true) {
            self.unknown(what, span);
        }
    }
}
