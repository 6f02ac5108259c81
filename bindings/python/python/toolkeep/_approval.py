"""Somebody of the host's who is asked whether a call may be made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._operations import ShellProposal


@dataclass(frozen=True, slots=True)
class AskReason:
    """Why a call wants approval."""

    rule: str
    """What asks for it: `tool.needs_approval`, the entry of a policy, …"""
    why: str
    """Why, as a sentence for the person who decides."""


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """What somebody is asked to decide."""

    id: str
    """The approval's id: the same as in the store and in the events."""
    tool: str
    """The tool."""
    description: str
    """What the tool does, as the model was told."""
    arguments: dict[str, Any]
    """The arguments that the tool will get, with every secret in them."""
    reasons: tuple[AskReason, ...]
    """Why it is asked."""
    plan: Any
    """What the call comes to, where the tool says so."""
    proposals: tuple[ShellProposal, ...]
    """What may be kept as a rule so that it is not asked again, the narrowest first, as dicts with
    `text` and `rule`. Empty: nothing."""
    agent: str | None
    """The agent that calls."""
    user: str | None
    """The user for whom it calls."""
    session: str | None
    """The session of the call."""
    expires_at_ms: int
    """Until when it can be decided, in milliseconds since 1970-01-01T00:00:00Z."""

    @classmethod
    def _of(cls, raw: dict[str, Any]) -> ApprovalRequest:
        reasons = tuple(AskReason(**reason) for reason in raw["reasons"])
        return cls(**{**raw, "reasons": reasons, "proposals": tuple(raw["proposals"])})


@dataclass(frozen=True, slots=True)
class ApprovalAnswer:
    """What somebody decided."""

    allow: bool
    """True to allow the call once, False to deny it."""
    by: str = "host"
    """Who decides."""
    reason: str | None = None
    """Why. Where the call is denied the model is told."""
    edited: Mapping[str, Any] | None = None
    """Other arguments to make the call with, all of them; only where it is allowed."""
    always: int | None = None
    """Which of the proposals to keep as a rule, from 0; only where the call is allowed as it is."""


Decision = ApprovalAnswer | Mapping[str, Any] | bool | None
"""`True`, `False`, an `ApprovalAnswer` or a dict like one; `None` leaves it to others."""

Approve = Callable[[ApprovalRequest], Decision | Awaitable[Decision]]
"""Decides whether a call may be made. May be an `async def`."""


def decision_of(answer: Any) -> Any:
    """An answer of the `approve` handler as the core reads it."""
    if isinstance(answer, ApprovalAnswer):
        return asdict(answer)
    if answer is None or isinstance(answer, (bool, Mapping)):
        return answer
    kind = type(answer).__name__
    raise TypeError(
        f"the approve handler returned a {kind}; give True, False, an ApprovalAnswer or None"
    )
