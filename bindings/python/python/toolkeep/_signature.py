"""A Python function as a tool: its description for the model, and how it is called."""

from __future__ import annotations

import inspect
import json
import sys
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _docstring
from ._context import Context, context_of
from ._schema import Shape, UnsupportedError, shape_of

if TYPE_CHECKING:
    from ._operations import Action, Capability, Taint, Touch
    from ._toolkeep import Invocation

# What an annotation may name without a module that is there when the program runs.
_NAMES: dict[str, Any] = {
    "Context": Context,
    "toolkeep": sys.modules["toolkeep"],
    "typing": typing,
    "Annotated": typing.Annotated,
    "Optional": typing.Optional,
    "Union": typing.Union,
}
_KEYWORDS = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


@dataclass(frozen=True, kw_only=True)
class Options:
    """What the decorator says of a tool; None leaves it to the function."""

    name: str | None = None
    description: str | None = None
    group: str | None = None
    capabilities: Sequence[Capability] = ()
    timeout_ms: int | None = None
    parameters: Mapping[str, Any] | None = None
    touches: Sequence[Touch] = ()
    channels: Sequence[str] = ()
    argument_aliases: Mapping[str, Sequence[str]] | None = None
    polling: bool = False
    needs_approval: bool = False
    taints: Sequence[Taint] = ()
    action: Action | None = None
    original_name: str | None = None
    shell_command: str | None = None
    shell_cwd: str | None = None
    shell_stdin: str | None = None


@dataclass(frozen=True)
class HostTool:
    """A function as a tool."""

    spec: dict[str, Any]
    call: Callable[[Invocation], Any]
    """Calls the function; gives an awaitable if the function is async."""
    is_async: bool


def tool_of(function: Callable[..., Any], options: Options) -> HostTool:
    """The tool that a function is. Raises TypeError naming the parameter that cannot be."""
    # An empty name is the core's to refuse.
    name = getattr(function, "__name__", None) if options.name is None else options.name
    if name is None:
        raise TypeError(f"{function!r} has no name; give `name=`")
    if options.parameters is not None and not isinstance(options.parameters, Mapping):
        kind = type(options.parameters).__name__
        raise TypeError(f"tool `{name}`: `parameters` is a {kind}; give a JSON Schema as a dict")
    description, notes = _docstring.parse(function.__doc__)
    hints = _hints(function, name)
    contexts, shapes, schema = _parameters(function, name, hints, notes, options)
    spec = {
        "name": name,
        "description": description if options.description is None else options.description,
        "parameters": schema,
        "group": options.group,
        "capabilities": _list(options.capabilities),
        "timeout_ms": options.timeout_ms,
        "touches": _list(options.touches),
        "channels": _list(options.channels),
        "argument_aliases": options.argument_aliases or {},
        "polling": options.polling,
        "needs_approval": options.needs_approval,
        "taints": _list(options.taints),
        "action": options.action,
        "original_name": options.original_name,
        "shell_command": options.shell_command,
        "shell_cwd": options.shell_cwd,
        "shell_stdin": options.shell_stdin,
    }

    def call(invocation: Invocation) -> Any:
        given: dict[str, Any] = invocation.args
        args = {key: shapes[key].of(one) if key in shapes else one for key, one in given.items()}
        if contexts:
            context = context_of(invocation)
            args.update(dict.fromkeys(contexts, context))
        return function(**args)

    return HostTool(spec, call, is_async(function))


def _list(values: Sequence[Any]) -> Any:
    # The core refuses a text; a list of its letters it might take.
    return values if isinstance(values, str) else list(values)


def handler_of(spec: Mapping[str, Any], handler: Callable[..., Any]) -> HostTool:
    """The tool of a description written by hand and a `handler(args, context)`."""

    def call(invocation: Invocation) -> Any:
        return handler(invocation.args, context_of(invocation))

    return HostTool(dict(spec), call, is_async(handler))


def is_async(function: Callable[..., Any]) -> bool:
    """True for `async def`, also behind `functools.partial` or as `__call__`."""
    called = getattr(function, "__call__", None)  # noqa: B004
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called)


def _hints(function: Callable[..., Any], name: str) -> dict[str, Any]:
    target: Any = function
    while hasattr(target, "func"):
        target = target.func
    if not inspect.isroutine(target):
        target = type(target).__call__
    try:
        return typing.get_type_hints(target, include_extras=True)
    except NameError:
        pass
    # A module may import the context for type checkers only.
    known = {**_NAMES, **getattr(inspect.unwrap(target), "__globals__", {})}
    try:
        return typing.get_type_hints(target, localns=known, include_extras=True)
    except NameError as error:
        raise TypeError(
            f"tool `{name}`: an annotation cannot be read: {error}; define the name at the top "
            "of the module"
        ) from None


def _is_context(hint: Any) -> bool:
    """True for the context, also where it is optional or has remarks."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _is_context(args[0])
    if origin in (typing.Union, types.UnionType):
        given = [arg for arg in args if arg is not types.NoneType]
        return bool(given) and all(_is_context(arg) for arg in given)
    return hint is Context


def _parameters(
    function: Callable[..., Any],
    name: str,
    hints: dict[str, Any],
    notes: dict[str, str],
    options: Options,
) -> tuple[list[str], dict[str, Shape], dict[str, Any]]:
    contexts: list[str] = []
    shapes: dict[str, Shape] = {}
    properties: dict[str, Any] = {}
    required: list[str] = []
    more: Any = False
    for key, parameter in inspect.signature(function).parameters.items():
        hint = hints.get(key, parameter.empty)
        if _is_context(hint):
            if parameter.kind not in _KEYWORDS:
                raise TypeError(f"tool `{name}`: parameter `{key}` cannot be given by name")
            contexts.append(key)
        elif options.parameters is not None:
            continue
        elif parameter.kind is parameter.VAR_KEYWORD:
            more = True if hint is parameter.empty else _shape(name, key, hint).schema or True
        elif parameter.kind not in _KEYWORDS:
            raise TypeError(f"tool `{name}`: parameter `{key}` cannot be given by name")
        else:
            shapes[key] = _shape(name, key, hint)
            properties[key] = _described(shapes[key].schema, notes.get(key), parameter)
            if parameter.default is parameter.empty:
                required.append(key)
    if options.parameters is not None:
        return contexts, {}, dict(options.parameters)
    schema = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": more,
    }
    return contexts, shapes, schema


def _shape(name: str, key: str, hint: Any) -> Shape:
    where = f"tool `{name}`: parameter `{key}`"
    if hint is inspect.Parameter.empty:
        raise TypeError(f"{where} has no annotation; annotate it, or give `parameters=`")
    try:
        return shape_of(hint)
    except UnsupportedError as why:
        raise TypeError(f"{where}: {why}") from None


def _described(
    schema: dict[str, Any], note: str | None, parameter: inspect.Parameter
) -> dict[str, Any]:
    described = dict(schema)
    if note:
        described.setdefault("description", note)
    if parameter.default is not parameter.empty and _is_json(parameter.default):
        described["default"] = parameter.default
    return described


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True
