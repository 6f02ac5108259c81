//! The `files` part of the configuration.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::virtual_name::{MEMORY_FILE, MEMORY_FOLDER};
use crate::id::MAX_KEY_BYTES;
use crate::limits::echo;
use crate::shell::place;
use crate::workspace::folded_name;

/// What file tools reach, and how they treat it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FilesConfig {
    /// Folders that are read besides the workspace, by their absolute paths: skills, documents.
    /// Relative ones count from the configuration's folder. Default: none.
    pub read_roots: Vec<String>,
    /// Folders that are read and written besides the workspace. Default: none.
    pub write_roots: Vec<String>,
    /// What no file tool touches or shows, in the workspace and in every other root: paths from its
    /// root (`.git/hooks`, with all that is below) and globs (`**/*.pem`). Case does not count.
    /// Default: nothing.
    pub deny: Vec<String>,
    /// Protected names that stand open to file tools and commands, such as `AGENTS.md`, `.vscode` or
    /// `.git/hooks`, in whatever folder they are; and paths from a root's top of what the settings of a Git
    /// repository name. Default: none, so that writing one wants somebody's approval.
    pub open: Vec<String>,
    /// Whether a file with several names on the disk may be used. Default: `allow`.
    pub hard_links: HardLinks,
    /// What becomes of a write to a file that the model has not read as it is now. Default: `warn`.
    pub write_safety: WriteSafety,
    /// What `write_file` does not hand to the user unless it is told to: names (`prompt.txt`) and
    /// extensions (`*.sh`), in any case. Default: `*.sh`, `*.bash`, `*.zsh`, `manage-view.json`,
    /// `set-pills.json`, `clear-pills.json`, `prompt.txt` and `launch-job.json`.
    pub undelivered: Vec<String>,
    /// The names at the workspace's root that are no files on the disk but texts in the store, by
    /// agent and user. Default: `SOUL.md`, `IDENTITY.md`, `AGENTS.md`, `TOOLS.md`, `HEARTBEAT.md`,
    /// `USER.md` and `BOOTSTRAP.md`. Only calls with an agent have them.
    pub context_files: Vec<String>,
    /// Whether `MEMORY.md`, `memory.md` and what is below `memory/` are documents in the store.
    /// Default: true. Only calls with an agent have them.
    pub memory: bool,
    /// What may be written into the folder that a team shares.
    pub team: TeamConfig,
}

impl Default for FilesConfig {
    fn default() -> FilesConfig {
        let names = ["SOUL", "IDENTITY", "AGENTS", "TOOLS", "HEARTBEAT", "USER", "BOOTSTRAP"];
        FilesConfig {
            read_roots: Vec::new(),
            write_roots: Vec::new(),
            deny: Vec::new(),
            open: Vec::new(),
            hard_links: HardLinks::default(),
            write_safety: WriteSafety::default(),
            undelivered: UNDELIVERED.map(str::to_owned).to_vec(),
            context_files: names.map(|name| format!("{name}.md")).to_vec(),
            memory: true,
            team: TeamConfig::default(),
        }
    }
}

/// Scripts and the working files of an agent (the seeds' names).
const UNDELIVERED: [&str; 8] = [
    "*.sh",
    "*.bash",
    "*.zsh",
    "manage-view.json",
    "set-pills.json",
    "clear-pills.json",
    "prompt.txt",
    "launch-job.json",
];

impl FilesConfig {
    /// What the types alone cannot say: the key that is wrong, and why.
    pub(crate) fn check(&self) -> Result<(), (String, String)> {
        for (index, entry) in self.open.iter().enumerate() {
            if let Some(why) = no_name_to_open(entry) {
                return Err((format!("open[{index}]"), format!("`{}` {why}", echo(entry))));
            }
        }
        let names = &self.context_files;
        let alike =
            |one: &str, other: &str| folded_name(one).eq_ignore_ascii_case(&folded_name(other));
        for (index, name) in names.iter().enumerate() {
            let is_name = !name.trim().is_empty() && !matches!(name.as_str(), "." | "..");
            let is_name = is_name && !name.contains(['/', '\0']) && name.len() <= MAX_KEY_BYTES;
            let is_memory =
                || [MEMORY_FOLDER, MEMORY_FILE].iter().any(|memory| alike(name, memory));
            let why = if !is_name {
                "is no name of a file at the workspace's root, such as `AGENTS.md`"
            } else if self.memory && is_memory() {
                "is what memory is called; leave it out, or switch `files.memory` off"
            } else if names[..index].iter().any(|before| alike(name, before)) {
                "is there twice: neither case nor accents tell names apart here"
            } else {
                continue;
            };
            return Err((format!("context_files[{index}]"), format!("`{}` {why}", echo(name))));
        }
        Ok(())
    }

    /// True if the file is handed to the user where the model does not say.
    pub(crate) fn delivers(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        let is_this = |known: &String| {
            let known = known.to_lowercase();
            match known.strip_prefix('*') {
                Some(extension) => name.ends_with(extension),
                None => name == known,
            }
        };
        !self.undelivered.iter().any(is_this)
    }
}

/// Why an entry opens nothing; none if it does.
fn no_name_to_open(entry: &str) -> Option<String> {
    let parts = || entry.split('/');
    if entry.is_empty()
        || entry.contains('\0')
        || parts().any(|part| matches!(part, "" | "." | ".."))
    {
        let why = "is no protected name and no path from the top of a root, such as `AGENTS.md` or \
                   `tools/hooks`";
        return Some(why.to_owned());
    }
    let name = place::protected(entry, &[])?;
    let is_it = name == entry || place::names().any(|one| place::is_within(one, entry));
    (!is_it).then(|| {
        format!("is below a protected name; open `{name}`, which then stands open in every folder")
    })
}

/// What may be written into the folder that a team shares, by whichever tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TeamConfig {
    /// Endings of names that no file may have; neither the dot nor case counts. Default: `exe`,
    /// `sh`, `bat`, `cmd`, `ps1`, `com`, `msi` and `scr`.
    pub extensions: Vec<String>,
    /// How many bytes a file may come to have. Default: 10,485,760 (10 MiB).
    pub max_bytes: u64,
    /// How many files there may be in the folder and all below it. Default: 100.
    pub max_files: usize,
}

impl Default for TeamConfig {
    fn default() -> TeamConfig {
        let extensions = ["exe", "sh", "bat", "cmd", "ps1", "com", "msi", "scr"];
        TeamConfig {
            extensions: extensions.map(str::to_owned).to_vec(),
            max_bytes: 10 << 20,
            max_files: 100,
        }
    }
}

/// Whether a file with several names on the disk may be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HardLinks {
    /// It may: package stores and clones of repositories are full of them.
    #[default]
    Allow,
    /// It is refused: its other name may be outside of the workspace.
    Refuse,
}

/// What becomes of a write to a file that the model has not read as it is now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WriteSafety {
    /// It is refused.
    Strict,
    /// A file that was never read is written, and the result says so; one that was changed since it
    /// was read is refused.
    #[default]
    Warn,
    /// It is written.
    Off,
}
