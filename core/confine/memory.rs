//! What the compiler expects of a C library: to copy, fill and compare memory.

/// # Safety
/// As in C.
#[unsafe(no_mangle)]
unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    for at in 0..count {
        // SAFETY: the caller gives two ranges of `count` bytes.
        unsafe { to.add(at).write(from.add(at).read()) };
    }
    to
}

/// # Safety
/// As in C.
#[unsafe(no_mangle)]
unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    if to.cast_const() < from {
        // SAFETY: as asked of the caller; in this order no byte is overwritten before it is read.
        return unsafe { memcpy(to, from, count) };
    }
    for at in (0..count).rev() {
        // SAFETY: as above, from the other end.
        unsafe { to.add(at).write(from.add(at).read()) };
    }
    to
}

/// # Safety
/// As in C.
#[unsafe(no_mangle)]
unsafe extern "C" fn memset(to: *mut u8, byte: i32, count: usize) -> *mut u8 {
    for at in 0..count {
        // SAFETY: the caller gives a range of `count` bytes.
        unsafe { to.add(at).write(byte as u8) };
    }
    to
}

/// # Safety
/// As in C.
#[unsafe(no_mangle)]
unsafe extern "C" fn memcmp(one: *const u8, other: *const u8, count: usize) -> i32 {
    for at in 0..count {
        // SAFETY: the caller gives two ranges of `count` bytes.
        let (one, other) = unsafe { (one.add(at).read(), other.add(at).read()) };
        if one != other {
            return i32::from(one) - i32::from(other);
        }
    }
    0
}

/// # Safety
/// As in C.
#[unsafe(no_mangle)]
unsafe extern "C" fn bcmp(one: *const u8, other: *const u8, count: usize) -> i32 {
    // SAFETY: as asked of the caller.
    unsafe { memcmp(one, other, count) }
}
