//! How a runtime behaves, from outside.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod calls;
mod operations;
mod records;
mod support;
mod vectors;
