//! What a command was confined to, as the result reports it.

use serde::Serialize;

use super::profile::Profile;

/// What a command was confined to, as its result reports it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Confined {
    /// Where it ran.
    pub(crate) ran_in: RanIn,
    /// The profile, on the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) profile: Option<Profile>,
    /// The parts of a confinement that it had.
    pub(crate) by: Vec<&'static str>,
    /// How far it could reach.
    pub(crate) network: Reached,
    /// The hosts that it could reach, where those are not all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) hosts: Vec<String>,
    /// What it should have had and the kernel did not give.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) missing: Vec<String>,
    /// The settings that Git was to write and could not, since commands run that must not write them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) withheld: Vec<String>,
    /// Folders that were not looked through for repositories, so that nothing could be written in them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) not_looked_at: Vec<String>,
}

/// Where a command ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RanIn {
    /// On the machine of the host program.
    Host,
    /// In a container.
    #[cfg_attr(
        not(any(feature = "docker", test)),
        expect(dead_code, reason = "nothing else makes one")
    )]
    Sandbox,
}

/// How far a command could reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reached {
    /// Nothing but itself.
    Nothing,
    /// The hosts that it was understood to reach.
    Hosts,
    /// Whatever this machine reaches.
    All,
}
