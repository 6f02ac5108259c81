//! Work that goes on when its caller no longer waits for it.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_util::future::BoxFuture;

/// Work that must not stop in the middle. It runs in place; when its future is dropped after it
/// has begun, it goes on as a task of the async runtime.
pub(crate) fn detached<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Detached<T> {
    Detached { work: Some(Box::pin(work)), begun: false }
}

/// The future of [`detached`].
pub(crate) struct Detached<T: Send + 'static> {
    work: Option<BoxFuture<'static, T>>,
    begun: bool,
}

impl<T: Send + 'static> Future for Detached<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        self.begun = true;
        let Some(work) = &mut self.work else { return Poll::Pending };
        let done = ready!(work.as_mut().poll(cx));
        self.work = None;
        Poll::Ready(done)
    }
}

impl<T: Send + 'static> Drop for Detached<T> {
    fn drop(&mut self) {
        let unfinished = self.work.take().filter(|_| self.begun);
        // Without an async runtime nothing can be waited for any more.
        if let (Some(work), Ok(runtime)) = (unfinished, tokio::runtime::Handle::try_current()) {
            runtime.spawn(work);
        }
    }
}
