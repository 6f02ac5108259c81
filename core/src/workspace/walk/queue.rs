//! Work that several threads take from, and add to while they do it.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A stack of work. It is done when it is empty and nobody works who could add to it.
pub(super) struct Queue<W> {
    state: Mutex<State<W>>,
    changed: Condvar,
}

struct State<W> {
    work: Vec<W>,
    busy: usize,
    waiting: usize,
    is_stopped: bool,
}

/// A thread that takes work.
pub(super) struct Taker<'q, W> {
    queue: &'q Queue<W>,
    is_busy: bool,
}

impl<W> Queue<W> {
    pub(super) fn new() -> Queue<W> {
        let state = State { work: Vec::new(), busy: 0, waiting: 0, is_stopped: false };
        Queue { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// How much waits.
    pub(super) fn len(&self) -> usize {
        self.state().work.len()
    }

    /// Adds work. The last of it is taken first.
    pub(super) fn add(&self, work: impl Iterator<Item = W>) {
        let mut state = self.state();
        state.work.extend(work);
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }

    pub(super) fn taker(&self) -> Taker<'_, W> {
        Taker { queue: self, is_busy: false }
    }

    fn state(&self) -> MutexGuard<'_, State<W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W> Taker<'_, W> {
    /// The next piece, when the one before is done. `None` if there is none any more.
    pub(super) fn next(&mut self) -> Option<W> {
        let mut state = self.queue.state();
        if self.is_busy {
            state.busy -= 1;
            self.is_busy = false;
        }
        loop {
            if state.is_stopped {
                return None;
            }
            if let Some(work) = state.work.pop() {
                state.busy += 1;
                self.is_busy = true;
                return Some(work);
            }
            if state.busy == 0 {
                self.queue.changed.notify_all();
                return None;
            }
            state.waiting += 1;
            state = self.queue.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
    }
}

impl<W> Drop for Taker<'_, W> {
    /// Who leaves in the middle of the work stops it for all.
    fn drop(&mut self) {
        if self.is_busy {
            let mut state = self.queue.state();
            state.busy -= 1;
            state.is_stopped = true;
            state.work.clear();
            self.queue.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn all_work_is_done_once_whoever_adds_it() {
        let queue = Queue::new();
        queue.add([12_usize].into_iter());
        let done = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut taker = queue.taker();
                    while let Some(depth) = taker.next() {
                        done.fetch_add(1, Ordering::Relaxed);
                        queue.add([depth.saturating_sub(1); 2].into_iter().filter(|_| depth > 0));
                    }
                });
            }
        });
        assert_eq!(done.into_inner(), (1 << 13) - 1);
    }

    #[test]
    fn who_leaves_in_the_middle_stops_the_others() {
        let queue = Queue::new();
        queue.add(0..1_000_000);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let mut taker = queue.taker();
                while taker.next().is_some() {
                    std::thread::yield_now();
                }
            });
            let mut taker = queue.taker();
            taker.next();
            drop(taker);
            waiting.join().unwrap();
        });
        assert_eq!(queue.len(), 0);
    }
}
