//! A deadline that does not depend on who began to wait for it.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;

use tokio::runtime::{self, Handle};
use tokio::time::{Instant, Sleep, sleep_until};

/// The time is over.
#[derive(Debug)]
pub(super) struct TooLate;

/// Waits until the deadline at most. A timer runs only while its async runtime is driven, and the
/// work may be carried on by another one, so there is one on each that polls.
pub(super) async fn within<T>(
    deadline: Instant,
    work: impl Future<Output = T>,
) -> Result<T, TooLate> {
    let mut work = pin!(work);
    let mut timers: Vec<(runtime::Id, Pin<Box<Sleep>>)> = Vec::new();
    poll_fn(|cx| {
        if let Poll::Ready(done) = work.as_mut().poll(cx) {
            return Poll::Ready(Ok(done));
        }
        let here = Handle::current().id();
        let known = timers.iter().position(|(runtime, _)| *runtime == here);
        let known = known.unwrap_or_else(|| {
            timers.push((here, Box::pin(sleep_until(deadline))));
            timers.len() - 1
        });
        let Some((_, timer)) = timers.get_mut(known) else { return Poll::Pending };
        timer.as_mut().poll(cx).map(|()| Err(TooLate))
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::time::Duration;

    use futures_util::{FutureExt as _, poll};
    use tokio::runtime::Builder;

    use super::*;

    #[test]
    fn a_deadline_ends_a_wait_that_was_begun_on_an_async_runtime_that_nobody_drives() {
        let runtime = || Builder::new_current_thread().enable_all().build().unwrap();
        let (first, second) = (runtime(), runtime());
        let deadline = Instant::now() + Duration::from_millis(50);
        let mut waiting = within(deadline, pending::<()>()).boxed();
        first.block_on(async { assert!(poll!(&mut waiting).is_pending()) });
        assert!(second.block_on(waiting).is_err());
    }
}
