//! `config.*`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operations;
use crate::error::Error;
use crate::runtime::{Config, Runtime};

operations! {
    /// The configuration.
    config as ConfigOps {
        /// Gives the configuration with its defaults filled in.
        get(GetConfig) -> Config = get;
    }
}

/// The arguments of `config.get`: none.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetConfig {}

async fn get(runtime: &Runtime, _: GetConfig) -> Result<Config, Error> {
    Ok(runtime.config().clone())
}
