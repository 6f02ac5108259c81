//! Tells which runtime a container belongs to: this one, another that is alive, or one that has died and
//! left it behind.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use bollard::Docker;
use bollard::models::ContainerSummary;
use bollard::query_parameters::ListContainersOptions;

use super::engine::remove;

/// Who makes containers: one runtime of one process.
#[derive(Debug)]
pub(super) struct Owner {
    instance: String,
    process: Process,
    made: AtomicU64,
}

/// A process, identified among all processes of all machines that an engine may serve.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Process {
    boot: String,
    namespace: String,
    pid: String,
    started: String,
}

const INSTANCE: &str = "toolkeep.runtime";
const BOOT: &str = "toolkeep.boot";
const NAMESPACE: &str = "toolkeep.pid_namespace";
const PID: &str = "toolkeep.pid";
const STARTED: &str = "toolkeep.started";

impl Owner {
    pub(super) fn new() -> Owner {
        let instance = crate::id::new_id();
        // The end of the id is random.
        let instance = instance[16..].to_owned();
        Owner { instance, process: Process::own(), made: AtomicU64::new(0) }
    }

    pub(super) fn instance(&self) -> &str {
        &self.instance
    }

    /// A number that no other container of this runtime has.
    pub(super) fn next(&self) -> u64 {
        self.made.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn labels(&self) -> HashMap<String, String> {
        let Process { boot, namespace, pid, started } = &self.process;
        let rows = [
            (INSTANCE, &self.instance),
            (BOOT, boot),
            (NAMESPACE, namespace),
            (PID, pid),
            (STARTED, started),
        ];
        rows.map(|(name, value)| (name.to_owned(), value.clone())).into()
    }

    /// Removes what runtimes have left that live no more. They go by themselves, unless they were never
    /// started or the engine was ended meanwhile.
    pub(super) async fn remove_leftovers(&self, docker: &Docker) {
        let filters = HashMap::from([("label".to_owned(), vec![INSTANCE.to_owned()])]);
        let options =
            ListContainersOptions { all: true, filters: Some(filters), ..Default::default() };
        let found = match docker.list_containers(Some(options)).await {
            Ok(found) => found,
            Err(error) => {
                tracing::warn!(%error, "the containers of dead runtimes could not be looked for");
                return;
            }
        };
        for container in found.iter().filter(|container| self.is_leftover(container)) {
            if let Some(id) = &container.id {
                remove(docker, id).await;
            }
        }
    }

    fn is_leftover(&self, container: &ContainerSummary) -> bool {
        let labels = container.labels.as_ref();
        let label = |name: &str| labels.and_then(|labels| labels.get(name)).cloned();
        if label(INSTANCE).is_none_or(|instance| instance == self.instance) {
            return false;
        }
        let values = [BOOT, NAMESPACE, PID, STARTED].map(label);
        let [Some(boot), Some(namespace), Some(pid), Some(started)] = values else { return false };
        let maker = Process { boot, namespace, pid, started };
        // Nothing can be known here about a process of another machine or namespace.
        self.process.could_see(&maker) && Process::of(&maker.pid) != Some(maker)
    }
}

impl Process {
    fn own() -> Process {
        let pid = std::process::id().to_string();
        Process::of(&pid).unwrap_or(Process {
            boot: String::new(),
            namespace: String::new(),
            pid,
            started: String::new(),
        })
    }

    /// The process that has this number now.
    fn of(pid: &str) -> Option<Process> {
        let read = |path: &str| std::fs::read_to_string(path).ok();
        let stat = read(&format!("/proc/{pid}/stat"))?;
        // Behind the name come the state and, as the 20th of these fields, when it was started.
        let started = stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.to_owned();
        let boot = read("/proc/sys/kernel/random/boot_id")?.trim().to_owned();
        let namespace = std::fs::read_link("/proc/self/ns/pid").ok()?.display().to_string();
        Some(Process { boot, namespace, pid: pid.to_owned(), started })
    }

    /// True if that one would be among the processes that this one sees.
    fn could_see(&self, other: &Process) -> bool {
        !self.boot.is_empty() && self.boot == other.boot && self.namespace == other.namespace
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(owner: &Owner, change: impl FnOnce(&mut HashMap<String, String>)) -> bool {
        let mut labels = Owner::new().labels();
        change(&mut labels);
        let container = ContainerSummary { labels: Some(labels), ..Default::default() };
        owner.is_leftover(&container)
    }

    #[test]
    fn only_what_dead_processes_of_this_machine_made_is_left_over() {
        let owner = Owner::new();
        let set = |name: &'static str, value: &'static str| {
            move |labels: &mut HashMap<String, String>| {
                labels.insert(name.into(), value.into());
            }
        };
        assert!(!left(&owner, |_| ()), "another runtime of this process");
        assert!(left(&owner, set(PID, "4194999")), "there is no such process");
        assert!(left(&owner, set(STARTED, "1")), "its number is another's by now");
        assert!(!left(&owner, |labels| {
            labels.insert(PID.into(), "4194999".into());
            labels.insert(BOOT.into(), "elsewhere".into());
        }));
        assert!(!left(&owner, |labels| *labels = owner.labels()));
        assert!(!left(&owner, |labels| drop(labels.remove(PID))));
    }
}
