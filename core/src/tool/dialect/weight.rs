//! How large a schema may become on its way to a provider.
//!
//! References and unions can make much of little: a few hundred bytes could fill any memory.

use serde_json::Value;

use super::Unfit;

/// The most bytes that a schema may take, about as it is written.
const MOST: usize = 2 << 20;

/// What is left of the size that a schema may have.
pub(super) struct Allowance(usize);

impl Default for Allowance {
    fn default() -> Allowance {
        Allowance(MOST)
    }
}

impl Allowance {
    /// Takes the size of `value`, `times` over.
    ///
    /// # Errors
    /// That the schema at `path` would be too large.
    pub fn take(&mut self, value: &Value, times: usize, path: &str) -> Result<(), Unfit> {
        self.take_bytes(weight(value).saturating_mul(times), path)
    }

    /// Takes so many bytes.
    ///
    /// # Errors
    /// As [`take`](Allowance::take).
    pub fn take_bytes(&mut self, bytes: usize, path: &str) -> Result<(), Unfit> {
        match self.0.checked_sub(bytes) {
            Some(left) => {
                self.0 = left;
                Ok(())
            }
            None => {
                let reason = "it becomes too large once its `$ref`s and unions are written out; \
                              make it smaller, or leave some of them out";
                Err(Unfit::at(path, reason))
            }
        }
    }
}

/// About how many bytes a value takes when it is written.
fn weight(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 2,
        Value::Array(items) => 2 + items.iter().map(|item| weight(item) + 1).sum::<usize>(),
        Value::Object(fields) => {
            2 + fields.iter().map(|(name, field)| name.len() + 4 + weight(field)).sum::<usize>()
        }
        _ => 4,
    }
}
