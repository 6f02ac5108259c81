//! Running programs: on the host behind walls that the kernel enforces, or in a container.
//!
//! The invariant: a program can do no more than was decided for it, even if it lies about what it does.
//! For a model's command, the analysis in [`shell`](crate::shell) says what the command needs and gives a
//! [`Confinement`](crate::shell::Confinement). For a program of the owner's, the owner says it in a
//! [`Permit`]. Where the kernel cannot enforce a part of it, the result names that part, and with
//! `exec.require` nothing runs.
//!
//! # The way of a command
//!
//! 1. A tool describes the command in an `ExecRequest` and hands it to the `Host`.
//! 2. `route` decides: on the host, or in a container (`sandbox` holds the owner's settings).
//! 3. What the command must not write is collected: protected paths (`protection`), the settings of
//!    nested repositories (`nested_repositories`), and what `files.deny` closes. Each name
//!    is resolved without links, through a cache (`stat_cache`) that looks again only after a change.
//! 4. On the host, `confine` turns this into walls (mounts, Landlock rules, a system call filter,
//!    limits, a control group) and starts the command behind them. In a container, `docker` turns it
//!    into mounts of the container and gives the command to a shell session that waits there.
//! 5. While it runs, `running` reads its output and ends it on time, when it is cancelled, when a
//!    disk (`disk`) gets full, or when a protected path (`protected_paths`) that did not exist appears.
//! 6. Afterwards everything it has started is ended, and the place it ran in is kept for the next one.
//!
//! # Where things are
//!
//! | question | file |
//! |---|---|
//! | what one command is | `request`, `console`, `environment`, `launch`, `opened`, `isolated` |
//! | where it runs | `route`, `host`, `sandbox`, `machine`, `places`, `folder`, `owned` |
//! | what it must not touch | `protection`, `protected_paths`, `nested_repositories`, `repositories`, `deny_globs`, `hard_links`, `homes`, `turns`, `replaced` |
//! | how paths are resolved | `real`, `stat_cache`, `watch` |
//! | how the kernel enforces it | `confine` and its files |
//! | how much it may use | `limits`, `cgroups`, `cgroup_parents`, `disk` |
//! | which hosts it reaches | `egress`, `permitted` |
//! | how it runs and ends | `running`, `control`, `background`, `log` |
//! | containers | `docker` and its files |
//! | what is reported of it | `confined`, `capabilities`, `not_run` |

pub(crate) mod background;
mod capabilities;
mod cgroup_parents;
pub(crate) mod cgroups;
pub(crate) mod config;
pub(crate) mod confine;
mod confined;
pub(crate) mod console;
pub(crate) mod control;
mod deny_globs;
mod disk;
#[cfg(feature = "docker")]
mod docker;
pub(crate) mod egress;
pub(crate) mod environment;
mod folder;
mod hard_links;
mod homes;
pub(crate) mod host;
mod isolated;
mod launch;
pub(crate) mod limits;
pub(crate) mod log;
mod machine;
mod nested_repositories;
mod not_run;
mod opened;
mod owned;
pub(crate) mod permitted;
pub(crate) mod places;
mod profile;
mod protected_paths;
mod protection;
mod real;
mod replaced;
mod repositories;
mod request;
mod route;
pub(crate) mod running;
pub(crate) mod sandbox;
pub(crate) mod sealed;
mod stat_cache;
mod turns;
mod watch;

pub(crate) use background::{Background, Owner, Process, Refused};
pub(crate) use confined::{Confined, RanIn, Reached};
pub(crate) use console::Console;
pub(crate) use control::Control;
pub(crate) use disk::UsedUp;
pub(crate) use folder::Folder;
pub(crate) use host::{Done, Host};
pub(crate) use isolated::{Isolated, PrivateFile};
pub(crate) use not_run::NotRun;
pub(crate) use opened::Opened;
pub(crate) use protected_paths::Appeared;
pub(crate) use request::ExecRequest;
pub(crate) use running::{Cut, Ended, Status};

pub use crate::policy::{NetworkPermit, Permit};
pub use capabilities::{Capabilities, SandboxCapabilities};
pub use config::{ExecConfig, ProcessesConfig};
pub use environment::EnvironmentConfig;
pub use limits::Limits;
pub use profile::Profile;
pub use sandbox::{SandboxConfig, SandboxMode, SandboxScope, WorkspaceAccess};
