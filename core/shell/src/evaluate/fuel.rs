//! Limits of work. What is beyond a limit is reported, and a text with such a report is never
//! understood.
//!
//! Every command costs a unit of fuel. What makes a command expensive (many words, long values,
//! many variables) costs more by the rates below, so that the time of an evaluation is bounded by
//! the fuel, whatever the text does.

use super::{DEEPEST_COMMAND, Interpreter};
use crate::ir::Span;
use crate::value::{Origin, Value};

/// This many words of a command cost a unit of fuel more.
pub(super) const WORDS_PER_FUEL: usize = 16;

/// This many bytes of a copied value cost a unit of fuel.
pub(super) const BYTES_PER_FUEL: usize = 512;

/// This many variables cost a unit of fuel with each command, because states are joined variable by
/// variable.
pub(super) const VARIABLES_PER_FUEL: usize = 64;

impl Interpreter<'_> {
    /// True if a command of so many words may still be evaluated. It takes the fuel, or reports the
    /// limit.
    pub(super) fn may_spend(&mut self, words: usize, span: &Span) -> bool {
        if self.fuel == 0 {
            self.limit("more commands than are looked at", span.clone());
            return false;
        }
        if self.nesting >= DEEPEST_COMMAND {
            self.unknown("commands within commands, too deep to follow", span.clone());
            return false;
        }
        self.spend_fuel(1 + words / WORDS_PER_FUEL);
        true
    }

    /// Takes fuel; none is left at worst.
    pub(super) fn spend_fuel(&mut self, fuel: usize) {
        self.fuel = self.fuel.saturating_sub(fuel);
    }

    /// A value that is taken once more; unknown if too much of it was.
    pub(super) fn charge_value(&mut self, value: Value, span: &Span) -> Value {
        let weight = value.weight() / BYTES_PER_FUEL;
        if weight > self.fuel {
            self.limit("more text than is looked at", span.clone());
            return Value::Unknown(value.origin().cloned().unwrap_or(Origin::Other));
        }
        self.spend_fuel(weight);
        value
    }

    /// Reports a limit, once, and ends the evaluation by taking all fuel.
    pub(super) fn limit(&mut self, what: &str, span: Span) {
        // What follows is not looked at: the text is not understood as a whole in any case.
        self.fuel = 0;
        if !std::mem::replace(&mut self.limit_reported, true) {
            self.unknown(what, span);
        }
    }
}
