//! Errors of the core as the exceptions of `toolkeep.errors`.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use toolkeep::{Code, Error};

static ERROR_OF: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// The exception for an error.
pub fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let make = || {
        let error_of = ERROR_OF.import(py, "toolkeep.errors", "error_of")?;
        error_of.call1((error.code().name(), error.message()))
    };
    make().map_or_else(|broken| broken, PyErr::from_value)
}

/// The exception for a code and a message.
pub fn raise(py: Python<'_>, code: Code, message: impl Into<String>) -> PyErr {
    exception(py, &Error::new(code, message))
}
