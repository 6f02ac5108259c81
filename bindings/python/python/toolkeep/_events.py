"""Following events: an iterator, and an async iterator."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ._operations import (
    _UNSET,
    AsyncEventsOperations,
    Event,
    EventsOperations,
    _AsyncInvoke,
    _given,
    _Invoke,
)

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._toolkeep import Job, Stream


class _StreamBase:
    """What the blocking and the async stream share."""

    _stream: Stream

    @property
    def cursor(self) -> int:
        """The `seq` of the last event that was delivered, or skipped as the options say.

        Give it as `after` to go on from here.
        """
        return self._stream.cursor

    @property
    def dropped(self) -> int:
        """How many events of the tenant were pruned before this reader reached them, wanted or not.

        It grows when the next event that is left is reached.
        """
        return self._stream.dropped

    def __repr__(self) -> str:
        kind = type(self).__name__
        return f"<toolkeep.{kind} cursor={self.cursor} dropped={self.dropped}>"


class EventStream(_StreamBase):
    """The existing events of a tenant, and then new ones, in order.

    Iterating blocks until there is one, with the GIL released, and heeds Ctrl-C. It ends when the
    stream or the runtime is closed. What the store cannot do is raised; iterating again goes on
    where it was. Several threads may share a stream: each event goes to one of them.
    """

    def __init__(self, stream: Stream, wait: Callable[[Job], Any]) -> None:
        """For `rt.events.follow`."""
        self._stream = stream
        self._wait = wait

    def close(self) -> None:
        """Ends the stream, also for a thread that waits in it. Closing again does nothing."""
        self._stream.close()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Event:
        while (event := self._stream.pop()) is None:
            if not self._wait(self._stream.wait()):
                raise StopIteration
        return event

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class AsyncEventStream(_StreamBase):
    """The existing events of a tenant, and then new ones, in order.

    It ends when the stream or the runtime is closed. Cancelling a task that waits in it loses
    nothing. What the store cannot do is raised; iterating again goes on where it was.
    """

    def __init__(self, stream: Stream, outcome: Callable[[Job], Awaitable[Any]]) -> None:
        """For `rt.events.follow`."""
        self._stream = stream
        self._outcome = outcome

    async def aclose(self) -> None:
        """Ends the stream, also for a task that waits in it. Closing again does nothing."""
        self._stream.close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        # Nothing is awaited between taking an event and giving it, so none is lost on the way.
        while (event := self._stream.pop()) is None:
            if not await self._outcome(self._stream.wait()):
                raise StopAsyncIteration
        return event

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stream.close()


class Events(EventsOperations):
    """Operations `events.*`, and `follow`."""

    def __init__(self, invoke: _Invoke, follow: Callable[[dict[str, Any]], EventStream]) -> None:
        """For `rt.events`."""
        super().__init__(invoke)
        self._follow = follow

    def follow(
        self,
        *,
        tenant: str = _UNSET,
        after: int = _UNSET,
        subject: str | None = _UNSET,
        kinds: Sequence[str] = _UNSET,
    ) -> EventStream:
        """Follows the events of a tenant: `for event in rt.events.follow(after=cursor): …`.

        Events are delivered at least once to a reader that begins again after the last one it is
        done with. A reader that is slower than the store keeps events misses the oldest; `dropped`
        says how many.

        Args:
            tenant: The tenant whose events to follow. Default: `default`.
            after: Go on after the event of this `seq`. Default: 0, from the beginning. `last()`
                gives the place from which on everything is new.
            subject: Only events about this: the session of a call, the id of an agent, …
            kinds: Only events whose kind begins with one of these: `["call.", "agent.changed"]`.

        Raises:
            InvalidArgumentError: A bad tenant or place; while iterating: a place of another store.
            ClosedError: The runtime is closed.
        """
        return self._follow(_given(tenant=tenant, after=after, subject=subject, kinds=kinds))


class AsyncEvents(AsyncEventsOperations):
    """Operations `events.*`, and `follow`."""

    def __init__(
        self, invoke: _AsyncInvoke, follow: Callable[[dict[str, Any]], AsyncEventStream]
    ) -> None:
        """For `rt.events`."""
        super().__init__(invoke)
        self._follow = follow

    def follow(
        self,
        *,
        tenant: str = _UNSET,
        after: int = _UNSET,
        subject: str | None = _UNSET,
        kinds: Sequence[str] = _UNSET,
    ) -> AsyncEventStream:
        """Follows the events of a tenant: `async for event in rt.events.follow(after=cursor): …`.

        As `Events.follow`, with the same arguments. It is not awaited itself.
        """
        return self._follow(_given(tenant=tenant, after=after, subject=subject, kinds=kinds))
