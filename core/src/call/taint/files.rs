//! What a call reads that a marked session wrote, and what it writes for others to read.
//!
//! Before the call the marks of all files that it may read are looked up, and what it is known to
//! write is marked. After it the files are marked by their identity, and those besides that a
//! command has changed.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::super::path::CallPath;
use super::super::state::{Call, Judged, Stop};
use super::{KNOWN_MS, Role, session_marks};
use crate::commands::FileUses;
use crate::files::{MarkedFiles, Used, changed_keys, folder_key, path_key, written_keys};
use crate::kind::{Effect, Resource, Taint};
use crate::store;
use crate::tool::{Caller, ToolResult};

/// How many tenants' marks of files are remembered.
const TENANTS: usize = 64;
/// How many keys of files a tenant has at most. Beyond that all files are marked.
const MOST_KEYS: usize = 10_000;

/// The marks of files that are in the store, as far as this process knows.
#[derive(Debug, Default)]
pub(super) struct Remembered(Mutex<HashMap<String, (i64, Arc<MarkedFiles>)>>);

impl Remembered {
    fn table(&self) -> MutexGuard<'_, HashMap<String, (i64, Arc<MarkedFiles>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn of(&self, path: &CallPath, tenant: &str) -> Result<Arc<MarkedFiles>, store::Error> {
        let now_ms = path.clock.now_ms();
        let is_fresh = |at_ms: i64| (0..KNOWN_MS).contains(&now_ms.saturating_sub(at_ms));
        if let Some((at_ms, marked)) = self.table().get(tenant)
            && is_fresh(*at_ms)
        {
            return Ok(marked.clone());
        }
        let marked = Arc::new(MarkedFiles::new(path.store.list_file_marks(tenant).await?));
        let mut table = self.table();
        if table.len() >= TENANTS {
            table.clear();
        }
        table.insert(tenant.to_owned(), (now_ms, marked.clone()));
        Ok(marked)
    }

    fn forget(&self, tenant: &str) {
        self.table().remove(tenant);
    }
}

/// What a call does with files, and what that means for its session.
pub(in super::super) struct Watched {
    uses: FileUses,
    /// What those who wrote the files had read that it may read.
    pub(super) found: Vec<Taint>,
    /// What the files that it writes are marked with.
    carried: Vec<Taint>,
    began: SystemTime,
}

/// What a call with a session does with files; none if it does nothing with them. Marks what it is
/// known to write.
pub(in super::super) async fn watch(
    path: &CallPath,
    role: Role,
    judged: &Judged,
    call: &Call<'_>,
) -> Result<Option<Watched>, Stop> {
    let caller = call.cx.caller();
    let Some(session) = caller.session.as_deref() else { return Ok(None) };
    let touches = &judged.assessment.touches;
    let is_path = |(_, resource): &(Effect, Resource)| matches!(resource, Resource::Path(_));
    if judged.command.is_none() && !touches.iter().any(is_path) {
        return Ok(None);
    }
    match looked_up(path, role, judged, (call, session)).await {
        Ok(watched) => Ok(watched),
        Err(error) if role.only_records() => {
            tracing::warn!(%error, "the marks of files could not be read or written");
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

async fn looked_up(
    path: &CallPath,
    role: Role,
    judged: &Judged,
    (call, session): (&Call<'_>, &str),
) -> Result<Option<Watched>, store::Error> {
    let caller = call.cx.caller();
    let marked = path.reads.marked.files.of(path, &caller.tenant).await?;
    let has_command = judged.command.is_some();
    let writes = |(effect, _): &(Effect, Resource)| *effect == Effect::Write;
    let mut carried: Vec<Taint> = role.own_marks().collect();
    if has_command || judged.assessment.touches.iter().any(writes) {
        carried.extend(session_marks(path, &caller.tenant, session).await?);
    }
    // What each reader of files is marked with anyway needs no row.
    let is_carried = |mark: &Taint| *mark != Taint::Private || !role.files_are_private;
    carried.retain(is_carried);
    if !has_command && marked.is_empty() && carried.is_empty() {
        return Ok(None);
    }
    let uses = uses(path, judged, call).await;
    let mut found = Vec::new();
    if uses.shows && role.files_are_private {
        found.push(Taint::Private);
    }
    if !marked.is_empty() && !uses.reads.is_empty() {
        found.extend(marks_of(path, caller, marked, &uses).await);
    }
    carried.extend(found.iter().copied().filter(is_carried));
    carried.sort_unstable_by_key(|mark| *mark as u8);
    carried.dedup();
    if uses.writes.is_empty() && !uses.may_write_more {
        carried.clear();
    }
    let watched = Watched { uses, found, carried, began: SystemTime::now() };
    if !watched.carried.is_empty() {
        let writes = watched.uses.writes.iter();
        let mut keys: Vec<String> = writes.map(|file| path_key(file)).collect();
        keys.extend(store_keys(path, caller, &watched.uses));
        mark(path, &caller.tenant, &watched, keys).await?;
    }
    Ok(Some(watched))
}

/// The marks of what a call may read. Looks at the disk.
async fn marks_of(
    path: &CallPath,
    caller: &Caller,
    marked: Arc<MarkedFiles>,
    uses: &FileUses,
) -> Vec<Taint> {
    let home = uses.folders.first();
    let files = path.shell.commands.files();
    let keyed = |used: &Used| {
        let key = home.and_then(|home| files.store_key(caller, home, used));
        (used.clone(), key)
    };
    let reads: Vec<(Used, Option<String>)> = uses.reads.iter().map(keyed).collect();
    let looking = tokio::task::spawn_blocking(move || {
        reads.iter().flat_map(|(used, key)| marked.of(used, key.as_deref())).collect()
    });
    // Where it could not be looked at, it may be anything.
    looking.await.unwrap_or_else(|_| vec![Taint::Untrusted, Taint::Private])
}

/// The keys of the memory and context files that a call writes.
fn store_keys<'u>(
    path: &'u CallPath,
    caller: &'u Caller,
    uses: &'u FileUses,
) -> impl Iterator<Item = String> + 'u {
    let files = path.shell.commands.files();
    uses.writes.iter().filter_map(move |file| {
        let used = Used { path: file.clone(), below: false };
        let key = files.store_key(caller, uses.folders.first()?, &used)?;
        (!key.ends_with(":.")).then_some(key)
    })
}

/// What a call does with files, as its tool declares it and as its command was understood.
async fn uses(path: &CallPath, judged: &Judged, call: &Call<'_>) -> FileUses {
    let (commands, cx) = (path.shell.commands.clone(), call.cx.clone());
    let (command, touches) = (judged.command.clone(), judged.assessment.touches.clone());
    let finding = tokio::task::spawn_blocking(move || {
        let mut uses = FileUses::default();
        let Some(places) = commands.folders(&cx) else { return uses };
        let folders = places.workspace.iter().chain(&places.writable).chain(&places.readable);
        for folder in folders.map(|folder| Path::new(folder).to_owned()) {
            if !uses.folders.contains(&folder) {
                uses.folders.push(folder);
            }
        }
        let Some(home) = uses.folders.first().cloned() else { return uses };
        for (effect, resource) in touches {
            let Resource::Path(file) = resource else { continue };
            let is_all = file == ".";
            let file = if is_all { home.clone() } else { home.join(file) };
            match effect {
                Effect::Write if is_all => uses.may_write_more = true,
                Effect::Write => uses.writes.push(file.clone()),
                Effect::Read => {}
            }
            // An error of a write may show what was there.
            uses.reads.push(Used { path: file, below: is_all });
        }
        if let Some(command) = command {
            commands.add_uses(&cx, &command, &mut uses);
        }
        uses
    });
    finding.await.unwrap_or_default()
}

/// After the call: marks what it has written.
pub(super) async fn after(
    path: &CallPath,
    role: Role,
    caller: &Caller,
    watched: Watched,
    outcome: &Result<ToolResult, Stop>,
) -> Result<(), Stop> {
    if watched.carried.is_empty() {
        return Ok(());
    }
    let goes_on = outcome.as_ref().is_ok_and(|result| result.is_async);
    let FileUses { writes, folders, may_write_more, .. } = watched.uses.clone();
    let began = watched.began;
    let looking = tokio::task::spawn_blocking(move || {
        let mut keys = written_keys(&writes);
        match may_write_more {
            // What it writes later, nobody looks at.
            true if goes_on => keys.extend(folders.iter().map(|folder| folder_key(folder))),
            true => keys.extend(changed_keys(&folders, began)),
            false => {}
        }
        keys
    });
    let keys = match looking.await {
        Ok(keys) => keys,
        Err(_) => watched.uses.folders.iter().map(|folder| folder_key(folder)).collect(),
    };
    match mark(path, &caller.tenant, &watched, keys).await {
        Ok(()) => Ok(()),
        Err(error) if role.only_records() => {
            tracing::warn!(%error, "files could not be marked");
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

async fn mark(
    path: &CallPath,
    tenant: &str,
    watched: &Watched,
    mut keys: Vec<String>,
) -> Result<(), store::Error> {
    if keys.is_empty() {
        return Ok(());
    }
    let marked = path.reads.marked.files.of(path, tenant).await?;
    if marked.len() + keys.len() > MOST_KEYS {
        keys = vec![folder_key(Path::new("/"))];
    }
    let now_ms = path.clock.now_ms();
    path.store.add_file_marks(tenant, &keys, &watched.carried, now_ms).await?;
    path.reads.marked.files.forget(tenant);
    path.upkeep.after_writing(std::iter::once(tenant), keys.len());
    Ok(())
}
