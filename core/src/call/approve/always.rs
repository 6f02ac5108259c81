//! Rules that a person keeps by allowing a command for always.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::super::command::STANDING;
use super::super::path::CallPath;
use super::super::state::{Call, Judged};
use crate::error::{Code, Error};
use crate::shell::{Proposal, StandingRule};
use crate::store::{self, Approval, RuleEffect, Store};
use crate::tool::Caller;

/// What a rule of the kind `shell` keeps beside its text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Kept {
    /// The tool that it was allowed for; none: any that takes a command.
    #[serde(default)]
    pub tool: Option<String>,
    /// True if it holds for its agent and its user only, also where it names none of them.
    #[serde(default)]
    pub exact: bool,
    /// Which commands it is about.
    pub rule: StandingRule,
}

impl Kept {
    /// Reads the rule.
    ///
    /// # Errors
    /// `invalid_argument` that says what is wrong with it.
    pub(crate) fn of(settings: &serde_json::Value) -> Result<Kept, Error> {
        serde_path_to_error::deserialize(settings).map_err(|error| {
            let text = format!(
                "`settings` of a rule of the kind `{STANDING}`: `{}`: {}",
                error.path(),
                error.inner()
            );
            Error::new(Code::InvalidArgument, text)
        })
    }

    /// True if a row with these settings holds for a caller of a tool.
    pub(crate) fn holds_for(&self, row: &store::Rule, caller: &Caller, tool: &str) -> bool {
        let fits = |of_row: &Option<String>, given: &Option<String>| {
            of_row == given || (of_row.is_none() && !self.exact)
        };
        row.effect == RuleEffect::Allow
            && fits(&row.agent, &caller.agent)
            && fits(&row.user, &caller.user)
            && self.tool.as_deref().is_none_or(|own| own == tool)
    }
}

/// Why nothing may be kept as a rule, where nothing is proposed for a command.
pub(super) fn unkept(judged: &Judged, proposals: &[Proposal]) -> Option<String> {
    let command = judged.command.as_ref().filter(|command| command.asks())?;
    if !proposals.is_empty() {
        return None;
    }
    Some(command.unkept().unwrap_or_else(|| "A secret stands in the command.".to_owned()))
}

/// What a person may keep as a rule, the narrowest first. A rule in which a secret stands is none:
/// it would be kept masked, and cover nothing.
pub(super) fn proposals(path: &CallPath, judged: &Judged, call: &Call<'_>) -> Vec<Proposal> {
    let command = judged.command.as_ref().filter(|command| command.may_be_lifted());
    let mut proposals = command.map(|command| command.proposals()).unwrap_or_default();
    let scrubber = call.cx.scrubber(&path.texts.scrubbers);
    proposals.retain(|proposal| {
        let plain = json!(proposal);
        let mut masked = plain.clone();
        scrubber.scrub_json(&mut masked);
        masked == plain
    });
    proposals
}

/// The rule that a person keeps: which of the proposals in the request.
///
/// # Errors
/// `invalid_argument` if there is no such proposal.
pub(crate) fn chosen(approval: &Approval, number: u32) -> Result<Proposal, Error> {
    let proposals = approval.request.get("proposals").and_then(|all| all.as_array());
    let count = proposals.map_or(0, Vec::len);
    let one = usize::try_from(number).ok().and_then(|at| proposals?.get(at));
    let one = one.and_then(|one| serde_json::from_value(one.clone()).ok());
    one.ok_or_else(|| {
        let text = match count {
            0 => {
                let why = approval.request.get("unkept").and_then(|why| why.as_str());
                let why = why.map(|why| format!(" {why}")).unwrap_or_default();
                format!(
                    "`always`: nothing is proposed for this call that could be allowed for \
                     always.{why} Leave `always` out to allow the call once."
                )
            }
            count => format!(
                "`always` is {number}, and there are {count} proposals; the first one, the \
                 narrowest, is 0"
            ),
        };
        Error::new(Code::InvalidArgument, text)
    })
}

/// Keeps a rule that came with a decision.
///
/// # Errors
/// The store's.
pub(crate) async fn keep(
    store: &dyn Store,
    approval: &Approval,
    proposal: Proposal,
    (now_ms, always_ms): (i64, u64),
) -> Result<store::Rule, store::Error> {
    let tool = Some(approval.tool.clone());
    let kept = Kept { tool, exact: true, rule: proposal.rule };
    let for_ms = i64::try_from(always_ms).unwrap_or(i64::MAX);
    let rule = store::PutRule {
        // Of a decision there is one rule.
        id: Some(approval.id.clone()),
        agent: approval.agent.clone(),
        user: approval.user.clone(),
        settings: json!(kept),
        source: format!("approval:{}", approval.id),
        expires_at_ms: Some(now_ms.saturating_add(for_ms)),
        ..store::PutRule::new(&approval.tenant, STANDING, RuleEffect::Allow, proposal.text)
    };
    store.put_rule(rule, now_ms).await
}
