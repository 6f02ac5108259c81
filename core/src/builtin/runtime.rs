//! Group `runtime`: programs on this machine.

mod carried;
pub(super) mod credentialed;
pub(crate) mod custom;
pub(super) mod exec;
pub(super) mod execute_code;
mod ordered;
pub(super) mod process;
mod told;
