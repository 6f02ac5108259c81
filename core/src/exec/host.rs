//! Runs commands on the host, within the walls that were decided, or has them run in a sandbox.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::capabilities::Capabilities;
use super::closed;
use super::config::ExecConfig;
use super::confine::kernel::Namespaces;
use super::confine::program::Shared;
use super::confine::walls::{Launch, Network, Walls, unconfined};
use super::confined::{Confined, RanIn, Reached};
use super::control::Control;
use super::disk::{self, Disks};
use super::egress::{Egress, Ways};
use super::environment;
use super::folder::Folder;
use super::groups::Group;
use super::guarded::{Absent, Appeared};
use super::hard_links;
use super::launch::launch;
use super::looks::{Look, Looks, Question};
use super::machine::{Machine, Place};
use super::not_run::NotRun;
use super::opened::Opened;
use super::order::Order;
use super::places::{self, Temps};
use super::profile::Profile;
use super::real::{RealPaths, outermost};
use super::replaced::Kept;
use super::repositories::Repositories;
use super::running::{Cut, Ended, Remains, Running, StartError, Stream, Watched, Written};
use super::sandbox::Mounted;
use super::turns::{Turn, Turns};

use crate::body::Spool;
use crate::scrub::Scrubber;
use crate::shell::{Confinement, Reach, Run};
use crate::terminal::{Cleaner, Returns};

/// What runs commands on this machine. One per runtime.
pub(crate) struct Host {
    config: ExecConfig,
    scrubber: Scrubber,
    pub(super) looks: Looks,
    pub(super) repositories: Repositories,
    turns: Arc<Turns>,
    /// Once the first command has run, and until the runtime is closed.
    machine: Mutex<Option<Result<Arc<Machine>, String>>>,
    #[cfg(feature = "docker")]
    pub(super) docker: super::docker::Docker,
}

/// How often it is tried to start a command around which something goes meanwhile.
const MOST_TRIES: usize = 4;

/// How long is waited at the end for commands that are being cleared up.
const CLEARING_UP: Duration = Duration::from_secs(5);

/// What became of a command.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) output: Spool,
    pub(crate) error: Spool,
    pub(crate) ended: Ended,
    pub(crate) confined: Confined,
    /// What it was not to write and has come while it ran.
    pub(crate) appeared: Vec<Appeared>,
}

impl Host {
    /// Nothing is looked up before the first command. `scrubber` tells which variables hold secrets.
    pub(crate) fn new(config: ExecConfig, scrubber: Scrubber) -> Host {
        Host {
            #[cfg(feature = "docker")]
            docker: super::docker::Docker::new(&config),
            config,
            scrubber,
            looks: Looks::default(),
            repositories: Repositories::default(),
            turns: Arc::default(),
            machine: Mutex::default(),
        }
    }

    /// True if commands on the host are held to what was decided of them. It may take some milliseconds
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

    /// Runs a command, tells what became of it, and then clears up; blocking. What it writes is masked
    /// as it comes.
    pub(crate) fn run(
        &self,
        mut order: Order,
        control: &Control,
        scrubber: &Scrubber,
        tell: impl FnOnce(Result<Done, NotRun>),
    ) {
        let most = self.config.max_output_kb * 1024;
        let mut outputs = [Output::new(scrubber, most), Output::new(scrubber, most)];
        self.guard_repositories(&mut order);
        let mut absent = Absent::before(&self.guarded_names(&order), &self.looks);
        let mut confined = None;
        let sink = |stream, written: Written<'_>| match stream {
            Stream::Output => outputs[0].push(written),
            Stream::Error => outputs[1].push(written),
        };
        let begun = |started| confined = Some(started);
        match self.start_and_finish(order, control, &mut absent, begun, sink) {
            Ok((mut ended, rest)) => {
                let [output, error] = outputs.map(Output::finish);
                // What it had started may make something until it is cleared up. From then on what comes
                // is somebody else's.
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
                    tell(Ok(Done { output, error, ended, confined, appeared }));
                }
                if let Some(rest) = rest {
                    rest.clear_up();
                }
            }
            Err(error) => tell(Err(error)),
        }
    }

    /// Runs a command, tells when it has started and what it writes, which is not masked, and answers
    /// how it has ended and what has appeared, once nothing of it is left; blocking.
    ///
    /// # Errors
    /// Why it did not start.
    pub(crate) fn follow(
        &self,
        mut order: Order,
        control: &Control,
        started: impl FnOnce(Confined),
        sink: impl FnMut(Stream, Written<'_>),
    ) -> Result<(Ended, Vec<Appeared>), NotRun> {
        self.guard_repositories(&mut order);
        let mut absent = Absent::before(&self.guarded_names(&order), &self.looks);
        let (mut ended, rest) =
            self.start_and_finish(order, control, &mut absent, started, sink)?;
        rest.clear_up();
        let appeared = absent.finish();
        ended.cut = ended.cut.or(absent.is_broken().then_some(Cut::Appeared));
        Ok((ended, appeared))
    }

    fn start_and_finish(
        &self,
        mut order: Order,
        control: &Control,
        absent: &mut Absent,
        started: impl FnOnce(Confined),
        sink: impl FnMut(Stream, Written<'_>),
    ) -> Result<(Ended, Rest), NotRun> {
        let turn = self.turn(&mut order)?;
        let withheld = turn.as_ref().map(|turn| turn.withheld.clone()).unwrap_or_default();
        let not_looked_at = order.nested.not_looked_at.clone();
        let started = |confined| started(Confined { withheld, not_looked_at, ..confined });
        if self.is_sandboxed(&order) {
            let ended = self.in_sandbox(&order, control, absent, started, sink)?;
            return Ok((ended, Rest { on_host: None, turn }));
        }
        let machine = self.machine()?;
        let deadline = Instant::now().checked_add(order.timeout);
        let Started { running, walls, kept, ways, egress, shared, group } =
            self.start(&machine, &order)?;
        started(self.confined(&machine, walls.as_ref(), ways.as_ref()));
        let written = written(walls.as_ref(), &order);
        let disks = Disks::of(written.iter().map(PathBuf::as_path), self.config.limits.left());
        let watched = Watched { disks, kept, absent };
        let (ended, remains) = running.finish(deadline, watched, control, sink);
        drop(egress);
        let opened = order.opened;
        let on_host = Some(OnHost { machine, remains, shared, group, opened });
        Ok((ended, Rest { on_host, turn }))
    }

    /// The turn of a command among those that run, where walls are mounts.
    fn turn(&self, order: &mut Order) -> Result<Option<Turn>, NotRun> {
        let is_sandboxed = self.is_sandboxed(order);
        let has_mounts = is_sandboxed
            || self.config.confinement != Profile::Off && self.namespaces() != Namespaces::None;
        let mounted = is_sandboxed.then(|| Mounted { real: order.whose.workspace.clone() });
        let take = || self.turns.take(&mut order.held_to, order.timeout, mounted);
        has_mounts.then(take).transpose()
    }

    /// Starts a command within its walls. What a wall was to stand around may be gone by then, such as
    /// the socket of a service that has ended: then it is looked up anew.
    fn start(&self, machine: &Machine, order: &Order) -> Result<Started, NotRun> {
        let missing = self.missing(machine);
        if self.config.require && !missing.is_empty() {
            return Err(NotRun::Unconfined(missing.join("; ")));
        }
        let mut tries = 1;
        loop {
            match self.try_to_start(machine, order)? {
                Ok(started) => return Ok(started),
                Err((error, _)) if error.is_of_what_is_gone() && tries < MOST_TRIES => tries += 1,
                Err((error, launch)) => return Err(not_started(error, &order.run, &launch)),
            }
        }
    }

    fn try_to_start(
        &self,
        machine: &Machine,
        order: &Order,
    ) -> Result<Result<Started, (StartError, Launch)>, NotRun> {
        let ways = self.ways(machine, order)?;
        let walls = self.walls(machine, order, ways.as_ref())?;
        let namespaces = machine.kernel.namespaces;
        let lies_at = match &walls {
            Some(walls) => walls.lies_at(&order.cwd, namespaces),
            None => order.cwd.clone(),
        };
        let launch = match &order.opened {
            Some(opened) => opened.launch(&order.cwd, &lies_at)?,
            None => {
                let mut variables = machine.variables.clone();
                if let Some(walls) = &walls {
                    let temp = machine.seen_at(&walls.temp);
                    environment::with_caches(&mut variables, &self.config.environment, &temp);
                }
                launch(order, variables, &lies_at)?
            }
        };
        let limits = &disk::limits_on(&written(walls.as_ref(), order), &self.config.limits);
        let plan = match &walls {
            Some(walls) => walls
                .plan(&machine.kernel, limits, &launch)
                .map_err(|error| NotRun::Unconfined(error.to_string()))?,
            None => unconfined(&machine.kernel, limits, &launch),
        };
        let shared = walls.as_ref().map(|walls| walls.shared(&machine.kernel)).unwrap_or_default();
        // Before anything is mounted: what is replaced meanwhile ends it.
        let mounted = walls.as_ref().map(|walls| walls.mounted(&machine.kernel));
        let kept = Kept::of(mounted.unwrap_or_default().into_iter());
        let Place { seat, group, .. } = machine.place(shared, limits)?;
        let egress =
            match ways.as_ref().map(|ways| ways.open(&seat, &machine.connections)).transpose() {
                Ok(egress) => egress,
                Err(error) => {
                    seat.end();
                    machine.groups.give_back(group);
                    return Err(NotRun::Unconfined(format!("no way out could be opened: {error}")));
                }
            };
        Ok(match Running::start(seat, &plan, order.console, order.input.clone()) {
            Ok(running) => Ok(Started { running, walls, kept, ways, egress, shared, group }),
            Err(error) => {
                machine.groups.give_back(group);
                Err((error, launch))
            }
        })
    }

    /// Ends what waits for commands, and takes away the folders of sessions; blocking. Commands whose
    /// result was given are waited for until they are cleared up.
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

    /// What a command is held to. `None`: to nothing.
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

    /// What commands should be held to and are not.
    fn missing(&self, machine: &Machine) -> Vec<String> {
        let of_kernel: &[String] = match self.config.confinement {
            Profile::Off => &[],
            _ => &machine.kernel.missing,
        };
        [of_kernel, &machine.groups.missing(&self.config.limits)].concat()
    }

    /// The hosts that a command is held to. None: it has no network, or the host's.
    fn ways(&self, machine: &Machine, order: &Order) -> Result<Option<Ways>, NotRun> {
        let isolated = machine.kernel.namespaces != Namespaces::None;
        let profile = self.config.confinement;
        let holds = match order.held_to.by_owner || order.opened.is_some() {
            true => profile != Profile::Off,
            false => profile == Profile::Workspace,
        };
        match &order.held_to.network {
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

    /// Makes a folder for one program alone, gone when it is dropped; blocking.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub(crate) fn private_folder(&self) -> Result<Folder, NotRun> {
        Ok(self.machine()?.temps.private()?)
    }

    /// Where a program sees the temporary folder that it is given; it may take some milliseconds the
    /// first time.
    pub(crate) fn temp_seen_at(&self, folder: &Path) -> PathBuf {
        match self.machine() {
            Ok(machine) if self.config.confinement != Profile::Off => machine.seen_at(folder),
            _ => folder.to_owned(),
        }
    }

    /// What the owner and the system close, as it is now, without what the command may read.
    fn closed(&self, held: &Confinement) -> Result<Vec<PathBuf>, NotRun> {
        let closed = held.read_never.iter().map(PathBuf::from);
        let closed = closed::spelled_out(closed);
        let mut closed = closed.map_err(|why| NotRun::Unconfined(why.to_string()))?;
        closed.retain(|path| !held.read.iter().any(|shown| Path::new(shown).starts_with(path)));
        closed.extend(places::SERVICES.iter().map(PathBuf::from));
        let answer = self.looks.answer(Question::Outermost, closed, |look, paths| {
            RealPaths::of_now(look).outermost(paths.iter().cloned())
        });
        Ok(answer.paths.clone())
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
        if kernel.landlock.is_none() && !isolated {
            // Then nothing holds it to what was decided of it.
            return Err(NotRun::Unconfined(kernel.missing.join("; ")));
        }
        let temp = match &order.opened {
            Some(opened) => opened.temp.path().to_owned(),
            None => machine.temps.of(&order.session)?,
        };
        let held = &order.held_to;
        let is_temp = |path: &Path| places::SEEN_AT.iter().any(|at| path == Path::new(at));
        let write = match self.config.confinement {
            Profile::ReadOnly if !held.by_owner => Vec::new(),
            _ => held.write.iter().map(PathBuf::from).filter(|path| !is_temp(path)).collect(),
        };
        let mut look = Look::once();
        let mut real = RealPaths::of_now(&mut look);
        let write = real.outermost(write);
        let mut hidden = self.closed(held)?;
        let program = order.opened.as_ref().and_then(|opened| opened.path.parent());
        let program = program.map(|folder| machine.homes.of_programs(folder)).unwrap_or_default();
        let shown = real.outermost(held.read.iter().map(PathBuf::from).chain(program));
        let kept = real.outermost(order.whose.kept.iter().cloned());
        let kept = hidden.iter().chain(&kept).cloned().collect();
        let guarded = hard_links::guarded(self.guarded(order), kept, &write, isolated)?;
        hidden.extend(private(machine).iter().filter_map(|path| real.of(path)));
        let seen = real.outermost(order.seen.iter().cloned());
        let mounts = outermost([&seen[..], &write].concat());
        let homes = machine.homes.seen(&mounts, &shown, &self.looks, &machine.temps)?;
        let is_shown =
            |path: &PathBuf| homes.shows(path) || mounts.iter().any(|root| path.starts_with(root));
        hidden.retain(|path| !homes.encloses(path) || is_shown(path));
        if isolated {
            // Of what lies there it sees nothing else.
            let shown = |path: &PathBuf| seen.iter().chain(&write).any(|at| path.starts_with(at));
            hidden.retain(|path| !places::is_own(path) || shown(path));
        }
        let walls = Walls {
            guarded,
            hidden: outermost(hidden),
            homes,
            network: match ways {
                Some(_) => Network::None,
                // What its owner gives it, whatever commands have.
                None if order.opened.is_some() && held.network == Reach::None => Network::None,
                None if order.opened.is_some() => Network::Host,
                None => network(self.config.confinement, held),
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

/// The folders and files that a command writes.
fn written(walls: Option<&Walls>, order: &Order) -> Vec<PathBuf> {
    walls.map_or_else(|| vec![order.cwd.clone()], Walls::written)
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

/// What is left of a command that has ended: in a container nothing but its turn.
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
    /// Waits until nothing of it runs any more, and keeps the place for another.
    fn clear_up(self) {
        let Rest { on_host, turn } = self;
        let Some(OnHost { machine, remains, shared, group, opened }) = on_host else { return };
        match remains.wait() {
            Some(seat) => machine.keep(Place { seat, group, shared }),
            None => machine.groups.give_back(group),
        }
        drop((opened, turn));
    }
}

/// One of the two outputs, without what commands a terminal, and masked, as it comes.
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

/// What belongs to others, and stands where a command would find it.
fn private(machine: &Machine) -> Vec<PathBuf> {
    let kernel = &machine.kernel;
    let isolated = kernel.namespaces != Namespaces::None;
    // Elsewhere the filter lets it connect to none.
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
