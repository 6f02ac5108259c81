//! Which paths a command must not write, and by which means it is kept from each: a mount for those that
//! exist, a watch for those that do not.

use std::path::PathBuf;

use super::confine::kernel::Namespaces;
use super::host::Host;
use super::profile::Profile;
use super::protected_paths::Protected;
use super::real::RealPaths;
use super::request::ExecRequest;
use super::sandbox::{Mounted, WorkspaceAccess};
use super::stat_cache::Question;

impl Host {
    /// The paths that a command must not write, and how it is kept from them.
    pub(super) fn protected_names(&self, request: &ExecRequest) -> Protected {
        let is_sandboxed = self.is_sandboxed(request);
        let (held, config) = (&request.held_to, self.config());
        let mounted = Mounted { real: request.owner.workspace.clone() };
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
        Protected {
            names: named.chain(request.nested.unspelled.iter().cloned()).collect(),
            write,
            by_mounts: is_sandboxed || self.namespaces() != Namespaces::None,
            ends: is_sandboxed || config.confinement != Profile::Off,
            makes_repository: held.nested.makes_repository,
        }
    }

    /// The existing paths that a command must not write. They are looked up now, because another command may
    /// have created some of them meanwhile.
    pub(super) fn protected(&self, request: &ExecRequest) -> Vec<PathBuf> {
        let named = request.held_to.write_never.iter().map(PathBuf::from);
        let asked = named.chain(request.nested.unspelled.iter().cloned()).collect();
        let lookup = self.stat_cache.lookup(Question::Real, asked, |probe, paths| {
            let mut real = RealPaths::of_now(probe);
            let mut found = Vec::new();
            for path in paths {
                // A name that is a link could be replaced, and its target written.
                found.extend(real.named(path).into_iter().chain(real.of(path)));
            }
            found.dedup();
            found
        });
        lookup.paths.clone()
    }
}
