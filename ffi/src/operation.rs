//! Work that goes on while the host does something else.

use std::ffi::c_void;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use tokio_util::sync::CancellationToken;
use toolkeep::{Code, Error};

use crate::callback::UserData;
use crate::error::{self, toolkeep_error};
use crate::guard::{guard, guard_or, panicked};
use crate::handle::{self, Opaque};
use crate::runtime::Host;
use crate::string::{self, toolkeep_string};

/// Work that was started and will call a toolkeep_done_fn. Any number of threads may use one at
/// once.
pub struct toolkeep_operation {
    _opaque: [u8; 0],
}

impl Opaque for toolkeep_operation {
    type Inside = CancellationToken;
    const KIND: u64 = u64::from_le_bytes(*b"tk.opern");
    const NAME: &'static str = "toolkeep_operation";
}

/// Receives the outcome of an operation. Either `result` or `error` is NULL; the host owns the
/// other and frees it.
///
/// It is called exactly once, unless the function that started the operation returned an error. It
/// runs on a thread of toolkeep's that may block, possibly before the starting function returns.
pub type toolkeep_done_fn = Option<
    unsafe extern "C" fn(
        user_data: *mut c_void,
        result: *mut toolkeep_string,
        error: *mut toolkeep_error,
    ),
>;

/// The function behind a [`toolkeep_done_fn`].
pub(crate) type Done = unsafe extern "C" fn(*mut c_void, *mut toolkeep_string, *mut toolkeep_error);

/// The promise to report exactly once. Dropped without an outcome, as when the runtime ends, it
/// reports `closed`.
struct Report {
    done: Done,
    data: UserData,
    outcome: Option<Result<String, Error>>,
}

impl Drop for Report {
    fn drop(&mut self) {
        let outcome = self.outcome.take().unwrap_or_else(|| {
            Err(Error::new(Code::Closed, "the runtime was freed before the operation ended"))
        });
        let (result, error) = match outcome {
            Ok(text) => (string::give(text), std::ptr::null_mut()),
            Err(error) => (std::ptr::null_mut(), error::give(&error)),
        };
        // SAFETY: the host gave both for this, and this is the only time.
        unsafe { (self.done)(self.data.pointer(), result, error) };
    }
}

/// Starts work on the runtime's threads.
///
/// # Safety
/// `out` is NULL or may be written.
pub(crate) unsafe fn start<F>(
    host: &Host,
    done: Done,
    data: UserData,
    out: *mut *mut toolkeep_operation,
    work: impl FnOnce(CancellationToken) -> F,
) where
    F: Future<Output = Result<String, Error>> + Send + 'static,
{
    let cancellation = CancellationToken::new();
    let work = work(cancellation.clone());
    let mut report = Report { done, data, outcome: None };
    if !out.is_null() {
        // Written before anything runs: `done` may want to look at it.
        // SAFETY: not NULL, and the caller vouches for the rest.
        unsafe { out.write(handle::give(cancellation)) };
    }
    let threads = host.threads.clone();
    host.threads.spawn(async move {
        let outcome = AssertUnwindSafe(work).catch_unwind().await;
        report.outcome = Some(outcome.unwrap_or_else(|panic| Err(panicked(panic))));
        // Host code may block, which the threads that run calls must not.
        threads.spawn_blocking(move || drop(report));
    });
}

/// Cancels an operation: its `done` gets `TOOLKEEP_CANCELLED`, unless it has ended already. The
/// handle must still be freed. Returns NULL, or `TOOLKEEP_INVALID_HANDLE`, which the host owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_operation_cancel(
    operation: *const toolkeep_operation,
) -> *mut toolkeep_error {
    guard(|| {
        // SAFETY: the host gives NULL or a handle that it has not freed.
        unsafe { handle::look(operation) }?.cancel();
        Ok(())
    })
}

/// Releases an operation's handle, at any time. That does not cancel the operation: its `done` is
/// still called. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_operation_free(operation: *mut toolkeep_operation) {
    // SAFETY: the host gives NULL or a handle that it has not freed.
    guard_or((), || drop(unsafe { handle::take(operation) }));
}
