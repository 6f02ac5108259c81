//! Gate: the compiled decision for (tenant, agent). A tool that is hidden is refused here, also
//! when the model names it all the same.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Code, Error};
use crate::policy::{Compiled, Decision, Inputs, Policy, RowLists, Rule, Step};
use crate::store::Store;
use crate::tool::{Caller, Entry, Snapshot, ToolError};

/// How long an agent's lists are believed before the store is asked again, so that a change made
/// by another process is seen within a second.
const FRESH: Duration = Duration::from_secs(1);

/// How many agents' lists are kept at most.
const MOST_AGENTS: usize = 4_096;

/// Why a tool may or may not be called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    /// The tool, by its own name.
    pub tool: String,
    /// Whether the caller may call it.
    pub allowed: bool,
    /// The code that a call would be refused with.
    pub code: Option<Code>,
    /// The rule that would refuse it.
    pub rule: Option<Rule>,
    /// What each list did, in order.
    pub steps: Vec<Step>,
}

/// Decides for one runtime, and remembers its decisions for one registry generation.
pub(crate) struct PolicyGate {
    policy: Policy,
    store: Arc<dyn Store>,
    plain: RwLock<Option<(u64, Arc<Decision>)>>,
    agents: RwLock<HashMap<(String, String), Agent>>,
    /// Counts changes of agents' rows by this process: what was read before one is not kept.
    changes: AtomicU64,
    /// How many of them are on their way.
    changing: AtomicU64,
}

#[derive(Clone)]
struct Agent {
    read_at: Instant,
    generation: u64,
    decision: Arc<Decision>,
}

impl PolicyGate {
    pub(crate) fn new(policy: Policy, store: Arc<dyn Store>) -> PolicyGate {
        PolicyGate {
            policy,
            store,
            plain: RwLock::new(None),
            agents: RwLock::new(HashMap::new()),
            changes: AtomicU64::new(0),
            changing: AtomicU64::new(0),
        }
    }

    /// The decision that holds for this caller, if it need not be read from the store.
    pub(crate) fn remembered(
        &self,
        snapshot: &Snapshot,
        caller: &Caller,
    ) -> Option<Result<Arc<Decision>, Error>> {
        let Some(agent) = &caller.agent else {
            return Some(self.plain(snapshot));
        };
        let key = (caller.tenant.clone(), agent.clone());
        let agents = self.agents.read().unwrap_or_else(PoisonError::into_inner);
        let known = agents.get(&key)?;
        let holds = known.generation == snapshot.generation() && known.read_at.elapsed() < FRESH;
        holds.then(|| Ok(known.decision.clone()))
    }

    /// The decision that holds for this caller.
    pub(crate) async fn decision(
        &self,
        snapshot: &Snapshot,
        caller: &Caller,
    ) -> Result<Arc<Decision>, Error> {
        if let Some(decision) = self.remembered(snapshot, caller) {
            return decision;
        }
        let Some(agent) = &caller.agent else {
            return self.plain(snapshot);
        };
        let key = (caller.tenant.clone(), agent.clone());
        let read_at = Instant::now();
        let changes = self.changes.load(Ordering::Acquire);
        let row = self.store.get_agent(&caller.tenant, agent).await?;
        let decision = match &row {
            None => self.plain(snapshot)?,
            Some(row) => {
                let row = RowLists { allow: row.allow.as_deref(), deny: &row.deny };
                Arc::new(self.with_row(snapshot, agent, row)?)
            }
        };
        let known = Agent { read_at, generation: snapshot.generation(), decision };
        let mut agents = self.agents.write().unwrap_or_else(PoisonError::into_inner);
        let stale = self.changes.load(Ordering::Acquire) != changes;
        if stale || self.changing.load(Ordering::Acquire) > 0 {
            return Ok(known.decision);
        }
        if agents.len() >= MOST_AGENTS {
            agents.clear();
        }
        agents.insert(key, known.clone());
        Ok(known.decision)
    }

    /// Announces that an agent's row is about to change. Until the announcement is dropped no
    /// decision is remembered, so that none outlives the row that it was made from.
    pub(crate) fn changing(&self, tenant: &str, agent: &str) -> Change<'_> {
        let change = Change { gate: self, key: (tenant.to_owned(), agent.to_owned()) };
        self.changing.fetch_add(1, Ordering::AcqRel);
        change.forget();
        change
    }

    /// Checks lists as an agent's row would have them, against the tools there are.
    pub(crate) fn check(
        &self,
        snapshot: &Snapshot,
        agent: &str,
        row: RowLists<'_>,
    ) -> Result<(), Error> {
        self.with_row(snapshot, agent, row)?;
        Ok(())
    }

    fn with_row(
        &self,
        snapshot: &Snapshot,
        agent: &str,
        row: RowLists<'_>,
    ) -> Result<Decision, Error> {
        let inputs = Inputs { agent: Some(agent), row: Some(row), ..Inputs::default() };
        Ok(self.compiled(snapshot)?.decide(&inputs)?)
    }

    fn compiled(&self, snapshot: &Snapshot) -> Result<Compiled, Error> {
        Ok(Compiled::new(snapshot.catalog().clone(), Arc::new(self.policy.clone()))?)
    }

    /// Why the caller may or may not call the tool.
    pub(crate) async fn explain(
        &self,
        snapshot: &Snapshot,
        entry: &Entry,
        caller: &Caller,
    ) -> Result<Explanation, Error> {
        let decision = self.decision(snapshot, caller).await?;
        let allowed = decision.allows(entry.id);
        Ok(Explanation {
            tool: entry.spec.name.clone(),
            allowed,
            code: (!allowed).then_some(Code::DeniedByPolicy),
            rule: decision.refusal(entry.id),
            steps: decision.steps(entry.id),
        })
    }

    fn plain(&self, snapshot: &Snapshot) -> Result<Arc<Decision>, Error> {
        if let Some((generation, decision)) =
            &*self.plain.read().unwrap_or_else(PoisonError::into_inner)
            && *generation == snapshot.generation()
        {
            return Ok(decision.clone());
        }
        let decision = Arc::new(self.compiled(snapshot)?.decide(&Inputs::default())?);
        let mut plain = self.plain.write().unwrap_or_else(PoisonError::into_inner);
        *plain = Some((snapshot.generation(), decision.clone()));
        Ok(decision)
    }
}

/// A change of an agent's row that is on its way.
pub(crate) struct Change<'g> {
    gate: &'g PolicyGate,
    key: (String, String),
}

impl Change<'_> {
    fn forget(&self) {
        let mut agents = self.gate.agents.write().unwrap_or_else(PoisonError::into_inner);
        self.gate.changes.fetch_add(1, Ordering::AcqRel);
        agents.remove(&self.key);
    }
}

impl Drop for Change<'_> {
    fn drop(&mut self) {
        self.forget();
        self.gate.changing.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Lets a tool pass that the decision allows.
pub(super) fn pass(decision: &Decision, entry: &Entry) -> Result<(), ToolError> {
    if decision.allows(entry.id) {
        return Ok(());
    }
    let rule = decision.refusal(entry.id).unwrap_or_else(|| Rule {
        name: "policy".into(),
        text: "the policy does not include it".into(),
    });
    let text = format!(
        "`{}` is not allowed here: {}. Do without it, or use another tool that you were given.",
        entry.spec.name, rule.text
    );
    Err(ToolError::new(Code::DeniedByPolicy, text).by_rule(rule.name))
}
