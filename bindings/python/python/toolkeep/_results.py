"""What calls come to, as frozen dataclasses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._operations import Code


@dataclass(frozen=True, slots=True)
class Media:
    """A file to hand to the user along with a result."""

    path: str
    """Where it lies: a path in the workspace, or a URL."""
    filename: str | None = None
    """The name to show."""
    mime: str | None = None
    """The MIME type."""
    caption: str | None = None
    """A caption."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The answer to a call: what the model may see, and what the host should know.

    A refusal is a result, too, with `is_error` and a `code`. A tool may return one of these.
    """

    for_llm: str
    """The text for the model: scrubbed, and capped."""
    for_user: str | None = None
    """The text for the user, where it differs."""
    is_error: bool = False
    """True if the call was refused or the tool failed."""
    code: Code | None = None
    """The stable code of the refusal or failure."""
    rule: str | None = None
    """The rule that refused."""
    retry_after_ms: int | None = None
    """When the same call may be tried again, in milliseconds."""
    silent: bool = False
    """True if the user need not see it."""
    is_async: bool = False
    """True if work goes on in the background."""
    media: tuple[Media, ...] = ()
    """Files for the user."""
    structured: Any = None
    """The result as data, where the tool has it. Scrubbed."""
    artifact: str | None = None
    """The artifact that holds the whole text when `for_llm` was cut."""
    call_id: str = ""
    """The id of the call: the same as in its audit row and events."""
    duration_us: int = 0
    """How long the tool ran, in microseconds. 0 if it did not."""
    cached: bool = False
    """True if this is the result of an earlier call of the run: the tool did not run again."""

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON data, every key present."""
        data = {name: getattr(self, name) for name in self.__slots__}
        data["media"] = [asdict(media) for media in self.media]
        return data

    @classmethod
    def _of(cls, raw: dict[str, Any]) -> ToolResult:
        raw["media"] = tuple(Media(**media) for media in raw["media"])
        return cls(**raw)


@dataclass(frozen=True, slots=True)
class CallRequest:
    """One call of a model's turn."""

    id: str
    """The id that the provider gave the call; it comes back with the answer."""
    name: str
    """The tool, as the model named it."""
    arguments: Mapping[str, Any] | str | None = None
    """The arguments: JSON data, or the JSON text as the model wrote it."""


@dataclass(frozen=True, slots=True)
class CallAnswer:
    """The answer to a `CallRequest`."""

    id: str
    """The id of the request."""
    result: ToolResult
    """What it came to."""

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON data."""
        return {"id": self.id, "result": self.result.to_dict()}

    @classmethod
    def _of(cls, raw: dict[str, Any]) -> CallAnswer:
        return cls(raw["id"], ToolResult._of(raw["result"]))


@dataclass(frozen=True, slots=True)
class Rule:
    """The rule that refuses a tool."""

    name: str
    """The list and, where one entry decided, the entry: `policy.deny[0] = "group:fs"`."""
    text: str
    """The same as a sentence."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of an explanation."""

    source: str
    """The list that was applied: `policy.profile`, `policy.allow`, `agent helper deny`, …"""
    before: bool
    """Whether the tool was still allowed before it."""
    after: bool
    """Whether the tool was still allowed after it."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a tool may or may not be called."""

    tool: str
    """The tool, by its own name."""
    allowed: bool
    """Whether the caller may call it."""
    code: Code | None
    """The code that a call would be refused with."""
    rule: Rule | None
    """The rule that would refuse it."""
    steps: tuple[Step, ...]
    """What each list did, in order."""

    def to_dict(self) -> dict[str, Any]:
        """The explanation as JSON data."""
        return {**asdict(self), "steps": [asdict(step) for step in self.steps]}

    @classmethod
    def _of(cls, raw: dict[str, Any]) -> Explanation:
        rule = raw["rule"]
        return cls(
            tool=raw["tool"],
            allowed=raw["allowed"],
            code=raw["code"],
            rule=None if rule is None else Rule(**rule),
            steps=tuple(Step(**step) for step in raw["steps"]),
        )
