//! The system calls that the program makes, as thin as they are: a C library is neither linked nor
//! expected on the machine.

use core::arch::asm;

/// What the kernel answers where a call fails: the number of the error.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Errno(pub u32);

pub const ESRCH: Errno = Errno(3);
pub const EINTR: Errno = Errno(4);
pub const EINVAL: Errno = Errno(22);
pub const E2BIG: Errno = Errno(7);

pub type Outcome<T> = Result<T, Errno>;

#[cfg(target_arch = "x86_64")]
pub mod number {
    pub const READ: usize = 0;
    pub const WRITE: usize = 1;
    pub const CLOSE: usize = 3;
    pub const FSTAT: usize = 5;
    pub const MMAP: usize = 9;
    pub const MUNMAP: usize = 11;
    pub const SIGPROCMASK: usize = 14;
    pub const SIGACTION: usize = 13;
    pub const IOCTL: usize = 16;
    pub const SOCKET: usize = 41;
    pub const SENDMSG: usize = 46;
    pub const RECVMSG: usize = 47;
    pub const BIND: usize = 49;
    pub const LISTEN: usize = 50;
    pub const SETSOCKOPT: usize = 54;
    pub const CLONE: usize = 56;
    pub const WAIT4: usize = 61;
    pub const KILL: usize = 62;
    pub const UMASK: usize = 95;
    pub const SETSID: usize = 112;
    pub const CHDIR: usize = 80;
    pub const CAPSET: usize = 126;
    pub const PRCTL: usize = 157;
    pub const MOUNT: usize = 165;
    pub const EXIT: usize = 231;
    pub const OPENAT: usize = 257;
    pub const PPOLL: usize = 271;
    pub const UNSHARE: usize = 272;
    pub const SIGNALFD: usize = 289;
    pub const DUP3: usize = 292;
    pub const PIPE2: usize = 293;
    pub const PRLIMIT: usize = 302;
    pub const SECCOMP: usize = 317;
    pub const EXECVEAT: usize = 322;
    pub const GETPID: usize = 39;
    pub const GETPPID: usize = 110;
}

#[cfg(target_arch = "aarch64")]
pub mod number {
    pub const READ: usize = 63;
    pub const WRITE: usize = 64;
    pub const CLOSE: usize = 57;
    pub const FSTAT: usize = 80;
    pub const MMAP: usize = 222;
    pub const MUNMAP: usize = 215;
    pub const SIGPROCMASK: usize = 135;
    pub const SIGACTION: usize = 134;
    pub const IOCTL: usize = 29;
    pub const SOCKET: usize = 198;
    pub const SENDMSG: usize = 211;
    pub const RECVMSG: usize = 212;
    pub const BIND: usize = 200;
    pub const LISTEN: usize = 201;
    pub const SETSOCKOPT: usize = 208;
    pub const CLONE: usize = 220;
    pub const WAIT4: usize = 260;
    pub const KILL: usize = 129;
    pub const UMASK: usize = 166;
    pub const SETSID: usize = 157;
    pub const CHDIR: usize = 49;
    pub const CAPSET: usize = 91;
    pub const PRCTL: usize = 167;
    pub const MOUNT: usize = 40;
    pub const EXIT: usize = 94;
    pub const OPENAT: usize = 56;
    pub const PPOLL: usize = 73;
    pub const UNSHARE: usize = 97;
    pub const SIGNALFD: usize = 74;
    pub const DUP3: usize = 24;
    pub const PIPE2: usize = 59;
    pub const PRLIMIT: usize = 261;
    pub const SECCOMP: usize = 277;
    pub const EXECVEAT: usize = 281;
    pub const GETPID: usize = 172;
    pub const GETPPID: usize = 173;
}

/// The calls that have one number on all machines.
pub mod shared {
    pub const OPEN_TREE: usize = 428;
    pub const MOVE_MOUNT: usize = 429;
    pub const CLOSE_RANGE: usize = 436;
    pub const OPENAT2: usize = 437;
    pub const MOUNT_SETATTR: usize = 442;
    pub const LANDLOCK_ADD_RULE: usize = 445;
    pub const LANDLOCK_RESTRICT_SELF: usize = 446;
}

pub use number as n;
pub use number::CLONE;
pub use shared as s;

/// # Safety
/// The arguments must be what the call of that number takes.
#[cfg(target_arch = "x86_64")]
unsafe fn call(number: usize, a: [usize; 6]) -> isize {
    let result: isize;
    // SAFETY: the registers are the kernel's own convention, and what it overwrites is named; that
    // the arguments fit is the caller's to know.
    unsafe {
        asm!("syscall", inlateout("rax") number as isize => result,
             in("rdi") a[0], in("rsi") a[1], in("rdx") a[2],
             in("r10") a[3], in("r8") a[4], in("r9") a[5],
             lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    result
}

/// # Safety
/// The arguments must be what the call of that number takes.
#[cfg(target_arch = "aarch64")]
unsafe fn call(number: usize, a: [usize; 6]) -> isize {
    let result: isize;
    // SAFETY: as above, by the convention of this machine.
    unsafe {
        asm!("svc 0", in("x8") number, inlateout("x0") a[0] as isize => result,
             in("x1") a[1], in("x2") a[2], in("x3") a[3], in("x4") a[4], in("x5") a[5],
             options(nostack));
    }
    result
}

pub fn done(result: isize) -> Outcome<usize> {
    if result < 0 { Err(Errno(result.unsigned_abs() as u32)) } else { Ok(result as usize) }
}

/// A call whose arguments are numbers, or point to what lives until it returns.
pub fn made(number: usize, arguments: &[usize]) -> Outcome<usize> {
    let mut all = [0; 6];
    all[..arguments.len()].copy_from_slice(arguments);
    // SAFETY: only functions of this program call this, each with what its call takes; they pass pointers
    // from references that outlive the call.
    done(unsafe { call(number, all) })
}

/// A text that ends in a zero byte, as it stands in the plan.
pub type Text = *const u8;

pub const AT_FDCWD: usize = -100_isize as usize;
/// Let a link at the end of a path stand for itself.
pub const NO_FOLLOW: usize = 0x100;

pub fn exit(code: u32) -> ! {
    loop {
        let _ = made(n::EXIT, &[code as usize]);
    }
}

pub fn read(file: u32, buffer: &mut [u8]) -> Outcome<usize> {
    loop {
        match made(n::READ, &[file as usize, buffer.as_mut_ptr() as usize, buffer.len()]) {
            Err(EINTR) => {}
            other => return other,
        }
    }
}

pub fn write(file: u32, bytes: &[u8]) -> Outcome<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        match made(n::WRITE, &[file as usize, rest.as_ptr() as usize, rest.len()]) {
            Ok(count) => rest = rest.get(count..).unwrap_or_default(),
            Err(EINTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

pub fn close(file: u32) {
    let _ = made(n::CLOSE, &[file as usize]);
}

/// Closes every descriptor from `first` on.
pub fn close_from(first: u32) -> Outcome<()> {
    made(s::CLOSE_RANGE, &[first as usize, u32::MAX as usize, 0]).map(drop)
}

pub fn duplicate(file: u32, to: u32) -> Outcome<()> {
    made(n::DUP3, &[file as usize, to as usize, 0]).map(drop)
}

/// Has a descriptor stand for another file, until this process becomes another program.
pub fn replace(file: u32, by: u32) -> Outcome<()> {
    made(n::DUP3, &[by as usize, file as usize, O_CLOEXEC]).map(drop)
}

pub const O_CLOEXEC: usize = 0o2_000_000;

pub fn open(path: Text, flags: usize) -> Outcome<u32> {
    made(n::OPENAT, &[AT_FDCWD, path as usize, flags | O_CLOEXEC, 0]).map(|file| file as u32)
}

pub const WRITE_ONLY: usize = 1;
/// The bytes of a file, mapped until they are [unmapped](unmap).
pub fn mapped(file: u32) -> Outcome<&'static [u8]> {
    const SIZE_AT: usize = 48 / 8;
    let mut stat = [0_u64; 18];
    made(n::FSTAT, &[file as usize, stat.as_mut_ptr() as usize])?;
    let size = stat[SIZE_AT] as usize;
    const READ: usize = 1;
    const PRIVATE: usize = 2;
    let at = made(n::MMAP, &[0, size, READ, PRIVATE, file as usize, 0])?;
    // SAFETY: the kernel has mapped `size` bytes there, and nobody who still reads them unmaps them.
    // The host has sealed the file, so they do not change.
    Ok(unsafe { core::slice::from_raw_parts(at as *const u8, size) })
}

pub fn unmap(bytes: &'static [u8]) {
    let _ = made(n::MUNMAP, &[bytes.as_ptr() as usize, bytes.len()]);
}

pub fn process() -> u32 {
    made(n::GETPID, &[]).unwrap_or(0) as u32
}

/// The process that started this one, or that took it over from that.
pub fn parent() -> u32 {
    made(n::GETPPID, &[]).unwrap_or(0) as u32
}

pub fn new_session() -> Outcome<()> {
    made(n::SETSID, &[]).map(drop)
}

/// A copy of this process, in the namespaces that the flags name. `None` in the copy.
pub fn fork(flags: u64) -> Outcome<Option<u32>> {
    const SIGCHLD: usize = 17;
    let child = made(n::CLONE, &[flags as usize | SIGCHLD, 0, 0, 0, 0])?;
    Ok(if child == 0 { None } else { Some(child as u32) })
}

/// Leaves namespaces for new ones.
pub fn unshare(flags: u64) -> Outcome<()> {
    made(n::UNSHARE, &[flags as usize]).map(drop)
}

/// How a child has ended, as `wait` tells it. `None`: none has, yet.
pub fn wait(child: i32, may_block: bool) -> Outcome<Option<(u32, u32)>> {
    const WNOHANG: usize = 1;
    let mut status = 0_u32;
    let options = if may_block { 0 } else { WNOHANG };
    loop {
        let at = (&raw mut status) as usize;
        match made(n::WAIT4, &[child as isize as usize, at, options, 0]) {
            Ok(0) => return Ok(None),
            Ok(child) => return Ok(Some((child as u32, status))),
            Err(EINTR) => {}
            Err(error) => return Err(error),
        }
    }
}

pub fn kill(process: i32, signal: u32) -> Outcome<()> {
    made(n::KILL, &[process as isize as usize, signal as usize]).map(drop)
}

pub fn control(option: usize, a: usize, b: usize) -> Outcome<()> {
    made(n::PRCTL, &[option, a, b, 0, 0]).map(drop)
}

pub fn limit(resource: u64, soft: u64, hard: u64) -> Outcome<()> {
    let new = [soft, hard];
    made(n::PRLIMIT, &[0, resource as usize, new.as_ptr() as usize, 0]).map(drop)
}

pub fn set_umask(mask: u64) {
    let _ = made(n::UMASK, &[mask as usize]);
}

pub fn change_folder(path: Text) -> Outcome<()> {
    made(n::CHDIR, &[path as usize]).map(drop)
}

/// Keeps these capabilities, permitted and effective, and no others.
pub fn keep_capabilities(kept: u64) -> Outcome<()> {
    const VERSION_3: u32 = 0x2008_0522;
    let header = [VERSION_3, 0];
    let (low, high) = (kept as u32, (kept >> 32) as u32);
    let data = [low, low, 0, high, high, 0];
    made(n::CAPSET, &[header.as_ptr() as usize, data.as_ptr() as usize]).map(drop)
}

/// Adds a rule for a path, and all that is below, to the rules of Landlock.
pub fn allow_by_landlock(rules: u32, access: u64, path: Text) -> Outcome<()> {
    const BENEATH_A_PATH: usize = 1;
    const NAME_ONLY: usize = 0o10_000_000;
    let file = open(path, NAME_ONLY)?;
    // The kernel reads twelve bytes: the access, and the descriptor.
    let rule = [access, u64::from(file).to_le()];
    let arguments = [rules as usize, BENEATH_A_PATH, rule.as_ptr() as usize, 0];
    let added = made(s::LANDLOCK_ADD_RULE, &arguments);
    close(file);
    added.map(drop)
}

pub fn restrict_by_landlock(rules: u32) -> Outcome<()> {
    made(s::LANDLOCK_RESTRICT_SELF, &[rules as usize, 0]).map(drop)
}

/// Installs a filter: a list of the kernel's 8-byte instructions.
pub fn filter_calls(program: &[u8]) -> Outcome<()> {
    const SET_MODE_FILTER: usize = 1;
    #[repr(C)]
    struct Program {
        length: u16,
        instructions: *const u8,
    }
    let length = u16::try_from(program.len() / 8).map_err(|_| E2BIG)?;
    let program = Program { length, instructions: program.as_ptr() };
    made(n::SECCOMP, &[SET_MODE_FILTER, 0, (&raw const program) as usize]).map(drop)
}

/// Becomes another program. It returns only where that fails. An empty path stands for the file of
/// the descriptor.
pub fn execute(file: Option<u32>, path: Text, words: *const Text, variables: *const Text) -> Errno {
    const EMPTY_PATH: usize = 0x1000;
    let (folder, flags) = match file {
        Some(file) => (file as usize, EMPTY_PATH),
        None => (AT_FDCWD, 0),
    };
    let arguments = [folder, path as usize, words as usize, variables as usize, flags];
    made(n::EXECVEAT, &arguments).err().unwrap_or(EINVAL)
}

pub fn pipe() -> Outcome<(u32, u32)> {
    let mut ends = [0_u32; 2];
    made(n::PIPE2, &[ends.as_mut_ptr() as usize, O_CLOEXEC])?;
    Ok((ends[0], ends[1]))
}

/// Blocks these signals (a bit for each), and no others.
pub fn block_signals(set: u64) {
    const SET: usize = 2;
    let at = (&raw const set) as usize;
    let _ = made(n::SIGPROCMASK, &[SET, at, 0, 8]);
}

/// The signals that are ignored (a bit for each): a host may ignore some, which a program would inherit.
pub fn ignored_signals() -> u64 {
    let mut ignored = 0;
    for signal in 1..=64 {
        let mut action = [0_usize; 4];
        let asked = made(n::SIGACTION, &[signal, 0, action.as_mut_ptr() as usize, 8]);
        if asked.is_ok() && action[0] == IGNORED {
            ignored |= 1 << (signal - 1);
        }
    }
    ignored
}

/// Gives these signals (a bit for each) their own effect again.
pub fn reset_signals(set: u64) {
    let default = [0_usize; 4];
    for signal in (1..=64).filter(|signal| set >> (signal - 1) & 1 == 1) {
        let _ = made(n::SIGACTION, &[signal, default.as_ptr() as usize, 0, 8]);
    }
}

/// Ignores a signal.
pub fn ignore_signal(signal: usize) {
    let ignored = [IGNORED, 0, 0, 0];
    let _ = made(n::SIGACTION, &[signal, ignored.as_ptr() as usize, 0, 8]);
}

const IGNORED: usize = 1;

pub fn signals(set: u64) -> Outcome<u32> {
    const NONBLOCK: usize = 0o4_000;
    let at = (&raw const set) as usize;
    let none = -1_isize as usize;
    made(n::SIGNALFD, &[none, at, 8, NONBLOCK | O_CLOEXEC]).map(|file| file as u32)
}

/// Waits until one of two files can be read. Which of them can.
pub fn readable(one: u32, other: u32) -> Outcome<(bool, bool)> {
    #[repr(C)]
    struct Polled {
        file: u32,
        events: u16,
        happened: u16,
    }
    const IN: u16 = 1;
    let polled = |file| Polled { file, events: IN, happened: 0 };
    let mut both = [polled(one), polled(other)];
    loop {
        match made(n::PPOLL, &[both.as_mut_ptr() as usize, 2, 0, 0, 8]) {
            Ok(_) => return Ok((both[0].happened != 0, both[1].happened != 0)),
            Err(EINTR) => {}
            Err(error) => return Err(error),
        }
    }
}

/// Sends bytes and files.
pub fn send(socket: u32, bytes: &[u8], files: &[u32]) -> Outcome<()> {
    const NO_SIGNAL: usize = 0x4000;
    let mut extra = [0_u64; 2 + MOST_FILES / 2];
    extra[0] = 16 + 4 * files.len() as u64;
    extra[1] = SOL_SOCKET_AND_RIGHTS;
    for (index, file) in files.iter().enumerate().take(MOST_FILES) {
        extra[2 + index / 2] |= u64::from(*file) << (32 * (index % 2));
    }
    let part = [bytes.as_ptr() as usize, bytes.len()];
    let message = Message {
        name: 0,
        name_length: 0,
        parts: &raw const part,
        part_count: 1,
        extra: extra.as_mut_ptr(),
        // Whole words of eight bytes.
        extra_length: 16 + files.len().div_ceil(2) * 8,
        flags: 0,
    };
    made(n::SENDMSG, &[socket as usize, (&raw const message) as usize, NO_SIGNAL]).map(drop)
}

/// How many files come with a message at most.
pub const MOST_FILES: usize = 16;

#[repr(C)]
struct Message {
    name: usize,
    name_length: usize,
    parts: *const [usize; 2],
    part_count: usize,
    extra: *mut u64,
    extra_length: usize,
    flags: usize,
}

const SOL_SOCKET_AND_RIGHTS: u64 = 1 | (1 << 32);

/// Receives bytes and files. How many of each there are.
pub fn receive(
    socket: u32,
    bytes: &mut [u8],
    files: &mut [u32; MOST_FILES],
) -> Outcome<(usize, usize)> {
    const CLOSE_ON_EXEC: usize = 0x4000_0000;
    let mut extra = [0_u64; 2 + MOST_FILES / 2];
    let part = [bytes.as_mut_ptr() as usize, bytes.len()];
    let mut message = Message {
        name: 0,
        name_length: 0,
        parts: &raw const part,
        part_count: 1,
        extra: extra.as_mut_ptr(),
        extra_length: size_of_val(&extra),
        flags: 0,
    };
    let received = loop {
        match made(n::RECVMSG, &[socket as usize, (&raw mut message) as usize, CLOSE_ON_EXEC]) {
            Err(EINTR) => {}
            other => break other?,
        }
    };
    if message.extra_length < 16 || extra[1] != SOL_SOCKET_AND_RIGHTS {
        return Ok((received, 0));
    }
    let count = ((extra[0] as usize).saturating_sub(16) / 4).min(MOST_FILES);
    for (index, file) in files.iter_mut().enumerate().take(count) {
        let pair = extra[2 + index / 2];
        *file = if index % 2 == 0 { pair as u32 } else { (pair >> 32) as u32 };
    }
    Ok((received, count))
}
