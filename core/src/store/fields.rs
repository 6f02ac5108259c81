//! Reading a row's values one after another, with an error that names what makes no sense.

use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::driver::{Row, Value};

/// The values of a row, taken in the order of `columns`.
pub(super) struct Fields {
    columns: &'static [&'static str],
    values: Vec<Value>,
    /// How many values were taken.
    taken: usize,
    /// How many of the first columns are the row's key. They are kept, to name the row by.
    keys: usize,
}

/// The columns by which rows are named, where they come first.
const NAMING: [&str; 9] =
    ["tenant", "kind", "resource", "id", "agent", "user_key", "name", "session", "seq"];

/// A text on its way in: PostgreSQL knows no NUL in text.
pub(super) fn text<'t>(field: &str, text: &'t str) -> Result<&'t str, String> {
    if text.contains('\0') {
        return Err(format!("`{field}` contains a NUL character; remove it"));
    }
    Ok(text)
}

/// Why a row cannot be read.
pub(super) struct BadRow(pub(super) String);

impl Fields {
    /// An error names the row by those of its first columns that are [`NAMING`].
    pub(super) fn new(row: Row, columns: &'static [&'static str]) -> Fields {
        let keys = columns.iter().take_while(|column| NAMING.contains(column)).count();
        Fields::keyed(row, columns, keys)
    }

    /// The same for a row whose key is its first `keys` columns.
    pub(super) fn keyed(row: Row, columns: &'static [&'static str], keys: usize) -> Fields {
        Fields { columns, values: row.0, taken: 0, keys }
    }

    pub(super) fn text(&mut self) -> Result<String, BadRow> {
        self.take("text", |value| match value {
            Value::Text(text) => Some(text),
            _ => None,
        })
    }

    pub(super) fn text_or_none(&mut self) -> Result<Option<String>, BadRow> {
        self.take("text or nothing", |value| match value {
            Value::Text(text) => Some(Some(text)),
            Value::Null => Some(None),
            _ => None,
        })
    }

    pub(super) fn int(&mut self) -> Result<i64, BadRow> {
        self.take("a whole number", |value| match value {
            Value::Int(int) => Some(int),
            _ => None,
        })
    }

    pub(super) fn int_or_none(&mut self) -> Result<Option<i64>, BadRow> {
        self.take("a whole number or nothing", |value| match value {
            Value::Int(int) => Some(Some(int)),
            Value::Null => Some(None),
            _ => None,
        })
    }

    pub(super) fn bytes(&mut self) -> Result<Vec<u8>, BadRow> {
        self.take("bytes", |value| match value {
            Value::Bytes(bytes) => Some(bytes),
            _ => None,
        })
    }

    pub(super) fn bytes_or_none(&mut self) -> Result<Option<Vec<u8>>, BadRow> {
        self.take("bytes or nothing", |value| match value {
            Value::Bytes(bytes) => Some(Some(bytes)),
            Value::Null => Some(None),
            _ => None,
        })
    }

    /// UTF-8 that is kept as bytes, because it may contain NUL.
    pub(super) fn utf8(&mut self) -> Result<String, BadRow> {
        self.take("UTF-8 as bytes", |value| match value {
            Value::Bytes(bytes) => String::from_utf8(bytes).ok(),
            _ => None,
        })
    }

    pub(super) fn json<T: DeserializeOwned>(&mut self) -> Result<T, BadRow> {
        self.take("JSON of the right shape", |value| match value {
            Value::Text(text) => serde_json::from_str(&text).ok(),
            _ => None,
        })
    }

    /// JSON that is kept as bytes, because it may be large.
    pub(super) fn json_bytes<T: DeserializeOwned>(&mut self) -> Result<T, BadRow> {
        self.take("JSON of the right shape, as bytes", |value| match value {
            Value::Bytes(bytes) => serde_json::from_slice(&bytes).ok(),
            _ => None,
        })
    }

    pub(super) fn json_or_none<T: DeserializeOwned>(&mut self) -> Result<Option<T>, BadRow> {
        self.take("JSON of the right shape, or nothing", |value| match value {
            Value::Text(text) => serde_json::from_str(&text).ok().map(Some),
            Value::Null => Some(None),
            _ => None,
        })
    }

    /// A JSON object.
    pub(super) fn object(&mut self) -> Result<Json, BadRow> {
        self.json::<serde_json::Map<String, Json>>().map(Json::Object)
    }

    /// A key part that is empty for "all".
    pub(super) fn part(&mut self) -> Result<Option<String>, BadRow> {
        self.text().map(|text| (!text.is_empty()).then_some(text))
    }

    /// One of the names that `parse` knows.
    pub(super) fn name<T>(&mut self, parse: fn(&str) -> Option<T>) -> Result<T, BadRow> {
        self.take("a known name", |value| match value {
            Value::Text(text) => parse(&text),
            _ => None,
        })
    }

    fn take<T>(
        &mut self,
        expected: &str,
        convert: impl FnOnce(Value) -> Option<T>,
    ) -> Result<T, BadRow> {
        let place = self.taken;
        self.taken += 1;
        let value = match self.values.get_mut(place) {
            Some(value) if place < self.keys => Some(value.clone()),
            Some(value) => Some(std::mem::replace(value, Value::Null)),
            None => None,
        };
        value.and_then(convert).ok_or_else(|| {
            let column = self.columns.get(place).copied().unwrap_or("?");
            let label = self.values.iter().take(self.keys).map(shown).collect::<Vec<_>>();
            let label = label.join(", ");
            BadRow(format!("column `{column}` of row ({label}) does not hold {expected}"))
        })
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::Int(int) => int.to_string(),
        _ => "?".into(),
    }
}
