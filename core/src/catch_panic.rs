//! Panics of host code, caught.
//!
//! A panic must not reach the code that called the host: it becomes a value there.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;

/// What a panic carried.
pub(crate) type Panic = Box<dyn Any + Send>;

/// A future of the host's whose panics are caught, those of its destructor as well.
pub(crate) struct CatchPanic<'t, T>(Option<BoxFuture<'t, T>>);

impl<'t, T> CatchPanic<'t, T> {
    /// Calls the function that makes the future. A panic of that function is caught as well.
    pub(crate) fn start(
        call: impl FnOnce() -> BoxFuture<'t, T>,
    ) -> Result<CatchPanic<'t, T>, Panic> {
        catch_unwind(AssertUnwindSafe(call)).map(|run| CatchPanic(Some(run)))
    }
}

impl<T> Future for CatchPanic<'_, T> {
    type Output = Result<T, Panic>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(run) = &mut self.0 else { return Poll::Pending };
        match catch_unwind(AssertUnwindSafe(|| run.as_mut().poll(cx))) {
            Ok(polled) => polled.map(Ok),
            Err(panic) => Poll::Ready(Err(panic)),
        }
    }
}

impl<T> Drop for CatchPanic<'_, T> {
    fn drop(&mut self) {
        let run = self.0.take();
        // The host's own destructors may panic; there is nobody left to tell.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(run)));
    }
}

/// The message of a panic.
pub(crate) fn message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
