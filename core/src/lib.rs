//! Toolkeep: the governed tool layer for LLM agents, as an embedded library.
//!
//! An agent program hands every tool call that its model makes to a [`Runtime`]. Toolkeep decides
//! whether the call may run, runs it confined, masks secrets in the result, and hands back what the
//! model may see.
//!
//! - [`runtime`]: open, call, close; the configuration
//! - [`tool`]: write tools of your own
//! - [`handler`]: answer what toolkeep asks its host
//! - [`call`]: the path that each call takes
//! - [`policy`]: who may call what
//! - [`shell`]: what a command of a shell does, and whether it may
//! - [`secret`]: how secrets are kept at rest, and the key they need
//! - [`vault`]: where a masked secret may be put back
//! - [`store`]: where state is kept, and how to bring a store of your own
//! - [`ops`]: the control plane

pub mod call;
pub mod clis;
pub mod clock;
pub mod error;
pub mod event;
pub mod exec;
pub mod files;
pub mod handler;
pub mod id;
pub mod kind;
pub mod limits;
pub mod nearest;
pub mod ops;
pub mod policy;
pub mod runtime;
pub mod secret;
pub mod store;
pub mod strict;
pub mod tool;
pub mod vault;
pub mod workspace;

mod artifacts;
mod body;
mod builtin;
mod catch_panic;
mod commands;
mod custom;
mod deadlines;
mod detached;
mod fingerprint;
mod fork;
mod joint;
mod scrubbers;
#[cfg(test)]
mod soak;
mod system;
mod terminal;
mod upkeep;

pub use toolkeep_scrub as scrub;
pub use toolkeep_shell as shell;

pub use call::{
    ApprovalAnswer, ApprovalRequest, Approve, CallAnswer, CallRequest, Explanation, TurnCall,
};
pub use error::{Code, Error};
pub use event::Event;
pub use handler::{Handler, HandlerKind, JsonHandler, handler_fn};
pub use runtime::{
    CheckOptions, Config, EventStream, Follow, ModesAlone, Runtime, RuntimeBuilder, ScrubOptions,
    check_command, scrub, scrub_bytes,
};
pub use tool::{
    CallContext, Caller, DefinitionOptions, Definitions, Dialect, Registration, Tool, ToolError,
    ToolResult, ToolSpec, tool_fn,
};
pub use upkeep::Retention;
