//! What the kernel can give, found out by trying it once.

use std::sync::Arc;

use super::filter::{self, Sockets};
use super::mounting::{NO_DEVICES, NO_SUID, READ_ONLY_ATTRIBUTE, isolate, own_terminals};
use super::plan::Plan;
use super::program::{Program, Shared};
use super::{landlock, wire};
use crate::exec::console::Console;
use crate::exec::running::{Running, StartError};

/// How far commands can be shut off by namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Namespaces {
    /// There are none.
    None,
    /// Of their own: users, mounts, processes, network, and what processes share.
    Full {
        /// True if a user namespace is needed for the others: the host is not privileged.
        users: bool,
    },
}

/// What the kernel can give.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    /// The version of Landlock.
    pub(crate) landlock: Option<u32>,
    /// Whether system calls can be filtered.
    pub(crate) filter: bool,
    /// Namespaces.
    pub(crate) namespaces: Namespaces,
    /// Whether the processes of a user namespace are counted apart from those of its user elsewhere.
    pub(crate) counts_per_namespace: bool,
    /// Why something is missing, in words for the owner.
    pub(crate) missing: Vec<String>,
    /// The rules of Landlock that were made lately.
    pub(crate) rules: Arc<landlock::Made>,
}

impl Kernel {
    /// Tries everything. It takes some milliseconds.
    pub(crate) fn probe(program: &Program) -> Kernel {
        let mut missing = Vec::new();
        let landlock = landlock::version();
        if landlock.is_none() {
            missing.push("landlock: this kernel has none, or it is switched off".to_owned());
        }
        let filter = tried(program, Shared::default(), filtering)
            .map_err(|why| missing.push(format!("seccomp: {why}")));
        let is_root = rustix::process::geteuid().is_root();
        let mut namespaces = Namespaces::None;
        // A privileged host needs no user namespace; where it lacks the privilege, it may help.
        let ways: &[bool] = if is_root { &[false, true] } else { &[true] };
        let mut why = String::new();
        for users in ways {
            match tried(program, Shared { users: *users, network: true, calls: None }, isolating) {
                Ok(()) => {
                    namespaces = Namespaces::Full { users: *users };
                    break;
                }
                Err(error) => why = error,
            }
        }
        if namespaces == Namespaces::None {
            missing.push(format!("namespaces: {why}"));
        }
        let release = rustix::system::uname().release().to_string_lossy().into_owned();
        let counts_per_namespace = is_at_least(&release, COUNTS_PER_NAMESPACE);
        let rules = Arc::default();
        Kernel {
            landlock,
            filter: filter.is_ok(),
            namespaces,
            counts_per_namespace,
            missing,
            rules,
        }
    }

    /// How many processes and threads count towards the limit of a command in such namespaces that are
    /// none of its own. The kernel reports the number for all users, which is never too low: with too few, a command of
    /// somebody who runs a desktop could start nothing.
    pub(crate) fn others(&self, namespaces: Namespaces) -> u64 {
        match namespaces {
            Namespaces::Full { users: true } if self.counts_per_namespace => 0,
            _ => running(&std::fs::read_to_string("/proc/loadavg").unwrap_or_default()),
        }
    }
}

/// Since this version, the limit of processes holds for each user namespace by itself. Source: the
/// kernel's change 21d1c5e386bc, "Reimplement RLIMIT_NPROC on top of ucounts".
const COUNTS_PER_NAMESPACE: (u32, u32) = (5, 14);

/// True if a kernel's release, as `6.1.0-13-amd64`, is of this version or a later one.
fn is_at_least(release: &str, version: (u32, u32)) -> bool {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor) >= version,
        _ => false,
    }
}

/// How many processes and threads there are: the second number of `running/all` in `/proc/loadavg`.
fn running(load: &str) -> u64 {
    let all = load.split_whitespace().nth(3).and_then(|part| part.split_once('/'));
    all.and_then(|(_, all)| all.parse().ok()).unwrap_or_default()
}

/// Goes through steps and then fails to become a program, which is how it is seen that the steps went
/// well.
fn tried(program: &Program, shared: Shared, steps: fn(&mut Plan)) -> Result<(), String> {
    let mut plan = Plan::default();
    steps(&mut plan);
    plan.step(wire::EXECUTE, "start").number(wire::BY_PATH).text("/");
    plan.number(0).number(0);
    let started = program.start(&[], shared).map_err(|error| error.to_string())?;
    match Running::start(started, &plan, Console::Once, Vec::new()) {
        Err(StartError::Step { is_last: true, .. }) => Ok(()),
        Err(error) => Err(error.to_string()),
        Ok(running) => {
            drop(running);
            Err("a folder was started as a program".to_owned())
        }
    }
}

fn filtering(plan: &mut Plan) {
    plan.step(wire::SUPERVISE, "watch");
    plan.step(wire::NO_NEW_PRIVILEGES, "give up privileges");
    for program in filter::programs(Sockets::None).into_iter().flatten() {
        plan.step(wire::FILTER, "filter system calls").text(program);
    }
}

fn isolating(plan: &mut Plan) {
    isolate(plan);
    plan.step(wire::MOUNT, "mount /proc").text("proc").text("/proc").text("proc");
    plan.number(NO_SUID | NO_DEVICES).text("");
    own_terminals(plan);
    plan.step(wire::CHANGE_MOUNT, "make mounts read-only");
    plan.text("/").number(READ_ONLY_ATTRIBUTE).number(0);
    plan.step(wire::SUPERVISE, "watch");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_release_gives_its_version() {
        for (release, is) in [
            ("5.14.0", true),
            ("6.1.0-13-amd64", true),
            ("5.10.0-8-cloud", false),
            ("4.19", false),
            ("5.4.0-1104-aws", false),
            ("10.0-rc1", true),
            ("", false),
            ("x.y", false),
        ] {
            assert_eq!(is_at_least(release, COUNTS_PER_NAMESPACE), is, "{release}");
        }
    }

    #[test]
    fn processes_of_others_count_where_the_kernel_counts_them() {
        assert_eq!(running("2.01 1.49 1.43 3/96 24661\n"), 96);
        assert_eq!(running(""), 0);
        let kernel = |counts_per_namespace| Kernel {
            landlock: None,
            filter: true,
            namespaces: Namespaces::None,
            counts_per_namespace,
            missing: Vec::new(),
            rules: Arc::default(),
        };
        let own = Namespaces::Full { users: true };
        assert_eq!(kernel(true).others(own), 0);
        assert!(kernel(false).others(own) > 0);
        assert!(kernel(true).others(Namespaces::Full { users: false }) > 0);
        assert!(kernel(true).others(Namespaces::None) > 0);
    }
}
