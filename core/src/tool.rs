//! What a tool is, how it is described, and the registry that knows them all.
//!
//! A tool is anything that implements [`Tool`]: toolkeep's own, the host's, in time MCP's. The
//! shortest way to one is [`tool_fn`]: an argument struct gives name, schema and docs, a closure
//! does the work.
//!
//! ```
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//! use toolkeep::tool::{ToolResult, tool_fn};
//!
//! /// Adds two numbers.
//! #[derive(Deserialize, JsonSchema)]
//! struct Add {
//!     /// The first.
//!     a: i64,
//!     /// The second.
//!     b: i64,
//! }
//!
//! let add = tool_fn("add", |args: Add, _cx| async move {
//!     Ok(ToolResult::text((args.a + args.b).to_string()))
//! });
//! ```

mod arguments;
mod context;
mod deferred;
mod definitions;
mod dialect;
pub mod foreign;
mod function;
mod refusal;
mod registry;
mod repair;
mod result;
mod schema;
mod search;
mod sessions;
mod spec;

pub use arguments::Arguments;
pub use context::{CallContext, Caller};
pub(crate) use context::{MOST_PARENTS, check_agent_type};
pub use definitions::{DefinitionOptions, Definitions, DefinitionsConfig, Quarantined};
pub use dialect::{Dialect, Unfit};
pub use function::{FnTool, tool_fn};
pub use refusal::ToolError;
pub use registry::{
    Alias, Entry, Found, Registered, Registration, Registries, Registry, Snapshot, ToolInfo,
};
pub(crate) use registry::{Layer, no_clone};
pub(crate) use repair::{Names, type_name, unfenced};
pub use repair::{Repair, RepairKind};
pub use result::{Media, ToolResult};
pub use schema::Schema;
pub use sessions::Sessions;
pub use spec::{ToolSpec, Touch};

pub(crate) use deferred::{Deferred, Offered, SEARCH};
pub(crate) use definitions::DefinitionCache;
pub(crate) use search::tokens;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::Value;

use crate::kind::{Effect, Resource};

/// Something a model can call.
///
/// One instance serves all calls at once: whatever varies from call to call comes in the
/// [`CallContext`]. Toolkeep validates the arguments against [`ToolSpec::parameters`] before
/// `assess` and `call` see them, and contains a panic in either.
pub trait Tool: Send + Sync + 'static {
    /// Name, description, schema and metadata. Read once, when the tool is registered.
    fn spec(&self) -> ToolSpec;

    /// What a call with these arguments would touch, and the tool's own verdict on it. Pure: no
    /// I/O, no side effect. It may be asked more than once. By default nothing is declared, and
    /// the tool's capabilities decide.
    fn assess(&self, args: &Value, cx: &CallContext) -> Assessment {
        let _ = (args, cx);
        Assessment::default()
    }

    /// What the state that a call with these arguments would read is known by, if it can be told
    /// without reading it all. Asked of calls that only read, so that one that would read the same
    /// again need not run. By default what [`assess`](Tool::assess) declares is trusted: nobody but
    /// other calls of the same runtime changes it.
    fn stamp<'c>(&'c self, args: &'c Value, cx: &'c CallContext) -> BoxFuture<'c, Stamp> {
        let _ = (args, cx);
        std::future::ready(Stamp::Declared).boxed()
    }

    /// True if a placeholder in the arguments reaches the tool as it is, and no secret is put back
    /// in its place: to a tool that hands a text on, it is part of that text. By default secrets
    /// are put back where they are bound to, and a call that would take one elsewhere is refused.
    fn keeps_placeholders(&self) -> bool {
        false
    }

    /// True if the tool runs its command as [`CallContext::plan`] says, held to what that allows by
    /// the system. Then a command that nobody can be asked about may run, and gets no network.
    fn confines(&self) -> bool {
        false
    }

    /// The command of a shell that the argument named by
    /// [`shell_command`](ToolSpec::shell_command) comes to, where it is none itself: code of a
    /// language, say. By default the argument is the command.
    fn shell_text(&self, args: &Value) -> Option<String> {
        let _ = args;
        None
    }

    /// Does the work. Dropping the future cancels it; `cx.cancellation()` fires then, too.
    fn call(&self, args: Value, cx: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>>;
}

/// How what a call reads is told from what it was earlier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stamp {
    /// It is the same while no call of the runtime writes what the call declares to read.
    #[default]
    Declared,
    /// Besides, it is the same while this text is the same.
    At(String),
    /// Nobody can tell: the call runs each time.
    Never,
}

/// What a tool says of a call before it runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Assessment {
    /// What the call touches, and how. Empty: undeclared.
    pub touches: Vec<(Effect, Resource)>,
    /// Why the call must not run, as a text for the model. None: the tool has no objection.
    pub objection: Option<String>,
    /// Why somebody has to approve the call, as a text for that person. None: as far as the tool
    /// is concerned nobody has to.
    pub ask: Option<String>,
    /// What the call comes to, for whoever approves it; part of what the approval is bound to.
    pub plan: Option<Value>,
}

impl Assessment {
    /// A call that only looks at one resource.
    pub fn reads(resource: Resource) -> Assessment {
        Assessment { touches: vec![(Effect::Read, resource)], ..Assessment::default() }
    }

    /// A call that changes one resource.
    pub fn writes(resource: Resource) -> Assessment {
        Assessment { touches: vec![(Effect::Write, resource)], ..Assessment::default() }
    }

    /// The same, wanting somebody's approval, and why.
    #[must_use]
    pub fn asks(self, why: impl Into<String>) -> Assessment {
        Assessment { ask: Some(why.into()), ..self }
    }

    /// A call that the tool refuses, and why.
    pub fn refuses(objection: impl Into<String>) -> Assessment {
        Assessment { objection: Some(objection.into()), ..Assessment::default() }
    }
}
