//! Calls, and what can be known of them before they are made.

use std::ffi::c_void;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;
use toolkeep::tool::Arguments;
use toolkeep::{
    CallContext, CallRequest, Code, DefinitionOptions, Definitions, Error, Runtime, strict,
};

use crate::callback::{UserData, required, toolkeep_destroy_fn};
use crate::error::toolkeep_error;
use crate::guard::guard;
use crate::handle::Out;
use crate::input;
use crate::operation::{self, toolkeep_done_fn, toolkeep_operation};
use crate::runtime::{Host, toolkeep_runtime};
use crate::string::{self, toolkeep_str, toolkeep_string};

/// Calls a tool and waits for the result.
///
/// `context_json` describes the caller: an object with any of `tenant`, `agent`, `user`, `session`,
/// `parent` (an object like this one), `tools`, `timeout_ms`, …; empty means the default tenant and
/// nothing else. `args_json` is the JSON object of arguments as the model wrote it. Invalid JSON is
/// the model's mistake, and the result says so. On success `*result` is the result as JSON, owned
/// by the host: release it with toolkeep_string_free(). It has the keys `for_llm`, `for_user`,
/// `is_error`, `code`, `rule`, `retry_after_ms`, `silent`, `is_async`, `media`, `structured`,
/// `artifact`, `repairs`, `approval`, `cached`, `call_id`, `duration_us`, and others. A mistake of
/// the model is a result with `is_error`, not an error.
///
/// Fails in callbacks with `TOOLKEEP_WOULD_BLOCK`. Returns NULL, or an error that the host owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_call(
    runtime: *const toolkeep_runtime,
    context_json: toolkeep_str,
    name: toolkeep_str,
    args_json: toolkeep_str,
    result: *mut *mut toolkeep_string,
) -> *mut toolkeep_error {
    guard(|| {
        // SAFETY: the host gives NULL or a handle that it has not freed.
        let host = unsafe { Host::look(runtime) }?;
        // SAFETY: the host gives NULL or a place to write to.
        let result = unsafe { Out::new(result) }?;
        // SAFETY: the host lends the texts for the length of this call.
        let (cx, name, args) = unsafe {
            (input::context(context_json)?, name.text("name")?, args_json.text("args_json")?)
        };
        #[cfg(feature = "bench")]
        if crate::empty_core::is_meant(name) {
            let work = empty_call(&host.core, &cx, name, args.to_owned());
            string::put(result, host.wait(work)?);
            return Ok(());
        }
        string::put(result, host.wait(call(&host.core, &cx, name, args.to_owned()))?);
        Ok(())
    })
}

/// Starts calling a tool; `done` gets the result, as toolkeep_call() describes it.
///
/// `done` may not be NULL and gets `user_data`. `destroy`, which may be NULL, releases it after
/// that, or before this function returns an error. If `operation` is not NULL, `*operation` is set
/// to a handle that the host owns: release it with toolkeep_operation_free(). It is set before
/// `done` can run. Callbacks may call this function.
///
/// Returns NULL, or an error that the host owns; then `done` is never called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_call_async(
    runtime: *const toolkeep_runtime,
    context_json: toolkeep_str,
    name: toolkeep_str,
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
        let (cx, name, args) = unsafe {
            (input::context(context_json)?, name.text("name")?, args_json.text("args_json")?)
        };
        let (core, name, args) = (host.core.clone(), name.to_owned(), args.to_owned());
        #[cfg(feature = "bench")]
        if crate::empty_core::is_meant(&name) {
            // SAFETY: the host gives NULL or a place to write to.
            unsafe {
                operation::start(host, done, data, operation, |cancellation| async move {
                    empty_call(&core, &cx.with_cancellation(cancellation), &name, args).await
                });
            }
            return Ok(());
        }
        // SAFETY: the host gives NULL or a place to write to.
        unsafe {
            operation::start(host, done, data, operation, |cancellation| async move {
                call(&core, &cx.with_cancellation(cancellation), &name, args).await
            });
        }
        Ok(())
    })
}

async fn call(core: &Runtime, cx: &CallContext, name: &str, args: String) -> Result<String, Error> {
    input::text_of(&core.call(cx, name, Arguments::Text(args)).await?)
}

#[cfg(feature = "bench")]
async fn empty_call(
    core: &Runtime,
    cx: &CallContext,
    name: &str,
    args: String,
) -> Result<String, Error> {
    input::text_of(&crate::empty_core::call(core, cx, name, Arguments::Text(args)).await?)
}

/// Makes the calls of one model turn and waits for all of them. Independent calls run side by side,
/// the rest in order.
///
/// `requests_json` is an array of `{"id", "name", "arguments"}`, where `arguments` is an object, or
/// its JSON text in a string. On success `*answers` is an array of `{"id", "result"}` in the same
/// order, owned by the host: release it with toolkeep_string_free(). Every request is answered.
///
/// Fails in callbacks with `TOOLKEEP_WOULD_BLOCK`. Returns NULL, or an error that the host owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_call_all(
    runtime: *const toolkeep_runtime,
    context_json: toolkeep_str,
    requests_json: toolkeep_str,
    answers: *mut *mut toolkeep_string,
) -> *mut toolkeep_error {
    guard(|| {
        // SAFETY: the host gives NULL or a handle that it has not freed.
        let host = unsafe { Host::look(runtime) }?;
        // SAFETY: the host gives NULL or a place to write to.
        let answers = unsafe { Out::new(answers) }?;
        // SAFETY: the host lends the texts for the length of this call.
        let (cx, requests) =
            unsafe { (input::context(context_json)?, requests_json.text("requests_json")?) };
        let requests = call_requests(requests)?;
        let made = host.wait(host.core.call_all(&cx, requests))?;
        string::put(answers, input::text_of(&made)?);
        Ok(())
    })
}

/// A request whose arguments are not looked at yet: it is the core that refuses those that are
/// too deep or too large, call by call, so that no sibling is lost.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request<'t> {
    id: String,
    name: String,
    #[serde(borrow, default)]
    arguments: Option<&'t RawValue>,
}

fn call_requests(text: &str) -> Result<Vec<CallRequest>, Error> {
    let invalid = |code: Code, why: String| Error::new(code, format!("`requests_json`: {why}"));
    // Broken text is told before a wrong shape, whatever comes first in it.
    serde_json::from_str::<IgnoredAny>(text)
        .map_err(|error| invalid(Code::InvalidJson, format!("it is not valid JSON: {error}")))?;
    let requests: Vec<Request<'_>> = serde_json::from_str(text).map_err(|error| {
        let shape = "expected an array of objects with `id`, `name`, `arguments`";
        invalid(Code::InvalidArgument, format!("{error}; {shape}"))
    })?;
    Ok(requests.into_iter().map(Request::into_call).collect())
}

impl Request<'_> {
    fn into_call(self) -> CallRequest {
        let arguments = match self.arguments.map(RawValue::get) {
            None => Value::Null,
            // A string holds the JSON text as the model wrote it; so does the raw text of any
            // other value.
            Some(raw) => serde_json::from_str(raw)
                .ok()
                .filter(Value::is_string)
                .unwrap_or_else(|| Value::String(raw.to_owned())),
        };
        CallRequest { id: self.id, name: self.name, arguments }
    }
}

/// Returns the definitions of the tools that this caller may call, for a model request.
///
/// `dialect` is `openai`, `openai-responses`, `anthropic`, `gemini`, `mcp` or `json-schema`; or an
/// object, `{"dialect": "openai", "strict": true}`, for the strict form, which the provider makes
/// its model follow exactly. On success `*definitions` is a JSON array, the same bytes every time,
/// owned by the host: release it with toolkeep_string_free().
///
/// Fails in callbacks with `TOOLKEEP_WOULD_BLOCK`. Returns NULL, or an error that the host owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_definitions(
    runtime: *const toolkeep_runtime,
    context_json: toolkeep_str,
    dialect: toolkeep_str,
    definitions: *mut *mut toolkeep_string,
) -> *mut toolkeep_error {
    // SAFETY: what the host promises is the same.
    unsafe { define(runtime, context_json, dialect, definitions, |all| Ok(all.text().to_owned())) }
}

/// Returns the definitions as toolkeep_definitions() does, and the tools that are left out of them.
///
/// On success `*report` is a JSON object, owned by the host: `dialect`, `strict`, `tools` (the
/// definitions), `quarantined` (`[{"tool", "dialect", "reason", "path"}]`: tools whose schemas the
/// provider does not accept) and `deferred` (the names of those that `tool_search` finds). Release
/// it with toolkeep_string_free().
///
/// Fails in callbacks with `TOOLKEEP_WOULD_BLOCK`. Returns NULL, or an error that the host owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_definitions_report(
    runtime: *const toolkeep_runtime,
    context_json: toolkeep_str,
    dialect: toolkeep_str,
    report: *mut *mut toolkeep_string,
) -> *mut toolkeep_error {
    // SAFETY: what the host promises is the same.
    unsafe { define(runtime, context_json, dialect, report, input::text_of) }
}

/// # Safety
/// As [`toolkeep_definitions`].
unsafe fn define(
    runtime: *const toolkeep_runtime,
    context_json: toolkeep_str,
    dialect: toolkeep_str,
    out: *mut *mut toolkeep_string,
    render: impl FnOnce(&Definitions) -> Result<String, Error>,
) -> *mut toolkeep_error {
    guard(|| {
        // SAFETY: the host gives NULL or a handle that it has not freed.
        let host = unsafe { Host::look(runtime) }?;
        // SAFETY: the host gives NULL or a place to write to.
        let out = unsafe { Out::new(out) }?;
        // SAFETY: the host lends the texts for the length of this call.
        let (cx, dialect) = unsafe { (input::context(context_json)?, dialect.text("dialect")?) };
        let options = match dialect.trim_start().starts_with('{') {
            true => strict::parse(dialect).map_err(|error| {
                let text = format!("`dialect` is not valid JSON: {error}");
                Error::new(Code::InvalidJson, text)
            })?,
            false => Value::from(dialect),
        };
        let options = DefinitionOptions::from_value(&options)?;
        string::put(out, render(&*host.wait(host.core.definitions(&cx, options))?)?);
        Ok(())
    })
}

/// Says whether this caller may call a tool, and which rule decides, without running anything.
///
/// On success `*explanation` is a JSON object with `tool`, `allowed`, `code`, `rule`, `steps`, …,
/// owned by the host: release it with toolkeep_string_free().
///
/// Fails in callbacks with `TOOLKEEP_WOULD_BLOCK`. Returns NULL, or an error that the host owns:
/// `TOOLKEEP_NOT_FOUND` for an unknown tool.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_explain(
    runtime: *const toolkeep_runtime,
    context_json: toolkeep_str,
    name: toolkeep_str,
    explanation: *mut *mut toolkeep_string,
) -> *mut toolkeep_error {
    guard(|| {
        // SAFETY: the host gives NULL or a handle that it has not freed.
        let host = unsafe { Host::look(runtime) }?;
        // SAFETY: the host gives NULL or a place to write to.
        let explanation = unsafe { Out::new(explanation) }?;
        // SAFETY: the host lends the texts for the length of this call.
        let (cx, name) = unsafe { (input::context(context_json)?, name.text("name")?) };
        let explained = host.wait(host.core.explain(&cx, name))?;
        string::put(explanation, input::text_of(&explained)?);
        Ok(())
    })
}
