//! What is wrong with a policy, all of it at once.

use std::sync::Arc;

use super::in_force::Generation;
use super::{Groups, InForce, PolicyGate};
use crate::policy::{Policy, RowLists};
use crate::store::Agent;
use crate::tool::Snapshot;

/// Which policy is looked at.
pub(crate) enum Candidate {
    /// The one in force.
    InForce,
    /// Another one, with its groups where they are others, too.
    Another(Box<Policy>, Option<Groups>),
}

/// What was found.
pub(crate) struct Found {
    /// The policy compiled, if it could be.
    pub generation: Option<Arc<Generation>>,
    pub errors: Vec<String>,
    pub warnings: Vec<String>,
}

impl PolicyGate {
    /// Everything that is wrong with a policy for these tools.
    pub(crate) fn examine(&self, snapshot: &Snapshot, candidate: Candidate) -> Found {
        let in_force = self.in_force();
        let generation = match candidate {
            Candidate::InForce => in_force.generation(snapshot),
            Candidate::Another(policy, groups) => {
                InForce::next(&in_force, *policy, groups).generation(snapshot)
            }
        };
        match generation {
            Ok(generation) => Found {
                errors: texts(generation.compiled().unmatched()),
                warnings: texts(generation.compiled().warnings()),
                generation: Some(generation),
            },
            Err(error) => Found {
                generation: None,
                errors: vec![error.message().to_owned()],
                warnings: Vec::new(),
            },
        }
    }
}

fn texts(mistakes: &[crate::policy::Error]) -> Vec<String> {
    mistakes.iter().map(ToString::to_string).collect()
}

impl Generation {
    /// The entries of an agent's own lists that mean nothing.
    pub(crate) fn examine_row(&self, agent: &Agent) -> Vec<String> {
        let row = RowLists { allow: agent.allow.as_deref(), deny: &agent.deny };
        texts(&self.compiled().mistakes_in(&agent.id, row))
    }
}
