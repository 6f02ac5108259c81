//! The three answers of a judgement, in order of strictness.
//!
//! They stand apart from [`crate::verdict`], because the check of a text before it is parsed
//! ([`crate::precheck`]) decides too, and stands below everything that a verdict holds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether a command may run.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ShellDecision")]
pub enum Decision {
    /// It is understood, and within what the profile lets run.
    Allow,
    /// It is not understood, or beyond the profile: somebody decides.
    Ask,
    /// It does not run.
    Deny,
}
