//! What a command must not write: the names that mounts stand around, and those that are watched.

use std::path::PathBuf;

use super::confine::kernel::Namespaces;
use super::guarded::Guarded;
use super::host::Host;
use super::looks::Question;
use super::order::Order;
use super::profile::Profile;
use super::real::RealPaths;
use super::sandbox::{Mounted, WorkspaceAccess};

impl Host {
    /// What a command must not write, and how it is kept from it.
    pub(super) fn guarded_names(&self, order: &Order) -> Guarded {
        let is_sandboxed = self.is_sandboxed(order);
        let (held, config) = (&order.held_to, self.config());
        let mounted = Mounted { real: order.whose.workspace.clone() };
        let here = |path: &String| match is_sandboxed {
            true => mounted.on_host(path),
            false => Some(PathBuf::from(path)),
        };
        let write = match config.confinement {
            _ if is_sandboxed => {
                let is_writable = config.sandbox.workspace_access == WorkspaceAccess::Rw;
                mounted.real.clone().into_iter().filter(|_| is_writable).collect()
            }
            Profile::Off => vec![PathBuf::from("/")],
            Profile::ReadOnly if !held.by_owner => Vec::new(),
            _ => held.write.iter().map(PathBuf::from).collect(),
        };
        let named = held.write_never.iter().filter_map(here);
        Guarded {
            names: named.chain(order.nested.unspelled.iter().cloned()).collect(),
            write,
            by_mounts: is_sandboxed || self.namespaces() != Namespaces::None,
            ends: is_sandboxed || config.confinement != Profile::Off,
            makes_repository: held.nested.makes_repository,
        }
    }

    /// What may not be written of what is there. It is looked for now: another command may have made some
    /// of it meanwhile.
    pub(super) fn guarded(&self, order: &Order) -> Vec<PathBuf> {
        let named = order.held_to.write_never.iter().map(PathBuf::from);
        let asked = named.chain(order.nested.unspelled.iter().cloned()).collect();
        let answer = self.looks.answer(Question::Real, asked, |look, paths| {
            let mut real = RealPaths::of_now(look);
            let mut found = Vec::new();
            for path in paths {
                // A name that is a link could be made another, and what it leads to written.
                found.extend(real.named(path).into_iter().chain(real.of(path)));
            }
            found.dedup();
            found
        });
        answer.paths.clone()
    }
}
