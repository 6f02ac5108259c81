//! What calls pass through: made once for a runtime, the same for all calls.

use std::sync::Arc;

use super::approve::ApproveGate;
use super::budget::{Budget, RateLimit};
use super::execute::Execute;
use super::loops::Loops;
use super::policy::PolicyGate;
use super::recorder::Recorder;
use super::redundancy::RedundancyGate;
use super::runs::Runs;
use super::shape::Output;
use super::taint::Marked;
use crate::clis::Clis;
use crate::clock::Clock;
use crate::commands::Commands;
use crate::custom::Followed;
use crate::scrubbers::Scrubbers;
use crate::store::Store;
use crate::tool::{Deferred, DefinitionCache, Registries, Sessions};
use crate::upkeep::Upkeep;
use crate::vault::Vault;

/// Everything that a call passes through. One per runtime.
///
/// What a call seldom waits for is boxed where it is awaited, so that its future, which is moved
/// about by every layer above, stays small.
pub(crate) struct CallPath {
    pub tools: Tools,
    pub policy: Arc<PolicyGate>,
    pub shell: Shell,
    pub limits: Limits,
    pub reads: Reads,
    pub approval: ApproveGate,
    pub execute: Execute,
    pub texts: Texts,
    pub sessions: Sessions,
    pub recorder: Recorder,
    pub upkeep: Arc<Upkeep>,
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
}

/// Which tools there are, and how models see them.
pub(crate) struct Tools {
    pub registries: Arc<Registries>,
    /// The tools that owners made of commands.
    pub custom: Option<Arc<Followed>>,
    pub deferred: Arc<Deferred>,
    pub definitions: DefinitionCache,
}

/// How commands of a shell are judged.
pub(crate) struct Shell {
    pub commands: Arc<Commands>,
    pub clis: Arc<Clis>,
}

/// How much a run may do.
pub(crate) struct Limits {
    pub rate: Option<RateLimit>,
    pub budget: Budget,
    pub loops: Loops,
    pub history: Runs,
}

/// What sessions have read.
pub(crate) struct Reads {
    pub marked: Marked,
    pub redundancy: RedundancyGate,
}

/// What texts pass before a model sees them.
pub(crate) struct Texts {
    pub scrubbers: Arc<Scrubbers>,
    pub vault: Option<Arc<Vault>>,
    pub output: Output,
}
