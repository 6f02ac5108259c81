//! One operation, on its way or yet to begin.

use std::any::Any;
use std::mem::ManuallyDrop;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use pyo3::prelude::*;
use tokio_util::sync::CancellationToken;
use toolkeep::{Code, Error};

use crate::answer::Answer;
use crate::fault;
use crate::process::Process;

type Outcome = Result<Answer, Error>;
type Work = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// How often a blocked call looks for signals.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// One operation. It begins with `wait` or `start`, and only once. Letting go of it cancels it.
#[pyclass(frozen, module = "toolkeep._toolkeep")]
pub struct Job {
    work: Mutex<Option<ManuallyDrop<Work>>>,
    cancelled: CancellationToken,
    process: Arc<Process>,
}

impl Job {
    /// A job that does this work when it is begun.
    pub fn new(
        process: &Arc<Process>,
        work: impl Future<Output = Outcome> + Send + 'static,
    ) -> Job {
        let work: Work = Box::pin(async move {
            AssertUnwindSafe(work)
                .catch_unwind()
                .await
                .unwrap_or_else(|panic| Err(panicked(&*panic)))
        });
        Job {
            work: Mutex::new(Some(ManuallyDrop::new(work))),
            cancelled: CancellationToken::new(),
            process: process.clone(),
        }
    }

    fn take(&self) -> Option<Work> {
        let work = self.work.lock().unwrap_or_else(PoisonError::into_inner).take();
        work.map(ManuallyDrop::into_inner)
    }

    fn begin(&self, py: Python<'_>) -> PyResult<Work> {
        self.process.check(py)?;
        self.take().ok_or_else(|| {
            fault::raise(py, Code::InvalidHandle, "the job has begun already; make another")
        })
    }
}

#[pymethods]
impl Job {
    /// Blocks until the operation has ended, with the GIL released; gives its value or raises its
    /// error. A signal handler that raises (Ctrl-C) cancels the operation.
    fn wait<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if tokio::runtime::Handle::try_current().is_ok() {
            let text = "this is one of toolkeep's own threads, which must not wait: use an async \
                        runtime's methods, or another thread";
            return Err(fault::raise(py, Code::WouldBlock, text));
        }
        let mut work = self.begin(py)?;
        // Held until the thread is back in Python, so that the end of the interpreter waits.
        let _blocked = self.process.pending().token();
        let handle = self.process.handle();
        loop {
            let polled = py.detach(|| {
                handle.block_on(async {
                    tokio::select! {
                        biased;
                        outcome = &mut work => Some(outcome),
                        () = tokio::time::sleep(LOOK_EVERY) => None,
                    }
                })
            });
            match polled {
                Some(Ok(answer)) => return answer.into_python(py),
                Some(Err(error)) => return Err(fault::exception(py, &error)),
                None => {}
            }
            if let Err(raised) = py.check_signals() {
                py.detach(|| {
                    // What the drop records is written by a task, which needs the runtime.
                    let _entered = handle.enter();
                    drop(work);
                });
                return Err(raised);
            }
        }
    }

    /// Begins the operation on another thread. Once it has ended, `deliver(value, error)` is
    /// called there; not if it was cancelled before.
    #[pyo3(signature = (deliver, /))]
    fn start(&self, py: Python<'_>, deliver: Py<PyAny>) -> PyResult<()> {
        let work = self.begin(py)?;
        let cancelled = self.cancelled.clone();
        self.process.handle().spawn(async move {
            let outcome = tokio::select! {
                biased;
                () = cancelled.cancelled() => None,
                outcome = work => Some(outcome),
            };
            // None of this while the interpreter ends: then nobody waits any more.
            Python::try_attach(|py| {
                if let Some(outcome) = outcome {
                    deliver_to(deliver.bind(py), outcome);
                }
                drop(deliver);
            });
        });
        Ok(())
    }

    /// Cancels the operation. Does nothing if it has ended.
    fn cancel(&self) {
        if self.process.is_here() {
            self.cancelled.cancel();
        }
    }
}

/// A panic that was stopped at the border.
fn panicked(panic: &(dyn Any + Send)) -> Error {
    let why = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    Error::new(Code::Panic, format!("toolkeep panicked: {why}; please report it"))
}

fn deliver_to(deliver: &Bound<'_, PyAny>, outcome: Outcome) {
    let py = deliver.py();
    let answer = match outcome {
        Ok(answer) => answer.into_python(py),
        Err(error) => Err(fault::exception(py, &error)),
    };
    let delivered = match answer {
        Ok(value) => deliver.call1((value, py.None())),
        Err(error) => deliver.call1((py.None(), error)),
    };
    if let Err(error) = delivered {
        error.write_unraisable(py, Some(deliver));
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        if !self.process.is_here() {
            return;
        }
        self.cancelled.cancel();
        let _entered = self.process.handle().enter();
        drop(self.take());
    }
}
