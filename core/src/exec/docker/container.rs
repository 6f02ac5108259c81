//! A container: what it is made of, how it differs from others, and that it ends with its owner.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use bollard::Docker;
use bollard::container::AttachContainerResults;
use bollard::models::{
    ContainerCreateBody, HostConfig, HostConfigLogConfig, Mount, ResourcesUlimits,
};
use bollard::query_parameters::{AttachContainerOptions, CreateContainerOptions};
use futures_util::StreamExt as _;
use sha2::{Digest as _, Sha256};

use super::super::config::ExecConfig;
use super::super::deny_globs::Unresolved;
use super::super::replaced::Kept;
use super::super::request::ExecRequest;
use super::super::sandbox::{
    CommandOwner, HOME, NO_NETWORK, SandboxConfig, SandboxScope, WORKSPACE, WorkspaceAccess,
};
use super::engine::remove;
use super::mount_table::misplaced;
use super::mounts::{covered, mounts};
use super::owner::Owner;
use super::shell_session::{PATIENCE, ShellSession};
use super::trouble;
use crate::shell::{REMOVED, Reach};

/// What the first process of a container does: it prints the mount table, with an empty line at the
/// end, and waits until whoever made it is gone. Then its input ends, it ends, and the engine removes the
/// container.
const KEEPER: &str =
    "while IFS= read -r line; do printf '%s\\n' \"$line\"; done </proc/self/mountinfo
echo
read -r _";

/// A container that runs.
pub(super) struct Container {
    pub(super) id: String,
    /// The engine's warnings about settings that it could not apply.
    pub(super) warnings: Vec<String>,
    /// Sessions that wait in it.
    idle: Mutex<Vec<ShellSession>>,
    /// Its first process's input: it ends with this. Nobody locks it.
    _keeper: Mutex<AttachContainerResults>,
}

/// How many idle sessions are kept in a container.
const MOST_IDLE: usize = 4;

impl Container {
    /// An idle session, if there is one.
    pub(super) fn idle(&self) -> Option<ShellSession> {
        self.lock().pop()
    }

    /// Keeps a session for the next command.
    pub(super) fn keep(&self, session: ShellSession) {
        let mut idle = self.lock();
        if idle.len() < MOST_IDLE {
            idle.push(session);
        }
    }

    pub(super) fn forget_idle(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, Vec<ShellSession>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a container is to be.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    body: ContainerCreateBody,
    /// What of the workspace it does not write or see, as it is now.
    pub(super) kept: Kept,
    /// What makes it different from other containers: its owner and all of its settings.
    pub(super) identity: String,
}

impl Wanted {
    /// The container for a request.
    ///
    /// # Errors
    /// Where what is closed to it cannot be covered.
    pub(super) fn of(config: &ExecConfig, request: &ExecRequest) -> Result<Wanted, Unresolved> {
        let mounts = mounts(&config.sandbox, request)?;
        // Taken before anything is mounted: with another file there, another container is needed.
        let kept = Kept::of(covered(&mounts, request).into_iter());
        let body = body(config, request, mounts);
        let key = match &request.isolated {
            // No other command ever gets this container.
            Some(_) => uuid::Uuid::new_v4().to_string(),
            None => scope_key(config.sandbox.scope, &request.owner),
        };
        let mut hash = Sha256::new();
        // A body that could not be written would be one whose settings cannot be compared.
        let settings = format!("{:?}", sorted(&body));
        for part in [key.as_bytes(), settings.as_bytes(), kept.stamp().as_bytes()] {
            hash.update(part.len().to_be_bytes());
            hash.update(part);
        }
        let identity = data_encoding::HEXLOWER.encode(&hash.finalize())[..24].to_owned();
        Ok(Wanted { body, kept, identity })
    }

    /// Makes it and starts it.
    ///
    /// # Errors
    /// What the engine says.
    pub(super) async fn make(&self, docker: &Docker, owner: &Owner) -> Result<Container, String> {
        // A new number each time, because the engine may still be removing the one before.
        let name = format!("toolkeep-{}-{}-{}", owner.instance(), self.identity, owner.next());
        let mut body = self.body.clone();
        let mut labels = owner.labels();
        labels.insert("toolkeep.identity".to_owned(), self.identity.clone());
        body.labels = Some(labels);
        let options = CreateContainerOptions { name: Some(name), ..Default::default() };
        let made = docker.create_container(Some(options), body).await.map_err(|error| {
            let why = trouble(error);
            match why.contains("No such image") {
                true => format!("{why}: fetch it, as with `docker pull`"),
                false => why,
            }
        })?;
        let started = self.start(docker, &made.id).await;
        match started {
            Ok(keeper) => Ok(Container {
                id: made.id,
                warnings: made.warnings,
                idle: Mutex::default(),
                _keeper: Mutex::new(keeper),
            }),
            Err(why) => {
                remove(docker, &made.id).await;
                Err(why)
            }
        }
    }

    async fn start(&self, docker: &Docker, id: &str) -> Result<AttachContainerResults, String> {
        let options = AttachContainerOptions {
            stream: true,
            stdin: true,
            stdout: true,
            ..Default::default()
        };
        let mut keeper = docker.attach_container(id, Some(options)).await.map_err(trouble)?;
        docker.start_container(id, None).await.map_err(trouble)?;
        let table = tokio::time::timeout(PATIENCE, report(&mut keeper)).await;
        let table = table.map_err(|_| "it does not start in time".to_owned())?;
        let host = self.body.host_config.as_ref();
        let wanted = host.and_then(|host| host.mounts.as_deref()).unwrap_or_default();
        match misplaced(wanted, &table) {
            None => Ok(keeper),
            Some(_) if table.trim().is_empty() => {
                Err("its image cannot tell what is mounted there: its `sh` must have `printf`"
                    .to_owned())
            }
            Some(at) => Err(format!(
                "`{at}` of the workspace was exchanged for something else while its container \
                 started. Run it again when nothing else changes that"
            )),
        }
    }
}

/// What the first process of a container says: what is mounted there.
async fn report(keeper: &mut AttachContainerResults) -> String {
    let mut said = Vec::new();
    while !said.ends_with(b"\n\n") {
        let Some(Ok(piece)) = keeper.output.next().await else { break };
        said.extend_from_slice(piece.as_ref());
    }
    String::from_utf8_lossy(&said).into_owned()
}

/// The settings in an order that is always the same.
fn sorted(body: &ContainerCreateBody) -> (String, Vec<(String, String)>) {
    let mut body = body.clone();
    let tmpfs = body.host_config.as_mut().and_then(|host| host.tmpfs.take()).unwrap_or_default();
    let mut tmpfs: Vec<(String, String)> = tmpfs.into_iter().collect();
    tmpfs.sort();
    (format!("{body:?}"), tmpfs)
}

fn scope_key(scope: SandboxScope, owner: &CommandOwner) -> String {
    let part = |text: &Option<String>| text.as_deref().unwrap_or_default().to_owned();
    let within = match scope {
        SandboxScope::Session => {
            format!("session\0{}\0{}", part(&owner.agent), part(&owner.session))
        }
        SandboxScope::Agent => format!("agent\0{}", part(&owner.agent)),
        SandboxScope::Shared => "shared".to_owned(),
    };
    format!("{}\0{within}", owner.tenant)
}

/// The network of a command. One of an owner's own has none unless he gives it one.
pub(super) fn network_of<'s>(sandbox: &'s SandboxConfig, request: &ExecRequest) -> &'s str {
    let is_owners = request.held_to.by_owner || request.isolated.is_some();
    match is_owners && request.held_to.network == Reach::None {
        true => NO_NETWORK,
        false => &sandbox.network,
    }
}

fn body(config: &ExecConfig, request: &ExecRequest, mounts: Vec<Mount>) -> ContainerCreateBody {
    let sandbox = &config.sandbox;
    let network = network_of(sandbox, request);
    // An empty list overrides what the image sets.
    let emptied = REMOVED.iter().filter(|name| **name != "IFS").map(|name| format!("{name}="));
    ContainerCreateBody {
        image: Some(sandbox.image.clone()),
        entrypoint: Some(vec!["sh".into()]),
        cmd: Some(vec!["-c".into(), KEEPER.into()]),
        user: Some(user(sandbox)),
        working_dir: Some(WORKSPACE.into()),
        env: Some(emptied.collect()),
        attach_stdin: Some(true),
        open_stdin: Some(true),
        stdin_once: Some(true),
        network_disabled: Some(network == NO_NETWORK),
        host_config: Some(HostConfig {
            network_mode: Some(network.to_owned()),
            ..host_config(config, mounts)
        }),
        ..ContainerCreateBody::default()
    }
}

fn host_config(config: &ExecConfig, mounts: Vec<Mount>) -> HostConfig {
    let sandbox = &config.sandbox;
    let memory = number(sandbox.memory_mb.saturating_mul(1 << 20));
    // The check of the configuration keeps it small.
    #[expect(clippy::cast_possible_truncation, reason = "at most 1024 processors")]
    let processors = (sandbox.cpus * 1e9) as i64;
    HostConfig {
        auto_remove: Some(true),
        init: Some(true),
        memory: Some(memory),
        // This limits memory and swap together, so equal numbers mean no swap.
        memory_swap: Some(memory),
        nano_cpus: Some(processors),
        pids_limit: Some(number(sandbox.pids_limit)),
        readonly_rootfs: Some(sandbox.read_only_root),
        tmpfs: Some(tmpfs(sandbox)),
        mounts: Some(mounts),
        cap_drop: Some(vec!["ALL".into()]),
        security_opt: Some(vec!["no-new-privileges".into()]),
        ulimits: Some(ulimits(config)),
        ipc_mode: Some("private".into()),
        // The first process writes nothing worth keeping, and a log would be a file on the host.
        log_config: Some(HostConfigLogConfig { typ: Some("none".into()), config: None }),
        ..HostConfig::default()
    }
}

fn number(given: u64) -> i64 {
    i64::try_from(given).unwrap_or(i64::MAX)
}

fn user(sandbox: &SandboxConfig) -> String {
    let own = || {
        let (user, group) = (rustix::process::getuid(), rustix::process::getgid());
        format!("{}:{}", user.as_raw(), group.as_raw())
    };
    sandbox.user.clone().unwrap_or_else(own)
}

fn ulimits(config: &ExecConfig) -> Vec<ResourcesUlimits> {
    let limits = &config.limits;
    let file = limits.file_mb.saturating_mul(1 << 20);
    let rows = [("nofile", limits.open_files), ("fsize", file)];
    let set = rows.into_iter().filter(|(_, limit)| *limit != 0);
    // A core file would hold the secrets of the process.
    let rows = std::iter::once(("core", 0)).chain(set);
    let row = |(name, limit): (&str, u64)| ResourcesUlimits {
        name: Some(name.into()),
        soft: Some(number(limit)),
        hard: Some(number(limit)),
    };
    rows.map(row).collect()
}

fn tmpfs(sandbox: &SandboxConfig) -> HashMap<String, String> {
    let size = format!("size={}m", sandbox.tmpfs_size_mb);
    let mut all: HashMap<String, String> = HashMap::new();
    let mut add = |path: &str, options: &str| {
        let mut given: Vec<&str> = options.split(',').filter(|option| !option.is_empty()).collect();
        let has = |given: &[&str], name: &str| given.iter().any(|one| one.starts_with(name));
        if given.is_empty() {
            given.push("noexec");
        }
        if !has(&given, "size=") {
            given.push(&size);
        }
        if !has(&given, "mode=") {
            given.push("mode=1777");
        }
        given.extend(["nosuid", "nodev"]);
        all.insert(path.to_owned(), given.join(","));
    };
    for entry in &sandbox.tmpfs {
        let (path, options) = entry.split_once(':').unwrap_or((entry, ""));
        add(path, options);
    }
    add(HOME, "exec");
    if sandbox.workspace_access == WorkspaceAccess::None {
        add(WORKSPACE, "exec");
    }
    all
}

/// How long a container has existed, how many use it, and when it was used last.
#[derive(Debug)]
pub(super) struct Use {
    pub(super) made: Instant,
    pub(super) last: Instant,
    pub(super) users: usize,
}

impl Use {
    pub(super) fn new() -> Use {
        let now = Instant::now();
        Use { made: now, last: now, users: 0 }
    }
}

#[cfg(test)]
mod tests;
