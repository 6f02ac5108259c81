//! Tools and handlers that are written in JavaScript.
//!
//! Everything that goes to JavaScript goes through one function of the runtime's, [`Dispatch`], in
//! order: run a tool, cancel a run, forget a tool. The answer of a run comes back as a plain call,
//! [`Host::answer`], whenever the tool is done; one that comes too late finds nobody waiting.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use napi::Status;
use napi::bindgen_prelude::FnArgs;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use serde_json::Value;
use tokio::sync::oneshot;
use toolkeep::{CallContext, Code, Error, JsonHandler, Tool, ToolError, ToolResult, ToolSpec};

use crate::json;

/// What JavaScript is asked to do.
pub enum Message {
    /// Run a tool, and answer under that number.
    Run { run: u32, tool: u32, slot: u32, args: String, caller: String, plan: Option<String> },
    /// Nobody waits for that run any more.
    Cancel { run: u32 },
    /// The tool is gone.
    Forget { tool: u32 },
}

/// `kind`, then the numbers and texts of the message: see `dispatch` in `lib/tools.cjs`.
pub type Parts = FnArgs<(u32, u32, u32, u32, Option<String>, Option<String>, Option<String>)>;

/// The way into JavaScript. Weak: tools that wait for calls do not keep the process alive.
pub type Dispatch = ThreadsafeFunction<Message, (), Parts, Status, false, true>;

impl Message {
    /// The arguments of the JavaScript function.
    pub fn into_parts(self) -> Parts {
        match self {
            Message::Run { run, tool, slot, args, caller, plan } => {
                (0, run, tool, slot, Some(args), Some(caller), plan).into()
            }
            Message::Cancel { run } => (1, run, 0, 0, None, None, None).into(),
            Message::Forget { tool } => (2, 0, tool, 0, None, None, None).into(),
        }
    }
}

/// How a tool ended.
enum Answer {
    /// It returned this, as JSON text.
    Returned(String),
    /// It threw.
    Threw(ToolError),
}

/// The JavaScript side of one runtime.
pub struct Host {
    dispatch: Dispatch,
    waiting: Mutex<HashMap<u32, oneshot::Sender<Answer>>>,
    last_run: AtomicU32,
}

impl Host {
    pub fn new(dispatch: Dispatch) -> Host {
        Host { dispatch, waiting: Mutex::default(), last_run: AtomicU32::new(0) }
    }

    /// Takes the answer of a run: JSON text, or with a code the message of what it threw.
    pub fn answer(&self, run: u32, code: Option<&str>, text: String) {
        let Some(receiver) = self.waiting().remove(&run) else { return };
        let answer = match code {
            None => Answer::Returned(text),
            Some(name) => Answer::Threw(ToolError::new(code_of_a_tool(name), text)),
        };
        let _late = receiver.send(answer);
    }

    fn send(&self, message: Message) -> bool {
        self.dispatch.call(message, ThreadsafeFunctionCallMode::NonBlocking) == Status::Ok
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<u32, oneshot::Sender<Answer>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A tool may choose among the codes that a model is told; any other is its failure.
fn code_of_a_tool(name: &str) -> Code {
    let is_models = |code: &Code| code.number() < Code::InvalidConfig.number();
    Code::from_name(name).filter(is_models).unwrap_or(Code::ToolFailed)
}

/// A tool of the host's.
pub struct HostTool {
    host: Arc<Host>,
    number: u32,
    spec: ToolSpec,
}

impl HostTool {
    pub fn new(host: Arc<Host>, number: u32, spec: ToolSpec) -> HostTool {
        HostTool { host, number, spec }
    }
}

impl Tool for HostTool {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn call(&self, args: Value, cx: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
        Box::pin(async move {
            let gone = || gone(&self.spec.name);
            ToolResult::from_value(run(&self.host, self.number, &args, &cx, gone).await?)
        })
    }
}

/// Runs the function of that number, and gives what it returned.
async fn run(
    host: &Host,
    number: u32,
    args: &Value,
    cx: &CallContext,
    gone: impl Fn() -> ToolError,
) -> Result<Value, ToolError> {
    let (run, answer) = Run::new(host);
    let slot = cx.host_slot().and_then(|slot| slot.downcast_ref::<u32>());
    let message = Message::Run {
        run: run.number,
        tool: number,
        slot: slot.copied().unwrap_or(0),
        args: json::write(args).map_err(ToolError::raise)?,
        caller: json::write(cx.caller()).map_err(ToolError::raise)?,
        plan: cx.plan().map(json::write).transpose().map_err(ToolError::raise)?,
    };
    if !host.send(message) {
        return Err(gone());
    }
    match answer.await {
        Ok(Answer::Returned(text)) => {
            json::parse(&text).map_err(|error| ToolError::new(Code::InvalidResult, error.message()))
        }
        Ok(Answer::Threw(error)) => Err(error),
        Err(_) => Err(gone()),
    }
}

/// A handler of the host's.
pub struct HostHandler {
    host: Arc<Host>,
    number: u32,
}

impl HostHandler {
    pub fn new(host: Arc<Host>, number: u32) -> HostHandler {
        HostHandler { host, number }
    }
}

impl JsonHandler for HostHandler {
    fn handle(&self, request: Value, cx: CallContext) -> BoxFuture<'_, Result<Value, Error>> {
        Box::pin(async move {
            let gone = || ToolError::failed("the JavaScript that it is written in has ended");
            let answer = run(&self.host, self.number, &request, &cx, gone).await;
            answer.map_err(|error| Error::new(Code::Internal, error.message))
        })
    }
}

impl Drop for HostHandler {
    fn drop(&mut self) {
        self.host.send(Message::Forget { tool: self.number });
    }
}

impl Drop for HostTool {
    fn drop(&mut self) {
        self.host.send(Message::Forget { tool: self.number });
    }
}

fn gone(name: &str) -> ToolError {
    let text = format!("`{name}` cannot run: the JavaScript that it is written in has ended.");
    ToolError::new(Code::Unavailable, text)
}

/// A run that is waited for. Dropping it before the answer came cancels it in JavaScript.
struct Run<'h> {
    host: &'h Host,
    number: u32,
}

impl Run<'_> {
    fn new(host: &Host) -> (Run<'_>, oneshot::Receiver<Answer>) {
        let (sender, receiver) = oneshot::channel();
        let mut waiting = host.waiting();
        // After four billion runs the numbers begin anew; one that still waits is stepped over.
        let number = loop {
            let number = host.last_run.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
            if !waiting.contains_key(&number) {
                break number;
            }
        };
        waiting.insert(number, sender);
        (Run { host, number }, receiver)
    }
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        let unanswered = self.host.waiting().remove(&self.number).is_some();
        if unanswered {
            self.host.send(Message::Cancel { run: self.number });
        }
    }
}

/// The way into a JavaScript function.
pub fn dispatch(
    function: &napi::bindgen_prelude::Function<'_, Parts, ()>,
) -> napi::Result<Dispatch> {
    function
        .build_threadsafe_function::<Message>()
        .weak::<true>()
        .build_callback(|cx| Ok(cx.value.into_parts()))
}
