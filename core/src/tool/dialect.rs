//! Tool definitions in the shape that each provider takes, a file per shape and per step of the
//! way from a tool's own schema to what a provider understands.
//!
//! Every step is a pure function of a schema, and none of them touches the tool's own: arguments
//! are checked against that one, whatever a provider was told.

mod all_of;
mod anthropic;
mod closed;
mod constants;
mod gemini;
mod json_schema;
mod limits;
mod mcp;
mod notes;
mod openai;
mod openai_responses;
mod refs;
mod root;
mod unions;
mod walk;
mod weight;

#[cfg(test)]
mod tests;

use std::fmt;

pub(super) use refs::percent_decoded;
pub(super) use walk::escaped;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ToolSpec;
use crate::error::{Code, Error};
use crate::nearest::nearest;

/// A provider's way to write a tool definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub enum Dialect {
    /// OpenAI Chat Completions: `{"type":"function","function":{…}}`.
    #[serde(rename = "openai")]
    OpenAi,
    /// OpenAI Responses: `{"type":"function","name":…}`.
    #[serde(rename = "openai-responses")]
    OpenAiResponses,
    /// Anthropic Messages: `{"name":…,"input_schema":…}`.
    #[serde(rename = "anthropic")]
    Anthropic,
    /// Gemini function declarations, with `parametersJsonSchema`.
    #[serde(rename = "gemini")]
    Gemini,
    /// MCP `tools/list`, with annotations.
    #[serde(rename = "mcp")]
    Mcp,
    /// The plain JSON Schema of the arguments, with the tool's name as `title`.
    #[serde(rename = "json-schema")]
    JsonSchema,
}

/// Why a provider cannot be told of a tool.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{reason} (at `{path}`)")]
pub struct Unfit {
    /// What cannot be expressed, and what would help.
    pub reason: String,
    /// Where, as a JSON pointer into the tool's `parameters`; empty for all of it.
    pub path: String,
}

impl Unfit {
    fn at(path: &str, reason: impl Into<String>) -> Unfit {
        Unfit { reason: reason.into(), path: path.to_owned() }
    }
}

impl Dialect {
    /// Every dialect with its name.
    pub const ALL: &'static [(&'static str, Dialect)] = &[
        ("openai", Dialect::OpenAi),
        ("openai-responses", Dialect::OpenAiResponses),
        ("anthropic", Dialect::Anthropic),
        ("gemini", Dialect::Gemini),
        ("mcp", Dialect::Mcp),
        ("json-schema", Dialect::JsonSchema),
    ];

    /// The dialect of that name.
    ///
    /// # Errors
    /// `invalid_argument` that names the nearest one.
    pub fn from_name(name: &str) -> Result<Dialect, Error> {
        if let Some((_, dialect)) = Dialect::ALL.iter().find(|(known, _)| *known == name) {
            return Ok(*dialect);
        }
        let known = || Dialect::ALL.iter().map(|(known, _)| *known);
        let meant = nearest(name, known()).map(|n| format!(", did you mean `{n}`?"));
        Err(Error::new(
            Code::InvalidArgument,
            format!(
                "unknown dialect `{}`{}; use one of {}",
                crate::limits::echo(name),
                meant.unwrap_or_default(),
                known().collect::<Vec<_>>().join(", ")
            ),
        ))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::OpenAi => "openai",
            Dialect::OpenAiResponses => "openai-responses",
            Dialect::Anthropic => "anthropic",
            Dialect::Gemini => "gemini",
            Dialect::Mcp => "mcp",
            Dialect::JsonSchema => "json-schema",
        }
    }

    /// True if the provider can be held to a schema word by word. Elsewhere `strict` changes
    /// nothing.
    pub fn has_strict(self) -> bool {
        matches!(self, Dialect::OpenAi | Dialect::OpenAiResponses | Dialect::Anthropic)
    }

    /// True if the provider takes a tool of that name. Every name that the registry takes suits
    /// all of them, so a model's call comes back under the name that it was told.
    pub fn takes_name(self, name: &str) -> bool {
        let most = match self {
            Dialect::OpenAi | Dialect::OpenAiResponses | Dialect::Gemini => 64,
            Dialect::Anthropic | Dialect::Mcp => 128,
            Dialect::JsonSchema => usize::MAX,
        };
        let may_hold = |byte: u8| match self {
            Dialect::Gemini => byte.is_ascii_alphanumeric() || b"_.:-".contains(&byte),
            Dialect::Mcp => byte.is_ascii_alphanumeric() || b"_.-".contains(&byte),
            Dialect::JsonSchema => true,
            _ => byte.is_ascii_alphanumeric() || b"_-".contains(&byte),
        };
        let starts_well = match self {
            Dialect::Gemini => name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'),
            _ => !name.is_empty(),
        };
        starts_well && name.len() <= most && name.bytes().all(may_hold)
    }

    /// One definition under the given name (the tool's own, or an alias). `strict` asks for the
    /// form that a provider holds its model to, where it [has one](Dialect::has_strict).
    ///
    /// # Errors
    /// What the provider cannot be told.
    pub fn define(self, name: &str, spec: &ToolSpec, strict: bool) -> Result<Value, Unfit> {
        if !self.takes_name(name) {
            return Err(Unfit::at("", format!("{self} takes no tool named `{name}`")));
        }
        match self {
            Dialect::OpenAi => openai::define(name, spec, strict),
            Dialect::OpenAiResponses => openai_responses::define(name, spec, strict),
            Dialect::Anthropic => anthropic::define(name, spec, strict),
            Dialect::Gemini => gemini::define(name, spec),
            Dialect::Mcp => Ok(mcp::define(name, spec)),
            Dialect::JsonSchema => Ok(json_schema::define(name, spec)),
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
