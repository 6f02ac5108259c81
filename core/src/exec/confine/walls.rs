//! The walls around one command: what it may write, what it does not see, whether it has a network. Here
//! they become the steps of a plan.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::filter::{self, Sockets};
use super::kernel::{Kernel, Namespaces};
use super::landlock::{ALL_DEVICES, Allowed, DEVICES, Rules};
use super::mounting::{
    NEW_TERMINALS, NO_DEVICES, NO_DEVICES_ATTRIBUTE, NO_EXECUTION, NO_SUID, NO_SUID_ATTRIBUTE,
    READ_ONLY, READ_ONLY_ATTRIBUTE, TERMINALS, has_maker, has_terminals, isolate, own_terminals,
};
use super::plan::Plan;
use super::program::{Shared, kept_capabilities};
use super::wire;
use crate::exec::homes::HomesView;
use crate::exec::limits::Limits;
use crate::exec::places::{SHARED_AT, TEMP_MOUNT_POINTS, is_own, within};

/// Where a machine keeps the names of hosts that it knows by itself.
pub(crate) const NAMES: &str = "/etc/hosts";

/// Which network a command has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Network {
    /// None but its own loopback.
    None,
    /// The host's.
    Host,
}

/// The walls around one command.
#[derive(Clone, Debug)]
pub(crate) struct Walls {
    /// Files and folders that it may write, with all that is below. They exist.
    pub(crate) write: Vec<PathBuf>,
    /// What stands in these folders and may not be written.
    pub(crate) protected: Vec<PathBuf>,
    /// Files and folders that it does not see.
    pub(crate) hidden: Vec<PathBuf>,
    /// The home folders that are closed, and what is seen of them.
    pub(crate) homes: HomesView,
    /// What it reads although it lies where its temporary folder stands. Nothing else is seen of what lies
    /// there on the machine.
    pub(crate) visible: Vec<PathBuf>,
    /// The folder that it has as `/tmp` and `/var/tmp`, with one named `shm` in it.
    pub(crate) temp: PathBuf,
    pub(crate) network: Network,
    /// The file that says where the hosts are that it may reach.
    pub(crate) names: Option<PathBuf>,
}

/// What is to run within the walls.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    /// The program's file, where it was opened and verified before.
    pub(crate) file: Option<Arc<OwnedFd>>,
    /// Its path.
    pub(crate) path: PathBuf,
    /// Its words, the name that it goes by first.
    pub(crate) words: Vec<OsString>,
    /// Its variables, as `NAME=value`.
    pub(crate) variables: Vec<OsString>,
    /// The folder that it starts in.
    pub(crate) cwd: PathBuf,
    /// The rows and columns of the terminal that it has at standard input.
    pub(crate) terminal: Option<(u16, u16)>,
}

/// Why no walls could be built.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unbuilt {
    #[error("the rules of Landlock: {0}")]
    Landlock(#[from] ::landlock::RulesetError),
    #[error("the filter of system calls: {0}")]
    Filter(#[from] seccompiler::Error),
}

impl Walls {
    /// Where a folder lies that a command sees at this path: that may be in its temporary one.
    pub(crate) fn lies_at(&self, path: &Path, namespaces: Namespaces) -> PathBuf {
        let is_shown = || self.visible.iter().chain(&self.write).any(|root| path.starts_with(root));
        match within(path).filter(|_| namespaces != Namespaces::None && !is_shown()) {
            Some(below) => self.temp.join(below),
            None => path.to_owned(),
        }
    }

    /// The plan for a command within these walls, as far as the kernel can build them.
    ///
    /// # Errors
    /// What could not be built.
    pub(crate) fn plan(
        &self,
        kernel: &Kernel,
        limits: &Limits,
        launch: &Launch,
    ) -> Result<Plan, Unbuilt> {
        let mut plan = Plan::default();
        let isolated = kernel.namespaces;
        if isolated != Namespaces::None {
            isolate(&mut plan);
            self.mount(&mut plan, isolated);
            if let Some((rows, columns)) = launch.terminal.filter(|_| has_terminals()) {
                plan.step(wire::NEW_TERMINAL, "make a terminal").number(rows.into());
                plan.number(columns.into());
            }
        }
        begin(&mut plan, limits, kernel.others(isolated), launch);
        let holds_all = self.shared(kernel).calls.is_some();
        if !holds_all {
            plan.step(wire::REACH, "keep capabilities out of reach").number(kept_capabilities());
        }
        plan.step(wire::CAPABILITIES, "give up capabilities").number(kept_capabilities());
        plan.step(wire::NO_NEW_PRIVILEGES, "give up privileges");
        if kernel.landlock.is_some()
            && let Some(rules) = kernel.rules.rules(self.allowed(isolated != Namespaces::None))?
        {
            if isolated != Namespaces::None {
                allow_what_is_new(&mut plan, &rules);
            }
            plan.step(wire::LANDLOCK, "hold to the rules of Landlock").file(rules.file);
        }
        if kernel.filter && !holds_all {
            for program in filter::programs(self.sockets(isolated))? {
                plan.step(wire::FILTER, "filter system calls").text(program);
            }
        }
        execute(&mut plan, launch);
        Ok(plan)
    }

    /// What the supervisor that runs the plan must have.
    pub(crate) fn shared(&self, kernel: &Kernel) -> Shared {
        match kernel.namespaces {
            Namespaces::None => {
                let calls = kernel.filter.then(|| self.sockets(Namespaces::None));
                Shared { calls, ..Shared::default() }
            }
            Namespaces::Full { users } => {
                Shared { users, network: self.network != Network::Host, calls: None }
            }
        }
    }

    /// What stands protected or covered only by being mounted: what is covered in a home folder the rules of
    /// Landlock keep from it as well.
    pub(crate) fn mounted(&self, kernel: &Kernel) -> Vec<PathBuf> {
        if kernel.namespaces == Namespaces::None {
            return Vec::new();
        }
        let below = |path: &&PathBuf| self.write.iter().any(|root| path.starts_with(root));
        let protected = self.protected.iter().filter(below);
        let hidden =
            self.hidden.iter().filter(|path| kernel.landlock.is_none() || !self.is_of_home(path));
        protected.chain(hidden).cloned().collect()
    }

    /// True for what lies in a home folder, and not where it may write. Elsewhere programs of the machine
    /// put other files in the place of what a command reads beside what is hidden, and each such file would
    /// want a rule of Landlock anew.
    fn is_of_home(&self, path: &Path) -> bool {
        self.homes.encloses(path) && !self.write.iter().any(|root| path.starts_with(root))
    }

    /// The folders and files that it may write.
    pub(crate) fn written(&self) -> Vec<PathBuf> {
        self.write.iter().chain([&self.temp]).cloned().collect()
    }

    /// Which sockets lead nowhere that it must not be. Those of this machine are files that Landlock does
    /// not guard, and behind one may be whoever does anything for anybody, as an engine of containers.
    fn sockets(&self, isolated: Namespaces) -> Sockets {
        match (isolated, self.network) {
            (Namespaces::Full { .. }, _) => Sockets::All,
            (Namespaces::None, Network::Host) => Sockets::Internet,
            (Namespaces::None, Network::None) => Sockets::None,
        }
    }

    /// What Landlock allows.
    fn allowed(&self, isolated: bool) -> Allowed {
        let mut write = self.write.clone();
        write.push(self.temp.clone());
        let is_covered = |path: &&PathBuf| is_own(path) || self.homes.encloses(path);
        let mut read: Vec<PathBuf> = self.visible.iter().filter(is_covered).cloned().collect();
        read.extend(self.homes.open.iter().cloned());
        let mut hidden = self.hidden.clone();
        if isolated {
            // A mount of its own needs a rule of its own.
            write.push(self.temp.join("shm"));
            read.extend(self.names.clone());
            hidden.retain(|path| self.is_of_home(path));
        } else {
            // Those that every program may read have rules of their own.
            hidden.push(PathBuf::from(ALL_DEVICES));
            // There the folders of other sessions lie, and the private ones of CLIs.
            hidden.extend(TEMP_MOUNT_POINTS.map(PathBuf::from));
        }
        hidden.extend(self.homes.closed.iter().map(|(home, _)| home.clone()));
        Allowed { write, read, hidden, network: isolated || self.network == Network::Host }
    }

    /// Everything read-only but what may be written, and what is hidden covered.
    fn mount(&self, plan: &mut Plan, isolated: Namespaces) {
        let mut trees = Trees::new(plan);
        // Copies are taken first: they keep their attributes, and what covers a folder later does not
        // cover them.
        let temp = trees.take(&self.temp);
        let names = self.names.as_ref().map(|path| trees.take(path));
        let written: Vec<u64> = self.write.iter().map(|path| trees.take(path)).collect();
        let devices = devices(isolated);
        let kept: Vec<u64> = devices.iter().map(|path| trees.take(path)).collect();
        trees.plan.step(wire::CHANGE_MOUNT, "make mounts read-only").text("/");
        let no_devices = if devices.is_empty() { 0 } else { NO_DEVICES_ATTRIBUTE };
        trees.plan.number(READ_ONLY_ATTRIBUTE | NO_SUID_ATTRIBUTE | no_devices).number(0);
        for (tree, path) in kept.into_iter().zip(&devices) {
            trees.mount(tree, path);
        }
        trees.own_terminals();
        let is_covered = |path: &&PathBuf| is_own(path) || self.homes.encloses(path);
        let visible: Vec<&PathBuf> = self.visible.iter().filter(is_covered).collect();
        let taken: Vec<u64> = visible.iter().map(|path| trees.take(path)).collect();
        let homes = self.homes.closed.iter().map(|(home, skeleton)| (trees.take(skeleton), home));
        let homes: Vec<(u64, &PathBuf)> = homes.collect();
        let open = self.homes.open.iter().map(|path| (trees.take(path), path));
        let open: Vec<(u64, &PathBuf)> = open.collect();
        trees.mount(temp, Path::new(TEMP_MOUNT_POINTS[0]));
        for (from, at) in [(TEMP_MOUNT_POINTS[0], TEMP_MOUNT_POINTS[1]), ("/tmp/shm", SHARED_AT)] {
            if Path::new(at).is_dir() {
                let again = trees.take(Path::new(from));
                trees.mount(again, Path::new(at));
            }
        }
        if let Some(names) = names {
            trees.mount(names, Path::new(NAMES));
        }
        for (tree, path) in homes.into_iter().chain(open) {
            trees.mount(tree, path);
        }
        // In a closed home a path exists only if something there is open.
        let is_there = |path: &&PathBuf| !self.homes.encloses(path) || self.homes.shows(path);
        self.hidden.iter().filter(is_there).for_each(|path| trees.cover(path));
        for (tree, path) in taken.into_iter().zip(visible.iter().copied()) {
            trees.mount(tree, path);
        }
        for (tree, path) in written.into_iter().zip(&self.write) {
            trees.mount(tree, path);
        }
        let below = |path: &&PathBuf| self.write.iter().any(|root| path.starts_with(root));
        for path in self.protected.iter().filter(below) {
            trees.pin_above(path, &self.write);
            trees.guard(path);
        }
        // A folder that was mounted after them shows them uncovered.
        for path in &self.hidden {
            if below(&path) {
                trees.pin_above(path, &self.write);
                trees.cover(path);
            } else if visible.iter().any(|at| path.starts_with(at)) {
                trees.cover(path);
            }
        }
        plan.step(wire::MOUNT, "mount /proc").text("proc").text(PROCESSES).text("proc");
        plan.number(READ_ONLY | NO_SUID | NO_DEVICES | NO_EXECUTION).text("");
    }
}

/// Where processes are seen.
const PROCESSES: &str = "/proc";

/// Lets a command read and write what the plan itself has mounted.
fn allow_what_is_new(plan: &mut Plan, rules: &Rules) {
    let mut allow = |path: &str, access: u64| {
        plan.step(wire::ALLOW, format!("allow {path}")).file(rules.file.clone());
        plan.number(access).text(path);
    };
    allow(PROCESSES, rules.read);
    if has_terminals() {
        allow(TERMINALS, rules.device_folder);
        if has_maker() {
            allow(NEW_TERMINALS, rules.device);
        }
    }
}

/// The copies of mounts that a plan takes and mounts elsewhere.
struct Trees<'p> {
    plan: &'p mut Plan,
    next: u64,
    /// Slots whose copies are mounted.
    free: Vec<u64>,
    /// The folders that are mounted over themselves already.
    pinned: BTreeSet<PathBuf>,
}

impl<'p> Trees<'p> {
    fn new(plan: &'p mut Plan) -> Trees<'p> {
        Trees { plan, next: 0, free: Vec::new(), pinned: BTreeSet::new() }
    }

    /// Takes a copy of what stands at a path. Its slot.
    fn take(&mut self, path: &Path) -> u64 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        });
        let what = format!("take {}", path.display());
        self.plan.step(wire::OPEN_TREE, what).number(slot).path(path);
        slot
    }

    /// Mounts terminals of its own, in place of all those of the user.
    fn own_terminals(&mut self) {
        own_terminals(self.plan);
        if has_terminals() && has_maker() {
            let maker = self.take(&Path::new(TERMINALS).join("ptmx"));
            self.mount(maker, Path::new(NEW_TERMINALS));
        }
    }

    fn mount(&mut self, slot: u64, at: &Path) {
        let what = format!("mount {}", at.display());
        self.plan.step(wire::MOVE_TREE, what).number(slot).path(at);
        self.free.push(slot);
    }

    /// Mounts what stands at a path over itself.
    fn pin(&mut self, path: &Path) {
        if self.pinned.insert(path.to_owned()) {
            self.plan.step(wire::PIN, format!("mount {}", path.display())).path(path).number(0);
        }
    }

    /// Mounts all folders over themselves that stand above a path and below one of these. A folder that
    /// something is mounted at cannot be moved out of the way.
    fn pin_above(&mut self, path: &Path, roots: &[PathBuf]) {
        let above = path.ancestors().skip(1).take_while(|at| !roots.iter().any(|root| root == at));
        above.collect::<Vec<_>>().into_iter().rev().for_each(|folder| self.pin(folder));
    }

    /// Makes what stands at a path read-only, and keeps its name from another.
    fn guard(&mut self, path: &Path) {
        let what = format!("guard {}", path.display());
        self.plan.step(wire::PIN, what).path(path).number(READ_ONLY_ATTRIBUTE);
    }

    /// Covers a folder with an empty one, and anything else with the null device.
    fn cover(&mut self, path: &Path) {
        if path.is_dir() {
            let what = format!("hide {}", path.display());
            self.plan.step(wire::MOUNT, what).text("none").path(path).text("tmpfs");
            let flags = READ_ONLY | NO_SUID | NO_DEVICES | NO_EXECUTION;
            self.plan.number(flags).text("size=4k,mode=0555");
        } else {
            let null = self.take(Path::new("/dev/null"));
            self.mount(null, path);
        }
    }
}

/// The devices that stay. Root may open any, and so read a whole disk past every wall around its
/// files; anybody else opens those that the machine's owner gave him.
fn devices(isolated: Namespaces) -> Vec<&'static Path> {
    match isolated {
        Namespaces::Full { users: false } => {
            let all = DEVICES.iter().map(Path::new);
            all.filter(|path| path.exists() && !path.is_symlink()).collect()
        }
        Namespaces::Full { users: true } | Namespaces::None => Vec::new(),
    }
}

/// What every command gets, with walls or without.
fn begin(plan: &mut Plan, limits: &Limits, others: u64, launch: &Launch) {
    plan.step(wire::SUPERVISE, "watch");
    for (what, resource, limit) in limits.rows(others) {
        plan.step(wire::LIMIT, format!("limit {what}"))
            .number(resource)
            .number(limit)
            .number(limit);
    }
    plan.step(wire::UMASK, "set the mask of modes").number(0o022);
    if launch.terminal.is_some() {
        plan.step(wire::TERMINAL, "take the terminal");
    }
    plan.step(wire::DIRECTORY, format!("go to {}", launch.cwd.display())).path(&launch.cwd);
}

fn execute(plan: &mut Plan, launch: &Launch) {
    plan.step(wire::EXECUTE, format!("start {}", launch.path.display()));
    match &launch.file {
        Some(file) => plan.file(Arc::clone(file)).text(""),
        None => plan.number(wire::BY_PATH).path(&launch.path),
    };
    plan.list(&launch.words).list(&launch.variables);
}

/// The plan for a command without walls: it may do whatever the host may.
pub(crate) fn unconfined(kernel: &Kernel, limits: &Limits, launch: &Launch) -> Plan {
    let mut plan = Plan::default();
    begin(&mut plan, limits, kernel.others(Namespaces::None), launch);
    execute(&mut plan, launch);
    plan
}
