//! `events.*`

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, timeout_at};

use super::{check_limit, default_limit, default_tenant, operations};
use crate::error::{Code, Error};
use crate::event::Event;
use crate::runtime::Runtime;

/// The longest that one `events.read` waits, in milliseconds.
const MOST_WAIT_MS: u64 = 60_000;

/// How often a waiting reader looks for what another process wrote.
const LOOK_EVERY: Duration = Duration::from_millis(500);

operations! {
    /// What happened, in order, readable from any place on.
    events as Events {
        /// Gives the events after a cursor. With `wait_ms` it waits for the first one: call it
        /// again and again with the last `seq` to follow what happens.
        read(ReadEvents) -> Vec<Event> = read;
    }
}

/// The arguments of `events.read`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadEvents {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// Go on after the event of this `seq`. Default: 0, from the beginning.
    #[serde(default)]
    pub after: i64,
    /// How many at most, 1 to 1,000. Default: 100.
    #[serde(default = "default_limit")]
    pub limit: u32,
    /// How long to wait for the first event, in milliseconds, up to 60,000. Default: 0.
    #[serde(default)]
    pub wait_ms: u64,
}

async fn read(runtime: &Runtime, args: ReadEvents) -> Result<Vec<Event>, Error> {
    check_limit(args.limit)?;
    if args.wait_ms > MOST_WAIT_MS {
        let text = format!("`wait_ms` is {}; give 0 to {MOST_WAIT_MS}", args.wait_ms);
        return Err(Error::new(Code::InvalidArgument, text));
    }
    let recorder = &runtime.path().recorder;
    let mut written = recorder.written();
    recorder.flush().await?;
    let deadline = Instant::now() + Duration::from_millis(args.wait_ms);
    loop {
        written.mark_unchanged();
        let events = runtime.store().read_events(&args.tenant, args.after, args.limit).await?;
        let now = Instant::now();
        if !events.is_empty() || now >= deadline {
            return Ok(events);
        }
        // Whether it ticked or not, the next round looks again.
        let _ = timeout_at(deadline.min(now + LOOK_EVERY), written.changed()).await;
    }
}
