//! Masking secrets without a runtime.

use std::borrow::Cow;

use crate::error::toolkeep_error;
use crate::guard::guard;
use crate::handle::Out;
use crate::string::{self, toolkeep_str, toolkeep_string};

/// Masks the secrets in a text with the profile `precise`. Any thread may call it, callbacks too.
/// For other profiles, values of your own, findings and streams see toolkeep_scrubber_new().
///
/// On success `*out` is the masked text, owned by the host: release it with
/// toolkeep_string_free(). Returns NULL, or an error that the host owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_scrub(
    text: toolkeep_str,
    out: *mut *mut toolkeep_string,
) -> *mut toolkeep_error {
    guard(|| {
        // SAFETY: the host gives NULL or a place to write to.
        let out = unsafe { Out::new(out) }?;
        // SAFETY: the host lends the text for the length of this call.
        let text = unsafe { text.text("text") }?;
        string::put(out, Cow::into_owned(toolkeep::scrub(text)));
        Ok(())
    })
}
