//! Arithmetic: the number, where all of its parts are known, and what an expression does besides.
//!
//! Arithmetic runs code. The value of a variable in an expression is an expression itself, an
//! expression may assign, and the index of an array in it may hold a substitution: `x='a[$(…)]';
//! ((x))`. So every expression is followed into the values of its variables, and every text with
//! such an index is kept, because an unknown variable may hold it.

use std::collections::BTreeSet;

use super::Interpreter;
use super::parameter::{is_name, is_plain_index};
use super::state::State;
use crate::ir::{Span, Word};
use crate::value::{Origin, Value};

/// The most parentheses and signs within each other.
const DEEPEST: usize = 32;

/// The most variables that are followed from one expression, and the most expressions that are
/// kept.
const MOST_NAMES: usize = 64;

impl Interpreter<'_> {
    /// The number that a shell makes of an expression.
    pub(super) fn arithmetic(&mut self, state: &mut State, text: &str, place: &Span) -> Value {
        let variable = |name: &str| state.value(name).as_known().map(str::to_owned);
        let number = evaluate(text, &variable);
        self.followed(state, text, place);
        match number {
            Some(number) => Value::Known(number.to_string()),
            None => Value::Unknown(Origin::Number),
        }
    }

    /// The index of an array, which may be an expression.
    pub(super) fn index(&mut self, state: &mut State, word: &Word) -> Value {
        let index = self.single(state, word);
        if !is_plain_index(&index) {
            self.may_fail(state);
            if let Value::Known(text) = &index {
                self.arithmetic(state, text, &word.span);
            }
        }
        index
    }

    /// Keeps a text that would run a command if it were evaluated as arithmetic.
    pub(super) fn keep_expression(&mut self, text: &str) {
        let runs = text.contains('[') && text.contains(['$', '`']);
        if runs
            && self.expressions.len() < MOST_NAMES
            && !self.expressions.iter().any(|it| it == text)
        {
            self.expressions.push(text.to_owned());
        }
    }

    /// Follows an expression into the values of the variables in it.
    fn followed(&mut self, state: &mut State, text: &str, place: &Span) {
        let mut surely = !["&&", "||", "?"].iter().any(|sign| text.contains(sign));
        let mut texts = vec![text.to_owned()];
        let mut seen = BTreeSet::new();
        while let Some(text) = texts.pop() {
            self.subscripts(state, &text, place);
            let assigns = assigns(&text);
            for name in names(&text) {
                if seen.len() < MOST_NAMES && seen.insert(name.to_owned()) {
                    match state.held(name).map(|held| held.content.texts()) {
                        Some(Some(inner)) => texts.extend(inner),
                        Some(None) => self.any_expression(state, place),
                        None => {}
                    }
                }
                if assigns {
                    state.set_number(name, surely);
                }
            }
            surely = false;
        }
    }

    /// Evaluates what is not known: it may be any expression that is written anywhere.
    pub(super) fn any_expression(&mut self, state: &mut State, place: &Span) {
        for text in self.expressions.clone() {
            self.subscripts(state, &text, place);
        }
    }

    /// Runs what stands in the indexes of an expression.
    fn subscripts(&mut self, state: &mut State, text: &str, place: &Span) {
        if text.contains('[') {
            self.expanded_text(state, &Value::known(text), place);
        }
    }
}

/// The names of variables in an expression.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| char != '_' && !char.is_ascii_alphanumeric()).filter(|it| is_name(it))
}

/// True for an expression that may set the variables it names.
fn assigns(text: &str) -> bool {
    let shifted = text.replace("<<=", "=").replace(">>=", "=");
    let rest = ["==", "!=", "<=", ">="].iter().fold(shifted, |rest, sign| rest.replace(sign, " "));
    rest.contains('=') || rest.contains("++") || rest.contains("--")
}

/// The value of an expression, if all of it is known. Variables are asked for by name.
pub(super) fn evaluate(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Option<i64> {
    let mut parser = Parser { rest: text.trim(), variable, depth: 0 };
    let value = parser.sum()?;
    parser.rest.is_empty().then_some(value)
}

/// A parser of the known part of arithmetic: sums, products, signs, parentheses.
struct Parser<'a> {
    /// The text that is left.
    rest: &'a str,
    /// The value of a variable, if it is known.
    variable: &'a dyn Fn(&str) -> Option<String>,
    /// How many parentheses and signs are around.
    depth: usize,
}

impl Parser<'_> {
    /// Takes a sign, if it is next.
    fn eat(&mut self, sign: char) -> bool {
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    /// A sum of products.
    fn sum(&mut self) -> Option<i64> {
        let mut value = self.product()?;
        loop {
            if self.eat('+') {
                value = value.checked_add(self.product()?)?;
            } else if self.eat('-') {
                value = value.checked_sub(self.product()?)?;
            } else {
                return Some(value);
            }
        }
    }

    /// A product of atoms.
    fn product(&mut self) -> Option<i64> {
        let mut value = self.atom()?;
        loop {
            if self.eat('*') {
                value = value.checked_mul(self.atom()?)?;
            } else if self.eat('/') {
                value = value.checked_div(self.atom()?)?;
            } else if self.eat('%') {
                value = value.checked_rem(self.atom()?)?;
            } else {
                return Some(value);
            }
        }
    }

    /// A number, a variable, a sign or parentheses. None if they are nested too deeply.
    fn atom(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let value = self.signed();
        self.depth -= 1;
        value
    }

    /// An atom with its signs.
    fn signed(&mut self) -> Option<i64> {
        if self.eat('-') {
            return self.atom()?.checked_neg();
        }
        if self.eat('+') {
            return self.atom();
        }
        if self.eat('(') {
            let value = self.sum()?;
            return self.eat(')').then_some(value);
        }
        let end = self
            .rest
            .find(|char: char| !char.is_ascii_alphanumeric() && char != '_' && char != '#')
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        number(word).or_else(|| {
            let text = (self.variable)(word)?;
            if text.is_empty() { Some(0) } else { number(&text) }
        })
    }
}

/// A number as a shell writes it: decimal, `0x…`, `0…` or `base#digits`.
fn number(word: &str) -> Option<i64> {
    if let Some(hex) = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        return i64::from_str_radix(hex, 16).ok();
    }
    if let Some((base, digits)) = word.split_once('#') {
        let base = base.parse().ok().filter(|base| (2..=36).contains(base))?;
        return i64::from_str_radix(digits, base).ok();
    }
    if word.len() > 1 && word.starts_with('0') {
        return i64::from_str_radix(&word[1..], 8).ok();
    }
    word.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::evaluate;

    #[test]
    fn known_numbers_are_counted_as_a_shell_does() {
        let variable = |name: &str| (name == "x").then(|| "4".to_owned());
        for (text, value) in [
            ("1 + 2 * 3", Some(7)),
            ("(1+2)*-3", Some(-9)),
            ("0x1f + 010 + 2#11", Some(42)),
            ("x % 3", Some(1)),
            ("1 / 0", None),
            ("y", None),
            ("1 ? 2 : 3", None),
            ("9223372036854775807 + 1", None),
        ] {
            assert_eq!(evaluate(text, &variable), value, "{text}");
        }
        assert_eq!(evaluate(&"(".repeat(10_000), &variable), None);
    }
}
