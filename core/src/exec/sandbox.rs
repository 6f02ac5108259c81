//! Which commands run in a container instead of on the host, and what they see of the workspace there.
//!
//! The decision is here, without any engine: a build that has none still refuses to run on the host what
//! its owner wants in a sandbox.

use std::path::{Component, Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::confined::{Confined, Reached};
use crate::shell::{Env, denied};
use crate::tool::Caller;
use crate::workspace::CallerFolders;

/// Where the workspace is in a container.
pub(crate) const WORKSPACE: &str = "/workspace";

/// The home folder in a container. It is in memory and ends with it.
pub(crate) const HOME: &str = "/home/agent";

/// The `exec.sandbox` part of the configuration: commands that run in a container of a Docker Engine.
///
/// A misspelt value is an error, and so is a table without `mode`. Without an engine nothing runs.
/// Commands run on the host only with `disabled`, or without this table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SandboxConfig {
    /// Whose commands run in a container. Required in an `exec.sandbox` table.
    #[serde(default = "SandboxMode::unsaid")]
    pub mode: SandboxMode,
    /// The image, as the engine knows it. It is not pulled. It needs `sh` and `/proc`; `bash` is
    /// used if the image has it.
    pub image: String,
    /// Access to the workspace in the container, at `/workspace`. Default: `rw`.
    pub workspace_access: WorkspaceAccess,
    /// Which commands share a container. Default: `session`.
    pub scope: SandboxScope,
    /// The path of the engine's socket. Default: that of `DOCKER_HOST`, or else
    /// `/var/run/docker.sock`.
    pub socket: Option<String>,
    /// The user of the commands: `user` or `user:group`, names or numbers. Default: the numbers of
    /// this process, so that files in the workspace keep their owner. Empty: the user that the
    /// image names.
    pub user: Option<String>,
    /// The name of the engine's network that a container joins. Default: `none`.
    pub network: String,
    /// The most memory of a container, swap included, in MiB: at least 16.
    #[schemars(range(min = 16, max = 1_048_576))]
    pub memory_mb: u64,
    /// How many processors a container may use: 0.01 to 1,024.
    #[schemars(range(min = 0.01, max = 1024))]
    pub cpus: f64,
    /// The most processes and threads of a container at once: at least 16.
    #[schemars(range(min = 16, max = 1_000_000))]
    pub pids_limit: u64,
    /// Whether only the workspace and the folders in memory can be written. Default: true.
    pub read_only_root: bool,
    /// Folders in memory, as `path` or `path:options` (`/tmp:exec,size=256m`). Without options nothing
    /// can be executed in there. Default: `/tmp`, `/var/tmp` and `/run`.
    pub tmpfs: Vec<String>,
    /// The size of each folder in memory without a `size` of its own, in MiB: at least 1.
    #[schemars(range(min = 1, max = 1_048_576))]
    pub tmpfs_size_mb: u64,
    /// How long a command may take in seconds, if its call does not say: 1 to 3,600.
    #[schemars(range(min = 1, max = 3600))]
    pub timeout_seconds: u64,
    /// A container is removed after this many hours without a command: more than 0.
    pub idle_hours: f64,
    /// A container in which nothing runs is removed at this age, in days: more than 0.
    pub max_age_days: f64,
    /// How often such containers are looked for, in minutes: more than 0.
    pub prune_interval_min: f64,
}

/// Whose commands run in a container.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxMode {
    /// Nobody's: they run on the host.
    #[default]
    #[serde(alias = "off")]
    Disabled,
    /// Everybody's but those of the agents `main` and `default`.
    NonMain,
    /// Everybody's.
    All,
    /// Not said, which is an error: nobody knows whether commands were to run on the host.
    #[serde(skip)]
    Unsaid,
}

impl SandboxMode {
    fn unsaid() -> SandboxMode {
        SandboxMode::Unsaid
    }
}

/// Access to the workspace in a container.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WorkspaceAccess {
    /// Nothing: `/workspace` is a folder in memory of its own.
    None,
    /// It reads it.
    Ro,
    /// It reads and writes it.
    #[default]
    Rw,
}

/// Which commands share a container. Commands of different tenants or workspaces never do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxScope {
    /// Those of one session.
    #[default]
    Session,
    /// Those of one agent.
    Agent,
    /// All.
    Shared,
}

impl Default for SandboxConfig {
    fn default() -> SandboxConfig {
        SandboxConfig {
            mode: SandboxMode::default(),
            image: "debian:bookworm-slim".into(),
            workspace_access: WorkspaceAccess::default(),
            scope: SandboxScope::default(),
            socket: None,
            user: None,
            network: NO_NETWORK.into(),
            memory_mb: 512,
            cpus: 1.0,
            pids_limit: 256,
            read_only_root: true,
            tmpfs: ["/tmp", "/var/tmp", "/run"].map(str::to_owned).to_vec(),
            tmpfs_size_mb: 64,
            timeout_seconds: 300,
            idle_hours: 24.0,
            max_age_days: 7.0,
            prune_interval_min: 5.0,
        }
    }
}

/// The engine's network that is none.
pub(crate) const NO_NETWORK: &str = "none";

/// The agents that `non-main` leaves on the host.
const MAIN: [&str; 2] = ["main", "default"];

/// Networks that would undo the sandbox: the host's own, and another container's.
const NO_NETWORKS: [&str; 3] = ["host", "container:", "ns:"];

impl SandboxConfig {
    /// True if the commands of this agent run in a container. Who has no agent is not the main one.
    pub(crate) fn is_for(&self, agent: Option<&str>) -> bool {
        match self.mode {
            SandboxMode::Disabled => false,
            SandboxMode::NonMain => !agent.is_some_and(|agent| MAIN.contains(&agent)),
            // The check of the configuration refuses what was not said.
            SandboxMode::All | SandboxMode::Unsaid => true,
        }
    }

    /// What the commands of a caller see of his workspace. `None`: they run on the host.
    pub(crate) fn access_of(&self, caller: &Caller) -> Option<WorkspaceAccess> {
        self.is_for(caller.agent.as_deref()).then_some(self.workspace_access)
    }

    /// True if a command in there can be held to having no network.
    pub(crate) fn has_no_network(&self) -> bool {
        self.network == NO_NETWORK
    }

    /// What the types alone cannot say: the key within `exec.sandbox`, and what is wrong.
    pub(crate) fn check(&self) -> Result<(), (&'static str, String)> {
        if self.mode == SandboxMode::Unsaid {
            let why = "is missing; write `all` or `non-main`, whose commands are then in containers, or \
                       `disabled` for commands on the host";
            return Err(("mode", why.into()));
        }
        if cfg!(not(feature = "docker")) && self.mode != SandboxMode::Disabled {
            let why = "this build of toolkeep has no Docker; build it with the feature `docker`";
            return Err(("mode", why.into()));
        }
        let within = |key, given: u64, least: u64, most: u64| match given {
            _ if (least..=most).contains(&given) => Ok(()),
            _ => Err((key, format!("{given} is not between {least} and {most}"))),
        };
        within("memory_mb", self.memory_mb, 16, 1 << 20)?;
        within("pids_limit", self.pids_limit, 16, 1_000_000)?;
        within("tmpfs_size_mb", self.tmpfs_size_mb, 1, 1 << 20)?;
        within("timeout_seconds", self.timeout_seconds, 1, 3_600)?;
        let times = [
            ("idle_hours", self.idle_hours, 3_600.0),
            ("max_age_days", self.max_age_days, 86_400.0),
            ("prune_interval_min", self.prune_interval_min, 60.0),
        ];
        for (key, given, seconds) in times {
            // Longer durations are beyond what a clock can represent.
            if !(given > 0.0 && given * seconds < 1e11) {
                return Err((key, format!("{given} is no time; give more than 0")));
            }
        }
        if !(0.01..=1024.0).contains(&self.cpus) {
            return Err(("cpus", format!("{} is not between 0.01 and 1024", self.cpus)));
        }
        if self.image.trim().is_empty() {
            return Err(("image", "is empty; name an image that the engine has".into()));
        }
        if self.network.is_empty() || NO_NETWORKS.iter().any(|no| self.network.starts_with(no)) {
            let why = format!("`{}` is no network of a sandbox's own", self.network);
            return Err(("network", why));
        }
        if let Some(bad) = self.tmpfs.iter().find(|entry| !is_tmpfs(entry)) {
            let why = format!("`{bad}` is no folder below `/`; write `/tmp` or `/tmp:size=64m`");
            return Err(("tmpfs", why));
        }
        if self.socket.as_deref().is_some_and(|path| !path.starts_with('/')) {
            return Err(("socket", "is no absolute path of a socket".into()));
        }
        Ok(())
    }
}

fn is_tmpfs(entry: &str) -> bool {
    let path = entry.split_once(':').map_or(entry, |(path, _)| path);
    let is_workspace = Path::new(path).starts_with(WORKSPACE);
    path.len() > 1 && path.starts_with('/') && !path.contains("..") && !is_workspace
}

/// The caller that a command runs for, as far as that decides where it runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CommandOwner {
    pub(crate) tenant: String,
    pub(crate) agent: Option<String>,
    pub(crate) session: Option<String>,
    /// The workspace on this machine, without links.
    pub(crate) workspace: Option<PathBuf>,
    /// Paths it must not write, wherever they are: folders that it may only read, and paths that are closed to it.
    pub(crate) kept: Vec<PathBuf>,
}

impl CommandOwner {
    /// `session` is the key of what belongs to the session, or to the user in it.
    pub(crate) fn of(
        caller: &Caller,
        session: Option<String>,
        places: &CallerFolders,
    ) -> CommandOwner {
        CommandOwner {
            tenant: caller.tenant.clone(),
            agent: caller.agent.clone(),
            session,
            workspace: places.workspace.as_ref().map(PathBuf::from),
            kept: places.readable.iter().chain(&places.denied).map(PathBuf::from).collect(),
        }
    }
}

/// The workspace as commands in a container see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mounted {
    /// Where it is on this machine, without links. `None`: it is not there at all.
    pub(crate) real: Option<PathBuf>,
}

impl Mounted {
    /// What a path in the container is on this machine. `None` for one that is the container's own.
    pub(crate) fn on_host(&self, path: &str) -> Option<PathBuf> {
        let below = Path::new(path).strip_prefix(WORKSPACE).ok()?;
        Some(self.real.as_ref()?.join(below))
    }

    /// What a path of this machine is in the container. `None` for one that is not there.
    pub(crate) fn in_container(&self, path: &str) -> Option<String> {
        let below = Path::new(path).strip_prefix(self.real.as_ref()?).ok()?;
        let path = Path::new(WORKSPACE).join(below).display().to_string();
        Some(path.trim_end_matches('/').to_owned())
    }

    /// What an entry of `files.deny` in the container is on this machine. The workspace's own name is no
    /// pattern.
    #[cfg(feature = "docker")]
    pub(super) fn entry_on_host(&self, entry: &str) -> PathBuf {
        let is_glob = denied::is_glob(entry);
        let real = self.real.as_deref().and_then(Path::to_str);
        let real = real.filter(|real| is_glob || denied::is_glob(real));
        let below = entry.strip_prefix(WORKSPACE).and_then(|rest| rest.strip_prefix('/'));
        match real.zip(below) {
            Some((real, below)) => {
                let below = if is_glob { below.to_owned() } else { denied::escaped(below) };
                format!("{}/{below}", denied::escaped(real)).into()
            }
            None => self.on_host(entry).unwrap_or_else(|| entry.into()),
        }
    }

    /// What an entry of `files.deny` is in the container. In a glob the workspace may be escaped.
    fn entry_in_container(&self, entry: &str) -> Option<String> {
        let escaped = denied::escaped(self.real.as_ref()?.to_str()?);
        let below = entry.strip_prefix(escaped.as_str()).and_then(|rest| rest.strip_prefix('/'));
        match below {
            Some(below) => Some(format!("{WORKSPACE}/{below}")),
            None => self.in_container(entry),
        }
    }

    /// A path of the container as it is without the links of the workspace: of the container, too. The
    /// links of an image lead nowhere but within it.
    pub(crate) fn without_links(&self, path: &Path) -> PathBuf {
        without_links(path, |path| self.on_host(path))
    }

    /// What a command finds in the container.
    pub(crate) fn env(&self, places: &CallerFolders) -> Env {
        let denied = places.denied.iter().filter_map(|entry| self.entry_in_container(entry));
        Env {
            cwd: WORKSPACE.into(),
            home: HOME.into(),
            workspace: vec![WORKSPACE.into()],
            deny_paths: denied.collect(),
            opened: places.opened.clone(),
            ..Env::default()
        }
    }
}

/// A path without its links, also where nothing stands at its end. `on_host` says where on this machine
/// what stands at a path is.
pub(crate) fn without_links(path: &Path, on_host: impl Fn(&str) -> Option<PathBuf>) -> PathBuf {
    let mut rest: Vec<PathBuf> = parts(path);
    let mut done = PathBuf::from("/");
    let mut links = 0;
    while let Some(part) = rest.pop() {
        if part == Path::new("..") {
            done.pop();
            continue;
        }
        done.push(part);
        let there = done.to_str().and_then(&on_host);
        let target = match there {
            // A link that the engine itself makes.
            None if done == Path::new("/dev/fd") => Some(PathBuf::from("/proc/self/fd")),
            None => None,
            Some(there) => std::fs::read_link(there).ok(),
        };
        let Some(target) = target.filter(|_| links < MOST_LINKS) else { continue };
        links += 1;
        match target.is_absolute() {
            true => done = PathBuf::from("/"),
            false => drop(done.pop()),
        }
        rest.extend(parts(&target));
    }
    done
}

/// As many links as a kernel follows.
const MOST_LINKS: usize = 40;

/// The parts of a path, the last one first.
fn parts(path: &Path) -> Vec<PathBuf> {
    let parts = path
        .components()
        .filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
    let mut parts: Vec<PathBuf> = parts.map(|part| PathBuf::from(part.as_os_str())).collect();
    parts.reverse();
    parts
}

/// What helps after a command that failed in a container, by how it ended and by what it wrote.
pub(crate) fn hint(code: i32, written: &str, confined: &Confined) -> Option<&'static str> {
    let written = written.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| written.contains(word));
    if code == 127 || (written.contains("not found") && has(&["command", "sh:"])) {
        return Some(
            "The program is not in the sandbox's image. Do it with what the image has, or ask the \
             user for an image that has it.",
        );
    }
    if has(&["permission denied", "eacces"]) {
        return Some(
            "In the sandbox one is an ordinary user without privileges, and `sudo` does not help. \
             Write in `/workspace` or `/tmp`.",
        );
    }
    let unresolved =
        ["network is unreachable", "name resolution", "could not resolve", "bad address"];
    if has(&unresolved) && confined.network == Reached::Nothing {
        return Some(
            "The sandbox has no network. Work with what is there, or ask the user for the files.",
        );
    }
    if has(&["read-only file system", "erofs"]) {
        return Some(
            "In the sandbox only `/tmp` and, unless the owner has closed it, `/workspace` can be \
             written.",
        );
    }
    if has(&["no space left", "enospc", "cannot allocate memory"]) {
        return Some(
            "The sandbox's memory is used up; what is in `/tmp` counts. Do less at once, or keep \
             large files in `/workspace`.",
        );
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::confined::RanIn;
    use super::*;

    #[test]
    fn main_agents_stay_on_the_host_only_where_that_is_said() {
        let of = |mode| SandboxConfig { mode, ..SandboxConfig::default() };
        for agent in [None, Some("main"), Some("other")] {
            assert!(!of(SandboxMode::Disabled).is_for(agent));
            assert!(of(SandboxMode::All).is_for(agent));
            assert_eq!(of(SandboxMode::NonMain).is_for(agent), agent != Some("main"));
        }
        assert!(!of(SandboxMode::NonMain).is_for(Some("default")));
    }

    #[test]
    fn the_workspace_has_one_path_here_and_another_there() {
        let mounted = Mounted { real: Some("/srv/ws".into()) };
        assert_eq!(mounted.on_host("/workspace/a").as_deref(), Some(Path::new("/srv/ws/a")));
        assert_eq!(mounted.on_host("/workspaces/a"), None);
        assert_eq!(mounted.in_container("/srv/ws").as_deref(), Some("/workspace"));
        assert_eq!(
            mounted.in_container("/srv/ws/**/*.pem").as_deref(),
            Some("/workspace/**/*.pem")
        );
        assert_eq!(mounted.in_container("/srv/ws2"), None);
        assert_eq!(Mounted { real: None }.on_host("/workspace/a"), None);
    }

    #[test]
    fn links_lead_where_they_do_in_the_container() {
        let folder = tempfile::tempdir().unwrap();
        let link = |to: &str, name: &str| {
            std::os::unix::fs::symlink(to, folder.path().join(name)).unwrap();
        };
        std::fs::create_dir(folder.path().join("a")).unwrap();
        link("/workspace/a", "inside");
        link("../proc/self", "a/process");
        link("../../proc", "a/up");
        link("round", "round");
        let mounted = Mounted { real: Some(folder.path().to_owned()) };
        let leads = |path: &str| mounted.without_links(Path::new(path)).display().to_string();
        assert_eq!(leads("/workspace/inside/b"), "/workspace/a/b");
        assert_eq!(leads("/workspace/a/up/self/environ"), "/proc/self/environ");
        assert_eq!(leads("/workspace/inside/process"), "/workspace/proc/self");
        assert_eq!(leads("/workspace/../proc/1"), "/proc/1");
        assert_eq!(leads("/dev/fd/../environ"), "/proc/self/environ");
        assert_eq!(leads("/workspace/round"), "/workspace/round");
    }

    #[test]
    fn a_hint_fits_how_the_command_failed() {
        let confined = Confined {
            ran_in: RanIn::Sandbox,
            profile: None,
            by: Vec::new(),
            network: Reached::Nothing,
            hosts: Vec::new(),
            missing: Vec::new(),
            withheld: Vec::new(),
            not_looked_at: Vec::new(),
        };
        let hint = |code, written| hint(code, written, &confined);
        // The rows of the systems that we start from.
        for (code, written, words) in [
            (127, "anything", "image"),
            (1, "sh: node: not found", "image"),
            (1, "bash: command not found: curl", "image"),
            (1, "EACCES: permission denied", "privileges"),
            (1, "Temporary failure in name resolution", "no network"),
            (1, "touch: x: Read-only file system", "can be written"),
            (1, "Cannot allocate memory", "used up"),
        ] {
            assert!(hint(code, written).is_some_and(|hint| hint.contains(words)), "{written}");
        }
        for written in ["file not found: config.yaml", "segfault", "connection refused"] {
            assert_eq!(hint(1, written), None, "{written}");
        }
        assert_eq!(hint(2, "No such file or directory"), None);
    }

    #[test]
    fn what_would_undo_the_sandbox_is_refused() {
        let complaint = |change: fn(&mut SandboxConfig)| {
            let mut config = SandboxConfig::default();
            change(&mut config);
            config.check().unwrap_err().0
        };
        assert!(SandboxConfig::default().check().is_ok());
        assert_eq!(complaint(|config| config.network = "host".into()), "network");
        assert_eq!(complaint(|config| config.network = "container:db".into()), "network");
        assert_eq!(complaint(|config| config.cpus = 0.001), "cpus");
        assert_eq!(complaint(|config| config.cpus = f64::NAN), "cpus");
        assert_eq!(complaint(|config| config.memory_mb = 0), "memory_mb");
        assert_eq!(complaint(|config| config.pids_limit = 0), "pids_limit");
        assert_eq!(complaint(|config| config.idle_hours = 0.0), "idle_hours");
        assert_eq!(complaint(|config| config.max_age_days = f64::INFINITY), "max_age_days");
        assert_eq!(complaint(|config| config.tmpfs = vec!["/".into()]), "tmpfs");
        assert_eq!(complaint(|config| config.tmpfs = vec!["/workspace/a".into()]), "tmpfs");
        assert_eq!(complaint(|config| config.image = " ".into()), "image");
        assert_eq!(complaint(|config| config.socket = Some("tcp://h".into())), "socket");
    }
}
