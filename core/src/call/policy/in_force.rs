//! The policy in force, and what is compiled from it.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use super::place::Derived;
use crate::error::{Code, Error};
use crate::kind::ToolId;
use crate::policy::{Catalog, Compiled, Decision, Inputs, ListEntry, Memo, Mode, Policy};
use crate::tool::{Offered, Snapshot};

/// Groups of the owner's own, by name.
pub(crate) type Groups = BTreeMap<String, Vec<ListEntry>>;

/// A policy with its groups, and what was compiled from both for states of the registry. When
/// another takes its place all of that goes with it.
pub(crate) struct InForce {
    /// Grows with every policy that is put in force.
    pub generation: u64,
    pub policy: Arc<Policy>,
    pub groups: Arc<Groups>,
    /// The groups that the registry was opened with.
    first_groups: Arc<Groups>,
    compiled: Derived<Generation>,
}

impl InForce {
    pub(super) fn first(policy: Policy, groups: Groups) -> InForce {
        let groups = Arc::new(groups);
        InForce {
            generation: 1,
            policy: Arc::new(policy),
            first_groups: groups.clone(),
            groups,
            compiled: Derived::new(),
        }
    }

    /// What comes after this, with the same groups where none are given.
    pub(super) fn next(&self, policy: Policy, groups: Option<Groups>) -> InForce {
        let same = groups.is_none() || groups.as_ref() == Some(self.groups.as_ref());
        InForce {
            generation: self.generation + 1,
            policy: Arc::new(policy),
            groups: match groups {
                Some(groups) if !same => Arc::new(groups),
                _ => self.groups.clone(),
            },
            first_groups: self.first_groups.clone(),
            compiled: Derived::new(),
        }
    }

    /// What is compiled for this state of the registry.
    pub(super) fn generation(&self, snapshot: &Snapshot) -> Result<Arc<Generation>, Error> {
        self.compiled.get(snapshot.generation(), || {
            Generation::new(self.catalog(snapshot)?, self.policy.clone())
        })
    }

    /// The tools with the groups in force: those that were opened with may be others by now.
    pub(crate) fn catalog(&self, snapshot: &Snapshot) -> Result<Arc<Catalog>, Error> {
        if Arc::ptr_eq(&self.groups, &self.first_groups) {
            return Ok(snapshot.catalog().clone());
        }
        let mut groups = self.groups.as_ref().clone();
        // A group that tools named stays known, whether or not they are still there.
        for known in snapshot.catalog().groups().keys() {
            if !self.first_groups.contains_key(known) {
                groups.entry(known.clone()).or_default();
            }
        }
        Ok(Arc::new(snapshot.catalog().with_groups(&groups)?))
    }
}

/// How many decisions are remembered for one state of the registry.
const MOST_DECISIONS: usize = 4_096;

/// A policy compiled for one state of the registry, with the decisions that it gave.
pub(crate) struct Generation {
    memo: Memo,
    /// Why nothing may be decided by it.
    wrong: Option<String>,
}

impl Generation {
    fn new(catalog: Arc<Catalog>, policy: Arc<Policy>) -> Result<Generation, Error> {
        let compiled = Compiled::new(catalog, policy)?;
        for warning in compiled.warnings() {
            tracing::warn!(%warning, "the policy names what is not there");
        }
        let unmatched: Vec<String> = compiled.unmatched().iter().map(ToString::to_string).collect();
        let wrong = (!unmatched.is_empty()).then(|| {
            format!(
                "the policy names what is not there, so nothing is decided by it: {}. Register the \
                 tool before the first call, fix the name, or mark the entry as optional",
                unmatched.join("; ")
            )
        });
        Ok(Generation { memo: Memo::new(compiled, MOST_DECISIONS), wrong })
    }

    /// Refuses to decide by a policy that names what is not there: the tool that it was meant to
    /// deny may be there under another name.
    pub(super) fn check(&self) -> Result<(), Error> {
        match &self.wrong {
            Some(wrong) => Err(Error::new(Code::InvalidConfig, wrong.clone())),
            None => Ok(()),
        }
    }

    pub(super) fn compiled(&self) -> &Compiled {
        self.memo.compiled()
    }

    pub(super) fn decide(&self, inputs: &Inputs<'_>) -> Result<Arc<Decision>, Error> {
        Ok(self.memo.decide(inputs)?)
    }
}

/// A decision, with the policy that made it.
#[derive(Clone)]
pub(crate) struct Decided {
    decision: Arc<Decision>,
    generation: Arc<Generation>,
}

impl Decided {
    pub(super) fn new(decision: Arc<Decision>, generation: Arc<Generation>) -> Decided {
        Decided { decision, generation }
    }

    pub(super) fn decision(&self) -> &Arc<Decision> {
        &self.decision
    }

    /// What the caller is offered.
    pub(crate) fn offered(&self) -> Offered<'_> {
        Offered { decision: &self.decision, everything: self.is_shadow() }
    }

    /// True if a call of the tool goes on: it is allowed, or the policy is only watched.
    pub(crate) fn lets_pass(&self, tool: ToolId) -> bool {
        self.is_shadow() || self.decision.allows(tool)
    }

    /// True if what is not allowed runs all the same.
    pub(crate) fn is_shadow(&self) -> bool {
        self.policy().mode == Mode::Shadow
    }

    /// What the decision was compiled from.
    pub(crate) fn compiled(&self) -> &Compiled {
        self.generation.compiled()
    }

    /// The policy that decided.
    pub(crate) fn policy(&self) -> &Policy {
        self.compiled().policy()
    }
}

impl Deref for Decided {
    type Target = Decision;

    fn deref(&self) -> &Decision {
        &self.decision
    }
}
