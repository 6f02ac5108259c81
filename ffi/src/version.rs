//! Which library this is.

use std::ffi::{CStr, c_char};

/// The version of the ABI that this header describes. It grows with every change that can break a
/// program compiled against an older header.
pub const TOOLKEEP_ABI_VERSION: u32 = 1;

const VERSION: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => c"",
    };

/// The ABI version of the loaded library. Compare it with `TOOLKEEP_ABI_VERSION` before anything
/// else. Any thread may ask.
#[unsafe(no_mangle)]
pub extern "C" fn toolkeep_abi_version() -> u32 {
    TOOLKEEP_ABI_VERSION
}

/// The version of the loaded library, such as `"0.1.0"`, ending in a NUL. It is static: do not free
/// it. Any thread may ask.
#[unsafe(no_mangle)]
pub extern "C" fn toolkeep_version() -> *const c_char {
    VERSION.as_ptr()
}
