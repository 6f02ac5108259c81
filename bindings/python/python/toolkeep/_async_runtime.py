"""The runtime, with awaited methods."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Iterable, Mapping
from contextvars import copy_context
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from ._approval import Approve
from ._context import Caller, caller_fields
from ._events import AsyncEvents, AsyncEventStream
from ._handlers import check_handler
from ._operations import AsyncOperations
from ._results import CallAnswer, Definitions, Explanation, ToolResult
from ._runtime import Dialect, Key, Request, RuntimeBase, config_of, key_of, path_of, requests_of
from ._shell import CommandCheck, check_args
from ._toolkeep import Engine, Job

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from ._operations import Config, Settings, ShellSettings


class AsyncRuntime(RuntimeBase, AsyncOperations):
    """The governed tool layer of one agent program, with awaited methods.

    The names are those of `Runtime`. Cancelling a task that awaits a call cancels the call and its
    tool. Async tools run on the event loop that awaits the call. It needs asyncio. `tool`,
    `register`, `unregister` and `scrub` take no time and are not awaited.
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
        """Opens a runtime, as `Runtime` does, so that tools can be added before a loop runs.

        This opens the store, which takes milliseconds unless another process holds it.
        `await AsyncRuntime.open(path)` never blocks the loop.

        Args:
            config: The configuration. Every key may be left out.
            workspace: The folder that file tools work in and never leave.
            store: Where state is kept: `memory:` (the default), `sqlite:<file>` or
                `postgres://<user>@<host>/<database>`.
            key: Gives the key that secrets are sealed under; called once, now.
            approve: Decides where a call wants approval, as for `Runtime`. An `async def` runs on
                the event loop that awaits the call.
            keys: Any other key of the configuration.
        """
        config = config_of(config, workspace, store, keys)
        check_handler("approve", approve)
        self._adopt(Engine.open(config, key_of(key)).wait(), approve)

    @classmethod
    async def open(
        cls,
        path: str | os.PathLike[str],
        *,
        key: Key | None = None,
        approve: Approve | None = None,
    ) -> Self:
        """Opens the runtime that a `.toml` or `.json` file describes, as `Runtime.open` does.

        `key` runs on a thread, so that a slow keychain does not block the loop.
        """
        check_handler("approve", approve)
        runtime = cls.__new__(cls)
        text = None if key is None else await asyncio.to_thread(key_of, key)
        runtime._adopt(await _outcome(Engine.open_file(path_of(path), text)), approve)
        return runtime

    async def call(
        self,
        name: str,
        args: Mapping[str, Any] | str | None = None,
        **caller: Unpack[Caller],
    ) -> ToolResult:
        """Takes one call along the path, as `Runtime.call` does."""
        job = self._engine.call(name, args, caller_fields(caller), _host_data())
        return ToolResult._of(await _outcome(job))

    async def call_all(
        self, requests: Iterable[Request], **caller: Unpack[Caller]
    ) -> list[CallAnswer]:
        """Takes the calls of one model turn, as `Runtime.call_all` does."""
        job = self._engine.call_all(requests_of(requests), caller_fields(caller), _host_data())
        return [CallAnswer._of(answer) for answer in await _outcome(job)]

    async def definitions(
        self, dialect: Dialect, *, strict: bool | None = None, **caller: Unpack[Caller]
    ) -> list[dict[str, Any]]:
        """The definitions of the tools that this caller may call, as `Runtime.definitions` does."""
        options = {"dialect": dialect, "strict": strict}
        job = self._engine.definitions(options, caller_fields(caller), False)
        answer: list[dict[str, Any]] = await _outcome(job)
        return answer

    async def definitions_report(
        self, dialect: Dialect, *, strict: bool | None = None, **caller: Unpack[Caller]
    ) -> Definitions:
        """The definitions, and what is left out, as `Runtime.definitions_report` does."""
        options = {"dialect": dialect, "strict": strict}
        job = self._engine.definitions(options, caller_fields(caller), True)
        return Definitions._of(await _outcome(job))

    async def explain(self, tool: str, **caller: Unpack[Caller]) -> Explanation:
        """Whether this caller may call the tool, as `Runtime.explain` does."""
        job = self._engine.explain(tool, caller_fields(caller))
        return Explanation._of(await _outcome(job))

    async def check_command(
        self,
        command: str,
        *,
        profile: Literal["strict", "workspace"] | None = None,
        cwd: str | None = None,
        stdin: str | None = None,
        settings: ShellSettings | None = None,
        **caller: Unpack[Caller],
    ) -> CommandCheck:
        """Judges a command of a shell, as `Runtime.check_command` does."""
        own = {"profile": profile, "cwd": cwd, "stdin": stdin, "settings": settings}
        args = check_args(command, own, caller_fields(caller))
        return CommandCheck._of(await self._invoke("shell.check", args))

    @property
    def events(self) -> AsyncEvents:
        """Operations `events.*`, and `follow`."""
        return AsyncEvents(self._invoke, self._follow)

    async def close(self) -> None:
        """Ends the runtime, as `Runtime.close` does. Closing again does nothing."""
        if not self._engine.here:
            return
        await _outcome(self._engine.close())
        self._host.close(wait=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    def _follow(self, options: dict[str, Any], /) -> AsyncEventStream:
        return AsyncEventStream(self._engine.follow(options), self._wait)

    async def _wait(self, job: Job) -> Any:
        return await _outcome(job)

    async def _invoke(self, operation: str, args: dict[str, Any], /) -> Any:
        return await _outcome(self._engine.invoke(operation, args))


def _host_data() -> Any:
    return asyncio.get_running_loop(), copy_context()


async def _outcome(job: Job) -> Any:
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()
    job.start(partial(_deliver, loop, future))
    try:
        return await future
    finally:
        # Does nothing if it has ended.
        job.cancel()


def _deliver(
    loop: asyncio.AbstractEventLoop,
    future: asyncio.Future[Any],
    value: Any,
    error: BaseException | None,
) -> None:
    # On a loop that is closed nobody waits any more.
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(_settle, future, value, error)


def _settle(future: asyncio.Future[Any], value: Any, error: BaseException | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(value)
    else:
        future.set_exception(error)
