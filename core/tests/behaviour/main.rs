//! How a runtime behaves, from outside.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "a child process speaks to its parent")]

mod calls;
mod crash;
mod faulty;
mod gates;
mod ledger;
mod moving;
mod operations;
mod records;
mod sealed;
mod secrets;
mod support;
mod vectors;
