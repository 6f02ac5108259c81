//! JSON text from JavaScript.

use serde::de::DeserializeOwned;
use serde_json::Value;
use toolkeep::{Code, Error, strict};

/// Parses JSON that `lib.cjs` wrote.
///
/// Its depth is bounded there, one level above what core takes, so that core refuses deeper JSON
/// with the same words in every language. The parser's own, lower bound would come first.
pub fn parse(text: &str) -> Result<Value, Error> {
    let parser = || {
        let mut parser = serde_json::Deserializer::from_str(text);
        parser.disable_recursion_limit();
        parser
    };
    strict::parse_by(parser)
        .map_err(|error| Error::new(Code::InvalidJson, format!("this is not JSON: {error}")))
}

/// Reads a typed value; the error names the field and begins with `what`.
pub fn read<T: DeserializeOwned>(what: &str, value: Value) -> Result<T, Error> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let place = if path == "." { String::new() } else { format!("`{path}`: ") };
        Error::new(Code::InvalidArgument, format!("{what}: {place}{}", error.inner()))
    })
}

/// Writes a value as JSON text.
pub fn write(value: &impl serde::Serialize) -> Result<String, Error> {
    serde_json::to_string(value)
        .map_err(|error| Error::new(Code::Internal, format!("a result is not JSON: {error}")))
}
