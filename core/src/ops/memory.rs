//! `memory.*`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{check_limit, default_limit, default_tenant, operations};
use crate::error::Error;
use crate::files::{self, MemoryQueue};
use crate::runtime::Runtime;

operations! {
    /// What agents remember.
    memory as Memory {
        /// Returns the memory files that were changed or deleted since a place, for an index of
        /// them. Every change enters this queue in its own transaction, whoever makes it. Store
        /// `next` together with your index.
        queued(QueuedMemories) -> MemoryQueue = queued;
    }
}

/// The arguments of `memory.queued`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QueuedMemories {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The `next` of the last answer that was indexed. Default: 0, from the beginning.
    #[serde(default)]
    pub after: i64,
    /// How many changes at most, 1 to 1,000. Default: 100.
    #[serde(default = "default_limit")]
    pub limit: u32,
}

async fn queued(runtime: &Runtime, args: QueuedMemories) -> Result<MemoryQueue, Error> {
    check_limit(args.limit)?;
    let at = (args.after, args.limit);
    Ok(files::queued(runtime.store(), &args.tenant, at).await?)
}
