//! Group `runtime`: programs on this machine.

pub(crate) mod custom;
pub(super) mod exec;
mod told;
