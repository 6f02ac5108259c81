//! The border: what is inside may fail or panic, what comes out is an error object.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use toolkeep::{Code, Error};

use crate::error::{self, toolkeep_error};

/// Runs the body of an export that can fail. NULL means that it went well.
pub(crate) fn guard(work: impl FnOnce() -> Result<(), Error>) -> *mut toolkeep_error {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => std::ptr::null_mut(),
        Ok(Err(error)) => error::give(&error),
        Err(panic) => error::give(&panicked(panic)),
    }
}

/// Runs the body of an export that has no way to fail; a panic ends in the fallback.
pub(crate) fn guard_or<T>(fallback: T, work: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        panicked(panic);
        fallback
    })
}

/// The error of a panic that was stopped at the border.
pub(crate) fn panicked(panic: Box<dyn Any + Send>) -> Error {
    let why = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    let text = format!("toolkeep panicked: {why}. This is a fault in toolkeep; please report it.");
    // A payload may panic once more while it is dropped.
    if let Err(again) = catch_unwind(AssertUnwindSafe(move || drop(panic))) {
        std::mem::forget(again);
    }
    Error::new(Code::Panic, text)
}
