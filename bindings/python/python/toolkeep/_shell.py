"""Judging commands of a shell: what they do, and whether they may."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from . import _toolkeep

if TYPE_CHECKING:
    from ._operations import (
        ShellEnv,
        ShellGroup,
        ShellModes,
        ShellPlan,
        ShellRule,
        ShellSwitch,
    )

CommandVerdict = Literal["allow", "ask", "deny"]
"""What becomes of a command."""

Span = tuple[int, int]
"""Where words stand in the command: from and to, in bytes of UTF-8."""


@dataclass(frozen=True, slots=True)
class CommandReason:
    """Why a command is asked about or denied."""

    decision: CommandVerdict
    """What this reason alone would decide."""
    category: str
    """The group (`destructive_ops`, `code_injection`), or one of `path_denied`, `secret`,
    `unknown`, `beyond_profile`, `text`, `rule`, `mode`."""
    words: str
    """The words that cause it, as they stand in the command."""
    span: Span
    """Where they stand."""
    why: str
    """What is wrong with it, in a sentence for the model."""
    instead: str | None
    """What to do instead."""
    floor: bool
    """True if nobody's approval helps."""


@dataclass(frozen=True, slots=True)
class CommandEffect:
    """Something that a command does."""

    effect: str
    """Its label: `delete:workspace:recursive`."""
    program: str
    """The program that has it."""
    sure: bool
    """True if it surely happens when the command runs."""
    span: Span
    """Where the words stand that cause it."""


@dataclass(frozen=True, slots=True)
class CommandSegment:
    """A simple command of a longer one."""

    text: str
    """Its text."""
    verdict: CommandVerdict
    """What would be decided of it alone."""
    categories: tuple[str, ...]
    """The categories of its reasons, each once."""
    span: Span
    """Where it stands."""


@dataclass(frozen=True, slots=True)
class CommandCheck:
    """What a command does, and whether it may."""

    verdict: CommandVerdict
    """What becomes of it."""
    categories: tuple[str, ...]
    """The categories of all reasons, those of the strictest first, each once."""
    reasons: tuple[CommandReason, ...]
    """Why, the strictest first. Empty where everything is allowed."""
    effects: tuple[CommandEffect, ...]
    """What the command does."""
    segments: tuple[CommandSegment, ...]
    """Its simple commands."""
    unknowns: tuple[str, ...]
    """What could not be understood, a sentence for each."""
    for_llm: str
    """The text for the model: the decision, the reason, and what to do instead."""
    for_user: str
    """The text for a person."""
    suggestion: str | None
    """What to do instead, of the strictest reason that knows it."""
    plan: ShellPlan | None
    """How it is run, if it may be, and what it may do then, as a dict. None where it is denied."""
    without_approver: Literal["confine", "deny", "run"]
    """What happens to it if it needs approval, and nobody can be asked."""
    confined: bool
    """True if it is allowed only in a confinement that enforces its effects."""

    def to_dict(self) -> dict[str, Any]:
        """The check as JSON data."""
        return {name: _plain(getattr(self, name)) for name in self.__slots__}

    @classmethod
    def _of(cls, raw: dict[str, Any]) -> CommandCheck:
        known = {name: raw[name] for name in cls.__slots__ if name in raw}
        known["reasons"] = tuple(_part(CommandReason, one) for one in raw["reasons"])
        known["effects"] = tuple(_part(CommandEffect, one) for one in raw["effects"])
        known["segments"] = tuple(_part(CommandSegment, one) for one in raw["segments"])
        for several in ("categories", "unknowns"):
            known[several] = tuple(raw[several])
        return cls(**known)


def _part(kind: Any, raw: dict[str, Any]) -> Any:
    known = {name: raw[name] for name in kind.__slots__ if name in raw}
    if "categories" in known:
        known["categories"] = tuple(known["categories"])
    known["span"] = (raw["span"]["start"], raw["span"]["end"])
    return kind(**known)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if not hasattr(value, "__slots__"):
        return value
    fields = {name: _plain(getattr(value, name)) for name in value.__slots__}
    start, end = value.span
    return {**fields, "span": {"start": start, "end": end}}


def check_command(
    command: str,
    profile: Literal["strict", "workspace"] = "strict",
    *,
    env: ShellEnv | None = None,
    security: Literal["deny", "allowlist", "full"] | None = None,
    ask: Literal["off", "on-miss", "always"] | None = None,
    allowlist: Sequence[str] | None = None,
    strict_allowlist: Sequence[str] | None = None,
    groups: Mapping[ShellGroup, ShellSwitch] | None = None,
    without_approver: Literal["confine", "deny", "run"] | None = None,
    deny: Sequence[ShellRule] | None = None,
    ask_rules: Sequence[ShellRule] | None = None,
    allow: Sequence[ShellRule] | None = None,
    modes: ShellModes | None = None,
) -> CommandCheck:
    """What a shell command does, and whether it may run. Runs nothing, and needs no runtime.

    The settings are those of `shell` in the configuration.

    Args:
        command: The command, as a model would write it.
        profile: `strict` denies what the floor names whatever its target; `workspace` by target.
        env: Where it would run. Default: in the virtual workspace `/workspace`.
        security: Whether commands run at all.
        ask: When somebody is asked.
        allowlist: Programs that run without asking.
        strict_allowlist: The only programs that run.
        groups: Groups of dangers that are switched.
        without_approver: What happens where nobody can be asked.
        deny: What never runs.
        ask_rules: What is always asked about.
        allow: What runs without asking.
        modes: Where given, `security`, `ask` and `allowlist` alone decide, for a host that has a
            judge of its own; `approved` are commands that somebody approved for always.

    Raises:
        InvalidArgumentError: The text names the setting, and what is allowed there.
    """
    given = {
        "env": env,
        "profile": profile,
        "security": security,
        "ask": ask,
        "allowlist": allowlist,
        "strict_allowlist": strict_allowlist,
        "groups": groups,
        "without_approver": without_approver,
        "deny": deny,
        "ask_rules": ask_rules,
        "allow": allow,
        "modes": modes,
    }
    options = {name: value for name, value in given.items() if value is not None}
    return CommandCheck._of(_toolkeep.check_command(command, options))


def check_args(command: str, given: dict[str, Any], context: dict[str, Any]) -> dict[str, Any]:
    """The arguments of the operation `shell.check`."""
    args = {name: value for name, value in given.items() if value is not None}
    return {**args, "command": command, "context": context}
