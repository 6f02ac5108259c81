//! Running programs: on the host, confined by the kernel to what was decided of them, or in containers.

mod apart;
pub(crate) mod background;
mod capabilities;
mod closed;
pub(crate) mod config;
pub(crate) mod confine;
mod confined;
pub(crate) mod console;
pub(crate) mod control;
mod disk;
#[cfg(feature = "docker")]
mod docker;
pub(crate) mod egress;
pub(crate) mod environment;
mod folder;
pub(crate) mod groups;
mod guarded;
pub(crate) mod host;
mod launch;
pub(crate) mod limits;
pub(crate) mod log;
mod looks;
mod machine;
mod nested;
mod not_run;
mod opened;
mod owned;
mod parents;
pub(crate) mod permit;
pub(crate) mod places;
mod real;
mod replaced;
mod repositories;
mod route;
pub(crate) mod running;
pub(crate) mod sandbox;
pub(crate) mod sealed;
mod turns;

pub(crate) use apart::{Apart, PrivateFile};
pub(crate) use background::{Background, Owner, Process, Refused};
pub(crate) use confined::{Confined, RanIn, Reached};
pub(crate) use console::Console;
pub(crate) use control::Control;
pub(crate) use folder::Folder;
pub(crate) use host::{Done, Host, Order};
pub(crate) use not_run::NotRun;
pub(crate) use opened::Opened;
pub(crate) use running::{Cut, Ended, Status};

pub use background::ProcessesConfig;
pub use capabilities::{Capabilities, SandboxCapabilities};
pub use config::{ExecConfig, Profile};
pub use environment::EnvironmentConfig;
pub use limits::Limits;
pub use permit::{NetworkPermit, Permit};
pub use sandbox::{SandboxConfig, SandboxMode, SandboxScope, WorkspaceAccess};
