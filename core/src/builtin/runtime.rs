//! Group `runtime`: programs on this machine.

pub(super) mod credentialed;
pub(super) mod exec;
mod told;
