//! The last results of calls that only read.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Weak};

use super::journal::Journal;
use crate::fingerprint::Fingerprint;
use crate::kind::Resource;
use crate::tool::{CallContext, Caller, Tool, ToolResult};

/// Which call: of whom, in which run, and its digest. The rest of the caller is looked at when the
/// result is given.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub tenant: String,
    pub run: String,
    pub agent: Option<String>,
    pub session: Option<String>,
    pub call: Fingerprint,
}

/// What a reading depends on.
pub(super) struct Basis {
    tool: Weak<dyn Tool>,
    caller: Caller,
    reads: Vec<Resource>,
    /// The change before it began.
    since: u64,
    /// The state that it read, where the tool can tell.
    stamp: Option<String>,
}

impl Basis {
    pub fn new(
        tool: &Arc<dyn Tool>,
        cx: &CallContext,
        reads: Vec<Resource>,
        since: u64,
        stamp: Option<String>,
    ) -> Basis {
        Basis { tool: Arc::downgrade(tool), caller: cx.caller().clone(), reads, since, stamp }
    }

    /// True if what was read then is what would be read now.
    fn holds(&self, now: &Basis, journal: &Journal) -> bool {
        // A stamp shows by itself whether something was changed behind the journal's back.
        let is_settled = self.stamp.is_some() || !journal.is_unsettled(&self.reads);
        is_settled
            && self.tool.ptr_eq(&now.tool)
            && self.caller == now.caller
            && self.reads == now.reads
            && self.stamp == now.stamp
            && journal.holds(self.since, &self.reads)
    }
}

/// Results by their calls, the oldest of which go first.
#[derive(Default)]
pub(super) struct Cache {
    kept: HashMap<Key, Kept>,
    by_age: BTreeMap<u64, Key>,
    last: u64,
    bytes: usize,
}

struct Kept {
    result: ToolResult,
    basis: Basis,
    bytes: usize,
    age: u64,
}

impl Cache {
    /// The result of the same call, if what it read is as it was. One that no longer holds goes.
    pub fn get(&mut self, key: &Key, now: &Basis, journal: &Journal) -> Option<ToolResult> {
        if self.kept.get(key)?.basis.holds(now, journal) {
            return self.kept.get(key).map(|kept| kept.result.clone());
        }
        self.remove(key);
        None
    }

    pub fn put(&mut self, key: Key, result: ToolResult, basis: Basis, most: (usize, usize)) {
        self.remove(&key);
        let bytes = size(&result) + 512;
        let (most_entries, most_bytes) = most;
        if bytes > most_bytes || most_entries == 0 {
            return;
        }
        while self.kept.len() >= most_entries || self.bytes + bytes > most_bytes {
            let Some((_, oldest)) = self.by_age.pop_first() else { break };
            self.remove(&oldest);
        }
        self.last += 1;
        self.bytes += bytes;
        self.by_age.insert(self.last, key.clone());
        self.kept.insert(key, Kept { result, basis, bytes, age: self.last });
    }

    fn remove(&mut self, key: &Key) {
        if let Some(kept) = self.kept.remove(key) {
            self.bytes -= kept.bytes;
            self.by_age.remove(&kept.age);
        }
    }
}

fn size(result: &ToolResult) -> usize {
    let structured = result.structured.as_ref().map_or(0, |data| data.to_string().len());
    result.for_llm.len() + result.for_user.as_ref().map_or(0, String::len) + structured
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;
    use crate::fingerprint::Fingerprints;
    use crate::tool::tool_fn;

    static PRINTS: LazyLock<Fingerprints> = LazyLock::new(Fingerprints::default);

    fn key(call: u8) -> Key {
        let call = PRINTS.of(&[call]);
        Key { tenant: "t".into(), run: "r".into(), agent: None, session: None, call }
    }

    fn tool() -> Arc<dyn Tool> {
        Arc::new(tool_fn("t", |_: serde_json::Value, _| async { Ok(ToolResult::default()) }))
    }

    fn basis(tool: &Arc<dyn Tool>, stamp: Option<&str>) -> Basis {
        let reads = vec![Resource::Path("a".into())];
        Basis::new(tool, &CallContext::new(), reads, 0, stamp.map(str::to_owned))
    }

    #[test]
    fn the_oldest_go_when_there_are_too_many_or_too_large_ones() {
        let (tool, mut cache) = (tool(), Cache::default());
        let mut put = |call, text: usize| {
            let result = ToolResult::text("x".repeat(text));
            cache.put(key(call), result, basis(&tool, None), (3, 4_000));
            let kept = (1..=6).filter(|call| cache.kept.contains_key(&key(*call)));
            let kept: Vec<u8> = kept.collect();
            (kept, cache.bytes, cache.by_age.len())
        };
        put(1, 0);
        put(2, 0);
        put(1, 0);
        put(3, 0);
        assert_eq!(put(4, 0), (vec![1, 3, 4], 3 * 512, 3));
        assert_eq!(put(5, 3_000), (vec![5], 3_512, 1));
        assert_eq!(put(6, 4_000).0, vec![5]);
    }

    #[test]
    fn a_result_holds_for_the_same_tool_caller_and_state_only() {
        let (tool, other) = (tool(), tool());
        let mut journal = Journal::default();
        let found = |journal: &Journal, kept: Basis, now: Basis| {
            let mut cache = Cache::default();
            cache.put(key(1), ToolResult::text("x"), kept, (9, 9_999));
            let found = cache.get(&key(1), &now, journal);
            assert_eq!(cache.kept.len(), usize::from(found.is_some()));
            found.is_some()
        };
        let plain = || basis(&tool, None);
        assert!(found(&journal, plain(), plain()));
        assert!(!found(&journal, plain(), basis(&other, None)));
        assert!(!found(&journal, basis(&tool, Some("1")), basis(&tool, Some("2"))));
        let agent = Basis { caller: CallContext::new().agent("b").caller().clone(), ..plain() };
        assert!(!found(&journal, plain(), agent));
        journal.add(super::super::journal::Changes::Everything, false);
        let later = |stamp| Basis { since: 1, ..basis(&tool, stamp) };
        assert!(!found(&journal, later(None), later(None)), "it may be changing even now");
        assert!(found(&journal, later(Some("1")), later(Some("1"))));
    }
}
