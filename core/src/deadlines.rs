//! Background work: one queue of deadlines for each runtime.
//!
//! Systems have work that nobody waits for: pruning the store, forgetting secrets whose time is over,
//! reminders, timed runs. Each such piece is a job with a deadline in [`Deadlines`]; nothing else in
//! toolkeep sleeps in the background.
//!
//! A task of the host's async runtime drives the queue. It exists only while a job waits, and sleeps on
//! the runtime's [`Clock`], so a test with a [`ManualClock`](crate::clock::ManualClock) decides when jobs
//! run. If that async runtime ends, the jobs stay, and the next one that adds a job drives them all.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use futures_util::future::BoxFuture;
use tokio::runtime::{self, Handle};
use tokio::sync::Notify;

use crate::clock::Clock;

/// A piece of work. It must not block its thread.
pub(crate) type Job = Box<dyn FnOnce() -> BoxFuture<'static, ()> + Send>;

/// The jobs of one runtime that wait for their time.
pub(crate) struct Deadlines {
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
    /// Fires when the first deadline may be another one.
    changed: Arc<Notify>,
}

#[derive(Default)]
struct State {
    /// By deadline, in milliseconds since 1970-01-01T00:00:00Z, then in the order in which they came.
    jobs: BTreeMap<(i64, u64), Job>,
    next_number: u64,
    /// The async runtimes that have a driver.
    drivers: Vec<runtime::Id>,
    is_closed: bool,
}

impl Deadlines {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Arc<Deadlines> {
        Arc::new(Deadlines { clock, state: Mutex::default(), changed: Arc::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a job. It runs at this time or later, once. After [`close`](Deadlines::close) it is dropped.
    ///
    /// Outside an async runtime the job waits until one that adds another drives the queue.
    pub(crate) fn add(self: &Arc<Deadlines>, at_ms: i64, job: Job) {
        let mut state = self.state();
        if state.is_closed {
            drop(state);
            return drop(job);
        }
        let number = state.next_number;
        state.next_number += 1;
        state.jobs.insert((at_ms, number), job);
        let here = Handle::try_current().ok().filter(|here| !state.drivers.contains(&here.id()));
        state.drivers.extend(here.as_ref().map(Handle::id));
        drop(state);
        match here {
            Some(here) => {
                let driver = Driver { deadlines: Arc::downgrade(self), runtime: here.id() };
                here.spawn(driver.drive(self.clock.clone(), self.changed.clone()));
            }
            None => self.changed.notify_waiters(),
        }
    }

    /// When the next job is due, in milliseconds since 1970-01-01T00:00:00Z.
    pub(crate) fn next(&self) -> Option<i64> {
        self.state().jobs.keys().next().map(|(at_ms, _)| *at_ms)
    }

    /// Drops all jobs, and takes no more.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        let jobs = std::mem::take(&mut state.jobs);
        drop(state);
        drop(jobs);
        self.changed.notify_waiters();
    }

    /// A job that is due.
    fn take_due(&self) -> Option<Job> {
        let now_ms = self.clock.now_ms();
        let mut state = self.state();
        let first = state.jobs.first_entry()?;
        (first.key().0 <= now_ms).then(|| first.remove())
    }

    /// When the next job is due. `None` if none waits: then the driver of this runtime is no longer one.
    fn next_or_leave(&self, runtime: runtime::Id) -> Option<i64> {
        let mut state = self.state();
        let next = state.jobs.keys().next().map(|(at_ms, _)| *at_ms);
        if next.is_none() {
            state.drivers.retain(|driver| *driver != runtime);
        }
        next
    }
}

impl Drop for Deadlines {
    fn drop(&mut self) {
        self.changed.notify_waiters();
    }
}

/// The task that runs jobs. It does not keep the queue alive while it sleeps.
struct Driver {
    deadlines: Weak<Deadlines>,
    runtime: runtime::Id,
}

impl Driver {
    async fn drive(self, clock: Arc<dyn Clock>, changed: Arc<Notify>) {
        loop {
            // Registered before the look, so that no change in between is missed.
            let change = changed.notified();
            let Some(deadlines) = self.deadlines.upgrade() else { return };
            while let Some(job) = deadlines.take_due() {
                // A task of its own: a long job keeps no other waiting.
                tokio::spawn(job());
            }
            let Some(next) = deadlines.next_or_leave(self.runtime) else { return };
            drop(deadlines);
            tokio::select! {
                () = clock.sleep_until(next) => {}
                () = change => {}
            }
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // The async runtime may have ended in the middle: another one can drive then.
        if let Some(deadlines) = self.deadlines.upgrade() {
            deadlines.state().drivers.retain(|driver| *driver != self.runtime);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::clock::ManualClock;

    fn counting(count: &Arc<AtomicUsize>) -> Job {
        let count = count.clone();
        Box::new(move || {
            Box::pin(async move {
                count.fetch_add(1, Ordering::SeqCst);
            })
        })
    }

    async fn settle() {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn a_job_runs_when_the_clock_shows_its_time_and_only_once() {
        let clock = Arc::new(ManualClock::at(1_000));
        let deadlines = Deadlines::new(clock.clone());
        let count = Arc::new(AtomicUsize::new(0));
        deadlines.add(3_000, counting(&count));
        deadlines.add(2_000, counting(&count));
        assert_eq!(deadlines.next(), Some(2_000));
        settle().await;
        assert_eq!(count.load(Ordering::SeqCst), 0);
        clock.advance(1_000);
        settle().await;
        assert_eq!((count.load(Ordering::SeqCst), deadlines.next()), (1, Some(3_000)));
        clock.advance(5_000);
        settle().await;
        assert_eq!((count.load(Ordering::SeqCst), deadlines.next()), (2, None));
        // The driver has left; the next job brings another.
        deadlines.add(0, counting(&count));
        settle().await;
        assert_eq!(count.load(Ordering::SeqCst), 3);
    }

    #[tokio::test]
    async fn a_job_that_comes_later_may_be_due_earlier() {
        let clock = Arc::new(ManualClock::at(0));
        let deadlines = Deadlines::new(clock.clone());
        let count = Arc::new(AtomicUsize::new(0));
        deadlines.add(9_000, counting(&count));
        settle().await;
        deadlines.add(10, counting(&count));
        settle().await;
        clock.advance(10);
        settle().await;
        assert_eq!((count.load(Ordering::SeqCst), deadlines.next()), (1, Some(9_000)));
    }

    #[test]
    fn jobs_outlive_the_async_runtime_that_drove_them() {
        let clock = Arc::new(ManualClock::at(0));
        let deadlines = Deadlines::new(clock.clone());
        let count = Arc::new(AtomicUsize::new(0));
        let runtime = || tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime().block_on(async {
            deadlines.add(5, counting(&count));
            settle().await;
        });
        clock.advance(5);
        runtime().block_on(async {
            deadlines.add(5, counting(&count));
            settle().await;
        });
        assert_eq!(count.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn nothing_runs_once_it_is_closed() {
        let clock = Arc::new(ManualClock::at(0));
        let deadlines = Deadlines::new(clock.clone());
        let count = Arc::new(AtomicUsize::new(0));
        deadlines.add(5, counting(&count));
        deadlines.close();
        deadlines.add(1, counting(&count));
        clock.advance(50);
        settle().await;
        assert_eq!((count.load(Ordering::SeqCst), deadlines.next()), (0, None));
        assert_eq!(Arc::strong_count(&count), 1, "what a job holds goes with it");
    }
}
