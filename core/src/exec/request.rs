//! One command to run, and everything the room must know about it.

use std::path::PathBuf;
use std::time::Duration;

use super::console::Console;
use super::environment::Variables;
use super::isolated::Isolated;
use super::opened::Opened;
use super::sandbox::CommandOwner;

use crate::shell::{Confinement, Run};

/// What a command must not write in the repositories within the workspace, besides its
/// [confinement](Confinement).
#[derive(Clone, Debug, Default)]
pub(crate) struct NestedProtection {
    /// Paths it must not write that are not UTF-8.
    pub(crate) unspelled: Vec<PathBuf>,
    /// Folders in which it may write nothing, because they were not searched for repositories.
    pub(crate) not_looked_at: Vec<String>,
}

/// A command to be run.
#[derive(Clone, Debug)]
pub(crate) struct ExecRequest {
    /// The program and its arguments, or a script.
    pub(crate) run: Run,
    /// The folder it starts in, as an absolute path.
    pub(crate) cwd: PathBuf,
    /// What it may do: what the analysis found, or what its owner permits.
    pub(crate) held_to: Confinement,
    /// Folders it may read although they lie in `/tmp`. The rest of the machine's `/tmp` is hidden by the
    /// command's own temporary folder.
    pub(crate) visible: Vec<PathBuf>,
    /// Variables in addition to those that every command gets.
    pub(crate) variables: Variables,
    /// What else it must not write in the repositories within the workspace.
    pub(crate) nested: NestedProtection,
    /// Its standard input, or the beginning of it.
    pub(crate) input: Vec<u8>,
    /// Pipes or a terminal.
    pub(crate) console: Console,
    /// The session whose temporary folder it has.
    pub(crate) session: String,
    /// A program that was opened and verified before, which runs instead of `run`. Never in a sandbox.
    pub(crate) opened: Option<Opened>,
    /// In a sandbox, a program that has a container of its own, which runs instead of `run`.
    #[cfg_attr(not(feature = "docker"), expect(dead_code, reason = "another build runs it"))]
    pub(crate) isolated: Option<Isolated>,
    /// The caller it runs for. That decides whether it runs on the host or in a sandbox.
    pub(crate) owner: CommandOwner,
    /// How long it may take. [`Duration::MAX`]: without a limit.
    pub(crate) timeout: Duration,
}
