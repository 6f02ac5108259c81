"""What a function's signature and docstring come to."""

from __future__ import annotations

import enum
import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Optional, TypedDict, Union

import pytest
from toolkeep import Context, Runtime, ToolSpec


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Point:
    x: int
    y: float = 0.0
    tags: list[str] = field(default_factory=list)


class Person(TypedDict, total=False):
    name: str
    at: Point


@dataclass
class Tree:
    children: list[Tree]


class Odd:
    pass


def schema(rt: Runtime, name: str) -> dict[str, Any]:
    tools = {tool["name"]: tool["input_schema"] for tool in rt.definitions("anthropic")}
    found: dict[str, Any] = tools[name]
    return found


def properties(rt: Runtime, name: str) -> dict[str, Any]:
    found: dict[str, Any] = schema(rt, name)["properties"]
    return found


def test_plain_annotations_and_defaults(rt: Runtime) -> None:
    @rt.tool
    def plain(a: str, b: int, c: float, d: bool, e: Any, f: int = 5, g: str | None = None) -> None:
        pass

    assert schema(rt, "plain") == {
        "type": "object",
        "properties": {
            "a": {"type": "string"},
            "b": {"type": "integer"},
            "c": {"type": "number"},
            "d": {"type": "boolean"},
            "e": {},
            "f": {"type": "integer", "default": 5},
            "g": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        },
        "required": ["a", "b", "c", "d", "e"],
        "additionalProperties": False,
    }


def test_composed_annotations(rt: Runtime) -> None:
    @rt.tool
    def composed(
        a: list[int],
        b: Sequence[str],
        c: dict[str, float],
        d: Literal["x", 1],
        e: Optional[int],  # noqa: UP045
        f: Union[int, str],  # noqa: UP007
        g: tuple[int, str],
        h: tuple[int, ...],
        i: set[str],
        j: Annotated[int, "How many.", {"minimum": 1}],
        k: dict[str, Any],
        m: list,  # type: ignore[type-arg]
    ) -> None:
        pass

    got = properties(rt, "composed")
    integer, string = {"type": "integer"}, {"type": "string"}
    assert got["a"] == {"type": "array", "items": integer}
    assert got["b"] == {"type": "array", "items": string}
    assert got["c"] == {"type": "object", "additionalProperties": {"type": "number"}}
    assert got["d"] == {"enum": ["x", 1]}
    assert got["e"] == {"anyOf": [integer, {"type": "null"}]}
    assert got["f"] == {"anyOf": [integer, string]}
    assert got["g"]["prefixItems"] == [integer, string]
    assert got["h"] == {"type": "array", "items": integer}
    assert got["i"] == {"type": "array", "items": string, "uniqueItems": True}
    assert got["j"] == {"type": "integer", "description": "How many.", "minimum": 1}
    assert got["k"] == {"type": "object", "additionalProperties": True}
    assert got["m"] == {"type": "array", "items": {}}


def test_classes_are_objects_and_the_function_gets_instances(rt: Runtime) -> None:
    seen: list[Any] = []

    @rt.tool
    def take(
        point: Point,
        colour: Colour,
        person: Person,
        several: list[Point | Colour | int] | None = None,
        pair: tuple[int, str] = (1, "a"),
        ratio: float = 1.0,
    ) -> None:
        seen.extend([point, colour, person, several, pair, ratio])

    assert properties(rt, "take")["point"] == {
        "type": "object",
        "properties": {
            "x": {"type": "integer"},
            "y": {"type": "number"},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["x"],
        "additionalProperties": False,
    }
    assert properties(rt, "take")["colour"] == {"enum": ["red", "blue"]}
    assert properties(rt, "take")["person"]["required"] == []
    args = {
        "point": {"x": 1, "y": 2},
        "colour": "blue",
        "person": {"at": {"x": 3}},
        "several": [{"x": 4}, "red", 5],
        "pair": [2, "b"],
        "ratio": 2,
    }
    assert not rt.call("take", args).is_error
    assert seen == [
        Point(1, 2.0),
        Colour.BLUE,
        {"at": Point(3)},
        [Point(4), Colour.RED, 5],
        (2, "b"),
        2.0,
    ]
    assert isinstance(seen[0].y, float)
    assert isinstance(seen[5], float)
    refused = rt.call("take", {**args, "colour": "green"})
    assert refused.code == "invalid_arguments"
    assert "colour" in refused.for_llm


def test_a_docstring_describes_the_tool_and_its_parameters(rt: Runtime) -> None:
    @rt.tool
    def greet(name: str, often: Annotated[int, "How often."] = 1) -> str:
        """Says hello.

        Twice if need be.

        Args:
            name (str): Whom to greet,
                by first name.
            often: Not used: the annotation says it.

        Returns:
            The greeting.
        """
        return f"Hello, {name}" * often

    tool = next(tool for tool in rt.definitions("anthropic") if tool["name"] == "greet")
    assert tool["description"] == "Says hello.\n\nTwice if need be."
    assert properties(rt, "greet")["name"]["description"] == "Whom to greet, by first name."
    assert properties(rt, "greet")["often"]["description"] == "How often."
    assert greet("Ada") == "Hello, Ada"


def test_the_decorator_says_what_the_function_does_not(rt: Runtime) -> None:
    parameters = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}

    @rt.tool(
        name="look_up",
        description="Looks up.",
        group="web",
        capabilities=["read-only", "open-world"],
        timeout=0.05,
        parameters=parameters,
    )
    def anything(q, context: Context):  # type: ignore[no-untyped-def]
        return f"{q} {context.tenant}"

    assert schema(rt, "look_up") == parameters
    assert rt.call("look_up", {"q": "x"}).for_llm == "x default"
    info = next(tool for tool in rt.registry.list() if tool["name"] == "look_up")
    assert info["group"] == "web"
    assert info["capabilities"] == ["read-only", "open-world"]


def test_the_context_is_not_part_of_the_schema(rt: Runtime) -> None:
    @rt.tool
    def who(context: Context, **more: Any) -> str:
        return f"{context.agent} {more}"

    assert schema(rt, "who")["properties"] == {}
    assert schema(rt, "who")["additionalProperties"] is True
    assert rt.call("who", {"a": 1}, agent="x").for_llm == "x {'a': 1}"


def test_methods_partials_and_callable_objects_are_tools(rt: Runtime) -> None:
    class Counter:
        def __init__(self) -> None:
            self.count = 0

        def add(self, by: int) -> int:
            """Adds."""
            self.count += by
            return self.count

        async def __call__(self, by: int) -> int:
            return self.add(by)

    counter = Counter()
    rt.tool(counter.add)
    rt.tool(name="call")(counter)
    rt.tool(name="add_two")(functools.partial(counter.add, by=2))
    assert rt.call("add", {"by": 3}).structured == 3
    assert rt.call("call", {"by": 4}).structured == 7
    assert rt.call("add_two").structured == 9


def test_an_annotation_without_a_schema_names_the_parameter(rt: Runtime) -> None:
    def odd(thing: Odd) -> None: ...
    def bare(thing) -> None: ...  # type: ignore[no-untyped-def]
    def keys(thing: dict[int, str]) -> None: ...
    def tree(thing: Tree) -> None: ...
    def rest(*thing: int) -> None: ...
    def only(thing: int, /) -> None: ...

    for function in (odd, bare, keys, tree, rest, only):
        with pytest.raises(TypeError, match="parameter `thing`"):
            rt.tool(function)

    def unknown(thing: Nowhere) -> None: ...  # type: ignore[name-defined] # noqa: F821

    with pytest.raises(TypeError, match="Nowhere"):
        rt.tool(unknown)


def test_a_description_by_hand_takes_a_handler_of_two_arguments(rt: Runtime) -> None:
    spec: ToolSpec = {"name": "mine", "parameters": {"type": "object", "required": ["a"]}}
    rt.register(spec, lambda args, context: f"{args} {context.session}")
    assert rt.call("mine", {"a": 1}, session="s").for_llm == "{'a': 1} s"
    assert rt.call("mine", {}).code == "invalid_arguments"
    rt.unregister("mine")
    assert rt.call("mine", {"a": 1}).code == "unknown_tool"
