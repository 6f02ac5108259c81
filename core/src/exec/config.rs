//! How commands are run, as the owner sets it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::environment::EnvironmentConfig;
use super::limits::Limits;
use super::profile::Profile;
use super::sandbox::SandboxConfig;

/// The `exec` part of the configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ExecConfig {
    /// How commands on the host are confined.
    pub confinement: Profile,
    /// Whether a command is refused if the kernel cannot enforce the whole confinement, or no
    /// control group enforces the limits of memory and processes. Default: false; the command runs
    /// with the protections that there are, and the result names the missing ones.
    pub require: bool,
    /// How long a command may take in seconds, if its call does not say: 1 to 3,600.
    #[schemars(range(min = 1, max = 3600))]
    pub timeout_seconds: u64,
    /// How much is kept of each of its two outputs, in KiB: at least 64. If an output is longer,
    /// two thirds of that are kept from the beginning and the rest from the end. It waits on disk
    /// until the command has ended. An output that is too long for the result goes to an artifact.
    #[schemars(range(min = 64, max = 1_048_576))]
    pub max_output_kb: u64,
    /// How much one command may use of the machine.
    pub limits: Limits,
    /// Commands that go on after the call that started them (background processes).
    pub processes: ProcessesConfig,
    /// The variables that commands get.
    pub environment: EnvironmentConfig,
    /// Containers in which commands run instead of on the host.
    pub sandbox: SandboxConfig,
}

impl Default for ExecConfig {
    fn default() -> ExecConfig {
        ExecConfig {
            confinement: Profile::default(),
            require: false,
            timeout_seconds: 60,
            max_output_kb: 16 * 1024,
            limits: Limits::default(),
            processes: ProcessesConfig::default(),
            environment: EnvironmentConfig::default(),
            sandbox: SandboxConfig::default(),
        }
    }
}

/// The `exec.processes` part of the configuration: commands that go on after the call that started
/// them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ProcessesConfig {
    /// The most processes that run at once for one session: at least 1.
    #[schemars(range(min = 1, max = 1024))]
    pub max_per_session: u32,
    /// The most processes that run at once in the runtime: at least 1.
    #[schemars(range(min = 1, max = 4096))]
    pub max: u32,
    /// How much of each output is kept, in KiB: its end, at least 16. It is on disk.
    #[schemars(range(min = 16, max = 262_144))]
    pub log_kb: u64,
    /// How long each may run, in seconds. 0: until the runtime is closed.
    pub max_seconds: u64,
}

impl Default for ProcessesConfig {
    fn default() -> ProcessesConfig {
        ProcessesConfig { max_per_session: 8, max: 64, log_kb: 32 * 1024, max_seconds: 0 }
    }
}
