//! The filter of system calls: what no agent's command needs, and what leads out of a confinement.
//!
//! A denied call fails with EPERM, so that a program can go on without it. `clone3` fails with ENOSYS:
//! its flags lie in memory, where no filter sees them, and C libraries then use `clone`. What allocates a
//! disk without writing to it fails with EOPNOTSUPP, as on a file system that cannot: `posix_fallocate`
//! then writes, which takes time, and a look at the disk ends it before all of the disk is taken.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch, sock_filter,
};

use crate::fork;

/// Calls that are denied whatever their arguments are.
const DENIED: &[libc::c_long] = &[
    // Reading or changing other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // Mounts and namespaces.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    // Opening files by number, without their folders.
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    // Parts of the kernel with many faults, or that work around a filter.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_lookup_dcookie,
    // The machine itself.
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
];

/// Calls that answer as if the kernel did not have them.
const ABSENT: &[libc::c_long] = &[
    libc::SYS_clone3,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
];

/// Modes of `fallocate` that give space back: to punch a hole, and to collapse a range. Every other one
/// allocates, some past the limit of the size of a file.
const GIVES_BACK: u64 = 0x02 | 0x08;

/// Requests of `ioctl` that allocate: `FS_IOC_RESVSP`, `FS_IOC_RESVSP64`, `FS_IOC_ZERO_RANGE`, and
/// `FS_IOC_FSSETXATTR`, which can have a file take gigabytes with its first byte. Source: the kernel's
/// `falloc.h` and `fs.h`.
const ALLOCATES: [u64; 4] = [0x4030_5828, 0x4030_582a, 0x4030_5839, 0x401c_5820];

#[cfg(target_arch = "x86_64")]
const OF_THE_MACHINE: &[libc::c_long] = &[
    libc::SYS_ioperm,
    libc::SYS_iopl,
    libc::SYS_modify_ldt,
    libc::SYS_uselib,
    libc::SYS_ustat,
    libc::SYS_sysfs,
    libc::SYS__sysctl,
];

#[cfg(target_arch = "aarch64")]
const OF_THE_MACHINE: &[libc::c_long] = &[];

/// Flags of `clone` that make a namespace.
const NEW_NAMESPACES: u64 = 0x7e02_0000 | 0x0000_0080;

/// The number that calls of the x32 machine begin at. They bear the machine's own name, so a filter
/// that compares numbers would let them all pass.
#[cfg(target_arch = "x86_64")]
const X32: u32 = 0x4000_0000;

/// Which sockets may be made. What is connected within a program from the start always may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sockets {
    None,
    /// Those of the internet.
    Internet,
    /// Those of this machine, too.
    All,
}

/// One for each error that a call fails with.
type Programs = [Vec<u8>; 3];

/// The filters, one after the other, as bytes for the kernel.
///
/// # Errors
/// Where they cannot be built for this machine.
pub(crate) fn programs(sockets: Sockets) -> Result<&'static Programs, seccompiler::Error> {
    // Compiling them takes longer than starting a program, so it is done once.
    static COMPILED: [OnceLock<Programs>; 3] = [const { OnceLock::new() }; 3];
    let compiled = &COMPILED[sockets as usize];
    if let Some(programs) = compiled.get() {
        return Ok(programs);
    }
    let programs = compile(sockets)?;
    Ok(fork::hold(|| compiled.get_or_init(|| programs)))
}

fn compile(sockets: Sockets) -> Result<Programs, seccompiler::Error> {
    let absent = ABSENT.iter().map(|call| (*call, Vec::new())).collect();
    let denied = filter(denied(sockets)?, libc::EPERM)?;
    let allocating = filter(allocating()?, libc::EOPNOTSUPP)?;
    Ok([bytes(&denied), bytes(&filter(absent, libc::ENOSYS)?), bytes(&allocating)])
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// A condition on the low half of an argument.
fn argument(at: u8, how: SeccompCmpOp, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(at, SeccompCmpArgLen::Dword, how, value)
}

/// What takes space of a disk without writing to it.
fn allocating() -> Result<Rules, seccompiler::Error> {
    let takes = argument(1, SeccompCmpOp::MaskedEq(GIVES_BACK), 0)?;
    let requests =
        ALLOCATES.map(|request| SeccompRule::new(vec![argument(1, SeccompCmpOp::Eq, request)?]));
    Ok(BTreeMap::from([
        (libc::SYS_fallocate, vec![SeccompRule::new(vec![takes])?]),
        (libc::SYS_ioctl, requests.into_iter().collect::<Result<_, _>>()?),
    ]))
}

fn denied(sockets: Sockets) -> Result<Rules, seccompiler::Error> {
    let always = DENIED.iter().chain(OF_THE_MACHINE);
    let mut rules: Rules = always.map(|call| (*call, Vec::new())).collect();
    let mut namespaces = Vec::new();
    for bit in (0..32).map(|bit| 1_u64 << bit).filter(|bit| NEW_NAMESPACES & bit != 0) {
        let set = argument(0, SeccompCmpOp::MaskedEq(bit), bit)?;
        namespaces.push(SeccompRule::new(vec![set])?);
    }
    rules.insert(libc::SYS_clone, namespaces);
    // Pushing characters into a terminal is typing on it.
    let pushes = [libc::TIOCSTI, libc::TIOCLINUX];
    let pushes =
        pushes.map(|request| SeccompRule::new(vec![argument(1, SeccompCmpOp::Eq, request)?]));
    rules.insert(libc::SYS_ioctl, pushes.into_iter().collect::<Result<_, _>>()?);
    // Only 0 (as it is) and the question what it is.
    let persona = vec![
        argument(0, SeccompCmpOp::Ne, 0)?,
        argument(0, SeccompCmpOp::Ne, u64::from(u32::MAX))?,
    ];
    rules.insert(libc::SYS_personality, vec![SeccompRule::new(persona)?]);
    rules.insert(libc::SYS_socket, all_but(sockets)?);
    Ok(rules)
}

/// Rules that fit every family of sockets but these.
fn all_but(sockets: Sockets) -> Result<Vec<SeccompRule>, seccompiler::Error> {
    let families: &[i32] = match sockets {
        // A list without rules matches every call.
        Sockets::None => return Ok(Vec::new()),
        Sockets::Internet => &[libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK],
        Sockets::All => &[libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK, libc::AF_UNIX],
    };
    let others = families.iter().map(|family| {
        let family = u64::from(family.cast_unsigned());
        SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, family)
    });
    Ok(vec![SeccompRule::new(others.collect::<Result<_, _>>()?)?])
}

fn filter(rules: Rules, error: i32) -> Result<BpfProgram, seccompiler::Error> {
    let error = SeccompAction::Errno(error.cast_unsigned());
    let machine = TargetArch::try_from(std::env::consts::ARCH)?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, error, machine)?;
    Ok(BpfProgram::try_from(filter)?)
}

/// The instructions as the kernel reads them.
fn bytes(program: &[sock_filter]) -> Vec<u8> {
    let foreign = foreign();
    let instructions = foreign.iter().chain(program);
    let bytes = instructions.flat_map(|one| {
        let [code_low, code_high] = one.code.to_ne_bytes();
        let [k0, k1, k2, k3] = one.k.to_ne_bytes();
        [code_low, code_high, one.jt, one.jf, k0, k1, k2, k3]
    });
    bytes.collect()
}

/// Ends what calls by the numbers of the x32 machine.
#[cfg(target_arch = "x86_64")]
fn foreign() -> [sock_filter; 3] {
    const LOAD_NUMBER: sock_filter = sock_filter { code: 0x20, jt: 0, jf: 0, k: 0 };
    const KILL: u32 = 0x8000_0000;
    let is_foreign = sock_filter { code: 0x35, jt: 0, jf: 1, k: X32 };
    [LOAD_NUMBER, is_foreign, sock_filter { code: 0x06, jt: 0, jf: 0, k: KILL }]
}

#[cfg(target_arch = "aarch64")]
fn foreign() -> [sock_filter; 0] {
    []
}
