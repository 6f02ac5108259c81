//! The tokio runtime of this process.
//!
//! All runtimes of a process share one. Its threads do not survive `fork`: a child that opens a
//! runtime of its own gets a new one, and what it inherited is left alone, since even dropping it
//! would wait for threads that are gone.

use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwapOption;
use pyo3::prelude::*;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio_util::task::TaskTracker;
use toolkeep::{Code, Error};

use crate::fault;

static CURRENT: ArcSwapOption<Process> = ArcSwapOption::const_empty();

/// How long the end of the interpreter waits for queued records and blocked calls.
const PATIENCE: Duration = Duration::from_secs(1);

/// The tokio runtime of one process.
pub struct Process {
    pid: u32,
    handle: Handle,
    runtime: Mutex<Option<Runtime>>,
    over: AtomicBool,
    /// What must be done before the interpreter may end.
    pending: TaskTracker,
}

impl Process {
    /// The one of this process. Nothing races here: whoever calls is attached to the interpreter.
    pub fn current(py: Python<'_>) -> PyResult<Arc<Process>> {
        if let Some(known) = CURRENT.load_full() {
            if known.is_here() && !known.is_over() {
                return Ok(known);
            }
            mem::forget(known);
        }
        let runtime = Builder::new_multi_thread()
            .enable_all()
            .thread_name("toolkeep")
            .build()
            .map_err(|error| {
                let text = format!("no thread can be started ({error}); end some and try again");
                fault::raise(py, Code::Internal, text)
            })?;
        let new = Arc::new(Process {
            pid: std::process::id(),
            handle: runtime.handle().clone(),
            runtime: Mutex::new(Some(runtime)),
            over: AtomicBool::new(false),
            pending: TaskTracker::new(),
        });
        if let Some(inherited) = CURRENT.swap(Some(new.clone())) {
            mem::forget(inherited);
        }
        Ok(new)
    }

    /// False in a child that was forked from the process.
    pub fn is_here(&self) -> bool {
        self.pid == std::process::id()
    }

    /// True once the interpreter is about to end.
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// Refuses use in a forked child, and after the end.
    pub fn check(&self, py: Python<'_>) -> PyResult<()> {
        if !self.is_here() {
            let text = "the runtime was opened in another process and does not survive fork; \
                        open a new one in this process";
            return Err(fault::raise(py, Code::Forked, text));
        }
        if self.is_over() {
            return Err(fault::exception(py, &over()));
        }
        Ok(())
    }

    /// The handle to run futures with.
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// What the end of the interpreter waits for, for a bounded time.
    pub fn pending(&self) -> &TaskTracker {
        &self.pending
    }
}

/// The error of whatever comes after the end.
pub fn over() -> Error {
    Error::new(Code::Closed, "the interpreter is ending; nothing can be called any more")
}

/// Ends the threads of this process. For the end of the interpreter, after every runtime was
/// closed.
#[pyfunction]
#[pyo3(signature = ())]
pub fn shutdown(py: Python<'_>) {
    let Some(process) = CURRENT.load_full().filter(|process| process.is_here()) else { return };
    process.pending.close();
    py.detach(|| {
        let waited = process
            .handle
            .block_on(async { tokio::time::timeout(PATIENCE, process.pending.wait()).await });
        process.over.store(true, Ordering::Release);
        let runtime = process.runtime.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(runtime) = runtime {
            // Who is still blocked in a call holds on to it; it ends with the process.
            match waited {
                Ok(()) => runtime.shutdown_timeout(PATIENCE),
                Err(_) => mem::forget(runtime),
            }
        }
    });
}
