//! Runs commands in containers of a Docker Engine.
//!
//! A container is made for the first command that needs it, and ends with the runtime: its first process
//! reads from a connection that this process holds, so it ends even if this process is killed. Commands
//! run in shell sessions that wait inside. `shell_session.sh` shows how a session is given a command, and
//! `sweep.sh` how everything that a command has started is ended.
//!
//! - `container`, `containers`: what a container is made of, and which one a command gets
//! - `mounts`, `mount_table`: what it sees of the workspace, and the check that it sees the right thing
//! - `shell_session`, `marks`, `script`, `isolated`: how a command is started in it
//! - `running`: how its output is read and its end awaited
//! - `engine`, `owner`: the connection to the engine, and what dead runtimes have left behind

mod container;
mod containers;
mod engine;
mod isolated;
mod marks;
mod mount_table;
mod mounts;
mod owner;
mod running;
mod script;
mod shell_session;

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use bollard::Docker as Client;

use super::capabilities::SandboxCapabilities;
use super::config::ExecConfig;
use super::confined::{Confined, RanIn, Reached};
use super::console::Console;
use super::control::Control;
use super::not_run::NotRun;
use super::protected_paths::Absent;
use super::request::ExecRequest;
use super::running::{Ended, Stream, Written};
use super::sandbox::{HOME, NO_NETWORK};
use container::{Wanted, network_of};
use containers::{Containers, Taken};
use engine::Engine;
use owner::Owner;
use running::{Given, Running};
use shell_session::{Refused, ShellSession};

/// What runs commands in containers. One per runtime.
pub(super) struct Docker {
    config: ExecConfig,
    owner: OnceLock<Owner>,
    containers: Arc<Containers>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Once there was something to ask an engine, and until the runtime is closed.
    engine: Option<Arc<Engine>>,
    client: Option<Client>,
    is_closed: bool,
}

/// How often another session or container is tried if one ended before the command began.
const TURNS: usize = 4;

impl Docker {
    pub(super) fn new(config: &ExecConfig) -> Docker {
        Docker {
            config: config.clone(),
            owner: OnceLock::new(),
            containers: Arc::default(),
            state: Mutex::default(),
        }
    }

    /// Runs a command, calls `started` and then `sink` with its output; blocking. Once it has ended nothing
    /// of it is left.
    ///
    /// # Errors
    /// Why it did not run.
    pub(super) fn run(
        &self,
        request: &ExecRequest,
        control: &Control,
        absent: &mut Absent,
        started: impl FnOnce(Confined),
        sink: impl FnMut(Stream, Written<'_>),
    ) -> Result<Ended, NotRun> {
        let engine = self.engine().map_err(|error| NotRun::Sandbox(error.to_string()))?;
        engine.handle().block_on(self.run_in(&engine, request, control, absent, started, sink))
    }

    async fn run_in(
        &self,
        engine: &Engine,
        request: &ExecRequest,
        control: &Control,
        absent: &mut Absent,
        started: impl FnOnce(Confined),
        mut sink: impl FnMut(Stream, Written<'_>),
    ) -> Result<Ended, NotRun> {
        let deadline = Instant::now().checked_add(request.timeout);
        let Some(cwd) = request.cwd.to_str() else { return Err(no_folder(request)) };
        let set = &self.config.environment.set;
        let script = match &request.isolated {
            Some(isolated) => isolated::script(isolated, cwd),
            None => script::script(&request.run, cwd, request.console, set, &request.variables),
        };
        let client = self.client(engine).await.map_err(NotRun::Sandbox)?;
        let wanted =
            Wanted::of(&self.config, request).map_err(|why| NotRun::Sandbox(why.to_string()))?;
        let mut started = Some(started);
        let mut why = "its shells end before a command begins".to_owned();
        for _ in 0..TURNS {
            let taken = self.containers.take(&client, self.owner(), &wanted).await;
            let taken = taken.map_err(NotRun::Sandbox)?;
            let session = match session_in(&client, &taken, request.console).await {
                Ok(session) => session,
                Err(said) => {
                    // The container has ended, by a person's hand or by a command.
                    why = said;
                    self.containers.end(&client, &taken).await;
                    continue;
                }
            };
            let running = Running { client: &client, container: &taken.container.id, session };
            let begun = || {
                if let Some(started) = started.take() {
                    started(self.confined(&taken, request));
                }
            };
            let disk_left = self.config.limits.left();
            let kept = &wanted.kept;
            let work = Given { script: &script, request, deadline, disk_left, control, kept };
            if let Some(run) = running.run(work, absent, begun, &mut sink).await {
                self.after(&client, &taken, run.left, request).await;
                return run.ended.map_err(|why| refused(why, request));
            }
            // What ended that session may have ended the idle ones as well.
            taken.container.forget_idle();
            if request.isolated.is_some() {
                self.containers.end(&client, &taken).await;
            }
        }
        Err(NotRun::Sandbox(format!("its container cannot be used: {why}")))
    }

    /// Keeps a shell for the next command. Where there is none because the command could not be ended,
    /// or nobody else may be where it was, its container is ended.
    async fn after(
        &self,
        client: &Client,
        taken: &Taken,
        left: running::Left,
        request: &ExecRequest,
    ) {
        match left {
            _ if request.isolated.is_some() => self.containers.end(client, taken).await,
            running::Left::Idle(session) => taken.container.keep(session),
            running::Left::Nothing => {}
            running::Left::Trouble => self.containers.end(client, taken).await,
        }
    }

    fn confined(&self, taken: &Taken, request: &ExecRequest) -> Confined {
        let sandbox = &self.config.sandbox;
        let alone = network_of(sandbox, request) == NO_NETWORK;
        let parts = [("no_network", alone), ("read_only_root", sandbox.read_only_root)];
        let mut by = vec!["container", "limits", "no_capabilities", "no_new_privileges"];
        by.extend(parts.iter().filter(|(_, is_there)| *is_there).map(|(name, _)| *name));
        let missing = taken.container.warnings.clone();
        let network = if alone { Reached::Nothing } else { Reached::All };
        let (ran_in, profile, hosts) = (RanIn::Sandbox, None, Vec::new());
        let (withheld, not_looked_at) = (Vec::new(), Vec::new());
        Confined { ran_in, profile, by, network, hosts, missing, withheld, not_looked_at }
    }

    /// What the engine is; blocking.
    pub(super) fn capabilities(&self) -> SandboxCapabilities {
        let asked = || -> Result<(String, String), String> {
            let engine = self.engine().map_err(|error| error.to_string())?;
            engine.handle().block_on(async {
                let client = self.client(&engine).await?;
                let version = client.version().await.map_err(trouble)?;
                let said = |text: Option<String>| text.unwrap_or_default();
                Ok((said(version.version), said(version.api_version)))
            })
        };
        let socket = engine::socket(self.config.sandbox.socket.as_deref()).ok();
        let socket = socket.map(|path| path.display().to_string());
        match asked() {
            Ok((engine, api)) => SandboxCapabilities {
                engine: Some(engine),
                api: Some(api),
                socket,
                missing: Vec::new(),
            },
            Err(why) => SandboxCapabilities { engine: None, api: None, socket, missing: vec![why] },
        }
    }

    /// Ends every container, and what runs there; blocking.
    pub(super) fn close(&self) {
        let (engine, client) = {
            let mut state = self.lock();
            state.is_closed = true;
            (state.engine.take(), state.client.take())
        };
        if let (Some(engine), Some(client)) = (&engine, client) {
            engine.handle().block_on(self.containers.close(&client));
        }
    }

    fn engine(&self) -> io::Result<Arc<Engine>> {
        let mut state = self.lock();
        if state.is_closed {
            return Err(io::Error::other("the runtime is closed"));
        }
        if let Some(engine) = &state.engine {
            return Ok(engine.clone());
        }
        let engine = Arc::new(Engine::start()?);
        state.engine = Some(engine.clone());
        Ok(engine)
    }

    /// The engine's client. The first who finds an engine looks after what others have left there.
    async fn client(&self, engine: &Engine) -> Result<Client, String> {
        if let Some(client) = self.lock().client.clone() {
            return Ok(client);
        }
        let client = engine::connect(self.config.sandbox.socket.as_deref()).await?;
        let is_first = {
            let mut state = self.lock();
            let is_first = state.client.is_none();
            if is_first {
                state.client = Some(client.clone());
            }
            is_first
        };
        if is_first {
            self.owner().remove_leftovers(&client).await;
            self.prune_from_now_on(engine, client.clone());
        }
        Ok(client)
    }

    fn prune_from_now_on(&self, engine: &Engine, client: Client) {
        let sandbox = &self.config.sandbox;
        let idle = Duration::from_secs_f64(sandbox.idle_hours * 3_600.0);
        let age = Duration::from_secs_f64(sandbox.max_age_days * 86_400.0);
        let every = Duration::from_secs_f64(sandbox.prune_interval_min * 60.0);
        let containers = self.containers.clone();
        // The task ends with the engine's thread.
        engine.handle().spawn(async move {
            loop {
                tokio::time::sleep(every).await;
                containers.prune(&client, idle, age).await;
            }
        });
    }

    fn owner(&self) -> &Owner {
        self.owner.get_or_init(Owner::new)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An idle session in a container, or a new one.
async fn session_in(
    client: &Client,
    taken: &Taken,
    console: Console,
) -> Result<ShellSession, String> {
    let id = &taken.container.id;
    if let Console::Terminal { rows, columns } = console {
        return ShellSession::at_terminal(client, id, (rows, columns)).await;
    }
    match taken.container.idle() {
        Some(session) => Ok(session),
        None => ShellSession::start(client, id).await,
    }
}

fn refused(why: Refused, request: &ExecRequest) -> NotRun {
    let words = request.isolated.iter().flat_map(|isolated| &isolated.words);
    let name = words.take(1).cloned().collect::<String>();
    match why {
        Refused::Folder => no_folder(request),
        Refused::Program => NotRun::Sandbox(format!(
            "its image has no program `{name}` that could be trusted with credentials. It must be in \
             an absolute folder of the image's `PATH`, may be read and executed, and be of the image \
             itself, not of the workspace or of another mount"
        )),
        Refused::Files => NotRun::Sandbox(format!(
            "the private files of `{name}` cannot be written to `{HOME}` there: it must have room \
             (`exec.sandbox.tmpfs_size_mb`), and `printf` must be a builtin of the image's `sh`"
        )),
    }
}

fn no_folder(request: &ExecRequest) -> NotRun {
    let why = io::Error::from(io::ErrorKind::NotFound);
    NotRun::NoFolder(request.cwd.display().to_string(), why)
}

/// What an engine says went wrong.
fn trouble(error: bollard::errors::Error) -> String {
    match error {
        bollard::errors::Error::DockerResponseServerError { message, .. } => message,
        other => other.to_string(),
    }
}
