//! Handlers that a C host brings.

use std::ffi::c_void;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::Value;
use toolkeep::{CallContext, Code, Error, JsonHandler};

use crate::callback::{UserData, toolkeep_destroy_fn};
use crate::error::toolkeep_error;
use crate::guard::guard;
use crate::runtime::{Host, toolkeep_runtime};
use crate::string::toolkeep_str;
use crate::tool::{Run, ask, toolkeep_tool_fn};

struct HostHandler {
    run: Run,
    data: Arc<UserData>,
}

impl JsonHandler for HostHandler {
    fn handle(&self, request: Value, cx: CallContext) -> BoxFuture<'_, Result<Value, Error>> {
        Box::pin(async move {
            let answer = ask(self.run, &self.data, &request, &cx).await;
            answer.map_err(|error| Error::new(Code::Internal, error.message))
        })
    }
}

/// Sets the handler of that name: host code that toolkeep asks. It takes the place of the function that
/// was set before. NULL takes it away.
///
/// toolkeep calls `handler` as it calls a tool's function: with an invocation. The invocation's arguments
/// are the request. The host resolves the invocation with the answer, at once or later, from any thread.
/// toolkeep_invocation_is_cancelled() and toolkeep_invocation_on_cancel() tell when nobody waits for the
/// answer any more.
///
/// `approve` decides a call that wants approval. Its request has `id`, `tool`, `description`, `arguments`
/// (with every secret in them), `reasons`, `plan`, `proposals` (what may be kept as a rule, so that it is
/// not asked again), `agent`, `user`, `session`, `expires_at_ms`. Its answer is `true`, `false`, an object
/// (`allow`; optional are `by`, `reason`, `edited` arguments, and `always`, the number of a proposal), or
/// `null` to leave the decision to others. The first decision counts, wherever it comes from. Any other
/// answer, a rejection, or none denies the call: the approval's `reason` says why, and the model does not
/// see it.
///
/// `handler` gets `user_data`, which any thread must be able to use. `destroy`, which may be NULL, releases
/// it: once another function was set, or the runtime was closed or freed, and the last `handler` has
/// returned; or before this function returns an error. For callbacks, too.
///
/// Returns NULL, or an error that the host owns: `TOOLKEEP_INVALID_ARGUMENT` for a name that no handler
/// has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_runtime_set_handler(
    runtime: *const toolkeep_runtime,
    name: toolkeep_str,
    handler: toolkeep_tool_fn,
    user_data: *mut c_void,
    destroy: toolkeep_destroy_fn,
) -> *mut toolkeep_error {
    let data = Arc::new(UserData::new(user_data, destroy));
    guard(move || {
        // SAFETY: the host gives NULL or a handle that it has not freed.
        let host = unsafe { Host::look(runtime) }?;
        // SAFETY: the host lends the text for the length of this call.
        let name = unsafe { name.text("name") }?;
        let handler = handler.map(|run| Arc::new(HostHandler { run, data }) as _);
        host.core.set_json_handler(name, handler)
    })
}
