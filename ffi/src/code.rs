//! The numbers of the error codes. They are the core's, written out for the header; a test compares.

/// No error.
pub const TOOLKEEP_OK: u32 = 0;
/// No such file, artifact, agent or other named thing.
pub const TOOLKEEP_NOT_FOUND: u32 = 1;
/// No tool of that name is registered and enabled.
pub const TOOLKEEP_UNKNOWN_TOOL: u32 = 2;
/// The arguments are missing or do not fit the tool's schema.
pub const TOOLKEEP_INVALID_ARGUMENTS: u32 = 3;
/// A policy layer hides the tool from this caller.
pub const TOOLKEEP_DENIED_BY_POLICY: u32 = 4;
/// The path is outside the workspace or otherwise closed to the caller.
pub const TOOLKEEP_ACCESS_DENIED: u32 = 5;
/// The session used up its calls for now; `retry_after_ms` says when to come back.
pub const TOOLKEEP_RATE_LIMITED: u32 = 6;
/// The tool did not finish before its deadline.
pub const TOOLKEEP_TIMEOUT: u32 = 7;
/// The caller cancelled the call, or dropped it.
pub const TOOLKEEP_CANCELLED: u32 = 8;
/// The tool ran and reported a failure.
pub const TOOLKEEP_TOOL_FAILED: u32 = 9;
/// The tool panicked; the panic was contained.
pub const TOOLKEEP_TOOL_PANICKED: u32 = 10;
/// The tool returned something that is not a tool result.
pub const TOOLKEEP_INVALID_RESULT: u32 = 11;
/// The thing to be changed is not in the expected state.
pub const TOOLKEEP_CONFLICT: u32 = 12;
/// The tool exists but cannot work with the runtime's configuration (for example, without a
/// workspace).
pub const TOOLKEEP_UNAVAILABLE: u32 = 13;
/// The tool's own rule for this call refused it.
pub const TOOLKEEP_DENIED_BY_TOOL: u32 = 14;
/// Somebody has to approve the call; it waits under the id in the result. The same call again uses
/// the decision.
pub const TOOLKEEP_APPROVAL_PENDING: u32 = 15;
/// The call was not approved: somebody said no, or nobody said anything in time.
pub const TOOLKEEP_APPROVAL_DENIED: u32 = 16;
/// The run has used up its calls.
pub const TOOLKEEP_BUDGET_EXHAUSTED: u32 = 17;
/// The run repeats the same calls without anything new.
pub const TOOLKEEP_LOOP_DETECTED: u32 = 18;
/// The arguments have a placeholder where its secret may not be put in.
pub const TOOLKEEP_SECRET_UNBOUND: u32 = 19;
/// The shell command would do something that is denied.
pub const TOOLKEEP_COMMAND_DENIED: u32 = 20;
/// The configuration is wrong; the message names the key.
pub const TOOLKEEP_INVALID_CONFIG: u32 = 40;
/// The runtime is closed.
pub const TOOLKEEP_CLOSED: u32 = 41;
/// A handle is NULL, freed, or of another kind.
pub const TOOLKEEP_INVALID_HANDLE: u32 = 42;
/// Text is not valid UTF-8.
pub const TOOLKEEP_INVALID_UTF8: u32 = 43;
/// Text is not valid JSON, or is nested too deeply.
pub const TOOLKEEP_INVALID_JSON: u32 = 44;
/// An argument of the host's own call is wrong; the message names it.
pub const TOOLKEEP_INVALID_ARGUMENT: u32 = 45;
/// There is no operation of that name.
pub const TOOLKEEP_UNKNOWN_OPERATION: u32 = 46;
/// A name is taken, or one name would mean two things.
pub const TOOLKEEP_NAME_TAKEN: u32 = 47;
/// An input is larger than its limit.
pub const TOOLKEEP_TOO_LARGE: u32 = 48;
/// A blocking call was made on a thread that must not block.
pub const TOOLKEEP_WOULD_BLOCK: u32 = 49;
/// The runtime was made in another process; it does not survive `fork`.
pub const TOOLKEEP_FORKED: u32 = 50;
/// A secret was to be stored or read, and no key is configured. Secrets are never kept in clear
/// text.
pub const TOOLKEEP_NO_KEY: u32 = 51;
/// A stored secret cannot be opened: it was altered, moved, or sealed under a key that is not
/// configured.
pub const TOOLKEEP_SECRET_UNREADABLE: u32 = 52;
/// The store does not answer or failed in an unexpected way.
pub const TOOLKEEP_STORE_UNAVAILABLE: u32 = 60;
/// The store's file is damaged or is no toolkeep store.
pub const TOOLKEEP_STORE_CORRUPT: u32 = 61;
/// The store can be read but not written.
pub const TOOLKEEP_STORE_READ_ONLY: u32 = 62;
/// Another process holds the store for longer than the wait allowed.
pub const TOOLKEEP_STORE_LOCKED: u32 = 63;
/// The store was written by a newer toolkeep.
pub const TOOLKEEP_STORE_NEWER: u32 = 64;
/// The store's place cannot be used: a missing folder, a wrong URL, a login that is refused.
pub const TOOLKEEP_STORE_PATH: u32 = 65;
/// The disk under the store is full.
pub const TOOLKEEP_STORE_FULL: u32 = 66;
/// The store took longer than the wait allowed.
pub const TOOLKEEP_STORE_TIMEOUT: u32 = 67;
/// A fault of toolkeep's own.
pub const TOOLKEEP_INTERNAL: u32 = 90;
/// Toolkeep panicked. The panic did not cross into the host's language.
pub const TOOLKEEP_PANIC: u32 = 100;
