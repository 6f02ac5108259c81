"""The async face: loops, cancellation, deadlines, contextvars."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import threading
import time
from typing import Any

import pytest
import toolkeep
from toolkeep import AsyncRuntime, Context, Runtime

user: contextvars.ContextVar[str] = contextvars.ContextVar("user", default="nobody")

pytestmark = pytest.mark.asyncio


async def test_async_tools_run_on_the_loop_of_the_caller() -> None:
    async with AsyncRuntime() as rt:

        @rt.tool
        async def where() -> bool:
            return asyncio.get_running_loop() is loop

        @rt.tool
        def elsewhere() -> bool:
            return threading.current_thread() is not threading.main_thread()

        loop = asyncio.get_running_loop()
        assert (await rt.call("where")).structured is True
        assert (await rt.call("elsewhere")).structured is True


async def test_fifty_async_tools_wait_side_by_side() -> None:
    async with AsyncRuntime() as rt:
        together = asyncio.Barrier(50) if hasattr(asyncio, "Barrier") else None

        @rt.tool
        async def meet(number: int) -> int:
            if together is not None:
                await together.wait()
            return number

        results = await asyncio.gather(*(rt.call("meet", {"number": n}) for n in range(50)))
        assert [result.structured for result in results] == list(range(50))


async def test_cancelling_a_task_cancels_the_call_and_its_tool() -> None:
    began, ended = asyncio.Event(), asyncio.Event()
    async with AsyncRuntime() as rt:

        @rt.tool
        async def forever() -> None:
            began.set()
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                ended.set()
                raise

        task = asyncio.create_task(rt.call("forever", session="s"))
        await began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(ended.wait(), 5)
        for _ in range(100):
            rows = await rt.audit.query(session="s")
            if rows:
                break
            await asyncio.sleep(0.01)
        assert rows[0]["code"] == "cancelled"


async def test_a_deadline_cancels_the_tools_task() -> None:
    ended = asyncio.Event()
    async with AsyncRuntime() as rt:

        @rt.tool(timeout=60)
        async def forever() -> None:
            try:
                await asyncio.sleep(3600)
            finally:
                ended.set()

        result = await rt.call("forever", timeout=0.05)
        assert result.code == "timeout"
        await asyncio.wait_for(ended.wait(), 5)


async def test_a_sync_tool_sees_that_its_call_was_cancelled() -> None:
    seen = threading.Event()
    async with AsyncRuntime() as rt:

        @rt.tool
        def poll(context: Context) -> str:
            deadline = time.monotonic() + 5
            while not context.cancelled and time.monotonic() < deadline:
                time.sleep(0.005)
            if context.cancelled:
                seen.set()
            return "late"

        assert (await rt.call("poll", timeout=0.05)).code == "timeout"
        assert await asyncio.to_thread(seen.wait, 5)


async def test_what_a_tool_answers_after_its_deadline_is_ignored() -> None:
    async with AsyncRuntime() as rt:
        answered = threading.Event()

        @rt.tool
        def late() -> str:
            time.sleep(0.2)
            answered.set()
            return "late"

        @rt.tool
        async def stubborn() -> str:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                answered.set()
            return "late"

        for name in ("late", "stubborn"):
            answered.clear()
            assert (await rt.call(name, timeout=0.05)).code == "timeout"
            assert await asyncio.to_thread(answered.wait, 5)
        assert (await rt.call("datetime")).code is None


async def test_contextvars_reach_sync_and_async_tools() -> None:
    async with AsyncRuntime() as rt:

        @rt.tool
        async def soon() -> str:
            return user.get()

        @rt.tool
        def here() -> str:
            found = user.get()
            user.set("changed")
            return found

        user.set("ada")
        assert (await rt.call("soon")).for_llm == "ada"
        assert (await rt.call("here")).for_llm == "ada"
        assert user.get() == "ada"
        both = [{"id": str(n), "name": "here"} for n in range(4)]
        assert {one.result.for_llm for one in await rt.call_all(both)} == {"ada"}


def _sync_contextvars() -> None:
    with Runtime() as rt:

        @rt.tool
        async def soon() -> str:
            return user.get()

        @rt.tool
        def here() -> str:
            return user.get()

        user.set("bob")
        assert rt.call("soon").for_llm == "bob"
        assert rt.call("here").for_llm == "bob"


async def test_contextvars_reach_the_tools_of_sync_calls() -> None:
    contextvars.copy_context().run(_sync_contextvars)


async def test_an_async_tool_may_call_the_runtime_again() -> None:
    async with AsyncRuntime() as rt:

        @rt.tool
        async def outer() -> str:
            return (await rt.call("datetime", {"timezone": "UTC"})).for_llm

        assert "UTC" in (await rt.call("outer")).for_llm


async def test_a_blocking_call_on_the_tools_own_loop_is_refused() -> None:
    with Runtime() as rt:

        @rt.tool
        async def outer() -> str:
            with pytest.raises(toolkeep.WouldBlockError) as raised:
                rt.call("datetime")
            return raised.value.code

        @rt.tool
        def nested() -> str:
            return rt.call("outer").for_llm

        assert rt.call("outer").for_llm == "would_block"
        assert rt.call("nested").for_llm == "would_block"


async def test_the_sync_runtime_works_inside_a_running_loop() -> None:
    with Runtime() as rt:

        @rt.tool
        async def soon() -> str:
            await asyncio.sleep(0.01)
            return "soon"

        assert rt.call("soon").for_llm == "soon"


async def test_an_async_runtime_closes_and_refuses() -> None:
    rt = AsyncRuntime()
    await rt.close()
    await rt.close()
    assert rt.closed
    for use in (rt.call("datetime"), rt.call_all([]), rt.definitions("mcp"), rt.agents.list()):
        with pytest.raises(toolkeep.ClosedError):
            await use


async def test_events_are_awaited_without_blocking_the_loop() -> None:
    async with AsyncRuntime() as rt:
        reading = asyncio.create_task(rt.events.read(after=0, wait_ms=5000))
        await asyncio.sleep(0.05)
        await rt.call("datetime")
        assert (await reading)[0]["kind"] == "call.completed"


async def test_a_call_that_is_given_up_is_cancelled() -> None:
    began, ended = asyncio.Event(), asyncio.Event()
    async with AsyncRuntime() as rt:

        @rt.tool
        async def forever() -> None:
            began.set()
            try:
                await asyncio.sleep(3600)
            finally:
                ended.set()

        call: Any = rt.call("forever")
        call.send(None)
        await began.wait()
        call.close()
        del call
        gc.collect()
        await asyncio.wait_for(ended.wait(), 5)


def _leave(rt: AsyncRuntime) -> None:
    async def main() -> None:
        task = asyncio.create_task(rt.call("forever"))
        await asyncio.sleep(0.05)
        assert not task.done()

    asyncio.run(main())


async def test_a_loop_that_ends_cancels_its_calls_quietly(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with AsyncRuntime() as rt:

        @rt.tool
        async def forever() -> None:
            await asyncio.sleep(3600)

        await asyncio.to_thread(_leave, rt)
        assert not caplog.records
        assert (await rt.call("datetime")).code is None
