//! The Rust half of the Python package `toolkeep`: the module `toolkeep._toolkeep`.
//!
//! It knows no asyncio and no annotations. Every operation is a [`Job`](job::Job) that Python
//! either waits for or starts with a callback; every tool of the host is an
//! [`Invocation`](host_tool::Invocation) that Python answers when it likes. The rest is Python.

mod answer;
#[cfg(feature = "bench")]
#[path = "../../../tests/bench/empty_core.rs"]
mod empty_core;
mod engine;
mod fault;
mod handler;
mod host_tool;
mod job;
mod json;
mod process;
mod scrubber;
mod stream;

use pyo3::pymodule;

#[pymodule]
mod _toolkeep {
    use pyo3::prelude::*;
    use pyo3::types::PyList;
    use toolkeep::secret::ExposeSecret;
    use toolkeep::{CheckOptions, Code, Error, secret};

    use crate::answer::Answer;
    use crate::{fault, json, scrubber};

    #[pymodule_export]
    use crate::engine::Engine;
    #[pymodule_export]
    use crate::host_tool::Invocation;
    #[pymodule_export]
    use crate::job::Job;
    #[pymodule_export]
    use crate::process::shutdown;
    #[pymodule_export]
    use crate::scrubber::{NativeScrubStream, NativeScrubber};
    #[pymodule_export]
    use crate::stream::Stream;

    /// The text with every secret in it masked; the same object if there was none.
    #[pyfunction]
    #[pyo3(signature = (text, /))]
    fn scrub<'py>(py: Python<'py>, text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        scrubber::masked(py, text, toolkeep::scrub, toolkeep::scrub_bytes)
    }

    /// What a command does, and whether it may, as a dict.
    #[pyfunction]
    #[pyo3(signature = (command, options, /))]
    fn check_command<'py>(
        py: Python<'py>,
        command: &Bound<'py, PyAny>,
        options: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let command = json::text(py, "command", command)?;
        let options = json::required("options", options)?;
        let options =
            CheckOptions::from_value(&options).map_err(|error| fault::exception(py, &error))?;
        let check = py.detach(|| toolkeep::check_command(&command, &options));
        Answer::of(check).map_err(|error| fault::exception(py, &error))?.into_python(py)
    }

    /// A fresh random key for somebody to keep, as 64 hexadecimal digits.
    #[pyfunction]
    fn generate_key(py: Python<'_>) -> PyResult<String> {
        let key = secret::generate_key();
        key.map(|key| key.expose_secret().to_owned())
            .map_err(|error| fault::exception(py, &Error::from(error)))
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let codes = Code::ALL.iter().map(|code| (code.name(), code.number()));
        module.add("CODES", PyList::new(module.py(), codes)?.to_tuple())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
