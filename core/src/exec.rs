//! Running programs: on the host, confined by the kernel to what was decided of them, or in containers.

mod capabilities;
pub(crate) mod capture;
pub(crate) mod config;
pub(crate) mod confine;
#[cfg(feature = "docker")]
mod docker;
pub(crate) mod environment;
pub(crate) mod groups;
pub(crate) mod host;
pub(crate) mod limits;
pub(crate) mod places;
pub(crate) mod running;
pub(crate) mod sandbox;

pub(crate) use host::{Done, Host, NotRun, Order, RanIn};
pub(crate) use running::{Canceller, Cut, Status};

pub use capabilities::{Capabilities, SandboxCapabilities};
pub use config::{ExecConfig, Profile};
pub use environment::EnvironmentConfig;
pub use limits::Limits;
pub use sandbox::{SandboxConfig, SandboxMode, SandboxScope, WorkspaceAccess};
