"""The runtime, with blocking methods."""

from __future__ import annotations

import atexit
import contextlib
import inspect
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import copy_context
from dataclasses import asdict
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload
from weakref import WeakSet

from ._approval import Approve
from ._context import Caller, caller_fields, milliseconds
from ._events import Events, EventStream
from ._handlers import asking, check_handler, is_handler
from ._host import Host
from ._operations import Operations
from ._results import CallAnswer, CallRequest, Definitions, Explanation, ToolResult
from ._shell import CommandCheck, check_args
from ._signature import HostTool, Options, handler_of, tool_of
from ._toolkeep import Engine, Job, shutdown
from .errors import ConfigError, InvalidArgumentError, WouldBlockError

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from ._operations import (
        Action,
        Capability,
        Config,
        Settings,
        ShellSettings,
        Taint,
        ToolSpec,
        Touch,
    )

Dialect = Literal["openai", "openai-responses", "anthropic", "gemini", "mcp", "json-schema"]
"""A provider's way to write a tool definition."""

Request = CallRequest | Mapping[str, Any]
"""One call of a model's turn: a `CallRequest`, or a dict with `id`, `name` and `arguments`."""

Key = Callable[[], str]
"""Gives the key that secrets are sealed under: 64 hexadecimal digits, or 44 of base64."""

F = TypeVar("F", bound=Callable[..., Any])


class RuntimeBase:
    """What the blocking and the async runtime share."""

    _engine: Engine
    _host: Host

    def _adopt(self, engine: Engine, approve: Approve | None) -> None:
        self._engine = engine
        self._host = Host()
        _open.add(self)
        if approve is not None:
            self.set_handler("approve", approve)

    @property
    def closed(self) -> bool:
        """True once the runtime was closed."""
        return self._engine.closed

    def scrub(self, text: str) -> str:
        """The text with every secret in it masked, as the results of calls are masked."""
        return self._engine.scrub(text)

    @overload
    def tool(self, function: F, /) -> F: ...

    @overload
    def tool(
        self,
        /,
        *,
        name: str | None = None,
        description: str | None = None,
        group: str | None = None,
        capabilities: Sequence[Capability] = (),
        timeout: float | None = None,
        parameters: Mapping[str, Any] | None = None,
        touches: Sequence[Touch] = (),
        channels: Sequence[str] = (),
        argument_aliases: Mapping[str, Sequence[str]] | None = None,
        polling: bool = False,
        needs_approval: bool = False,
        taints: Sequence[Taint] = (),
        action: Action | None = None,
        original_name: str | None = None,
        shell_command: str | None = None,
        shell_cwd: str | None = None,
        shell_stdin: str | None = None,
        replace: bool = False,
    ) -> Callable[[F], F]: ...

    def tool(
        self,
        function: Callable[..., Any] | None = None,
        /,
        *,
        name: str | None = None,
        description: str | None = None,
        group: str | None = None,
        capabilities: Sequence[Capability] = (),
        timeout: float | None = None,
        parameters: Mapping[str, Any] | None = None,
        touches: Sequence[Touch] = (),
        channels: Sequence[str] = (),
        argument_aliases: Mapping[str, Sequence[str]] | None = None,
        polling: bool = False,
        needs_approval: bool = False,
        taints: Sequence[Taint] = (),
        action: Action | None = None,
        original_name: str | None = None,
        shell_command: str | None = None,
        shell_cwd: str | None = None,
        shell_stdin: str | None = None,
        replace: bool = False,
    ) -> Any:
        """Makes a function a tool: `@rt.tool`, or `@rt.tool(name=…)`. The function stays usable.

        Its annotations become the JSON Schema of its arguments, its docstring the description,
        the section `Args:` the descriptions of the parameters. A parameter annotated with
        `Context` gets the context of the call and is not seen by the model. `async def` functions
        run on the event loop of the call, others on a thread. A str that it returns is the text
        for the model, None is an empty text, a `ToolResult` is a whole result, other JSON is data.

        Args:
            function: The function, where the decorator is used bare.
            name: The tool's name. Default: the function's.
            description: What it does and when to use it, for the model. Default: the docstring.
            group: The group that it joins, for policies.
            capabilities: What it can do: `read-only`, `mutating`, … Default: anything.
            timeout: Its deadline in seconds, instead of the runtime's.
            parameters: The JSON Schema of its arguments, instead of the annotations'. The
                function then gets the arguments as they came, by name.
            touches: Which arguments name what a call touches:
                `{"argument": "path", "resource": "path", "effect": "write"}`. Calls of one turn
                that touch different things run side by side.
            channels: The channel types that it works on. Default: all. Where the caller's is
                another, the tool is hidden.
            argument_aliases: Other names that arguments may come under, by the argument's own.
            polling: True if the same call may well be repeated until its answer changes.
            needs_approval: True if each call wants somebody's approval.
            taints: What its results do to a session: `untrusted`, `private`.
            action: The action that it is, for agents whose actions are limited: `patch`,
                `finalize` or `delegate`.
            original_name: The name that it has where it comes from, if that is another.
            shell_command: The parameter that is a command of a shell, a str or a list of its
                words. It is judged before the function is called.
            shell_cwd: The parameter that names the folder in which that command starts.
            shell_stdin: The parameter that is given to that command on standard input, a str.
            replace: True if it may take the place of what has its name: another tool, whose
                aliases it takes over, or an alias.

        Raises:
            TypeError: A parameter has no annotation, or one that has no JSON Schema.
            NameTakenError: A tool or an alias has that name.
            InvalidArgumentError: The name or the schema is not usable.
        """
        options = Options(
            name=name,
            description=description,
            group=group,
            capabilities=capabilities,
            timeout_ms=milliseconds(timeout),
            parameters=parameters,
            touches=touches,
            channels=channels,
            argument_aliases=argument_aliases,
            polling=polling,
            needs_approval=needs_approval,
            taints=taints,
            action=action,
            original_name=original_name,
            shell_command=shell_command,
            shell_cwd=shell_cwd,
            shell_stdin=shell_stdin,
        )

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            self._register(tool_of(function, options), replace)
            return function

        return register if function is None else register(function)

    def register(
        self, spec: ToolSpec, handler: Callable[..., Any], *, replace: bool = False
    ) -> None:
        """Adds a tool with a description written by hand.

        Args:
            spec: `name`, `description`, `parameters` (JSON Schema), and what else `tool` takes,
                with `timeout_ms` for its deadline; only the name is required.
            handler: `handler(args, context)`, sync or async: the arguments as a dict, and the
                `Context` of the call. What it returns is as for `tool`.
            replace: True if it may take the place of what has its name: another tool, whose
                aliases it takes over, or an alias.

        Raises:
            NameTakenError: A tool or an alias has that name.
            InvalidArgumentError: The description is not usable; the text says where.
        """
        self._register(handler_of(spec, handler), replace)

    def set_handler(self, name: Literal["approve"], function: Approve | None) -> None:
        """Sets a handler: a function that toolkeep asks. None takes it away.

        Args:
            name: `approve`, as for `Runtime`.
            function: Takes the place of the one before. Sync (on a thread) or async.

        Raises:
            InvalidArgumentError: There is no handler of that name; the text says which there are.
            ClosedError: The runtime is closed.
        """
        check_handler(name, function)
        start = None
        if function is not None and is_handler(name):
            ask, is_async = asking(name, function)
            start = self._host.start_of(ask, is_async=is_async)
        self._engine.set_handler(name, start)

    def unregister(self, name: str) -> None:
        """Removes a tool and its aliases. Calls that are running go on.

        Raises:
            NotFoundError: There is no such tool.
        """
        self._engine.unregister(name)

    def _register(self, tool: HostTool, replace: bool) -> None:
        if not isinstance(replace, bool):
            what = type(replace).__name__
            raise InvalidArgumentError(f"`replace` is a {what}; give True or False")
        start = self._host.start_of(tool.call, is_async=tool.is_async)
        self._engine.register(tool.spec, start, replace)

    def __del__(self) -> None:
        # Opening may have failed.
        engine = getattr(self, "_engine", None)
        if engine is None or engine.closed or not engine.here:
            return
        warnings.warn(f"unclosed {self!r}", ResourceWarning, source=self, stacklevel=2)
        self._host.close(wait=False)

    def __repr__(self) -> str:
        state = " (closed)" if self._engine.closed else ""
        return f"<toolkeep.{type(self).__name__}{state}>"


class Runtime(RuntimeBase, Operations):
    """The governed tool layer of one agent program, with blocking methods.

    It may be used from any thread. Blocked methods release the GIL and heed Ctrl-C. Use it in a
    `with` block, or call `close`: what is queued for the ledger is written then.

    Operations are grouped by domain: `rt.agents.put(id="helper")`, `rt.audit.query()`.
    """

    def __init__(
        self,
        config: Config | None = None,
        *,
        workspace: str | os.PathLike[str] | None = None,
        store: str | None = None,
        key: Key | None = None,
        approve: Approve | None = None,
        **keys: Unpack[Settings],
    ) -> None:
        """Opens a runtime.

        Args:
            config: The configuration. Every key may be left out.
            workspace: The folder that file tools work in and never leave. Without one they are
                refused.
            store: Where state is kept: `memory:` (the default), `sqlite:<file>` or
                `postgres://<user>@<host>/<database>`.
            key: Gives the key that secrets are sealed under, from a keychain, say: called once,
                now. Instead of `secrets.key` in the configuration.
            approve: Decides where a call wants approval: takes an `ApprovalRequest`, gives `True`,
                `False`, an `ApprovalAnswer`, or `None` to leave it to others. Sync (on a thread)
                or async.
            keys: Any other key of the configuration (`policy`, `rate_limit`, …). A key given here
                replaces the one in `config`.

        Raises:
            ConfigError: The text names the key. What `key` raised is its cause.
            StoreError: The store cannot be opened; the subclass says why.
        """
        config = config_of(config, workspace, store, keys)
        check_handler("approve", approve)
        self._adopt(Engine.open(config, key_of(key)).wait(), approve)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        key: Key | None = None,
        approve: Approve | None = None,
    ) -> Self:
        """Opens the runtime that a `.toml` or `.json` file describes.

        Relative paths in it start at its folder. Without a `store` the state is kept in
        `toolkeep.db` beside it.

        Args:
            path: The file.
            key: As for `Runtime`.
            approve: As for `Runtime`.

        Raises:
            ConfigError: The text names the file and the key. What `key` raised is its cause.
            StoreError: The store cannot be opened; the subclass says why.
        """
        check_handler("approve", approve)
        runtime = cls.__new__(cls)
        runtime._adopt(Engine.open_file(path_of(path), key_of(key)).wait(), approve)
        return runtime

    def call(
        self,
        name: str,
        args: Mapping[str, Any] | str | None = None,
        **caller: Unpack[Caller],
    ) -> ToolResult:
        """Takes one call along the path: policy, arguments, limits, the tool, masking, record.

        Whatever the model caused is a result with `is_error` and a `code`.

        Args:
            name: The tool, as the model named it.
            args: The arguments: a dict, or the JSON text as the model wrote it.
            caller: Who calls: the keys of `Caller`, and `timeout` in seconds.

        Raises:
            ClosedError: The runtime is closed.
            InvalidArgumentError: `args` hold what is not JSON, or a key of the caller is wrong.
            StoreError: The ledger cannot be written.
        """
        job = self._engine.call(name, args, caller_fields(caller), (None, copy_context()))
        return ToolResult._of(self._wait(job))

    def call_all(self, requests: Iterable[Request], **caller: Unpack[Caller]) -> list[CallAnswer]:
        """Takes the calls of one model turn: independent ones side by side, the rest in order.

        Every request is answered, in order; one that failed never loses a sibling.

        Args:
            requests: `CallRequest`s, or dicts with `id`, `name` and `arguments`.
            caller: As for `call`.
        """
        job = self._engine.call_all(
            requests_of(requests), caller_fields(caller), (None, copy_context())
        )
        return [CallAnswer._of(answer) for answer in self._wait(job)]

    def definitions(
        self, dialect: Dialect, *, strict: bool | None = None, **caller: Unpack[Caller]
    ) -> list[dict[str, Any]]:
        """The definitions of the tools that this caller may call, in a provider's shape.

        Args:
            dialect: The provider's shape.
            strict: True for the form that the provider holds its model to. Default:
                `definitions.strict` of the configuration.
            caller: As for `call`.
        """
        options = {"dialect": dialect, "strict": strict}
        answer: list[dict[str, Any]] = self._wait(
            self._engine.definitions(options, caller_fields(caller), False)
        )
        return answer

    def definitions_report(
        self, dialect: Dialect, *, strict: bool | None = None, **caller: Unpack[Caller]
    ) -> Definitions:
        """The definitions, and the tools that are left out: quarantined, or deferred.

        Args:
            dialect: The provider's shape.
            strict: As for `definitions`.
            caller: As for `call`.
        """
        options = {"dialect": dialect, "strict": strict}
        job = self._engine.definitions(options, caller_fields(caller), True)
        return Definitions._of(self._wait(job))

    def explain(self, tool: str, **caller: Unpack[Caller]) -> Explanation:
        """Whether this caller may call the tool, and which rule says so. Runs nothing.

        Raises:
            NotFoundError: There is no such tool.
        """
        return Explanation._of(self._wait(self._engine.explain(tool, caller_fields(caller))))

    def check_command(
        self,
        command: str,
        *,
        profile: Literal["strict", "workspace"] | None = None,
        cwd: str | None = None,
        stdin: str | None = None,
        settings: ShellSettings | None = None,
        **caller: Unpack[Caller],
    ) -> CommandCheck:
        """Judges a command of a shell as it would be judged in a call of this caller. Runs nothing.

        Args:
            command: The command, as a model would write it.
            profile: A profile instead of the configuration's.
            cwd: The folder that it starts in: absolute, or relative to the workspace.
            stdin: The text on its standard input, if that is known.
            settings: Settings instead of those of the configuration.
            caller: As for `call`.

        Raises:
            InvalidArgumentError: A setting is wrong, or a folder of the caller cannot be used.
        """
        own = {"profile": profile, "cwd": cwd, "stdin": stdin, "settings": settings}
        args = check_args(command, own, caller_fields(caller))
        return CommandCheck._of(self._invoke("shell.check", args))

    @property
    def events(self) -> Events:
        """Operations `events.*`, and `follow`."""
        return Events(self._invoke, self._follow)

    def close(self) -> None:
        """Ends the runtime: running calls are cancelled, what is queued is written.

        Later calls raise `ClosedError`. Closing again does nothing.
        """
        if not self._engine.here:
            return
        self._wait(self._engine.close())
        self._host.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _invoke(self, operation: str, args: dict[str, Any], /) -> Any:
        return self._wait(self._engine.invoke(operation, args))

    def _follow(self, options: dict[str, Any], /) -> EventStream:
        return EventStream(self._engine.follow(options), self._wait)

    def _wait(self, job: Job) -> Any:
        if self._host.would_block():
            raise WouldBlockError(
                "a blocking method was called in an async tool, on the event loop that must "
                "answer it; use `asyncio.to_thread`, or AsyncRuntime"
            )
        return job.wait()


def path_of(path: str | os.PathLike[str]) -> str:
    """The path of a configuration file."""
    if not isinstance(path, (str, os.PathLike)):
        what = type(path).__name__
        raise InvalidArgumentError(f"`path` is a {what}; give the path of a .toml or .json file")
    return os.fspath(path)


def config_of(
    config: Mapping[str, Any] | None,
    workspace: str | os.PathLike[str] | None,
    store: str | None,
    keys: Mapping[str, Any],
) -> Any:
    """The configuration as the core takes it. The core refuses what is no dict."""
    if config is not None and not isinstance(config, Mapping):
        return config
    merged = {**(config or {}), **keys}
    if workspace is not None:
        merged["workspace"] = workspace
    if isinstance(merged.get("workspace"), os.PathLike):
        merged["workspace"] = os.fspath(merged["workspace"])
    if store is not None:
        merged["store"] = store
    return merged


def key_of(key: Key | None) -> str | None:
    """The key, as the host gives it. No error shows what that was."""
    if key is None:
        return None
    if not callable(key):
        raise _bad_key(f"`key` is a {type(key).__name__}; give a function of no arguments")
    try:
        text = key()
    except Exception as error:
        what = type(error).__name__
        raise _bad_key(f"the host gives no key: its function raised {what}") from error
    if not isinstance(text, str):
        if inspect.iscoroutine(text):
            text.close()
        what = type(text).__name__
        raise _bad_key(f"the host gives no key: its function gave a {what}, not a str")
    # An error of the conversion to UTF-8 would carry the text.
    if not text.isascii():
        raise _bad_key("the host gives no key: its function gave text that is not ASCII")
    return text


def _bad_key(why: str) -> ConfigError:
    return ConfigError(f"configuration: `secrets.key`: {why}")


def requests_of(requests: Iterable[Request]) -> list[Any]:
    """The requests as the core takes them."""
    if not isinstance(requests, Iterable):
        what = type(requests).__name__
        raise InvalidArgumentError(
            f"`requests` is a {what}; give a list of calls: dicts with `id`, `name`, `arguments`"
        )
    return [asdict(one) if isinstance(one, CallRequest) else _as_dict(one) for one in requests]


def _as_dict(request: Any) -> Any:
    return dict(request) if isinstance(request, Mapping) else request


_open: WeakSet[RuntimeBase] = WeakSet()


@atexit.register
def _end() -> None:
    """Closes what was left open, in bounded time, before the interpreter can no longer be used."""
    left = [runtime for runtime in list(_open) if runtime._engine.here]
    for runtime in left:
        runtime._engine.close_soon()
    shutdown()
    for runtime in left:
        with contextlib.suppress(RuntimeError):
            runtime._host.close(wait=False)
