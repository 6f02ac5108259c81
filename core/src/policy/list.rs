//! Lists of the configuration: which tools a layer allows, denies or asks about.

use std::fmt;

use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

/// One entry of a list, in short (`"exec"`) or with options (`{ entry = "exec", final = true }`).
///
/// An entry is a tool name, an alias, `group:name`, `capability:name`, a glob over tool names
/// (`mcp_*`, `*`), or one of these with `!` before it, which removes tools that the rest of the
/// list added.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ListEntry {
    /// The entry alone.
    Short(String),
    /// The entry with marks.
    Marked(MarkedEntry),
}

/// An entry with options.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MarkedEntry {
    /// The entry.
    pub entry: String,
    /// True if it may match nothing, for a tool or a group that does not always exist. Otherwise an
    /// entry that matches no known tool is an error.
    #[serde(default)]
    pub optional: bool,
    /// Only in a deny list: true if no `also_allow` may bring it back.
    #[serde(default, rename = "final")]
    pub is_final: bool,
}

impl ListEntry {
    /// The entry itself.
    pub fn text(&self) -> &str {
        match self {
            ListEntry::Short(text) => text,
            ListEntry::Marked(marked) => &marked.entry,
        }
    }

    /// True if it may match nothing.
    pub fn is_optional(&self) -> bool {
        matches!(self, ListEntry::Marked(marked) if marked.optional)
    }

    /// True if no `also_allow` may bring back what it denies.
    pub fn is_final(&self) -> bool {
        matches!(self, ListEntry::Marked(marked) if marked.is_final)
    }
}

impl From<&str> for ListEntry {
    fn from(text: &str) -> ListEntry {
        ListEntry::Short(text.to_owned())
    }
}

impl From<String> for ListEntry {
    fn from(text: String) -> ListEntry {
        ListEntry::Short(text)
    }
}

// Derived, an untagged enum says of every mistake only that no variant matched.
impl<'de> Deserialize<'de> for ListEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ListEntry, D::Error> {
        deserializer.deserialize_any(EntryVisitor)
    }
}

struct EntryVisitor;

impl<'de> Visitor<'de> for EntryVisitor {
    type Value = ListEntry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "an entry of a list: a tool name, an alias, `group:name`, `capability:name` or a glob \
             as a string, or an object with `entry` and the marks `optional` and `final`",
        )
    }

    fn visit_str<E>(self, text: &str) -> Result<ListEntry, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<ListEntry, E> {
        Ok(text.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ListEntry, A::Error> {
        MarkedEntry::deserialize(MapAccessDeserializer::new(map)).map(ListEntry::Marked)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_entry_is_a_string_or_an_object_with_marks() {
        let short: ListEntry = serde_json::from_value(json!("exec")).unwrap();
        assert_eq!((short.text(), short.is_optional(), short.is_final()), ("exec", false, false));
        let marked = json!({ "entry": "exec", "optional": true, "final": true });
        let entry: ListEntry = serde_json::from_value(marked.clone()).unwrap();
        assert_eq!((entry.text(), entry.is_optional(), entry.is_final()), ("exec", true, true));
        assert_eq!(serde_json::to_value(&entry).unwrap(), marked);
        assert_eq!(serde_json::to_value(&short).unwrap(), json!("exec"));
    }

    #[test]
    fn an_entry_of_another_kind_is_refused_with_what_an_entry_is() {
        let complaint = |value| serde_json::from_value::<ListEntry>(value).unwrap_err().to_string();
        for value in [json!(3), json!(["exec"]), json!(null), json!(true)] {
            let text = complaint(value);
            assert!(text.contains("group:name") && text.contains("`final`"), "{text}");
        }
        let text = complaint(json!({ "entry": "exec", "finl": true }));
        assert!(text.contains("`finl`") && text.contains("`final`"), "{text}");
        assert!(complaint(json!({ "final": true })).contains("`entry`"));
    }
}
