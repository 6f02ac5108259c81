//! The same value as another type, where that says exactly the same.

use serde_json::{Number, Value};

use super::RepairKind;

/// The JSON type of a value.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The value as one of the wanted types.
pub(super) fn to_type(value: &Value, wanted: &[String]) -> Option<(Value, RepairKind)> {
    let wants = |kind: &str| wanted.iter().any(|wanted| wanted == kind);
    match value {
        Value::String(text) => {
            if let Some(parsed) = structure(text)
                && wants(type_name(&parsed))
            {
                return Some((parsed, RepairKind::Parsed));
            }
            if (wants("integer") || wants("number"))
                && let Some(number) = number(text, wants("number"))
            {
                return Some((Value::Number(number), RepairKind::Coerced));
            }
            if wants("boolean")
                && let Some(flag) = boolean(text)
            {
                return Some((Value::Bool(flag), RepairKind::Coerced));
            }
        }
        Value::Number(number) if wants("string") && !number.is_f64() => {
            return Some((Value::String(number.to_string()), RepairKind::Coerced));
        }
        Value::Bool(flag) if wants("string") => {
            return Some((Value::String(flag.to_string()), RepairKind::Coerced));
        }
        Value::Null | Value::Array(_) => return None,
        _ => {}
    }
    wants("array").then(|| (Value::Array(vec![value.clone()]), RepairKind::Wrapped))
}

/// The value as that one of the options which says the same in another type.
pub(super) fn to_option(value: &Value, options: &[Value]) -> Option<(Value, RepairKind)> {
    let same = |option: &&Value| match (value, option) {
        (Value::String(text), Value::Number(_)) => {
            number(text, true).is_some_and(|number| Value::Number(number) == **option)
        }
        (Value::String(text), Value::Bool(flag)) => boolean(text) == Some(*flag),
        (Value::Number(number), Value::String(text)) => {
            !number.is_f64() && number.to_string() == *text
        }
        (Value::Bool(flag), Value::String(text)) => flag.to_string() == *text,
        _ => false,
    };
    options.iter().find(same).map(|option| (option.clone(), RepairKind::Coerced))
}

/// The largest number up to which every whole one has its own float.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The whole number that a number with a point in it is. None: it has none, or is no whole number.
pub(super) fn whole(value: &Value) -> Option<i64> {
    let Value::Number(number) = value else { return None };
    let float = number.as_f64().filter(|_| number.is_f64())?;
    // In that range the conversion is exact.
    (float.fract() == 0.0 && float.abs() < EXACT).then_some(float as i64)
}

/// True for a number that was read as a float, and is so large that it may have been another.
pub(super) fn is_inexact(value: &Value) -> bool {
    let Value::Number(number) = value else { return false };
    number.is_f64() && number.as_f64().is_some_and(|float| float.abs() >= EXACT)
}

/// The list or object in a JSON text.
fn structure(text: &str) -> Option<Value> {
    let text = unfenced(text).unwrap_or(text).trim();
    if !text.starts_with(['{', '[']) {
        return None;
    }
    crate::strict::parse(text).ok()
}

/// What stands in a Markdown fence, if the text is one.
pub(crate) fn unfenced(text: &str) -> Option<&str> {
    let inner = text.trim().strip_prefix("```")?.strip_suffix("```")?;
    let (language, body) = inner.split_once('\n')?;
    language.trim().bytes().all(|b| b.is_ascii_alphanumeric()).then(|| body.trim())
}

/// The number that a text says, if nothing of it is lost.
fn number(text: &str, or_fraction: bool) -> Option<Number> {
    /// As many digits as a float keeps whatever they are.
    const DIGITS: usize = 15;
    let number: Number = serde_json::from_str(text).ok()?;
    if !number.is_f64() {
        return Some(number);
    }
    let digits = text.bytes().take_while(|b| !matches!(b, b'e' | b'E'));
    if digits.filter(u8::is_ascii_digit).count() > DIGITS {
        return None;
    }
    match whole(&Value::Number(number.clone())) {
        Some(whole) => Some(whole.into()),
        None => or_fraction.then_some(number),
    }
}

fn boolean(text: &str) -> Option<bool> {
    match text {
        _ if text.eq_ignore_ascii_case("true") => Some(true),
        _ if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}
