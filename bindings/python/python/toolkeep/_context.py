"""Who calls, as the host says it and as a tool sees it."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from .errors import InvalidArgumentError

if TYPE_CHECKING:
    from ._operations import ShellPlan
    from ._toolkeep import Invocation


class Caller(TypedDict, total=False):
    """Who calls and from where: keyword arguments of `call` and its kin.

    Every field is the host's word; toolkeep never takes one from a model. None is as good as left
    out.
    """

    tenant: str | None
    """The tenant. Default: `default`. Nothing is ever shared between tenants."""
    agent: str | None
    """The agent that calls. Its own lists in the store narrow what it may call."""
    user: str | None
    """The person on whose behalf the agent works."""
    sender: str | None
    """The sender of the message that the agent answers, if that is not the user."""
    role: str | None
    """The sender's role, in the host's words."""
    channel: str | None
    """The channel: `telegram`, `cli`, …"""
    channel_type: str | None
    """The type of the channel, if `channel` names one of several of that type."""
    chat: str | None
    """The chat within the channel."""
    peer_kind: Literal["direct", "group"] | None
    """`direct` or `group`; anything else is refused."""
    session: str | None
    """The conversation. Rate limits count and artifacts are kept per session."""
    provider: str | None
    """The model's provider: `anthropic`, `openai`, …"""
    model: str | None
    """The model."""
    workspace: str | os.PathLike[str] | None
    """A workspace folder for this caller instead of the runtime's."""
    read_roots: Sequence[str | os.PathLike[str]] | None
    """Additional folders that this caller may read, by absolute paths."""
    write_roots: Sequence[str | os.PathLike[str]] | None
    """Additional folders that this caller may read and write, by absolute paths."""
    deny_paths: Sequence[str] | None
    """Paths that file tools neither touch nor show to this caller, in addition to `files.deny`."""
    agent_type: Literal["open", "predefined"] | None
    """`open` (each user has context files of his own) or `predefined` (they are the agent's),
    instead of `settings.type` in the agent's row in the store."""
    team: str | None
    """The team that the agent belongs to."""
    team_workspace: str | os.PathLike[str] | None
    """The folder that the team shares."""
    team_role: str | None
    """The agent's role in the team: a `reviewer` does not write the team's files."""
    run: str | None
    """The run that this call is part of."""
    depth: int | None
    """How many agents are above this one. Default: one more than the parent's, or 0."""
    parent: Caller | Context | None
    """The context of the agent that started this one, if any. A sub-agent never gets more than its
    parent. A tool that starts an agent gives its own `Context`."""
    tools: Sequence[str] | None
    """Only these tools remain for this request, as in `policy.allow`. None: no change. Empty:
    none."""
    timeout: float | None
    """The deadline of each call in seconds, instead of the tool's or the runtime's."""


@dataclass(frozen=True, kw_only=True)
class Context:
    """The context of a call, for a tool that has a parameter annotated with it."""

    tenant: str = "default"
    agent: str | None = None
    user: str | None = None
    sender: str | None = None
    role: str | None = None
    channel: str | None = None
    channel_type: str | None = None
    chat: str | None = None
    peer_kind: Literal["direct", "group"] | None = None
    session: str | None = None
    provider: str | None = None
    model: str | None = None
    workspace: str | None = None
    read_roots: Sequence[str] = ()
    write_roots: Sequence[str] = ()
    deny_paths: Sequence[str] = ()
    agent_type: Literal["open", "predefined"] | None = None
    team: str | None = None
    team_workspace: str | None = None
    team_role: str | None = None
    run: str | None = None
    depth: int = 0
    parent: Context | None = None
    tools: Sequence[str] | None = None
    timeout_ms: int | None = None
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
