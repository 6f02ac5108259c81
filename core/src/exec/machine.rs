//! What is found out about this machine when the first command runs, and the places that commands run in:
//! a confining program that waits, with its control group.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::cgroups::{Group, Groups};
use super::config::ExecConfig;
use super::confine::kernel::{Kernel, Namespaces};
use super::confine::program::{Program, Shared, Supervisor};
use super::egress::Room;
use super::environment::{self, Variables};
use super::homes::Homes;
use super::limits::Limits;
use super::places::{self, Temps};
use crate::scrub::Scrubber;

/// What is found out and made when the first command runs.
pub(super) struct Machine {
    program: Program,
    pub(super) kernel: Kernel,
    pub(super) temps: Temps,
    pub(super) groups: Groups,
    pub(super) variables: Variables,
    pub(super) homes: Homes,
    pub(super) connections: Arc<Room>,
    idle: Mutex<Vec<Place>>,
}

/// Where commands run, one after another: the supervisor that starts and watches them, and its control
/// group. Starting the one and joining the other takes longer than everything else, so places are kept.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) supervisor: Supervisor,
    pub(super) group: Option<Group>,
    pub(super) shared: Shared,
}

/// How many idle places are kept.
const MOST_IDLE: usize = 4;

impl Drop for Machine {
    fn drop(&mut self) {
        let idle = std::mem::take(&mut *self.lock_idle());
        idle.into_iter().for_each(|place| self.leave(place));
    }
}

impl Machine {
    pub(super) fn find(config: &ExecConfig, scrubber: &Scrubber) -> io::Result<Machine> {
        let program = Program::load()?;
        let kernel = Kernel::probe(&program);
        let temps = Temps::new()?;
        let groups = Groups::new(&temps.name());
        let is_secret = |text: &str| !scrubber.findings(text).is_empty();
        let variables = environment::of_host(&config.environment, is_secret);
        let homes = Homes::of_machine(&variables);
        let connections = Arc::new(Room::of_process());
        let idle = Mutex::default();
        Ok(Machine { program, kernel, temps, groups, variables, homes, connections, idle })
    }

    /// Where a command within walls sees its temporary folder.
    pub(super) fn temp_mount_point(&self, temp: &Path) -> PathBuf {
        match self.kernel.namespaces {
            Namespaces::None => temp.to_owned(),
            Namespaces::Full { .. } => PathBuf::from(places::TEMP_MOUNT_POINTS[0]),
        }
    }

    /// A place in which nothing runs.
    pub(super) fn place(&self, shared: Shared, limits: &Limits) -> io::Result<Place> {
        let idle = {
            let mut idle = self.lock_idle();
            let fitting = idle.iter().position(|place| place.shared == shared);
            fitting.map(|at| idle.swap_remove(at))
        };
        let make = || {
            let group = self.groups.take(limits)?;
            let entries = group.as_ref().map(Group::entries).unwrap_or_default();
            match self.program.start(entries, shared) {
                Ok(supervisor) => Ok(Place { supervisor, group, shared }),
                Err(error) => {
                    self.groups.give_back(group);
                    Err(error)
                }
            }
        };
        idle.map_or_else(make, Ok)
    }

    pub(super) fn keep(&self, place: Place) {
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

    pub(super) fn leave(&self, place: Place) {
        place.supervisor.end();
        self.groups.give_back(place.group);
    }

    fn lock_idle(&self) -> MutexGuard<'_, Vec<Place>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
