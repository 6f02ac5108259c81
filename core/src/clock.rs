//! Time as the runtime sees it, so that a test can set it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::future::BoxFuture;
use tokio::sync::Notify;

/// Where the runtime reads the time of day, and waits for it in background work. Deadlines of calls do
/// not use it: they run on the async runtime's own monotonic clock.
pub trait Clock: Send + Sync + 'static {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    fn now_ms(&self) -> i64;

    /// Ends when the clock shows this time, or earlier: whoever waits looks at the clock again.
    fn sleep_until(&self, at_ms: i64) -> BoxFuture<'static, ()> {
        let wait = u64::try_from(at_ms.saturating_sub(self.now_ms())).unwrap_or_default();
        // The one wait of background work for the time of day. A test's clock is moved instead.
        Box::pin(tokio::time::sleep(Duration::from_millis(wait)))
    }

    /// The time that many milliseconds ago.
    fn ms_ago(&self, age_ms: u64) -> i64 {
        self.now_ms().saturating_sub(i64::try_from(age_ms).unwrap_or(i64::MAX))
    }
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX)
    }
}

/// A clock that stands still until it is moved. Background work that falls due then runs at once.
#[derive(Debug, Default)]
pub struct ManualClock(Arc<Hands>);

#[derive(Debug, Default)]
struct Hands {
    now_ms: AtomicI64,
    moved: Notify,
}

impl ManualClock {
    /// A clock that shows the given time, in milliseconds since 1970-01-01T00:00:00Z.
    pub fn at(now_ms: i64) -> ManualClock {
        ManualClock(Arc::new(Hands { now_ms: AtomicI64::new(now_ms), moved: Notify::new() }))
    }

    /// Moves the clock by that many milliseconds.
    pub fn advance(&self, by_ms: i64) {
        self.0.now_ms.fetch_add(by_ms, Ordering::SeqCst);
        self.0.moved.notify_waiters();
    }
}

impl Clock for ManualClock {
    fn now_ms(&self) -> i64 {
        self.0.now_ms.load(Ordering::SeqCst)
    }

    fn sleep_until(&self, at_ms: i64) -> BoxFuture<'static, ()> {
        let hands = self.0.clone();
        Box::pin(async move {
            loop {
                // Registered before the look, so that no move in between is missed.
                let moved = hands.moved.notified();
                if hands.now_ms.load(Ordering::SeqCst) >= at_ms {
                    return;
                }
                moved.await;
            }
        })
    }
}
