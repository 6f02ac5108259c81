//! Which repositories within the workspace a command must leave as they are.

use std::path::{Path, PathBuf};

use super::confine::kernel::Namespaces;
use super::host::Host;
use super::order::Order;
use super::profile::Profile;
use super::sandbox::{Mounted, WorkspaceAccess};

impl Host {
    /// Adds what a command must not write in the repositories within the workspace, unless it was understood
    /// to; blocking. Where nothing can hold it to that, nothing is looked for.
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
        writes && !unseen.is_empty() && self.namespaces() != Namespaces::None
    }

    fn guard_on_host(&self, order: &mut Order) {
        let held = &mut order.held_to;
        for root in &held.nested.unseen_in {
            let root = Path::new(root);
            let touches =
                |path: &String| root.starts_with(path) || Path::new(path).starts_with(root);
            let Some(root) = root.canonicalize().ok().filter(|_| held.write.iter().any(touches))
            else {
                continue;
            };
            for path in self.repositories.guards(&root).paths {
                // A path that is no text cannot be said.
                let path = path.to_str().filter(|path| !held.nested.is_open(path));
                held.write_never.extend(path.map(str::to_owned));
            }
        }
    }

    /// In a container all commands have the same, whatever they do: with another guard it is another
    /// container.
    fn guard_in_sandbox(&self, order: &mut Order) {
        let is_writable = self.config().sandbox.workspace_access == WorkspaceAccess::Rw;
        let Some(real) = order.whose.workspace.clone().filter(|_| is_writable) else { return };
        let mounted = Mounted { real: Some(real.clone()) };
        let seen = |path: PathBuf| mounted.in_container(path.to_str()?);
        let held = &mut order.held_to;
        for path in self.repositories.guards(&real).paths.into_iter().filter_map(seen) {
            if !held.nested.is_open(&path) {
                held.write_never.insert(path);
            }
        }
    }
}
