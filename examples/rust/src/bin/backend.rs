//! A third backend, tiny: rate windows in a map. It claims one domain, and passes its suite.
//!
//! A whole store implements every domain and runs `suite::run`; one that is being built runs the
//! domains that it has.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::{Mutex, PoisonError};

use toolkeep::id::check_key;
use toolkeep::store::{self, Kind, RateBuckets, StoreFuture, Taken, suite};

/// The times of the calls that were allowed, with the end of their window, by tenant and key.
#[derive(Default)]
struct Windows(Mutex<BTreeMap<(String, String), Vec<Call>>>);

struct Call {
    at_ms: i64,
    expires_at_ms: i64,
}

/// How late a call may be counted after one that began later, in milliseconds.
const LATE_MS: i64 = 60_000;

fn invalid(message: impl Into<String>) -> store::Error {
    store::Error::new(Kind::InvalidArgument, "windows:", message)
}

impl Windows {
    fn take(
        &self,
        (tenant, key): (&str, &str),
        max: u32,
        window_ms: i64,
        now_ms: i64,
    ) -> Result<Taken, store::Error> {
        for (field, value) in [("tenant", tenant), ("key", key)] {
            check_key(field, value).map_err(|error| invalid(error.message()))?;
        }
        if window_ms <= 0 {
            return Err(invalid(format!("`window_ms` is {window_ms}; give at least 1")));
        }
        let mut windows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let calls = windows.entry((tenant.into(), key.into())).or_default();
        // A call that is counted late still sees those of its own window.
        calls.retain(|call| call.expires_at_ms > now_ms.saturating_sub(LATE_MS));
        // A window of another length counts those that lie in it.
        let (begins, ends) = (now_ms.saturating_sub(window_ms), now_ms.saturating_add(window_ms));
        let within = |call: &&Call| call.at_ms > begins && call.at_ms < ends;
        let mut counted: Vec<i64> = calls.iter().filter(within).map(|call| call.at_ms).collect();
        counted.sort_unstable();
        let (used, max) = (counted.len(), max as usize);
        let allowed = used < max;
        let mut retry_after_ms = 0;
        if allowed {
            calls.push(Call { at_ms: now_ms, expires_at_ms: ends });
        } else {
            // There is room when the oldest of the `max` newest calls leaves the window.
            let fills = used.checked_sub(max).and_then(|place| counted.get(place));
            let free_at = fills.copied().unwrap_or(now_ms).saturating_add(window_ms);
            retry_after_ms = free_at.saturating_sub(now_ms).max(1);
        }
        let used = (used + usize::from(allowed)) as u32;
        Ok(Taken { allowed, used, retry_after_ms })
    }
}

impl RateBuckets for Windows {
    fn take_rate<'a>(
        &'a self,
        tenant: &'a str,
        key: &'a str,
        max: u32,
        window_ms: i64,
        now_ms: i64,
    ) -> StoreFuture<'a, Taken> {
        Box::pin(async move { self.take((tenant, key), max, window_ms, now_ms) })
    }

    fn prune_rates(&self, before_ms: i64) -> StoreFuture<'_, u64> {
        Box::pin(async move {
            let mut windows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let mut gone = 0;
            windows.retain(|_, calls| {
                let before = calls.len();
                calls.retain(|call| call.expires_at_ms > before_ms);
                gone += (before - calls.len()) as u64;
                !calls.is_empty()
            });
            Ok(gone)
        })
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let report = suite::rate_buckets(&Windows::default()).await?;
    for check in report.passed {
        println!("passed: {check}");
    }
    Ok(())
}
