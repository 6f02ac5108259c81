//! The mounts of a container: which part of the workspace it sees, where, and whether it may write it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bollard::models::{Mount, MountType};

use super::super::deny_globs::{self, Unresolved};
use super::super::hard_links;
use super::super::places;
use super::super::real::outermost;
use super::super::request::ExecRequest;
use super::super::sandbox::{Mounted, SandboxConfig, WORKSPACE, WorkspaceAccess};

/// The workspace, and over it what of it is closed.
///
/// # Errors
/// If that cannot be found out.
pub(super) fn mounts(
    sandbox: &SandboxConfig,
    request: &ExecRequest,
) -> Result<Vec<Mount>, Unresolved> {
    let Some(real) = request.owner.workspace.as_ref() else { return Ok(Vec::new()) };
    let held = &request.held_to;
    let is_writable = match sandbox.workspace_access {
        WorkspaceAccess::None => return Ok(Vec::new()),
        WorkspaceAccess::Ro => false,
        WorkspaceAccess::Rw => true,
    };
    // A program of an owner's writes what he lets it, and a command whatever is open to commands.
    // What nobody has looked through is closed to both, and that may be all of it.
    let closed = &request.nested.not_looked_at;
    let is_closed = |path: &str| closed.iter().any(|at| Path::new(path).starts_with(at));
    let read_only =
        !is_writable || is_closed(WORKSPACE) || (held.by_owner && !held.write.contains(WORKSPACE));
    let mounted = Mounted { real: Some(real.clone()) };
    // The target of a link is covered, if it lies in the workspace.
    let on_host = |path: &String| mounted.on_host(path).unwrap_or_else(|| path.into());
    let at = |path: PathBuf| {
        path.canonicalize().ok().filter(|path| path != real && path.starts_with(real))
    };
    let own = |path: &&String| read_only && is_writable && held.by_owner && !is_closed(path);
    let written = held.write.iter().filter(own);
    let written: Vec<PathBuf> = written.map(on_host).filter_map(at).collect();
    let protected: Vec<PathBuf> =
        held.write_never.iter().map(on_host).filter_map(at).filter(|_| is_writable).collect();
    let hidden = held.read_never.iter().filter(|path| !held.read.contains(*path));
    let hidden = deny_globs::expand(hidden.map(|entry| mounted.entry_on_host(entry)))?;
    let names = kept_by_all_names(&request.owner.kept, &protected, &hidden, real, is_writable)?;
    let protected: Vec<PathBuf> = protected.into_iter().chain(names).collect();
    // A service that listens in the workspace could do for a command what it may not do itself.
    let hidden = hidden.into_iter().chain(places::sockets());
    let hidden = outermost(hidden.filter_map(at).collect());
    // A folder that is a mount cannot be moved away together with what is closed in it.
    let above = |path: &'_ PathBuf| -> Vec<PathBuf> {
        let above = path.ancestors().skip(1).take_while(|path| *path != real.as_path());
        above.map(Path::to_owned).collect()
    };
    let around: Vec<PathBuf> = protected.iter().chain(&hidden).flat_map(above).collect();
    // Each place gets one mount, the last of several, so what is hidden stays hidden.
    let mut all: BTreeMap<String, Mount> = BTreeMap::new();
    let mut add = |path: &Path, kind: Cover| {
        let seen = path.to_str().and_then(|path| mounted.in_container(path));
        if let Some(seen) = seen {
            all.insert(seen.clone(), cover(path, seen, kind));
        }
    };
    add(real, if read_only { Cover::ReadOnly } else { Cover::Itself });
    let in_written = |path: &Path| !read_only || written.iter().any(|own| path.starts_with(own));
    around.iter().filter(|path| in_written(path)).for_each(|path| add(path, Cover::Itself));
    written.iter().for_each(|path| add(path, Cover::Itself));
    protected.iter().for_each(|path| add(path, Cover::ReadOnly));
    hidden.iter().for_each(|path| add(path, Cover::Nothing));
    Ok(all.into_values().collect())
}

/// The other names in the workspace of files that are not written there.
fn kept_by_all_names(
    kept: &[PathBuf],
    protected: &[PathBuf],
    hidden: &[PathBuf],
    real: &Path,
    is_writable: bool,
) -> Result<Vec<PathBuf>, Unresolved> {
    if !is_writable {
        return Ok(Vec::new());
    }
    let kept = kept.iter().chain(hidden).filter_map(|path| path.canonicalize().ok());
    let kept = kept.chain(protected.iter().cloned()).collect();
    Ok(hard_links::others(kept, &[real.to_owned()])?)
}

/// What of the workspace mounts stand around, on this machine.
pub(super) fn covered(mounts: &[Mount], request: &ExecRequest) -> Vec<PathBuf> {
    let mounted = Mounted { real: request.owner.workspace.clone() };
    let targets = mounts.iter().filter_map(|mount| mount.target.as_deref());
    let within = targets.filter(|target| *target != WORKSPACE);
    within.filter_map(|target| mounted.on_host(target)).collect()
}

/// What stands at a place of a container.
#[derive(Clone, Copy)]
enum Cover {
    Itself,
    ReadOnly,
    Nothing,
}

fn cover(path: &Path, seen: String, kind: Cover) -> Mount {
    let bind = |source: String, read_only| Mount {
        typ: Some(MountType::BIND),
        source: Some(source),
        target: Some(seen.clone()),
        read_only: Some(read_only),
        ..Mount::default()
    };
    match kind {
        Cover::Itself => bind(path.display().to_string(), false),
        Cover::ReadOnly => bind(path.display().to_string(), true),
        Cover::Nothing if path.is_dir() => Mount {
            typ: Some(MountType::TMPFS),
            target: Some(seen),
            read_only: Some(true),
            ..Mount::default()
        },
        Cover::Nothing => bind("/dev/null".into(), true),
    }
}
