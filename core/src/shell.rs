//! What a shell command does, and whether it may: pure, it runs nothing.
//!
//! ```text
//! text → precheck → parse → IR → interpret → invocations → unwrap → models → effects → flows
//!      → judge → Verdict { allow | ask | deny, reasons, effects, plan }
//! ```
//!
//! - `parse` is the only file that knows the parser crate; it lowers to the [`ir`].
//! - `interpret` walks the IR as a shell would and keeps what it knows of words, variables, the
//!   working folder, functions and standard input. What it does not know is a [`Value`] that says
//!   so. It answers [`Invocation`]s: programs with their arguments.
//! - `place` says where a path leads and whose place that is; `grammar` reads arguments by the
//!   options of a program.
//! - `unwrap` looks into programs that run others (`sudo`, `xargs`, `sh -c`, `find -exec`, …).
//! - `analyse` is all of that as one: text and [`Env`] in, [`Analysis`] out.
//! - `code` searches code of other languages: `python -c`, awk programs, sed scripts.
//! - `models` says what a program does with such arguments: [`Effect`]s.
//! - `flows` joins effects that together are more than each: a secret that is sent.
//! - `judge` turns effects into a verdict: the floor, the deny groups, ask, allow, the profile.
//!
//! Limits are counts, never a clock: a verdict is the same on every machine. Whatever is beyond
//! them, or is not understood, is never weaker than "ask".

pub mod analyse;
pub mod code;
mod compilers;
pub mod denied;
pub mod effect;
pub mod env;
mod environment;
pub mod flows;
mod given;
pub mod grammar;
pub mod interpret;
pub mod invocation;
pub mod ir;
pub mod judge;
pub mod model;
pub mod models;
pub mod nested;
pub mod parse;
pub mod place;
pub mod plan;
pub mod precheck;
pub mod print;
pub mod remotes;
pub mod rules;
#[cfg(test)]
mod tests;
pub mod unwrap;
pub mod value;
pub mod verdict;

pub use analyse::{Analysis, analyse};
pub use effect::{Certainty, Effect, Found, Scope};
pub use env::Env;
pub use invocation::Invocation;
pub use judge::{
    AgentSettings, Group, Profile, Settings, Switch, WithoutApprover, check, check_analysis, judge,
};
pub use value::Value;
pub use verdict::{Check, Decision, Reason, Verdict};
