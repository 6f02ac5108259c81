//! Text that crosses the border: borrowed on the way in, owned on the way out.

use std::ffi::{CString, c_char};

use toolkeep::{Code, Error};

use crate::guard::guard_or;
use crate::handle::{self, Opaque, Out};

/// A piece of UTF-8 text, borrowed from its owner.
///
/// A function borrows it for the length of the call; toolkeep copies the text that it keeps. `ptr`
/// may be NULL if `len` is 0. Make one with `TOOLKEEP_STR("literal")` or `toolkeep_cstr(text)`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct toolkeep_str {
    /// The first byte. No NUL is needed at the end.
    pub ptr: *const u8,
    /// The number of bytes.
    pub len: usize,
}

impl toolkeep_str {
    /// No text.
    pub(crate) const EMPTY: toolkeep_str = toolkeep_str { ptr: std::ptr::null(), len: 0 };

    /// Text that C borrows from us.
    pub(crate) fn lend(text: &str) -> toolkeep_str {
        toolkeep_str { ptr: text.as_ptr(), len: text.len() }
    }

    /// The bytes. `what` names the argument in the error.
    ///
    /// # Safety
    /// `ptr` is NULL, or `len` bytes can be read there for as long as the answer is used.
    pub(crate) unsafe fn bytes<'s>(self, what: &str) -> Result<&'s [u8], Error> {
        if self.len == 0 {
            return Ok(&[]);
        }
        if self.ptr.is_null() {
            let text = format!("`{what}` is NULL with a length of {}", self.len);
            return Err(Error::new(Code::InvalidArgument, text));
        }
        if isize::try_from(self.len).is_err() {
            let text = format!("`{what}` cannot be {} bytes long", self.len);
            return Err(Error::new(Code::InvalidArgument, text));
        }
        // SAFETY: not NULL, not longer than any object can be; the caller vouches for the rest.
        Ok(unsafe { std::slice::from_raw_parts(self.ptr, self.len) })
    }

    /// The text. `what` names the argument in the error.
    ///
    /// # Safety
    /// `ptr` is NULL, or `len` bytes can be read there for as long as the answer is used.
    pub(crate) unsafe fn text<'s>(self, what: &str) -> Result<&'s str, Error> {
        // SAFETY: the same conditions.
        let bytes = unsafe { self.bytes(what) }?;
        std::str::from_utf8(bytes).map_err(|error| {
            let text = format!("`{what}` is not valid UTF-8: {error}");
            Error::new(Code::InvalidUtf8, text)
        })
    }

    /// The text, with U+FFFD in place of what is not UTF-8.
    ///
    /// # Safety
    /// `ptr` is NULL, or `len` bytes can be read there.
    pub(crate) unsafe fn lossy(self, what: &str) -> String {
        // SAFETY: the same conditions.
        let bytes = unsafe { self.bytes(what) }.unwrap_or_default();
        String::from_utf8_lossy(bytes).into_owned()
    }
}

/// Text that toolkeep made and the host owns. Release it with toolkeep_string_free().
///
/// Any thread may read it; it never changes.
pub struct toolkeep_string {
    _opaque: [u8; 0],
}

impl Opaque for toolkeep_string {
    type Inside = Text;
    const KIND: u64 = u64::from_le_bytes(*b"tk.strng");
    const NAME: &'static str = "toolkeep_string";
}

/// Text with a NUL behind it, so that C may print it.
pub(crate) struct Text {
    bytes: Box<[u8]>,
}

impl Text {
    pub(crate) fn new(text: String) -> Text {
        Text::of_bytes(text.into_bytes())
    }

    fn of_bytes(mut bytes: Vec<u8>) -> Text {
        bytes.reserve_exact(1);
        bytes.push(0);
        Text { bytes: bytes.into_boxed_slice() }
    }

    pub(crate) fn lend(&self) -> toolkeep_str {
        toolkeep_str { ptr: self.bytes.as_ptr(), len: self.bytes.len() - 1 }
    }
}

/// Text for C that cannot hold a NUL within it.
pub(crate) fn printable(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default()
}

/// Makes a string; C owns it.
pub(crate) fn give(text: String) -> *mut toolkeep_string {
    handle::give(Text::new(text))
}

/// Makes a string of bytes that may not be UTF-8; C owns it.
pub(crate) fn give_bytes(bytes: Vec<u8>) -> *mut toolkeep_string {
    handle::give(Text::of_bytes(bytes))
}

/// Makes a string in the place that C gave for it.
pub(crate) fn put(out: Out<toolkeep_string>, text: String) {
    out.put(give(text));
}

/// The bytes of a string, followed by a NUL, so that it can be printed with `%s`. Scrubbed text may
/// contain a NUL itself; then only toolkeep_string_len() gives its length.
///
/// Borrowed from the string: valid until it is freed. NULL for NULL or a wrong handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_string_data(string: *const toolkeep_string) -> *const c_char {
    // SAFETY: the host gives NULL or a handle that it has not freed.
    unsafe { toolkeep_string_str(string) }.ptr.cast()
}

/// The length of a string in bytes, without the NUL. 0 for NULL or a wrong handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_string_len(string: *const toolkeep_string) -> usize {
    // SAFETY: the host gives NULL or a handle that it has not freed.
    unsafe { toolkeep_string_str(string) }.len
}

/// A string as a `toolkeep_str`, to pass it on. Borrowed from the string: valid until it is freed.
/// Empty for NULL or a wrong handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_string_str(string: *const toolkeep_string) -> toolkeep_str {
    guard_or(toolkeep_str::EMPTY, || {
        // SAFETY: the host gives NULL or a handle that it has not freed.
        unsafe { handle::look(string) }.map_or(toolkeep_str::EMPTY, Text::lend)
    })
}

/// Releases a string. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_string_free(string: *mut toolkeep_string) {
    // SAFETY: the host gives NULL or a handle that it has not freed.
    guard_or((), || drop(unsafe { handle::take(string) }));
}
