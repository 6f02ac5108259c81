//! Keeps a command from the settings and hooks of the repositories inside the workspace.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::confine::kernel::Namespaces;
use super::host::Host;
use super::profile::Profile;
use super::repositories::Bounds;
use super::request::ExecRequest;
use super::sandbox::{Mounted, WorkspaceAccess};

impl Host {
    /// Adds the files in repositories within the workspace that a command must not write, unless the analysis
    /// found that it is to write them; blocking. If there are no mounts to enforce that, they are watched.
    pub(super) fn protect_repositories(&self, request: &mut ExecRequest) {
        if self.is_sandboxed(request) {
            self.protect_in_sandbox(request);
        } else if self.protects_files(request) {
            self.protect_on_host(request);
        }
    }

    fn protects_files(&self, request: &ExecRequest) -> bool {
        let writes = match self.config().confinement {
            Profile::Off => false,
            Profile::ReadOnly => request.held_to.by_owner,
            Profile::Workspace | Profile::WorkspaceNetwork => true,
        };
        let unseen = &request.held_to.nested.unseen_in;
        writes && !unseen.is_empty()
    }

    fn protect_on_host(&self, request: &mut ExecRequest) {
        for root in request.held_to.nested.unseen_in.clone() {
            let root = Path::new(&root);
            let touches =
                |path: &String| root.starts_with(path) || Path::new(path).starts_with(root);
            let Some(real) =
                root.canonicalize().ok().filter(|_| request.held_to.write.iter().any(touches))
            else {
                continue;
            };
            let guards = self.repositories.guards(&real, &Bounds::HOST);
            let held = &request.held_to.nested;
            let is_open = |path: &PathBuf| path.to_str().is_some_and(|path| held.is_open(path));
            let protected: Vec<PathBuf> =
                guards.paths.into_iter().filter(|path| !is_open(path)).collect();
            let is_away = |path: &PathBuf| path.to_str().is_some_and(|path| held.is_away(path));
            // A watch cannot close a folder in which anything may be done.
            let by_mounts = self.namespaces() != Namespaces::None;
            let closed = guards.closed.into_iter().filter(|path| by_mounts && !is_away(path));
            let closed: BTreeSet<PathBuf> = closed.collect();
            let within = written_within(&closed, request);
            let shown = closed.iter().map(|path| path.display().to_string());
            request.nested.not_looked_at.extend(shown);
            protected
                .into_iter()
                .chain(closed)
                .chain(within)
                .for_each(|path| protect(path, request));
        }
    }

    /// In a container all commands have the same protection, whatever they do: a container with other mounts is
    /// another container.
    fn protect_in_sandbox(&self, request: &mut ExecRequest) {
        let is_writable = self.config().sandbox.workspace_access == WorkspaceAccess::Rw;
        let Some(real) = request.owner.workspace.clone().filter(|_| is_writable) else { return };
        let mounted = Mounted { real: Some(real.clone()) };
        let seen = |path: PathBuf| mounted.in_container(path.to_str()?);
        let guards = self.repositories.guards(&real, &Bounds::SANDBOX);
        let held = &mut request.held_to;
        for path in guards.paths.into_iter().filter_map(seen) {
            if !held.nested.is_open(&path) {
                held.write_never.insert(path);
            }
        }
        for path in guards.closed.into_iter().filter_map(seen) {
            if !held.nested.is_away(&path) {
                held.write_never.insert(path.clone());
                request.nested.not_looked_at.push(path);
            }
        }
    }
}

/// The paths within closed folders that a command may write by themselves. A mount on a folder that is not
/// writable would not cover them. A file that the command writes by its name stays open.
fn written_within(closed: &BTreeSet<PathBuf>, request: &ExecRequest) -> Vec<PathBuf> {
    let held = &request.held_to;
    let named = |path: &str| held.nested.is_open(path) && !Path::new(path).is_dir();
    let written = held.write.iter().filter(|path| !named(path));
    let real = written.filter_map(|path| Path::new(path).canonicalize().ok());
    real.filter(|path| path.ancestors().skip(1).any(|at| closed.contains(at))).collect()
}

/// Adds a path that a command must not write.
fn protect(path: PathBuf, request: &mut ExecRequest) {
    match path.to_str() {
        Some(text) => drop(request.held_to.write_never.insert(text.to_owned())),
        None => {
            // A mount needs an existing folder. If it cannot be created now, nobody else can create it.
            if path.ends_with(".git/hooks") {
                let _ = fs::create_dir(&path);
            }
            request.nested.unspelled.push(path);
        }
    }
}
