"""What can be said of a tool besides its signature."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import pytest
import toolkeep
from toolkeep import Runtime, ToolSpec
from toolkeep._signature import Options, tool_of


def test_everything_that_can_be_said_of_a_tool_is_an_argument_of_the_decorator() -> None:
    options = Options(
        group="files",
        capabilities=["mutating"],
        timeout_ms=2000,
        touches=[{"argument": "to", "resource": "path", "effect": "write"}],
        channels=["cli"],
        argument_aliases={"to": ["target"]},
        polling=True,
        needs_approval=True,
        taints=["private"],
        action="patch",
        original_name="copy-file",
        shell_command="source",
        shell_cwd="target",
        shell_stdin="source",
    )

    def copy(to: str) -> None: ...

    spec = tool_of(copy, options).spec
    for key, value in dataclasses.asdict(options).items():
        if key not in ("name", "description", "parameters"):
            assert spec[key] == value, key
    assert set(ToolSpec.__annotations__) == set(spec)
    names = inspect.signature(Runtime.tool).parameters.keys() - {"self", "function", "timeout"}
    own = {field.name for field in dataclasses.fields(Options)} - {"timeout_ms"}
    assert names == own | {"replace"}


@pytest.mark.parametrize(
    ("key", "value", "word"),
    [
        ("touches", [{"argument": "a", "resource": "file", "effect": "read"}], "file"),
        ("taints", ["secret"], "secret"),
        ("action", "patches", "patches"),
        ("channels", "cli", "channels"),
        ("argument_aliases", {"a": "b"}, "argument_aliases"),
        ("polling", "yes", "polling"),
        ("timeout", 0, "timeout"),
    ],
)
def test_a_wrong_word_about_a_tool_is_refused(rt: Runtime, key: str, value: Any, word: str) -> None:
    def mine() -> None: ...

    wrong: Any = {key: value}
    with pytest.raises(toolkeep.InvalidArgumentError, match=word):
        rt.tool(**wrong)(mine)


def test_a_tool_takes_the_place_of_another_only_when_asked_to(rt: Runtime) -> None:
    rt.register({"name": "greet"}, lambda _args, _context: "old")
    rt.registry.alias(alias="hello", name="greet")

    def greet() -> str:
        return "new"

    with pytest.raises(toolkeep.NameTakenError, match="greet"):
        rt.tool(greet)
    assert rt.call("greet").for_llm == "old"
    rt.tool(replace=True)(greet)
    assert [rt.call(name).for_llm for name in ("greet", "hello")] == ["new", "new"]
    rt.register({"name": "greet"}, lambda _args, _context: "newest", replace=True)
    assert rt.call("hello").for_llm == "newest"
    rt.unregister("hello")
    assert [rt.call(name).code for name in ("greet", "hello")] == ["unknown_tool"] * 2
    wrong: Any = 1
    with pytest.raises(toolkeep.InvalidArgumentError, match="replace"):
        rt.tool(replace=wrong)(greet)


def test_a_built_in_tool_is_not_replaced_in_silence(rt: Runtime) -> None:
    with pytest.raises(toolkeep.NameTakenError, match="read_file"):
        rt.register({"name": "read_file"}, lambda _args, _context: "mine")
    rt.register({"name": "read_file"}, lambda _args, _context: "mine", replace=True)
    assert rt.call("read_file").for_llm == "mine"


def test_what_is_no_schema_and_no_name_is_refused(rt: Runtime) -> None:
    with pytest.raises(TypeError, match="tool `odd`: `parameters` is a int; give a JSON Schema"):
        rt.tool(name="odd", parameters=5)(lambda: None)  # type: ignore[call-overload]
    with pytest.raises(toolkeep.InvalidArgumentError, match="name"):
        rt.tool(name="")(lambda: None)
