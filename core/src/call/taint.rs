//! Gate: what a session has read, and what that means for what it may still do.
//!
//! A session that has read what strangers may have written, and private data, could be made to
//! carry the one to the other. Before a call that reaches out or destroys that is recorded, asked
//! about, or refused, as `policy.taint.mode` says. Calls without a session are not tracked.
//!
//! A command that reads files counts as the file tools do, and a file carries the marks of the session
//! that wrote it to those who read it: see [`files`].

mod files;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::json;

use super::AskReason;
use super::path::CallPath;
use super::policy::{Decided, upwards};
use super::state::{Call, Stop};
use crate::error::Code;
use crate::kind::Taint;
use crate::policy::TaintMode;
use crate::store;
use crate::tool::{Caller, Entry, ToolError, ToolResult};

pub(super) use files::{Watched, watch};

/// How many sessions' marks are remembered.
const SESSIONS: usize = 4_096;
/// How long a mark is taken to be in the store, in milliseconds: another process may clear it.
const KNOWN_MS: i64 = 5_000;

/// What a tool is to the taint rules.
#[derive(Clone, Copy, Debug)]
pub(super) struct Role {
    is_untrusted: bool,
    is_private: bool,
    pub is_guarded: bool,
    mode: TaintMode,
    /// True if what the file tools show is private.
    files_are_private: bool,
    /// True if the policy is only watched: what it would do is noted.
    is_watched: bool,
}

impl Role {
    /// As the policy that decided has it.
    pub(super) fn of(decided: &Decided, entry: &Entry) -> Role {
        let compiled = decided.compiled();
        Role {
            is_untrusted: compiled.is_untrusted(entry.id),
            is_private: compiled.is_private(entry.id),
            is_guarded: compiled.is_guarded(entry.id),
            mode: decided.policy().taint.mode,
            files_are_private: compiled
                .catalog()
                .id("read_file")
                .is_some_and(|id| compiled.is_private(id)),
            is_watched: decided.is_shadow(),
        }
    }

    /// True if a call goes on whatever the session has read.
    fn only_records(self) -> bool {
        self.is_watched || self.mode == TaintMode::Record
    }

    /// What the tool's results mark a session with.
    fn own_marks(self) -> impl Iterator<Item = Taint> {
        let untrusted = self.is_untrusted.then_some(Taint::Untrusted);
        untrusted.into_iter().chain(self.is_private.then_some(Taint::Private))
    }

    /// True if what the call gives may mark the session.
    pub(super) fn is_marking(self, watched: Option<&Watched>) -> bool {
        self.is_untrusted || self.is_private || watched.is_some()
    }
}

/// The marks that are in the store, as far as this process knows: of each session when the mark was
/// last written, and of files.
#[derive(Debug, Default)]
pub(crate) struct Marked {
    sessions: Mutex<HashMap<(String, String), Known>>,
    files: files::Remembered,
}

#[derive(Clone, Copy, Debug, Default)]
struct Known {
    untrusted_ms: Option<i64>,
    private_ms: Option<i64>,
}

impl Known {
    /// True if the mark was there a moment ago.
    fn has(self, mark: Taint, now_ms: i64) -> bool {
        let at_ms = match mark {
            Taint::Untrusted => self.untrusted_ms,
            Taint::Private => self.private_ms,
        };
        at_ms.is_some_and(|at_ms| (0..KNOWN_MS).contains(&now_ms.saturating_sub(at_ms)))
    }
}

impl Marked {
    fn table(&self) -> MutexGuard<'_, HashMap<(String, String), Known>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn of(&self, tenant: &str, session: &str) -> Known {
        self.table().get(&(tenant.to_owned(), session.to_owned())).copied().unwrap_or_default()
    }

    fn add(&self, tenant: &str, session: &str, marks: &[Taint], now_ms: i64) {
        let mut table = self.table();
        let key = (tenant.to_owned(), session.to_owned());
        if table.len() >= SESSIONS && !table.contains_key(&key) {
            // The store has them all.
            table.clear();
        }
        let known = table.entry(key).or_default();
        for mark in marks {
            match mark {
                Taint::Untrusted => known.untrusted_ms = Some(now_ms),
                Taint::Private => known.private_ms = Some(now_ms),
            }
        }
    }

    /// Forgets what is known of a session, whose marks were cleared.
    pub(crate) fn forget(&self, tenant: &str, session: &str) {
        self.table().remove(&(tenant.to_owned(), session.to_owned()));
    }
}

/// Before the tool runs: what the session has read already.
pub(super) async fn before(
    path: &CallPath,
    role: Role,
    watched: Option<&Watched>,
    call: &mut Call<'_>,
) -> Result<(), Stop> {
    let cx = call.cx;
    let Caller { tenant, session: Some(session), .. } = cx.caller() else { return Ok(()) };
    let (known, now_ms) = (path.reads.marked.of(tenant, session), path.clock.now_ms());
    // What the call itself reads it may carry on at once.
    let reads = watched.map_or(&[][..], |watched| &watched.found);
    let is_known = |mark| known.has(mark, now_ms) || reads.contains(&mark);
    let is_marked = is_known(Taint::Untrusted) && is_known(Taint::Private) || {
        let found = match path.store.get_marks(tenant, session).await {
            Err(error) if role.only_records() => {
                tracing::warn!(%error, "the marks of a session could not be read");
                return Ok(());
            }
            found => found?,
        };
        let has = |mark| is_known(mark) || found.iter().any(|found| found.mark == mark);
        has(Taint::Untrusted) && has(Taint::Private)
    };
    if !is_marked {
        return Ok(());
    }
    let (name, rule) = match role.mode {
        TaintMode::Record => ("record", "policy.taint.mode = \"record\""),
        TaintMode::Ask => ("ask", "policy.taint.mode = \"ask\""),
        TaintMode::Deny => ("deny", "policy.taint.mode = \"deny\""),
    };
    let note = json!({ "marks": ["private", "untrusted"], "mode": name });
    call.notes.insert("taint".into(), note);
    if role.only_records() {
        return Ok(());
    }
    match role.mode {
        TaintMode::Record => {}
        TaintMode::Ask => call.ask.push(AskReason {
            rule: rule.into(),
            why: "the session has read text that strangers may have written, and private data; \
                  this call could carry the one to the other"
                .into(),
        }),
        TaintMode::Deny => {
            let tool = call.tool.as_ref().map_or("", |tool| tool.spec.name.as_str());
            let text = format!(
                "`{tool}` is refused here: this session has read text that strangers may have \
                 written, and private data, so nothing may leave it or be destroyed. Go on without \
                 it, or tell the user what you would do; the owner can clear the session's marks."
            );
            let refusal = ToolError::new(Code::DeniedByPolicy, text).by_rule(rule);
            return Err(refusal.into());
        }
    }
    Ok(())
}

/// After the tool ran, before its result is given: what the session has read now. What an agent
/// read it may tell the one that started it, and so on up: their sessions have read it, too.
pub(super) async fn after(
    path: &CallPath,
    role: Role,
    caller: &Caller,
    watched: Option<Watched>,
    outcome: &Result<ToolResult, Stop>,
) -> Result<(), Stop> {
    let mut marks = Vec::new();
    if let Some(watched) = &watched
        && may_have_read(outcome)
    {
        marks.extend(&watched.found);
    }
    // The text of an error may be a stranger's, too.
    if role.is_untrusted {
        marks.push(Taint::Untrusted);
    }
    if role.is_private && may_have_read(outcome) {
        marks.push(Taint::Private);
    }
    let mut below = None;
    for caller in upwards(caller) {
        let session = caller.session.as_deref();
        if let Some(session) = session.filter(|_| session != below) {
            mark(path, role, &caller.tenant, session, marks.clone()).await?;
        }
        below = session.or(below);
    }
    match watched {
        Some(watched) => files::after(path, role, caller, watched, outcome).await,
        None => Ok(()),
    }
}

/// The marks of a session.
async fn session_marks(
    path: &CallPath,
    tenant: &str,
    session: &str,
) -> Result<Vec<Taint>, store::Error> {
    let (known, now_ms) = (path.reads.marked.of(tenant, session), path.clock.now_ms());
    let both = [Taint::Untrusted, Taint::Private];
    if both.iter().all(|mark| known.has(*mark, now_ms)) {
        return Ok(both.to_vec());
    }
    let found = path.store.get_marks(tenant, session).await?;
    Ok(found.into_iter().map(|found| found.mark).collect())
}

async fn mark(
    path: &CallPath,
    role: Role,
    tenant: &str,
    session: &str,
    mut marks: Vec<Taint>,
) -> Result<(), Stop> {
    let now_ms = path.clock.now_ms();
    let known = path.reads.marked.of(tenant, session);
    marks.retain(|mark| !known.has(*mark, now_ms));
    if marks.is_empty() {
        return Ok(());
    }
    match path.store.add_marks(tenant, session, &marks, now_ms).await {
        Ok(()) => path.reads.marked.add(tenant, session, &marks, now_ms),
        Err(error) if role.only_records() => {
            tracing::warn!(%error, "a session could not be marked");
        }
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

/// True if the tool may have told what it read: an error may quote it, unless it says that nothing
/// was read.
fn may_have_read(outcome: &Result<ToolResult, Stop>) -> bool {
    const NOTHING_READ: [Code; 4] =
        [Code::InvalidArguments, Code::NotFound, Code::AccessDenied, Code::Unavailable];
    match outcome {
        Ok(_) => true,
        Err(Stop::Refused(error)) => !NOTHING_READ.contains(&error.code),
        Err(Stop::Failed(_)) => false,
    }
}
