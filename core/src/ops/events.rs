//! `events.*`

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::{check_limit, default_limit, default_tenant, operations};
use crate::error::{Code, Error};
use crate::event::Event;
use crate::runtime::{Runtime, events_after, has_come_to};

/// The longest that one `events.read` waits, in milliseconds.
const MOST_WAIT_MS: u64 = 60_000;

operations! {
    /// What happened, in order, readable from any place on.
    events as Events {
        /// Returns the events after a cursor. With `wait_ms` it waits for the first one. To follow
        /// events, use `follow`, which also counts events that were pruned before they were read.
        read(ReadEvents) -> Vec<Event> = read;

        /// Returns the `seq` of the newest event, 0 if there never was one. Give it as `after` to
        /// read or follow only events from now on.
        last(LastEvent) -> i64 = last;

        /// Deletes the oldest events, as `retention` in the configuration does automatically. The
        /// others keep their `seq`. Give `keep`, `older_than_ms`, or both.
        prune(PruneEvents) -> Pruned = prune;
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

/// The arguments of `events.last`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LastEvent {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
}

/// The arguments of `events.prune`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PruneEvents {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// Keep at most this many, the newest.
    #[serde(default)]
    pub keep: Option<u64>,
    /// Delete those that are older than this, in milliseconds.
    #[serde(default)]
    pub older_than_ms: Option<u64>,
}

/// How much was deleted.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct Pruned {
    /// How many.
    pub pruned: u64,
}

async fn read(runtime: &Runtime, args: ReadEvents) -> Result<Vec<Event>, Error> {
    check_limit(args.limit)?;
    if args.wait_ms > MOST_WAIT_MS {
        let text = format!("`wait_ms` is {}; give 0 to {MOST_WAIT_MS}", args.wait_ms);
        return Err(Error::new(Code::InvalidArgument, text));
    }
    let until = Instant::now() + Duration::from_millis(args.wait_ms);
    runtime.path().recorder.flush().await?;
    if args.after > 0 {
        has_come_to(runtime.store(), &args.tenant, args.after).await?;
    }
    events_after(runtime.store(), &args.tenant, args.after, args.limit, Some(until)).await
}

async fn last(runtime: &Runtime, args: LastEvent) -> Result<i64, Error> {
    runtime.path().recorder.flush().await?;
    Ok(runtime.store().last_event_seq(&args.tenant).await?)
}

async fn prune(runtime: &Runtime, args: PruneEvents) -> Result<Pruned, Error> {
    if args.keep.is_none() && args.older_than_ms.is_none() {
        let text =
            "`events.prune` deletes nothing by itself; give `keep`, `older_than_ms`, or both";
        return Err(Error::new(Code::InvalidArgument, text));
    }
    runtime.path().recorder.flush().await?;
    let before_ms = args.older_than_ms.map(|age_ms| runtime.clock().ms_ago(age_ms));
    let pruned = runtime.store().prune_events(&args.tenant, args.keep, before_ms).await?;
    Ok(Pruned { pruned })
}
