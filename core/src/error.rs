//! Error codes shared by every language, and the error a host sees.
//!
//! A [`Code`] has a stable name (Python, Node, vectors, audit rows) and a stable number (C). Codes
//! below 40 describe what a *model* caused: they travel inside a
//! [`ToolResult`](crate::tool::ToolResult). Codes from 40 up are the host's own mistakes, a store
//! that does not answer, or a fault of ours: they are returned as [`Error`] and raised in the
//! languages that have exceptions. Three of the lower codes can also reach the host as an error:
//! `cancelled` (by the caller), `not_found` and `conflict` (from an operation).

use std::fmt;

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $number:literal, $name:literal;)+) => {
        /// A stable error code: never renamed, never renumbered, never reused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        #[repr(u32)]
        pub enum Code { $($(#[doc = $doc])+ $variant = $number,)+ }

        impl Code {
            /// Every code, in order of number.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)+];

            /// The stable name: what Python, Node, vectors and audit rows carry.
            pub const fn name(self) -> &'static str {
                match self { $(Code::$variant => $name,)+ }
            }

            /// What the code means, for the reference page.
            pub const fn about(self) -> &'static str {
                match self { $(Code::$variant => concat!($($doc),+),)+ }
            }
        }
    };
}

codes! {
    /// No such file, artifact, agent or other named thing.
    NotFound = 1, "not_found";
    /// No tool of that name is registered and enabled.
    UnknownTool = 2, "unknown_tool";
    /// The arguments are missing or do not fit the tool's schema.
    InvalidArguments = 3, "invalid_arguments";
    /// A policy layer hides the tool from this caller.
    DeniedByPolicy = 4, "denied_by_policy";
    /// The path is outside the workspace or otherwise closed to the caller.
    AccessDenied = 5, "access_denied";
    /// The session used up its calls for now; `retry_after_ms` says when to come back.
    RateLimited = 6, "rate_limited";
    /// The tool did not finish before its deadline.
    Timeout = 7, "timeout";
    /// The caller cancelled the call, or dropped it.
    Cancelled = 8, "cancelled";
    /// The tool ran and reported a failure.
    ToolFailed = 9, "tool_failed";
    /// The tool panicked; the panic was contained.
    ToolPanicked = 10, "tool_panicked";
    /// The tool returned something that is not a tool result.
    InvalidResult = 11, "invalid_result";
    /// The thing to be changed is not in the expected state.
    Conflict = 12, "conflict";
    /// The tool exists but cannot work with the runtime's configuration (for example, without a
    /// workspace).
    Unavailable = 13, "unavailable";
    /// The tool's own rule for this call (`assess`) refused it.
    DeniedByTool = 14, "denied_by_tool";
    /// Somebody has to approve the call; it waits under the id in the result. The same call again
    /// uses the decision.
    ApprovalPending = 15, "approval_pending";
    /// The call was not approved: somebody said no, or nobody said anything in time.
    ApprovalDenied = 16, "approval_denied";
    /// The run has used up its calls.
    BudgetExhausted = 17, "budget_exhausted";
    /// The run repeats the same calls without anything new.
    LoopDetected = 18, "loop_detected";
    /// The arguments have a placeholder where its secret may not be put in.
    SecretUnbound = 19, "secret_unbound";
    /// The shell command would do something that is denied. The text names the word, the reason,
    /// and what to do instead.
    CommandDenied = 20, "command_denied";

    /// The configuration is wrong; the message names the key.
    InvalidConfig = 40, "invalid_config";
    /// The runtime is closed.
    Closed = 41, "closed";
    /// A handle is NULL, freed, or of another kind.
    InvalidHandle = 42, "invalid_handle";
    /// Text is not valid UTF-8.
    InvalidUtf8 = 43, "invalid_utf8";
    /// Text is not valid JSON, or is nested too deeply.
    InvalidJson = 44, "invalid_json";
    /// An argument of the host's own call is wrong; the message names it.
    InvalidArgument = 45, "invalid_argument";
    /// There is no operation of that name.
    UnknownOperation = 46, "unknown_operation";
    /// A name is taken, or one name would mean two things.
    NameTaken = 47, "name_taken";
    /// An input is larger than its limit.
    TooLarge = 48, "too_large";
    /// A blocking call was made on a thread that must not block.
    WouldBlock = 49, "would_block";
    /// The runtime was made in another process; it does not survive `fork`.
    Forked = 50, "forked";
    /// A secret was to be stored or read, and no key is configured. Secrets are never kept in clear
    /// text.
    NoKey = 51, "no_key";
    /// A stored secret cannot be opened: it was altered, moved, or sealed under a key that is not
    /// configured.
    SecretUnreadable = 52, "secret_unreadable";

    /// The store does not answer or failed in an unexpected way.
    StoreUnavailable = 60, "store_unavailable";
    /// The store's file is damaged or is no toolkeep store.
    StoreCorrupt = 61, "store_corrupt";
    /// The store can be read but not written.
    StoreReadOnly = 62, "store_read_only";
    /// Another process holds the store for longer than the wait allowed.
    StoreLocked = 63, "store_locked";
    /// The store was written by a newer toolkeep.
    StoreNewer = 64, "store_newer";
    /// The store's place cannot be used: a missing folder, a wrong URL, a login that is refused.
    StorePath = 65, "store_path";
    /// The disk under the store is full.
    StoreFull = 66, "store_full";
    /// The store took longer than the wait allowed.
    StoreTimeout = 67, "store_timeout";

    /// A fault of toolkeep's own.
    Internal = 90, "internal";
    /// Toolkeep panicked. The panic did not cross into the host's language.
    Panic = 100, "panic";
}

impl Code {
    /// The stable number: what C carries. Zero is never a code; it means "no error".
    pub const fn number(self) -> u32 {
        self as u32
    }

    /// The code of that name.
    pub fn from_name(name: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.name() == name)
    }

    /// The code of that number.
    pub fn from_number(number: u32) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.number() == number)
    }

    /// True if the same call may succeed later without any change to it.
    pub const fn is_retryable(self) -> bool {
        matches!(
            self,
            Code::RateLimited
                | Code::Timeout
                | Code::StoreUnavailable
                | Code::StoreLocked
                | Code::StoreTimeout
        )
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl serde::Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> serde::Deserialize<'de> for Code {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Code, D::Error> {
        let name = String::deserialize(deserializer)?;
        Code::from_name(&name)
            .ok_or_else(|| serde::de::Error::custom(format!("unknown error code `{name}`")))
    }
}

impl schemars::JsonSchema for Code {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Code".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let names: Vec<_> = Code::ALL.iter().map(|code| code.name()).collect();
        schemars::json_schema!({ "type": "string", "enum": names })
    }
}

/// What a host gets when a call cannot be answered at all: its own mistake, a store that does not
/// answer, its own cancellation, or a fault of ours. Whatever a *model* caused is a
/// [`ToolResult`](crate::tool::ToolResult) instead.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    code: Code,
    message: String,
    #[source]
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error of the given code. The message says what is wrong, where, and what to do.
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        Error { code, message: message.into(), source: None }
    }

    /// The same error with its cause attached.
    pub fn with_source(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Error {
        self.source = Some(source.into());
        self
    }

    /// The stable code.
    pub fn code(&self) -> Code {
        self.code
    }

    /// What is wrong and what to do about it.
    pub fn message(&self) -> &str {
        &self.message
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_found_by_its_name_and_its_number() {
        for &code in Code::ALL {
            assert_eq!(Code::from_name(code.name()), Some(code));
            assert_eq!(Code::from_number(code.number()), Some(code));
        }
    }

    #[test]
    fn names_and_numbers_are_unique_and_ascending() {
        for pair in Code::ALL.windows(2) {
            assert!(pair[0].number() < pair[1].number());
        }
        let names: std::collections::BTreeSet<_> = Code::ALL.iter().map(|c| c.name()).collect();
        assert_eq!(names.len(), Code::ALL.len());
    }
}
