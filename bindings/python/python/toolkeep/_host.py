"""Where the host's tools run: sync ones on threads, async ones on an event loop.

The core calls a tool by `start(invocation)`, from any thread, and must get it back at once. It
then waits for `invocation.resolve` or `invocation.reject`. What `start` returned is called when
nobody waits any more.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
import queue
import threading
from collections.abc import Awaitable, Callable
from contextvars import Context as ContextVars
from typing import TYPE_CHECKING, Any

from ._results import ToolResult
from .errors import ToolError

if TYPE_CHECKING:
    from ._toolkeep import Invocation

Start = Callable[["Invocation"], Callable[[], None] | None]
"""What the core calls for each call of a tool."""

HostData = tuple[asyncio.AbstractEventLoop | None, ContextVars]
"""What a call carries to its tools: the caller's event loop, if it has one, and its context."""

_log = logging.getLogger("toolkeep")

_IDLE_SECONDS = 10.0
_PATIENCE_SECONDS = 1.0


class Host:
    """The threads and the event loop of one runtime's tools.

    It does not know the runtime, which the core keeps alive through the tools.
    """

    def __init__(self) -> None:
        self._threads = _Threads()
        self._loop = _Loop()

    def start_of(self, function: Callable[[Invocation], Any], *, is_async: bool) -> Start:
        """How the core starts a tool that this function does."""
        if is_async:
            return lambda invocation: self._start_async(function, invocation)
        return lambda invocation: self._start_sync(function, invocation)

    def would_block(self) -> bool:
        """True on the thread of the event loop that runs the async tools of sync calls."""
        return self._loop.is_current()

    def close(self, *, wait: bool = True) -> None:
        """Ends the threads; tools that are running are cancelled, or left alone."""
        self._threads.close()
        self._loop.close(wait=wait)

    def _start_sync(self, function: Callable[[Invocation], Any], invocation: Invocation) -> None:
        _, variables = invocation.host
        # A context can be entered once at a time, and calls may run side by side.
        copied = variables.copy()
        self._threads.submit(lambda: copied.run(_answer, function, invocation))

    def _start_async(
        self, function: Callable[[Invocation], Awaitable[Any]], invocation: Invocation
    ) -> Callable[[], None] | None:
        loop, variables = invocation.host
        call = _AsyncCall(loop or self._loop.running(), function, invocation)
        try:
            call.loop.call_soon_threadsafe(call.begin, context=variables.copy())
        except RuntimeError:
            text = "The event loop that the call was made on is closed."
            invocation.reject("unavailable", text)
            return None
        return call.cancel


class _AsyncCall:
    """One call of an async tool."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        function: Callable[[Invocation], Awaitable[Any]],
        invocation: Invocation,
    ) -> None:
        self.loop = loop
        self._function = function
        self._invocation = invocation
        self._task: asyncio.Task[None] | None = None
        self._over = False

    def begin(self) -> None:
        """Makes the task. On the loop's own thread."""
        if not self._over:
            self._task = self.loop.create_task(self._run())

    def cancel(self) -> None:
        """Cancels the task, if it has not ended. On any thread."""
        if self._over:
            return
        # A loop that is closed has no tasks any more.
        with contextlib.suppress(RuntimeError):
            self.loop.call_soon_threadsafe(self._cancel)

    def _cancel(self) -> None:
        self._over = True
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        try:
            value = await self._function(self._invocation)
        except asyncio.CancelledError:
            self._over = True
            self._invocation.reject("cancelled", "The tool was cancelled.")
            raise
        except BaseException as error:
            self._over = True
            _reject(self._invocation, error)
        else:
            self._over = True
            _resolve(self._invocation, value)


def _answer(function: Callable[[Invocation], Any], invocation: Invocation) -> None:
    try:
        value = function(invocation)
    except BaseException as error:
        _reject(invocation, error)
    else:
        _resolve(invocation, value)


def _resolve(invocation: Invocation, value: Any) -> None:
    if inspect.isawaitable(value):
        if inspect.iscoroutine(value):
            value.close()
        text = "The tool returned an awaitable, which is not JSON; make it an `async def`."
        invocation.reject("invalid_result", text)
        return
    try:
        plain = value._returned() if isinstance(value, ToolResult) else value
    except Exception as error:
        text = f"The tool returned a malformed ToolResult: {error}."
        invocation.reject("invalid_result", text)
        return
    invocation.resolve(plain)


def _reject(invocation: Invocation, error: BaseException) -> None:
    _log.debug("a tool raised", exc_info=error)
    try:
        message = str(error)
    except Exception:
        message = ""
    code = error.code if isinstance(error, ToolError) else "tool_failed"
    invocation.reject(str(code), message or type(error).__name__)


class _Threads:
    """Threads that run sync tools: as many as there are tools running, for one may call another.

    They are daemons, so that a tool that never returns does not keep the interpreter from ending.
    """

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        # Threads that wait for a job and have none coming.
        self._idle = 0
        self._closed = False

    def submit(self, job: Callable[[], None]) -> None:
        with self._lock:
            has_thread = self._idle > 0
            if has_thread:
                self._idle -= 1
        if not has_thread:
            threading.Thread(target=self._work, name="toolkeep-tool", daemon=True).start()
        self._jobs.put(job)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, 0
        for _ in range(idle):
            self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._next()) is not None:
            job()
            # Lets go of the call before the wait for the next one.
            del job
            with self._lock:
                if self._closed:
                    return
                self._idle += 1

    def _next(self) -> Callable[[], None] | None:
        while True:
            try:
                return self._jobs.get(timeout=_IDLE_SECONDS)
            except queue.Empty:
                with self._lock:
                    if self._idle > 0:
                        self._idle -= 1
                        return None
                # Every thread that waits has a job coming: this one, too.


class _Loop:
    """An event loop on a thread of its own, begun when it is first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=_run_loop, args=(self._loop,), name="toolkeep-loop", daemon=True
                )
                self._thread.start()
            return self._loop

    def is_current(self) -> bool:
        return self._thread is not None and self._thread.ident == threading.get_ident()

    def close(self, *, wait: bool) -> None:
        with self._lock:
            loop, thread = self._loop, self._thread
        if loop is None or thread is None:
            return
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(loop.stop)
        if wait and not self.is_current():
            thread.join(2 * _PATIENCE_SECONDS)


def _run_loop(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        if tasks:
            loop.run_until_complete(asyncio.wait(tasks, timeout=_PATIENCE_SECONDS))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()
