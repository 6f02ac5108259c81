"""Toolkeep: the governed tool layer for LLM agents, as an embedded library.

An agent program hands every tool call that its model makes to a `Runtime`. Toolkeep decides
whether the call may run, runs it confined, masks secrets in the result, and hands back what the
model may see.

    import toolkeep

    with toolkeep.Runtime(workspace=".") as rt:
        result = rt.call("read_file", {"path": "README.md"}, agent="helper")
        print(result.for_llm)
"""

from ._approval import ApprovalAnswer, ApprovalRequest, AskReason
from ._async_runtime import AsyncRuntime
from ._context import Caller, Context
from ._events import AsyncEventStream, EventStream
from ._operations import (
    Action,
    Capability,
    Code,
    Config,
    Event,
    ListEntry,
    Policy,
    Taint,
    ToolSpec,
    Touch,
)
from ._results import (
    CallAnswer,
    CallRequest,
    Definitions,
    Explanation,
    Media,
    Quarantined,
    Repair,
    Rule,
    Step,
    ToolResult,
)
from ._runtime import Dialect, Runtime
from ._scrub import Finding, Scrubber, ScrubProfile, ScrubStream
from ._toolkeep import __version__, generate_key, scrub
from .errors import (
    CancelledError,
    ClosedError,
    ConfigError,
    ConflictError,
    ForkedError,
    InternalError,
    InvalidArgumentError,
    InvalidHandleError,
    InvalidJsonError,
    InvalidUtf8Error,
    NameTakenError,
    NoKeyError,
    NotFoundError,
    PanicError,
    SecretUnreadableError,
    StoreCorruptError,
    StoreError,
    StoreFullError,
    StoreLockedError,
    StoreNewerError,
    StorePathError,
    StoreReadOnlyError,
    StoreTimeoutError,
    StoreUnavailableError,
    TooLargeError,
    ToolError,
    ToolkeepError,
    UnknownOperationError,
    WouldBlockError,
)

__all__ = [
    "Action",
    "ApprovalAnswer",
    "ApprovalRequest",
    "AskReason",
    "AsyncEventStream",
    "AsyncRuntime",
    "CallAnswer",
    "CallRequest",
    "Caller",
    "CancelledError",
    "Capability",
    "ClosedError",
    "Code",
    "Config",
    "ConfigError",
    "ConflictError",
    "Context",
    "Definitions",
    "Dialect",
    "Event",
    "EventStream",
    "Explanation",
    "Finding",
    "ForkedError",
    "InternalError",
    "InvalidArgumentError",
    "InvalidHandleError",
    "InvalidJsonError",
    "InvalidUtf8Error",
    "ListEntry",
    "Media",
    "NameTakenError",
    "NoKeyError",
    "NotFoundError",
    "PanicError",
    "Policy",
    "Quarantined",
    "Repair",
    "Rule",
    "Runtime",
    "ScrubProfile",
    "ScrubStream",
    "Scrubber",
    "SecretUnreadableError",
    "Step",
    "StoreCorruptError",
    "StoreError",
    "StoreFullError",
    "StoreLockedError",
    "StoreNewerError",
    "StorePathError",
    "StoreReadOnlyError",
    "StoreTimeoutError",
    "StoreUnavailableError",
    "Taint",
    "TooLargeError",
    "ToolError",
    "ToolResult",
    "ToolSpec",
    "ToolkeepError",
    "Touch",
    "UnknownOperationError",
    "WouldBlockError",
    "__version__",
    "generate_key",
    "scrub",
]
