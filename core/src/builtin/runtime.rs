//! Group `runtime`: programs on this machine.

pub(super) mod exec;
pub(super) mod execute_code;
mod ordered;
pub(super) mod process;
mod told;
