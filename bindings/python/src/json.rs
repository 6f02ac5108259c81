//! JSON to Python and back.
//!
//! Python has more values than JSON, so the way back can fail; the error names the place.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};
use serde_json::{Map, Number, Value};
use toolkeep::limits::MAX_JSON_DEPTH;
use toolkeep::tool::Arguments;
use toolkeep::{Code, Error};

use crate::fault;

/// A JSON value as a Python object: objects are dicts, arrays are lists.
pub fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(flag) => Ok(PyBool::new(py, *flag).to_owned().into_any()),
        Value::Number(number) => number_to_python(py, number),
        Value::String(text) => Ok(PyString::new(py, text).into_any()),
        Value::Array(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(to_python(py, item)?)?;
            }
            Ok(list.into_any())
        }
        Value::Object(fields) => {
            let dict = PyDict::new(py);
            for (key, item) in fields {
                dict.set_item(key, to_python(py, item)?)?;
            }
            Ok(dict.into_any())
        }
    }
}

fn number_to_python<'py>(py: Python<'py>, number: &Number) -> PyResult<Bound<'py, PyAny>> {
    if let Some(whole) = number.as_i64() {
        return Ok(whole.into_pyobject(py)?.into_any());
    }
    if let Some(whole) = number.as_u64() {
        return Ok(whole.into_pyobject(py)?.into_any());
    }
    Ok(PyFloat::new(py, number.as_f64().unwrap_or(f64::NAN)).into_any())
}

/// Why a Python object is not JSON.
pub struct NotJson {
    code: Code,
    /// The way from the top to the object, last step first.
    place: Vec<String>,
    why: String,
    /// True for what the parser of a host takes from a model's text, and JSON as the core has it lacks.
    is_models: bool,
}

impl NotJson {
    fn new(code: Code, why: impl Into<String>) -> NotJson {
        NotJson { code, place: Vec::new(), why: why.into(), is_models: false }
    }

    fn of_model(code: Code, why: impl Into<String>) -> NotJson {
        NotJson { is_models: true, ..NotJson::new(code, why) }
    }

    fn at(mut self, step: String) -> NotJson {
        self.place.push(step);
        self
    }

    /// The error that names `what` it is; `wrong` is the code where the object is simply wrong.
    pub fn error(&self, what: &str, wrong: Code) -> Error {
        let own = self.code == Code::InvalidUtf8 || wrong != Code::InvalidConfig;
        let code = if self.code == Code::InvalidArgument || !own { wrong } else { self.code };
        Error::new(code, self.message(what))
    }

    /// The place below `what`, and what is wrong there.
    pub fn message(&self, what: &str) -> String {
        let mut place = String::from(what);
        self.place.iter().rev().for_each(|step| place.push_str(step));
        format!("`{place}` {}", self.why)
    }
}

/// What becomes of an object that is nested deeper than the core takes.
#[derive(Clone, Copy, PartialEq)]
pub enum TooDeep {
    /// It is refused here.
    Refuse,
    /// It is cut off one level below the limit, so that the core sees that it is too deep and
    /// says so itself: for what a model may have sent.
    Cut,
}

/// A Python object as JSON.
pub fn from_python(value: &Bound<'_, PyAny>, too_deep: TooDeep) -> Result<Value, NotJson> {
    read(value, too_deep, 1)
}

/// A Python object as JSON, or the exception that names `what` it is.
pub fn required(what: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    from_python(value, TooDeep::Refuse).map_err(|why| not_json(value.py(), what, &why))
}

/// The arguments of a call: JSON text as a `str`, or data. What a model may have sent wrong in data is for the
/// core to answer.
pub fn arguments(what: &str, value: &Bound<'_, PyAny>) -> PyResult<Arguments> {
    if value.cast::<PyString>().is_ok() {
        return text(value.py(), what, value).map(Arguments::Text);
    }
    match from_python(value, TooDeep::Cut) {
        Ok(value) => Ok(Arguments::Value(value)),
        Err(why) if why.is_models => Ok(Arguments::Unread(why.message(what))),
        Err(why) => Err(not_json(value.py(), what, &why)),
    }
}

fn not_json(py: Python<'_>, what: &str, why: &NotJson) -> PyErr {
    fault::exception(py, &why.error(what, Code::InvalidArgument))
}

/// A `str` as text; `what` names it in the exception.
pub fn text(py: Python<'_>, what: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    let Ok(text) = value.cast::<PyString>() else {
        let why = NotJson::new(Code::InvalidArgument, format!("is a {}, not a str", kind(value)));
        return Err(not_json(py, what, &why));
    };
    string(text).map_err(|why| not_json(py, what, &why))
}

/// The name of an object's type.
pub fn kind(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "value".into(), |name| name.to_string())
}

fn read(value: &Bound<'_, PyAny>, too_deep: TooDeep, depth: usize) -> Result<Value, NotJson> {
    if depth > MAX_JSON_DEPTH {
        return match too_deep {
            TooDeep::Cut => Ok(Value::Null),
            TooDeep::Refuse => Err(NotJson::new(
                Code::InvalidJson,
                format!("is nested deeper than {MAX_JSON_DEPTH} levels"),
            )),
        };
    }
    if value.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(text) = value.cast::<PyString>() {
        return string(text).map(Value::String);
    }
    // Before int: a bool is one, too.
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(Value::Bool(flag.is_true()));
    }
    if let Ok(whole) = value.cast::<PyInt>() {
        return integer(whole);
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        return float(number.value());
    }
    if let Ok(fields) = value.cast::<PyDict>() {
        return object(fields, too_deep, depth);
    }
    if let Ok(items) = value.cast::<PyList>() {
        return array(items.iter(), too_deep, depth);
    }
    if let Ok(items) = value.cast::<PyTuple>() {
        return array(items.iter(), too_deep, depth);
    }
    if value.cast::<PyMapping>().is_ok() {
        let copied = value.py().get_type::<PyDict>().call1((value,));
        if let Ok(Ok(fields)) = copied.map(Bound::cast_into::<PyDict>) {
            return object(&fields, too_deep, depth);
        }
    }
    let why = format!(
        "is a {}, which is not JSON; give None, bool, int, float, str, list or dict",
        kind(value)
    );
    Err(NotJson::new(Code::InvalidArgument, why))
}

fn string(text: &Bound<'_, PyString>) -> Result<String, NotJson> {
    match text.to_cow() {
        Ok(text) => Ok(text.into_owned()),
        Err(_) => Err(NotJson::of_model(
            Code::InvalidUtf8,
            "holds a lone surrogate, which UTF-8 cannot carry; give whole characters (a host decodes \
             bytes with `errors=\"replace\"`)",
        )),
    }
}

fn integer(whole: &Bound<'_, PyInt>) -> Result<Value, NotJson> {
    if let Ok(number) = whole.extract::<i64>() {
        return Ok(number.into());
    }
    if let Ok(number) = whole.extract::<u64>() {
        return Ok(number.into());
    }
    let why = "is an int beyond 64 bits; give it as a str";
    Err(NotJson::of_model(Code::InvalidArgument, why))
}

fn float(number: f64) -> Result<Value, NotJson> {
    match Number::from_f64(number) {
        Some(number) => Ok(Value::Number(number)),
        None => {
            let why = format!("is the float {number}, which JSON does not have");
            Err(NotJson::new(Code::InvalidArgument, why))
        }
    }
}

fn array<'py>(
    items: impl Iterator<Item = Bound<'py, PyAny>>,
    too_deep: TooDeep,
    depth: usize,
) -> Result<Value, NotJson> {
    let read = |(index, item)| {
        read(&item, too_deep, depth + 1).map_err(|why| why.at(format!("[{index}]")))
    };
    items.enumerate().map(read).collect::<Result<Vec<_>, _>>().map(Value::Array)
}

fn object(fields: &Bound<'_, PyDict>, too_deep: TooDeep, depth: usize) -> Result<Value, NotJson> {
    let mut object = Map::with_capacity(fields.len());
    for (key, item) in fields.iter() {
        let Ok(name) = key.cast::<PyString>() else {
            let why = format!("has a key that is a {}; the keys of JSON are str", kind(&key));
            return Err(NotJson::new(Code::InvalidArgument, why));
        };
        let name = string(name).map_err(|why| why.at(" (a key)".into()))?;
        let item = read(&item, too_deep, depth + 1).map_err(|why| why.at(format!(".{name}")))?;
        object.insert(name, item);
    }
    Ok(Value::Object(object))
}
