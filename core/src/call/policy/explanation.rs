//! Why a tool may or may not be called, and what another policy would change.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Decided;
use crate::error::Code;
use crate::policy::{Decision, Rule, Step};
use crate::tool::{Entry, Snapshot};

/// Why a tool may or may not be called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    /// The tool, by its own name.
    pub tool: String,
    /// Whether the policy allows it.
    pub allowed: bool,
    /// True where the policy is only watched (`policy.mode = "shadow"`) and does not allow it: a
    /// call would run all the same, and the ledger would say what it would be refused by.
    pub would_be_refused: bool,
    /// The code that a call is refused with.
    pub code: Option<Code>,
    /// The rule that refuses it, or would.
    pub rule: Option<Rule>,
    /// The rule by which each call wants somebody's approval.
    pub asks: Option<Rule>,
    /// What each list did, in order. The last one's `after` is what `allowed` says.
    pub steps: Vec<Step>,
    /// Where the policy comes from: the path of its file, or `given in code`.
    pub source: String,
}

impl Explanation {
    pub(super) fn of(decided: &Decided, entry: &Entry, source: String) -> Explanation {
        let allowed = decided.allows(entry.id);
        let would_be_refused = !allowed && decided.is_shadow();
        Explanation {
            tool: entry.spec.name.clone(),
            allowed,
            would_be_refused,
            code: (!allowed && !would_be_refused).then_some(Code::DeniedByPolicy),
            rule: decided.refusal(entry.id),
            asks: decided.asks(entry.id),
            steps: decided.steps(entry.id),
            source,
        }
    }
}

/// The changes that another policy would make for a caller.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PolicyDiff {
    /// The tools that it would add, each with the rule that refuses it now, sorted.
    pub added: Vec<Change>,
    /// The tools that it would take away, each with the rule that would refuse it, sorted.
    pub removed: Vec<Change>,
}

/// A tool that another policy would add or take away.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ToolChange")]
pub struct Change {
    /// The tool.
    pub tool: String,
    /// The rule that refuses it: now, if it would be added, or then, if it would be taken away.
    pub rule: Option<Rule>,
}

impl PolicyDiff {
    pub(super) fn between(snapshot: &Snapshot, now: &Decision, then: &Decision) -> PolicyDiff {
        let mut diff = PolicyDiff::default();
        for entry in snapshot.tools().filter(|entry| entry.enabled) {
            let change = |rule| Change { tool: entry.spec.name.clone(), rule };
            match (now.allows(entry.id), then.allows(entry.id)) {
                (false, true) => diff.added.push(change(now.refusal(entry.id))),
                (true, false) => diff.removed.push(change(then.refusal(entry.id))),
                _ => {}
            }
        }
        diff
    }
}
