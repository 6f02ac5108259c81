//! Errors on their way to JavaScript, and panics that must not get there.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use toolkeep::{Code, Error};

/// The error as napi carries it: the code, a newline, the message.
pub fn failure(error: Error) -> napi::Error {
    napi::Error::from_reason(format!("{}\n{}", error.code(), error.message()))
}

/// Runs the work of a promise: its error keeps the code, and a panic becomes one.
pub async fn settle<T>(work: impl Future<Output = Result<T, Error>>) -> napi::Result<T> {
    match AssertUnwindSafe(work).catch_unwind().await {
        Ok(outcome) => outcome.map_err(failure),
        Err(panic) => {
            let why = panic
                .downcast_ref::<&str>()
                .copied()
                .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
                .unwrap_or("no message");
            let text = format!("toolkeep panicked: {why}; please report it");
            Err(failure(Error::new(Code::Panic, text)))
        }
    }
}
