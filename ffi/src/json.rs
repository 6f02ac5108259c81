//! Looking into JSON text, for hosts without a JSON parser.

use serde::Deserialize;
use serde_json::Value;
use toolkeep::limits::MAX_JSON_DEPTH;
use toolkeep::{Code, Error};

use crate::error::toolkeep_error;
use crate::guard::guard;
use crate::handle::Out;
use crate::string::{self, toolkeep_str, toolkeep_string};

/// Returns one value of a JSON text: of a result, or of the arguments of a tool. `pointer` is a
/// JSON Pointer (RFC 6901) such as `/for_llm` or `/media/0/path`; an empty one means the whole. Any
/// thread may call it, callbacks too.
///
/// On success `*out` is the text of a string, or any other value as compact JSON (`null`, `true`,
/// `12`, `{"a":1}`), owned by the host: release it with toolkeep_string_free(). Returns NULL, or an
/// error that the host owns: TOOLKEEP_NOT_FOUND if there is nothing at that place,
/// TOOLKEEP_INVALID_JSON.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_json_get(
    json: toolkeep_str,
    pointer: toolkeep_str,
    out: *mut *mut toolkeep_string,
) -> *mut toolkeep_error {
    guard(|| {
        // SAFETY: the host gives NULL or a place to write to.
        let out = unsafe { Out::new(out) }?;
        // SAFETY: the host lends both texts for the length of this call.
        let (text, pointer) = unsafe { (json.text("json")?, pointer.text("pointer")?) };
        let value = parsed(text)?;
        let found = value.pointer(pointer).ok_or_else(|| {
            Error::new(Code::NotFound, format!("there is nothing at `{pointer}` in the JSON text"))
        })?;
        let text = match found {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        string::put(out, text);
        Ok(())
    })
}

/// How much deeper a result is than the data in it.
const WRAPPED: usize = 16;

/// Any JSON text that toolkeep gives, however large; data in it may be as deep as the core takes.
fn parsed(text: &str) -> Result<Value, Error> {
    let invalid =
        |why: String| Error::new(Code::InvalidJson, format!("`json` is not valid JSON: {why}"));
    if depth(text) > MAX_JSON_DEPTH + WRAPPED {
        return Err(invalid(format!("it is nested deeper than {MAX_JSON_DEPTH} levels")));
    }
    let mut parser = serde_json::Deserializer::from_str(text);
    // Bounded just now.
    parser.disable_recursion_limit();
    let value = Value::deserialize(&mut parser).map_err(|error| invalid(error.to_string()))?;
    parser.end().map_err(|error| invalid(error.to_string()))?;
    Ok(value)
}

/// How deep the brackets of a JSON text are nested.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest, mut quoted, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}
