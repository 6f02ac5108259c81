//! Control groups: how much all processes of one command may use together. A group serves one command
//! after another.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::cgroup_parents::{
    CGROUP_V1_BOTH, CGROUP_V1_MEMORY, CGROUP_V2_MEMORY, CGROUP_V2_SWAP, Parent, ROOT, parents,
};
use super::limits::Limits;
use super::owned;

/// The groups of a runtime.
#[derive(Debug)]
pub(crate) struct Groups {
    parents: Vec<Parent>,
    idle: Mutex<Vec<Group>>,
    made: AtomicU64,
    name: String,
}

/// A group, which one command has at a time.
#[derive(Debug)]
pub(crate) struct Group {
    folders: Vec<PathBuf>,
    /// Where a process joins it.
    entries: Vec<Arc<OwnedFd>>,
}

/// Where a process joins a group. Whoever made the group holds it locked.
const ENTRY: &str = "cgroup.procs";

/// How many groups wait for another command.
const MOST_IDLE: usize = 8;

impl Groups {
    /// Looks for the groups that this process may make more in, and takes away what runtimes have left
    /// there whose programs were killed. `name` sets them apart from those of other runtimes.
    pub(crate) fn new(name: &str) -> Groups {
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let mut groups = Groups {
            parents: parents(Path::new(ROOT), &own),
            idle: Mutex::default(),
            made: AtomicU64::new(0),
            name: name.to_owned(),
        };
        for parent in &groups.parents {
            let left = owned::left_in(&parent.folder, ENTRY);
            left.into_iter().for_each(|folder| {
                Group { folders: vec![folder], entries: Vec::new() }.remove();
            });
        }
        // Makes one to find out whether it can be made.
        match groups.make(&Limits::default()) {
            Ok(group) => groups.lock().push(group),
            Err(_) => groups.parents.clear(),
        }
        groups
    }

    /// True if commands are held to limits by groups.
    pub(crate) fn are_there(&self) -> bool {
        !self.parents.is_empty()
    }

    /// True if the memory of a command can be limited.
    pub(crate) fn hold_memory(&self) -> bool {
        self.parents.iter().any(|parent| parent.memory.is_some())
    }

    /// True if the number of its processes can be limited.
    pub(crate) fn hold_processes(&self) -> bool {
        self.parents.iter().any(|parent| parent.processes.is_some())
    }

    /// The limits that nothing holds a command to, in words for the owner.
    pub(crate) fn missing(&self, limits: &Limits) -> Vec<String> {
        let is_root = rustix::process::geteuid().is_root();
        let limits = [
            ("memory_mb", limits.memory_mb, self.hold_memory()),
            // For everybody but root, the kernel's limit of a user's processes enforces it as well.
            ("processes", limits.processes, self.hold_processes() || !is_root),
        ];
        let missing = limits.iter().filter(|(_, limit, is_held)| *limit != 0 && !is_held);
        let names = missing.map(|(name, ..)| {
            format!("cgroups: none can be made that holds a command to `exec.limits.{name}`")
        });
        names.collect()
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
        let over = {
            let mut idle = self.lock();
            idle.extend(group);
            let mut over = Vec::new();
            while idle.len() > MOST_IDLE {
                let Some(at) = idle.iter().position(Group::is_empty) else { break };
                over.push(idle.swap_remove(at));
            }
            over
        };
        over.into_iter().for_each(Group::remove);
    }

    fn make(&self, limits: &Limits) -> io::Result<Group> {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let mut group = Group { folders: Vec::new(), entries: Vec::new() };
        for parent in &self.parents {
            let folder = parent.folder.join(format!("{}-{number}", self.name));
            let made = fs::create_dir(&folder)
                .and_then(|()| OpenOptions::new().write(true).open(folder.join(ENTRY)))
                .and_then(|entry| owned::hold(&entry).map(|()| entry));
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
        for (parent, folder) in self.parents.iter().zip(&group.folders) {
            match (parent.memory, limits.memory_mb.saturating_mul(1024 * 1024)) {
                (Some(CGROUP_V1_MEMORY), bytes) => limit_cgroup_v1(folder, bytes)?,
                (Some(_), bytes) => {
                    fs::write(folder.join(CGROUP_V2_MEMORY), or_none(bytes, "max"))?;
                    // What is limited goes no other way.
                    let swap = if bytes == 0 { "max" } else { "0" };
                    where_there(&folder.join(CGROUP_V2_SWAP), swap)?;
                }
                (None, _) => {}
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

/// Limits memory in version 1, and what it has together with swap, which is never less than that.
fn limit_cgroup_v1(group: &Path, bytes: u64) -> io::Result<()> {
    let text = or_none(bytes, "-1");
    let (memory, both) = (group.join(CGROUP_V1_MEMORY), group.join(CGROUP_V1_BOTH));
    // The kernel wants one raised before the other, or lowered after it. The old values are not known, so
    // both orders are tried.
    where_there(&both, "-1")?;
    fs::write(memory, &text)?;
    where_there(&both, &text)
}

fn or_none(limit: u64, none: &str) -> String {
    match limit {
        0 => none.to_owned(),
        limit => limit.to_string(),
    }
}

/// Sets a limit that not every kernel has.
fn where_there(path: &Path, limit: &str) -> io::Result<()> {
    match OpenOptions::new().write(true).truncate(true).open(path) {
        Ok(mut file) => file.write_all(limit.as_bytes()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

impl Drop for Groups {
    fn drop(&mut self) {
        self.lock().drain(..).for_each(|group| group.remove());
    }
}

impl Group {
    /// Where a process joins the group.
    pub(crate) fn entries(&self) -> &[Arc<OwnedFd>] {
        &self.entries
    }

    fn processes(&self) -> Vec<i32> {
        let lists = self.folders.iter().map(|folder| folder.join(ENTRY));
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
        // A tenth of a second at least: a killed process may need some time to leave its group.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Groups in plain folders.
    fn groups(parents: Vec<Parent>) -> Groups {
        let (idle, made) = (Mutex::default(), AtomicU64::new(0));
        Groups { parents, idle, made, name: "test".into() }
    }

    #[test]
    fn a_limit_that_no_group_holds_is_missing() {
        let is_root = rustix::process::geteuid().is_root();
        let none = groups(Vec::new());
        let missing = none.missing(&Limits::default());
        assert!(missing[0].contains("`exec.limits.memory_mb`"), "{missing:?}");
        assert_eq!(missing.iter().any(|one| one.contains("`exec.limits.processes`")), is_root);
        let unlimited = Limits { memory_mb: 0, processes: 0, ..Limits::default() };
        assert!(none.missing(&unlimited).is_empty());
        let folder = PathBuf::from("/nowhere");
        let all = groups(vec![Parent {
            folder,
            memory: Some(CGROUP_V2_MEMORY),
            processes: Some("pids.max"),
        }]);
        assert!(all.missing(&Limits::default()).is_empty());
    }

    #[test]
    fn with_memory_swap_is_limited_where_it_can_be() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().to_owned();
        let groups =
            groups(vec![Parent { folder, memory: Some(CGROUP_V2_MEMORY), processes: None }]);
        let own = root.path().join("own");
        fs::create_dir(&own).unwrap();
        let group = Group { folders: vec![own.clone()], entries: Vec::new() };
        let limits = Limits { memory_mb: 1, ..Limits::default() };
        groups.limit(&group, &limits).unwrap();
        assert_eq!(fs::read_to_string(own.join(CGROUP_V2_MEMORY)).unwrap(), "1048576");
        assert!(!own.join(CGROUP_V2_SWAP).exists());
        fs::write(own.join(CGROUP_V2_SWAP), "max").unwrap();
        groups.limit(&group, &limits).unwrap();
        assert_eq!(fs::read_to_string(own.join(CGROUP_V2_SWAP)).unwrap(), "0");
        groups.limit(&group, &Limits { memory_mb: 0, ..Limits::default() }).unwrap();
        assert_eq!(fs::read_to_string(own.join(CGROUP_V2_MEMORY)).unwrap(), "max");
        assert_eq!(fs::read_to_string(own.join(CGROUP_V2_SWAP)).unwrap(), "max");
    }

    #[test]
    fn in_version_1_swap_is_limited_together_with_memory() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().to_owned();
        let parent =
            Parent { folder: folder.clone(), memory: Some(CGROUP_V1_MEMORY), processes: None };
        let groups = groups(vec![parent]);
        let group = Group { folders: vec![folder.clone()], entries: Vec::new() };
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        let limits = Limits { memory_mb: 1, ..Limits::default() };
        groups.limit(&group, &limits).unwrap();
        assert_eq!(read(CGROUP_V1_MEMORY), "1048576");
        assert!(!folder.join(CGROUP_V1_BOTH).exists());
        fs::write(folder.join(CGROUP_V1_BOTH), "4096").unwrap();
        groups.limit(&group, &limits).unwrap();
        assert_eq!(
            (read(CGROUP_V1_MEMORY), read(CGROUP_V1_BOTH)),
            ("1048576".into(), "1048576".into())
        );
        groups.limit(&group, &Limits { memory_mb: 0, ..Limits::default() }).unwrap();
        assert_eq!((read(CGROUP_V1_MEMORY), read(CGROUP_V1_BOTH)), ("-1".into(), "-1".into()));
    }

    #[test]
    fn so_many_wait_for_another_command_and_no_more() {
        let root = tempfile::tempdir().unwrap();
        let groups = groups(Vec::new());
        for number in 0..3 * MOST_IDLE {
            let folder = root.path().join(number.to_string());
            fs::create_dir(&folder).unwrap();
            groups.give_back(Some(Group { folders: vec![folder], entries: Vec::new() }));
        }
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), MOST_IDLE);
    }
}
