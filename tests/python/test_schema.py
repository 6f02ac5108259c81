"""What a function's signature and docstring come to."""

from __future__ import annotations

import decimal
import enum
import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal, Optional, TypedDict, Union

import annotated_types
import pytest
from pydantic import Field, StringConstraints
from toolkeep import Context, InvalidArgumentError, Runtime, ToolSpec

if TYPE_CHECKING:
    import toolkeep as tk_of_checkers
    from toolkeep import Context as CheckedContext


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


class Meta:
    """As `msgspec.Meta` looks."""

    def __init__(self, **given: Any) -> None:
        names = "gt ge lt le multiple_of pattern min_length max_length title description examples"
        for name in [*names.split(), "extra_json_schema"]:
            setattr(self, name, given.get(name))


@dataclass
class Order:
    count: Annotated[int, Field(gt=0, le=9)]
    lines: list[Annotated[str, Field(min_length=1)]]


class Parcel(TypedDict):
    weight: Annotated[float, annotated_types.Interval(gt=0, lt=30)]


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


def test_bounds_in_annotated_are_told_and_kept(rt: Runtime) -> None:
    got: list[Any] = []

    @rt.tool
    def bounded(
        a: Annotated[int, Field(gt=3, le=9, description="How many.")],
        b: Annotated[float, annotated_types.Ge(0.5), annotated_types.Lt(2)],
        c: Annotated[str, Field(min_length=2, max_length=5, pattern="^a")],
        d: Annotated[list[str], Field(min_length=1)],
        e: Annotated[dict[str, int], annotated_types.MaxLen(2)],
        f: list[Annotated[int, annotated_types.Gt(0)]],
        g: Annotated[int, Field(gt=3)] | None = None,
        h: Annotated[str | None, Field(max_length=3)] = None,
        i: Annotated[int, annotated_types.MultipleOf(5)] = 5,
        j: Annotated[list[int], annotated_types.Len(1, 3)] = [1],  # noqa: B006
        k: Annotated[str, StringConstraints(pattern=re.compile("^k"))] = "k",
        m: Annotated[int, Meta(ge=1, lt=4, title="M", examples=[2])] = 1,
        n: Annotated[float, Field(ge=decimal.Decimal("0.5"))] = 1.0,
    ) -> None:
        got.append(a)

    told = properties(rt, "bounded")
    integer, string = {"type": "integer"}, {"type": "string"}
    assert told["a"] == {
        **integer,
        "exclusiveMinimum": 3,
        "maximum": 9,
        "description": "How many.",
    }
    assert told["b"] == {"type": "number", "minimum": 0.5, "exclusiveMaximum": 2}
    assert told["c"] == {**string, "minLength": 2, "maxLength": 5, "pattern": "^a"}
    assert told["d"] == {"type": "array", "items": string, "minItems": 1}
    assert told["e"]["maxProperties"] == 2
    assert told["f"] == {"type": "array", "items": {**integer, "exclusiveMinimum": 0}}
    assert told["g"]["anyOf"] == [{**integer, "exclusiveMinimum": 3}, {"type": "null"}]
    assert {"maxLength": 3, "type": "string"} in (told["h"], *told["h"]["anyOf"])
    assert told["i"]["multipleOf"] == 5
    assert (told["j"]["minItems"], told["j"]["maxItems"]) == (1, 3)
    assert told["k"]["pattern"] == "^k"
    assert told["m"] == {
        **integer,
        "minimum": 1,
        "exclusiveMaximum": 4,
        "title": "M",
        "examples": [2],
        "default": 1,
    }
    assert told["n"]["minimum"] == 0.5
    fits = {"a": 4, "b": 1, "c": "ab", "d": ["x"], "e": {}, "f": [1], "g": None, "h": None}
    assert not rt.call("bounded", fits).is_error
    wrongs: tuple[dict[str, Any], ...] = (
        {"a": 3},
        {"b": 2},
        {"c": "b"},
        {"d": []},
        {"f": [0]},
        {"g": 3},
        {"h": "long"},
        {"i": 4},
        {"k": "x"},
        {"m": 4},
    )
    for wrong in wrongs:
        assert rt.call("bounded", {**fits, **wrong}).code == "invalid_arguments", wrong
    assert got == [4]


def test_bounds_hold_within_classes(rt: Runtime) -> None:
    @rt.tool
    def ship(order: Order, parcel: Parcel) -> None: ...

    order, parcel = properties(rt, "ship")["order"], properties(rt, "ship")["parcel"]
    assert order["properties"]["count"] == {
        "type": "integer",
        "exclusiveMinimum": 0,
        "maximum": 9,
    }
    assert order["properties"]["lines"]["items"] == {"type": "string", "minLength": 1}
    assert parcel["properties"]["weight"]["exclusiveMaximum"] == 30
    wrong = {"order": {"count": 0, "lines": []}, "parcel": {"weight": 1}}
    assert rt.call("ship", wrong).code == "invalid_arguments"


def test_a_bad_schema_names_the_place(rt: Runtime) -> None:
    bad = {"type": "object", "properties": {"a": {"items": {"type": "strng"}}}}
    with pytest.raises(InvalidArgumentError, match="`/properties/a/items/type`"):
        rt.register({"name": "bad", "parameters": bad}, print)

    def look(a: Annotated[str, {"pattern": "("}]) -> None: ...

    with pytest.raises(InvalidArgumentError, match="`/properties/a/pattern`"):
        rt.tool(look)


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


def test_the_context_may_be_optional_and_known_to_type_checkers_only(rt: Runtime) -> None:
    def united(context: Context | None = None) -> str:
        return context.agent or "" if context else "none"

    def optional(context: Optional[Context]) -> str:  # noqa: UP045
        return context.agent or "" if context else "none"

    def noted(context: Annotated[Context | None, "Who calls."] = None) -> str:
        return context.agent or "" if context else "none"

    def checked(context: tk_of_checkers.Context | None = None) -> str:
        return context.agent or "" if context else "none"

    def aliased(context: CheckedContext) -> str:
        return context.agent or ""

    for function in (united, optional, noted):
        rt.tool(function)
        assert schema(rt, function.__name__)["properties"] == {}
        assert rt.call(function.__name__, agent="x").for_llm == "x"
        assert rt.call(function.__name__, {"context": {"agent": "me"}}).is_error
    for other in (checked, aliased):
        with pytest.raises(TypeError, match="annotation cannot be read"):
            rt.tool(other)


def test_the_context_is_found_in_a_module_that_imports_it_for_type_checkers(rt: Runtime) -> None:
    source = """
from __future__ import annotations
from typing import TYPE_CHECKING, Any
if TYPE_CHECKING:
    import toolkeep
    from toolkeep import Context

def plain(n: int, context: Context) -> Any:
    return f"{n} {context.agent}"

def united(n: int, context: Context | None = None) -> Any:
    return f"{n} {context.agent}"

def dotted(n: int, context: "Optional[toolkeep.Context]" = None) -> Any:
    return f"{n} {context.agent}"
"""
    module: dict[str, Any] = {}
    exec(compile(source, "module", "exec"), module)
    for name in ("plain", "united", "dotted"):
        rt.tool(module[name])
        assert list(properties(rt, name)) == ["n"]
        assert rt.call(name, {"n": 1}, agent="x").for_llm == "1 x"


def test_a_model_cannot_give_a_context(rt: Runtime) -> None:
    def either(context: Context | str) -> None: ...
    def several(context: list[Context]) -> None: ...
    def rest(*context: Context) -> None: ...

    for function in (either, several, rest):
        with pytest.raises(TypeError, match="parameter `context`"):
            rt.tool(function)


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
