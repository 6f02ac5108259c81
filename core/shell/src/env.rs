//! What the analysis knows of the machine: a snapshot that the caller takes.
//!
//! The analysis asks no system and reads no disk, so that a verdict is the same everywhere and can
//! be repeated. All that it may need to know of the machine stands in [`Env`]: folders, links, the
//! user, what is denied. The caller fills it before the check. What is missing there is unknown,
//! and the unknown is asked about.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The remotes of a repository: the addresses of each, by its name.
pub type Remotes = BTreeMap<String, BTreeSet<String>>;

/// The surroundings of a command. The default is a virtual workspace at `/workspace`, which is also
/// the working folder, a home folder `/home/user`, and `/tmp`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "ShellEnv")]
pub struct Env {
    /// The working folder, absolute.
    pub cwd: String,
    /// The home folder, absolute.
    pub home: String,
    /// The user's name.
    pub user: String,
    /// Folders for temporary files.
    pub temp: Vec<String>,
    /// The folders that the agent works in. The first is the workspace.
    pub workspace: Vec<String>,
    /// Folders that are only read.
    pub read_roots: Vec<String>,
    /// What no command touches: absolute paths with all that is below, and globs.
    pub deny_paths: Vec<String>,
    /// What is exempt from `deny_paths`: absolute paths with all that is below.
    pub deny_exempt: Vec<String>,
    /// True where walls keep a command from all that `deny_paths` closes and that is there. Then only what it
    /// names is refused, and not what goes through the folders around it.
    #[serde(skip)]
    #[schemars(skip)]
    pub covered: bool,
    /// The protected names that the owner opens, in whatever folder they are.
    #[serde(skip)]
    #[schemars(skip)]
    pub opened: Vec<String>,
    /// What is protected besides those names: files and folders of the workspace, absolute, that settings
    /// of Git name.
    #[serde(skip)]
    #[schemars(skip)]
    pub protected: Vec<String>,
    /// Where symbolic links lead: from an absolute path to what stands in the link, as a snapshot.
    pub links: BTreeMap<String, String>,
    /// Where remotes of repositories are, by the folder, absolute, in which Git is called. A folder that is
    /// not here: not known.
    #[serde(skip)]
    #[schemars(skip)]
    pub remotes: BTreeMap<String, Remotes>,
    /// What it is given on standard input, where that is known.
    pub stdin: Option<String>,
    /// Which shell runs the text.
    pub shell: Shell,
}

/// A shell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ShellKind")]
#[serde(rename_all = "snake_case")]
pub enum Shell {
    /// `sh`: a POSIX shell. It is read as Bash, whose language holds its own.
    #[default]
    Sh,
    /// Bash.
    Bash,
}

impl Default for Env {
    fn default() -> Env {
        Env {
            cwd: "/workspace".into(),
            home: "/home/user".into(),
            user: "user".into(),
            temp: vec!["/tmp".into(), "/var/tmp".into()],
            workspace: vec!["/workspace".into()],
            read_roots: Vec::new(),
            deny_paths: Vec::new(),
            deny_exempt: Vec::new(),
            covered: false,
            opened: Vec::new(),
            protected: Vec::new(),
            links: BTreeMap::new(),
            remotes: BTreeMap::new(),
            stdin: None,
            shell: Shell::default(),
        }
    }
}
