"""What stands beside a type in `Annotated`, as keywords of JSON Schema.

The objects of `annotated_types`, pydantic (`Field`, `StringConstraints`) and msgspec (`Meta`) are
known by their attributes: none of these packages is needed.
"""

from __future__ import annotations

import decimal
import math
import numbers
import re
from collections.abc import Iterable, Iterator
from typing import Any

_BOUNDS = {
    "gt": "exclusiveMinimum",
    "ge": "minimum",
    "lt": "exclusiveMaximum",
    "le": "maximum",
    "multiple_of": "multipleOf",
}
_LENGTHS = {
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
}
_TEXTS = {"title": "title", "description": "description", "documentation": "description"}
_SCHEMAS = ("json_schema_extra", "extra_json_schema")


def keywords_of(extra: Any, schema: dict[str, Any]) -> dict[str, Any]:
    """The keywords that one of the extras of `Annotated` adds to the schema of its type."""
    if isinstance(extra, str):
        return {"description": extra}
    if isinstance(extra, dict):
        return extra
    found: dict[str, Any] = {}
    for part in _parts(extra):
        found.update(keywords_of(part, schema))
    found.update(_bounds(extra))
    found.update(_lengths(extra, _types(schema)))
    found.update(_remarks(extra))
    return found


def _parts(extra: Any) -> Iterator[Any]:
    # pydantic's `Field` keeps a list; `Interval` and `Len` of annotated_types give their parts.
    held = getattr(extra, "metadata", None)
    if isinstance(held, (list, tuple)):
        yield from held
    grouped = getattr(extra, "__is_annotated_types_grouped_metadata__", False)
    if grouped is True and isinstance(extra, Iterable):
        yield from (part for part in extra if part is not extra)


def _bounds(extra: Any) -> Iterator[tuple[str, Any]]:
    for name, keyword in _BOUNDS.items():
        bound = _number(getattr(extra, name, None))
        if bound is not None:
            yield keyword, bound


def _number(value: Any) -> int | float | None:
    if isinstance(value, bool) or not isinstance(value, (numbers.Real, decimal.Decimal)):
        return None
    if isinstance(value, int):
        return value
    return float(value) if math.isfinite(value) else None


def _lengths(extra: Any, types: set[str]) -> Iterator[tuple[str, Any]]:
    for index, name in enumerate(("min_length", "max_length")):
        length = getattr(extra, name, None)
        if isinstance(length, int) and not isinstance(length, bool):
            for kind in sorted(types & _LENGTHS.keys()):
                yield _LENGTHS[kind][index], length
    pattern = getattr(extra, "pattern", None)
    if isinstance(extra, re.Pattern) or isinstance(pattern, (str, re.Pattern)):
        yield "pattern", pattern.pattern if isinstance(pattern, re.Pattern) else pattern


def _types(schema: dict[str, Any]) -> set[str]:
    """The types that a schema takes; every one that has a length if it does not say."""
    if "anyOf" in schema:
        return set().union(*(_types(variant) for variant in schema["anyOf"]))
    if "enum" in schema:
        return {"string"}
    kind = schema.get("type")
    return set(_LENGTHS) if kind is None else {kind}


def _remarks(extra: Any) -> Iterator[tuple[str, Any]]:
    for name, keyword in _TEXTS.items():
        text = getattr(extra, name, None)
        if isinstance(text, str) and text:
            yield keyword, text
    examples = getattr(extra, "examples", None)
    if isinstance(examples, list) and examples:
        yield "examples", examples
    for name in _SCHEMAS:
        more = getattr(extra, name, None)
        if isinstance(more, dict):
            yield from more.items()
