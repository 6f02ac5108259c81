//! What a host hands over along with a function of its own.

use std::ffi::c_void;

use toolkeep::{Code, Error};

/// Releases a `user_data`. May be NULL.
///
/// It is called exactly once, when toolkeep will not use the data again. That holds even if the
/// function that took it returns an error. It may run on any thread, and must not call toolkeep's
/// blocking functions.
pub type toolkeep_destroy_fn = Option<unsafe extern "C" fn(user_data: *mut c_void)>;

/// A pointer of the host's, and how to release it.
pub(crate) struct UserData {
    pointer: *mut c_void,
    destroy: toolkeep_destroy_fn,
}

// SAFETY: toolkeep only passes the pointer on. The header demands data that any thread may use.
unsafe impl Send for UserData {}
// SAFETY: as above.
unsafe impl Sync for UserData {}

impl UserData {
    pub(crate) fn new(pointer: *mut c_void, destroy: toolkeep_destroy_fn) -> UserData {
        UserData { pointer, destroy }
    }

    pub(crate) fn pointer(&self) -> *mut c_void {
        self.pointer
    }
}

impl Drop for UserData {
    fn drop(&mut self) {
        if let Some(destroy) = self.destroy {
            // SAFETY: the host gave both for this, and this is the only time.
            unsafe { destroy(self.pointer) };
        }
    }
}

/// A function that the host must give.
pub(crate) fn required<F>(function: Option<F>, what: &str) -> Result<F, Error> {
    function.ok_or_else(|| {
        Error::new(Code::InvalidArgument, format!("`{what}` is NULL; give a function"))
    })
}
