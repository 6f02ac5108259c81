//! Path locks of the file tools: who may write which files for now.
//!
//! All of a tenant's locks on files of machines are in one space, by absolute path. So a folder is the
//! same by whatever root, link or spelling it is reached. The store is asked at each write, when only the
//! rename is left, and its answer is not cached, so a lock that another process took holds at once. That
//! costs one read of the store, which is little beside the disk sync before it. A memory store reads
//! nothing until there has been a lock.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::OnDisk;
use super::principal::Principal;
use crate::clock::Clock;
use crate::error::Code;
use crate::store::{Kind, MOST_PATTERNS, NewPathLock, PathClaim, PathConflict, PathLock, Store};
use crate::tool::{CallContext, ToolError};
use crate::workspace::{Error, Roots};

/// The space of all locks that the file tools take.
pub(crate) const SPACE: &str = "files";

/// How long a write waits for the store at the last moment.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// The characters that mean something in a pattern.
const SPECIAL: [char; 7] = ['*', '?', '[', ']', '{', '}', '\\'];

/// The path locks as one caller sees them.
#[derive(Clone)]
pub(crate) struct Locks {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    principal: Principal,
}

impl Locks {
    pub(crate) fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, cx: &CallContext) -> Locks {
        Locks { store, clock, principal: Principal::of(cx.caller()) }
    }

    /// An error if somebody else holds a lock that covers the file at this absolute path without
    /// links. `path` is how the model wrote it.
    ///
    /// # Errors
    /// `conflict` that names the holder and the lock's end; for the host, what the store answers
    /// instead.
    pub(crate) async fn check(&self, path: &str, place: &Path) -> Result<(), ToolError> {
        // A name that is no UTF-8 cannot be locked.
        let Some(place) = place.to_str() else { return Ok(()) };
        let relative = place.trim_start_matches('/');
        if relative.is_empty() {
            return Ok(());
        }
        let now_ms = self.clock.now_ms();
        let found = self.store.path_lock_of(&self.principal.tenant, SPACE, relative, now_ms).await;
        match found.map_err(ToolError::raise)? {
            Some(lock) if lock.holder != self.principal.holder() => Err(self.refusal(path, &lock)),
            _ => Ok(()),
        }
    }

    /// Asks the same from a thread that may block. It waits at most ten seconds, so that a file's
    /// lock is never held for a store that does not answer.
    ///
    /// # Errors
    /// As [`Locks::check`], and `store_locked` if there is no answer in time.
    pub(crate) fn check_now(
        &self,
        runtime: &Handle,
        path: &str,
        place: &Path,
    ) -> Result<(), ToolError> {
        let wait = async { timeout(LONGEST_WAIT, self.check(path, place)).await };
        runtime.block_on(wait).unwrap_or_else(|_| {
            let text = "Nothing was written: the store, which knows who has locked the file, did \
                        not answer in time. Try again.";
            Err(ToolError::new(Code::StoreLocked, text))
        })
    }

    /// Takes or renews a lock on all patterns, which are absolute without their first `/`.
    ///
    /// # Errors
    /// What the store says of a pattern that is none, or of too many locks; it quotes the pattern as
    /// it is here. For the host, what the store answers instead.
    pub(crate) async fn take(
        &self,
        patterns: Vec<String>,
        ttl_ms: i64,
    ) -> Result<PathClaim, ToolError> {
        let (tenant, space) = (self.principal.tenant.clone(), SPACE.to_owned());
        let lock = NewPathLock { tenant, space, patterns, holder: self.principal.holder(), ttl_ms };
        let claim = self.store.lock_paths(lock, self.clock.now_ms()).await;
        claim.map_err(|error| match error.kind() {
            // The whole message names the store, which is the host's.
            Kind::InvalidArgument => ToolError::new(Code::InvalidArguments, error.message()),
            Kind::Conflict => ToolError::new(Code::Conflict, error.message()),
            _ => ToolError::raise(error),
        })
    }

    /// Releases a lock. False if the caller does not hold it any more.
    pub(crate) async fn give_back(&self, id: &str, epoch: i64) -> Result<bool, ToolError> {
        let fence = PathLock::fence_of(SPACE, id, epoch);
        let holder = self.principal.holder();
        let now_ms = self.clock.now_ms();
        let done = self.store.unlock_paths(&self.principal.tenant, &fence, &holder, now_ms).await;
        done.map_err(ToolError::raise)
    }

    fn refusal(&self, path: &str, lock: &PathLock) -> ToolError {
        let text = format!(
            "`{path}` is unchanged: {} has locked it until {}. Work on other files, or try again \
             then.",
            self.principal.shown(&lock.holder),
            self.until(lock)
        );
        let left = lock.expires_at_ms - self.clock.now_ms();
        ToolError::new(Code::Conflict, text).retry_after(u64::try_from(left).unwrap_or(0))
    }

    /// The refusal of a lock, where `asked` is the pattern as the model wrote it. The pattern in the
    /// way may be of a folder that the model does not know.
    pub(crate) fn in_the_way(&self, asked: &str, conflict: &PathConflict) -> ToolError {
        let lock = &conflict.lock;
        let costly = match conflict.too_costly {
            true => {
                " It would cost too much to tell whether the patterns overlap; write simpler ones."
            }
            false => "",
        };
        let text = format!(
            "Nothing was locked: {} has locked paths that `{asked}` may match, until {}. Lock other \
             paths, or try again then.{costly}",
            self.principal.shown(&lock.holder),
            self.until(lock)
        );
        let left = lock.expires_at_ms - self.clock.now_ms();
        ToolError::new(Code::Conflict, text).retry_after(u64::try_from(left).unwrap_or(0))
    }

    /// When a lock ends: the time, and how many seconds are left.
    pub(crate) fn until(&self, lock: &PathLock) -> String {
        let left = (lock.expires_at_ms - self.clock.now_ms()).max(0);
        let time = Timestamp::from_millisecond(lock.expires_at_ms);
        let time = time.map_or_else(|_| "an unknown time".to_owned(), |time| time.to_string());
        format!("{time} (in {} s)", (left + 999) / 1000)
    }
}

/// A pattern of the model as one of absolute paths without the first `/`. The folders that it
/// begins with are followed through links, as they are when a file is written; of what is kept in the
/// store `stored` gives the one spelling, and whether it is a folder. One that is an existing folder
/// stands for all that is in it.
///
/// # Errors
/// `access_denied` for one that leads outside of the workspace, `invalid_arguments` for one that
/// names nothing.
pub(super) fn absolute_pattern(
    roots: &Roots,
    glob: &str,
    stored: &dyn Fn(&OnDisk) -> Option<(PathBuf, bool)>,
) -> Result<String, ToolError> {
    let invalid = |why: &str| {
        let text = format!("Nothing was locked: the glob `{glob}` {why}.");
        ToolError::new(Code::InvalidArguments, text)
    };
    let names_folder = glob.ends_with('/');
    let glob = glob.trim_end_matches('/');
    let mut literal: Vec<&str> = glob.split('/').collect();
    let special = literal.iter().position(|part| part.contains(SPECIAL));
    let rest = special.map(|at| literal.split_off(at)).unwrap_or_default();
    if rest.iter().any(|part| matches!(*part, "." | ".." | "")) {
        return Err(invalid("has `.`, `..` or `//` after a wildcard; leave it out"));
    }
    let beginning = match literal.join("/") {
        empty if empty.is_empty() && glob.starts_with('/') => "/".to_owned(),
        empty if empty.is_empty() => ".".to_owned(),
        beginning => beginning,
    };
    let (workspace, path) = roots.place(&beginning)?;
    let at = OnDisk { workspace, path };
    let stored = stored(&at);
    let OnDisk { workspace, path: beginning } = at;
    let (target, is_stored_folder) = match stored {
        Some(stored) => stored,
        None => (workspace.target(&beginning)?, false),
    };
    let place = workspace.real_root().join(target);
    let mut pattern = escaped(&place).ok_or_else(|| invalid("has a name that is no text"))?;
    if rest.is_empty() {
        let is_folder = match workspace.standing(&beginning, 0) {
            Err(Error::IsFolder { .. }) => true,
            Err(error) if error.code() == Code::AccessDenied => return Err(error.into()),
            _ => names_folder || is_stored_folder,
        };
        if is_folder {
            pattern.push_str("/**");
        }
    } else {
        pattern.push('/');
        pattern.push_str(&rest.join("/"));
    }
    Ok(pattern)
}

/// An absolute path as a pattern that matches it alone, without the first `/`.
fn escaped(place: &Path) -> Option<String> {
    let names = place.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name),
        _ => None,
    });
    let mut pattern = String::new();
    for name in names {
        if !pattern.is_empty() {
            pattern.push('/');
        }
        for character in name.to_str()?.chars() {
            if SPECIAL.contains(&character) {
                pattern.push('\\');
            }
            pattern.push(character);
        }
    }
    Some(pattern)
}

/// An error if there are no globs, or too many for one lock.
pub(crate) fn check_count(globs: usize) -> Result<(), ToolError> {
    if (1..=MOST_PATTERNS).contains(&globs) {
        return Ok(());
    }
    let text = format!(
        "Nothing was locked: `globs` has {globs} of them; give 1 to {MOST_PATTERNS}, such as \
         `src/**`."
    );
    Err(ToolError::new(Code::InvalidArguments, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::{Limits, Root, Workspace};

    #[test]
    fn a_pattern_is_the_same_by_every_root_and_link() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path().canonicalize().unwrap();
        std::fs::create_dir_all(base.join("ws/src/deep")).unwrap();
        std::os::unix::fs::symlink("src", base.join("ws/link")).unwrap();
        std::fs::create_dir(base.join("team")).unwrap();
        let root = |path: &str| Root::new(Workspace::open(&base.join(path)).unwrap(), false);
        let workspace = Roots::new(root("ws"), vec![root("team")], Limits::default());
        let below = Roots::new(root("ws/src"), Vec::new(), Limits::default());
        let absolute = |roots: &Roots, glob: &str| {
            let pattern = absolute_pattern(roots, glob, &|_| None).unwrap();
            let base = base.to_str().unwrap().trim_start_matches('/');
            pattern.strip_prefix(base).unwrap().to_owned()
        };
        for glob in ["src/*.rs", "./src/*.rs", "link/*.rs"] {
            assert_eq!(absolute(&workspace, glob), "/ws/src/*.rs");
        }
        assert_eq!(absolute(&below, "*.rs"), "/ws/src/*.rs");
        assert_eq!(absolute(&workspace, "src"), "/ws/src/**");
        assert_eq!(absolute(&workspace, "new/"), "/ws/new/**");
        assert_eq!(absolute(&workspace, "."), "/ws/**");
        assert_eq!(absolute(&workspace, "**"), "/ws/**");
        assert_eq!(absolute(&workspace, "src/a.rs"), "/ws/src/a.rs");
        let in_team = base.join("team/*.md");
        assert_eq!(absolute(&workspace, in_team.to_str().unwrap()), "/team/*.md");
        for glob in ["../x", "/etc/*", "src/../../x/*", "*/../x", "/**"] {
            assert!(absolute_pattern(&workspace, glob, &|_| None).is_err(), "{glob}");
        }
    }

    #[test]
    fn what_is_special_in_a_folders_name_stands_for_itself() {
        assert_eq!(escaped(Path::new("/a [1]/b*")).unwrap(), "a \\[1\\]/b\\*");
    }
}
