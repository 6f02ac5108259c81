//! Labelled commands: the tables that the core's own tests read, judged row by row.

use std::fs;

use serde_json::{Map, Value, json};

use crate::{Face, mismatch};

/// How many rows that do not hold are shown.
const MOST_SHOWN: usize = 20;

/// Judges the rows of a table that fit `where`, and counts those for which `holds` does.
///
/// # Errors
/// A table that cannot be read, or options that cannot be made.
pub(crate) fn check_rows<F: Face>(face: &mut F, input: &Value) -> Result<Value, String> {
    let rows = rows(input["table"].as_str().ok_or("`table` is no text")?)?;
    let fitting: Vec<&Value> =
        rows.iter().filter(|row| mismatch(&input["where"], row).is_none()).collect();
    let mut misses = Vec::new();
    for row in &fitting {
        let options = filled(&input["options"], row)?;
        let check = json!({ "command": row["cmd"], "options": options });
        let outcome = face
            .step("check", &check)
            .unwrap_or_else(|raised| json!({ "code": raised.code, "message": raised.message }));
        if let Some(why) = mismatch(&input["holds"], &outcome) {
            misses.push(format!("{}: {why}", row["cmd"]));
        }
    }
    let held = fitting.len() - misses.len();
    #[expect(clippy::cast_precision_loss, reason = "a table has no 2^52 rows")]
    let share = 100.0 * held as f64 / fitting.len().max(1) as f64;
    misses.truncate(MOST_SHOWN);
    Ok(json!({ "rows": fitting.len(), "share": share, "misses": misses }))
}

fn rows(table: &str) -> Result<Vec<Value>, String> {
    let place = crate::load::tests()?.join("../core/shell/testdata").join(table);
    let text = fs::read_to_string(&place).map_err(|error| format!("{table}: {error}"))?;
    text.lines()
        .map(|line| serde_json::from_str(line).map_err(|error| format!("{table}: {error}")))
        .collect()
}

/// Options with `{"$column": "name"}` replaced by what stands there in a row.
fn filled(options: &Value, row: &Value) -> Result<Value, String> {
    let Value::Object(fields) = options else { return Ok(options.clone()) };
    if let Some(column) = fields.get("$column").and_then(Value::as_str) {
        let value = row.get(column).ok_or_else(|| format!("there is no column `{column}`"))?;
        return Ok(value.clone());
    }
    let filled: Result<Map<String, Value>, String> =
        fields.iter().map(|(key, field)| Ok((key.clone(), filled(field, row)?))).collect();
    filled.map(Value::Object)
}
