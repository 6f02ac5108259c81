//! Keys that seal secrets.

use toolkeep::secret::{ExposeSecret, generate_key};

use crate::error::toolkeep_error;
use crate::guard::guard;
use crate::handle::Out;
use crate::string::{self, toolkeep_string};

/// Makes a new random key for the host to keep, as 64 hexadecimal digits. Losing it means losing
/// the secrets that are sealed under it. Any thread may call it, callbacks too.
///
/// On success `*out` is the key's text, owned by the host: release it with toolkeep_string_free().
/// Returns NULL, or an error that the host owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_generate_key(
    out: *mut *mut toolkeep_string,
) -> *mut toolkeep_error {
    guard(|| {
        // SAFETY: the host gives NULL or a place to write to.
        let out = unsafe { Out::new(out) }?;
        string::put(out, generate_key()?.expose_secret().to_owned());
        Ok(())
    })
}
