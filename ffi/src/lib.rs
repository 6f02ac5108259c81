//! The C ABI of toolkeep: what `include/toolkeep.h` declares.
//!
//! A file per noun. Each export is a few lines: it looks at its handles, takes over what the host
//! hands in, and asks the core. Everything it does runs inside [`guard`], so that no panic crosses
//! the border.

// The names are C's: this crate exists for its header.
#![allow(non_camel_case_types)]

mod call;
mod callback;
pub mod code;
mod command;
#[cfg(feature = "bench")]
#[path = "../../tests/bench/empty_core.rs"]
mod empty_core;
mod error;
mod guard;
mod handle;
mod handler;
mod input;
mod invocation;
mod invoke;
mod json;
mod operation;
mod runtime;
mod scrub;
mod scrubber;
mod secret;
mod string;
mod subscription;
mod tool;
mod version;

#[cfg(test)]
mod tests;
