//! Runs commands on the host, within the walls that were decided.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::capabilities::Capabilities;
use super::capture::Captured;
use super::config::{ExecConfig, Profile};
use super::confine::kernel::{Kernel, Namespaces};
use super::confine::program::{Program, Seat, Shared};
use super::confine::walls::{Launch, Network, Walls, unconfined};
use super::console::Console;
use super::control::Control;
use super::egress::Ways;
use super::environment::{self, Variables};
use super::groups::{Group, Groups};
use super::limits::Limits;
use super::places::{self, Temps};
use super::running::{Ended, Remains, Running, StartError, Stream};
use crate::scrub::Scrubber;
use crate::shell::plan::{Confinement, REMOVED, Reach, Run, SET, SHELL_OPTIONS};

/// What runs commands on this machine. One per runtime.
pub(crate) struct Host {
    config: ExecConfig,
    scrubber: Scrubber,
    /// Once the first command has run, and until the runtime is closed.
    machine: Mutex<Option<Result<Arc<Machine>, String>>>,
}

/// What is found out and made when the first command runs.
struct Machine {
    program: Program,
    kernel: Kernel,
    temps: Temps,
    groups: Groups,
    variables: Variables,
    idle: Mutex<Vec<Place>>,
}

/// Where one command runs after the other: the process that starts them and watches over them, and the
/// control group that it is in. To start the one, and to have it join the other, takes longer than all
/// the rest.
#[derive(Debug)]
struct Place {
    seat: Seat,
    group: Option<Group>,
    shared: Shared,
}

/// How many places are kept for later.
const MOST_IDLE: usize = 4;

impl Drop for Machine {
    fn drop(&mut self) {
        let idle = std::mem::take(&mut *self.lock_idle());
        idle.into_iter().for_each(|place| self.leave(place));
    }
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
    /// Folders that it may read although they lie where its own temporary folder stands.
    pub(crate) seen: Vec<PathBuf>,
    /// Variables besides those that every command gets.
    pub(crate) variables: Variables,
    /// Its standard input, or how that starts.
    pub(crate) input: Vec<u8>,
    /// What it reads from and writes to.
    pub(crate) console: Console,
    /// Whose temporary folder it has.
    pub(crate) session: String,
    /// How long it may take. [`Duration::MAX`]: as long as it likes.
    pub(crate) timeout: Duration,
}

/// What became of a command.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) output: Captured,
    pub(crate) error: Captured,
    pub(crate) ended: Ended,
    pub(crate) confined: Confined,
}

/// What a command was held to, as it is told in its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Confined {
    /// The profile.
    pub(crate) profile: Profile,
    /// The parts of a confinement that it had.
    pub(crate) by: Vec<&'static str>,
    /// How far it could reach.
    pub(crate) network: Reached,
    /// The hosts that it could reach, where those are not all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) hosts: Vec<String>,
    /// What it should have had and the kernel did not give.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) missing: Vec<String>,
}

/// How far a command could reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reached {
    /// Nothing but itself.
    Nothing,
    /// The hosts that it was understood to reach.
    Hosts,
    /// Whatever this machine reaches.
    All,
}

/// Why a command did not run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotRun {
    /// There is no such program.
    #[error("there is no program `{0}`")]
    NoProgram(String),
    /// The folder cannot be entered.
    #[error("the folder `{0}` cannot be entered: {1}")]
    NoFolder(String, io::Error),
    /// It could not be confined as it must be.
    #[error("it could not be confined as it must be: {0}")]
    Unconfined(String),
    /// Anything else of the system's.
    #[error("{0}")]
    System(String),
}

impl Host {
    /// Nothing is looked up before the first command. `scrubber` tells which variables hold secrets.
    pub(crate) fn new(config: ExecConfig, scrubber: Scrubber) -> Host {
        Host { config, scrubber, machine: Mutex::default() }
    }

    /// True if commands are held to what was decided of them. It may take some milliseconds the first
    /// time.
    pub(crate) fn confines(&self) -> bool {
        let holds = |machine: Arc<Machine>| {
            machine.kernel.landlock.is_some() || machine.kernel.namespaces != Namespaces::None
        };
        self.config.confinement != Profile::Off && self.machine().is_ok_and(holds)
    }

    pub(crate) fn config(&self) -> &ExecConfig {
        &self.config
    }

    /// What commands can be held to; blocking, the first time.
    pub(crate) fn capabilities(&self) -> Capabilities {
        match self.machine() {
            Ok(machine) => Capabilities::of(&machine.kernel, machine.groups.are_there()),
            Err(error) => Capabilities::none(error.to_string()),
        }
    }

    /// Runs a command, tells what became of it, and then clears up; blocking. What it writes is masked
    /// as it comes.
    pub(crate) fn run(
        &self,
        order: Order,
        control: &Control,
        scrubber: &Scrubber,
        tell: impl FnOnce(Result<Done, NotRun>),
    ) {
        let most = usize::try_from(self.config.max_output_kb * 1024).unwrap_or(usize::MAX);
        let mut outputs = [Output::new(scrubber, most), Output::new(scrubber, most)];
        let mut confined = None;
        let sink = |stream, bytes: &[u8]| match stream {
            Stream::Output => outputs[0].push(bytes),
            Stream::Error => outputs[1].push(bytes),
        };
        match self.start_and_finish(order, control, |started| confined = Some(started), sink) {
            Ok((ended, rest)) => {
                let [output, error] = outputs.map(Output::finish);
                if let Some(confined) = confined {
                    tell(Ok(Done { output, error, ended, confined }));
                }
                rest.clear_up();
            }
            Err(error) => tell(Err(error)),
        }
    }

    /// Runs a command, tells when it has started and what it writes, which is not masked, and answers
    /// how it has ended, once nothing of it is left; blocking.
    ///
    /// # Errors
    /// Why it did not start.
    pub(crate) fn follow(
        &self,
        order: Order,
        control: &Control,
        started: impl FnOnce(Confined),
        sink: impl FnMut(Stream, &[u8]),
    ) -> Result<Ended, NotRun> {
        let (ended, rest) = self.start_and_finish(order, control, started, sink)?;
        rest.clear_up();
        Ok(ended)
    }

    fn start_and_finish(
        &self,
        order: Order,
        control: &Control,
        started: impl FnOnce(Confined),
        sink: impl FnMut(Stream, &[u8]),
    ) -> Result<(Ended, Rest), NotRun> {
        let machine = self.machine()?;
        let deadline = Instant::now().checked_add(order.timeout);
        let ways = self.ways(&machine, &order)?;
        let walls = self.walls(&machine, &order, ways.as_ref())?;
        let launch = launch(&machine, &self.config, &order, walls.is_some())?;
        let limits = &self.config.limits;
        let plan = match &walls {
            Some(walls) => walls
                .plan(&machine.kernel, limits, &launch)
                .map_err(|error| NotRun::Unconfined(error.to_string()))?,
            None => unconfined(limits, &launch),
        };
        let shared = walls.as_ref().map(|walls| walls.shared(&machine.kernel)).unwrap_or_default();
        let Place { seat, group, .. } = machine.place(shared, limits)?;
        let egress = match ways.as_ref().map(|ways| ways.open(&seat)).transpose() {
            Ok(egress) => egress,
            Err(error) => {
                seat.end();
                machine.groups.give_back(group);
                return Err(NotRun::Unconfined(format!("no way out could be opened: {error}")));
            }
        };
        let running = match Running::start(seat, &plan, order.console, order.input) {
            Ok(running) => running,
            Err(error) => {
                machine.groups.give_back(group);
                return Err(not_started(error, &order.run, &launch));
            }
        };
        started(self.confined(&machine, walls.as_ref(), ways.as_ref()));
        let (ended, remains) = running.finish(deadline, control, sink);
        drop(egress);
        Ok((ended, Rest { machine, remains, shared, group }))
    }

    /// Ends what waits for commands, and forgets the folders of sessions.
    pub(crate) fn close(&self) {
        drop(self.lock().take());
    }

    fn machine(&self) -> Result<Arc<Machine>, NotRun> {
        let find = || {
            let found = Machine::find(&self.config, &self.scrubber);
            found.map(Arc::new).map_err(|error| error.to_string())
        };
        self.lock().get_or_insert_with(find).clone().map_err(NotRun::System)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Result<Arc<Machine>, String>>> {
        self.machine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a command is held to. `None`: to nothing.
    fn confined(&self, machine: &Machine, walls: Option<&Walls>, ways: Option<&Ways>) -> Confined {
        let kernel = &machine.kernel;
        let mut by = vec!["limits"];
        if machine.groups.are_there() {
            by.push("cgroups");
        }
        let mut missing = Vec::new();
        if walls.is_some() {
            let isolated = kernel.namespaces != Namespaces::None;
            let parts = [
                ("landlock", kernel.landlock.is_some()),
                ("seccomp", kernel.filter),
                ("namespaces", isolated),
            ];
            by.extend(parts.iter().filter(|(_, is_there)| *is_there).map(|(name, _)| *name));
            missing.clone_from(&kernel.missing);
        }
        let hosts = ways.iter().flat_map(|ways| ways.hosts()).map(str::to_owned).collect();
        let network = match walls.map(|walls| walls.network) {
            Some(Network::None) if ways.is_some() => Reached::Hosts,
            Some(Network::None) => Reached::Nothing,
            Some(Network::Host) | None => Reached::All,
        };
        Confined { profile: self.config.confinement, by, network, hosts, missing }
    }

    /// The hosts that a command is held to. None: it has no network, or the host's.
    fn ways(&self, machine: &Machine, order: &Order) -> Result<Option<Ways>, NotRun> {
        let isolated = machine.kernel.namespaces != Namespaces::None;
        match &order.held_to.network {
            Reach::Hosts { hosts, ports }
                if isolated && self.config.confinement == Profile::Workspace =>
            {
                let ways = Ways::to(hosts, ports).map_err(|host| {
                    NotRun::Unconfined(format!(
                        "the network cannot be held to `{host}`, only to names of hosts and IPv4 \
                         addresses"
                    ))
                })?;
                Ok(Some(ways))
            }
            _ => Ok(None),
        }
    }

    fn walls(
        &self,
        machine: &Machine,
        order: &Order,
        ways: Option<&Ways>,
    ) -> Result<Option<Walls>, NotRun> {
        if self.config.confinement == Profile::Off {
            return Ok(None);
        }
        let kernel = &machine.kernel;
        let isolated = kernel.namespaces != Namespaces::None;
        if self.config.require && !kernel.missing.is_empty() {
            return Err(NotRun::Unconfined(kernel.missing.join("; ")));
        }
        if kernel.landlock.is_none() && !isolated {
            // Then nothing holds it to what was decided of it.
            return Err(NotRun::Unconfined(kernel.missing.join("; ")));
        }
        let temp = machine.temps.of(&order.session)?;
        let held = &order.held_to;
        let is_temp = |path: &Path| places::SEEN_AT.iter().any(|at| path == Path::new(at));
        let write = match self.config.confinement {
            Profile::ReadOnly => Vec::new(),
            _ => held.write.iter().map(PathBuf::from).filter(|path| !is_temp(path)).collect(),
        };
        let write = places::outermost(write);
        let mut hidden: Vec<PathBuf> = held.read_never.iter().map(PathBuf::from).collect();
        let shown: Vec<PathBuf> = held.read.iter().map(PathBuf::from).collect();
        hidden.retain(|path| !shown.iter().any(|shown| shown.starts_with(path)));
        hidden.extend(places::services());
        let guarded =
            held.write_never.iter().filter_map(|path| Path::new(path).canonicalize().ok());
        let seen = places::outermost(order.seen.iter().cloned().chain([order.cwd.clone()]));
        let walls = Walls {
            guarded: guarded.collect(),
            hidden: places::outermost(hidden),
            network: match ways {
                Some(_) => Network::None,
                None => network(self.config.confinement, &held.network),
            },
            names: ways.map(|ways| machine.temps.names(&ways.names())).transpose()?,
            seen,
            write,
            temp,
        };
        for path in walls.write.iter().chain(&walls.hidden).chain(&walls.seen) {
            Temps::make_way(&walls.temp, path)?;
        }
        Ok(Some(walls))
    }
}

impl Machine {
    fn find(config: &ExecConfig, scrubber: &Scrubber) -> io::Result<Machine> {
        let program = Program::load()?;
        let kernel = Kernel::probe(&program);
        let temps = Temps::new()?;
        let groups = Groups::new(&temps.name());
        let is_secret = |text: &str| !scrubber.findings(text).is_empty();
        let variables = environment::of_host(&config.environment, is_secret);
        Ok(Machine { program, kernel, temps, groups, variables, idle: Mutex::default() })
    }

    /// A place in which nothing runs.
    fn place(&self, shared: Shared, limits: &Limits) -> io::Result<Place> {
        let idle = {
            let mut idle = self.lock_idle();
            let fitting = idle.iter().position(|place| place.shared == shared);
            fitting.map(|at| idle.swap_remove(at))
        };
        let make = || {
            let group = self.groups.take(limits)?;
            let entries = group.as_ref().map(Group::entries).unwrap_or_default();
            let seat = self.program.start(entries, shared)?;
            Ok(Place { seat, group, shared })
        };
        idle.map_or_else(make, Ok)
    }

    fn keep(&self, place: Place) {
        let over = {
            let mut idle = self.lock_idle();
            if idle.len() < MOST_IDLE {
                idle.push(place);
                return;
            }
            place
        };
        self.leave(over);
    }

    fn leave(&self, place: Place) {
        place.seat.end();
        self.groups.give_back(place.group);
    }

    fn lock_idle(&self) -> MutexGuard<'_, Vec<Place>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is left of a command that has ended.
struct Rest {
    machine: Arc<Machine>,
    remains: Remains,
    shared: Shared,
    group: Option<Group>,
}

impl Rest {
    /// Waits until nothing of it runs any more, and keeps the place for another.
    fn clear_up(self) {
        let Rest { machine, remains, shared, group } = self;
        match remains.wait() {
            Some(seat) => machine.keep(Place { seat, group, shared }),
            None => machine.groups.give_back(group),
        }
    }
}

/// One of the two outputs, masked as it comes.
struct Output {
    stream: crate::scrub::Stream,
    kept: Captured,
}

impl Output {
    fn new(scrubber: &Scrubber, most: usize) -> Output {
        Output { stream: scrubber.stream(), kept: Captured::new(most) }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.kept.push(&self.stream.push(bytes));
    }

    fn finish(mut self) -> Captured {
        self.kept.push(&self.stream.finish());
        self.kept
    }
}

fn network(profile: Profile, reach: &Reach) -> Network {
    match (profile, reach) {
        (Profile::WorkspaceNetwork | Profile::Off, _) => Network::Host,
        (Profile::ReadOnly, _) | (_, Reach::None) => Network::None,
        (Profile::Workspace, Reach::Hosts { .. } | Reach::Any) => Network::Host,
    }
}

/// What is started for a command: itself, or a shell with its script.
fn launch(
    machine: &Machine,
    config: &ExecConfig,
    order: &Order,
    has_walls: bool,
) -> Result<Launch, NotRun> {
    let cwd = order.cwd.clone();
    if let Err(error) = std::fs::read_dir(&cwd) {
        return Err(NotRun::NoFolder(cwd.display().to_string(), error));
    }
    let mut variables = machine.variables.clone();
    if has_walls {
        environment::with_caches(&mut variables, &config.environment);
    }
    let shell = ["/bin/bash", "/usr/bin/bash", "/bin/sh", "/usr/bin/sh"];
    let (path, words) = match &order.run {
        Run::Direct { program, arguments, environment } => {
            variables.extend(environment.iter().cloned());
            let path = found(program, &variables, &cwd)?;
            let words = std::iter::once(program).chain(arguments);
            (path, words.map(OsString::from).collect())
        }
        Run::Canonical { script } | Run::Verbatim { text: script } => {
            if matches!(order.run, Run::Canonical { .. }) {
                variables
                    .extend(SET.iter().map(|(name, value)| (name.to_string(), value.to_string())));
            }
            let shell = shell.iter().map(Path::new).find(|path| path.exists());
            let shell = shell.ok_or_else(|| NotRun::NoProgram("sh".into()))?;
            let is_bash = shell.ends_with("bash");
            let options = if is_bash { SHELL_OPTIONS } else { &[] };
            let name = if is_bash { "bash" } else { "sh" };
            let words = std::iter::once(name).chain(options.iter().copied()).chain(["-c", script]);
            (shell.to_owned(), words.map(OsString::from).collect())
        }
    };
    variables.extend(order.variables.clone());
    variables.insert("PWD".into(), cwd.display().to_string());
    REMOVED.iter().for_each(|name| drop(variables.remove(*name)));
    let terminal = matches!(order.console, Console::Terminal { .. });
    if terminal {
        variables.entry("TERM".into()).or_insert_with(|| "xterm-256color".into());
    }
    let variables = variables.into_iter().map(|(name, value)| format!("{name}={value}").into());
    Ok(Launch { file: None, path, words, variables: variables.collect(), cwd, terminal })
}

/// Where a program stands: by its path, or by the folders of `PATH`.
fn found(program: &str, variables: &Variables, cwd: &Path) -> Result<PathBuf, NotRun> {
    if program.contains('/') {
        return Ok(cwd.join(program));
    }
    let folders = variables.get("PATH").map(String::as_str).unwrap_or_default();
    let paths = folders.split(':').map(|folder| Path::new(folder).join(program));
    let mut programs = paths.filter(|path| is_program(path));
    programs.next().ok_or_else(|| NotRun::NoProgram(program.to_owned()))
}

fn is_program(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

fn not_started(error: StartError, run: &Run, launch: &Launch) -> NotRun {
    match error {
        StartError::Step { is_last: true, error, .. } => {
            let program = match run {
                Run::Direct { program, .. } => program.clone(),
                _ => launch.path.display().to_string(),
            };
            if error.kind() == io::ErrorKind::NotFound {
                return NotRun::NoProgram(program);
            }
            NotRun::System(format!("`{program}` cannot be started: {error}"))
        }
        StartError::Step { step, error, .. } if step.starts_with("go to ") => {
            NotRun::NoFolder(launch.cwd.display().to_string(), error)
        }
        StartError::Step { step, error, .. } => {
            NotRun::Unconfined(format!("to {step} failed: {error}"))
        }
        other => NotRun::System(other.to_string()),
    }
}

impl From<io::Error> for NotRun {
    fn from(error: io::Error) -> NotRun {
        NotRun::System(error.to_string())
    }
}
