//! How a runtime behaves, from outside.

mod calls;
mod operations;
mod records;
mod support;
