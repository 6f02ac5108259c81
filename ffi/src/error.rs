//! Errors as objects of their own: no errno, nothing thread-local.

use std::ffi::{CString, c_char};

use toolkeep::{Code, Error};

use crate::guard::guard_or;
use crate::handle::{self, Opaque};
use crate::string::printable;

/// An error, owned by the host. Release it with toolkeep_error_free().
///
/// Every function that can fail returns one of these; NULL means success. Any thread may read it;
/// it never changes.
pub struct toolkeep_error {
    _opaque: [u8; 0],
}

impl Opaque for toolkeep_error {
    type Inside = Inside;
    const KIND: u64 = u64::from_le_bytes(*b"tk.error");
    const NAME: &'static str = "toolkeep_error";
}

pub(crate) struct Inside {
    code: Code,
    name: CString,
    message: CString,
}

/// Makes an error; C owns it.
pub(crate) fn give(error: &Error) -> *mut toolkeep_error {
    handle::give(Inside {
        code: error.code(),
        name: printable(error.code().name()),
        message: printable(error.message()),
    })
}

/// The stable number of an error: one of the `TOOLKEEP_…` codes. `TOOLKEEP_OK` for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_error_code(error: *const toolkeep_error) -> u32 {
    if error.is_null() {
        return crate::code::TOOLKEEP_OK;
    }
    guard_or(crate::code::TOOLKEEP_INVALID_HANDLE, || {
        // SAFETY: the host gives NULL or a handle that it has not freed.
        let inside = unsafe { handle::look(error) };
        inside.map_or(crate::code::TOOLKEEP_INVALID_HANDLE, |inside| inside.code.number())
    })
}

/// The stable name of an error, the same as in other languages: `"not_found"`.
///
/// Borrowed from the error: valid until it is freed. Empty, never NULL, for NULL or a wrong handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_error_name(error: *const toolkeep_error) -> *const c_char {
    guard_or(c"".as_ptr(), || {
        // SAFETY: the host gives NULL or a handle that it has not freed.
        unsafe { handle::look(error) }.map_or(c"".as_ptr(), |inside| inside.name.as_ptr())
    })
}

/// What is wrong and what to do about it, for a person.
///
/// Borrowed from the error: valid until it is freed. Empty, never NULL, for NULL or a wrong handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_error_message(error: *const toolkeep_error) -> *const c_char {
    guard_or(c"".as_ptr(), || {
        // SAFETY: the host gives NULL or a handle that it has not freed.
        unsafe { handle::look(error) }.map_or(c"".as_ptr(), |inside| inside.message.as_ptr())
    })
}

/// Releases an error. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_error_free(error: *mut toolkeep_error) {
    // SAFETY: the host gives NULL or a handle that it has not freed.
    guard_or((), || drop(unsafe { handle::take(error) }));
}
