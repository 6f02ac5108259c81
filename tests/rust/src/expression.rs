//! Inputs that are easier to say than to write out: `{"$repeat": ["x", 1000]}`, `{folder}`, …

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The words that stand for something in braces.
pub struct Words(pub BTreeMap<String, String>);

impl Words {
    /// An input with its expressions worked out and its words filled in.
    pub fn expand(&self, value: &Value) -> Result<Value, String> {
        Ok(match value {
            Value::String(text) => Value::String(self.fill(text)),
            Value::Array(items) => {
                Value::Array(items.iter().map(|item| self.expand(item)).collect::<Result<_, _>>()?)
            }
            Value::Object(fields) => match lone_operator(fields) {
                Some((operator, operand)) => self.apply(operator, operand)?,
                None => {
                    let expanded: Result<Map<String, Value>, String> = fields
                        .iter()
                        .map(|(key, field)| Ok((key.clone(), self.expand(field)?)))
                        .collect();
                    Value::Object(expanded?)
                }
            },
            other => other.clone(),
        })
    }

    /// An expectation with its words filled in.
    pub fn fill_in(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.fill(text)),
            Value::Array(items) => items.iter().map(|item| self.fill_in(item)).collect(),
            Value::Object(fields) => {
                fields.iter().map(|(key, field)| (key.clone(), self.fill_in(field))).collect()
            }
            other => other.clone(),
        }
    }

    fn fill(&self, text: &str) -> String {
        let fill = |text: String, (word, meaning): (&String, &String)| {
            text.replace(&format!("{{{word}}}"), meaning)
        };
        self.0.iter().fold(text.to_owned(), fill)
    }

    fn apply(&self, operator: &str, operand: &Value) -> Result<Value, String> {
        let wrong = || format!("{operator} does not take {operand}");
        match operator {
            "$repeat" => {
                let text = self.expand(&operand[0])?;
                let count = operand[1].as_u64().and_then(|n| usize::try_from(n).ok());
                let text = text.as_str().ok_or_else(wrong)?.repeat(count.ok_or_else(wrong)?);
                Ok(Value::String(text))
            }
            "$concat" => {
                let mut whole = String::new();
                for part in operand.as_array().ok_or_else(wrong)? {
                    whole.push_str(self.expand(part)?.as_str().ok_or_else(wrong)?);
                }
                Ok(Value::String(whole))
            }
            "$nest" => {
                let depth = operand[0].as_u64().ok_or_else(wrong)?;
                Ok((0..depth).fold(Value::Array(Vec::new()), |inner, _| Value::Array(vec![inner])))
            }
            "$json" => Ok(Value::String(self.expand(operand)?.to_string())),
            _ => Err(format!("{operator} is no expression")),
        }
    }
}

/// Other keys with `$`, such as `$ref`, are data.
const OPERATORS: [&str; 4] = ["$repeat", "$concat", "$nest", "$json"];

fn lone_operator(fields: &Map<String, Value>) -> Option<(&str, &Value)> {
    let (key, operand) = fields.iter().next()?;
    (fields.len() == 1 && OPERATORS.contains(&key.as_str())).then_some((key.as_str(), operand))
}
