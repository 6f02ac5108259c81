//! Work that several wait for, and that any of them carries on.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Wake, Waker};

use futures_util::future::BoxFuture;

/// Work that goes on as long as anybody who holds a copy polls it. Whoever polled it first may be
/// on an async runtime that nobody drives any more: the others do not depend on that one.
#[derive(Clone)]
pub(crate) struct Joint(Arc<Inner>);

/// A [`Joint`] that does not keep the work.
#[derive(Clone, Debug, Default)]
pub(crate) struct WeakJoint(Weak<Inner>);

struct Inner {
    /// None once it is done, or has panicked. The lock is held while the work is polled, never
    /// while it waits.
    work: Mutex<Option<BoxFuture<'static, ()>>>,
    done: AtomicBool,
    waiting: Arc<Waiting>,
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Joint").field("done", &self.done).finish_non_exhaustive()
    }
}

/// Everybody who polled the work since it last got on.
#[derive(Default)]
struct Waiting(Mutex<Vec<Waker>>);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Wake for Waiting {
    fn wake(self: Arc<Waiting>) {
        let waiting = std::mem::take(&mut *locked(&self.0));
        waiting.into_iter().for_each(Waker::wake);
    }
}

impl Joint {
    pub(crate) fn new(work: impl Future<Output = ()> + Send + 'static) -> Joint {
        Joint(Arc::new(Inner {
            work: Mutex::new(Some(Box::pin(work))),
            done: AtomicBool::new(false),
            waiting: Arc::default(),
        }))
    }

    pub(crate) fn downgrade(&self) -> WeakJoint {
        WeakJoint(Arc::downgrade(&self.0))
    }
}

impl WeakJoint {
    /// The work, if it is not done and somebody still holds it.
    pub(crate) fn upgrade(&self) -> Option<Joint> {
        self.0.upgrade().filter(|inner| !inner.done.load(Ordering::Acquire)).map(Joint)
    }
}

impl Future for Joint {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let Inner { work, done, waiting } = &*self.0;
        {
            let mut waiting = locked(&waiting.0);
            if !waiting.iter().any(|waker| waker.will_wake(cx.waker())) {
                waiting.push(cx.waker().clone());
            }
        }
        let mut held = locked(work);
        let Some(mut work) = held.take() else { return Poll::Ready(()) };
        let waker = Waker::from(waiting.clone());
        let polled = catch_unwind(AssertUnwindSafe(|| {
            let polled = work.as_mut().poll(&mut Context::from_waker(&waker));
            (polled.is_pending()).then_some(work)
        }));
        if let Ok(Some(work)) = polled {
            *held = Some(work);
            return Poll::Pending;
        }
        done.store(true, Ordering::Release);
        drop(held);
        waker.wake();
        match polled {
            Ok(_) => Poll::Ready(()),
            Err(panic) => resume_unwind(panic),
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt as _, poll};
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn work_goes_on_though_whoever_polled_it_first_does_not() {
        let (go, gone) = oneshot::channel::<()>();
        let mut first = Joint::new(gone.map(drop));
        assert!(poll!(&mut first).is_pending());
        let second = tokio::spawn(first.clone());
        tokio::task::yield_now().await;
        go.send(()).unwrap();
        second.await.unwrap();
        assert!(poll!(&mut first).is_ready());
        assert!(first.downgrade().upgrade().is_none(), "it is done");
    }

    #[tokio::test]
    async fn work_that_panics_leaves_nobody_waiting() {
        let (go, gone) = oneshot::channel::<()>();
        let work = Joint::new(async move {
            let _ = gone.await;
            panic!("on purpose");
        });
        let waiting = [tokio::spawn(work.clone()), tokio::spawn(work)];
        tokio::task::yield_now().await;
        go.send(()).unwrap();
        let ended = futures_util::future::join_all(waiting).await;
        assert_eq!(ended.iter().filter(|one| one.is_err()).count(), 1);
    }
}
