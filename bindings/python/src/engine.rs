//! The core's runtime, as Python sees it.

use std::mem::ManuallyDrop;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::Value;
use toolkeep::secret::SecretString;
use toolkeep::tool::Arguments;
use toolkeep::{
    CallContext, CallRequest, Caller, Code, Config, DefinitionOptions, Error, Follow, Registration,
    Runtime, RuntimeBuilder, ToolSpec, TurnCall,
};

use crate::answer::Answer;
use crate::fault;
use crate::handler::HostHandler;
use crate::host_tool::{Host, HostTool};
use crate::job::Job;
use crate::json::{self, TooDeep};
use crate::process::Process;
use crate::scrubber;
use crate::stream::Stream;

/// A runtime. Everything that may take time is a `Job`.
#[pyclass(frozen, weakref, module = "toolkeep._toolkeep")]
pub struct Engine {
    runtime: ManuallyDrop<Runtime>,
    process: Arc<Process>,
}

#[pymethods]
impl Engine {
    /// Opens the runtime of a configuration. The value of the job is the engine.
    #[staticmethod]
    #[pyo3(signature = (config, key, /))]
    fn open(py: Python<'_>, config: &Bound<'_, PyAny>, key: Option<String>) -> PyResult<Job> {
        let process = Process::current(py)?;
        let config = json::from_python(config, TooDeep::Refuse)
            .map_err(|why| why.error("config", Code::InvalidConfig))
            .and_then(Config::from_value)
            .map_err(|error| fault::exception(py, &error))?;
        let key = key.map(SecretString::from);
        let builder = with_key(Runtime::builder().config(config), key);
        Ok(opening(process, async move { builder.build().await }))
    }

    /// Opens the runtime that a configuration file describes. The value of the job is the engine.
    #[staticmethod]
    #[pyo3(signature = (path, key, /))]
    fn open_file(py: Python<'_>, path: PathBuf, key: Option<String>) -> PyResult<Job> {
        let key = key.map(SecretString::from);
        let runtime = async move { with_key(Runtime::builder().file(&path)?, key).build().await };
        Ok(opening(Process::current(py)?, runtime))
    }

    /// Takes one call along the path. The value of the job is the result as a dict.
    #[pyo3(signature = (name, args, caller, host, /))]
    fn call(
        &self,
        py: Python<'_>,
        name: &Bound<'_, PyAny>,
        args: &Bound<'_, PyAny>,
        caller: &Bound<'_, PyDict>,
        host: Option<Py<PyAny>>,
    ) -> PyResult<Job> {
        let name = json::text(py, "name", name)?;
        let args = json::arguments("args", args)?;
        let cx = context(caller, host)?;
        #[cfg(feature = "bench")]
        if crate::empty_core::is_meant(&name) {
            return self.job(py, |runtime| async move {
                Answer::of(crate::empty_core::call(&runtime, &cx, &name, args).await?)
            });
        }
        self.job(py, |runtime| async move { Answer::of(runtime.call(&cx, &name, args).await?) })
    }

    /// Takes the calls of one model turn. The value of the job is a list of dicts.
    #[pyo3(signature = (requests, caller, host, /))]
    fn call_all(
        &self,
        py: Python<'_>,
        requests: &Bound<'_, PyList>,
        caller: &Bound<'_, PyDict>,
        host: Option<Py<PyAny>>,
    ) -> PyResult<Job> {
        let requests = call_requests(requests)?;
        let cx = context(caller, host)?;
        self.job(py, |runtime| async move { Answer::of(runtime.call_turn(&cx, requests).await?) })
    }

    /// The definitions of the tools that the caller may call; with `whole` also which are left out.
    #[pyo3(signature = (options, caller, whole, /))]
    fn definitions(
        &self,
        py: Python<'_>,
        options: &Bound<'_, PyDict>,
        caller: &Bound<'_, PyDict>,
        whole: bool,
    ) -> PyResult<Job> {
        let options = json::required("options", options)?;
        let cx = context(caller, None)?;
        self.job(py, move |runtime| async move {
            let options = DefinitionOptions::from_value(&options)?;
            let definitions = runtime.definitions(&cx, options).await?;
            if whole { Answer::of(&*definitions) } else { Answer::of(&definitions.tools) }
        })
    }

    /// Whether the caller may call the tool, and why.
    #[pyo3(signature = (tool, caller, /))]
    fn explain(
        &self,
        py: Python<'_>,
        tool: &Bound<'_, PyAny>,
        caller: &Bound<'_, PyDict>,
    ) -> PyResult<Job> {
        let tool = json::text(py, "tool", tool)?;
        let cx = context(caller, None)?;
        self.job(py, |runtime| async move { Answer::of(runtime.explain(&cx, &tool).await?) })
    }

    /// Runs an operation.
    #[pyo3(signature = (operation, args, /))]
    fn invoke(
        &self,
        py: Python<'_>,
        operation: &Bound<'_, PyAny>,
        args: &Bound<'_, PyAny>,
    ) -> PyResult<Job> {
        let operation = json::text(py, "operation", operation)?;
        let args = json::required("args", args)?;
        self.job(
            py,
            |runtime| async move { runtime.invoke(&operation, args).await.map(Answer::Json) },
        )
    }

    /// Follows the events of a tenant.
    #[pyo3(signature = (options, /))]
    fn follow(&self, py: Python<'_>, options: &Bound<'_, PyDict>) -> PyResult<Stream> {
        self.process.check(py)?;
        let options = json::required("options", options)?;
        let events = Follow::from_value(&options).and_then(|follow| self.runtime.follow(follow));
        let events = events.map_err(|error| fault::exception(py, &error))?;
        Ok(Stream::new(&self.process, events))
    }

    /// Ends the runtime, and lets go of the host's tools.
    fn close(&self, py: Python<'_>) -> PyResult<Job> {
        self.job(
            py,
            |runtime| async move { runtime.close().await.map(|()| Answer::Json(Value::Null)) },
        )
    }

    /// Ends the runtime in the background; the end of the interpreter waits for it, a bounded
    /// time.
    fn close_soon(&self) {
        if self.process.is_here() && !self.process.is_over() {
            close_in_background(&self.process, Runtime::clone(&self.runtime));
        }
    }

    /// True once it was closed.
    #[getter]
    fn closed(&self) -> bool {
        self.runtime.is_closed()
    }

    /// False in a child that was forked from the process of this runtime.
    #[getter]
    fn here(&self) -> bool {
        self.process.is_here()
    }

    /// Adds a tool, or puts it in the place of another. `start(invocation)` is called for each call
    /// and must return at once.
    #[pyo3(signature = (spec, start, replace, /))]
    fn register(
        &self,
        py: Python<'_>,
        spec: &Bound<'_, PyAny>,
        start: Py<PyAny>,
        replace: bool,
    ) -> PyResult<()> {
        self.process.check(py)?;
        let spec = ToolSpec::from_value(&json::required("spec", spec)?)
            .map_err(|error| fault::exception(py, &error))?;
        let mut registration = Registration::new(HostTool::new(spec, start));
        if replace {
            registration = registration.replace();
        }
        let added = py.detach(|| self.runtime.add(registration));
        added.map(|_| ()).map_err(|error| fault::exception(py, &error))
    }

    /// Sets the handler of that name, or takes it away. `start(invocation)` as for a tool.
    #[pyo3(signature = (name, start, /))]
    fn set_handler(&self, py: Python<'_>, name: &str, start: Option<Py<PyAny>>) -> PyResult<()> {
        self.process.check(py)?;
        let handler = start.map(|start| Arc::new(HostHandler(start)) as _);
        self.runtime.set_json_handler(name, handler).map_err(|error| fault::exception(py, &error))
    }

    /// Removes a tool.
    #[pyo3(signature = (name, /))]
    fn unregister(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<()> {
        self.process.check(py)?;
        let name = json::text(py, "name", name)?;
        let removed = py.detach(|| self.runtime.unregister(&name));
        removed.map_err(|error| fault::exception(py, &error))
    }

    /// The text with every secret in it masked.
    #[pyo3(signature = (text, /))]
    fn scrub<'py>(&self, py: Python<'py>, text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.process.check(py)?;
        let runtime = &self.runtime;
        scrubber::masked(py, text, |text| runtime.scrub(text), |bytes| runtime.scrub_bytes(bytes))
    }
}

impl Engine {
    fn job<W>(&self, py: Python<'_>, work: impl FnOnce(Runtime) -> W) -> PyResult<Job>
    where
        W: Future<Output = Result<Answer, Error>> + Send + 'static,
    {
        self.process.check(py)?;
        Ok(Job::new(&self.process, work(Runtime::clone(&self.runtime))))
    }
}

/// A runtime that nobody closed is closed in the background, so that its records are written.
impl Drop for Engine {
    fn drop(&mut self) {
        if !self.process.is_here() || self.process.is_over() {
            return;
        }
        // SAFETY: the field is not touched again; this is the only place that takes it.
        let runtime = unsafe { ManuallyDrop::take(&mut self.runtime) };
        close_in_background(&self.process, runtime);
    }
}

fn close_in_background(process: &Process, runtime: Runtime) {
    if runtime.is_closed() {
        return;
    }
    let close = async move {
        // Nobody is left to be told; the core logs what could not be written.
        let _ = runtime.close().await;
    };
    process.pending().spawn_on(close, process.handle());
}

fn with_key(builder: RuntimeBuilder, key: Option<SecretString>) -> RuntimeBuilder {
    match key {
        Some(key) => builder.key(move || Ok(key)),
        None => builder,
    }
}

fn opening(
    process: Arc<Process>,
    runtime: impl Future<Output = Result<Runtime, Error>> + Send + 'static,
) -> Job {
    let owner = process.clone();
    Job::new(&process, async move {
        let runtime = ManuallyDrop::new(runtime.await?);
        Ok(Answer::Engine(Engine { runtime, process: owner }))
    })
}

fn context(caller: &Bound<'_, PyDict>, host: Option<Py<PyAny>>) -> PyResult<CallContext> {
    let mut cx = CallContext::new();
    if !caller.is_empty() {
        let mut fields = json::required("caller", caller)?;
        if let Value::Object(fields) = &mut fields {
            fields.retain(|_, value| !value.is_null());
        }
        let caller =
            Caller::from_value(&fields).map_err(|error| fault::exception(caller.py(), &error))?;
        cx = CallContext::from(caller);
    }
    Ok(match host {
        Some(host) => cx.host(Arc::new(Host(host))),
        None => cx,
    })
}

/// Each request is read by itself, so that the depth of its arguments counts from there.
fn call_requests(requests: &Bound<'_, PyList>) -> PyResult<Vec<TurnCall>> {
    requests.iter().enumerate().map(|(index, request)| call_request(index, &request)).collect()
}

fn call_request(index: usize, request: &Bound<'_, PyAny>) -> PyResult<TurnCall> {
    let place = format!("requests[{index}]");
    let wrong = |why: String| {
        let text = format!("`{place}` is not a call of the form {{id, name, arguments}}: {why}");
        fault::raise(request.py(), Code::InvalidArgument, text)
    };
    let Ok(request) = request.cast::<PyDict>() else {
        return Err(wrong(format!("it is a {}", json::kind(request))));
    };
    let rest = request.copy()?;
    let mut arguments = Arguments::Value(Value::Null);
    if let Some(given) = request.get_item("arguments")? {
        arguments = json::arguments(&format!("{place}.arguments"), &given)?;
        rest.del_item("arguments")?;
    }
    let fields = json::required(&place, &rest)?;
    let request = serde_json::from_value::<CallRequest>(fields);
    let request = request.map_err(|error| wrong(error.to_string()))?;
    Ok(TurnCall { arguments, ..request.into() })
}
