//! Tools, and other handlers, that are written in Python.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;
use pyo3::prelude::*;
use pyo3::types::PyString;
use serde_json::Value;
use tokio::sync::oneshot;
use toolkeep::{CallContext, Code, Tool, ToolError, ToolResult, ToolSpec};

use crate::json::{self, TooDeep};

type Outcome = Result<Value, ToolError>;

/// What Python put into a call's context; its tools get it back.
pub struct Host(pub Py<PyAny>);

/// A tool that Python does. `start(invocation)` must return at once; it gives a function that
/// cancels what it started, or None.
pub struct HostTool {
    spec: ToolSpec,
    start: Py<PyAny>,
}

impl HostTool {
    /// A tool of that description.
    pub fn new(spec: ToolSpec, start: Py<PyAny>) -> HostTool {
        HostTool { spec, start }
    }
}

impl Tool for HostTool {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn call(&self, args: Value, cx: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
        Box::pin(async move { ToolResult::from_value(ask(&self.start, args, cx).await?) })
    }
}

/// Asks Python for a value: starts an invocation and waits for its answer.
pub async fn ask(start: &Py<PyAny>, args: Value, cx: CallContext) -> Outcome {
    let (answer, answered) = oneshot::channel();
    let began = Python::try_attach(|py| {
        begin(py, start, args, cx, answer).map_err(|error| error.to_string())
    });
    let _cancel = match began {
        Some(Ok(cancel)) => cancel,
        Some(Err(why)) => return Err(ToolError::failed(why)),
        None => return Err(stopped()),
    };
    answered.await.unwrap_or_else(|_| Err(stopped()))
}

fn begin(
    py: Python<'_>,
    start: &Py<PyAny>,
    args: Value,
    cx: CallContext,
    answer: oneshot::Sender<Outcome>,
) -> PyResult<Cancel> {
    let invocation = Invocation { args, cx, answer: Mutex::new(Some(answer)) };
    let cancel = start.call1(py, (invocation,))?;
    Ok(Cancel((!cancel.is_none(py)).then_some(cancel)))
}

/// The failure of a tool whose task was ended from outside.
fn stopped() -> ToolError {
    let text = "The tool was stopped before it had an answer, because its host is shutting down.";
    ToolError::new(Code::Cancelled, text)
}

/// Tells Python to stop when nobody waits for the tool any more. It is told after an answer as
/// well, and then has nothing to do.
struct Cancel(Option<Py<PyAny>>);

impl Drop for Cancel {
    fn drop(&mut self) {
        if let Some(cancel) = self.0.take() {
            Python::try_attach(|py| {
                if let Err(error) = cancel.call0(py) {
                    error.write_unraisable(py, Some(cancel.bind(py)));
                }
                drop(cancel);
            });
        }
    }
}

/// One call of a tool that is written in Python. It is answered once, from any thread, with
/// `resolve` or `reject`; later answers are ignored.
#[pyclass(frozen, module = "toolkeep._toolkeep")]
pub struct Invocation {
    args: Value,
    cx: CallContext,
    answer: Mutex<Option<oneshot::Sender<Outcome>>>,
}

impl Invocation {
    fn answer(&self, outcome: Outcome) {
        let sender = self.answer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(sender) = sender {
            // Refused only if nobody waits any more.
            let _ = sender.send(outcome);
        }
    }
}

#[pymethods]
impl Invocation {
    /// The arguments, checked against the tool's schema.
    #[getter]
    fn args<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::to_python(py, &self.args)
    }

    /// Who calls: the fields of a `Caller`.
    #[getter]
    fn caller<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let caller = serde_json::to_value(self.cx.caller()).unwrap_or_default();
        json::to_python(py, &caller)
    }

    /// How the command of the call is to be run, if it brings one along.
    #[getter]
    fn plan<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let plan = serde_json::to_value(self.cx.plan()).unwrap_or_default();
        json::to_python(py, &plan)
    }

    /// What the caller passed as `host`.
    #[getter]
    fn host(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        let slot: &Arc<_> = self.cx.host_slot()?;
        slot.downcast_ref::<Host>().map(|host| host.0.clone_ref(py))
    }

    /// True once the call was cancelled, ran out of time, or was given up.
    #[getter]
    fn cancelled(&self) -> bool {
        self.cx.cancellation().is_cancelled()
    }

    /// Answers with the tool's return value.
    #[pyo3(signature = (value, /))]
    fn resolve(&self, value: &Bound<'_, PyAny>) {
        let outcome = match json::from_python(value, TooDeep::Refuse) {
            Ok(value) => Ok(value),
            Err(why) => {
                let text = format!(
                    "The tool returned {}, which is not JSON: {}. Return text, None, or JSON data.",
                    json::kind(value),
                    why.message("result")
                );
                Err(ToolError::new(Code::InvalidResult, text))
            }
        };
        self.answer(outcome);
    }

    /// Answers with a failure. A code that is not a model's to see becomes `tool_failed`.
    #[pyo3(signature = (code, message, /))]
    fn reject(&self, code: &Bound<'_, PyString>, message: &Bound<'_, PyString>) {
        let known = Code::from_name(&code.to_string_lossy()).filter(|code| code.number() < 40);
        let code = known.unwrap_or(Code::ToolFailed);
        self.answer(Err(ToolError::new(code, message.to_string_lossy())));
    }
}
