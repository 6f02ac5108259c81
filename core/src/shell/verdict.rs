//! What became of a check.

use super::effect::Found;
use super::ir::Span;

/// Whether a command may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Decision {
    /// It is understood, and within what the profile lets run.
    Allow,
    /// It is not understood, or beyond the profile: somebody decides.
    Ask,
    /// It does not run.
    Deny,
}

/// Why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// What this reason alone would decide.
    pub decision: Decision,
    /// The category or group: `destructive_ops`, `code_injection`, `unknown`.
    pub category: String,
    /// The words that cause it, as they stand in the text.
    pub words: String,
    /// Where they stand.
    pub span: Span,
    /// What is wrong with it, in a sentence for the model. Never the source of a rule.
    pub why: String,
    /// What to do instead.
    pub instead: Option<String>,
    /// True if it is of the floor: nobody's approval helps.
    pub floor: bool,
}

/// What became of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The strictest of all reasons.
    pub decision: Decision,
    /// Why, the strictest first. Empty where everything is allowed.
    pub reasons: Vec<Reason>,
    /// Everything that the command does.
    pub effects: Vec<Found>,
    /// What could not be understood, a sentence for each.
    pub unknowns: Vec<String>,
}
