//! A child that becomes another program, started without a copy of this process.

use core::arch::asm;

use crate::system::{CLONE, Outcome, done};

/// Room for what a process does before it becomes another program.
const STACK: usize = 64 << 10;

#[repr(C, align(16))]
struct Stack([u8; STACK]);

static mut OF_CHILD: Stack = Stack([0; STACK]);

/// A child that starts with `entry` and has all memory in common with this process, which waits until
/// the child has become another program or has ended: nothing of this process is copied.
///
/// # Safety
/// `entry` must take what `argument` points to, and what it writes must be of no use to this process.
pub unsafe fn start(entry: unsafe extern "C" fn(*mut ()) -> !, argument: *mut ()) -> Outcome<u32> {
    const SIGCHLD: usize = 17;
    const SHARED_MEMORY: usize = 0x100;
    const WAIT: usize = 0x4000;
    let flags = SHARED_MEMORY | WAIT | SIGCHLD;
    // The stack grows downwards.
    let stack = (&raw mut OF_CHILD).wrapping_add(1) as usize;
    // SAFETY: the child has a stack of its own, which no other child uses: this process has one thread
    // and goes on only when the child has left the memory. The rest is the caller's to know.
    done(unsafe { clone_into(flags, stack, entry, argument) }).map(|child| child as u32)
}

/// # Safety
/// `stack` must be the aligned end of a stack that nothing uses as long as the child has this memory.
#[cfg(target_arch = "x86_64")]
unsafe fn clone_into(
    flags: usize,
    stack: usize,
    entry: unsafe extern "C" fn(*mut ()) -> !,
    argument: *mut (),
) -> isize {
    let result: isize;
    // SAFETY: the child never comes out of this: it calls what does not return. It finds in its
    // registers what this process has in them, but for the stack.
    unsafe {
        asm!("syscall", "test rax, rax", "jnz 2f", "xor ebp, ebp", "mov rdi, r12", "call r13", "ud2",
             "2:",
             inlateout("rax") CLONE as isize => result,
             in("rdi") flags, in("rsi") stack, in("rdx") 0_usize, in("r10") 0_usize, in("r8") 0_usize,
             in("r12") argument, in("r13") entry,
             lateout("rcx") _, lateout("r11") _);
    }
    result
}

/// # Safety
/// As above.
#[cfg(target_arch = "aarch64")]
unsafe fn clone_into(
    flags: usize,
    stack: usize,
    entry: unsafe extern "C" fn(*mut ()) -> !,
    argument: *mut (),
) -> isize {
    let result: isize;
    // SAFETY: as above, by the convention of this machine.
    unsafe {
        asm!("svc 0", "cbnz x0, 2f", "mov x29, 0", "mov x0, {argument}", "blr {entry}", "brk 1", "2:",
             argument = in(reg) argument, entry = in(reg) entry,
             in("x8") CLONE, inlateout("x0") flags as isize => result,
             in("x1") stack, in("x2") 0_usize, in("x3") 0_usize, in("x4") 0_usize);
    }
    result
}
