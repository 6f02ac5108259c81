//! Forks of the process.
//!
//! A child that was forked has one thread. What another thread of the parent had locked at the fork stays
//! locked in the child, and whoever waits for it there waits for ever. So a thread touches what the whole
//! process shares within [`hold`], and a fork waits until no thread is in one. The work must be short, wait
//! for nobody, and call no code of the host's.

use std::cell::Cell;
use std::ops::Deref;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// Forks that wait for holders, or have just been made.
static FORKING: AtomicUsize = AtomicUsize::new(0);
/// Threads that are within [`hold`].
static HOLDERS: AtomicUsize = AtomicUsize::new(0);
static GENERATION: AtomicU32 = AtomicU32::new(0);
static IS_WATCHED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// How long to wait between two looks.
const PAUSE: Duration = Duration::from_micros(50);

/// Does work with what the whole process shares, while the process is not forked.
pub(crate) fn hold<T>(work: impl FnOnce() -> T) -> T {
    watch();
    let _held = Held::begin();
    work()
}

/// How many forks lie between this process and the first one that used toolkeep.
pub(crate) fn generation() -> u32 {
    GENERATION.load(Ordering::Relaxed)
}

/// A value of the whole process, made when it is first used.
pub(crate) struct Lazy<T> {
    cell: OnceLock<T>,
    make: fn() -> T,
}

impl<T> Lazy<T> {
    pub(crate) const fn new(make: fn() -> T) -> Lazy<T> {
        Lazy { cell: OnceLock::new(), make }
    }
}

impl<T> Deref for Lazy<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // A thread that waits for another to make it is a holder as well; both come to an end.
        self.cell.get().unwrap_or_else(|| hold(|| self.cell.get_or_init(self.make)))
    }
}

struct Held;

impl Held {
    fn begin() -> Held {
        let depth = DEPTH.get();
        DEPTH.set(depth + 1);
        if depth > 0 {
            return Held;
        }
        loop {
            HOLDERS.fetch_add(1, Ordering::SeqCst);
            if FORKING.load(Ordering::SeqCst) == 0 {
                return Held;
            }
            HOLDERS.fetch_sub(1, Ordering::SeqCst);
            thread::sleep(PAUSE);
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let depth = DEPTH.get() - 1;
        DEPTH.set(depth);
        if depth == 0 {
            HOLDERS.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// Has the C library tell of forks from now on.
fn watch() {
    if !IS_WATCHED.load(Ordering::Relaxed) && !IS_WATCHED.swap(true, Ordering::SeqCst) {
        // SAFETY: the handlers are functions of this library. They neither allocate nor lock.
        unsafe { libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child)) };
    }
}

/// Holders that the forking thread does not count as others: itself, if it is one.
fn own() -> usize {
    usize::from(DEPTH.get() > 0)
}

unsafe extern "C" fn before() {
    FORKING.fetch_add(1, Ordering::SeqCst);
    while HOLDERS.load(Ordering::SeqCst) > own() {
        thread::sleep(PAUSE);
    }
}

unsafe extern "C" fn in_parent() {
    FORKING.fetch_sub(1, Ordering::SeqCst);
}

unsafe extern "C" fn in_child() {
    HOLDERS.store(own(), Ordering::SeqCst);
    FORKING.store(0, Ordering::SeqCst);
    GENERATION.fetch_add(1, Ordering::Relaxed);
}
