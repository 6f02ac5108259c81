//! What a job comes to.

use pyo3::prelude::*;
use serde::Serialize;
use serde_json::Value;
use toolkeep::{Code, Error};

use crate::engine::Engine;
use crate::json;

/// What a job comes to, before it is a Python object.
pub enum Answer {
    /// A runtime that has been opened.
    Engine(Engine),
    /// Data.
    Json(Value),
}

impl Answer {
    /// The answer that is this data.
    pub fn of(data: impl Serialize) -> Result<Answer, Error> {
        let value = serde_json::to_value(data)
            .map_err(|error| Error::new(Code::Internal, format!("an answer is not JSON: {error}")));
        Ok(Answer::Json(value?))
    }

    /// The answer as a Python object.
    pub fn into_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        match self {
            Answer::Engine(engine) => Ok(Bound::new(py, engine)?.into_any()),
            Answer::Json(value) => json::to_python(py, &value),
        }
    }
}
