//! Which file systems only this machine changes. On others, times and locks prove nothing.

use std::fs::File;
use std::path::Path;

/// File systems of this machine alone, by the numbers of Linux's `magic.h`.
#[cfg(target_os = "linux")]
const LOCAL: [u64; 7] = [
    0xEF53,      // ext2, ext3, ext4
    0x5846_5342, // XFS
    0x9123_683E, // Btrfs
    0xF2F5_2010, // F2FS
    0x2FC1_2FC1, // ZFS
    0x0102_1994, // tmpfs
    0x794C_7630, // overlayfs
];

/// True for a file of a file system that keeps to its own permissions, and that replaces a file in
/// one step also while that is open. Others may ask a server, or give an open file another name
/// before it is replaced, and between the two there is none: NFS does.
#[cfg(target_os = "linux")]
pub(super) fn is_local(file: &File) -> bool {
    rustix::fs::fstatfs(file).is_ok_and(|system| LOCAL.contains(&(system.f_type as u64)))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn is_local(_: &File) -> bool {
    false
}

/// The same of what stands at a path.
#[cfg(target_os = "linux")]
pub(crate) fn is_local_at(path: &Path) -> bool {
    rustix::fs::statfs(path).is_ok_and(|system| LOCAL.contains(&(system.f_type as u64)))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn is_local_at(_: &Path) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_makes_up_is_no_file_system_of_the_machine() {
        assert!(!is_local(&File::open("/proc/self/status").unwrap()));
        assert!(!is_local(&File::open("/sys/kernel").unwrap()));
        assert!(!is_local_at(Path::new("/proc/self")));
    }
}
