//! C and C++ programs, compiled against the header and the library that were just built, and run.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod examples;
mod forks;
mod guide;
mod install;
mod program;
mod smoke;
mod stores;
