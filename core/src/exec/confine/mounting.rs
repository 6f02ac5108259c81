//! The steps of a plan by which a command gets mounts of its own, and the kernel's numbers for them.

use std::path::Path;

use super::plan::Plan;
use super::wire;

/// Flags of `mount`.
pub(super) const READ_ONLY: u64 = 1;
pub(super) const NO_SUID: u64 = 2;
pub(super) const NO_DEVICES: u64 = 4;
pub(super) const NO_EXECUTION: u64 = 8;
pub(super) const RECURSIVE: u64 = 1 << 14;
pub(super) const PRIVATE: u64 = 1 << 18;

/// Attributes of `mount_setattr`.
pub(super) const READ_ONLY_ATTRIBUTE: u64 = 1;
pub(super) const NO_SUID_ATTRIBUTE: u64 = 2;
pub(super) const NO_DEVICES_ATTRIBUTE: u64 = 4;

/// Flags of `clone`: what a child has of its own.
const NEW_MOUNTS: u64 = 0x0002_0000;
const NEW_IPC: u64 = 0x0800_0000;
const NEW_PROCESSES: u64 = 0x2000_0000;
const NEW_HOST_NAME: u64 = 0x0400_0000;

/// Where terminals are, and where new ones are made.
pub(super) const TERMINALS: &str = "/dev/pts";
pub(super) const NEW_TERMINALS: &str = "/dev/ptmx";

/// True if this machine has a place for terminals.
pub(super) fn has_terminals() -> bool {
    Path::new(TERMINALS).is_dir()
}

/// True if terminals are made at a file beside their place, and not at a link into it.
pub(super) fn has_maker() -> bool {
    std::fs::symlink_metadata(NEW_TERMINALS).is_ok_and(|data| !data.is_symlink())
}

/// Mounts an empty place for terminals over that of the machine, if it has one.
pub(super) fn own_terminals(plan: &mut Plan) {
    if has_terminals() {
        plan.step(wire::MOUNT, "mount terminals").text("devpts").text(TERMINALS);
        plan.text("devpts").number(NO_SUID | NO_EXECUTION);
        plan.text("newinstance,ptmxmode=0666,mode=0620");
    }
}

/// Goes on in a child with namespaces of its own, in which nothing is shared with the machine's mounts.
pub(super) fn isolate(plan: &mut Plan) {
    let all = NEW_MOUNTS | NEW_IPC | NEW_PROCESSES | NEW_HOST_NAME;
    plan.step(wire::FORK, "make namespaces").number(all);
    plan.step(wire::MOUNT, "make mounts private").text("").text("/").text("");
    plan.number(RECURSIVE | PRIVATE).text("");
}
