//! What a tool or a gate answers instead of a result.

use crate::error::{Code, Error};

/// A failure that the model is told of: a gate's refusal, or a tool's own failure. The message
/// says what failed, why, what is allowed and what to try next.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolError {
    /// The stable code.
    pub code: Code,
    /// The text for the model.
    pub message: String,
    /// The rule that decided, where one did: `policy.deny[0] = "exec"`.
    pub rule: Option<String>,
    /// When the same call may be tried again, in milliseconds.
    pub retry_after_ms: Option<u64>,
    /// True if this is for the host and not for the model.
    raised: bool,
}

impl ToolError {
    /// A failure of the given code.
    pub fn new(code: Code, message: impl Into<String>) -> ToolError {
        let message = message.into();
        ToolError { code, message, rule: None, retry_after_ms: None, raised: false }
    }

    /// A failure that the host must hear of and the model must not: a store that does not answer.
    /// The call then raises it.
    pub fn raise(error: impl Into<Error>) -> ToolError {
        let error = error.into();
        ToolError { raised: true, ..ToolError::new(error.code(), error.message()) }
    }

    /// The error to raise, if this is for the host.
    pub(crate) fn for_host(&self) -> Option<Error> {
        self.raised.then(|| Error::new(self.code, self.message.clone()))
    }

    /// The tool ran and failed: code `tool_failed`.
    pub fn failed(message: impl Into<String>) -> ToolError {
        ToolError::new(Code::ToolFailed, message)
    }

    /// Names the rule that decided.
    #[must_use]
    pub fn by_rule(mut self, rule: impl Into<String>) -> ToolError {
        self.rule = Some(rule.into());
        self
    }

    /// Says when to try again.
    #[must_use]
    pub fn retry_after(mut self, ms: u64) -> ToolError {
        self.retry_after_ms = Some(ms);
        self
    }
}

impl From<crate::workspace::Error> for ToolError {
    fn from(error: crate::workspace::Error) -> ToolError {
        ToolError::new(error.code(), error.to_string())
    }
}
