//! The control plane: every operation by name, JSON in and JSON out.

use std::ffi::c_void;

use serde_json::Value;
use toolkeep::{Code, Error, Runtime};

use crate::callback::{UserData, required, toolkeep_destroy_fn};
use crate::error::toolkeep_error;
use crate::guard::guard;
use crate::handle::Out;
use crate::input;
use crate::operation::{self, toolkeep_done_fn, toolkeep_operation};
use crate::runtime::{Host, toolkeep_runtime};
use crate::string::{self, toolkeep_str, toolkeep_string};

/// Runs an operation of the control plane, such as `agents.put`, and waits for the result. The
/// reference lists them all.
///
/// `args_json` is a JSON object; empty means no arguments. On success `*result` is JSON, owned by
/// the host: release it with toolkeep_string_free().
///
/// Fails in callbacks with `TOOLKEEP_WOULD_BLOCK`. Returns NULL, or an error that the host owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_invoke(
    runtime: *const toolkeep_runtime,
    operation_name: toolkeep_str,
    args_json: toolkeep_str,
    result: *mut *mut toolkeep_string,
) -> *mut toolkeep_error {
    guard(|| {
        // SAFETY: the host gives NULL or a handle that it has not freed.
        let host = unsafe { Host::look(runtime) }?;
        // SAFETY: the host gives NULL or a place to write to.
        let result = unsafe { Out::new(result) }?;
        // SAFETY: the host lends the texts for the length of this call.
        let (name, args) = unsafe {
            (operation_name.text("operation_name")?, input::json(args_json, "args_json")?)
        };
        string::put(result, host.wait(invoke(&host.core, name, args))?);
        Ok(())
    })
}

/// Starts an operation of the control plane; `done` gets the result, as toolkeep_invoke()
/// describes it.
///
/// `done`, `user_data`, `destroy` and `operation` are as in toolkeep_call_async(); the host owns a
/// handle in `*operation`. A cancellation does not undo finished work. Callbacks may call this
/// function.
///
/// Returns NULL, or an error that the host owns; then `done` is never called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_invoke_async(
    runtime: *const toolkeep_runtime,
    operation_name: toolkeep_str,
    args_json: toolkeep_str,
    done: toolkeep_done_fn,
    user_data: *mut c_void,
    destroy: toolkeep_destroy_fn,
    operation: *mut *mut toolkeep_operation,
) -> *mut toolkeep_error {
    let data = UserData::new(user_data, destroy);
    guard(move || {
        // SAFETY: the host gives NULL or a handle that it has not freed.
        let host = unsafe { Host::look(runtime) }?;
        let done = required(done, "done")?;
        // SAFETY: the host lends the texts for the length of this call.
        let (name, args) = unsafe {
            (operation_name.text("operation_name")?, input::json(args_json, "args_json")?)
        };
        let (core, name) = (host.core.clone(), name.to_owned());
        // SAFETY: the host gives NULL or a place to write to.
        unsafe {
            operation::start(host, done, data, operation, |cancellation| async move {
                let work = invoke(&core, &name, args);
                cancellation.run_until_cancelled(work).await.unwrap_or_else(|| {
                    let text = format!("`{name}` was cancelled by its caller");
                    Err(Error::new(Code::Cancelled, text))
                })
            });
        }
        Ok(())
    })
}

async fn invoke(core: &Runtime, name: &str, args: Value) -> Result<String, Error> {
    input::text_of(&core.invoke(name, args).await?)
}
