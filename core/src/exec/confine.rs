//! Confinement: a command can do no more than was decided, because the kernel holds it to that.
//!
//! A small program, which the library carries, is started in place of the command. It goes through a
//! plan: namespaces, mounts, limits, privileges, Landlock, a filter of system calls; then it becomes
//! the command. What one kernel cannot give, [`kernel::Kernel`] knows.

pub(crate) mod filter;
pub(crate) mod kernel;
pub(crate) mod landlock;
mod mounting;
pub(crate) mod plan;
pub(crate) mod program;
pub(crate) mod walls;
#[allow(dead_code, reason = "the program itself uses the other half")]
pub(crate) mod wire;
