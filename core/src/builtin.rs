//! The built-in tools, one file per tool, in folders by tool group. Each is an argument struct and
//! a few lines into the room that does the work.

mod aliases;
mod automation;
mod fs;
mod runtime;
mod tool_search;

pub(crate) use aliases::aliases;
pub(crate) use runtime::custom::tool as custom_tool;

use std::sync::Arc;

use crate::call::{Finder, Output};
use crate::clis::Clis;
use crate::clock::Clock;
use crate::exec::{Background, Host};
use crate::files::Files;
use crate::scrubbers::Scrubbers;
use crate::store::Store;
use crate::tool::{Sessions, Tool};

/// What built-in tools work with.
#[derive(Clone)]
pub(crate) struct Deps {
    pub files: Files,
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub output: Output,
    pub sessions: Sessions,
    pub scrubbers: Arc<Scrubbers>,
    pub finder: Finder,
    pub host: Arc<Host>,
    pub background: Arc<Background>,
    pub clis: Arc<Clis>,
}

/// Every built-in tool.
pub(crate) fn tools(deps: &Deps) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(fs::read_file::tool(deps)),
        Arc::new(fs::write_file::tool(deps)),
        Arc::new(fs::edit::tool(deps)),
        Arc::new(fs::apply_patch::tool(deps)),
        Arc::new(fs::lock_paths::tool(deps)),
        Arc::new(fs::unlock_paths::tool(deps)),
        Arc::new(fs::list_files::tool(deps)),
        Arc::new(fs::workspace_dir::tool(deps)),
        Arc::new(fs::glob::tool(deps)),
        Arc::new(fs::search::tool(deps)),
        Arc::new(runtime::exec::tool(deps)),
        Arc::new(runtime::process::tool(deps)),
        Arc::new(runtime::execute_code::tool(deps)),
        Arc::new(runtime::credentialed::tool(deps)),
        Arc::new(automation::datetime::tool(deps)),
        Arc::new(tool_search::tool(deps)),
    ]
}
