//! What is asked: the call as a person sees it, and the digest that binds the decision to it.

use data_encoding::HEXLOWER;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::super::path::CallPath;
use super::super::state::{Call, Judged};
use super::super::{command, excerpt};
use super::{ApprovalRequest, AskReason, always};
use crate::policy::Rule;
use crate::shell::{self, Proposal, visible_json};
use crate::store::NewApproval;
use crate::tool::Caller;

/// Why the call wants approval. Empty: it does not.
pub(super) fn reasons(judged: &Judged, call: &Call<'_>) -> Vec<AskReason> {
    let spec = &judged.entry.spec;
    let mut reasons = Vec::new();
    if spec.needs_approval {
        let why = format!("Each call of `{}` wants approval.", spec.name);
        reasons.push(AskReason { rule: "tool.needs_approval".into(), why });
    }
    if let Some(rule) = policy(judged) {
        reasons.push(AskReason { rule: rule.name, why: rule.text });
    }
    if let Some(why) = &judged.assessment.ask {
        reasons.push(AskReason { rule: "tool.assess".into(), why: why.clone() });
    }
    reasons.extend(call.ask.iter().cloned());
    reasons.extend(command::reasons(judged));
    for reason in &mut reasons {
        reason.why = shell::visible(&reason.why).into_owned();
    }
    reasons
}

/// True if nothing but the command of a shell wants approval.
pub(super) fn only_command(judged: &Judged, call: &Call<'_>) -> bool {
    let asked = command::reasons(judged).len();
    asked > 0 && asked == reasons(judged, call).len()
}

/// The rule of the policy that asks. One that is only watched does not.
pub(super) fn policy(judged: &Judged) -> Option<Rule> {
    if judged.decision.is_shadow() { None } else { judged.decision.asks(judged.entry.id) }
}

/// The digest of a call: SHA-256 in 64 hexadecimal digits. Another caller, tool, version, plan or
/// argument gives another one; the order of keys does not matter.
pub(super) fn digest(caller: &Caller, judged: &Judged) -> String {
    let mut parts = vec![
        json!("toolkeep.approval.1"),
        json!(caller.tenant),
        json!(caller.agent),
        json!(caller.user),
        json!(judged.entry.spec.name),
        json!(judged.entry.version),
        canonical(&judged.args),
        json!(judged.assessment.plan.as_ref().map(canonical)),
    ];
    // Bound to what is really run: the same plan is shown with its secrets masked.
    parts.extend(judged.command.as_ref().and_then(|command| command.digest()).map(Value::String));
    HEXLOWER.encode(&Sha256::digest(Value::Array(parts).to_string()))
}

/// The same with the keys of every object in order.
fn canonical(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(canonical).collect(),
        Value::Object(fields) => {
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_by_key(|(key, _)| *key);
            let sorted = sorted.into_iter().map(|(key, field)| (key.clone(), canonical(field)));
            Value::Object(sorted.collect())
        }
        other => other.clone(),
    }
}

/// A call that somebody is asked about.
pub(super) struct Asking {
    pub id: String,
    pub digest: String,
    pub expires_at_ms: i64,
    reasons: Vec<AskReason>,
    proposals: Vec<Proposal>,
}

impl Asking {
    pub(super) fn new(path: &CallPath, judged: &Judged, call: &Call<'_>, id: String) -> Asking {
        let timeout_ms = i64::try_from(path.approval.config.timeout_ms).unwrap_or(i64::MAX);
        Asking {
            id,
            digest: digest(call.cx.caller(), judged),
            expires_at_ms: path.clock.now_ms().saturating_add(timeout_ms),
            reasons: reasons(judged, call),
            proposals: always::proposals(path, judged, call),
        }
    }

    /// What the store keeps and the events tell. Nothing in it is secret. `waits` is true where the
    /// call itself waits, so that no other call of the same digest takes its decision.
    pub(super) fn row(
        &self,
        path: &CallPath,
        judged: &Judged,
        call: &Call<'_>,
        waits: bool,
    ) -> NewApproval {
        let caller = call.cx.caller();
        let spec = &judged.entry.spec;
        let shown = shown(path, judged, call);
        let mut reasons = json!(self.reasons);
        let mut unkept = json!(always::unkept(judged, &self.proposals));
        let scrubber = call.cx.scrubber(&path.texts.scrubbers);
        scrubber.scrub_json(&mut reasons);
        scrubber.scrub_json(&mut unkept);
        let (arguments, cut) = excerpt::shown(&shown["arguments"]);
        let arguments = visible_json(&arguments);
        let event_data =
            json!({ "reasons": reasons, "arguments": arguments, "arguments_cut": cut });
        let request = json!({
            "description": spec.description,
            "arguments": shown["arguments"],
            "plan": shown["plan"],
            "reasons": reasons,
            "proposals": self.proposals,
            "unkept": unkept,
            "version": judged.entry.version,
            "call": call.id,
            "waits": waits,
        });
        NewApproval {
            tenant: caller.tenant.clone(),
            id: self.id.clone(),
            digest: self.digest.clone(),
            agent: caller.agent.clone(),
            user: caller.user.clone(),
            session: caller.session.clone(),
            tool: spec.name.clone(),
            request,
            event_data,
            expires_at_ms: self.expires_at_ms,
        }
    }

    /// What the host's handler gets.
    pub(super) fn request(&self, judged: &Judged, call: &Call<'_>) -> ApprovalRequest {
        let caller = call.cx.caller();
        let spec = &judged.entry.spec;
        ApprovalRequest {
            id: self.id.clone(),
            tool: spec.name.clone(),
            description: spec.description.clone(),
            arguments: fields(&judged.args),
            reasons: self.reasons.clone(),
            plan: judged.assessment.plan.as_ref().map(visible),
            proposals: self.proposals.clone(),
            agent: caller.agent.clone(),
            user: caller.user.clone(),
            session: caller.session.clone(),
            expires_at_ms: self.expires_at_ms,
        }
    }
}

/// Arguments and plan with every secret in them masked.
fn shown(path: &CallPath, judged: &Judged, call: &Call<'_>) -> Value {
    let mut shown =
        json!({ "arguments": judged.args, "plan": judged.assessment.plan.as_ref().map(visible) });
    call.cx.scrubber(&path.texts.scrubbers).scrub_json(&mut shown);
    shown
}

/// The plan as a person reads it: nothing in it commands a terminal or stays unseen. The arguments
/// are data, and stay as the tool gets them.
fn visible(plan: &Value) -> Value {
    match plan {
        Value::String(text) => shell::visible(text).into(),
        Value::Array(items) => items.iter().map(visible).collect(),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(key, field)| (key.clone(), visible(field)));
            Value::Object(fields.collect())
        }
        other => other.clone(),
    }
}

fn fields(args: &Value) -> Map<String, Value> {
    args.as_object().cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_order_of_keys_is_no_part_of_what_is_approved() {
        let one = canonical(&json!({ "a": { "x": 1, "y": [ { "p": 1, "q": 2 } ] }, "b": 2 }));
        let two = canonical(&json!({ "b": 2, "a": { "y": [ { "q": 2, "p": 1 } ], "x": 1 } }));
        assert_eq!(one.to_string(), two.to_string());
        let other = canonical(&json!({ "b": 2, "a": { "y": [ { "q": 1, "p": 2 } ], "x": 1 } }));
        assert_ne!(one.to_string(), other.to_string());
    }
}
