//! `config.*`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operations;
use crate::error::Error;
use crate::runtime::{Config, Runtime};

operations! {
    /// The configuration.
    config as ConfigOps {
        /// Returns the configuration with its defaults filled in, and with the policy and groups
        /// that are in force.
        get(GetConfig) -> Config = get;
    }
}

/// The arguments of `config.get`: none.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetConfig {}

async fn get(runtime: &Runtime, _: GetConfig) -> Result<Config, Error> {
    let in_force = runtime.path().policy.in_force();
    let mut config = runtime.config().clone();
    config.policy = in_force.policy.as_ref().clone();
    config.groups = in_force.groups.as_ref().clone();
    Ok(config)
}
