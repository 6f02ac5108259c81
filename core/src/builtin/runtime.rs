//! Group `runtime`: programs on this machine.

mod carried;
pub(super) mod credentialed;
pub(crate) mod custom;
pub(super) mod exec;
mod exec_request;
pub(super) mod execute_code;
pub(super) mod process;
mod report;
