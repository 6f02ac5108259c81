//! Looking into JSON text, for hosts without a JSON parser.

use serde_json::Value;
use toolkeep::{Code, Error};

use crate::error::toolkeep_error;
use crate::guard::guard;
use crate::handle::Out;
use crate::input;
use crate::string::{self, toolkeep_str, toolkeep_string};

/// Gives one value of a JSON text: of a result, or of the arguments of a tool. `pointer` is a JSON
/// Pointer (RFC 6901) such as `/for_llm` or `/media/0/path`; an empty one means the whole. Any
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
        let (value, pointer) = unsafe { (input::json(json, "json")?, pointer.text("pointer")?) };
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
