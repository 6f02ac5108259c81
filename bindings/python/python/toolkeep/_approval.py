"""Somebody of the host's who is asked whether a call may be made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._operations import ShellProposal


@dataclass(frozen=True, slots=True)
class AskReason:
    """A reason why a call needs approval."""

    rule: str
    """The rule that asks: `tool.needs_approval`, the entry of a policy, …"""
    why: str
    """The reason, as a sentence for the person who decides."""


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """A request for an approval."""

    id: str
    """The approval's id: the same as in the store and in the events."""
    tool: str
    """The tool."""
    description: str
    """The tool's description for the model."""
    arguments: dict[str, Any]
    """The real arguments, unmasked, with secrets."""
    reasons: tuple[AskReason, ...]
    """The reasons for asking."""
    plan: Any
    """What the call amounts to, if the tool says so."""
    proposals: tuple[ShellProposal, ...]
    """Rules that may be kept so that such calls do not ask again, narrowest first, as dicts with
    `text` and `rule`."""
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
    """A decision on an approval."""

    allow: bool
    """True to allow the call once, False to deny it."""
    by: str = "host"
    """Who decides."""
    reason: str | None = None
    """The reason. If the call is denied, the model gets it."""
    edited: Mapping[str, Any] | None = None
    """Other arguments to make the call with, all of them; only with `allow`."""
    always: int | None = None
    """Which of the proposals to keep as a rule, from 0; only with `allow` and without `edited`."""


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
