//! A command to be run, with all that is said of it.

use std::path::PathBuf;
use std::time::Duration;

use super::apart::Apart;
use super::console::Console;
use super::environment::Variables;
use super::opened::Opened;
use super::sandbox::Whose;

use crate::shell::{Confinement, Run};

/// What a command is kept from in the repositories within the workspace, besides what it is
/// [held to](Confinement).
#[derive(Clone, Debug, Default)]
pub(crate) struct NestedGuards {
    /// What it must not write and has a path that is not UTF-8.
    pub(crate) unspelled: Vec<PathBuf>,
    /// Folders in which it writes nothing, since they were not looked through for repositories.
    pub(crate) not_looked_at: Vec<String>,
}

/// A command to be run.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    /// What is run.
    pub(crate) run: Run,
    /// Where, as an absolute path.
    pub(crate) cwd: PathBuf,
    /// What it was understood to do.
    pub(crate) held_to: Confinement,
    /// Folders that it may read although they lie where its own temporary folder stands. Nothing else
    /// is seen of what lies there on the machine.
    pub(crate) seen: Vec<PathBuf>,
    /// Variables besides those that every command gets.
    pub(crate) variables: Variables,
    /// What else it is kept from in the repositories within the workspace.
    pub(crate) nested: NestedGuards,
    /// Its standard input, or how that starts.
    pub(crate) input: Vec<u8>,
    /// What it reads from and writes to.
    pub(crate) console: Console,
    /// Whose temporary folder it has.
    pub(crate) session: String,
    /// A program that was opened before, in place of what is run. In a sandbox there is none such.
    pub(crate) opened: Option<Opened>,
    /// In a sandbox, a program that has a container of its own, in place of what is run.
    #[cfg_attr(not(feature = "docker"), expect(dead_code, reason = "another build runs it"))]
    pub(crate) apart: Option<Apart>,
    /// Whose it is: that says whether it runs on the host or in a sandbox.
    pub(crate) whose: Whose,
    /// How long it may take. [`Duration::MAX`]: as long as it likes.
    pub(crate) timeout: Duration,
}
