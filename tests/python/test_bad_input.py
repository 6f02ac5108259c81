"""What a host, a model or a disk can get wrong. Each has a stable code and a text that helps."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import toolkeep
from toolkeep import Runtime


def raised(use: Callable[[], Any]) -> toolkeep.ToolkeepError:
    with pytest.raises(toolkeep.ToolkeepError) as found:
        use()
    return found.value


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


LONE = "caf\udce9"


def test_a_lone_surrogate_is_not_utf8_wherever_it_stands(rt: Runtime) -> None:
    for use in (
        lambda: rt.call(LONE),
        lambda: rt.call("datetime", LONE),
        lambda: rt.call("datetime", agent=LONE),
        lambda: rt.scrub(LONE),
        lambda: toolkeep.scrub(LONE),
        lambda: Runtime(workspace=LONE),
        lambda: rt.agents.put(id=LONE),
        lambda: rt.register({"name": LONE}, print),
    ):
        error = raised(use)
        assert error.code == "invalid_utf8"
        assert "surrogate" in str(error)


def test_what_only_a_models_text_can_hold_is_the_models_mistake(rt: Runtime) -> None:
    for args, words in (
        ({"timezone": LONE}, ("`args.timezone`", "surrogate")),
        ({LONE: 1}, ("key", "surrogate")),
        ({"a": [0, {"b": LONE}]}, ("`args.a[1].b`", "surrogate")),
        ({"a": [0, 2**64]}, ("`args.a[1]`", "64 bits")),
        ({"a": -(2**63) - 1}, ("`args.a`", "64 bits")),
        ({"a": 10**400}, ("`args.a`", "64 bits")),
    ):
        result = rt.call("datetime", args)
        assert (result.is_error, result.code) == (True, "invalid_arguments")
        assert all(word in result.for_llm for word in words), result.for_llm
    answers = rt.call_all(
        [
            {"id": "a", "name": "datetime", "arguments": {"timezone": LONE}},
            {"id": "b", "name": "datetime", "arguments": {"timezone": "UTC"}},
            {"id": "c", "name": "datetime", "arguments": {"timezone": 2**70}},
        ]
    )
    assert [answer.result.code for answer in answers] == [
        "invalid_arguments",
        None,
        "invalid_arguments",
    ]
    assert "`requests[2].arguments.timezone`" in answers[2].result.for_llm
    assert rt.call("nope", {"a": LONE}).code == "unknown_tool"


def test_what_json_does_not_have_names_its_place(rt: Runtime) -> None:
    for value, word in (
        (float("nan"), "NaN"),
        (float("inf"), "inf"),
        ({1: "a"}, "keys of JSON are str"),
        (b"bytes", "bytes"),
        ({"a"}, "set"),
        (object(), "object"),
    ):
        error = raised(lambda value=value: rt.call("datetime", {"a": [0, value]}))  # type: ignore[misc]
        assert error.code == "invalid_argument"
        assert "`args.a[1]`" in str(error)
        assert word in str(error)


def test_numbers_and_bools_keep_their_type_on_the_way(rt: Runtime) -> None:
    rt.register({"name": "echo"}, lambda args, _cx: {"got": args})
    sent: list[Any] = [True, False, 1, 0, 1.0, 2**64 - 1, -(2**63), 0.1, None, "é🦀", {"a": []}]
    got = rt.call("echo", {"v": sent}).structured["got"]["v"]
    assert got == sent
    assert [type(one) for one in got] == [type(one) for one in sent]
    assert rt.call("echo", {"v": (1, (2,))}).structured["got"]["v"] == [1, [2]]


def test_an_argument_of_64_mib_is_the_models_mistake(rt: Runtime) -> None:
    rt.register({"name": "echo"}, lambda args, _cx: "x")
    large = "x" * (64 << 20)
    for args in ({"text": large}, '{"text": "' + large + '"}'):
        result = rt.call("echo", args)
        assert result.code == "invalid_arguments"
        assert "MiB" in result.for_llm


def test_depth_10_000_is_the_models_mistake_in_a_call(rt: Runtime) -> None:
    rt.register({"name": "echo"}, lambda args, _cx: "x")
    for args in ({"a": nested(10_000)}, '{"a": ' + "[" * 10_000 + "]" * 10_000 + "}"):
        result = rt.call("echo", args)
        assert result.code == "invalid_arguments"
    answers = rt.call_all([{"id": "1", "name": "echo", "arguments": {"a": nested(10_000)}}])
    assert answers[0].result.code == "invalid_arguments"
    rt.register({"name": "back"}, lambda args, _cx: {"got": args})
    answers = rt.call_all([{"id": "1", "name": "back", "arguments": {"a": nested(120)}}])
    assert answers[0].result.structured == {"got": {"a": nested(120)}}


def test_depth_is_the_hosts_mistake_elsewhere(rt: Runtime) -> None:
    itself: list[Any] = []
    itself.append(itself)
    for value in (nested(10_000), itself):
        assert raised(lambda value=value: Runtime({"groups": value})).code == "invalid_config"  # type: ignore[misc]
        error = raised(lambda value=value: rt.agents.put(id="x", settings={"a": value}))  # type: ignore[misc]
        assert error.code == "invalid_json"
    rt.register({"name": "deep"}, lambda _args, _cx: nested(200))
    result = rt.call("deep")
    assert result.code == "invalid_result"
    assert "128" in result.for_llm


def test_an_unknown_tool_is_the_models_mistake(rt: Runtime) -> None:
    result = rt.call("raed_file", {})
    assert result.code == "unknown_tool"
    assert "read_file" in result.for_llm


def test_a_tool_that_raises_fails_with_its_message(rt: Runtime) -> None:
    class UnprintableError(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no")

    raises: dict[str, BaseException] = {
        "plain": ValueError("It is 5, not 6."),
        "empty": KeyError(),
        "surrogate": ValueError(LONE),
        "exits": SystemExit("bye"),
        "stops": StopIteration("stop"),
        "interrupts": KeyboardInterrupt(),
        "unprintable": UnprintableError(),
    }
    for name, error in raises.items():

        def tool(_args: Any, _cx: Any, error: BaseException = error) -> None:
            raise error

        async def async_tool(_args: Any, _cx: Any, error: BaseException = error) -> None:
            raise error

        rt.register({"name": name}, tool)
        rt.register({"name": f"async_{name}"}, async_tool)
    for prefix in ("", "async_"):
        assert rt.call(prefix + "plain").code == "tool_failed"
        assert rt.call(prefix + "plain").for_llm == "It is 5, not 6."
        assert rt.call(prefix + "empty").for_llm == "KeyError"
        assert rt.call(prefix + "surrogate").for_llm.startswith("caf")
        assert rt.call(prefix + "exits").for_llm == "bye"
        assert rt.call(prefix + "stops").code == "tool_failed"
        assert rt.call(prefix + "interrupts").for_llm == "KeyboardInterrupt"
        assert rt.call(prefix + "unprintable").for_llm == "UnprintableError"


def test_a_tool_that_never_returns_ends_at_its_deadline(rt: Runtime) -> None:
    @rt.tool(timeout=0.1)
    def stuck() -> None:
        time.sleep(5)

    @rt.tool(timeout=0.1)
    async def hung() -> None:
        await asyncio.Event().wait()

    began = time.monotonic()
    assert rt.call("stuck").code == "timeout"
    assert rt.call("hung").code == "timeout"
    assert time.monotonic() - began < 3


def test_a_tool_that_returns_the_wrong_type_says_which(rt: Runtime) -> None:
    async def soon() -> None: ...

    for value, word in (
        (object(), "object"),
        ({"a": {1, 2}}, "set"),
        (float("nan"), "NaN"),
        (b"x", "bytes"),
        (LONE, "surrogate"),
    ):
        rt.register({"name": "wrong"}, lambda _args, _cx, value=value: value)
        result = rt.call("wrong")
        assert result.code == "invalid_result"
        assert word in result.for_llm
        rt.unregister("wrong")
    rt.register({"name": "wrong"}, lambda _args, _cx: soon())
    assert "async def" in rt.call("wrong").for_llm


def test_a_configuration_of_the_wrong_type_or_with_an_unknown_key() -> None:
    wrong: Any
    for wrong in (
        5,
        [],
        "text",
        {"policy": []},
        {"policy": {"deny": "exec"}},
        {1: 2},
        {"store": b"x"},
    ):
        error = raised(lambda wrong=wrong: Runtime(wrong).close())  # type: ignore[misc]
        assert error.code == "invalid_config"
    error = raised(lambda: Runtime(polcy={}))  # type: ignore[call-arg]
    assert isinstance(error, toolkeep.ConfigError)
    assert "did you mean `policy`" in str(error)
    wrong = {"policy": {"denny": []}}
    assert raised(lambda: Runtime(wrong)).code == "invalid_config"


def test_a_path_or_a_list_of_calls_that_is_none(rt: Runtime) -> None:
    wrong: Any = 5
    for use, word in (
        (lambda: Runtime.open(wrong), "`path` is a int"),
        (lambda: asyncio.run(toolkeep.AsyncRuntime.open(wrong)), "`path` is a int"),
        (lambda: rt.call_all(wrong), "`requests` is a int"),
        (lambda: rt.call_all([wrong]), "`requests[0]`"),
    ):
        error = raised(use)
        assert error.code == "invalid_argument"
        assert word in str(error)


def test_a_configuration_file_that_is_missing_or_broken(tmp_path: Path) -> None:
    assert raised(lambda: Runtime.open(tmp_path / "none.toml")).code == "invalid_config"
    path = tmp_path / "a.toml"
    path.write_text("policy = ")
    assert str(path) in str(raised(lambda: Runtime.open(path)))


def test_a_workspace_that_does_not_exist(tmp_path: Path) -> None:
    error = raised(lambda: Runtime(workspace=tmp_path / "none"))
    assert error.code == "invalid_config"
    assert "`workspace`" in str(error)


def test_a_caller_that_is_wrong_names_the_field(rt: Runtime) -> None:
    itself: dict[str, Any] = {}
    itself["parent"] = itself
    wrong: Any
    for wrong, word in (
        ({"agent": ""}, "agent"),
        ({"agent": 5}, "agent"),
        ({"tenant": "a\0b"}, "tenant"),
        ({"depth": -1}, "depth"),
        ({"sesion": "s"}, "session"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": float("nan")}, "timeout"),
        ({"timeout": "1"}, "timeout"),
        ({"timeout": True}, "timeout"),
        ({"timeout_ms": 0}, "timeout_ms"),
        ({"parent": "boss"}, "parent"),
        ({"parent": {"agnet": "boss"}}, "agnet"),
        ({"parent": {"timeout": 0}}, "timeout"),
        ({"tools": "read_file"}, "tools"),
    ):
        error = raised(lambda wrong=wrong: rt.call("datetime", **wrong))  # type: ignore[misc]
        assert error.code == "invalid_argument"
        assert word in str(error)
    assert raised(lambda: rt.call("datetime", parent=itself)).code == "invalid_json"  # type: ignore[arg-type]


def test_names_that_are_taken_or_unusable(rt: Runtime) -> None:
    assert raised(lambda: rt.register({"name": "edit"}, print)).code == "name_taken"
    assert raised(lambda: rt.register({"name": "a b"}, print)).code == "invalid_argument"
    wrong: Any = {"nam": "x"}
    assert raised(lambda: rt.register(wrong, print)).code == "invalid_argument"
    assert raised(lambda: rt.unregister("nope")).code == "not_found"

    def edit() -> None: ...

    assert raised(lambda: rt.tool(edit)).code == "name_taken"


def test_a_job_begins_only_once(rt: Runtime) -> None:
    job = rt._engine.invoke("registry.list", {})
    job.wait()
    assert raised(job.wait).code == "invalid_handle"


def opening(path: Path) -> toolkeep.ToolkeepError:
    error = raised(lambda: Runtime(store=f"sqlite:{path}"))
    assert isinstance(error, toolkeep.StoreError)
    return error


def store_of(tmp_path: Path) -> Path:
    path = tmp_path / "a.db"
    with Runtime(store=f"sqlite:{path}") as rt:
        rt.call("datetime")
    return path


def test_a_store_that_is_a_folder_or_has_no_folder(tmp_path: Path) -> None:
    assert opening(tmp_path).code == "store_path"
    assert opening(tmp_path / "none" / "a.db").code == "store_path"
    assert raised(lambda: Runtime(store="mysql:x")).code == "store_path"


def test_a_store_that_is_corrupt(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(b"this is no database at all, but long enough to be one" * 100)
    assert opening(path).code == "store_corrupt"


def test_a_store_that_can_only_be_read(tmp_path: Path) -> None:
    path = store_of(tmp_path)
    path.chmod(0o444)
    assert opening(path).code == "store_read_only"


def test_a_store_from_the_future(tmp_path: Path) -> None:
    path = store_of(tmp_path)
    other = sqlite3.connect(path)
    other.execute("INSERT INTO toolkeep_schema (version, applied_at_ms) VALUES (999, 0)")
    other.commit()
    other.close()
    error = opening(path)
    assert error.code == "store_newer"
    assert "999" in str(error)
