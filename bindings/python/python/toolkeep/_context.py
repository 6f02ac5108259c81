"""Who calls, as the host says it and as a tool sees it."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict

from .errors import InvalidArgumentError

if TYPE_CHECKING:
    from ._toolkeep import Invocation


class Caller(TypedDict, total=False):
    """Who calls and from where: keyword arguments of `call` and its kin.

    Every field is the host's word; toolkeep never takes one from a model. None is as good as left
    out.
    """

    tenant: str | None
    """Whose data this is. Default: `default`. Nothing is ever shared between tenants."""
    agent: str | None
    """The agent that calls. Its own lists in the store narrow what it may call."""
    user: str | None
    """The person on whose behalf the agent works."""
    sender: str | None
    """Who sent the message that the agent answers, where that is not the user."""
    role: str | None
    """The sender's role, in the host's words."""
    channel: str | None
    """The channel: `telegram`, `cli`, …"""
    chat: str | None
    """The chat within the channel."""
    peer_kind: str | None
    """`direct` or `group`."""
    session: str | None
    """The conversation. Rate limits count and artifacts are kept per session."""
    provider: str | None
    """The model's provider: `anthropic`, `openai`, …"""
    model: str | None
    """The model."""
    workspace: str | os.PathLike[str] | None
    """A workspace folder for this caller instead of the runtime's."""
    team: str | None
    """The team that the agent belongs to."""
    run: str | None
    """The run that this call is part of."""
    depth: int | None
    """How many agents stand above this one: 0 for the first."""
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
    chat: str | None = None
    peer_kind: str | None = None
    session: str | None = None
    provider: str | None = None
    model: str | None = None
    workspace: str | None = None
    team: str | None = None
    run: str | None = None
    depth: int = 0
    timeout_ms: int | None = None
    _invocation: Invocation | None = field(default=None, repr=False, compare=False)

    @property
    def cancelled(self) -> bool:
        """True once the call was cancelled, ran out of time, or was given up.

        A sync tool that works for long looks at it now and then: a thread cannot be stopped from
        outside. An async tool gets `asyncio.CancelledError` instead.
        """
        return self._invocation is not None and self._invocation.cancelled


def context_of(invocation: Invocation) -> Context:
    """The context of one call of a tool."""
    return Context(**invocation.caller, _invocation=invocation)


def caller_fields(caller: Caller) -> dict[str, Any]:
    """The caller as the core takes it."""
    fields: dict[str, Any] = {**caller}
    if "timeout" in fields:
        fields["timeout_ms"] = milliseconds(fields.pop("timeout"))
    if isinstance(fields.get("workspace"), os.PathLike):
        fields["workspace"] = os.fspath(fields["workspace"])
    return fields


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
