//! `policy.*`

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{default_tenant, operations};
use crate::call::{Candidate, PolicyDiff};
use crate::error::Error;
use crate::policy::{ListEntry, Mode, Policy};
use crate::runtime::Runtime;
use crate::store::Agent;
use crate::tool::{CallContext, Caller};

operations! {
    /// The policy: what is in force, what another would change, and how to change it.
    policy as PolicyOps {
        /// Returns the policy in force.
        get(GetPolicy) -> PolicyInForce = get;
        /// Puts another policy in force, for every call that begins after this has returned. It is
        /// checked first: an invalid one is refused, and the one before stays.
        ///
        /// Fails with `invalid_config` if the policy is invalid, with `conflict` if the runtime was
        /// opened from a file: then change that file.
        set(SetPolicy) -> PolicyInForce = set;
        /// Rereads the configuration file at once, without waiting for the next check. Only
        /// `policy` and `groups` change.
        ///
        /// Fails with `invalid_config` if the file is invalid; then the policy before stays in
        /// force. Fails with `conflict` if the runtime was not opened from a file.
        reload(ReloadPolicy) -> Reloaded = reload;
        /// Says which policy is in force, and whether the file has another one that is invalid.
        status(PolicyStatusArgs) -> PolicyStatus = status;
        /// Checks a policy, or the one in force, against the known tools. Checks the lists of a
        /// tenant's agents, too. Nothing changes.
        check(CheckPolicy) -> PolicyReport = check;
        /// Lists the tools that another policy would add and take away for a caller. Nothing
        /// changes.
        ///
        /// Fails with `invalid_config` if that policy is invalid.
        diff(DiffPolicy) -> PolicyDiff = diff;
    }
}

/// The arguments of `policy.get`: none.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetPolicy {}

/// The arguments of `policy.reload`: none.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReloadPolicy {}

/// The arguments of `policy.status`: none.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicyStatusArgs {}

/// The arguments of `policy.set`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetPolicy {
    /// The policy, as the `policy` part of the configuration has it.
    pub policy: Policy,
}

/// The arguments of `policy.check`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckPolicy {
    /// The policy to check. Left out: the one in force.
    #[serde(default)]
    pub policy: Option<Policy>,
    /// The groups to check it with. Left out: those in force.
    #[serde(default)]
    pub groups: Option<BTreeMap<String, Vec<ListEntry>>>,
    /// The tenant whose agents are checked.
    #[serde(default = "default_tenant")]
    pub tenant: String,
}

/// The arguments of `policy.diff`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiffPolicy {
    /// The policy to compare with the one in force.
    pub policy: Policy,
    /// Its groups. Left out: those in force.
    #[serde(default)]
    pub groups: Option<BTreeMap<String, Vec<ListEntry>>>,
    /// The caller, with the keys of a call's context. Left out: nobody in particular.
    #[serde(default)]
    pub context: Map<String, Value>,
}

/// The policy in force.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct PolicyInForce {
    /// Grows with every policy that is put in force, from 1.
    pub generation: u64,
    /// Whether its decisions are enforced.
    pub mode: Mode,
    /// Where it comes from: the path of its file, or `given in code`.
    pub source: String,
    /// The policy.
    pub policy: Policy,
    /// The groups of the owner's own.
    pub groups: BTreeMap<String, Vec<ListEntry>>,
}

/// The result of `policy.reload`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct Reloaded {
    /// False if the file's policy was in force already.
    pub changed: bool,
    /// What is in force now.
    pub status: PolicyStatus,
}

/// Which policy is in force.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct PolicyStatus {
    /// Grows with every policy that is put in force, from 1.
    pub generation: u64,
    /// Whether its decisions are enforced.
    pub mode: Mode,
    /// Where it comes from: the path of its file, or `given in code`.
    pub source: String,
    /// Why the file's current policy is not in force. None if it is.
    pub rejected: Option<String>,
    /// The other parts of the configuration that have changed in the file. They hold from the next
    /// opening on.
    pub needs_reopening: Vec<String>,
    /// Why every call is refused: entries of the policy in force that match nothing. Empty if there
    /// are none.
    pub errors: Vec<String>,
    /// Entries that match nothing, if that is no error.
    pub warnings: Vec<String>,
}

/// What `policy.check` found.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct PolicyReport {
    /// True if there are no errors.
    pub ok: bool,
    /// The errors, each with its place. A policy with errors decides nothing.
    pub errors: Vec<String>,
    /// Entries that match nothing, if that is no error.
    pub warnings: Vec<String>,
    /// The entries of agents' own lists that match nothing, each with its place.
    pub agents: Vec<String>,
}

async fn get(runtime: &Runtime, _: GetPolicy) -> Result<PolicyInForce, Error> {
    runtime.follow_policy().await;
    Ok(in_force(runtime))
}

fn in_force(runtime: &Runtime) -> PolicyInForce {
    let gate = &runtime.path().policy;
    let in_force = gate.in_force();
    PolicyInForce {
        generation: in_force.generation,
        mode: in_force.policy.mode,
        source: gate.source(),
        policy: in_force.policy.as_ref().clone(),
        groups: in_force.groups.as_ref().clone(),
    }
}

async fn set(runtime: &Runtime, args: SetPolicy) -> Result<PolicyInForce, Error> {
    runtime.set_policy(args.policy).await?;
    Ok(in_force(runtime))
}

async fn reload(runtime: &Runtime, _: ReloadPolicy) -> Result<Reloaded, Error> {
    let changed = runtime.path().policy.reload().await?;
    Ok(Reloaded { changed, status: status_now(runtime)? })
}

async fn status(runtime: &Runtime, _: PolicyStatusArgs) -> Result<PolicyStatus, Error> {
    runtime.follow_policy().await;
    status_now(runtime)
}

fn status_now(runtime: &Runtime) -> Result<PolicyStatus, Error> {
    let gate = &runtime.path().policy;
    let in_force = gate.in_force();
    let report = gate.report();
    let found = gate.examine(&runtime.registry().snapshot(), Candidate::InForce);
    Ok(PolicyStatus {
        generation: in_force.generation,
        mode: in_force.policy.mode,
        source: gate.source(),
        rejected: report.rejected,
        needs_reopening: report.needs_reopening,
        errors: found.errors,
        warnings: found.warnings,
    })
}

/// How many agents are read at once.
const PAGE: u32 = 256;

async fn check(runtime: &Runtime, args: CheckPolicy) -> Result<PolicyReport, Error> {
    runtime.follow_policy().await;
    let gate = &runtime.path().policy;
    let snapshot = runtime.registry().snapshot();
    let candidate = match (args.policy, args.groups) {
        (None, None) => Candidate::InForce,
        (policy, groups) => {
            let policy = policy.unwrap_or_else(|| gate.in_force().policy.as_ref().clone());
            Candidate::Another(Box::new(policy), groups)
        }
    };
    let found = gate.examine(&snapshot, candidate);
    let mut agents = Vec::new();
    let mut after: Option<String> = None;
    while let Some(generation) = &found.generation {
        let rows = runtime.store().list_agents(&args.tenant, after.as_deref(), PAGE).await?;
        let Some(last) = rows.last() else { break };
        after = Some(last.id.clone());
        agents.extend(rows.iter().flat_map(|agent: &Agent| generation.examine_row(agent)));
    }
    Ok(PolicyReport {
        ok: found.errors.is_empty(),
        errors: found.errors,
        warnings: found.warnings,
        agents,
    })
}

async fn diff(runtime: &Runtime, args: DiffPolicy) -> Result<PolicyDiff, Error> {
    let cx = CallContext::from(Caller::from_value(&Value::Object(args.context))?);
    runtime.diff_with(&cx, args.policy, args.groups).await
}
