//! A registered tool, and how one is handed in.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ToolInfo;
use crate::error::Error;
use crate::kind::{Origin, Tier, ToolId};
use crate::tool::definitions::Views;
use crate::tool::{Schema, Tool, ToolSpec};

/// A registered tool.
#[derive(Clone)]
pub struct Entry {
    /// Its number within the snapshot, if its name is its own: see [`Tier`].
    pub id: ToolId,
    /// Where it comes from.
    pub origin: Origin,
    /// The digest of its name, description and schema: another version, another digest.
    pub version: Arc<str>,
    /// Its description, as it was when it was registered.
    pub spec: Arc<ToolSpec>,
    /// Its compiled argument schema.
    pub schema: Arc<Schema>,
    /// The tool itself.
    pub tool: Arc<dyn Tool>,
    /// False while it is switched off.
    pub enabled: bool,
    /// The definition of a tool that an owner made of a command. Whoever made the entry knows its type.
    pub(crate) definition: Option<Arc<dyn Any + Send + Sync>>,
    /// What was made of the description so far.
    pub(crate) views: Arc<Views>,
}

impl Entry {
    pub(super) fn new(registration: &Registration) -> Result<Entry, Error> {
        let spec = registration.tool.spec();
        spec.check()?;
        let schema = Schema::compile(&spec.name, &spec.parameters)?;
        Ok(Entry {
            id: ToolId(0),
            origin: registration.origin,
            version: spec.version().into(),
            spec: Arc::new(spec),
            schema: Arc::new(schema),
            tool: registration.tool.clone(),
            enabled: true,
            definition: None,
            views: Arc::default(),
        })
    }

    /// A tool that an owner made of a command.
    ///
    /// # Errors
    /// As a registration of it.
    pub(crate) fn custom(
        tool: Arc<dyn Tool>,
        definition: Arc<dyn Any + Send + Sync>,
        enabled: bool,
    ) -> Result<Entry, Error> {
        let registration = Registration::shared(tool).origin(Origin::Custom);
        Ok(Entry { definition: Some(definition), enabled, ..Entry::new(&registration)? })
    }

    /// True for a tool that an owner made of a command.
    pub(crate) fn is_custom(&self) -> bool {
        self.definition.is_some()
    }

    /// True if a call of it brings a command of a shell along, which is judged.
    pub(crate) fn brings_command(&self) -> bool {
        self.is_custom() || self.spec.shell_command.is_some()
    }

    /// True if it is toolkeep's own.
    pub fn is_builtin(&self) -> bool {
        self.origin == Origin::Builtin
    }

    pub(super) fn tier(&self) -> Tier {
        self.origin.tier()
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("name", &self.spec.name)
            .field("origin", &self.origin)
            .field("enabled", &self.enabled)
            .finish_non_exhaustive()
    }
}

/// A tool on its way into a registry.
///
/// ```
/// # use toolkeep::tool::{Registration, ToolResult, tool_fn};
/// # #[derive(serde::Deserialize, schemars::JsonSchema)]
/// # struct Empty {}
/// let tool = tool_fn("ping", |_: Empty, _| async { Ok(ToolResult::text("pong")) });
/// let registration = Registration::new(tool).replace();
/// ```
#[derive(Clone)]
#[must_use = "a registration does nothing until a registry gets it"]
pub struct Registration {
    pub(super) tool: Arc<dyn Tool>,
    pub(super) origin: Origin,
    pub(super) replace: bool,
}

impl Registration {
    /// A tool of the host's, under a name that is free.
    pub fn new(tool: impl Tool) -> Registration {
        Registration::shared(Arc::new(tool))
    }

    /// The same, for a tool that is shared.
    pub fn shared(tool: Arc<dyn Tool>) -> Registration {
        Registration { tool, origin: Origin::Host, replace: false }
    }

    /// Says where the tool comes from. Default: the host.
    pub fn origin(self, origin: Origin) -> Registration {
        Registration { origin, ..self }
    }

    /// Lets it take the place of what has its name in its tier: a tool, whose aliases it takes
    /// over and which stays switched off if it was, or an alias, which is dropped.
    pub fn replace(self) -> Registration {
        Registration { replace: true, ..self }
    }
}

/// What a registration came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Registered {
    /// The tool as it is listed now.
    pub tool: ToolInfo,
    /// The version of the tool whose place it took.
    pub replaced_version: Option<String>,
    /// The tool that its name was an alias of until now.
    pub dropped_alias_of: Option<String>,
}
