"""Runs the shared vectors, the same on `Runtime` and on `AsyncRuntime`.

`tests/vectors.schema.json` says what the files hold. A case is a folder, a runtime, and steps.
"""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import inspect
import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import toolkeep
from host_tools import add_host_tools
from matcher import match, mismatch

FOLDER = Path(__file__).resolve().parent.parent / "vectors"
TABLES = FOLDER.parent.parent / "core" / "shell" / "testdata"
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


@functools.cache
def _engine() -> tuple[str, str]:
    """The socket and the image of a Docker Engine, which ends with this process."""
    command = ["cargo", "run", "--quiet", "-p", "toolkeep-test-docker"]
    pipe = subprocess.PIPE
    engine = subprocess.Popen(command, stdin=pipe, stdout=pipe, cwd=FOLDER, text=True)
    _ENGINES.append(engine)
    assert engine.stdout is not None
    lines = [engine.stdout.readline().strip() for _ in range(2)]
    assert all(lines), "the Docker Engine did not start"
    return lines[0], lines[1]


# Kept: an engine stops when its standard input is closed.
_ENGINES: list[subprocess.Popen[str]] = []


class _Case:
    def __init__(self, runtime: type[AnyRuntime], folder: Path) -> None:
        self.runtime = runtime
        self.workspace = folder / "ws"
        self.workspace.mkdir()
        self.names = {"folder": str(folder), "workspace": str(self.workspace)}

    async def run(self, setup: dict[str, Any], case: dict[str, Any]) -> None:
        own = case.get("setup", {})
        if setup.get("docker") or own.get("docker"):
            self.names["engine"], self.names["image"] = _engine()
        for name, content in {**setup.get("files", {}), **own.get("files", {})}.items():
            path = self.workspace / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self.value(content).encode())
        config = {"workspace": str(self.workspace), **setup.get("config", {})}
        self.rt = self.runtime(self.value({**config, **own.get("config", {})}))
        try:
            add_host_tools(self.rt)
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
            given = {"code": error.code, "message": str(error)}
            match(f"{place}: error", given, self.named(step["raises"]))
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
            strict = given.get("strict")
            return await _awaited(rt.definitions(given["dialect"], strict=strict, **context))
        if kind == "definitions_report":
            strict = given.get("strict")
            report = rt.definitions_report(given["dialect"], strict=strict, **context)
            return _data(await _awaited(report))
        if kind == "explain":
            return _data(await _awaited(rt.explain(given["tool"], **context)))
        if kind == "check":
            return toolkeep.check_command(given["command"], **given.get("options", {})).to_dict()
        if kind == "check_rows":
            return _checked_rows(given)
        if kind == "scrub":
            return _scrubbed(given)
        if kind == "findings":
            found = toolkeep.Scrubber(**given.get("options", {})).findings(given["text"])
            return [dataclasses.asdict(finding) for finding in found]
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


def _checked_rows(given: dict[str, Any]) -> dict[str, Any]:
    """Judges the rows of a table that fit `where`, and counts those for which `holds` does."""
    rows = [json.loads(line) for line in (TABLES / given["table"]).read_text().splitlines()]
    fitting = [row for row in rows if mismatch(row, given["where"]) is None]
    misses = []
    for row in fitting:
        try:
            options = _filled(given.get("options", {}), row)
            outcome = toolkeep.check_command(row["cmd"], **options).to_dict()
        except toolkeep.ToolkeepError as error:
            outcome = {"code": error.code, "message": str(error)}
        why = mismatch(outcome, given["holds"])
        if why is not None:
            misses.append(f"{row['cmd']!r}: {why}")
    share = 100 * (len(fitting) - len(misses)) / max(len(fitting), 1)
    return {"rows": len(fitting), "share": share, "misses": misses[:20]}


def _filled(options: Any, row: dict[str, Any]) -> Any:
    """Options with `{"$column": name}` replaced by what stands there in a row."""
    if not isinstance(options, dict):
        return options
    if "$column" in options:
        return row[options["$column"]]
    return {key: _filled(option, row) for key, option in options.items()}


def _scrubbed(given: dict[str, Any]) -> str:
    """The text scrubbed: by the function, or by a scrubber of its own, whole or in pieces."""
    text: str = given["text"]
    chunk: int | None = given.get("chunk")
    if "options" not in given:
        return toolkeep.scrub(text)
    scrubber = toolkeep.Scrubber(**given["options"])
    if chunk is None:
        return scrubber.scrub(text)
    stream: toolkeep.ScrubStream[str] = scrubber.stream()
    pieces = [stream.push(text[at : at + chunk]) for at in range(0, len(text), chunk)]
    return "".join([*pieces, stream.finish()])


def _pointed(value: Any, pointer: str) -> str:
    for step in pointer.split("/")[1:]:
        value = value[int(step)] if isinstance(value, list) else value[step]
    return str(value)
