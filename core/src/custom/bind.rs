//! Puts arguments into the places of a template, in one pass: a value is never searched for places.

use serde_json::{Map, Value};

use super::template::{At, Part, Piece, Template, Word};
use crate::limits::echo;

/// What a value becomes where it is bound.
enum Bound {
    /// Nothing: it is not there, or null.
    None,
    /// A text.
    One(String),
    /// A text for each item of a list.
    Many(Vec<String>),
}

impl Template {
    /// The command with these arguments, each as quoted words. `is_listed` says of a key and a value
    /// whether the owner has listed that value himself.
    ///
    /// # Errors
    /// What is wrong with an argument, in a sentence for a model.
    pub(super) fn bind(
        &self,
        args: &Map<String, Value>,
        is_listed: impl Fn(&str, &Value) -> bool,
    ) -> Result<String, String> {
        let mut command = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => command.push_str(text),
                Part::Word(word) => command.push_str(&word.bind(args, &is_listed)?),
            }
        }
        Ok(command)
    }
}

impl Word {
    fn bind(
        &self,
        args: &Map<String, Value>,
        is_listed: &impl Fn(&str, &Value) -> bool,
    ) -> Result<String, String> {
        if let (Some(key), At::Words { could_be_option }) = (self.whole(), self.at) {
            let value = args.get(key).unwrap_or(&Value::Null);
            if could_be_option {
                check_options(key, value, is_listed)?;
            }
            return Ok(match bound(key, value)? {
                Bound::None => String::new(),
                Bound::One(text) => quoted(&text),
                Bound::Many(texts) => {
                    texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(" ")
                }
            });
        }
        let mut word = String::new();
        // True once the word has begun, as a program would see it.
        let mut begun = false;
        for piece in &self.pieces {
            let key = match piece {
                Piece::Text(text) => {
                    word.push_str(text);
                    begun |= piece.is_something();
                    continue;
                }
                Piece::Argument(key) => key,
            };
            let value = args.get(key).unwrap_or(&Value::Null);
            let (At::Words { could_be_option } | At::One { could_be_option }) = self.at;
            if !begun && could_be_option && !(matches!(self.at, At::One { .. }) && is_prose(value))
            {
                check_options(key, value, is_listed)?;
            }
            match (bound(key, value)?, self.at) {
                (Bound::One(text), _) => {
                    begun |= !text.is_empty();
                    word.push_str(&quoted(&text));
                }
                // If a piece of a word is absent, the whole word is.
                (Bound::None, At::Words { .. }) => return Ok(String::new()),
                (Bound::None, At::One { .. }) => {
                    return Err(format!("`{key}` must be given here."));
                }
                (Bound::Many(_), _) => {
                    return Err(format!("`{key}` must be one value here, and is a list."));
                }
            }
        }
        Ok(word)
    }
}

/// True for a text that begins with dashes and a blank, as a list or a line of dashes does: it is an option
/// of no program.
fn is_prose(value: &Value) -> bool {
    let rest = value.as_str().map(|text| text.trim_start_matches('-'));
    rest.is_some_and(|rest| rest.starts_with(char::is_whitespace))
}

/// Refuses a text that a program could take for an option, where the owner has not written it himself.
fn check_options(
    key: &str,
    value: &Value,
    is_listed: &impl Fn(&str, &Value) -> bool,
) -> Result<(), String> {
    let items = match value {
        Value::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    for item in items {
        let Some(text) = item.as_str().filter(|text| text.starts_with('-')) else { continue };
        if !is_listed(key, item) {
            return Err(format!(
                "`{key}` is `{}`, which begins with `-`: the program would take it for an option. Give \
                 a value that does not; a file of that name is `./-…`.",
                echo(text)
            ));
        }
    }
    Ok(())
}

fn bound(key: &str, value: &Value) -> Result<Bound, String> {
    Ok(match value {
        Value::Null => Bound::None,
        Value::Array(items) => {
            Bound::Many(items.iter().map(|item| text(key, item)).collect::<Result<_, String>>()?)
        }
        one => Bound::One(text(key, one)?),
    })
}

/// A value as the text of one word: numbers without an exponent, lists and objects as JSON.
fn text(key: &str, value: &Value) -> Result<String, String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(whole), ..) => whole.to_string(),
            (None, Some(whole), _) => whole.to_string(),
            (None, None, Some(number)) => number.to_string(),
            (None, None, None) => number.to_string(),
        },
        other => other.to_string(),
    };
    if text.contains('\0') {
        return Err(format!("`{key}` has a NUL character, at which programs stop reading."));
    }
    Ok(text)
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
