//! Tools that a C host brings.

use std::ffi::c_void;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio::runtime::Handle;
use toolkeep::{CallContext, Registration, Tool, ToolError, ToolResult, ToolSpec};

use crate::callback::{UserData, required, toolkeep_destroy_fn};
use crate::error::toolkeep_error;
use crate::guard::guard;
use crate::input;
use crate::invocation::{Invocation, toolkeep_invocation};
use crate::runtime::{Host, toolkeep_runtime};
use crate::string::toolkeep_str;

/// The function of a tool. From now on the host owns `invocation`. It ends it exactly once, with
/// toolkeep_invocation_resolve() or toolkeep_invocation_reject(): within this function or after it
/// has returned, from any thread.
///
/// It runs on a thread of toolkeep's that may block. Several calls run it several times at once. It
/// must not call toolkeep's blocking functions; those that end in _async are fine. A C++ exception
/// must not leave it.
pub type toolkeep_tool_fn =
    Option<unsafe extern "C" fn(user_data: *mut c_void, invocation: *mut toolkeep_invocation)>;

pub(crate) type Run = unsafe extern "C" fn(*mut c_void, *mut toolkeep_invocation);

struct HostTool {
    spec: ToolSpec,
    run: Run,
    data: Arc<UserData>,
}

impl Tool for HostTool {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn call(&self, args: Value, cx: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
        async move { ToolResult::from_value(ask(self.run, &self.data, &args, &cx).await?) }.boxed()
    }
}

/// Has the host answer an invocation: on a thread that may block, or later, from any thread.
pub(crate) async fn ask(
    run: Run,
    data: &Arc<UserData>,
    args: &Value,
    cx: &CallContext,
) -> Result<Value, ToolError> {
    let data = data.clone();
    let threads = Handle::current();
    let (invocation, answer) = Invocation::new(args, cx, threads.clone());
    let asked = invocation.clone();
    threads.spawn_blocking(move || {
        if let Some((_kept, handle)) = asked.begin() {
            // SAFETY: the host registered both for this.
            unsafe { run(data.pointer(), handle) };
        }
    });
    // If this future is dropped here, the host is told.
    let _abandon = invocation.abandon_on_drop();
    answer.await.unwrap_or_else(|_| Err(ToolError::failed("The tool ended without an answer.")))
}

/// Registers a tool of the host's.
///
/// `spec_json` is an object: `name`, `description` for the model, `parameters` (a JSON Schema), and
/// optionally `group`, `capabilities` (`["read-only"]`, …), `timeout_ms`, `touches` (`[{"argument",
/// "resource", "effect"}]`), `channels`, `argument_aliases`, `polling`, `needs_approval`, `taints`,
/// `action`, `original_name`, `shell_command` (the argument that is a shell command, which is then
/// judged first), `shell_cwd` and `shell_stdin`. `run` may not be NULL and gets `user_data`, which
/// any thread must be able to use. `destroy`, which may be NULL, releases it: after the tool is
/// unregistered or the runtime freed, once the last `run` has returned; or before this function
/// returns an error. Callbacks may call this function.
///
/// Returns NULL, or an error that the host owns: `TOOLKEEP_NAME_TAKEN`, or
/// `TOOLKEEP_INVALID_ARGUMENT` for an unusable name or schema.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_tool_register(
    runtime: *const toolkeep_runtime,
    spec_json: toolkeep_str,
    run: toolkeep_tool_fn,
    user_data: *mut c_void,
    destroy: toolkeep_destroy_fn,
) -> *mut toolkeep_error {
    // SAFETY: what the host promises is the same.
    unsafe { add(runtime, spec_json, run, UserData::new(user_data, destroy), false) }
}

/// Registers a tool like toolkeep_tool_register(), but may replace another tool of the same name,
/// whose aliases it takes over, or an alias. Running calls of the old tool go on. Callbacks may
/// call this function.
///
/// Returns NULL, or an error that the host owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_tool_replace(
    runtime: *const toolkeep_runtime,
    spec_json: toolkeep_str,
    run: toolkeep_tool_fn,
    user_data: *mut c_void,
    destroy: toolkeep_destroy_fn,
) -> *mut toolkeep_error {
    // SAFETY: what the host promises is the same.
    unsafe { add(runtime, spec_json, run, UserData::new(user_data, destroy), true) }
}

/// # Safety
/// As [`toolkeep_tool_register`].
unsafe fn add(
    runtime: *const toolkeep_runtime,
    spec_json: toolkeep_str,
    run: toolkeep_tool_fn,
    data: UserData,
    replace: bool,
) -> *mut toolkeep_error {
    let data = Arc::new(data);
    guard(move || {
        // SAFETY: the host gives NULL or a handle that it has not freed.
        let host = unsafe { Host::look(runtime) }?;
        let run = required(run, "run")?;
        // SAFETY: the host lends the text for the length of this call.
        let spec = ToolSpec::from_value(&unsafe { input::json(spec_json, "spec_json") }?)?;
        let registration = Registration::new(HostTool { spec, run, data });
        host.core.add(if replace { registration.replace() } else { registration }).map(|_| ())
    })
}

/// Removes a tool of any origin, with its aliases. Running calls go on. Callbacks may call this
/// function.
///
/// Returns NULL, or an error that the host owns: `TOOLKEEP_NOT_FOUND` if there is no such tool.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_tool_unregister(
    runtime: *const toolkeep_runtime,
    name: toolkeep_str,
) -> *mut toolkeep_error {
    guard(|| {
        // SAFETY: the host gives NULL or a handle that it has not freed.
        let host = unsafe { Host::look(runtime) }?;
        // SAFETY: the host lends the text for the length of this call.
        let name = unsafe { name.text("name") }?;
        host.core.unregister(name)
    })
}
