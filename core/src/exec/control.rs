//! What a running command is asked to do by others: to end, to take a signal, to read more input.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::event::EventfdFlags;

/// Asks things of the thread that waits for a command. All copies speak to the same one.
#[derive(Clone, Debug)]
pub(crate) struct Control(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Wakes the thread.
    wake: OwnedFd,
    wishes: Mutex<Wishes>,
    /// How many bytes were given that it has not read.
    unread: AtomicUsize,
}

/// What was asked and is not done yet.
#[derive(Debug, Default)]
pub(super) struct Wishes {
    pub(super) cancelled: bool,
    pub(super) signals: Vec<u8>,
    pub(super) input: Vec<u8>,
    pub(super) end_of_input: bool,
}

/// How much input may wait to be read.
pub(crate) const MOST_INPUT: usize = 1024 * 1024;

impl Control {
    /// # Errors
    /// Where the system gives no descriptor.
    pub(crate) fn new() -> io::Result<Control> {
        let wake = rustix::event::eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Control(Arc::new(Inner { wake, wishes: Mutex::default(), unread: AtomicUsize::new(0) })))
    }

    /// Ends the command, now or as soon as it starts.
    pub(crate) fn cancel(&self) {
        self.lock().cancelled = true;
        self.wake();
    }

    /// Sends a signal to its group of processes.
    pub(crate) fn signal(&self, signal: u8) {
        self.lock().signals.push(signal);
        self.wake();
    }

    /// Gives it more input, after what it has not read yet, and where that `is_all` ends it. False
    /// where there is no room for so much.
    pub(crate) fn give(&self, bytes: &[u8], is_all: bool) -> bool {
        {
            let mut wishes = self.lock();
            // It only grows under the lock.
            if self.0.unread.load(Ordering::Acquire) + bytes.len() > MOST_INPUT {
                return false;
            }
            self.0.unread.fetch_add(bytes.len(), Ordering::AcqRel);
            wishes.input.extend(bytes);
            wishes.end_of_input |= is_all;
        }
        self.wake();
        true
    }

    /// Says that so much of what was given has been read, or never will be.
    pub(super) fn has_read(&self, bytes: usize) {
        let less = |unread: usize| Some(unread.saturating_sub(bytes));
        let _ = self.0.unread.fetch_update(Ordering::AcqRel, Ordering::Acquire, less);
    }

    pub(super) fn woken(&self) -> BorrowedFd<'_> {
        self.0.wake.as_fd()
    }

    /// What was asked since the last time.
    pub(super) fn take(&self) -> Wishes {
        let _ = rustix::io::read(&self.0.wake, &mut [0; 8]);
        std::mem::take(&mut *self.lock())
    }

    fn wake(&self) {
        let _ = rustix::io::write(&self.0.wake, &1_u64.to_ne_bytes());
    }

    fn lock(&self) -> MutexGuard<'_, Wishes> {
        self.0.wishes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
