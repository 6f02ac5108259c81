//! Tool definitions in the shape that each provider takes.

use serde_json::{Value, json};

use super::ToolSpec;
use crate::error::{Code, Error};
use crate::kind::Capability;
use crate::nearest::nearest;

/// A provider's way to write a tool definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// OpenAI Chat Completions: `{"type":"function","function":{…}}`.
    OpenAi,
    /// OpenAI Responses: `{"type":"function","name":…}`.
    OpenAiResponses,
    /// Anthropic Messages: `{"name":…,"input_schema":…}`.
    Anthropic,
    /// Gemini function declarations, with `parametersJsonSchema`.
    Gemini,
    /// MCP `tools/list`, with annotations.
    Mcp,
}

impl Dialect {
    /// Every dialect with its name.
    pub const ALL: &'static [(&'static str, Dialect)] = &[
        ("openai", Dialect::OpenAi),
        ("openai-responses", Dialect::OpenAiResponses),
        ("anthropic", Dialect::Anthropic),
        ("gemini", Dialect::Gemini),
        ("mcp", Dialect::Mcp),
    ];

    /// The dialect of that name.
    pub fn from_name(name: &str) -> Result<Dialect, Error> {
        if let Some((_, dialect)) = Dialect::ALL.iter().find(|(known, _)| *known == name) {
            return Ok(*dialect);
        }
        let known = || Dialect::ALL.iter().map(|(known, _)| *known);
        let meant = nearest(name, known()).map(|n| format!(", did you mean `{n}`?"));
        Err(Error::new(
            Code::InvalidArgument,
            format!(
                "unknown dialect `{name}`{}; use one of {}",
                meant.unwrap_or_default(),
                known().collect::<Vec<_>>().join(", ")
            ),
        ))
    }

    /// One definition under the given name (the tool's own, or an alias).
    pub fn define(self, name: &str, spec: &ToolSpec) -> Value {
        let ToolSpec { description, parameters, .. } = spec;
        match self {
            Dialect::OpenAi => json!({
                "type": "function",
                "function": { "name": name, "description": description, "parameters": parameters },
            }),
            Dialect::OpenAiResponses => json!({
                "type": "function",
                "name": name,
                "description": description,
                "parameters": parameters,
                "strict": false,
            }),
            Dialect::Anthropic => json!({
                "name": name, "description": description, "input_schema": parameters,
            }),
            Dialect::Gemini => json!({
                "name": name, "description": description, "parametersJsonSchema": parameters,
            }),
            Dialect::Mcp => json!({
                "name": name,
                "description": description,
                "inputSchema": parameters,
                "annotations": {
                    "readOnlyHint": spec.is_read_only(),
                    "destructiveHint": spec.may_be(Capability::Destructive),
                    "openWorldHint": spec.may_be(Capability::OpenWorld),
                },
            }),
        }
    }
}
