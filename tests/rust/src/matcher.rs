//! Whether a result is as expected.

use regex::Regex;
use serde_json::Value;

/// Why `actual` is not what `expected` asks for; none if it is. Objects match as subsets, arrays
/// element by element, and an object with one `$` key is a special matcher.
pub fn mismatch(expected: &Value, actual: &Value) -> Option<String> {
    match expected {
        Value::Object(fields) => {
            if let Some((key, operand)) = fields.iter().next()
                && fields.len() == 1
                && key.starts_with('$')
            {
                return special(key, operand, actual);
            }
            fields.iter().find_map(|(key, expected)| {
                let found = actual.get(key).unwrap_or(&Value::Null);
                mismatch(expected, found).map(|why| format!("{key}: {why}"))
            })
        }
        Value::Array(items) => match actual.as_array() {
            Some(found) if found.len() == items.len() => {
                items.iter().zip(found).enumerate().find_map(|(index, (expected, found))| {
                    mismatch(expected, found).map(|why| format!("[{index}]: {why}"))
                })
            }
            _ => Some(format!("expected {} elements, found {actual}", items.len())),
        },
        scalar => (!equal(scalar, actual)).then(|| format!("expected {scalar}, found {actual}")),
    }
}

fn special(operator: &str, operand: &Value, actual: &Value) -> Option<String> {
    let text = actual.as_str();
    let elements = || actual.as_array().map(Vec::as_slice).unwrap_or_default();
    let holds = match operator {
        "$contains" => text.is_some_and(|text| parts(operand).all(|part| text.contains(part))),
        "$lacks" => text.is_some_and(|text| !parts(operand).any(|part| text.contains(part))),
        "$matches" => match operand.as_str().map(Regex::new) {
            Some(Ok(pattern)) => text.is_some_and(|text| pattern.is_match(text)),
            _ => return Some(format!("{operand} is no regex")),
        },
        "$absent" => actual.is_null(),
        "$present" => !actual.is_null(),
        "$length" => {
            let length = actual.as_array().map(Vec::len).or(text.map(|t| t.chars().count()));
            length.map(|length| length as u64) == operand.as_u64()
        }
        "$some" => elements().iter().any(|element| mismatch(operand, element).is_none()),
        "$none" => {
            actual.is_array()
                && !elements().iter().any(|element| mismatch(operand, element).is_none())
        }
        "$all" => match operand.as_array() {
            Some(all) => return all.iter().find_map(|expected| mismatch(expected, actual)),
            None => return Some(format!("{operand} is no list of matchers")),
        },
        "$equal" => operand == actual,
        "$least" => match (operand.as_f64(), actual.as_f64()) {
            (Some(least), Some(number)) => number >= least,
            _ => false,
        },
        _ => return Some(format!("there is no matcher {operator}")),
    };
    (!holds).then(|| format!("{operator} {operand} does not hold for {actual}"))
}

fn parts(operand: &Value) -> impl Iterator<Item = &str> {
    let one = operand.as_str();
    let many = operand.as_array().map(Vec::as_slice).unwrap_or_default();
    one.into_iter().chain(many.iter().filter_map(Value::as_str))
}

fn equal(expected: &Value, actual: &Value) -> bool {
    match (expected.as_f64(), actual.as_f64()) {
        (Some(a), Some(b)) => expected == actual || a.to_bits() == b.to_bits(),
        _ => expected == actual,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn matchers_hold_and_fail_as_they_say() {
        let actual = json!({ "a": "hello", "n": 1, "list": [1, 2], "no": null });
        let holds = [
            json!({ "a": "hello" }),
            json!({ "a": { "$contains": ["he", "lo"] }, "n": 1.0 }),
            json!({ "a": { "$lacks": "x" }, "no": { "$absent": true } }),
            json!({ "a": { "$matches": "^h.*o$" }, "list": { "$length": 2 } }),
            json!({ "list": { "$some": 2 }, "a": { "$present": true } }),
            json!({ "a": { "$all": [{ "$contains": "h" }, { "$length": 5 }] } }),
            json!({ "list": { "$none": 3 }, "zzz": { "$absent": true } }),
            json!({ "n": { "$least": 0.5 } }),
        ];
        for expected in &holds {
            assert_eq!(mismatch(expected, &actual), None, "{expected}");
        }
        let fails = [
            json!({ "a": "x" }),
            json!({ "a": { "$contains": ["he", "x"] } }),
            json!({ "a": { "$lacks": ["x", "h"] } }),
            json!({ "n": { "$contains": "1" } }),
            json!({ "list": [1] }),
            json!({ "a": { "$absent": true } }),
            json!({ "no": { "$present": true } }),
            json!({ "a": { "$unknown": 1 } }),
            json!({ "$equal": { "a": "hello" } }),
            json!({ "n": { "$least": 1.5 } }),
            json!({ "a": { "$least": 0 } }),
        ];
        for expected in &fails {
            assert!(mismatch(expected, &actual).is_some(), "{expected}");
        }
    }
}
