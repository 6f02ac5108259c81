//! `exec.*`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operations;
use crate::error::Error;
use crate::exec::Capabilities;
use crate::runtime::Runtime;

operations! {
    /// Commands that run.
    exec as ExecOps {
        /// Returns how commands on this machine can be confined, and which protections the kernel
        /// does not give.
        capabilities(GetCapabilities) -> Capabilities = capabilities;
    }
}

/// The arguments of `exec.capabilities`: none.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetCapabilities {}

async fn capabilities(runtime: &Runtime, _: GetCapabilities) -> Result<Capabilities, Error> {
    runtime.capabilities().await
}
