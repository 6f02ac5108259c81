//! Runs commands on the host, within the walls that were decided, or has them run in a sandbox.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::capabilities::Capabilities;
use super::cgroups::Group;
use super::config::ExecConfig;
use super::confine::kernel::Namespaces;
use super::confine::program::Shared;
use super::confine::walls::{Launch, Network, Walls, unconfined};
use super::confined::{Confined, RanIn, Reached};
use super::control::Control;
use super::deny_globs;
use super::disk::{self, Disks};
use super::egress::{Egress, Ways};
use super::environment;
use super::folder::Folder;
use super::hard_links;
use super::launch::launch;
use super::machine::{Machine, Place};
use super::not_run::NotRun;
use super::opened::Opened;
use super::places::{self, Temps};
use super::profile::Profile;
use super::protected_paths::{Absent, Appeared};
use super::real::{RealPaths, outermost};
use super::replaced::Kept;
use super::repositories::Repositories;
use super::request::ExecRequest;
use super::running::{Cut, Ended, Remains, Running, StartError, Stream, Watched, Written};
use super::sandbox::Mounted;
use super::stat_cache::{Probe, Question, StatCache};
use super::turns::{Turn, Turns};

use crate::body::Spool;
use crate::scrub::Scrubber;
use crate::shell::{Confinement, Reach, Run};
use crate::terminal::{Cleaner, Returns};

/// What runs commands on this machine. One per runtime.
pub(crate) struct Host {
    config: ExecConfig,
    scrubber: Scrubber,
    pub(super) stat_cache: StatCache,
    pub(super) repositories: Repositories,
    turns: Arc<Turns>,
    /// Once the first command has run, and until the runtime is closed.
    machine: Mutex<Option<Result<Arc<Machine>, String>>>,
    #[cfg(feature = "docker")]
    pub(super) docker: super::docker::Docker,
}

/// How often a start is tried again because a path of its walls was removed meanwhile.
const MOST_TRIES: usize = 4;

/// How long closing waits for commands that are being cleared up.
const CLEARING_UP: Duration = Duration::from_secs(5);

/// What became of a command.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) output: Spool,
    pub(crate) error: Spool,
    pub(crate) ended: Ended,
    pub(crate) confined: Confined,
    /// Protected paths that appeared while it ran.
    pub(crate) appeared: Vec<Appeared>,
}

impl Host {
    /// Looks nothing up before the first command. `scrubber` recognises variables that hold secrets.
    pub(crate) fn new(config: ExecConfig, scrubber: Scrubber) -> Host {
        Host {
            #[cfg(feature = "docker")]
            docker: super::docker::Docker::new(&config),
            config,
            scrubber,
            stat_cache: StatCache::default(),
            repositories: Repositories::default(),
            turns: Arc::default(),
            machine: Mutex::default(),
        }
    }

    /// True if the kernel can enforce the confinement of commands on the host. It may take some milliseconds
    /// the first time.
    pub(super) fn host_confines(&self) -> bool {
        let holds = |machine: Arc<Machine>| {
            machine.kernel.landlock.is_some() || machine.kernel.namespaces != Namespaces::None
        };
        self.config.confinement != Profile::Off && self.machine().is_ok_and(holds)
    }

    /// Which namespaces commands on the host have; blocking, the first time.
    pub(super) fn namespaces(&self) -> Namespaces {
        self.machine().map_or(Namespaces::None, |machine| machine.kernel.namespaces)
    }

    /// What commands on the host can be held to; blocking, the first time.
    pub(super) fn host_capabilities(&self) -> Capabilities {
        match self.machine() {
            Ok(machine) => Capabilities::of(&machine.kernel, &machine.groups, &self.config.limits),
            Err(error) => Capabilities::none(error.to_string()),
        }
    }

    pub(crate) fn config(&self) -> &ExecConfig {
        &self.config
    }

    /// Runs a command, passes its result to `deliver`, and then clears up; blocking. What it writes is
    /// masked as it comes.
    pub(crate) fn run(
        &self,
        mut request: ExecRequest,
        control: &Control,
        scrubber: &Scrubber,
        deliver: impl FnOnce(Result<Done, NotRun>),
    ) {
        let most = self.config.max_output_kb * 1024;
        let mut outputs = [Output::new(scrubber, most), Output::new(scrubber, most)];
        self.protect_repositories(&mut request);
        let mut absent = Absent::before(&self.protected_names(&request), &self.stat_cache);
        let mut confined = None;
        let sink = |stream, written: Written<'_>| match stream {
            Stream::Output => outputs[0].push(written),
            Stream::Error => outputs[1].push(written),
        };
        let begun = |started| confined = Some(started);
        match self.start_and_finish(request, control, &mut absent, begun, sink) {
            Ok((mut ended, rest)) => {
                let [output, error] = outputs.map(Output::finish);
                // Processes that it started may create protected paths until they are cleared up. What
                // appears after that is not its doing.
                let rest = match absent.is_watching() {
                    true => {
                        rest.clear_up();
                        None
                    }
                    false => Some(rest),
                };
                let appeared = absent.finish();
                ended.cut = ended.cut.or(absent.is_broken().then_some(Cut::Appeared));
                drop(absent);
                if let Some(confined) = confined {
                    deliver(Ok(Done { output, error, ended, confined, appeared }));
                }
                if let Some(rest) = rest {
                    rest.clear_up();
                }
            }
            Err(error) => deliver(Err(error)),
        }
    }

    /// Runs a command. Calls `started` when it has started, and `sink` with what it writes, which is not
    /// masked. Returns how it ended and which protected paths appeared, once nothing of it is left; blocking.
    ///
    /// # Errors
    /// Why it did not start.
    pub(crate) fn follow(
        &self,
        mut request: ExecRequest,
        control: &Control,
        started: impl FnOnce(Confined),
        sink: impl FnMut(Stream, Written<'_>),
    ) -> Result<(Ended, Vec<Appeared>), NotRun> {
        self.protect_repositories(&mut request);
        let mut absent = Absent::before(&self.protected_names(&request), &self.stat_cache);
        let (mut ended, rest) =
            self.start_and_finish(request, control, &mut absent, started, sink)?;
        rest.clear_up();
        let appeared = absent.finish();
        ended.cut = ended.cut.or(absent.is_broken().then_some(Cut::Appeared));
        Ok((ended, appeared))
    }

    fn start_and_finish(
        &self,
        mut request: ExecRequest,
        control: &Control,
        absent: &mut Absent,
        started: impl FnOnce(Confined),
        sink: impl FnMut(Stream, Written<'_>),
    ) -> Result<(Ended, Rest), NotRun> {
        let turn = self.turn(&mut request)?;
        let withheld = turn.as_ref().map(|turn| turn.withheld.clone()).unwrap_or_default();
        let not_looked_at = request.nested.not_looked_at.clone();
        let started = |confined| started(Confined { withheld, not_looked_at, ..confined });
        if self.is_sandboxed(&request) {
            let ended = self.in_sandbox(&request, control, absent, started, sink)?;
            return Ok((ended, Rest { on_host: None, turn }));
        }
        let machine = self.machine()?;
        let deadline = Instant::now().checked_add(request.timeout);
        let Started { running, walls, kept, ways, egress, shared, group } =
            self.start(&machine, &request)?;
        started(self.confined(&machine, walls.as_ref(), ways.as_ref()));
        let written = written(walls.as_ref(), &request);
        let disks = Disks::of(written.iter().map(PathBuf::as_path), self.config.limits.left());
        let watched = Watched { disks, kept, absent };
        let (ended, remains) = running.finish(deadline, watched, control, sink);
        drop(egress);
        let opened = request.opened;
        let on_host = Some(OnHost { machine, remains, shared, group, opened });
        Ok((ended, Rest { on_host, turn }))
    }

    /// The turn of a command among those that run, if walls are mounts (see `turns`).
    fn turn(&self, request: &mut ExecRequest) -> Result<Option<Turn>, NotRun> {
        let is_sandboxed = self.is_sandboxed(request);
        let has_mounts = is_sandboxed
            || self.config.confinement != Profile::Off && self.namespaces() != Namespaces::None;
        let mounted = is_sandboxed.then(|| Mounted { real: request.owner.workspace.clone() });
        let take = || self.turns.take(&mut request.held_to, request.timeout, mounted);
        has_mounts.then(take).transpose()
    }

    /// Starts a command within its walls. A path of the walls may be gone by then, such as the socket of a
    /// service that has ended: then all paths are looked up again.
    fn start(&self, machine: &Machine, request: &ExecRequest) -> Result<Started, NotRun> {
        let missing = self.missing(machine);
        if self.config.require && !missing.is_empty() {
            return Err(NotRun::Unconfined(missing.join("; ")));
        }
        let mut tries = 1;
        loop {
            match self.try_to_start(machine, request)? {
                Ok(started) => return Ok(started),
                Err((error, _)) if error.is_of_what_is_gone() && tries < MOST_TRIES => tries += 1,
                Err((error, launch)) => return Err(not_started(error, &request.run, &launch)),
            }
        }
    }

    fn try_to_start(
        &self,
        machine: &Machine,
        request: &ExecRequest,
    ) -> Result<Result<Started, (StartError, Launch)>, NotRun> {
        let ways = self.ways(machine, request)?;
        let walls = self.walls(machine, request, ways.as_ref())?;
        let namespaces = machine.kernel.namespaces;
        let lies_at = match &walls {
            Some(walls) => walls.lies_at(&request.cwd, namespaces),
            None => request.cwd.clone(),
        };
        let launch = match &request.opened {
            Some(opened) => opened.launch(&request.cwd, &lies_at)?,
            None => {
                let mut variables = machine.variables.clone();
                if let Some(walls) = &walls {
                    let temp = machine.temp_mount_point(&walls.temp);
                    environment::with_caches(&mut variables, &self.config.environment, &temp);
                }
                launch(request, variables, &lies_at)?
            }
        };
        let limits = &disk::limits_on(&written(walls.as_ref(), request), &self.config.limits);
        let plan = match &walls {
            Some(walls) => walls
                .plan(&machine.kernel, limits, &launch)
                .map_err(|error| NotRun::Unconfined(error.to_string()))?,
            None => unconfined(&machine.kernel, limits, &launch),
        };
        let shared = walls.as_ref().map(|walls| walls.shared(&machine.kernel)).unwrap_or_default();
        // Recorded before anything is mounted, so that a file that is replaced in between ends the command.
        let mounted = walls.as_ref().map(|walls| walls.mounted(&machine.kernel));
        let kept = Kept::of(mounted.unwrap_or_default().into_iter());
        let Place { supervisor, group, .. } = machine.place(shared, limits)?;
        let egress = match ways
            .as_ref()
            .map(|ways| ways.open(&supervisor, &machine.connections))
            .transpose()
        {
            Ok(egress) => egress,
            Err(error) => {
                supervisor.end();
                machine.groups.give_back(group);
                return Err(NotRun::Unconfined(format!("no way out could be opened: {error}")));
            }
        };
        Ok(match Running::start(supervisor, &plan, request.console, request.input.clone()) {
            Ok(running) => Ok(Started { running, walls, kept, ways, egress, shared, group }),
            Err(error) => {
                machine.groups.give_back(group);
                Err((error, launch))
            }
        })
    }

    /// Ends the waiting supervisors and removes the folders of sessions; blocking. Waits until commands whose
    /// results were delivered are cleared up.
    pub(crate) fn close(&self) {
        let machine = self.lock().take();
        if let Some(Ok(machine)) = machine {
            let until = Instant::now() + CLEARING_UP;
            while Arc::strong_count(&machine) > 1 && Instant::now() < until {
                std::thread::sleep(CLEARING_UP / 1_000);
            }
        }
        #[cfg(feature = "docker")]
        self.docker.close();
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

    /// What a command is confined to. Without walls: to nothing.
    fn confined(&self, machine: &Machine, walls: Option<&Walls>, ways: Option<&Ways>) -> Confined {
        let kernel = &machine.kernel;
        let mut by = vec!["limits"];
        if machine.groups.are_there() {
            by.push("cgroups");
        }
        if walls.is_some() {
            let isolated = kernel.namespaces != Namespaces::None;
            let parts = [
                ("landlock", kernel.landlock.is_some()),
                ("seccomp", kernel.filter),
                ("namespaces", isolated),
            ];
            by.extend(parts.iter().filter(|(_, is_there)| *is_there).map(|(name, _)| *name));
        }
        let hosts = ways.iter().flat_map(|ways| ways.hosts()).map(str::to_owned).collect();
        let network = match walls.map(|walls| walls.network) {
            Some(Network::None) if ways.is_some() => Reached::Hosts,
            Some(Network::None) => Reached::Nothing,
            Some(Network::Host) | None => Reached::All,
        };
        let (ran_in, profile) = (RanIn::Host, Some(self.config.confinement));
        let (missing, withheld, not_looked_at) = (self.missing(machine), Vec::new(), Vec::new());
        Confined { ran_in, profile, by, network, hosts, missing, withheld, not_looked_at }
    }

    /// The parts of a confinement that should be enforced and are not.
    fn missing(&self, machine: &Machine) -> Vec<String> {
        let of_kernel: &[String] = match self.config.confinement {
            Profile::Off => &[],
            _ => &machine.kernel.missing,
        };
        [of_kernel, &machine.groups.missing(&self.config.limits)].concat()
    }

    /// The hosts that a command is restricted to. None: it has no network, or the whole network of the host.
    fn ways(&self, machine: &Machine, request: &ExecRequest) -> Result<Option<Ways>, NotRun> {
        let isolated = machine.kernel.namespaces != Namespaces::None;
        let profile = self.config.confinement;
        let holds = match request.held_to.by_owner || request.opened.is_some() {
            true => profile != Profile::Off,
            false => profile == Profile::Workspace,
        };
        match &request.held_to.network {
            Reach::Hosts { hosts, ports } if isolated && holds => {
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

    /// Makes a folder for one program alone, removed when it is dropped; blocking.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub(crate) fn private_folder(&self) -> Result<Folder, NotRun> {
        Ok(self.machine()?.temps.private()?)
    }

    /// The path at which a program sees its temporary folder. It may take some milliseconds the first time.
    pub(crate) fn temp_mount_point(&self, folder: &Path) -> PathBuf {
        match self.machine() {
            Ok(machine) if self.config.confinement != Profile::Off => {
                machine.temp_mount_point(folder)
            }
            _ => folder.to_owned(),
        }
    }

    /// The existing paths that the owner and the system close to a command, without those it may read.
    fn closed(&self, held: &Confinement) -> Result<Vec<PathBuf>, NotRun> {
        let closed = held.read_never.iter().map(PathBuf::from);
        let closed = deny_globs::expand(closed);
        let mut closed = closed.map_err(|why| NotRun::Unconfined(why.to_string()))?;
        closed.retain(|path| !held.read.iter().any(|shown| Path::new(shown).starts_with(path)));
        closed.extend(places::SERVICES.iter().map(PathBuf::from));
        let lookup = self.stat_cache.lookup(Question::Outermost, closed, |probe, paths| {
            RealPaths::of_now(probe).outermost(paths.iter().cloned())
        });
        Ok(lookup.paths.clone())
    }

    fn walls(
        &self,
        machine: &Machine,
        request: &ExecRequest,
        ways: Option<&Ways>,
    ) -> Result<Option<Walls>, NotRun> {
        if self.config.confinement == Profile::Off {
            return Ok(None);
        }
        let kernel = &machine.kernel;
        let isolated = kernel.namespaces != Namespaces::None;
        if kernel.landlock.is_none() && !isolated {
            // Then nothing would enforce the confinement.
            return Err(NotRun::Unconfined(kernel.missing.join("; ")));
        }
        let temp = match &request.opened {
            Some(opened) => opened.temp.path().to_owned(),
            None => machine.temps.of(&request.session)?,
        };
        let held = &request.held_to;
        let is_temp =
            |path: &Path| places::TEMP_MOUNT_POINTS.iter().any(|at| path == Path::new(at));
        let write = match self.config.confinement {
            Profile::ReadOnly if !held.by_owner => Vec::new(),
            _ => held.write.iter().map(PathBuf::from).filter(|path| !is_temp(path)).collect(),
        };
        let mut probe = Probe::once();
        let mut real = RealPaths::of_now(&mut probe);
        let write = real.outermost(write);
        let mut hidden = self.closed(held)?;
        let program = request.opened.as_ref().and_then(|opened| opened.path.parent());
        let program = program.map(|folder| machine.homes.of_programs(folder)).unwrap_or_default();
        let shown = real.outermost(held.read.iter().map(PathBuf::from).chain(program));
        let kept = real.outermost(request.owner.kept.iter().cloned());
        let kept = hidden.iter().chain(&kept).cloned().collect();
        let protected = hard_links::protected(self.protected(request), kept, &write, isolated)?;
        hidden.extend(private(machine).iter().filter_map(|path| real.of(path)));
        let visible = real.outermost(request.visible.iter().cloned());
        let mounts = outermost([&visible[..], &write].concat());
        let homes = machine.homes.view(&mounts, &shown, &self.stat_cache, &machine.temps)?;
        let is_shown =
            |path: &PathBuf| homes.shows(path) || mounts.iter().any(|root| path.starts_with(root));
        hidden.retain(|path| !homes.encloses(path) || is_shown(path));
        if isolated {
            // It sees nothing else of the machine's `/tmp`.
            let shown =
                |path: &PathBuf| visible.iter().chain(&write).any(|at| path.starts_with(at));
            hidden.retain(|path| !places::is_own(path) || shown(path));
        }
        let walls = Walls {
            protected,
            hidden: outermost(hidden),
            homes,
            network: match ways {
                Some(_) => Network::None,
                // An owner's program has the network that its owner gives it, whatever the profile is.
                None if request.opened.is_some() && held.network == Reach::None => Network::None,
                None if request.opened.is_some() => Network::Host,
                None => network(self.config.confinement, held),
            },
            names: ways.map(|ways| machine.temps.names(&ways.names())).transpose()?,
            visible,
            write,
            temp,
        };
        for path in walls.write.iter().chain(&walls.hidden).chain(&walls.visible) {
            Temps::make_way(&walls.temp, path)?;
        }
        Ok(Some(walls))
    }
}

/// The folders and files that a command writes.
fn written(walls: Option<&Walls>, request: &ExecRequest) -> Vec<PathBuf> {
    walls.map_or_else(|| vec![request.cwd.clone()], Walls::written)
}

/// A command that has started on the host.
struct Started {
    running: Running,
    walls: Option<Walls>,
    kept: Kept,
    ways: Option<Ways>,
    egress: Option<Egress>,
    shared: Shared,
    group: Option<Group>,
}

/// What must be cleared up after a command has ended. In a container that is only its turn.
struct Rest {
    on_host: Option<OnHost>,
    turn: Option<Turn>,
}

struct OnHost {
    machine: Arc<Machine>,
    remains: Remains,
    shared: Shared,
    group: Option<Group>,
    opened: Option<Opened>,
}

impl Rest {
    /// Waits until nothing of it runs any more, and keeps its place for another command.
    fn clear_up(self) {
        let Rest { on_host, turn } = self;
        let Some(OnHost { machine, remains, shared, group, opened }) = on_host else { return };
        match remains.wait() {
            Some(supervisor) => machine.keep(Place { supervisor, group, shared }),
            None => machine.groups.give_back(group),
        }
        drop((opened, turn));
    }
}

/// One of the two outputs: terminal sequences removed and secrets masked as it comes.
struct Output {
    cleaner: Cleaner,
    stream: crate::scrub::Stream,
    kept: Spool,
}

impl Output {
    fn new(scrubber: &Scrubber, most: u64) -> Output {
        let cleaner = Cleaner::new(Returns::Lines);
        Output { cleaner, stream: scrubber.stream(), kept: Spool::of_both_ends(most) }
    }

    fn push(&mut self, written: Written<'_>) {
        let read = |kept: &mut Vec<u8>| {
            let from = kept.len();
            written(kept);
            self.cleaner.clean(kept, from);
        };
        self.stream.push_from(read, |part| self.kept.push(part));
    }

    fn finish(mut self) -> Spool {
        let mut rest = Vec::new();
        self.cleaner.finish(&mut rest);
        self.stream.push_to(&rest, |part| self.kept.push(part));
        self.kept.push(&self.stream.finish());
        self.kept
    }
}

/// Paths of others on this machine that a command would find and must not.
fn private(machine: &Machine) -> Vec<PathBuf> {
    let kernel = &machine.kernel;
    let isolated = kernel.namespaces != Namespaces::None;
    // With another network the filter allows no connection to sockets of this machine.
    let mut found = if isolated || !kernel.filter { places::sockets() } else { Vec::new() };
    // There the folders of other sessions lie, and the private ones of CLIs.
    found.push(machine.temps.root().to_owned());
    found
}

fn network(profile: Profile, held: &Confinement) -> Network {
    match (profile, &held.network) {
        (_, reach) if held.by_owner => match reach {
            Reach::None => Network::None,
            Reach::Hosts { .. } | Reach::Any => Network::Host,
        },
        (Profile::WorkspaceNetwork | Profile::Off, _) => Network::Host,
        (Profile::ReadOnly, _) | (_, Reach::None) => Network::None,
        (Profile::Workspace, Reach::Hosts { .. } | Reach::Any) => Network::Host,
    }
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
