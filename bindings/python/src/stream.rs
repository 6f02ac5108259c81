//! Following events, as Python sees it.

use std::mem::ManuallyDrop;
use std::sync::Arc;

use pyo3::prelude::*;
use serde_json::Value;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use toolkeep::EventStream;
use toolkeep::runtime::Progress;

use crate::answer::Answer;
use crate::fault;
use crate::job::Job;
use crate::process::Process;

/// The events of a tenant. Waiting for one takes none: a wait that is cancelled loses nothing.
#[pyclass(frozen, module = "toolkeep._toolkeep")]
pub struct Stream {
    /// Taken out when it is closed. Whoever waits holds the lock.
    events: ManuallyDrop<Arc<Mutex<Option<EventStream>>>>,
    progress: Arc<Progress>,
    closed: CancellationToken,
    process: Arc<Process>,
}

impl Stream {
    pub fn new(process: &Arc<Process>, events: EventStream) -> Stream {
        Stream {
            progress: events.progress(),
            events: ManuallyDrop::new(Arc::new(Mutex::new(Some(events)))),
            closed: CancellationToken::new(),
            process: process.clone(),
        }
    }
}

#[pymethods]
impl Stream {
    /// Waits until there is an event. The value of the job is true then, and false at the end.
    fn wait(&self, py: Python<'_>) -> PyResult<Job> {
        self.process.check(py)?;
        let (events, closed) = (Arc::clone(&self.events), self.closed.clone());
        let ready = async move {
            match events.lock().await.as_mut() {
                Some(events) => events.ready().await,
                None => Ok(false),
            }
        };
        Ok(Job::new(&self.process, async move {
            let ready = closed.run_until_cancelled_owned(ready).await.unwrap_or(Ok(false))?;
            Ok(Answer::Json(Value::Bool(ready)))
        }))
    }

    /// Takes the next event as a dict; None if it must be waited for.
    fn pop<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.process.check(py)?;
        if self.closed.is_cancelled() {
            return Ok(None);
        }
        let event = match self.events.try_lock() {
            Ok(mut events) => events.as_mut().and_then(EventStream::pop),
            // Another thread waits for one.
            Err(_) => None,
        };
        let Some(event) = event else { return Ok(None) };
        let event = Answer::of(event).map_err(|error| fault::exception(py, &error))?;
        event.into_python(py).map(Some)
    }

    /// Ends it, and every wait.
    fn close(&self) {
        // In a forked child the locks may be held by threads that are gone.
        if !self.process.is_here() || self.process.is_over() {
            return;
        }
        self.closed.cancel();
        match self.events.try_lock() {
            Ok(mut events) => *events = None,
            // Whoever waits lets go of it soon.
            Err(_) => {
                let events = Arc::clone(&self.events);
                self.process.handle().spawn(async move { *events.lock().await = None });
            }
        }
    }

    /// The `seq` of the last event that was taken, or passed over.
    #[getter]
    fn cursor(&self) -> i64 {
        self.progress.cursor()
    }

    /// How many events were pruned before this reader came to them.
    #[getter]
    fn dropped(&self) -> u64 {
        self.progress.dropped()
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.process.is_here() && !self.process.is_over() {
            self.closed.cancel();
            let _entered = self.process.handle().enter();
            // SAFETY: the field is not touched again; this is the only place that takes it.
            drop(unsafe { ManuallyDrop::take(&mut self.events) });
        }
    }
}
