//! How much a command may use of the machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The `exec.limits` part of the configuration: how much one command may use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// The most memory of all its processes, in MiB. 0: no limit. Enforced by control groups only.
    pub memory_mb: u64,
    /// The most processes and threads at once. 0: no limit. Without control groups and user
    /// namespaces the kernel counts all processes of the user; then those that already ran on the
    /// machine are added to the limit.
    pub processes: u64,
    /// The largest file that it may write, in MiB. 0: no limit.
    pub file_mb: u64,
    /// The free space to keep on each disk that it writes to, in MiB: with less it is ended. If
    /// there is less when it starts, half of that. Below an eighth it can write no file. 0: no
    /// limit.
    pub disk_left_mb: u64,
    /// How many more files and folders each disk that it writes to must be able to hold: with fewer
    /// it is ended. If there are fewer when it starts, half of them. 0: no limit. Some file
    /// systems, such as Btrfs, do not count them.
    pub files_left: u64,
    /// The most files that one process may have open. 0: no limit.
    pub open_files: u64,
    /// The most processor time of one process, in seconds. 0: no limit.
    pub cpu_seconds: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            memory_mb: 4_096,
            processes: 512,
            file_mb: 1_024,
            disk_left_mb: 512,
            files_left: 16_384,
            open_files: 4_096,
            cpu_seconds: 0,
        }
    }
}

const MIB: u64 = 1024 * 1024;

/// For `file_mb`: no file is written. Configurations say 0 for no limit.
const NO_FILE: u64 = u64::MAX;

/// What is to be left of a disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Left {
    pub(crate) bytes: u64,
    /// Files and folders that could be made.
    pub(crate) files: u64,
}

/// The kernel's numbers of what `setrlimit` limits.
mod resource {
    pub(super) const CPU: u64 = 0;
    pub(super) const FILE_SIZE: u64 = 1;
    pub(super) const CORE: u64 = 4;
    pub(super) const PROCESSES: u64 = 6;
    pub(super) const OPEN_FILES: u64 = 7;
}

impl Limits {
    /// How much is to be left of each disk.
    pub(crate) fn left(&self) -> Left {
        Left { bytes: self.disk_left_mb.saturating_mul(MIB), files: self.files_left }
    }

    /// The same limits for a command that is to write no file.
    pub(crate) fn without_files(&self) -> Limits {
        Limits { file_mb: NO_FILE, ..self.clone() }
    }

    /// As rows for `setrlimit`: what is limited, in words, its number, and the limit. `others` is how
    /// many processes and threads the kernel counts besides those of the command.
    pub(crate) fn rows(&self, others: u64) -> Vec<(&'static str, u64, u64)> {
        let processes = match self.processes {
            0 => 0,
            most => most.saturating_add(others),
        };
        let rows = [
            ("processor time", resource::CPU, self.cpu_seconds),
            ("the size of files", resource::FILE_SIZE, self.file_mb.saturating_mul(MIB)),
            ("processes", resource::PROCESSES, processes),
            ("open files", resource::OPEN_FILES, self.open_files),
        ];
        let set = rows.into_iter().filter(|(.., limit)| *limit != 0);
        let none = (self.file_mb == NO_FILE).then_some(("files", resource::FILE_SIZE, 0));
        // A core file would hold the secrets of the process.
        std::iter::once(("core files", resource::CORE, 0)).chain(set).chain(none).collect()
    }
}
