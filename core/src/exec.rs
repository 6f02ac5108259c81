//! Running programs: on the host, confined by the kernel to what was decided of them.

mod capabilities;
pub(crate) mod capture;
pub(crate) mod config;
pub(crate) mod confine;
pub(crate) mod environment;
pub(crate) mod groups;
pub(crate) mod host;
pub(crate) mod limits;
pub(crate) mod permit;
pub(crate) mod places;
pub(crate) mod running;
pub(crate) mod sealed;

pub(crate) use host::{Done, Host, NotRun, Order};
pub(crate) use running::{Canceller, Cut, Status};

pub use capabilities::Capabilities;
pub use config::{ExecConfig, Profile};
pub use environment::EnvironmentConfig;
pub use limits::Limits;
pub use permit::{NetworkPermit, Permit};
