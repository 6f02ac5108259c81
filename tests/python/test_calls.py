"""Calls, results, and the runtime around them."""

from __future__ import annotations

import asyncio
import dataclasses
import gc
import json
import threading
from pathlib import Path
from typing import Any

import pytest
import toolkeep
from toolkeep import (
    AsyncRuntime,
    Context,
    InvalidArgumentError,
    Runtime,
    ToolError,
    ToolResult,
)


def test_a_result_is_a_frozen_dataclass_with_every_field(rt: Runtime) -> None:
    result = rt.call("datetime", {"timezone": "UTC"}, agent="helper", session="s")
    assert not result.is_error
    assert result.code is None
    assert len(result.call_id) == 32
    assert set(result.to_dict()) == {field.name for field in dataclasses.fields(ToolResult)}
    assert json.loads(json.dumps(result.to_dict()))["structured"]["timezone"] == "UTC"
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.for_llm = "other"  # type: ignore[misc]


def test_arguments_may_be_the_text_that_the_model_wrote(rt: Runtime) -> None:
    assert not rt.call("datetime", '{"timezone": "UTC"}').is_error
    assert not rt.call("datetime", "").is_error
    assert not rt.call("datetime").is_error
    broken = rt.call("datetime", '{"timezone": ')
    assert broken.code == "invalid_arguments"
    assert "JSON" in broken.for_llm


def test_media_come_back_as_dataclasses(rt: Runtime) -> None:
    rt.register(
        {"name": "draw"},
        lambda _args, _cx: {"for_llm": "drawn", "media": [{"path": "a.png", "mime": "image/png"}]},
    )
    result = rt.call("draw")
    assert result.media == (toolkeep.Media(path="a.png", mime="image/png"),)
    assert result.to_dict()["media"][0]["filename"] is None


def test_a_tool_may_hand_on_the_result_of_another(rt: Runtime) -> None:
    @rt.tool
    def now() -> ToolResult:
        return rt.call("datetime", {"timezone": "UTC"})

    assert "UTC" in rt.call("now").for_llm


def test_every_field_of_a_caller_reaches_the_tool(rt: Runtime) -> None:
    seen: list[Context] = []

    @rt.tool
    def look(context: Context) -> None:
        seen.append(context)

    names = [field.name for field in dataclasses.fields(Context) if field.type == "str | None"]
    caller: Any = {name: f"the {name}" for name in names}
    del caller["workspace"]
    caller["tools"] = ["look"]
    rt.call("look", tenant="t", depth=2, timeout=1.5, **caller)
    assert (seen[0].tenant, seen[0].depth, seen[0].timeout_ms) == ("t", 2, 1500)
    assert {name: getattr(seen[0], name) for name in caller} == caller
    rt.call("look", agent=None)
    assert seen[1] == Context()


def test_a_tool_names_its_own_context_as_the_parent_of_a_call(rt: Runtime) -> None:
    seen: list[Context] = []

    @rt.tool
    def look(context: Context) -> None:
        seen.append(context)

    @rt.tool
    def delegate(context: Context) -> None:
        rt.call("look", agent="child", parent=context)

    rt.call("delegate", agent="boss", workspace=None, timeout=5)
    boss: toolkeep.Caller = {"agent": "boss", "workspace": Path("/tmp"), "user": None}
    rt.call("look", parent={**boss, "timeout": 0.5})
    child, other = seen
    assert child.parent is not None
    assert (child.agent, child.depth, child.parent.agent) == ("child", 1, "boss")
    assert (child.parent.timeout_ms, child.parent.parent) == (5000, None)
    assert other.parent == Context(agent="boss", workspace="/tmp", timeout_ms=500)


def test_what_a_newer_core_tells_besides_breaks_nothing() -> None:
    raw = {"for_llm": "x", "media": [{"path": "a", "size": 5}], "newer": 1}
    assert ToolResult._of(raw) == ToolResult("x", media=(toolkeep.Media("a"),))
    step = {"source": "a", "before": True, "after": False, "newer": 1}
    rule = {"name": "a", "text": "b", "newer": 1}
    known = {"tool": "t", "allowed": False, "code": None, "rule": rule, "steps": [step]}
    explained = toolkeep.Explanation._of({**known, "newer": 1})
    assert explained.rule == toolkeep.Rule("a", "b")
    assert explained.steps == (toolkeep.Step("a", before=True, after=False),)


def test_the_calls_of_a_turn_are_answered_in_order(rt: Runtime) -> None:
    requests: list[toolkeep.CallRequest | dict[str, Any]] = [
        toolkeep.CallRequest("1", "write_file", {"path": "a", "content": "x"}),
        {"id": "2", "name": "read_file", "arguments": '{"path": "a"}'},
        {"id": "3", "name": "nope"},
    ]
    answers = rt.call_all(requests, session="s")
    assert [answer.id for answer in answers] == ["1", "2", "3"]
    assert answers[1].result.for_llm == "x"
    assert answers[2].result.code == "unknown_tool"
    with pytest.raises(toolkeep.InvalidArgumentError, match="id, name, arguments"):
        rt.call_all([{"name": "nope"}])


def test_definitions_and_explanations(rt: Runtime) -> None:
    rt.agents.put(id="helper", deny=["edit"])
    names = {tool["name"] for tool in rt.definitions("anthropic", agent="helper")}
    assert "read_file" in names
    assert "edit" not in names
    why = rt.explain("edit", agent="helper")
    assert not why.allowed
    assert why.code == "denied_by_policy"
    assert why.rule is not None
    assert "agent helper" in why.rule.name
    assert why.to_dict()["rule"]["name"] == why.rule.name
    with pytest.raises(toolkeep.InvalidArgumentError, match="did you mean `openai`"):
        rt.definitions("opnai")  # type: ignore[arg-type]
    with pytest.raises(toolkeep.NotFoundError) as raised:
        rt.explain("edti")
    assert raised.value.code == "not_found"


def test_definitions_are_strict_on_demand_and_tell_what_they_leave_out(rt: Runtime) -> None:
    [first, *_] = rt.definitions("openai", strict=True)
    assert first["function"]["strict"] is True
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(14):
        schema = {"type": "object", "properties": {"a": schema}}
    rt.register({"name": "deep", "parameters": schema}, lambda args, _context: args)
    report = rt.definitions_report("openai", strict=True, agent="helper")
    assert (report.dialect, report.strict, report.deferred) == ("openai", True, ())
    assert "deep" in [left.tool for left in report.quarantined]
    assert "deep" not in {tool["function"]["name"] for tool in report.tools}
    assert report.to_dict()["quarantined"][0]["reason"] == report.quarantined[0].reason
    assert "deep" in {tool["title"] for tool in rt.definitions("json-schema")}


def test_an_explanation_is_a_table_as_text() -> None:
    with Runtime(policy={"profile": "minimal", "deny": ["edit"]}) as rt:
        lines = str(rt.explain("edit")).splitlines()
    assert [line.split()[0] for line in lines[:-1]] == ["policy.profile", "policy.deny"]
    assert lines[0].endswith("allowed -> refused")
    assert lines[1].endswith("refused -> refused")
    assert lines[-1].startswith("edit: refused, because `policy.profile")


def test_operations_are_methods(rt: Runtime) -> None:
    assert rt.agents.put(id="x", if_version=0)["version"] == 1
    with pytest.raises(toolkeep.ConflictError):
        rt.agents.put(id="x", if_version=0)
    rt.call("nope", session="s")
    assert rt.audit.query(session="s")[0]["code"] == "unknown_tool"
    assert rt.events.read(after=0)[-1]["kind"] == "call.refused"
    with pytest.raises(toolkeep.UnknownOperationError):
        rt._invoke("agents.putt", {})


def test_results_of_tools_are_scrubbed(rt: Runtime) -> None:
    rt.register({"name": "leak"}, lambda _args, _cx: "password=correct-horse-battery, then")
    assert "correct-horse" not in rt.call("leak").for_llm
    assert rt.scrub("password: 'correct-horse', then") == "password: '[REDACTED:password]', then"
    assert toolkeep.scrub("DB_PASSWORD=correct-horse") == "DB_PASSWORD=[REDACTED:password]"


def test_a_configuration_file_opens_a_runtime(tmp_path: Path) -> None:
    path = tmp_path / "toolkeep.toml"
    path.write_text('workspace = "."\n[policy]\ndeny = ["edit"]\n')
    with Runtime.open(path) as rt:
        assert not rt.call("write_file", {"path": "a.txt", "content": "x"}).is_error
        assert rt.call("edit", {}).code == "denied_by_policy"
    assert (tmp_path / "a.txt").read_text() == "x"
    assert (tmp_path / "toolkeep.db").exists()

    async def again() -> None:
        async with await AsyncRuntime.open(str(path)) as rt:
            assert (await rt.call("read_file", {"path": "a.txt"})).for_llm == "x"
            assert len(await rt.audit.query()) == 3

    asyncio.run(again())


def test_a_workspace_may_be_a_path(workspace: Path) -> None:
    inner = workspace / "inner"
    inner.mkdir()
    with Runtime({"workspace": workspace}) as rt:
        args = {"path": "a.txt", "content": "x"}
        assert not rt.call("write_file", args, workspace=inner).is_error
        assert not rt.call("write_file", args).is_error
    assert (inner / "a.txt").exists()
    assert (workspace / "a.txt").exists()


def test_keywords_replace_keys_of_the_configuration(workspace: Path) -> None:
    config: toolkeep.Config = {"workspace": "/nowhere", "policy": {"deny": ["edit"]}}
    with Runtime(config, workspace=workspace, store="memory:", rate_limit={"calls": 1}) as rt:
        got = rt.config.get()
        assert got["workspace"] == str(workspace)
        assert got["policy"]["deny"] == ["edit"]
        assert not rt.call("datetime", session="s").is_error
        assert rt.call("datetime", session="s").code == "rate_limited"


def test_a_closed_runtime_refuses_everything_and_closing_twice_is_fine() -> None:
    rt = Runtime()
    assert not rt.closed
    rt.close()
    rt.close()
    assert rt.closed
    for use in (
        lambda: rt.call("datetime"),
        lambda: rt.call_all([]),
        lambda: rt.definitions("openai"),
        lambda: rt.explain("edit"),
        lambda: rt.agents.list(),
        lambda: rt.register({"name": "x"}, print),
        lambda: rt.unregister("edit"),
    ):
        with pytest.raises(toolkeep.ClosedError) as raised:
            use()
        assert raised.value.code == "closed"


def test_closing_ends_calls_that_are_running(rt: Runtime) -> None:
    @rt.tool
    async def forever() -> None:
        await asyncio.sleep(3600)

    threading.Timer(0.1, rt.close).start()
    with pytest.raises(toolkeep.ClosedError):
        rt.call("forever")


def test_an_unclosed_runtime_warns_and_still_writes_its_ledger(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"
    rt = Runtime(store=store)
    rt.call("datetime")
    kept = [rt]
    del rt
    with pytest.warns(ResourceWarning, match="unclosed"):
        kept.clear()
    gc.collect()
    with Runtime(store=store) as rt:
        for _ in range(100):
            if rt.audit.query():
                return
            threading.Event().wait(0.05)
    raise AssertionError("the row is not there")


def test_two_runtimes_know_nothing_of_each_other() -> None:
    with Runtime() as one, Runtime() as two:
        one.register({"name": "mine"}, lambda _args, _cx: "x")
        assert one.call("mine").for_llm == "x"
        assert two.call("mine").code == "unknown_tool"


def test_threads_may_share_a_runtime(rt: Runtime) -> None:
    rt.register({"name": "echo"}, lambda args, _cx: args["text"])
    seen: list[str] = []

    def work(number: int) -> None:
        for _ in range(50):
            seen.append(rt.call("echo", {"text": str(number)}).for_llm)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == sorted(str(number) for number in range(8) for _ in range(50))


def test_the_lock_of_the_interpreter_is_free_while_a_call_waits(rt: Runtime) -> None:
    release = threading.Event()

    @rt.tool
    def wait() -> bool:
        return release.wait(5)

    threading.Timer(0.05, release.set).start()
    assert rt.call("wait").structured is True


def test_a_tool_error_carries_a_code_of_the_models_side_only(rt: Runtime) -> None:
    @rt.tool
    def refuse(code: str) -> None:
        raise ToolError("It has changed.", code=code)  # type: ignore[arg-type]

    assert rt.call("refuse", {"code": "conflict"}).code == "conflict"
    assert rt.call("refuse", {"code": "closed"}).code == "tool_failed"
    with pytest.raises(InvalidArgumentError, match="no code `conflcit`, did you mean `conflict`"):
        ToolError("It has changed.", code="conflcit")  # type: ignore[arg-type]
    assert rt.call("refuse", {"code": "conflict"}).for_llm == "It has changed."
