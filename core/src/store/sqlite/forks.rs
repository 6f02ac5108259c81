//! SQLite and forks of the process.
//!
//! SQLite has state of the whole process: mutexes, and for each file the locks that connections of this
//! process have on it. A child that was forked must find the mutexes free, and must not take the locks of its
//! parent for its own: the parent holds them, and goes on to write.

use std::ffi::{CStr, c_char, c_int};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use rusqlite::ffi;

use crate::fork::{self, Lazy};

/// The mutexes of the whole process, in the order in which SQLite takes one while it has another.
const MUTEXES: [c_int; 7] = [
    ffi::SQLITE_MUTEX_STATIC_OPEN,
    ffi::SQLITE_MUTEX_STATIC_VFS1,
    ffi::SQLITE_MUTEX_STATIC_PRNG,
    ffi::SQLITE_MUTEX_STATIC_MAIN,
    ffi::SQLITE_MUTEX_STATIC_LRU,
    ffi::SQLITE_MUTEX_STATIC_PMEM,
    ffi::SQLITE_MUTEX_STATIC_MEM,
];

static FOUND: [AtomicPtr<ffi::sqlite3_mutex>; MUTEXES.len()] =
    [const { AtomicPtr::new(ptr::null_mut()) }; MUTEXES.len()];

static READY: Lazy<()> = Lazy::new(|| {
    // SAFETY: SQLite may be set up from any thread, and gives mutexes of its own, which never end. The
    // handlers are functions of this library; they only take and give back these mutexes.
    unsafe {
        ffi::sqlite3_initialize();
        for (found, kind) in FOUND.iter().zip(MUTEXES) {
            found.store(ffi::sqlite3_mutex_alloc(kind), Ordering::SeqCst);
        }
        #[cfg(target_pointer_width = "64")]
        look_at_files_by(&[(c"stat", stat as *const ()), (c"fstat", fstat as *const ())]);
        libc::pthread_atfork(Some(take_all), Some(give_back), Some(give_back));
    }
});

/// Prepares SQLite for forks. Before the first connection is opened.
pub(super) fn prepare() {
    *READY
}

unsafe extern "C" fn take_all() {
    for mutex in &FOUND {
        // SAFETY: a mutex of SQLite's, or null, which it takes for one that needs no locking.
        unsafe { ffi::sqlite3_mutex_enter(mutex.load(Ordering::SeqCst)) };
    }
}

unsafe extern "C" fn give_back() {
    for mutex in FOUND.iter().rev() {
        // SAFETY: as above, and this thread, or the one that it was forked from, has taken it.
        unsafe { ffi::sqlite3_mutex_leave(mutex.load(Ordering::SeqCst)) };
    }
}

/// Has SQLite use these functions of ours in the place of the system's.
///
/// # Safety
/// Each has the signature of the function that it stands for.
#[cfg(target_pointer_width = "64")]
unsafe fn look_at_files_by(functions: &[(&CStr, *const ())]) {
    // SAFETY: SQLite has a VFS by default, which lives as long as the process, and compares the names only.
    unsafe {
        let vfs = ffi::sqlite3_vfs_find(ptr::null());
        let Some(replace) = vfs.as_ref().and_then(|vfs| vfs.xSetSystemCall) else { return };
        for (name, function) in functions {
            let function = std::mem::transmute::<*const (), ffi::sqlite3_syscall_ptr>(*function);
            replace(vfs, name.as_ptr(), function);
        }
    }
}

/// Shows the file as one of another device than any that was seen before the last fork: SQLite knows files
/// by device and number, and so does not find what it knows of the same file in the parent.
#[cfg(target_pointer_width = "64")]
fn mark(found: &mut libc::stat) {
    let generation = fork::generation().wrapping_mul(0x0100_0001);
    #[expect(clippy::cast_possible_wrap, reason = "any other number will do")]
    #[cfg(target_os = "macos")]
    let generation = generation as i32;
    found.st_dev = found.st_dev.wrapping_add(generation.into());
}

#[cfg(target_pointer_width = "64")]
unsafe extern "C" fn stat(path: *const c_char, found: *mut libc::stat) -> c_int {
    // SAFETY: SQLite gives a path and a place for the answer.
    unsafe {
        let result = libc::stat(path, found);
        if result == 0 {
            mark(&mut *found);
        }
        result
    }
}

#[cfg(target_pointer_width = "64")]
unsafe extern "C" fn fstat(file: c_int, found: *mut libc::stat) -> c_int {
    // SAFETY: SQLite gives an open file and a place for the answer.
    unsafe {
        let result = libc::fstat(file, found);
        if result == 0 {
            mark(&mut *found);
        }
        result
    }
}
