//! What commands on this machine can be held to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cgroups::Groups;
use super::confine::kernel::{Kernel, Namespaces};
use super::limits::Limits;

/// How commands on this machine can be confined: the protections that the kernel gives to this
/// process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Capabilities {
    /// The version of Landlock. None: the kernel does not have it.
    pub landlock: Option<u32>,
    /// Whether system calls can be filtered.
    pub seccomp: bool,
    /// Whether commands can have mounts, processes and a network of their own.
    pub namespaces: bool,
    /// Whether the memory and the number of processes of a command can be limited as a whole.
    pub cgroups: bool,
    /// The missing protections, and why, in words for the owner. With `exec.require` no command
    /// runs while one is missing.
    pub missing: Vec<String>,
    /// The Docker Engine that containers can be made with.
    pub sandbox: SandboxCapabilities,
}

/// The Docker Engine that containers can be made with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SandboxCapabilities {
    /// The version of the Docker Engine. None: there is none.
    pub engine: Option<String>,
    /// The newest version of its interface.
    pub api: Option<String>,
    /// The path of its socket.
    pub socket: Option<String>,
    /// What is missing, in words for the owner. Commands that must run in a sandbox are refused
    /// then.
    pub missing: Vec<String>,
}

impl Capabilities {
    pub(super) fn of(kernel: &Kernel, groups: &Groups, limits: &Limits) -> Capabilities {
        Capabilities {
            landlock: kernel.landlock,
            seccomp: kernel.filter,
            namespaces: kernel.namespaces != Namespaces::None,
            cgroups: groups.hold_memory() && groups.hold_processes(),
            missing: [kernel.missing.clone(), groups.missing(limits)].concat(),
            sandbox: SandboxCapabilities::default(),
        }
    }

    /// Of a machine on which nothing can be confined.
    pub(super) fn none(why: String) -> Capabilities {
        Capabilities {
            landlock: None,
            seccomp: false,
            namespaces: false,
            cgroups: false,
            missing: vec![why],
            sandbox: SandboxCapabilities::default(),
        }
    }
}
