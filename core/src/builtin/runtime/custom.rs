//! What runs a tool that an owner made of a command.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::Value;

use super::carried::carried_out;
use super::exec_request::temp_of;
use super::report::render_for_owner;
use crate::builtin::Deps;
use crate::custom::Definition;
use crate::error::Code;
use crate::exec::environment::Variables;
use crate::exec::sandbox::CommandOwner;
use crate::exec::{Console, ExecRequest, sealed};
use crate::policy::NetworkPermit;
use crate::secret::KeyRing;
use crate::tool::{CallContext, Tool, ToolError, ToolResult, ToolSpec};

/// A tool that an owner made of a command.
struct Custom {
    deps: Deps,
    keys: Option<Arc<KeyRing>>,
    made_of: Arc<Definition>,
}

/// Makes a tool of what an owner defined.
pub(crate) fn tool(
    deps: &Deps,
    keys: Option<Arc<KeyRing>>,
    made_of: &Arc<Definition>,
) -> Arc<dyn Tool> {
    Arc::new(Custom { deps: deps.clone(), keys, made_of: made_of.clone() })
}

impl Tool for Custom {
    fn spec(&self) -> ToolSpec {
        self.made_of.spec()
    }

    // A secret in a command would stand in the list of processes.
    fn keeps_placeholders(&self) -> bool {
        true
    }

    fn confines(&self) -> bool {
        self.deps.host.confines()
    }

    fn call(&self, _: Value, cx: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
        async move { self.run(&cx).await }.boxed()
    }
}

impl Custom {
    async fn run(&self, cx: &CallContext) -> Result<ToolResult, ToolError> {
        let deps = &self.deps;
        let plan = cx.plan().ok_or_else(|| {
            ToolError::new(Code::Internal, "The command was not judged, so it has not run.")
        })?;
        self.check_network(cx)?;
        if self.made_of.row.working_dir.is_none() {
            // Without a workspace there is no folder to run in, as for files.
            deps.files.check_workspace(cx)?;
        }
        let variables = self.variables(cx).await?;
        let caller = cx.caller();
        let places = deps.files.places(caller)?;
        // Where its owner has it start, it may look around.
        let start = self.made_of.row.working_dir.as_ref().map(|_| &plan.cwd);
        let visible = places.readable.iter().chain(&places.writable);
        let visible = visible.chain(&plan.confinement.read).chain(start);
        let session = deps.sessions.key(caller);
        let limit = self.made_of.timeout_within(caller.timeout_ms.map(Duration::from_millis));
        let request = ExecRequest {
            run: plan.run.clone(),
            cwd: PathBuf::from(&plan.cwd),
            held_to: plan.confinement.clone(),
            visible: visible.map(PathBuf::from).collect(),
            variables,
            input: Vec::new(),
            nested: Default::default(),
            console: Console::Once,
            session: temp_of(caller, session.as_deref()),
            opened: None,
            isolated: None,
            owner: CommandOwner::of(caller, session, &places),
            timeout: limit,
        };
        render_for_owner(carried_out(deps, request, cx).await?, limit, cx)
    }

    /// Refuses a network that its sandbox cannot give it. Without it, it would do something else.
    fn check_network(&self, cx: &CallContext) -> Result<(), ToolError> {
        let sandbox = &self.deps.host.config().sandbox;
        let row = &self.made_of.row;
        if !sandbox.is_for(cx.caller().agent.as_deref()) || !row.permit.has_network() {
            return Ok(());
        }
        let what = match &row.permit.network {
            _ if sandbox.has_no_network() => {
                "its sandbox has none (`exec.sandbox.network` is `none`). The owner can name a network \
                 of the Docker Engine there, or define the tool without `network`"
            }
            NetworkPermit::Hosts(_) => {
                "a container cannot be held to some hosts. The owner can define the tool with \
                 `network = true`, which gives it all of `exec.sandbox.network`, or without `network`"
            }
            NetworkPermit::All(_) => return Ok(()),
        };
        let name = &row.key.name;
        let text = format!(
            "`{name}` has not run: its owner has declared a `network` for it, and {what}. You cannot \
             mend that; tell the user."
        );
        Err(ToolError::new(Code::Unavailable, text).by_rule("exec.sandbox.network"))
    }

    /// The variables that the owner has sealed for it, masked in the texts of the call from now on.
    /// Without them it does not run: with the wrong environment it would do something else.
    async fn variables(&self, cx: &CallContext) -> Result<Variables, ToolError> {
        let row = &self.made_of.row;
        if row.env_names.is_empty() {
            return Ok(Variables::new());
        }
        let name = &row.key.name;
        let stored = self.deps.store.get_custom_tool(&row.key).await.map_err(ToolError::raise)?;
        // Another version may have another command, for which other values are meant.
        let Some(stored) = stored.filter(|stored| stored.tool.version == row.version) else {
            let text = format!("`{name}` was changed at this moment. Look at it, and call again.");
            return Err(ToolError::new(Code::Conflict, text));
        };
        let unreadable = |why: String| {
            tracing::error!(tool = name, %why, "the environment of a custom tool cannot be opened");
            let text = format!(
                "The environment of `{name}` cannot be opened, so it has not run. Tell the user: the \
                 owner must give it again, or the key under which it was sealed."
            );
            ToolError::new(Code::SecretUnreadable, text)
        };
        let (keys, envelope) = (self.keys.as_deref(), stored.env.unwrap_or_default());
        let opened = row.key.place(|place| sealed::opened(keys, place, &envelope, cx));
        opened.map_err(unreadable)
    }
}
