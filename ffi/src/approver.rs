//! The `approve` function that a C host brings.

use std::ffi::c_void;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use toolkeep::{ApprovalAnswer, ApprovalRequest, Approver, CallContext, Code, Error};

use crate::callback::{UserData, toolkeep_destroy_fn};
use crate::error::toolkeep_error;
use crate::guard::guard;
use crate::runtime::{Host, toolkeep_runtime};
use crate::tool::{Run, ask, toolkeep_tool_fn};

struct HostApprover {
    run: Run,
    data: Arc<UserData>,
}

impl Approver for HostApprover {
    fn approve(
        &self,
        request: ApprovalRequest,
        cx: CallContext,
    ) -> BoxFuture<'_, Result<Option<ApprovalAnswer>, Error>> {
        Box::pin(async move {
            let internal = |why: String| Error::new(Code::Internal, why);
            let request =
                serde_json::to_value(request).map_err(|error| internal(error.to_string()))?;
            let answer = ask(self.run, &self.data, &request, &cx).await;
            ApprovalAnswer::from_value(&answer.map_err(|error| internal(error.message))?)
        })
    }
}

/// Sets the function that is asked if a call needs approval. It replaces the one before. NULL
/// removes it.
///
/// `approve` is called like a tool's function. The arguments of its invocation are the request:
/// `id`, `tool`, `description`, `arguments` (unmasked, with secrets), `reasons`, `plan`,
/// `proposals` (rules that may be kept, so that such calls do not ask again), `agent`, `user`,
/// `session`, `expires_at_ms`. It ends the invocation with `true`, `false`, `null` to leave the
/// decision to others, or an object: `allow`, and optionally `by`, `reason`, `edited` (other
/// arguments) and `always` (the number of a proposal). The first decision counts, wherever it comes
/// from. toolkeep_invocation_is_cancelled() and toolkeep_invocation_on_cancel() tell when nobody
/// waits for this one any more. Any other answer, a rejection, or none denies the call: the
/// approval's `reason` says why, and the model does not learn it.
///
/// `approve` gets `user_data`, which any thread must be able to use. `destroy`, which may be NULL,
/// releases it: after another function was set or the runtime was freed, once the last `approve`
/// has returned; or before this function returns an error. Callbacks may call this function.
///
/// Returns NULL, or an error that the host owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_runtime_set_approver(
    runtime: *const toolkeep_runtime,
    approve: toolkeep_tool_fn,
    user_data: *mut c_void,
    destroy: toolkeep_destroy_fn,
) -> *mut toolkeep_error {
    let data = Arc::new(UserData::new(user_data, destroy));
    guard(move || {
        // SAFETY: the host gives NULL or a handle that it has not freed.
        let host = unsafe { Host::look(runtime) }?;
        host.core.set_approver(approve.map(|run| Arc::new(HostApprover { run, data }) as _));
        Ok(())
    })
}
