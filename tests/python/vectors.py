"""Runs the shared vectors, the same on `Runtime` and on `AsyncRuntime`.

`tests/vectors.schema.json` says what the files hold. A case is a folder, a runtime, and steps.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import toolkeep

FOLDER = Path(__file__).resolve().parent.parent / "vectors"
AnyRuntime = toolkeep.Runtime | toolkeep.AsyncRuntime


def cases() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Each case with its name and the setup of its file."""
    for path in sorted(FOLDER.rglob("*.json")):
        data = json.loads(path.read_text())
        for case in data["cases"]:
            name = f"{path.relative_to(FOLDER).with_suffix('')}: {case['name']}"
            yield name, data.get("setup", {}), case


def count() -> int:
    """How many cases the files hold."""
    return sum(len(json.loads(path.read_text())["cases"]) for path in FOLDER.rglob("*.json"))


def run(runtime: type[AnyRuntime], setup: dict[str, Any], case: dict[str, Any]) -> None:
    """Runs one case; raises AssertionError where it is not as expected."""
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_Case(runtime, Path(folder)).run(setup, case))


class _Case:
    def __init__(self, runtime: type[AnyRuntime], folder: Path) -> None:
        self.runtime = runtime
        self.workspace = folder / "ws"
        self.workspace.mkdir()
        self.names = {"folder": str(folder), "workspace": str(self.workspace)}

    async def run(self, setup: dict[str, Any], case: dict[str, Any]) -> None:
        own = case.get("setup", {})
        for name, content in {**setup.get("files", {}), **own.get("files", {})}.items():
            path = self.workspace / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self.value(content).encode())
        config = {"workspace": str(self.workspace), **setup.get("config", {})}
        self.rt = self.runtime(self.value({**config, **own.get("config", {})}))
        try:
            _add_tools(self.rt)
            for number, step in enumerate(case["steps"], 1):
                await self.step(f"step {number}", step)
        finally:
            await _awaited(self.rt.close())

    async def step(self, place: str, step: dict[str, Any]) -> None:
        kind = next(key for key in step if key not in ("expect", "raises", "save"))
        try:
            result = await self.perform(kind, self.value(step[kind]))
        except toolkeep.ToolkeepError as error:
            assert "raises" in step, f"{place} raised {error.code}: {error}"
            match(f"{place}: error", {"code": error.code, "message": str(error)},
                  self.named(step["raises"]))  # fmt: skip
            return
        assert "expect" in step, f"{place} should have raised, but gave {result!r}"
        match(place, result, self.named(step["expect"]))
        for name, pointer in step.get("save", {}).items():
            self.names[name] = _pointed(result, pointer)

    async def perform(self, kind: str, given: dict[str, Any]) -> Any:
        rt, context = self.rt, given.get("context", {})
        if kind == "call":
            return _data(await _awaited(rt.call(given["tool"], given.get("args"), **context)))
        if kind == "call_all":
            return _data(await _awaited(rt.call_all(given["requests"], **context)))
        if kind == "invoke":
            return await _awaited(rt._invoke(given["operation"], given.get("args")))  # type: ignore[arg-type]
        if kind == "definitions":
            return await _awaited(rt.definitions(given["dialect"], **context))
        if kind == "explain":
            return _data(await _awaited(rt.explain(given["tool"], **context)))
        if kind == "scrub":
            return toolkeep.scrub(given["text"])
        if kind == "open":
            return await _awaited(self.runtime(given["config"]).close())
        if kind == "register":
            return rt.register(given["spec"], lambda args, _context: args)
        if kind == "unregister":
            return rt.unregister(given["tool"])
        assert kind == "close", kind
        return await _awaited(rt.close())

    def named(self, value: Any) -> Any:
        """The value with the saved names filled into its strings."""
        if isinstance(value, str):
            for name, text in self.names.items():
                value = value.replace("{" + name + "}", text)
            return value
        if isinstance(value, list):
            return [self.named(item) for item in value]
        if isinstance(value, dict):
            return {self.named(key): self.named(item) for key, item in value.items()}
        return value

    def value(self, value: Any) -> Any:
        """The value of an expression."""
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if not isinstance(value, dict):
            return self.named(value)
        if len(value) == 1:
            [(key, given)] = value.items()
            if key == "$repeat":
                return self.value(given[0]) * given[1]
            if key == "$concat":
                return "".join(self.value(given))
            if key == "$nest":
                return _nested(given[0] if isinstance(given, list) else given)
            if key == "$json":
                return json.dumps(self.value(given), separators=(",", ":"), ensure_ascii=False)
        return {self.named(key): self.value(item) for key, item in value.items()}


def _nested(depth: int) -> Any:
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


async def _awaited(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


def _data(value: Any) -> Any:
    return [one.to_dict() for one in value] if isinstance(value, list) else value.to_dict()


def _pointed(value: Any, pointer: str) -> str:
    for step in pointer.split("/")[1:]:
        value = value[int(step)] if isinstance(value, list) else value[step]
    return str(value)


def _is(kind: Any, given: Any, wanted: Any) -> None:
    """Compares scalars as JSON does: 1 is 1.0, but no bool is a number."""
    same = given == wanted and isinstance(given, bool) == isinstance(wanted, bool)
    assert same, f"{kind}: {given!r} is not {wanted!r}"


def match(place: str, given: Any, wanted: Any) -> None:
    """Asserts that a value is as a matcher wants it."""
    if isinstance(wanted, dict):
        if len(wanted) == 1 and next(iter(wanted)).startswith("$"):
            [(rule, want)] = wanted.items()
            assert _holds(place, rule, given, want), f"{place}: {given!r} breaks {wanted!r}"
            return
        assert isinstance(given, dict), f"{place}: {given!r} is no object"
        for key, want in wanted.items():
            match(f"{place}.{key}", given.get(key), want)
    elif isinstance(wanted, list):
        assert isinstance(given, list), f"{place}: {given!r} is no array"
        assert len(given) == len(wanted), f"{place}: {given!r} has not {len(wanted)} elements"
        for index, want in enumerate(wanted):
            match(f"{place}[{index}]", given[index], want)
    else:
        _is(place, given, wanted)


def _matches(given: Any, wanted: Any) -> bool:
    try:
        match("", given, wanted)
    except AssertionError:
        return False
    return True


def _holds(place: str, rule: str, given: Any, want: Any) -> bool:
    texts = want if isinstance(want, list) else [want]
    if rule in ("$contains", "$lacks", "$matches") and not isinstance(given, str):
        return False
    if rule == "$all":
        for one in want:
            match(place, given, one)
        return True
    rules = {
        "$contains": lambda: all(text in given for text in texts),
        "$lacks": lambda: not any(text in given for text in texts),
        "$matches": lambda: re.search(want, given) is not None,
        "$absent": lambda: (given is None) is want,
        "$present": lambda: (given is not None) is want,
        "$length": lambda: len(given) == want,
        "$some": lambda: any(_matches(one, want) for one in given),
        "$none": lambda: not any(_matches(one, want) for one in given),
        "$equal": lambda: json.dumps(given, sort_keys=True) == json.dumps(want, sort_keys=True),
    }
    return rules[rule]()


def _add_tools(rt: AnyRuntime) -> None:
    about = "A tool of the host."

    def host_echo(text: str) -> str:
        return text

    async def host_data(**args: Any) -> Any:
        return {"echo": args}

    async def host_none(**_args: Any) -> None:
        return None

    async def host_fail(message: str) -> None:
        raise RuntimeError(message)

    async def host_refuse(**_args: Any) -> None:
        raise toolkeep.ToolError("The thing has changed.", code="conflict")

    async def host_sleep(ms: int) -> str:
        await asyncio.sleep(ms / 1000)
        return "slept"

    async def host_whole(**_args: Any) -> Any:
        return {"for_llm": "for the model", "for_user": "for the user", "silent": True}

    async def host_bad(**_args: Any) -> Any:
        return {"for_llm": 5}

    async def host_context(context: toolkeep.Context, **_args: Any) -> Any:
        return {"tenant": context.tenant, "agent": context.agent, "session": context.session}

    for function in (host_echo, host_sleep):
        rt.tool(description=about, capabilities=["read-only"])(function)
    for function in (host_data, host_none, host_fail, host_refuse, host_whole, host_bad):
        rt.tool(description=about)(function)
    rt.tool(description=about)(host_context)
