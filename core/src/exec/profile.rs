//! What commands on the host are held to, as the owner sets it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How commands on the host are confined. The prediction of a command narrows it further.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ConfinementProfile")]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// They write nothing but their temporary folder, and have no network.
    ReadOnly,
    /// They write in the workspace and their temporary folder, and reach the hosts that they were
    /// understood to reach.
    #[default]
    Workspace,
    /// The same, with the network of the host.
    #[serde(rename = "workspace+network")]
    WorkspaceNetwork,
    /// They do whatever the host may do.
    Off,
}
