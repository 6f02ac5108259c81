//! Tools that owners make of commands while a runtime is open.
//!
//! - `template` takes the command apart when a tool is defined; `place` says where its arguments
//!   stand, `bind` puts them in;
//! - `definition` is a tool as it was stored, checked and compiled;
//! - `followed` keeps the tools of a store in the registries of a runtime, whoever changes them.
//!
//! What runs them is with the other tools, in `builtin`; what they may do is a
//! [`Permit`](crate::exec::Permit).

mod bind;
mod definition;
mod followed;
mod place;
mod template;
#[cfg(test)]
mod tests;

pub(crate) use definition::{Definition, GROUP, check_variable};
pub(crate) use followed::Followed;
