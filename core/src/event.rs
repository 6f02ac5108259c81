//! What happened, for whoever listens.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One thing that happened. Events are kept in the store and read in order by cursor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// The place of the event in its tenant: the cursor to read on from. Grows.
    pub seq: i64,
    /// The tenant it belongs to.
    pub tenant: String,
    /// When, in milliseconds since 1970-01-01T00:00:00Z.
    pub at_ms: i64,
    /// The kind, as `thing.happened`: `call.completed`, `call.refused`, `agent.changed`,
    /// `audit.pruned`, …
    pub kind: String,
    /// The subject: the session of a call, the id of an agent, …
    pub subject: String,
    /// The details, a JSON object. Scrubbed.
    pub data: serde_json::Value,
}

/// An event on its way into the store, which gives it its `seq`.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEvent {
    /// The tenant it belongs to.
    pub tenant: String,
    /// When, in milliseconds since 1970-01-01T00:00:00Z.
    pub at_ms: i64,
    /// What, as `thing.happened`.
    pub kind: &'static str,
    /// What it is about.
    pub subject: String,
    /// The particulars, a JSON object. Already scrubbed.
    pub data: serde_json::Value,
}
