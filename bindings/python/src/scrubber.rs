//! Scrubbers of a host's own, as Python sees them.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};
use toolkeep::scrub::{Scrubber, Stream};
use toolkeep::{Code, ScrubOptions};

use crate::{fault, json};

/// The text with its secrets masked: the same object if there was none. A `str`, or `bytes`.
pub fn masked<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyAny>,
    text_of: impl Fn(&str) -> Cow<'_, str> + Sync,
    bytes_of: impl Fn(&[u8]) -> Cow<'_, [u8]> + Sync,
) -> PyResult<Bound<'py, PyAny>> {
    if let Ok(bytes) = text.cast::<PyBytes>() {
        let given = bytes.as_bytes();
        return Ok(match py.detach(|| bytes_of(given)) {
            Cow::Borrowed(_) => text.clone(),
            Cow::Owned(masked) => PyBytes::new(py, &masked).into_any(),
        });
    }
    let Some(given) = text.cast::<PyString>().ok().and_then(|text| text.to_str().ok()) else {
        // Not a str, or one that is not Unicode: both have an error of their own.
        let text = json::text(py, "text", text)?;
        return Ok(PyString::new(py, &text_of(&text)).into_any());
    };
    Ok(match py.detach(|| text_of(given)) {
        Cow::Borrowed(_) => text.clone(),
        Cow::Owned(masked) => PyString::new(py, &masked).into_any(),
    })
}

/// Masks secrets in text, with a profile and values of its own.
#[pyclass(frozen, name = "Scrubber", module = "toolkeep._toolkeep")]
pub struct NativeScrubber {
    scrubber: Scrubber,
}

#[pymethods]
impl NativeScrubber {
    #[new]
    #[pyo3(signature = (options, /))]
    fn new(py: Python<'_>, options: &Bound<'_, PyAny>) -> PyResult<NativeScrubber> {
        let options = json::required("options", options)?;
        let made = ScrubOptions::from_value(&options).and_then(|options| options.build());
        let scrubber = made.map_err(|error| fault::exception(py, &error))?;
        Ok(NativeScrubber { scrubber })
    }

    /// The text with its secrets masked; the same object if there was none.
    #[pyo3(signature = (text, /))]
    fn scrub<'py>(&self, py: Python<'py>, text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let scrubber = &self.scrubber;
        masked(py, text, |text| scrubber.scrub(text), |bytes| scrubber.scrub_bytes(bytes))
    }

    /// What is secret in a text, as dicts. Positions count characters.
    #[pyo3(signature = (text, /))]
    fn findings<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        let text = json::text(py, "text", text)?;
        let found = py.detach(|| self.scrubber.findings(&text));
        let list = PyList::empty(py);
        let (mut bytes, mut chars) = (0, 0);
        let mut position = |at: usize| {
            chars += text[bytes..at].chars().count();
            bytes = at;
            chars
        };
        for finding in found {
            let fields = PyDict::new(py);
            fields.set_item("kind", finding.kind.as_str())?;
            fields.set_item("start", position(finding.start))?;
            fields.set_item("end", position(finding.end))?;
            fields.set_item("confidence", finding.confidence.as_str())?;
            fields.set_item("verified", finding.verified)?;
            fields.set_item("encoding", finding.encoding)?;
            fields.set_item("tag", finding.tag)?;
            list.append(fields)?;
        }
        Ok(list)
    }

    /// Registers a value; the code of a warning, or None.
    #[pyo3(signature = (value, kind, /))]
    fn add(
        &self,
        py: Python<'_>,
        value: &Bound<'_, PyAny>,
        kind: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<&'static str>> {
        let value = json::text(py, "value", value)?;
        let kind = kind.map(|kind| json::text(py, "kind", kind)).transpose()?;
        let added = self.scrubber.values().add(&value, kind.as_deref());
        let added =
            added.map_err(|error| fault::raise(py, Code::InvalidArgument, error.to_string()))?;
        Ok(added.warning.map(|warning| warning.code()))
    }

    /// Forgets a registered value; False if it is none.
    #[pyo3(signature = (value, /))]
    fn remove(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        let value = json::text(py, "value", value)?;
        Ok(self.scrubber.values().remove(&value))
    }

    /// Begins a text that comes in pieces.
    fn stream(&self) -> NativeScrubStream {
        NativeScrubStream { stream: Mutex::new(Some(self.scrubber.stream())) }
    }
}

/// A text that is masked as it comes, in bytes.
#[pyclass(frozen, name = "ScrubStream", module = "toolkeep._toolkeep")]
pub struct NativeScrubStream {
    /// None once it was finished.
    stream: Mutex<Option<Stream>>,
}

#[pymethods]
impl NativeScrubStream {
    /// Takes the next piece and gives what is certain by now.
    #[pyo3(signature = (piece, /))]
    fn push<'py>(
        &self,
        py: Python<'py>,
        piece: &Bound<'py, PyBytes>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let piece = piece.as_bytes();
        let masked = py.detach(|| {
            let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
            stream.as_mut().map(|stream| stream.push(piece))
        });
        masked.map(|masked| PyBytes::new(py, &masked)).ok_or_else(|| finished(py))
    }

    /// Ends the text and gives the rest.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let rest = py.detach(|| {
            let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
            stream.take().map(Stream::finish)
        });
        rest.map(|rest| PyBytes::new(py, &rest)).ok_or_else(|| finished(py))
    }
}

fn finished(py: Python<'_>) -> PyErr {
    let text = "this stream is finished; begin another with the scrubber";
    fault::raise(py, Code::Closed, text)
}
