//! The shared vectors through the C ABI: nothing here reaches the core but the exports.

use std::ffi::{CStr, c_void};
use std::ptr::null_mut;
use std::time::Duration;

use serde_json::{Value, json};
use toolkeep_vectors::{Face, Raised, run};

use crate::call::{
    toolkeep_call, toolkeep_call_all, toolkeep_definitions, toolkeep_definitions_report,
    toolkeep_explain,
};
use crate::code::TOOLKEEP_CONFLICT;
use crate::command::toolkeep_check_command;
use crate::error::{
    toolkeep_error, toolkeep_error_free, toolkeep_error_message, toolkeep_error_name,
};
use crate::invocation::{
    toolkeep_invocation, toolkeep_invocation_args, toolkeep_invocation_context,
    toolkeep_invocation_plan, toolkeep_invocation_reject, toolkeep_invocation_resolve,
};
use crate::invoke::toolkeep_invoke;
use crate::runtime::{
    toolkeep_runtime, toolkeep_runtime_close, toolkeep_runtime_free, toolkeep_runtime_open,
};
use crate::scrub::toolkeep_scrub;
use crate::scrubber::{
    toolkeep_scrub_stream_finish, toolkeep_scrub_stream_free, toolkeep_scrub_stream_push,
    toolkeep_scrubber_findings, toolkeep_scrubber_free, toolkeep_scrubber_new,
    toolkeep_scrubber_scrub, toolkeep_scrubber_stream,
};
use crate::string::{toolkeep_str, toolkeep_string, toolkeep_string_free, toolkeep_string_str};
use crate::tool::{toolkeep_tool_register, toolkeep_tool_unregister};

/// What a host tool of the vectors does, as a C host would write it.
type Handler = fn(*mut toolkeep_invocation, Value);

struct CFace {
    runtime: *mut toolkeep_runtime,
}

impl Drop for CFace {
    fn drop(&mut self) {
        // SAFETY: the handle is freed once.
        unsafe { toolkeep_runtime_free(self.runtime) };
    }
}

impl Face for CFace {
    fn open(config: &Value) -> Result<CFace, Raised> {
        let mut runtime = null_mut();
        let config = config.to_string();
        // SAFETY: both arguments are good.
        checked(unsafe { toolkeep_runtime_open(lend(&config), &mut runtime) })?;
        let face = CFace { runtime };
        for (spec, handler) in host_tools().into_iter().chain([plans()]) {
            face.register(&spec, handler)?;
        }
        Ok(face)
    }

    fn step(&mut self, verb: &str, input: &Value) -> Result<Value, Raised> {
        let rt = self.runtime;
        let text = |key: &str| input[key].as_str().unwrap().to_owned();
        let context = input.get("context").map(Value::to_string).unwrap_or_default();
        let context = lend(&context);
        let mut out = null_mut();
        // SAFETY: the runtime is open, the texts live as long as the calls, the handlers are ours.
        let error = unsafe {
            match verb {
                "call" => {
                    let args = match &input["args"] {
                        Value::String(text) => text.clone(),
                        value => value.to_string(),
                    };
                    toolkeep_call(rt, context, lend(&text("tool")), lend(&args), &mut out)
                }
                "call_all" => {
                    let requests = input["requests"].to_string();
                    toolkeep_call_all(rt, context, lend(&requests), &mut out)
                }
                "definitions" | "definitions_report" => {
                    let (dialect, strict) = (&input["dialect"], &input["strict"]);
                    let options = json!({ "dialect": dialect, "strict": strict }).to_string();
                    let plain = strict.is_null() && dialect.is_string();
                    let options = if plain { text("dialect") } else { options };
                    let define = match verb {
                        "definitions" => toolkeep_definitions,
                        _ => toolkeep_definitions_report,
                    };
                    define(rt, context, lend(&options), &mut out)
                }
                "explain" => toolkeep_explain(rt, context, lend(&text("tool")), &mut out),
                "invoke" => {
                    let args = input.get("args").map(Value::to_string).unwrap_or_default();
                    toolkeep_invoke(rt, lend(&text("operation")), lend(&args), &mut out)
                }
                "scrub" if input.get("options").is_none() => {
                    checked(toolkeep_scrub(lend(&text("text")), &mut out))?;
                    return Ok(json!(taken(out)));
                }
                "check" => {
                    let options = input.get("options").map(Value::to_string).unwrap_or_default();
                    toolkeep_check_command(lend(&text("command")), lend(&options), &mut out)
                }
                "scrub" | "findings" => return scrubbed(verb, input),
                "register" => {
                    self.register(&input["spec"], resolve)?;
                    return Ok(Value::Null);
                }
                "unregister" => toolkeep_tool_unregister(rt, lend(&text("tool"))),
                "close" => toolkeep_runtime_close(rt),
                _ => panic!("no such verb: {verb}"),
            }
        };
        checked(error)?;
        if out.is_null() {
            return Ok(Value::Null);
        }
        Ok(serde_json::from_str(&taken(out)).unwrap())
    }
}

/// What a scrubber of its own makes of a text: whole, or in pieces of so many bytes.
fn scrubbed(verb: &str, input: &Value) -> Result<Value, Raised> {
    let (options, text) = (input["options"].to_string(), input["text"].as_str().unwrap());
    let options = if input["options"].is_null() { String::new() } else { options };
    let (mut scrubber, mut out) = (null_mut(), null_mut());
    // SAFETY: the texts live as long as the calls, and each handle is freed once, at the end.
    unsafe {
        checked(toolkeep_scrubber_new(lend(&options), &mut scrubber))?;
        let answer = if verb == "findings" {
            checked(toolkeep_scrubber_findings(scrubber, lend(text), &mut out))?;
            serde_json::from_str(&taken(out)).unwrap()
        } else if let Some(size) = input["chunk"].as_u64() {
            let mut stream = null_mut();
            checked(toolkeep_scrubber_stream(scrubber, &mut stream))?;
            let mut masked = Vec::new();
            for piece in text.as_bytes().chunks(usize::try_from(size).unwrap()) {
                let piece = toolkeep_str { ptr: piece.as_ptr(), len: piece.len() };
                checked(toolkeep_scrub_stream_push(stream, piece, &mut out))?;
                masked.extend(taken_bytes(out));
            }
            checked(toolkeep_scrub_stream_finish(stream, &mut out))?;
            masked.extend(taken_bytes(out));
            toolkeep_scrub_stream_free(stream);
            json!(String::from_utf8(masked).unwrap())
        } else {
            checked(toolkeep_scrubber_scrub(scrubber, lend(text), &mut out))?;
            // Nothing means that the text is good as it is.
            json!(if out.is_null() { text.to_owned() } else { taken(out) })
        };
        toolkeep_scrubber_free(scrubber);
        Ok(answer)
    }
}

impl CFace {
    fn register(&self, spec: &Value, handler: Handler) -> Result<(), Raised> {
        let spec = spec.to_string();
        let data = Box::into_raw(Box::new(handler)).cast::<c_void>();
        // SAFETY: the runtime is open, and the data is what `run` and `destroy` expect.
        checked(unsafe {
            toolkeep_tool_register(self.runtime, lend(&spec), Some(run_tool), data, Some(destroy))
        })
    }
}

unsafe extern "C" fn run_tool(data: *mut c_void, invocation: *mut toolkeep_invocation) {
    // SAFETY: `register` gave this data, and `destroy` has not run.
    let handler = unsafe { *data.cast::<Handler>() };
    // SAFETY: the invocation has not been ended.
    let args = copied(unsafe { toolkeep_invocation_args(invocation) });
    handler(invocation, serde_json::from_str(&args).unwrap());
}

unsafe extern "C" fn destroy(data: *mut c_void) {
    // SAFETY: `register` made this box, and this is called once.
    drop(unsafe { Box::from_raw(data.cast::<Handler>()) });
}

/// The schema of a tool that takes one field.
fn one(name: &str, kind: &str) -> Value {
    json!({
        "type": "object",
        "properties": { name: { "type": kind } },
        "required": [name],
        "additionalProperties": false
    })
}

fn host_tools() -> Vec<(Value, Handler)> {
    let any = json!({ "type": "object" });
    let tool = |name: &str, parameters: Value, reads: bool, handler: Handler| {
        let capabilities: &[&str] = if reads { &["read-only"] } else { &[] };
        let spec = json!({
            "name": name, "description": "A tool of the host.", "parameters": parameters,
            "capabilities": capabilities
        });
        (spec, handler)
    };
    vec![
        tool("host_echo", one("text", "string"), true, |invocation, args| {
            resolve(invocation, args["text"].clone());
        }),
        tool("host_data", any.clone(), false, |invocation, args| {
            resolve(invocation, json!({ "echo": args }));
        }),
        tool("host_none", any.clone(), false, |invocation, _| {
            // SAFETY: the invocation has not been ended.
            unsafe { toolkeep_invocation_resolve(invocation, toolkeep_str::EMPTY) };
        }),
        tool("host_fail", one("message", "string"), false, |invocation, args| {
            let message = lend(args["message"].as_str().unwrap());
            // SAFETY: the invocation has not been ended.
            unsafe { toolkeep_invocation_reject(invocation, 0, message) };
        }),
        tool("host_refuse", any.clone(), false, |invocation, _| {
            let message = lend("The thing has changed.");
            // SAFETY: the invocation has not been ended.
            unsafe { toolkeep_invocation_reject(invocation, TOOLKEEP_CONFLICT, message) };
        }),
        tool("host_sleep", one("ms", "integer"), true, |invocation, args| {
            let invocation = invocation as usize;
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(args["ms"].as_u64().unwrap()));
                resolve(invocation as *mut toolkeep_invocation, json!("slept"));
            });
        }),
        tool("host_whole", any.clone(), false, |invocation, _| {
            let whole = json!({
                "for_llm": "for the model", "for_user": "for the user", "silent": true
            });
            resolve(invocation, whole);
        }),
        tool("host_bad", any.clone(), false, |invocation, _| {
            resolve(invocation, json!({ "for_llm": 5 }));
        }),
        tool("host_context", any, false, |invocation, _| {
            // SAFETY: the invocation has not been ended.
            let context = copied(unsafe { toolkeep_invocation_context(invocation) });
            let context: Value = serde_json::from_str(&context).unwrap();
            let answer = json!({
                "tenant": context["tenant"], "agent": context["agent"],
                "session": context["session"], "depth": context["depth"],
                "channel_type": context["channel_type"], "tools": context["tools"],
                "parent": context["parent"]["agent"],
            });
            resolve(invocation, answer);
        }),
    ]
}

/// A tool that takes a command, and tells how it would run it.
fn plans() -> (Value, Handler) {
    let text = json!({ "type": "string" });
    let spec = json!({
        "name": "host_plan", "description": "A tool of the host.",
        "parameters": {
            "type": "object",
            "properties": {
                "command": { "type": ["string", "array"] }, "folder": text, "input": text
            },
            "additionalProperties": false
        },
        "shell_command": "command", "shell_cwd": "folder", "shell_stdin": "input"
    });
    (spec, |invocation, _| {
        // SAFETY: the invocation has not been ended.
        let plan = copied(unsafe { toolkeep_invocation_plan(invocation) });
        let plan = if plan.is_empty() { "null" } else { &plan };
        let plan: Value = serde_json::from_str(plan).unwrap();
        resolve(invocation, json!({ "plan": plan }));
    })
}

fn resolve(invocation: *mut toolkeep_invocation, value: Value) {
    let text = value.to_string();
    // SAFETY: the invocation has not been ended.
    unsafe { toolkeep_invocation_resolve(invocation, lend(&text)) };
}

fn lend(text: &str) -> toolkeep_str {
    toolkeep_str { ptr: text.as_ptr(), len: text.len() }
}

fn copied(text: toolkeep_str) -> String {
    if text.ptr.is_null() {
        return String::new();
    }
    // SAFETY: the text was lent by an export that has not taken it back.
    let bytes = unsafe { std::slice::from_raw_parts(text.ptr, text.len) };
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Copies a string and frees it.
fn taken(string: *mut toolkeep_string) -> String {
    // SAFETY: the string is ours and is freed once.
    unsafe {
        let text = copied(toolkeep_string_str(string));
        toolkeep_string_free(string);
        text
    }
}

/// The bytes of a string, which is freed.
fn taken_bytes(string: *mut toolkeep_string) -> Vec<u8> {
    // SAFETY: the string is ours and is freed once, after its bytes were copied.
    unsafe {
        let toolkeep_str { ptr, len } = toolkeep_string_str(string);
        let bytes = std::slice::from_raw_parts(ptr, len).to_vec();
        toolkeep_string_free(string);
        bytes
    }
}

/// Takes an error apart and frees it.
fn checked(error: *mut toolkeep_error) -> Result<(), Raised> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: the error is ours and is freed once.
    unsafe {
        let code = CStr::from_ptr(toolkeep_error_name(error)).to_str().unwrap().to_owned();
        let message = CStr::from_ptr(toolkeep_error_message(error)).to_str().unwrap().to_owned();
        toolkeep_error_free(error);
        Err(Raised { code, message })
    }
}

#[test]
fn the_shared_vectors_hold_through_the_c_abi() {
    if let Err(failures) = run::<CFace>("c") {
        panic!("{failures}");
    }
}
