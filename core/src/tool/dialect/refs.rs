//! Puts what references point at in their place.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::Unfit;
use super::walk::{Holds, Keywords, each, escaped, holds, is_too_deep, too_deep};
use super::weight::Allowance;

/// What becomes of a schema that holds itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cycles {
    /// The reference stays, as `#/$defs/<name>` or `#`, with what stands beside it.
    Keep,
    /// The inner one becomes any object, with a word of what it stands for.
    Cut,
    /// The tool cannot be expressed.
    Refuse,
}

/// How many schemas there may be once references are in place.
const MOST_SCHEMAS: usize = 20_000;

/// Keywords that say something of a schema without narrowing it; beside a reference they win over
/// those of its target.
pub(super) const REMARKS: [&str; 8] = [
    "description",
    "title",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$comment",
];

/// The schema without references, but for those of schemas that hold themselves.
pub(super) fn inline(root: &Value, cycles: Cycles) -> Result<Value, Unfit> {
    let mut inliner = Inliner {
        root,
        cycles,
        within: Vec::new(),
        kept: BTreeMap::new(),
        schemas: 0,
        allowance: Allowance::default(),
    };
    inliner.within.push("#".into());
    let mut done = inliner.expand(root, "", 0)?;
    inliner.within.clear();
    let mut definitions = Keywords::new();
    while let Some((pointer, name)) =
        inliner.kept.iter().find(|(_, name)| !definitions.contains_key(*name))
    {
        let (pointer, name) = (pointer.clone(), name.clone());
        let target = inliner.target(&pointer, "")?;
        inliner.within.push(pointer.clone());
        let definition = inliner.expand(target, pointer.trim_start_matches('#'), 0)?;
        inliner.within.pop();
        definitions.insert(name, definition);
    }
    if let (Value::Object(keywords), false) = (&mut done, definitions.is_empty()) {
        definitions.sort_keys();
        keywords.insert("$defs".into(), Value::Object(definitions));
    }
    Ok(done)
}

struct Inliner<'r> {
    root: &'r Value,
    cycles: Cycles,
    /// The references that are being put in place.
    within: Vec<String>,
    /// References that stay, and the names of what they point at.
    kept: BTreeMap<String, String>,
    schemas: usize,
    allowance: Allowance,
}

impl<'r> Inliner<'r> {
    fn expand(&mut self, schema: &Value, path: &str, depth: usize) -> Result<Value, Unfit> {
        let Value::Object(keywords) = schema else { return Ok(schema.clone()) };
        self.schemas += 1;
        if self.schemas > MOST_SCHEMAS {
            let reason =
                format!("it has more than {MOST_SCHEMAS} schemas once `$ref`s are in place");
            return Err(Unfit::at(path, reason));
        }
        if is_too_deep(depth) {
            return Err(too_deep(path));
        }
        if let Some(keyword) =
            ["$dynamicRef", "$recursiveRef"].iter().find(|k| keywords.contains_key(**k))
        {
            return Err(Unfit::at(path, format!("`{keyword}` cannot be put in place; use `$ref`")));
        }
        let mut beside = Keywords::new();
        for (keyword, value) in keywords {
            if matches!(keyword.as_str(), "$ref" | "$defs" | "definitions") {
                continue;
            }
            let inner = holds(keyword, value) != Holds::Nothing;
            if !inner {
                self.allowance.take(value, 1, path)?;
            }
            let mut value = value.clone();
            if inner {
                each(keyword, &mut value, path, &mut |inner, place| {
                    *inner = self.expand(inner, place, depth + 1)?;
                    Ok(())
                })?;
            }
            beside.insert(keyword.clone(), value);
        }
        match keywords.get("$ref").and_then(Value::as_str) {
            Some(pointer) => self.follow(pointer, beside, path, depth),
            None => Ok(Value::Object(beside)),
        }
    }

    fn follow(
        &mut self,
        pointer: &str,
        beside: Keywords,
        path: &str,
        depth: usize,
    ) -> Result<Value, Unfit> {
        let target = self.target(pointer, path)?;
        let stays = match self.cycles {
            Cycles::Keep => self.comes_back(pointer),
            _ => self.within.iter().any(|within| within == pointer),
        };
        if stays {
            return self.cycle(pointer, beside, path);
        }
        self.within.push(pointer.to_owned());
        let target = self.expand(target, path, depth + 1);
        self.within.pop();
        let Value::Object(mut target) = target? else {
            return Ok(Value::Object(beside));
        };
        let (remarks, narrows): (Keywords, Keywords) =
            beside.into_iter().partition(|(keyword, _)| REMARKS.contains(&keyword.as_str()));
        target.extend(remarks);
        if !narrows.is_empty() {
            let parts = target.entry("allOf").or_insert_with(|| json!([]));
            if let Value::Array(parts) = parts {
                parts.push(Value::Object(narrows));
            }
        }
        Ok(Value::Object(target))
    }

    fn cycle(&mut self, pointer: &str, mut beside: Keywords, path: &str) -> Result<Value, Unfit> {
        match self.cycles {
            Cycles::Keep => {
                let reference = match pointer {
                    "#" => "#".to_owned(),
                    _ => format!("#/$defs/{}", escaped(&self.name(pointer))),
                };
                beside.shift_insert(0, "$ref".into(), json!(reference));
                Ok(Value::Object(beside))
            }
            Cycles::Cut => {
                let said = beside.get("description").and_then(Value::as_str);
                let what = pointer.rsplit('/').next().unwrap_or(pointer);
                let note = match what {
                    "#" => "circular reference: the whole schema again".to_owned(),
                    what => format!("circular reference: `{what}` again"),
                };
                let text = said.map_or(note.clone(), |said| format!("{said} ({note})"));
                beside.entry("type").or_insert_with(|| json!("object"));
                beside.insert("description".into(), json!(text));
                Ok(Value::Object(beside))
            }
            Cycles::Refuse => Err(Unfit::at(path, "the schema holds itself: give it an end")),
        }
    }

    fn target(&self, pointer: &str, path: &str) -> Result<&'r Value, Unfit> {
        let found = match pointer {
            "#" => Some(self.root),
            _ => pointer.strip_prefix('#').and_then(|pointer| {
                let decoded = percent_decoded(pointer);
                decoded.starts_with('/').then(|| self.root.pointer(&decoded))?
            }),
        };
        found.ok_or_else(|| {
            let reason = format!(
                "`$ref` points at `{}`, which is nowhere in the schema; use `#/$defs/<name>`",
                crate::limits::echo(pointer)
            );
            Unfit::at(path, reason)
        })
    }

    /// True if what the reference points at leads back to it.
    fn comes_back(&self, pointer: &str) -> bool {
        let mut seen = BTreeSet::new();
        let mut pending = vec![pointer.to_owned()];
        while let Some(next) = pending.pop() {
            let Ok(target) = self.target(&next, "") else { continue };
            for found in references(target) {
                if found == pointer {
                    return true;
                }
                if seen.insert(found.clone()) {
                    pending.push(found);
                }
            }
        }
        false
    }

    fn name(&mut self, pointer: &str) -> String {
        if let Some(name) = self.kept.get(pointer) {
            return name.clone();
        }
        let parts: Vec<String> = pointer
            .split('/')
            .skip(1)
            .filter(|part| !matches!(*part, "$defs" | "definitions"))
            .map(|part| part.replace(|c: char| !c.is_ascii_alphanumeric(), "_"))
            .collect();
        let plain = parts.join("_");
        let taken = |name: &String| self.kept.values().any(|known| known == name);
        let mut name = plain.clone();
        let mut number = 2;
        while taken(&name) {
            name = format!("{plain}_{number}");
            number += 1;
        }
        self.kept.insert(pointer.to_owned(), name.clone());
        name
    }
}

/// The references within a schema, but for those in its definitions.
fn references(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut pending = vec![schema.clone()];
    while let Some(Value::Object(keywords)) = pending.pop() {
        if let Some(Value::String(pointer)) = keywords.get("$ref") {
            found.push(pointer.clone());
        }
        for (keyword, mut value) in keywords {
            if matches!(keyword.as_str(), "$defs" | "definitions") {
                continue;
            }
            // The visitor never fails.
            let _ = each(&keyword, &mut value, "", &mut |inner, _| {
                pending.push(inner.take());
                Ok(())
            });
        }
        pending.retain(Value::is_object);
    }
    found
}

/// A fragment as it is meant.
pub(in crate::tool) fn percent_decoded(pointer: &str) -> String {
    let bytes = pointer.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = bytes.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) if bytes[at] == b'%' => {
                decoded.push(byte);
                at += 3;
            }
            _ => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}
