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

mod analyse;
mod code;
mod compilers;
pub mod denied;
mod effect;
mod env;
mod environment;
mod flows;
mod given;
mod grammar;
mod interpret;
mod invocation;
pub mod ir;
mod judge;
mod model;
mod models;
mod nested;
pub mod parse;
pub mod place;
mod plan;
pub mod precheck;
mod print;
mod remotes;
mod rules;
#[cfg(test)]
mod tests;
mod unwrap;
mod value;
mod verdict;
mod visible;

pub use analyse::{Analysis, analyse};
pub use effect::{Access, Certainty, CodeFrom, Effect, FileEffect, Found, Payload, Scope};
pub use env::Env;
pub use invocation::{Argument, Invocation, Locus, Stdin, Stdout};
pub use judge::{
    AgentSettings, Approvals, Ask, Group, Profile, Rule, Settings, Switch, WithoutApprover, check,
    check_analysis, check_floor, check_modes, judge,
};
pub use nested::Nested;
pub use plan::{Confinement, Plan, REMOVED, Reach, Run, SET, SHELL_OPTIONS};
pub use remotes::{Remotes, folders};
pub use rules::{Proposal, StandingRule, propose, unkept};
pub use unwrap::base as program_name;
pub use value::{Origin, Value};
pub use verdict::{Check, Decision, Reason, Verdict};
pub use visible::{visible, visible_json};

/// Builds the tables of the crate, which the first judgement would build otherwise.
///
/// In a child that was forked while another thread built them, the first judgement would wait for ever. A
/// program that forks with threads running calls this before.
pub fn prepare() {
    models::prepare();
    environment::prepare();
}
