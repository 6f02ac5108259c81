//! Runs commands in containers of a Docker Engine.
//!
//! A container is made when its first command comes, and ends with the runtime: its first process reads
//! from a connection that this process holds, so it goes even where this one is killed. Commands run in
//! shells that wait in there; see `seat.sh` for how one is told a command, and `sweep.sh` for how nothing
//! of it stays.

mod apart;
mod container;
mod containers;
mod engine;
mod marks;
mod mount_table;
mod mounts;
mod owner;
mod running;
mod script;
mod seat;

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use bollard::Docker as Client;

use super::capabilities::SandboxCapabilities;
use super::config::ExecConfig;
use super::confined::{Confined, RanIn, Reached};
use super::console::Console;
use super::control::Control;
use super::guarded::Absent;
use super::not_run::NotRun;
use super::order::Order;
use super::running::{Ended, Stream, Written};
use super::sandbox::{HOME, NO_NETWORK};
use container::{Wanted, network_of};
use containers::{Containers, Taken};
use engine::Engine;
use owner::Owner;
use running::{Given, Running};
use seat::{Refused, Seat};

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

/// How often another shell or container is tried where one has gone before a command began.
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

    /// Runs a command, tells when it has started and what it writes; blocking. Once it has ended nothing
    /// of it is left.
    ///
    /// # Errors
    /// Why it did not run.
    pub(super) fn run(
        &self,
        order: &Order,
        control: &Control,
        absent: &mut Absent,
        started: impl FnOnce(Confined),
        sink: impl FnMut(Stream, Written<'_>),
    ) -> Result<Ended, NotRun> {
        let engine = self.engine().map_err(|error| NotRun::Sandbox(error.to_string()))?;
        engine.handle().block_on(self.run_in(&engine, order, control, absent, started, sink))
    }

    async fn run_in(
        &self,
        engine: &Engine,
        order: &Order,
        control: &Control,
        absent: &mut Absent,
        started: impl FnOnce(Confined),
        mut sink: impl FnMut(Stream, Written<'_>),
    ) -> Result<Ended, NotRun> {
        let deadline = Instant::now().checked_add(order.timeout);
        let Some(cwd) = order.cwd.to_str() else { return Err(no_folder(order)) };
        let set = &self.config.environment.set;
        let script = match &order.apart {
            Some(apart) => apart::script(apart, cwd),
            None => script::script(&order.run, cwd, order.console, set, &order.variables),
        };
        let client = self.client(engine).await.map_err(NotRun::Sandbox)?;
        let wanted =
            Wanted::of(&self.config, order).map_err(|why| NotRun::Sandbox(why.to_string()))?;
        let mut started = Some(started);
        let mut why = "its shells end before a command begins".to_owned();
        for _ in 0..TURNS {
            let taken = self.containers.take(&client, self.owner(), &wanted).await;
            let taken = taken.map_err(NotRun::Sandbox)?;
            let seat = match seat_in(&client, &taken, order.console).await {
                Ok(seat) => seat,
                Err(said) => {
                    // It has ended: by somebody's hand, or by a command's.
                    why = said;
                    self.containers.end(&client, &taken).await;
                    continue;
                }
            };
            let running = Running { client: &client, container: &taken.container.id, seat };
            let begun = || {
                if let Some(started) = started.take() {
                    started(self.confined(&taken, order));
                }
            };
            let disk_left = self.config.limits.left();
            let kept = &wanted.kept;
            let given = Given { script: &script, order, deadline, disk_left, control, kept };
            if let Some(run) = running.run(given, absent, begun, &mut sink).await {
                self.after(&client, &taken, run.left, order).await;
                return run.ended.map_err(|why| refused(why, order));
            }
            // Whatever has ended that shell may have ended the others that wait.
            taken.container.forget_idle();
            if order.apart.is_some() {
                self.containers.end(&client, &taken).await;
            }
        }
        Err(NotRun::Sandbox(format!("its container cannot be used: {why}")))
    }

    /// Keeps a shell for the next command. Where there is none because the command could not be ended,
    /// or nobody else may be where it was, its container is ended.
    async fn after(&self, client: &Client, taken: &Taken, left: running::Left, order: &Order) {
        match left {
            _ if order.apart.is_some() => self.containers.end(client, taken).await,
            running::Left::Idle(seat) => taken.container.keep(seat),
            running::Left::Nothing => {}
            running::Left::Trouble => self.containers.end(client, taken).await,
        }
    }

    fn confined(&self, taken: &Taken, order: &Order) -> Confined {
        let sandbox = &self.config.sandbox;
        let alone = network_of(sandbox, order) == NO_NETWORK;
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
        // It ends with the engine's thread.
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

/// A shell that waits in a container, or a new one.
async fn seat_in(client: &Client, taken: &Taken, console: Console) -> Result<Seat, String> {
    let id = &taken.container.id;
    if let Console::Terminal { rows, columns } = console {
        return Seat::at_terminal(client, id, (rows, columns)).await;
    }
    match taken.container.idle() {
        Some(seat) => Ok(seat),
        None => Seat::start(client, id).await,
    }
}

fn refused(why: Refused, order: &Order) -> NotRun {
    let words = order.apart.iter().flat_map(|apart| &apart.words);
    let name = words.take(1).cloned().collect::<String>();
    match why {
        Refused::Folder => no_folder(order),
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

fn no_folder(order: &Order) -> NotRun {
    let why = io::Error::from(io::ErrorKind::NotFound);
    NotRun::NoFolder(order.cwd.display().to_string(), why)
}

/// What an engine says went wrong.
fn trouble(error: bollard::errors::Error) -> String {
    match error {
        bollard::errors::Error::DockerResponseServerError { message, .. } => message,
        other => other.to_string(),
    }
}
