//! The shared vectors through the Rust API.

use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use toolkeep::scrub::Scrubber;
use toolkeep::tool::Arguments;
use toolkeep::{
    CallContext, CallRequest, Caller, CheckOptions, Code, Config, DefinitionOptions, Error,
    Runtime, ScrubOptions, Tool, ToolError, ToolResult, ToolSpec,
};
use toolkeep_vectors::{Face, Raised, run};

type Handler = fn(Value, CallContext) -> BoxFuture<'static, Result<Value, ToolError>>;

/// A tool of the host, as every runner registers it.
struct HostTool {
    spec: ToolSpec,
    handler: Handler,
}

impl Tool for HostTool {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn call(&self, args: Value, cx: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
        async move { ToolResult::from_value((self.handler)(args, cx).await?) }.boxed()
    }
}

fn host_tools() -> Vec<HostTool> {
    let any = json!({ "type": "object" });
    let one = |name: &str, kind: &str| {
        json!({
            "type": "object",
            "properties": { name: { "type": kind } },
            "required": [name],
            "additionalProperties": false
        })
    };
    let tool = |name: &str, parameters: Value, reads: bool, handler: Handler| {
        let capabilities: &[&str] = if reads { &["read-only"] } else { &[] };
        let spec = json!({
            "name": name, "description": "A tool of the host.", "parameters": parameters,
            "capabilities": capabilities
        });
        HostTool { spec: ToolSpec::from_value(&spec).unwrap(), handler }
    };
    vec![
        tool("host_echo", one("text", "string"), true, |args, _| {
            async move { Ok(args["text"].clone()) }.boxed()
        }),
        tool("host_data", any.clone(), false, |args, _| {
            async move { Ok(json!({ "echo": args })) }.boxed()
        }),
        tool("host_none", any.clone(), false, |_, _| async { Ok(Value::Null) }.boxed()),
        tool("host_fail", one("message", "string"), false, |args, _| {
            let message = args["message"].as_str().unwrap().to_owned();
            async move { Err(ToolError::failed(message)) }.boxed()
        }),
        tool("host_refuse", any.clone(), false, |_, _| {
            async { Err(ToolError::new(Code::Conflict, "The thing has changed.")) }.boxed()
        }),
        tool("host_sleep", one("ms", "integer"), true, |args, _| {
            let pause = Duration::from_millis(args["ms"].as_u64().unwrap());
            async move {
                tokio::time::sleep(pause).await;
                Ok(json!("slept"))
            }
            .boxed()
        }),
        tool("host_whole", any.clone(), false, |_, _| {
            let whole = json!({
                "for_llm": "for the model", "for_user": "for the user", "silent": true
            });
            async move { Ok(whole) }.boxed()
        }),
        tool("host_bad", any.clone(), false, |_, _| async { Ok(json!({ "for_llm": 5 })) }.boxed()),
        tool("host_context", any, false, |_, cx| {
            let Caller { tenant, agent, session, channel_type, depth, parent, tools, .. } =
                cx.caller().clone();
            let answer = json!({
                "tenant": tenant, "agent": agent, "session": session, "depth": depth,
                "channel_type": channel_type, "parent": parent.and_then(|one| one.agent),
                "tools": tools,
            });
            async move { Ok(answer) }.boxed()
        }),
    ]
}

/// A tool that takes a command, and tells how it would run it.
fn plans() -> HostTool {
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
    HostTool {
        spec: ToolSpec::from_value(&spec).unwrap(),
        handler: |_, cx| async move { Ok(json!({ "plan": cx.plan() })) }.boxed(),
    }
}

struct RustFace {
    tokio: tokio::runtime::Runtime,
    rt: Runtime,
}

impl Face for RustFace {
    fn open(config: &Value) -> Result<RustFace, Raised> {
        let tokio = tokio::runtime::Runtime::new().unwrap();
        let config = Config::from_value(config.clone()).map_err(raised)?;
        let rt = tokio.block_on(Runtime::builder().config(config).build()).map_err(raised)?;
        for tool in host_tools().into_iter().chain([plans()]) {
            rt.register(tool).map_err(raised)?;
        }
        Ok(RustFace { tokio, rt })
    }

    fn step(&mut self, verb: &str, input: &Value) -> Result<Value, Raised> {
        self.tokio.block_on(step(&self.rt, verb, input)).map_err(raised)
    }
}

/// Scrubs a text: whole, or in pieces of so many bytes.
fn scrubbed(scrubber: &Scrubber, text: &str, chunk: Option<u64>) -> String {
    let Some(size) = chunk.and_then(|size| usize::try_from(size).ok()) else {
        return scrubber.scrub(text).into_owned();
    };
    let mut stream = scrubber.stream();
    let mut masked: Vec<u8> =
        text.as_bytes().chunks(size).flat_map(|piece| stream.push(piece)).collect();
    masked.extend(stream.finish());
    String::from_utf8(masked).unwrap()
}

async fn step(rt: &Runtime, verb: &str, input: &Value) -> Result<Value, Error> {
    let text = |key: &str| input[key].as_str().unwrap().to_owned();
    match verb {
        "scrub" if input.get("options").is_none() => Ok(json!(toolkeep::scrub(&text("text")))),
        "scrub" => {
            let scrubber = ScrubOptions::from_value(&input["options"])?.build()?;
            Ok(json!(scrubbed(&scrubber, &text("text"), input["chunk"].as_u64())))
        }
        "findings" => {
            let scrubber = ScrubOptions::from_value(&input["options"])?.build()?;
            Ok(json!(scrubber.findings(&text("text"))))
        }
        "check" => {
            let options = input.get("options").unwrap_or(&Value::Null);
            let options = CheckOptions::from_value(options)?;
            Ok(json!(toolkeep::check_command(&text("command"), &options)))
        }
        "close" => rt.close().await.map(|()| Value::Null),
        "invoke" => rt.invoke(&text("operation"), input["args"].clone()).await,
        "unregister" => rt.registry().unregister(&text("tool")).map(|()| Value::Null),
        "register" => {
            let spec = ToolSpec::from_value(&input["spec"])?;
            let handler: Handler = |args, _| async { Ok(args) }.boxed();
            rt.register(HostTool { spec, handler }).map(|()| Value::Null)
        }
        _ => {
            let context = input.get("context").cloned().unwrap_or_else(|| json!({}));
            let cx = CallContext::from(Caller::from_value(&context)?);
            governed(rt, &cx, verb, input).await
        }
    }
}

async fn governed(
    rt: &Runtime,
    cx: &CallContext,
    verb: &str,
    input: &Value,
) -> Result<Value, Error> {
    let text = |key: &str| input[key].as_str().unwrap().to_owned();
    match verb {
        "call" => {
            let args = match &input["args"] {
                Value::String(text) => Arguments::from(text.as_str()),
                value => Arguments::from(value.clone()),
            };
            rt.call(cx, &text("tool"), args).await.map(|result| json!(result))
        }
        "call_all" => {
            let requests: Vec<CallRequest> =
                serde_json::from_value(input["requests"].clone()).unwrap();
            rt.call_all(cx, requests).await.map(|answers| json!(answers))
        }
        "definitions" | "definitions_report" => {
            let strict = input.get("strict").cloned().unwrap_or_default();
            let options = json!({ "dialect": input["dialect"], "strict": strict });
            let options = DefinitionOptions::from_value(&options)?;
            let definitions = rt.definitions(cx, options).await?;
            Ok(if verb == "definitions" { json!(definitions.tools) } else { json!(*definitions) })
        }
        "explain" => rt.explain(cx, &text("tool")).await.map(|why| json!(why)),
        _ => panic!("no such verb: {verb}"),
    }
}

fn raised(error: Error) -> Raised {
    Raised { code: error.code().name().into(), message: error.message().into() }
}

#[test]
fn the_shared_vectors_hold_in_rust() {
    if let Err(failures) = run::<RustFace>("rust") {
        panic!("{failures}");
    }
}
