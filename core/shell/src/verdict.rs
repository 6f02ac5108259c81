//! What became of a check: the verdict, its reasons, and the form in which a host shows them.
//!
//! [`Verdict`] is the result inside the crate. [`Check`] is the same for readers: it has texts for
//! the model and for the person who approves, the simple commands one by one, and the plan to run
//! the command by. The doc comments of the types here are part of the published JSON schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::decision::Decision;
use crate::effect::Found;
use crate::ir::Span;
use crate::plan::Plan;
use crate::settings::WithoutApprover;

/// The reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ShellReason")]
pub struct Reason {
    /// What this reason alone would decide.
    pub decision: Decision,
    /// The group (`destructive_ops`, `code_injection`), or one of `path_denied`, `secret`, `unknown`,
    /// `beyond_profile`, `text`, `rule`, `mode`.
    pub category: String,
    /// The words that cause it, as written in the text.
    pub words: String,
    /// Their place in the text.
    #[schemars(with = "ShownSpan")]
    pub span: Span,
    /// What is wrong with it, in a sentence for the model. Never the source of a rule.
    pub why: String,
    /// What to do instead.
    pub instead: Option<String>,
    /// True if it is a hard deny: no approval lifts it.
    #[serde(rename = "floor")]
    pub hard_deny: bool,
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
    /// The parts that could not be understood, a sentence for each.
    pub unknowns: Vec<String>,
    /// What happens to it if the decision is to ask, and nobody can be asked.
    pub without_approver: WithoutApprover,
    /// True if it is allowed only because nobody is to be asked, and then only in a confinement that
    /// enforces its effects.
    pub confined: bool,
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ShellCheck")]
pub struct Check {
    /// The decision.
    pub verdict: Decision,
    /// The categories of all reasons, those of the strictest first, each once.
    pub categories: Vec<String>,
    /// Why, the strictest first. Empty where everything is allowed.
    pub reasons: Vec<Reason>,
    /// What the command does.
    pub effects: Vec<ShownEffect>,
    /// Its simple commands.
    pub segments: Vec<Segment>,
    /// The parts that could not be understood, a sentence for each.
    pub unknowns: Vec<String>,
    /// The text for the model: the decision, the reason, and what to do instead.
    pub for_llm: String,
    /// The text for a person.
    pub for_user: String,
    /// What to do instead, from the strictest reason that has a suggestion.
    pub suggestion: Option<String>,
    /// How it is run, if it may be, and what it may do then. None if it is denied.
    pub plan: Option<Plan>,
    /// What happens to it if the decision is to ask, and nobody can be asked.
    pub without_approver: WithoutApprover,
    /// True if it is allowed only in a confinement that enforces its effects.
    pub confined: bool,
}

/// An effect as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ShellEffect")]
pub struct ShownEffect {
    /// Its label: `delete:workspace:recursive`.
    pub effect: String,
    /// The program that has it.
    pub program: String,
    /// True if it certainly happens when the command runs.
    pub sure: bool,
    /// The place of the words that cause it, in bytes.
    #[schemars(with = "ShownSpan")]
    pub span: Span,
}

/// A simple command of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ShellSegment")]
pub struct Segment {
    /// Its text.
    pub text: String,
    /// The decision about it alone.
    pub verdict: Decision,
    /// The categories of its reasons, each once.
    pub categories: Vec<String>,
    /// Its place in the text, in bytes.
    #[schemars(with = "ShownSpan")]
    pub span: Span,
}

/// A place in a text, in bytes of UTF-8.
#[derive(JsonSchema)]
#[schemars(rename = "ShellSpan")]
#[expect(dead_code, reason = "only its schema is used: it is how a range is written")]
struct ShownSpan {
    /// Its first byte.
    start: usize,
    /// The first byte behind it.
    end: usize,
}
