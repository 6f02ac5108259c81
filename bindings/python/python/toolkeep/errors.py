"""The exceptions of toolkeep: mistakes of the host, a store that does not answer, its own faults.

Whatever a *model* caused is not raised. It is a `ToolResult` with `is_error` and a `code`.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from ._toolkeep import CODES

if TYPE_CHECKING:
    from ._operations import Code

__all__ = [
    "CancelledError",
    "ClosedError",
    "ConfigError",
    "ConflictError",
    "ForkedError",
    "InternalError",
    "InvalidArgumentError",
    "InvalidHandleError",
    "InvalidJsonError",
    "InvalidUtf8Error",
    "NameTakenError",
    "NoKeyError",
    "NotFoundError",
    "PanicError",
    "SecretUnreadableError",
    "StoreCorruptError",
    "StoreError",
    "StoreFullError",
    "StoreLockedError",
    "StoreNewerError",
    "StorePathError",
    "StoreReadOnlyError",
    "StoreTimeoutError",
    "StoreUnavailableError",
    "TooLargeError",
    "ToolError",
    "ToolkeepError",
    "UnknownOperationError",
    "WouldBlockError",
    "error_of",
]


class ToolkeepError(Exception):
    """The base of all exceptions of toolkeep.

    `code` is the stable name of what is wrong, the same in every language; the text says what to
    do about it.
    """

    code: str = "internal"

    def __init__(self, message: str, code: str | None = None) -> None:
        """Makes the error; `code` overrides the class's own."""
        super().__init__(message)
        if code is not None:
            self.code = code


class ConfigError(ToolkeepError, ValueError):
    """The configuration is wrong; the text names the key."""

    code = "invalid_config"


class ClosedError(ToolkeepError):
    """The runtime is closed."""

    code = "closed"


class InvalidHandleError(ToolkeepError):
    """An internal object was used twice."""

    code = "invalid_handle"


class InvalidUtf8Error(ToolkeepError, ValueError):
    """A `str` holds a lone surrogate, so it cannot be UTF-8."""

    code = "invalid_utf8"


class InvalidJsonError(ToolkeepError, ValueError):
    """Data is nested too deeply for JSON."""

    code = "invalid_json"


class InvalidArgumentError(ToolkeepError, ValueError):
    """An argument of the host's own call is wrong; the text names it."""

    code = "invalid_argument"


class UnknownOperationError(ToolkeepError, LookupError):
    """There is no operation of that name."""

    code = "unknown_operation"


class NameTakenError(ToolkeepError, ValueError):
    """A tool or an alias has the name already."""

    code = "name_taken"


class TooLargeError(ToolkeepError, ValueError):
    """An input is larger than its limit."""

    code = "too_large"


class WouldBlockError(ToolkeepError, RuntimeError):
    """A blocking call was made on the thread that would have to answer it."""

    code = "would_block"


class ForkedError(ToolkeepError, RuntimeError):
    """The runtime was opened before `fork`; open a new one in the child."""

    code = "forked"


class NoKeyError(ToolkeepError):
    """A secret was to be stored or read and no key is configured; set `secrets.key`."""

    code = "no_key"


class SecretUnreadableError(ToolkeepError):
    """A stored secret was altered or moved, or its key is not among the configured ones."""

    code = "secret_unreadable"


class CancelledError(ToolkeepError):
    """The call was cancelled. A cancelled asyncio task gets asyncio's own instead."""

    code = "cancelled"


class NotFoundError(ToolkeepError, LookupError):
    """A thing that an operation names does not exist."""

    code = "not_found"


class ConflictError(ToolkeepError):
    """The thing that an operation would change is not in the expected state."""

    code = "conflict"


class StoreError(ToolkeepError):
    """The store failed. `code` and the subclass say how."""

    code = "store_unavailable"


class StoreUnavailableError(StoreError):
    """The store does not answer or failed in an unexpected way."""

    code = "store_unavailable"


class StoreCorruptError(StoreError):
    """The store's file is damaged or is no toolkeep store."""

    code = "store_corrupt"


class StoreReadOnlyError(StoreError):
    """The store can be read but not written."""

    code = "store_read_only"


class StoreLockedError(StoreError):
    """Another process holds the store for longer than the wait allowed."""

    code = "store_locked"


class StoreNewerError(StoreError):
    """The store was written by a newer toolkeep."""

    code = "store_newer"


class StorePathError(StoreError):
    """The store's place cannot be used: a missing folder, a wrong URL, a login that is refused."""

    code = "store_path"


class StoreFullError(StoreError):
    """The disk under the store is full."""

    code = "store_full"


class StoreTimeoutError(StoreError):
    """The store took longer than the wait allowed."""

    code = "store_timeout"


class InternalError(ToolkeepError):
    """A fault of toolkeep's own."""

    code = "internal"


class PanicError(InternalError):
    """Toolkeep panicked. The panic did not cross into Python."""

    code = "panic"


class ToolError(Exception):
    """Raised by a tool to fail with a code of its choice.

    Any other exception is a failure, too, with the code `tool_failed`.
    """

    def __init__(self, message: str, code: Code = "tool_failed") -> None:
        """Makes the failure: `message` is the text for the model.

        A code that only a host can get (`closed`, `store_locked`, …) becomes `tool_failed`.

        Raises:
            InvalidArgumentError: There is no such code; the text names the nearest.
        """
        super().__init__(message)
        known = [name for name, _ in CODES]
        if code not in known:
            near = difflib.get_close_matches(str(code), known, 1)
            meant = f", did you mean `{near[0]}`?" if near else ""
            text = f"`code` of a ToolError: there is no code `{code}`{meant}"
            raise InvalidArgumentError(text)
        self.code: str = code


_BY_CODE: dict[str, type[ToolkeepError]] = {
    kind.code: kind
    for kind in (
        ConfigError,
        ClosedError,
        InvalidHandleError,
        InvalidUtf8Error,
        InvalidJsonError,
        InvalidArgumentError,
        UnknownOperationError,
        NameTakenError,
        TooLargeError,
        WouldBlockError,
        ForkedError,
        NoKeyError,
        SecretUnreadableError,
        CancelledError,
        NotFoundError,
        ConflictError,
        StoreUnavailableError,
        StoreCorruptError,
        StoreReadOnlyError,
        StoreLockedError,
        StoreNewerError,
        StorePathError,
        StoreFullError,
        StoreTimeoutError,
        InternalError,
        PanicError,
    )
}


def error_of(code: str, message: str) -> ToolkeepError:
    """The error for a code; the base class for a code that this version does not know."""
    return _BY_CODE.get(code, ToolkeepError)(message, code)
