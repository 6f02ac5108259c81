//! Which memory files an index has yet to read.
//!
//! The queue is the store's own event log: each write of a document and its event are one transaction. So
//! a memory that was kept is queued and one that was not is not, whichever process wrote it and wherever
//! it was killed. An index stores the cursor up to which it has read, together with its own data. Events
//! may be pruned before an index that was away for long has read them. It then gets an error that says so, and compares
//! the hashes of all documents with those that it has.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FilesConfig;
use super::virtual_name::VirtualName;
use crate::event::Event;
use crate::store::{Error, Store};

/// How many events are read at once.
const PAGE: u32 = 1_000;
/// How many pages are looked through for one answer.
const MOST_PAGES: usize = 20;

/// A memory file that has to be indexed anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QueuedMemory {
    /// Its agent.
    pub agent: String,
    /// Its user; none: it is the agent's, for all users.
    pub user: Option<String>,
    /// Its path: `MEMORY.md`, `memory/people.md`.
    pub path: String,
    /// True if it was deleted: the index has to forget it.
    pub deleted: bool,
    /// The place of its last change.
    pub seq: i64,
}

/// The changes to index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryQueue {
    /// Each file once, in order of its last change.
    pub queued: Vec<QueuedMemory>,
    /// Where to go on, once these are indexed.
    pub next: i64,
    /// True if there are more already.
    pub more: bool,
    /// True if changes after `after` were pruned before they were read: then compare all documents
    /// with the index.
    pub missed: bool,
}

/// What was changed after a place of the tenant's events, at most `limit` changes of it.
pub(crate) async fn queued(
    store: &dyn Store,
    tenant: &str,
    (after, limit): (i64, u32),
) -> Result<MemoryQueue, Error> {
    let mut queue = MemoryQueue { next: after, ..MemoryQueue::default() };
    let mut taken = 0;
    for page in 0..MOST_PAGES {
        let events = store.read_events(tenant, queue.next, PAGE).await?;
        let Some(first) = events.first() else {
            queue.more = false;
            if page == 0 {
                queue.missed = store.last_event_seq(tenant).await? > after;
            }
            return Ok(queue);
        };
        queue.missed |= page == 0 && first.seq > after + 1;
        queue.more = true;
        for event in &events {
            if taken == limit {
                return Ok(queue);
            }
            queue.next = event.seq;
            if let Some(memory) = QueuedMemory::of(event) {
                taken += 1;
                queue.queued.retain(|other| !memory.is_of_same(other));
                queue.queued.push(memory);
            }
        }
    }
    Ok(queue)
}

impl QueuedMemory {
    /// What an event asks an index to take in.
    fn of(event: &Event) -> Option<QueuedMemory> {
        let deleted = match event.kind.as_str() {
            "document.changed" => false,
            "document.deleted" => true,
            _ => return None,
        };
        let path = event.data["path"].as_str().filter(|path| is_indexed(path))?.to_owned();
        let user = event.data["user"].as_str().map(str::to_owned);
        Some(QueuedMemory { agent: event.subject.clone(), user, path, deleted, seq: event.seq })
    }

    fn is_of_same(&self, other: &QueuedMemory) -> bool {
        (&self.agent, &self.user, &self.path) == (&other.agent, &other.user, &other.path)
    }
}

/// True for the key of a memory file whose text is found by searching.
fn is_indexed(path: &str) -> bool {
    let config = FilesConfig { context_files: Vec::new(), memory: true, ..FilesConfig::default() };
    let is_markdown = Path::new(path).extension().is_some_and(|end| end.eq_ignore_ascii_case("md"));
    let name = VirtualName::of(Path::new(path), false, &config);
    is_markdown && matches!(name, Some(VirtualName::Memory(key)) if key == path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_of_the_memory_is_indexed_under_its_one_key() {
        for path in ["MEMORY.md", "memory/a.md", "memory/people/mark.MD"] {
            assert!(is_indexed(path), "{path}");
        }
        for path in ["memory.md", "memory/a.txt", "memory", "notes/a.md", "Memory/a.md", "SOUL.md"]
        {
            assert!(!is_indexed(path), "{path}");
        }
    }
}
