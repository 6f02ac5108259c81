//! Control groups: how much all processes of one command use together. A group serves one command
//! after another.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::limits::Limits;

/// The groups of a runtime.
#[derive(Debug)]
pub(crate) struct Groups {
    parents: Vec<Parent>,
    idle: Mutex<Vec<Group>>,
    made: AtomicU64,
    name: String,
}

/// A folder in which groups can be made.
#[derive(Debug)]
struct Parent {
    folder: PathBuf,
    /// What a limit is called there.
    memory: Option<&'static str>,
    processes: Option<&'static str>,
}

/// A group, which one command has at a time.
#[derive(Debug)]
pub(crate) struct Group {
    folders: Vec<PathBuf>,
    /// Where a process joins it.
    entries: Vec<Arc<OwnedFd>>,
}

/// Where the kernel's groups are.
const ROOT: &str = "/sys/fs/cgroup";

impl Groups {
    /// Looks for the groups that this process may make more in. `name` sets them apart from those of
    /// other runtimes.
    pub(crate) fn new(name: &str) -> Groups {
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let parents: Vec<Parent> = own.lines().filter_map(parent).collect();
        let mut groups = Groups {
            parents,
            idle: Mutex::default(),
            made: AtomicU64::new(0),
            name: name.to_owned(),
        };
        // One is made to see whether it can be.
        match groups.make(&Limits::default()) {
            Ok(group) => groups.lock().push(group),
            Err(_) => groups.parents.clear(),
        }
        groups
    }

    /// True if memory and processes can be limited.
    pub(crate) fn are_there(&self) -> bool {
        !self.parents.is_empty()
    }

    /// A group with these limits, in which nothing runs. `None` where there are none.
    ///
    /// # Errors
    /// Where none can be made any more.
    pub(crate) fn take(&self, limits: &Limits) -> io::Result<Option<Group>> {
        if self.parents.is_empty() {
            return Ok(None);
        }
        let idle = {
            let mut idle = self.lock();
            let free = idle.iter().position(Group::is_empty);
            free.map(|at| idle.swap_remove(at))
        };
        match idle {
            Some(group) => {
                self.limit(&group, limits)?;
                Ok(Some(group))
            }
            None => self.make(limits).map(Some),
        }
    }

    /// Takes a group back. The processes of its command may still be about to end.
    pub(crate) fn give_back(&self, group: Option<Group>) {
        self.lock().extend(group);
    }

    fn make(&self, limits: &Limits) -> io::Result<Group> {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let mut group = Group { folders: Vec::new(), entries: Vec::new() };
        for parent in &self.parents {
            let folder = parent.folder.join(format!("{}-{number}", self.name));
            let made = fs::create_dir(&folder)
                .and_then(|()| OpenOptions::new().write(true).open(folder.join("cgroup.procs")));
            group.folders.push(folder);
            match made {
                Ok(entry) => group.entries.push(Arc::new(OwnedFd::from(entry))),
                Err(error) => {
                    group.remove();
                    return Err(error);
                }
            }
        }
        if let Err(error) = self.limit(&group, limits) {
            group.remove();
            return Err(error);
        }
        Ok(group)
    }

    fn limit(&self, group: &Group, limits: &Limits) -> io::Result<()> {
        let or_none = |limit: u64, none: &str| match limit {
            0 => none.to_owned(),
            limit => limit.to_string(),
        };
        for (parent, folder) in self.parents.iter().zip(&group.folders) {
            if let Some(name) = parent.memory {
                let none = if name == MEMORY_OF_OLD { "-1" } else { "max" };
                let bytes = limits.memory_mb.saturating_mul(1024 * 1024);
                fs::write(folder.join(name), or_none(bytes, none))?;
            }
            if let Some(name) = parent.processes {
                fs::write(folder.join(name), or_none(limits.processes, "max"))?;
            }
        }
        Ok(())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Group>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Groups {
    fn drop(&mut self) {
        self.lock().drain(..).for_each(|group| group.remove());
    }
}

const MEMORY_OF_OLD: &str = "memory.limit_in_bytes";

/// The folder in which groups can be made, by a line of `/proc/self/cgroup`:
/// `number:controllers:path`.
fn parent(line: &str) -> Option<Parent> {
    let mut parts = line.splitn(3, ':');
    let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
    let below = path.trim_start_matches('/');
    if controllers.is_empty() {
        let folder = Path::new(ROOT).join(below);
        let enabled = fs::read_to_string(folder.join("cgroup.subtree_control")).ok()?;
        let has = |name: &str| enabled.split_whitespace().any(|one| one == name);
        let memory = has("memory").then_some("memory.max");
        let processes = has("pids").then_some("pids.max");
        (memory.is_some() || processes.is_some()).then_some(Parent { folder, memory, processes })
    } else {
        let has = |name: &str| controllers.split(',').any(|one| one == name);
        let memory = has("memory").then_some(MEMORY_OF_OLD);
        let processes = has("pids").then_some("pids.max");
        let is_wanted = memory.is_some() || processes.is_some();
        let folder = Path::new(ROOT).join(controllers).join(below);
        (is_wanted && folder.is_dir()).then_some(Parent { folder, memory, processes })
    }
}

impl Group {
    /// Where a process joins the group.
    pub(crate) fn entries(&self) -> &[Arc<OwnedFd>] {
        &self.entries
    }

    fn processes(&self) -> Vec<i32> {
        let lists = self.folders.iter().map(|folder| folder.join("cgroup.procs"));
        let lists = lists.filter_map(|list| fs::read_to_string(list).ok());
        lists
            .flat_map(|list| list.lines().filter_map(|line| line.parse().ok()).collect::<Vec<_>>())
            .collect()
    }

    fn is_empty(&self) -> bool {
        self.processes().is_empty()
    }

    /// Ends whatever runs in it.
    fn end(&self) {
        const ROUNDS: usize = 100;
        for _ in 0..ROUNDS {
            let running = self.processes();
            if running.is_empty() {
                return;
            }
            for process in running.into_iter().filter_map(rustix::process::Pid::from_raw) {
                let _ = rustix::process::kill_process(process, rustix::process::Signal::KILL);
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }

    fn remove(self) {
        self.end();
        for folder in self.folders {
            let _ = fs::remove_dir(folder);
        }
    }
}
