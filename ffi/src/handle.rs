//! Handles: pointers that C holds and cannot look into.
//!
//! Each allocation starts with a word that tells its kind. NULL, a handle of another kind and, as
//! long as its memory was not used again, a handle that was freed are told from a good one.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use toolkeep::{Code, Error};

/// The word of a handle that was freed.
const FREED: u64 = 0;

/// A type that C sees as an opaque struct.
pub(crate) trait Opaque: Sized {
    /// What the handle holds.
    type Inside;
    /// The word that tells the kind.
    const KIND: u64;
    /// The name in C, for messages.
    const NAME: &'static str;
}

/// What a handle points to.
#[repr(C)]
pub(crate) struct Allocation<O: Opaque> {
    kind: AtomicU64,
    inside: O::Inside,
}

impl<O: Opaque> std::ops::Deref for Allocation<O> {
    type Target = O::Inside;

    fn deref(&self) -> &O::Inside {
        &self.inside
    }
}

/// Makes a handle; C owns it.
pub(crate) fn give<O: Opaque>(inside: O::Inside) -> *mut O {
    share(inside).1
}

/// Makes a handle of which the library keeps a share: its memory stays good for as long as either
/// has one, so that a handle which C consumed can still be told from a good one.
pub(crate) fn share<O: Opaque>(inside: O::Inside) -> (Arc<Allocation<O>>, *mut O) {
    let kept = Arc::new(Allocation::<O> { kind: AtomicU64::new(O::KIND), inside });
    let given = Arc::into_raw(Arc::clone(&kept)).cast_mut().cast::<O>();
    (kept, given)
}

/// Looks at what a handle holds.
///
/// # Safety
/// `handle` is NULL or came from [`give`] or [`share`] of any kind, and nothing frees it before
/// the answer's last use.
pub(crate) unsafe fn look<'h, O: Opaque>(handle: *const O) -> Result<&'h O::Inside, Error> {
    let allocation = handle.cast::<Allocation<O>>();
    if !allocation.is_null() && allocation.is_aligned() {
        // SAFETY: the caller vouches for the memory, and every kind starts with this word.
        let kind = unsafe { &*allocation.cast::<AtomicU64>() };
        if kind.load(Ordering::Acquire) == O::KIND {
            // SAFETY: the word says that this is an allocation of `O`.
            return Ok(unsafe { &(*allocation).inside });
        }
    }
    Err(invalid::<O>(handle))
}

/// Takes a handle back from C. None if it is no handle of this kind.
///
/// # Safety
/// `handle` is NULL or came from [`give`] or [`share`] of any kind. After this C's share is gone.
pub(crate) unsafe fn take<O: Opaque>(handle: *mut O) -> Option<Arc<Allocation<O>>> {
    let allocation = handle.cast::<Allocation<O>>();
    if allocation.is_null() || !allocation.is_aligned() {
        return None;
    }
    // SAFETY: the caller vouches for the memory, and every kind starts with this word.
    let kind = unsafe { &*allocation.cast::<AtomicU64>() };
    // One of two that free the same handle at once must lose.
    kind.compare_exchange(O::KIND, FREED, Ordering::AcqRel, Ordering::Acquire).ok()?;
    // SAFETY: the word said that this is an allocation of `O`, and it says so once.
    Some(unsafe { Arc::from_raw(allocation) })
}

/// Takes a handle back, and what it holds out of it. None if it is no handle of this kind, or if
/// the library still uses it.
///
/// # Safety
/// As [`take`].
pub(crate) unsafe fn take_inside<O: Opaque>(handle: *mut O) -> Option<O::Inside> {
    // SAFETY: the same conditions.
    let allocation = unsafe { take(handle) }?;
    Arc::into_inner(allocation).map(|allocation| allocation.inside)
}

fn invalid<O: Opaque>(handle: *const O) -> Error {
    let name = O::NAME;
    let what = if handle.is_null() { "NULL" } else { "freed, or a handle of another kind" };
    let text = format!("the `{name} *` is {what}; give one that is open");
    Error::new(Code::InvalidHandle, text)
}

/// A place where C wants to find something.
#[derive(Clone, Copy)]
pub(crate) struct Out<T>(std::ptr::NonNull<*mut T>);

impl<T> Out<T> {
    /// Checked before any work is done for it.
    ///
    /// # Safety
    /// `out` is NULL, or may be written for as long as the export runs.
    pub(crate) unsafe fn new(out: *mut *mut T) -> Result<Out<T>, Error> {
        std::ptr::NonNull::new(out).map(Out).ok_or_else(|| {
            let text = "the out parameter is NULL; give the address of a pointer";
            Error::new(Code::InvalidArgument, text)
        })
    }

    /// Hands something over; C owns it.
    pub(crate) fn put(self, given: *mut T) {
        // SAFETY: `new` was promised that this may be written.
        unsafe { self.0.write(given) };
    }
}
