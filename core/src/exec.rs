//! Running programs: on the host, confined by the kernel to what was decided of them.

pub(crate) mod background;
mod capabilities;
pub(crate) mod capture;
pub(crate) mod config;
pub(crate) mod confine;
pub(crate) mod console;
pub(crate) mod control;
pub(crate) mod egress;
pub(crate) mod environment;
pub(crate) mod groups;
pub(crate) mod host;
pub(crate) mod limits;
pub(crate) mod log;
pub(crate) mod places;
pub(crate) mod running;

pub(crate) use background::{Background, Owner, Process, Refused};
pub(crate) use console::Console;
pub(crate) use control::Control;
pub(crate) use host::{Confined, Done, Host, NotRun, Order, Reached};
pub(crate) use running::{Cut, Ended, Status};

pub use background::ProcessesConfig;
pub use capabilities::Capabilities;
pub use config::{ExecConfig, Profile};
pub use environment::EnvironmentConfig;
pub use limits::Limits;
