//! Gate: how many calls a run may make, and how many a session in a while.

use std::sync::atomic::Ordering;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::path::CallPath;
use super::state::{Call, Stop};
use crate::error::Code;
use crate::tool::{Caller, ToolError};

/// The `rate_limit` part of the configuration: at most `calls` in any window of `window_ms`, per
/// tenant and session. Calls without a session are not limited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateLimit {
    /// The most calls in one window; at least 1. 150 is a good start.
    #[schemars(range(min = 1))]
    pub calls: u32,
    /// The length of the window in milliseconds. Default: an hour.
    #[serde(default = "an_hour")]
    #[schemars(range(min = 1))]
    pub window_ms: u64,
}

fn an_hour() -> u64 {
    3_600_000
}

/// The `budget` part of the configuration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Budget {
    /// The most calls of one run, refused ones too; at least 1. A call without a run counts for its
    /// session; a call without either is not counted. Default: no limit; 25 is a good start.
    #[schemars(range(min = 1))]
    pub calls_per_run: Option<u32>,
}

/// Counts a call of a run, and refuses it if there were enough.
pub(super) fn count(budget: &Budget, call: &mut Call<'_>) -> Result<(), ToolError> {
    if std::mem::replace(&mut call.is_counted, true) {
        return Ok(());
    }
    let (Some(most), Some(run)) = (budget.calls_per_run, &call.run) else { return Ok(()) };
    let one_more = |calls: u32| (calls < most).then_some(calls + 1);
    if run.calls.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_ok() {
        return Ok(());
    }
    let what = if run.is_run { "run" } else { "session" };
    let text = format!(
        "All {most} calls of this {what} are used up, and no further one is made. Finish with what \
         you have: say what you found and what is left to do."
    );
    let rule = format!("budget.calls_per_run = {most}");
    Err(ToolError::new(Code::BudgetExhausted, text).by_rule(rule))
}

pub(super) async fn pass(
    path: &CallPath,
    limit: &RateLimit,
    caller: &Caller,
    now_ms: i64,
) -> Result<(), Stop> {
    let Some(session) = &caller.session else { return Ok(()) };
    let window_ms = i64::try_from(limit.window_ms).unwrap_or(i64::MAX);
    let taken =
        path.store.take_rate(&caller.tenant, session, limit.calls, window_ms, now_ms).await?;
    if taken.allowed {
        return Ok(());
    }
    let wait_ms = u64::try_from(taken.retry_after_ms).unwrap_or(0);
    let text = format!(
        "The limit of {} calls per {} is used up. Wait {} before the next call, or finish with \
         what you have.",
        limit.calls,
        spoken(limit.window_ms),
        spoken(wait_ms)
    );
    let rule = format!("rate_limit.calls = {}", limit.calls);
    Err(ToolError::new(Code::RateLimited, text).by_rule(rule).retry_after(wait_ms).into())
}

/// A span of time in words, rounded up so that waiting that long is enough.
pub(super) fn spoken(ms: u64) -> String {
    let (amount, unit) = match ms {
        0..1_000 => (ms, "millisecond"),
        1_000..120_000 => (ms.div_ceil(1_000), "second"),
        120_000..7_200_000 => (ms.div_ceil(60_000), "minute"),
        _ => (ms.div_ceil(3_600_000), "hour"),
    };
    format!("{amount} {unit}{}", if amount == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::spoken;

    #[test]
    fn a_wait_is_spoken_in_a_unit_that_fits_and_rounded_up() {
        assert_eq!(spoken(1), "1 millisecond");
        assert_eq!(spoken(1_001), "2 seconds");
        assert_eq!(spoken(3_600_000), "60 minutes");
        assert_eq!(spoken(86_400_000), "24 hours");
    }
}
