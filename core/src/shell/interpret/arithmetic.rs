//! Arithmetic of known numbers: `1 + 2 * x`. What is more than that is unknown.

use super::super::ir::Span;
use super::super::value::{Origin, Value};
use super::Interpreter;
use super::state::State;

/// The most parentheses and signs in each other.
const DEEPEST: usize = 32;

impl Interpreter<'_> {
    /// The number that a shell makes of an expression.
    pub(super) fn arithmetic(&mut self, state: &mut State, text: &str, place: &Span) -> Value {
        // A variable in arithmetic is arithmetic itself, and the index of an array may run commands.
        for name in text.split(|char: char| char != '_' && !char.is_ascii_alphanumeric()) {
            if let Some(Value::Known(inner)) = state.held(name).map(|held| held.content.text())
                && inner.contains(['$', '`'])
            {
                self.expanded_text(state, &Value::Known(inner), place);
            }
        }
        let variable = |name: &str| state.value(name).as_known().map(str::to_owned);
        match evaluate(text, &variable) {
            Some(number) => Value::Known(number.to_string()),
            None => Value::Unknown(Origin::Number),
        }
    }
}

/// The value of an expression, if all of it is known. Variables are asked for by name.
pub(super) fn evaluate(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Option<i64> {
    let mut parser = Parser { rest: text.trim(), variable, depth: 0 };
    let value = parser.sum()?;
    parser.rest.is_empty().then_some(value)
}

struct Parser<'a> {
    rest: &'a str,
    variable: &'a dyn Fn(&str) -> Option<String>,
    depth: usize,
}

impl Parser<'_> {
    fn eat(&mut self, sign: char) -> bool {
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

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

    fn atom(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let value = self.signed();
        self.depth -= 1;
        value
    }

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
