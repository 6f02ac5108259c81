"""What calls come to, as frozen dataclasses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from ._operations import Code


T = TypeVar("T")


def _made(kind: type[T], raw: dict[str, Any]) -> T:
    """The dataclass of what the core tells. What a newer core tells besides is left out."""
    try:
        return kind(**raw)
    except TypeError:
        names: tuple[str, ...] = kind.__slots__  # type: ignore[attr-defined]
        return kind(**{name: raw[name] for name in names if name in raw})


@dataclass(frozen=True, slots=True)
class Media:
    """A file to hand to the user along with a result."""

    path: str
    """Its place: a path in the workspace, or a URL."""
    filename: str | None = None
    """The name to show."""
    mime: str | None = None
    """The MIME type."""
    caption: str | None = None
    """A caption."""


@dataclass(frozen=True, slots=True)
class Repair:
    """A repair of an argument, so that it fits the tool's schema."""

    path: str
    """The argument: `a.b[0]`. Empty: the arguments as a whole."""
    kind: str
    """What was done: `parsed`, `renamed`, `dropped_alias`, `coerced`, `wrapped`, `dropped_null`,
    `defaulted`."""
    from_: str | None = None
    """The type that it had (`string`), or the name under which it was given."""
    to: str | None = None
    """The type that it has now, or its own name."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The answer to a call: what the model may see, and what the host should know.

    A refusal is a result, too, with `is_error` and a `code`. A tool may return one of these.
    """

    for_llm: str
    """The text for the model: scrubbed, and capped."""
    for_user: str | None = None
    """The text for the user, if it differs."""
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
    repairs: tuple[Repair, ...] = ()
    """What was done to the arguments so that they fit."""
    cached: bool = False
    """True if this is the result of an earlier call of the run: the tool did not run again."""
    approval: str | None = None
    """The id under which the call waits for somebody's approval, or was decided on."""
    call_id: str = ""
    """The id of the call: the same as in its audit row and events."""
    duration_us: int = 0
    """How long the tool ran, in microseconds. 0 if it did not."""

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON data, every key present."""
        data = {name: getattr(self, name) for name in self.__slots__}
        data["media"] = [asdict(media) for media in self.media]
        data["repairs"] = [
            {key.rstrip("_"): one for key, one in asdict(repair).items()} for repair in self.repairs
        ]
        return data

    def _returned(self) -> dict[str, Any]:
        """The result as a tool returns it: what another call went through is not told of this."""
        data = self.to_dict()
        for key in ("repairs", "cached", "approval"):
            del data[key]
        return data

    @classmethod
    def _of(cls, raw: dict[str, Any]) -> ToolResult:
        raw["media"] = tuple(_made(Media, media) for media in raw["media"])
        if "repairs" in raw:
            # `from` is a word of Python's own.
            repairs = ({**one, "from_": one.pop("from", None)} for one in raw["repairs"] or ())
            raw["repairs"] = tuple(_made(Repair, one) for one in repairs)
        return _made(cls, raw)


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
class Quarantined:
    """A tool that one provider cannot be told of. Calls of it still work."""

    tool: str
    """The tool, by its own name."""
    dialect: str
    """The shape that it does not fit."""
    reason: str
    """What cannot be expressed, and what would help."""
    path: str
    """Where, as a JSON pointer into the tool's `parameters`; empty for all of it."""


@dataclass(frozen=True, slots=True)
class Definitions:
    """What a model is told of the tools that its caller may call, and what it is not."""

    dialect: str
    """The shape."""
    strict: bool
    """True if it is the strict form."""
    tools: tuple[dict[str, Any], ...]
    """The definitions, one a tool: canonical names sorted, then aliases sorted."""
    quarantined: tuple[Quarantined, ...]
    """The tools that are left out because the provider cannot be told of them."""
    deferred: tuple[str, ...]
    """The tools that are not defined yet but found by `tool_search`, sorted."""

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON data."""
        lists = {key: list(getattr(self, key)) for key in ("tools", "deferred")}
        left_out = [asdict(one) for one in self.quarantined]
        given = {"dialect": self.dialect, "strict": self.strict}
        return {**given, **lists, "quarantined": left_out}

    @classmethod
    def _of(cls, raw: dict[str, Any]) -> Definitions:
        raw["tools"] = tuple(raw["tools"])
        raw["quarantined"] = tuple(_made(Quarantined, one) for one in raw["quarantined"])
        raw["deferred"] = tuple(raw["deferred"])
        return _made(cls, raw)


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
    rule: Rule | None = None
    """The rule that changed it; None if the step left the tool as it was."""

    @classmethod
    def _of(cls, raw: dict[str, Any]) -> Step:
        return _made(cls, {**raw, "rule": _rule(raw.get("rule"))})


def _rule(raw: dict[str, Any] | None) -> Rule | None:
    return None if raw is None else _made(Rule, raw)


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a tool may or may not be called. As a `str` it is a small table."""

    tool: str
    """The tool, by its own name."""
    allowed: bool
    """Whether the policy allows it."""
    code: Code | None
    """The code that a call would be refused with."""
    rule: Rule | None
    """The rule that refuses it, or would."""
    steps: tuple[Step, ...]
    """What each list did, in order. The last one's `after` is what `allowed` says."""
    would_be_refused: bool = False
    """True where the policy is only watched (`policy.mode = "shadow"`) and does not allow it: a
    call would run all the same, and the ledger would say what it would be refused by."""
    asks: Rule | None = None
    """The rule by which each call wants somebody's approval."""
    source: str = ""
    """Where the policy comes from: the path of its file, or `given in code`."""

    def to_dict(self) -> dict[str, Any]:
        """The explanation as JSON data."""
        return {**asdict(self), "steps": [asdict(step) for step in self.steps]}

    def __str__(self) -> str:
        """What each list did, a line each, and the decision below."""
        width = max((len(step.source) for step in self.steps), default=0)
        words = {True: "allowed", False: "refused"}
        lines = [
            f"{step.source:<{width}}  {words[step.before]} -> {words[step.after]}"
            for step in self.steps
        ]
        decision = f"{self.tool}: {words[self.allowed]}"
        if self.would_be_refused:
            decision += ", but runs all the same: the policy is only watched"
        if self.rule is not None:
            decision += f", because {self.rule.text}"
        if self.asks is not None:
            decision += f"; each call wants approval, because {self.asks.text}"
        return "\n".join([*lines, decision])

    @classmethod
    def _of(cls, raw: dict[str, Any]) -> Explanation:
        raw["rule"] = _rule(raw["rule"])
        if "asks" in raw:
            raw["asks"] = _rule(raw["asks"])
        raw["steps"] = tuple(Step._of(step) for step in raw["steps"])
        return _made(cls, raw)
