"""Who calls, as the host says it and as a tool sees it."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from ._caller import Caller, ContextFields
from .errors import InvalidArgumentError

__all__ = ["Caller", "Context", "caller_fields", "context_of", "milliseconds"]

if TYPE_CHECKING:
    from ._operations import ShellPlan
    from ._toolkeep import Invocation


@dataclass(frozen=True, kw_only=True)
class Context(ContextFields):
    """The context of a call, for a tool that has a parameter annotated with it."""

    _invocation: Invocation | None = field(default=None, repr=False, compare=False)

    @property
    def cancelled(self) -> bool:
        """True once the call was cancelled, ran out of time, or was given up.

        A sync tool that works for long looks at it now and then: a thread cannot be stopped from
        outside. An async tool gets `asyncio.CancelledError` instead.
        """
        return self._invocation is not None and self._invocation.cancelled

    @property
    def plan(self) -> ShellPlan | None:
        """How the command that the call brings along is to be run, for a tool with a
        `shell_command`: `run` (a program with its arguments, or a script), `cwd`, and
        `confinement`, what it may do then. What runs so is what was judged and approved.

        None in a call without a command, and where the vault has put a secret into the command:
        then only the argument has it.
        """
        return None if self._invocation is None else self._invocation.plan


_KEYS = frozenset(one.name for one in fields(Context)) - {"_invocation"}


def context_of(invocation: Invocation) -> Context:
    """The context of one call of a tool."""
    return _context(invocation.caller, invocation)


def _context(caller: dict[str, Any], invocation: Invocation | None) -> Context:
    # What a newer core tells besides is left out.
    known = {key: value for key, value in caller.items() if key in _KEYS}
    for several in ("read_roots", "write_roots", "deny_paths"):
        known[several] = tuple(known.get(several) or ())
    if known.get("parent") is not None:
        known["parent"] = _context(known["parent"], None)
    return Context(**known, _invocation=invocation)


def caller_fields(caller: Mapping[str, Any], above: int = 0) -> dict[str, Any]:
    """The caller as the core takes it. The core refuses what is no caller."""
    given: dict[str, Any] = {**caller}
    if "timeout" in given:
        given["timeout_ms"] = milliseconds(given.pop("timeout"))
    for folder in ("workspace", "team_workspace"):
        if isinstance(given.get(folder), os.PathLike):
            given[folder] = os.fspath(given[folder])
    for folders in ("read_roots", "write_roots"):
        if isinstance(given.get(folders), (list, tuple)):
            given[folders] = [_folder(one) for one in given[folders]]
    if given.get("parent") is not None:
        given["parent"] = _parent_fields(given["parent"], above + 1)
    return given


def _folder(one: Any) -> Any:
    return os.fspath(one) if isinstance(one, os.PathLike) else one


# More than the core takes: one who is his own parent is left for it to refuse.
_MOST_ABOVE = 32


def _parent_fields(parent: Any, above: int) -> Any:
    if isinstance(parent, Context):
        parent = {key: getattr(parent, key) for key in _KEYS}
    if not isinstance(parent, Mapping) or above > _MOST_ABOVE:
        return parent
    fields = caller_fields(parent, above)
    return {key: value for key, value in fields.items() if value is not None}


def milliseconds(timeout: float | None) -> int | None:
    """A timeout in seconds as whole milliseconds, rounded up."""
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)):
        kind = type(timeout).__name__
        raise InvalidArgumentError(f"`timeout` is a {kind}; give seconds as int or float")
    if not 0 < timeout < 1e12:
        raise InvalidArgumentError(f"`timeout` is {timeout}; give seconds greater than 0")
    return math.ceil(timeout * 1000)
