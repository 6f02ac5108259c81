//! What is remembered of each run from call to call.

use std::collections::HashMap;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::loops::Guard;
use crate::fingerprint::Fingerprints;
use crate::tool::Caller;

/// How many runs are remembered. Beyond that those go whose last call was longest ago.
const RUNS: usize = 4_096;
/// How many go at once, so that looking for them is seldom.
const FORGOTTEN: usize = RUNS / 8;
/// The calls of a session that belong to no run are one as long as none is further from the one
/// before it, in milliseconds.
const PAUSE_MS: i64 = 60_000;

/// The runs of one runtime.
#[derive(Debug, Default)]
pub(crate) struct Runs(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    runs: HashMap<Key, Kept>,
    prints: Fingerprints,
    /// Counts the calls: what orders the runs by their last one.
    calls: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    tenant: String,
    /// False for a session that stands in for a run.
    is_run: bool,
    id: String,
}

#[derive(Debug)]
struct Kept {
    run: Arc<Run>,
    last: u64,
    last_ms: i64,
}

/// What is remembered of a run, or of a session where a call belongs to no run.
#[derive(Debug)]
pub(super) struct Run {
    /// False for a session.
    pub is_run: bool,
    /// What tells its calls and results apart.
    pub prints: Fingerprints,
    /// How many calls it has made.
    pub calls: AtomicU32,
    pub guard: Mutex<Guard>,
}

impl Run {
    /// Its loop breaker's memory.
    pub fn guard(&self) -> MutexGuard<'_, Guard> {
        self.guard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Runs {
    /// What is remembered of the caller's run, else of its session since it last paused. None for a
    /// caller with neither.
    pub(super) fn of(&self, caller: &Caller, now_ms: i64) -> Option<Arc<Run>> {
        let (is_run, id) = match (&caller.run, &caller.session) {
            (Some(run), _) => (true, run),
            (None, Some(session)) => (false, session),
            (None, None) => return None,
        };
        let key = Key { tenant: caller.tenant.clone(), is_run, id: id.clone() };
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        table.calls += 1;
        let last = table.calls;
        if let Some(kept) = table.runs.get_mut(&key)
            && (is_run || now_ms.saturating_sub(kept.last_ms) <= PAUSE_MS)
        {
            kept.last = last;
            kept.last_ms = now_ms;
            return Some(kept.run.clone());
        }
        if table.runs.len() >= RUNS {
            table.forget();
        }
        let (calls, guard) = (AtomicU32::new(0), Mutex::default());
        let run = Arc::new(Run { is_run, prints: table.prints, calls, guard });
        table.runs.insert(key, Kept { run: run.clone(), last, last_ms: now_ms });
        Some(run)
    }
}

impl Table {
    fn forget(&mut self) {
        let mut lasts: Vec<u64> = self.runs.values().map(|kept| kept.last).collect();
        let (_, &mut newest_to_go, _) = lasts.select_nth_unstable(FORGOTTEN - 1);
        self.runs.retain(|_, kept| kept.last > newest_to_go);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(tenant: &str, run: Option<&str>, session: Option<&str>) -> Caller {
        Caller {
            tenant: tenant.into(),
            run: run.map(str::to_owned),
            session: session.map(str::to_owned),
            ..Caller::default()
        }
    }

    #[test]
    fn a_run_goes_before_a_session_and_tenants_are_apart() {
        let runs = Runs::default();
        let of = |tenant, run, session| runs.of(&caller(tenant, run, session), 0).unwrap();
        let run = of("t", Some("x"), Some("s"));
        assert!(Arc::ptr_eq(&run, &of("t", Some("x"), Some("other"))));
        for (tenant, run_id, session) in [("t", None, Some("x")), ("u", Some("x"), None)] {
            assert!(!Arc::ptr_eq(&run, &of(tenant, run_id, session)));
        }
        assert!(run.is_run && !of("t", None, Some("x")).is_run);
        assert!(runs.of(&caller("t", None, None), 0).is_none());
    }

    #[test]
    fn of_too_many_runs_those_that_called_longest_ago_are_forgotten() {
        let runs = Runs::default();
        let of = |n: usize| runs.of(&caller("t", Some(&n.to_string()), None), 0).unwrap();
        let (first, second) = (of(0), of(1));
        for n in 2..RUNS {
            of(n);
        }
        assert!(Arc::ptr_eq(&first, &of(0)));
        of(RUNS);
        assert_eq!(runs.0.lock().unwrap().runs.len(), RUNS - FORGOTTEN + 1);
        assert!(Arc::ptr_eq(&first, &of(0)), "it called again");
        assert!(!Arc::ptr_eq(&second, &of(1)));
    }

    #[test]
    fn a_pause_parts_the_calls_of_a_session_but_not_those_of_a_run() {
        let runs = Runs::default();
        for (run, session, is_one) in [(Some("x"), None, true), (None, Some("x"), false)] {
            let of = |now_ms| runs.of(&caller("t", run, session), now_ms).unwrap();
            let first = of(0);
            assert!(Arc::ptr_eq(&first, &of(PAUSE_MS)));
            assert!(Arc::ptr_eq(&first, &of(2 * PAUSE_MS)));
            assert_eq!(Arc::ptr_eq(&first, &of(3 * PAUSE_MS + 1)), is_one);
        }
    }
}
