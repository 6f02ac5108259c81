//! Which repositories within the workspace a command must leave as they are.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::confine::kernel::Namespaces;
use super::host::Host;
use super::order::Order;
use super::profile::Profile;
use super::repositories::Bounds;
use super::sandbox::{Mounted, WorkspaceAccess};

impl Host {
    /// Adds what a command must not write in the repositories within the workspace, unless it was understood
    /// to; blocking. Where no mounts can hold it to that, they are watched.
    pub(super) fn guard_repositories(&self, order: &mut Order) {
        if self.is_sandboxed(order) {
            self.guard_in_sandbox(order);
        } else if self.guards_files(order) {
            self.guard_on_host(order);
        }
    }

    fn guards_files(&self, order: &Order) -> bool {
        let writes = match self.config().confinement {
            Profile::Off => false,
            Profile::ReadOnly => order.held_to.by_owner,
            Profile::Workspace | Profile::WorkspaceNetwork => true,
        };
        let unseen = &order.held_to.nested.unseen_in;
        writes && !unseen.is_empty()
    }

    fn guard_on_host(&self, order: &mut Order) {
        for root in order.held_to.nested.unseen_in.clone() {
            let root = Path::new(&root);
            let touches =
                |path: &String| root.starts_with(path) || Path::new(path).starts_with(root);
            let Some(real) =
                root.canonicalize().ok().filter(|_| order.held_to.write.iter().any(touches))
            else {
                continue;
            };
            let guards = self.repositories.guards(&real, &Bounds::HOST);
            let held = &order.held_to.nested;
            let is_open = |path: &PathBuf| path.to_str().is_some_and(|path| held.is_open(path));
            let guarded: Vec<PathBuf> =
                guards.paths.into_iter().filter(|path| !is_open(path)).collect();
            let is_away = |path: &PathBuf| path.to_str().is_some_and(|path| held.is_away(path));
            // A watch closes nothing, and in these folders anything may be done.
            let by_mounts = self.namespaces() != Namespaces::None;
            let closed = guards.closed.into_iter().filter(|path| by_mounts && !is_away(path));
            let closed: BTreeSet<PathBuf> = closed.collect();
            let within = written_within(&closed, order);
            let shown = closed.iter().map(|path| path.display().to_string());
            order.nested.not_looked_at.extend(shown);
            guarded.into_iter().chain(closed).chain(within).for_each(|path| guard(path, order));
        }
    }

    /// In a container all commands have the same, whatever they do: with another guard it is another
    /// container.
    fn guard_in_sandbox(&self, order: &mut Order) {
        let is_writable = self.config().sandbox.workspace_access == WorkspaceAccess::Rw;
        let Some(real) = order.whose.workspace.clone().filter(|_| is_writable) else { return };
        let mounted = Mounted { real: Some(real.clone()) };
        let seen = |path: PathBuf| mounted.in_container(path.to_str()?);
        let guards = self.repositories.guards(&real, &Bounds::SANDBOX);
        let held = &mut order.held_to;
        for path in guards.paths.into_iter().filter_map(seen) {
            if !held.nested.is_open(&path) {
                held.write_never.insert(path);
            }
        }
        for path in guards.closed.into_iter().filter_map(seen) {
            if !held.nested.is_away(&path) {
                held.write_never.insert(path.clone());
                order.nested.not_looked_at.push(path);
            }
        }
    }
}

/// What a command may write within closed folders, by itself: where the folder around it is not written, a
/// wall around that is none. A file that is written by its name stays open.
fn written_within(closed: &BTreeSet<PathBuf>, order: &Order) -> Vec<PathBuf> {
    let held = &order.held_to;
    let named = |path: &str| held.nested.is_open(path) && !Path::new(path).is_dir();
    let written = held.write.iter().filter(|path| !named(path));
    let real = written.filter_map(|path| Path::new(path).canonicalize().ok());
    real.filter(|path| path.ancestors().skip(1).any(|at| closed.contains(at))).collect()
}

/// Keeps a command from a path.
fn guard(path: PathBuf, order: &mut Order) {
    match path.to_str() {
        Some(text) => drop(order.held_to.write_never.insert(text.to_owned())),
        None => {
            // A wall needs something to stand around. If it cannot be made now, nobody else can make it.
            if path.ends_with(".git/hooks") {
                let _ = fs::create_dir(&path);
            }
            order.nested.unspelled.push(path);
        }
    }
}
