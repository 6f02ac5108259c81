"""Annotations as JSON Schema, and JSON data as what the annotation says.

A tool whose parameter is a dataclass or an enum gets one, not the dict or str that the model sent.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import enum
import types
import typing
from collections.abc import Callable
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from ._constraints import keywords_of
from ._context import Context

Build = Callable[[Any], Any]
"""Turns JSON data, which fits the schema, into the annotated type."""

_PLAIN: dict[Any, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    None: "null",
    types.NoneType: "null",
}
_SEQUENCES = (list, collections.abc.Sequence, collections.abc.Iterable)
_SETS = (set, frozenset, collections.abc.Set)
# Since Python 3.11.
_QUALIFIERS = [
    getattr(typing, name)
    for name in ("Required", "NotRequired", "ReadOnly")
    if hasattr(typing, name)
]
_MAPPINGS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)


class UnsupportedError(TypeError):
    """An annotation that has no JSON Schema."""


@dataclasses.dataclass(frozen=True)
class Shape:
    """What an annotation comes to."""

    schema: dict[str, Any]
    build: Build | None = None
    """None: the data stays as it is."""
    fits: Callable[[Any], bool] = lambda _: True
    """Whether data looks like this one; tells the members of a union apart."""

    def of(self, data: Any) -> Any:
        """The data as the annotated type."""
        return data if self.build is None else self.build(data)


def shape_of(annotation: Any, within: tuple[Any, ...] = ()) -> Shape:
    """The shape of an annotation. `within` are the classes that it is a field of."""
    if annotation is Any or annotation is object:
        return Shape({})
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _annotated(args[0], args[1:], within)
    if annotation in _PLAIN:
        return _plain(annotation)
    if origin is Literal:
        return Shape({"enum": list(args)}, fits=lambda data: data in args)
    if origin in (Union, types.UnionType):
        return _union(args, within)
    if origin in _QUALIFIERS:
        return shape_of(args[0], within)
    kind = origin or annotation
    if kind is tuple:
        return _tuple(args, within)
    if kind in _SEQUENCES or kind in _SETS:
        return _list(kind, args, within)
    if kind in _MAPPINGS:
        return _dict(args, within)
    if isinstance(kind, type):
        return _class(kind, within)
    raise UnsupportedError(f"{annotation!r} has no JSON Schema")


def _plain(annotation: Any) -> Shape:
    kind = _PLAIN[annotation]
    # The schema takes 5 for a number and 5.0 for an integer; Python code may mind.
    build: Build | None = None
    if annotation is float:
        build = float
    elif annotation is int:
        build = int
    return Shape({"type": kind}, build, lambda data: _json_type(data) in _accepted(kind))


def _accepted(kind: str) -> tuple[str, ...]:
    return ("number", "integer") if kind == "number" else (kind,)


def _json_type(data: Any) -> str:
    if data is None:
        return "null"
    names = ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"))
    return next((name for kind, name in names if isinstance(data, kind)), "other")


def _annotated(annotation: Any, extras: tuple[Any, ...], within: tuple[Any, ...]) -> Shape:
    shape = shape_of(annotation, within)
    schema = dict(shape.schema)
    for extra in extras:
        schema.update(keywords_of(extra, shape.schema))
    return dataclasses.replace(shape, schema=schema)


def _union(args: tuple[Any, ...], within: tuple[Any, ...]) -> Shape:
    shapes = [shape_of(arg, within) for arg in args]

    def build(data: Any) -> Any:
        found = next((shape for shape in shapes if shape.fits(data)), None)
        return data if found is None else found.of(data)

    def fits(data: Any) -> bool:
        return any(shape.fits(data) for shape in shapes)

    return Shape({"anyOf": [shape.schema for shape in shapes]}, build, fits)


def _list(kind: Any, args: tuple[Any, ...], within: tuple[Any, ...]) -> Shape:
    item = shape_of(args[0], within) if args else Shape({})
    schema: dict[str, Any] = {"type": "array", "items": item.schema}
    collect: Callable[[Any], Any] = list
    if kind in _SETS:
        schema["uniqueItems"] = True
        collect = frozenset if kind is frozenset else set
    build: Build = lambda data: collect(item.of(one) for one in data)  # noqa: E731
    return Shape(schema, build, lambda data: isinstance(data, list))


def _tuple(args: tuple[Any, ...], within: tuple[Any, ...]) -> Shape:
    if not args or args[-1] is Ellipsis:
        listed = _list(list, args[:1], within)
        return dataclasses.replace(listed, build=lambda data: tuple(listed.of(data)))
    items = [shape_of(arg, within) for arg in args]
    schema = {
        "type": "array",
        "prefixItems": [item.schema for item in items],
        "minItems": len(items),
        "maxItems": len(items),
    }
    build: Build = lambda data: tuple(  # noqa: E731
        item.of(one) for item, one in zip(items, data, strict=True)
    )
    return Shape(schema, build, lambda data: isinstance(data, list))


def _dict(args: tuple[Any, ...], within: tuple[Any, ...]) -> Shape:
    if args and args[0] is not str:
        raise UnsupportedError(f"a dict with {args[0]!r} for keys is not JSON; take str")
    item = shape_of(args[1], within) if args else Shape({})
    schema = {"type": "object", "additionalProperties": item.schema or True}
    build: Build = lambda data: {key: item.of(one) for key, one in data.items()}  # noqa: E731
    return Shape(schema, build, lambda data: isinstance(data, dict))


def _class(kind: type, within: tuple[Any, ...]) -> Shape:
    if issubclass(kind, Context):
        # A model that could write one would say on whose behalf it calls.
        raise UnsupportedError("a Context comes from toolkeep; give it a parameter of its own")
    if kind in within:
        raise UnsupportedError(f"{kind.__name__} holds itself; describe it with `parameters=`")
    if issubclass(kind, enum.Enum):
        return _enum(kind)
    if dataclasses.is_dataclass(kind):
        fields = [field for field in dataclasses.fields(kind) if field.init]
        required = {
            field.name
            for field in fields
            if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        }
        return _record(kind, {field.name for field in fields}, required, within)
    if typing.is_typeddict(kind):
        names = set(kind.__annotations__)
        return _record(kind, names, set(vars(kind)["__required_keys__"]), within)
    raise UnsupportedError(f"{kind.__name__} has no JSON Schema")


def _enum(kind: type[enum.Enum]) -> Shape:
    values = [member.value for member in kind]
    if not all(isinstance(value, (str, int, float, bool)) for value in values):
        raise UnsupportedError(f"the values of {kind.__name__} are not all JSON")
    return Shape({"enum": values}, kind, lambda data: data in values)


def _record(kind: type, names: set[str], required: set[str], within: tuple[Any, ...]) -> Shape:
    hints = typing.get_type_hints(kind, include_extras=True)
    fields: dict[str, Shape] = {}
    for name, hint in hints.items():
        if name in names:
            try:
                fields[name] = shape_of(hint, (*within, kind))
            except UnsupportedError as why:
                raise UnsupportedError(f"field `{name}` of {kind.__name__}: {why}") from None
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {name: field.schema for name, field in fields.items()},
        "required": [name for name in fields if name in required],
        "additionalProperties": False,
    }

    def build(data: Any) -> Any:
        return kind(**{name: fields[name].of(one) for name, one in data.items()})

    def fits(data: Any) -> bool:
        return isinstance(data, dict) and required <= data.keys() <= fields.keys()

    return Shape(schema, build, fits)
