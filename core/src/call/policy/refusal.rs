//! What a model is told of a tool, or of a target, that the policy keeps from it.

use serde_json::{Map, Value, json};

use super::Decided;
use crate::error::Code;
use crate::kind::Action;
use crate::limits::echo;
use crate::policy::Rule;
use crate::tool::{Entry, Snapshot, ToolError};

/// Lets a tool pass that the decision allows. Where the policy is only watched, it lets every tool
/// pass, and notes what it would have been refused by.
pub(in crate::call) fn pass(
    decided: &Decided,
    snapshot: &Snapshot,
    entry: &Entry,
    notes: &mut Map<String, Value>,
) -> Result<(), ToolError> {
    if decided.allows(entry.id) {
        return Ok(());
    }
    let rule = decided.refusal(entry.id).unwrap_or_else(|| Rule {
        name: "policy".into(),
        text: "the policy does not include it".into(),
    });
    if decided.is_shadow() {
        notes.insert("shadow".into(), json!({ "rule": rule.name, "text": rule.text }));
        return Ok(());
    }
    let instead = match alternative(decided, snapshot, entry) {
        Some(other) => format!("Use `{other}` if that serves as well"),
        None => "Do without it".into(),
    };
    let text = format!(
        "`{}` is not allowed here: {}. {instead}; if you cannot, tell the user that the owner of \
         the policy would have to allow it.",
        entry.spec.name, rule.text
    );
    Err(ToolError::new(Code::DeniedByPolicy, text).by_rule(rule.name))
}

/// Tools that do each other's work. Tools of one group as a rule do not, and a model that is told
/// of one would do something else with it than it was refused.
const STAND_INS: [[&str; 2]; 1] = [["write_file", "edit"]];

/// The allowed tool that does the same work with the same powers.
fn alternative<'s>(decided: &Decided, snapshot: &'s Snapshot, entry: &Entry) -> Option<&'s str> {
    let name = entry.spec.name.as_str();
    let pair = STAND_INS.iter().find(|pair| pair.contains(&name))?;
    let other = snapshot.resolve(pair.iter().find(|other| **other != name)?)?;
    let is_equal = other.origin == entry.origin
        && other.spec.group == entry.spec.group
        && other.spec.capabilities == entry.spec.capabilities;
    (is_equal && decided.allows(other.id)).then_some(other.spec.name.as_str())
}

/// The arguments that name who is to do the work.
const TARGETS: [&str; 4] = ["agent", "agent_id", "target", "target_agent_id"];

/// Lets a call that gives work to another agent pass, if the caller may give work to that one.
pub(in crate::call) fn pass_target(
    decided: &Decided,
    entry: &Entry,
    args: &Value,
    notes: &mut Map<String, Value>,
) -> Result<(), ToolError> {
    if entry.spec.action != Some(Action::Delegate) {
        return Ok(());
    }
    // Every one of them: which of them the tool goes by is not known here.
    let named: Vec<String> = TARGETS
        .iter()
        .filter_map(|key| args.get(*key).filter(|value| !value.is_null()))
        // What is no name is nobody's: a list of names may hold one that is not allowed.
        .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        .map(|name| name.trim().to_lowercase())
        .collect();
    let stranger = |targets: &[String]| named.iter().find(|name| !targets.contains(name));
    let limits = decided.delegate_limits();
    let Some((place, targets)) =
        limits.iter().find(|(_, targets)| named.is_empty() || stranger(targets).is_some())
    else {
        return Ok(());
    };
    let list: Vec<String> = targets.iter().map(|target| format!("`{target}`")).collect();
    let list = list.join(", ");
    let text = match stranger(targets) {
        Some(name) => format!(
            "`{}` may not give work to `{}`: `{place}` allows only {list}. Give it to one of them, \
             or do the work yourself.",
            entry.spec.name,
            echo(name)
        ),
        None => format!(
            "`{}` must say who is to do the work: `{place}` allows only {list}. Name one of them \
             in `agent`.",
            entry.spec.name
        ),
    };
    if decided.is_shadow() {
        notes.insert("shadow".into(), json!({ "rule": place, "text": text }));
        return Ok(());
    }
    Err(ToolError::new(Code::DeniedByPolicy, text).by_rule(place.clone()))
}
