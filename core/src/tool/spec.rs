//! How a tool is described.

use std::collections::BTreeMap;
use std::time::Duration;

use data_encoding::HEXLOWER;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::error::{Code, Error};
use crate::kind::{Action, Capability, Effect, ResourceKind, Taint};
use crate::limits::{TooMuch, check_json};

/// The description of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolSpec {
    /// The canonical name: a letter, then letters, digits, `_` or `-`, at most 64 characters.
    pub name: String,
    /// What it does and when to use it, for the model.
    #[serde(default)]
    pub description: String,
    /// The JSON Schema (2020-12) of its arguments; an object. Default: any object.
    #[serde(default = "any_object")]
    pub parameters: Value,
    /// The group that it joins, for policies.
    #[serde(default)]
    pub group: Option<String>,
    /// What it can do. Empty means mutating.
    #[serde(default)]
    pub capabilities: Vec<Capability>,
    /// Its deadline in milliseconds, instead of the runtime's.
    #[serde(default)]
    pub timeout_ms: Option<u64>,
    /// Which arguments name what the call touches.
    #[serde(default)]
    pub touches: Vec<Touch>,
    /// The channel types that it works on: `telegram`, … Empty: all. Where the caller's is known
    /// and not among them, the tool is hidden.
    #[serde(default)]
    pub channels: Vec<String>,
    /// Other names that arguments may come under, by the argument's own name.
    #[serde(default)]
    pub argument_aliases: BTreeMap<String, Vec<String>>,
    /// True if the same call may well be repeated until its answer changes; the loop breaker then
    /// lets it be.
    #[serde(default)]
    pub polling: bool,
    /// True if each call of it wants somebody's approval.
    #[serde(default)]
    pub needs_approval: bool,
    /// The marks that its results set on a session.
    #[serde(default)]
    pub taints: Vec<Taint>,
    /// The action that it is, for agents whose actions are limited.
    #[serde(default)]
    pub action: Option<Action>,
    /// The name that it has where it comes from, if that is another: `create-issue` of an MCP
    /// server.
    #[serde(default)]
    pub original_name: Option<String>,
    /// The argument that is a command of a shell: a text, or a list of its words. It is judged
    /// before the tool is called, as `shell` of the configuration says.
    #[serde(default)]
    pub shell_command: Option<String>,
    /// The argument that names the folder in which that command starts: absolute, or from the
    /// workspace. Default: the workspace.
    #[serde(default)]
    pub shell_cwd: Option<String>,
    /// The argument that is given to that command on standard input: a text. It is judged with it.
    #[serde(default)]
    pub shell_stdin: Option<String>,
}

/// An argument that names a resource of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Touch {
    /// The argument: a text, or a list of texts.
    pub argument: String,
    /// The kind of the resource.
    pub resource: ResourceKind,
    /// How the call uses it.
    pub effect: Effect,
}

fn any_object() -> Value {
    json!({ "type": "object" })
}

impl ToolSpec {
    /// A tool that takes any object.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> ToolSpec {
        ToolSpec {
            name: name.into(),
            description: description.into(),
            parameters: any_object(),
            group: None,
            capabilities: Vec::new(),
            timeout_ms: None,
            touches: Vec::new(),
            channels: Vec::new(),
            argument_aliases: BTreeMap::new(),
            polling: false,
            needs_approval: false,
            taints: Vec::new(),
            action: None,
            original_name: None,
            shell_command: None,
            shell_cwd: None,
            shell_stdin: None,
        }
    }

    /// A description from JSON-like data: what the other languages hand over.
    ///
    /// # Errors
    /// `invalid_argument` that names the key, and the nearest known one.
    pub fn from_value(value: &Value) -> Result<ToolSpec, Error> {
        crate::strict::from_value(value).map_err(|why| {
            let code = check_json(value).err().map_or(Code::InvalidArgument, TooMuch::code);
            Error::new(code, format!("the description of the tool: {why}"))
        })
    }

    /// A tool whose arguments are the struct `A`: its doc comment is the description, its fields
    /// with their doc comments are the parameters.
    pub fn of<A: JsonSchema>(name: impl Into<String>) -> ToolSpec {
        let mut parameters = schemars::schema_for!(A).to_value();
        let mut description = String::new();
        if let Some(schema) = parameters.as_object_mut() {
            schema.shift_remove("$schema");
            schema.shift_remove("title");
            if let Some(Value::String(text)) = schema.shift_remove("description") {
                description = text;
            }
        }
        ToolSpec { parameters, ..ToolSpec::new(name, description) }
    }

    /// Sets the group.
    #[must_use]
    pub fn group(mut self, group: impl Into<String>) -> ToolSpec {
        self.group = Some(group.into());
        self
    }

    /// Adds a capability.
    #[must_use]
    pub fn capability(mut self, capability: Capability) -> ToolSpec {
        self.capabilities.push(capability);
        self
    }

    /// Lets the argument `name` come under these other names, too; the first of them counts where
    /// a call gives several.
    #[must_use]
    pub fn argument_aliases(mut self, name: &str, aliases: &[&str]) -> ToolSpec {
        let aliases = aliases.iter().map(|alias| (*alias).to_owned());
        self.argument_aliases.entry(name.to_owned()).or_default().extend(aliases);
        self
    }

    /// Sets the deadline.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> ToolSpec {
        self.timeout_ms = Some(u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX));
        self
    }

    /// The digest of name, description and schema, 64 hex digits: another version of the tool has
    /// another one.
    pub fn version(&self) -> String {
        let parts = serde_json::json!([self.name, self.description, self.parameters]);
        HEXLOWER.encode(&Sha256::digest(parts.to_string()))
    }

    /// True if the tool declares that it changes nothing.
    pub fn is_read_only(&self) -> bool {
        self.capabilities.contains(&Capability::ReadOnly)
    }

    /// True if the tool declares the capability, or declares nothing at all.
    pub fn may_be(&self, capability: Capability) -> bool {
        self.capabilities.is_empty() || self.capabilities.contains(&capability)
    }

    /// Checks the name, that a deadline leaves time, and that there are the arguments of a command.
    ///
    /// # Errors
    /// `invalid_argument` that names the key.
    pub fn check(&self) -> Result<(), Error> {
        ToolSpec::check_name(&self.name)?;
        if self.timeout_ms == Some(0) {
            let text = format!(
                "`timeout_ms` of the tool `{}` is 0; give at least 1, or leave it out",
                self.name
            );
            return Err(Error::new(Code::InvalidArgument, text));
        }
        self.check_shell()
    }

    fn check_shell(&self) -> Result<(), Error> {
        let bad = |why: String| {
            let text = format!("the tool `{}`: {why}", self.name);
            Err(Error::new(Code::InvalidArgument, text))
        };
        let more = [("shell_cwd", &self.shell_cwd), ("shell_stdin", &self.shell_stdin)];
        if self.shell_command.is_none()
            && let Some((key, _)) = more.iter().find(|(_, argument)| argument.is_some())
        {
            return bad(format!("`{key}` is of no use without `shell_command`"));
        }
        let named = std::iter::once(("shell_command", &self.shell_command)).chain(more);
        let Some(properties) = self.parameters["properties"].as_object() else { return Ok(()) };
        for (key, argument) in named {
            if let Some(argument) = argument
                && !properties.contains_key(argument)
            {
                let known = properties.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
                return bad(format!(
                    "`{key}` names `{}`, which is no parameter; there are: {known}",
                    crate::limits::echo(argument)
                ));
            }
        }
        Ok(())
    }

    /// Checks a tool name or alias.
    pub fn check_name(name: &str) -> Result<(), Error> {
        let mut bytes = name.bytes();
        let starts_well = bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
        if starts_well
            && name.len() <= 64
            && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        {
            return Ok(());
        }
        Err(Error::new(
            Code::InvalidArgument,
            format!(
                "tool name `{}` is not usable: start with a letter or `_`, go on with letters, \
                 digits, `_` or `-`, at most 64 characters in all",
                crate::limits::echo(name)
            ),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Says hello.
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Hello {
        /// Whom to greet.
        name: String,
    }

    #[test]
    fn an_argument_struct_gives_description_and_schema() {
        let spec = ToolSpec::of::<Hello>("hello");
        assert_eq!(spec.description, "Says hello.");
        assert_eq!(spec.parameters["properties"]["name"]["description"], "Whom to greet.");
        assert_eq!(spec.parameters["required"], json!(["name"]));
    }

    #[test]
    fn names_must_suit_every_provider() {
        for good in ["a", "read_file", "mcp_x__y-z", "Read"] {
            assert!(ToolSpec::check_name(good).is_ok(), "{good}");
        }
        for bad in ["", "1a", "a b", "a.b", "é", &"x".repeat(65), "a\0"] {
            assert!(ToolSpec::check_name(bad).is_err(), "{bad}");
        }
    }
}
