//! Gate: no secret leaves in any text of a result, and nothing that commands a terminal.
//!
//! What commands a terminal goes first: in the middle of a secret it would hide that.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::scrub::Scrubber;
use crate::terminal::{self, Returns};
use crate::tool::ToolResult;
use crate::vault::{Opener, Sealing};

/// Masks every text. With the vault on, what is masked is kept for the session.
pub(super) fn pass(scrubber: &Scrubber, opener: Option<&Opener>, result: &mut ToolResult) {
    let Some(opener) = opener else {
        return Cleaner { scrubber, sealing: None }.clean(result);
    };
    let sealing = opener.sealing(None);
    Cleaner { scrubber, sealing: Some(&sealing) }.clean(result);
    if sealing.keep() > 0 {
        opener.has_sealed();
    }
}

struct Cleaner<'s> {
    scrubber: &'s Scrubber,
    sealing: Option<&'s Sealing<'s>>,
}

impl Cleaner<'_> {
    fn clean(&self, result: &mut ToolResult) {
        for text in [&mut result.for_user, &mut result.rule].into_iter().flatten() {
            self.clean_text(text);
        }
        if let Some(structured) = &mut result.structured {
            clean_json(structured);
            match self.sealing {
                Some(sealing) => self.scrubber.scrub_json_sealing(structured, sealing),
                None => self.scrubber.scrub_json(structured),
            }
            // Data becomes text only now: JSON's escapes would hide a secret from the patterns.
            if result.for_llm.is_empty() {
                result.for_llm = structured.to_string();
            }
        }
        self.clean_text(&mut result.for_llm);
        for repair in &mut result.repairs {
            // A path may hold a key that the model made up.
            self.clean_text(&mut repair.path);
        }
        for media in &mut result.media {
            self.clean_text(&mut media.path);
            let texts = [&mut media.filename, &mut media.mime, &mut media.caption];
            for text in texts.into_iter().flatten() {
                self.clean_text(text);
            }
        }
    }

    fn clean_text(&self, text: &mut String) {
        if let Cow::Owned(cleaned) = terminal::clean(text, Returns::Lines) {
            *text = cleaned;
        }
        let scrubbed = match self.sealing {
            Some(sealing) => self.scrubber.scrub_sealing(text, sealing),
            None => self.scrubber.scrub(text),
        };
        if let Cow::Owned(scrubbed) = scrubbed {
            *text = scrubbed;
        }
    }
}

/// Takes what commands a terminal out of every string and key. No entry is lost: where two keys
/// become equal, the later one gets a number.
fn clean_json(value: &mut Value) {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match value {
            Value::String(text) => {
                if let Cow::Owned(cleaned) = terminal::clean(text, Returns::Lines) {
                    *text = cleaned;
                }
            }
            Value::Array(items) => pending.extend(items),
            Value::Object(fields) => {
                if fields.keys().any(|key| terminal::has_controls(key)) {
                    *fields = with_clean_keys(std::mem::take(fields));
                }
                pending.extend(fields.values_mut());
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

fn with_clean_keys(fields: Map<String, Value>) -> Map<String, Value> {
    let mut cleaned = Map::new();
    for (key, field) in fields {
        let key = terminal::clean(&key, Returns::Lines).into_owned();
        let numbered = (2..).map(|number| format!("{key} #{number}"));
        let free = std::iter::once(key.clone()).chain(numbered);
        let free = free.into_iter().find(|key| !cleaned.contains_key(key));
        cleaned.insert(free.unwrap_or(key), field);
    }
    cleaned
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn data_is_cleaned_at_every_depth() {
        let mut value =
            json!({ "a\u{1b}[1m": ["x\u{7}", { "b": "\u{9b}0my" }], "a": 1, "a\u{0}": 2 });
        clean_json(&mut value);
        assert_eq!(value, json!({ "a": ["x", { "b": "y" }], "a #2": 1, "a #3": 2 }));
    }
}
