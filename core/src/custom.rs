//! Tools that owners make from commands while a runtime is open.
//!
//! The invariant: the value of an argument never becomes code. A template is taken apart when the tool is
//! defined, with the same parser that analyses commands, and an argument is allowed only where that parser
//! has it in a plain word. At a call, values are quoted and put in, in one pass.
//!
//! - `template` takes the command apart; `place` says where its arguments are, `bind` puts them in;
//! - `definition` is a tool as it was stored, checked and compiled;
//! - `followed` keeps the tools of a store in the registries of a runtime, whichever process changes them.
//!
//! The tool that runs them is in `builtin`. What they may do is a [`Permit`](crate::policy::Permit).

mod bind;
mod definition;
mod followed;
mod place;
mod template;
#[cfg(test)]
mod tests;

pub(crate) use definition::{Definition, GROUP, check_variable};
pub(crate) use followed::Followed;
