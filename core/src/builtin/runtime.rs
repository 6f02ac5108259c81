//! Group `runtime`: programs on this machine.

pub(super) mod exec;
mod told;
