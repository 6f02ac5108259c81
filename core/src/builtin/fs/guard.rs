//! What stands between a tool and a file that it is to change: whether its version was read, and
//! whether somebody else has locked it.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::builtin::Deps;
use crate::error::Code;
use crate::files::{Files, LONGEST_TEXT, Locks, Principal, Verdict, VersionPrint, WriteSafety};
use crate::scrub::Scrubber;
use crate::tool::{CallContext, ToolError};
use crate::vault::{FileAt, Opener};
use crate::workspace::{Body, RelativePath, Standing, Workspace};

/// The largest file that is known by its content (16 MiB). A larger one is known by its size and
/// times.
pub(super) const KNOWN_BYTES: u64 = 16 << 20;

/// The guard of one call.
#[derive(Clone)]
pub(super) struct Guard {
    files: Files,
    principal: Principal,
    locks: Locks,
    runtime: tokio::runtime::Handle,
    scrubber: Scrubber,
    opener: Option<Arc<Opener>>,
    cancellation: CancellationToken,
}

/// A version of a file, and how it is shown if it is short.
pub(super) struct Known {
    print: VersionPrint,
    shown: Option<Arc<str>>,
}

impl Guard {
    /// To be called within the async runtime.
    pub(super) fn new(deps: &Deps, cx: &CallContext) -> Guard {
        Guard {
            files: deps.files.clone(),
            principal: Principal::of(cx.caller()),
            locks: deps.files.locks(cx),
            runtime: tokio::runtime::Handle::current(),
            scrubber: cx.scrubber(&deps.scrubbers),
            opener: cx.opener().cloned(),
            cancellation: cx.cancellation().clone(),
        }
    }

    fn is_off(&self) -> bool {
        self.files.write_safety() == WriteSafety::Off
    }

    /// What to note in the result of a change of what stands there, if anything.
    ///
    /// # Errors
    /// `conflict` if it must not be changed.
    pub(super) fn check(
        &self,
        workspace: &Workspace,
        path: &RelativePath,
        standing: &Standing,
    ) -> Result<Option<String>, ToolError> {
        if self.is_off() {
            return Ok(None);
        }
        let Some(verdict) = self.verdict(workspace, standing) else { return Ok(None) };
        let now = || standing.content().and_then(|content| self.shown(content));
        self.files.write_safety().check(path.as_written(), &verdict, now)
    }

    /// The same for a file of the store, with this content.
    pub(super) fn check_stored(
        &self,
        file: &FileAt,
        written: &str,
        content: &[u8],
    ) -> Result<Option<String>, ToolError> {
        if self.is_off() {
            return Ok(None);
        }
        let versions = self.files.read_versions();
        let verdict = versions.verdict(&self.principal, &stored_key(file), versions.print(content));
        self.files.write_safety().check(written, &verdict, || self.shown(content))
    }

    /// Notes that the caller knows a file of the store, because it was read or written.
    pub(super) fn knows_stored(&self, file: &FileAt, content: &[u8]) {
        if let Some(Known { print, shown }) = self.known(content) {
            self.files.read_versions().note(&self.principal, &stored_key(file), print, shown);
        }
    }

    /// True if the caller knows this content of a file of the store.
    pub(super) fn is_known_stored(&self, file: &FileAt, content: &[u8]) -> bool {
        let versions = self.files.read_versions();
        let verdict = versions.verdict(&self.principal, &stored_key(file), versions.print(content));
        !self.is_off() && verdict == Verdict::Current
    }

    /// Forgets a file of the store that is gone.
    pub(super) fn forget_stored(&self, file: &FileAt) {
        self.files.read_versions().forget(&self.principal, &stored_key(file));
    }

    /// Asks whether somebody else has locked the file, and whether the call still goes on, at the last
    /// moment before the file is changed, from a thread that may block.
    ///
    /// # Errors
    /// `conflict` if somebody else has locked the file; `cancelled` if the call was given up, or its
    /// time is over.
    pub(super) fn last(
        &self,
        workspace: &Workspace,
        path: &RelativePath,
        target: &Path,
    ) -> Result<(), ToolError> {
        self.locks.check_now(&self.runtime, path.as_written(), &place(workspace, target))?;
        self.check_going_on()
    }

    /// An error if the call was given up, or its time is over. Work on a thread that may block is ended
    /// by nothing else.
    ///
    /// # Errors
    /// `cancelled`
    pub(super) fn check_going_on(&self) -> Result<(), ToolError> {
        match self.cancellation.is_cancelled() {
            false => Ok(()),
            true => {
                Err(ToolError::new(Code::Cancelled, "Nothing was written: the call has ended."))
            }
        }
    }

    /// What tells this content of a file from others, to be noted once it stands there.
    pub(super) fn known(&self, content: &[u8]) -> Option<Known> {
        let known = || Known {
            print: self.files.read_versions().print(content),
            shown: self.shown(content),
        };
        (!self.is_off()).then(known)
    }

    /// The same of what stands there already.
    pub(super) fn known_standing(&self, standing: &Standing) -> Option<Known> {
        match standing.content() {
            Some(content) => self.known(content),
            None if self.is_off() => None,
            None => self.print(standing).map(|print| Known { print, shown: None }),
        }
    }

    /// Notes that the caller knows the file, because it was read or written.
    pub(super) fn knows(&self, workspace: &Workspace, target: &Path, known: Option<Known>) {
        if let Some(Known { print, shown }) = known {
            let place = place(workspace, target);
            self.files.read_versions().note(&self.principal, key(&place), print, shown);
        }
    }

    /// True if the caller knows what stands there, or nothing does.
    pub(super) fn is_known(&self, workspace: &Workspace, standing: &Standing) -> bool {
        match self.verdict(workspace, standing) {
            Some(verdict) => !self.is_off() && verdict == Verdict::Current,
            None => true,
        }
    }

    /// What the caller knows of what stands there; none if nothing does.
    fn verdict(&self, workspace: &Workspace, standing: &Standing) -> Option<Verdict> {
        let place = place(workspace, &standing.target);
        let of = |print| self.files.read_versions().verdict(&self.principal, key(&place), print);
        let verdict = of(self.print(standing)?);
        // Who read a large file knows it by its size and times, also where a writer holds it whole.
        let large = standing.content().is_some_and(|there| there.len() as u64 > KNOWN_BYTES);
        match standing.version().filter(|_| large && verdict != Verdict::Current) {
            Some(version) => Some(of(self.files.read_versions().print_of_large(&version))),
            None => Some(verdict),
        }
    }

    /// Forgets a file that is gone.
    pub(super) fn forget(&self, workspace: &Workspace, target: &Path) {
        self.files.read_versions().forget(&self.principal, key(&place(workspace, target)));
    }

    fn print(&self, standing: &Standing) -> Option<VersionPrint> {
        let versions = self.files.read_versions();
        match &standing.body {
            Body::Missing => None,
            Body::Whole(content) => Some(versions.print(content)),
            Body::Large(_) => standing.version().map(|version| versions.print_of_large(&version)),
        }
    }

    /// A content as it may be shown, to tell later what was changed. None for one that is too long
    /// to be kept.
    fn shown(&self, content: &[u8]) -> Option<Arc<str>> {
        let short = Some(content).filter(|content| content.len() <= LONGEST_TEXT)?;
        // Nearly all are text, and to check that takes a tenth of the time.
        let text = std::str::from_utf8(short)
            .map_or_else(|_| String::from_utf8_lossy(short), Cow::Borrowed);
        Some(match &self.opener {
            Some(opener) => opener.standing_scrubber(&self.scrubber).scrub(&text).into(),
            None => self.scrubber.scrub(&text).into(),
        })
    }
}

/// A file's absolute path, without links.
fn place(workspace: &Workspace, target: &Path) -> PathBuf {
    workspace.real_root().join(target)
}

/// Begins with no `/`, as the places of the machine do.
fn stored_key(file: &FileAt) -> Vec<u8> {
    [key(&file.root), b"\0", key(&file.path)].concat()
}

fn key(place: &Path) -> &[u8] {
    OsStr::as_bytes(place.as_os_str())
}
