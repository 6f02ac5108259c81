"""Following events: the iterator, the async iterator, and their ends."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from pathlib import Path

import pytest
import toolkeep
from conftest import Script
from toolkeep import AsyncEventStream, AsyncRuntime, Event, EventStream, Runtime


def called(rt: Runtime, times: int = 1, session: str = "s", tenant: str = "default") -> None:
    for _ in range(times):
        assert rt.call("datetime", session=session, tenant=tenant).code is None


def taken(stream: EventStream, count: int) -> list[int]:
    return [next(stream)["seq"] for _ in range(count)]


async def taken_async(stream: AsyncEventStream, count: int) -> list[int]:
    return [(await stream.__anext__())["seq"] for _ in range(count)]


def test_events_that_are_there_and_those_to_come(rt: Runtime) -> None:
    called(rt, 2)
    seen: list[Event] = []
    writer = threading.Timer(0.2, called, [rt, 1, "late"])
    writer.start()
    for event in rt.events.follow():
        seen.append(event)
        if event["subject"] == "late":
            break
    writer.join()
    assert [event["seq"] for event in seen] == [1, 2, 3]
    assert {event["kind"] for event in seen} == {"call.completed"}


def test_a_cursor_goes_on_after_the_store_was_opened_again(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path}/a.db"
    with Runtime(store=store) as rt:
        called(rt, 4)
        with rt.events.follow() as stream:
            assert taken(stream, 2) == [1, 2]
            assert stream.cursor == 2
    with Runtime(store=store) as rt:
        called(rt)
        with rt.events.follow(after=stream.cursor) as stream:
            assert taken(stream, 3) == [3, 4, 5]
            assert stream.dropped == 0
            assert repr(stream) == "<toolkeep.EventStream cursor=5 dropped=0>"


def test_a_reader_overtaken_by_pruning_sees_how_much_it_missed(rt: Runtime) -> None:
    called(rt, 10)
    late = rt.events.follow(after=2)
    assert rt.events.prune(keep=3) == {"pruned": 7}
    assert taken(late, 3) == [8, 9, 10]
    assert (late.cursor, late.dropped) == (10, 5)


def test_tenants_subjects_and_kinds_are_chosen(rt: Runtime) -> None:
    called(rt, 2, "other")
    called(rt, 1, "mine")
    called(rt, 1, "mine", "elsewhere")
    rt.agents.put(id="mine")
    mine = rt.events.follow(subject="mine", kinds=["call."])
    event = next(mine)
    assert (event["subject"], event["kind"]) == ("mine", "call.completed")
    assert next(rt.events.follow(kinds=("agent.changed",)))["subject"] == "mine"
    assert next(rt.events.follow(tenant="elsewhere"))["tenant"] == "elsewhere"
    from_now_on = rt.events.follow(after=rt.events.last())
    called(rt, 1, "new")
    assert next(from_now_on)["subject"] == "new"


def test_mistakes_are_told(rt: Runtime) -> None:
    called(rt)
    assert rt.events.last() == 1
    for bad in ({"after": -1}, {"tenant": ""}, {"kinds": "call."}, {"after": "x"}):
        with pytest.raises(toolkeep.InvalidArgumentError):
            rt.events.follow(**bad)
    stream = rt.events.follow(after=99)
    for _ in range(2):
        with pytest.raises(toolkeep.InvalidArgumentError, match="another store"):
            next(stream)


def test_several_streams_at_once_see_everything(rt: Runtime) -> None:
    seen: list[list[int]] = [[] for _ in range(4)]

    def follow(into: list[int]) -> None:
        with rt.events.follow() as stream:
            into.extend(taken(stream, 50))

    readers = [threading.Thread(target=follow, args=[into]) for into in seen]
    writers = [threading.Thread(target=called, args=[rt, 25]) for _ in range(2)]
    for thread in [*readers, *writers]:
        thread.start()
    for thread in [*readers, *writers]:
        thread.join(20)
    assert seen == [list(range(1, 51))] * 4


def test_threads_share_a_stream(rt: Runtime) -> None:
    stream = rt.events.follow()
    seen: list[int] = []
    readers = [
        threading.Thread(target=lambda: seen.extend(e["seq"] for e in stream)) for _ in range(3)
    ]
    for thread in readers:
        thread.start()
    called(rt, 40)
    deadline = time.monotonic() + 20
    while len(seen) < 40 and time.monotonic() < deadline:
        time.sleep(0.01)
    stream.close()
    for thread in readers:
        thread.join(20)
        assert not thread.is_alive()
    assert sorted(seen) == list(range(1, 41))


def test_closing_the_stream_or_the_runtime_ends_a_wait(workspace: Path) -> None:
    rt = Runtime(workspace=workspace)
    for close in ("stream", "runtime"):
        stream = rt.events.follow()
        ended = threading.Event()

        def wait(stream: EventStream = stream, ended: threading.Event = ended) -> None:
            assert list(stream) == []
            ended.set()

        thread = threading.Thread(target=wait)
        thread.start()
        time.sleep(0.1)
        assert not ended.is_set()
        if close == "stream":
            stream.close()
        else:
            rt.close()
        assert ended.wait(10)
        thread.join()
        stream.close()
        assert list(stream) == []
    with pytest.raises(toolkeep.ClosedError):
        rt.events.follow()


def test_an_event_that_was_read_ahead_is_not_given_after_the_end(rt: Runtime) -> None:
    called(rt, 3)
    stream = rt.events.follow()
    assert taken(stream, 1) == [1]
    rt.close()
    assert list(stream) == []
    assert stream.cursor == 1


def test_other_threads_run_while_one_waits(rt: Runtime) -> None:
    stream = rt.events.follow()
    thread = threading.Thread(target=lambda: list(stream))
    thread.start()
    began, turns = time.monotonic(), 0
    while time.monotonic() - began < 0.3:
        turns += 1
    assert turns > 1_000
    stream.close()
    thread.join(10)


def test_ctrl_c_ends_a_wait_and_loses_nothing(script: Script) -> None:
    done = script(
        """
import os, signal, threading, toolkeep
# A shell that starts tests in the background has them ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
rt = toolkeep.Runtime()
stream = rt.events.follow()
threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT]).start()
try:
    next(stream)
except KeyboardInterrupt:
    print("interrupted", flush=True)
rt.call("datetime")
print(next(stream)["seq"], flush=True)
"""
    )
    assert (done.returncode, done.stdout) == (0, "interrupted\n1\n"), done.stderr


def test_the_interpreter_ends_with_open_streams(script: Script) -> None:
    began = time.monotonic()
    done = script(
        """
import asyncio, threading, toolkeep
rt = toolkeep.Runtime()
rt.call("datetime")
idle, begun = rt.events.follow(), rt.events.follow()
assert next(begun)["seq"] == 1
threading.Thread(target=lambda: list(rt.events.follow()), daemon=True).start()
arun = toolkeep.AsyncRuntime()
async def main():
    task = asyncio.create_task(arun.events.follow().__anext__())
    await asyncio.sleep(0.1)
    kept.append(task)
kept = []
try:
    asyncio.run(main())
except asyncio.CancelledError:
    pass
print("over")
"""
    )
    assert (done.returncode, done.stdout) == (0, "over\n"), done.stderr
    assert "Fatal" not in done.stderr
    assert time.monotonic() - began < 15


def test_a_forked_child_may_not_use_a_stream(script: Script) -> None:
    done = script(
        """
import os, toolkeep
rt = toolkeep.Runtime()
rt.call("datetime")
stream = rt.events.follow()
assert next(stream)["seq"] == 1
child = os.fork()
if child == 0:
    try:
        next(stream)
    except toolkeep.ForkedError:
        stream.close()
        del stream
        os._exit(7)
    os._exit(1)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 7, status
rt.call("datetime")
assert next(stream)["seq"] == 2
"""
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.asyncio
async def test_async_events_that_are_there_and_those_to_come(workspace: Path) -> None:
    async with AsyncRuntime(workspace=workspace) as rt:
        await rt.call("datetime", session="early")
        later = asyncio.create_task(rt.call("datetime", session="late"))
        seen = []
        async for event in rt.events.follow(tenant="default", after=0):
            seen.append(event["subject"])
            if event["seq"] == 2:
                break
        await later
        assert sorted(seen) == ["early", "late"]


@pytest.mark.asyncio
async def test_a_cancelled_wait_loses_nothing(workspace: Path) -> None:
    async with AsyncRuntime(workspace=workspace) as rt, rt.events.follow() as stream:
        seen: list[int] = []

        async def write() -> None:
            for _ in range(60):
                await rt.call("datetime")
                await asyncio.sleep(0.004)

        writing = asyncio.create_task(write())
        while len(seen) < 60:
            try:
                event = await asyncio.wait_for(stream.__anext__(), 0.003)
            except asyncio.TimeoutError:
                continue
            seen.append(event["seq"])
        await writing
        assert seen == list(range(1, 61))
        assert (stream.cursor, stream.dropped) == (60, 0)


@pytest.mark.asyncio
async def test_a_cancelled_task_lets_go_of_its_stream(workspace: Path) -> None:
    async with AsyncRuntime(workspace=workspace) as rt:

        async def follow() -> None:
            async with rt.events.follow() as stream:
                async for _ in stream:
                    raise AssertionError

        tasks = [asyncio.create_task(follow()) for _ in range(20)]
        await asyncio.sleep(0.1)
        for task in tasks:
            task.cancel()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(outcome, asyncio.CancelledError) for outcome in outcomes)
        del tasks
        gc.collect()
        await rt.call("datetime")
        assert await taken_async(rt.events.follow(), 1) == [1]


@pytest.mark.asyncio
async def test_closing_ends_async_iteration(workspace: Path) -> None:
    rt = AsyncRuntime(workspace=workspace)

    async def collected(stream: AsyncEventStream) -> list[Event]:
        return [event async for event in stream]

    one, two = rt.events.follow(), rt.events.follow()
    waits = [asyncio.create_task(collected(stream)) for stream in (one, two)]
    await asyncio.sleep(0.1)
    await one.aclose()
    assert await asyncio.wait_for(waits[0], 10) == []
    await rt.close()
    assert await asyncio.wait_for(waits[1], 10) == []
    with pytest.raises(toolkeep.ClosedError):
        rt.events.follow()


@pytest.mark.asyncio
async def test_another_runtime_on_the_same_file_is_followed(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path}/a.db"
    async with AsyncRuntime(store=store) as reader, AsyncRuntime(store=store) as writer:
        stream = reader.events.follow()
        waiting = asyncio.create_task(stream.__anext__())
        await asyncio.sleep(0.4)
        assert not waiting.done()
        await writer.agents.put(id="a")
        event = await asyncio.wait_for(waiting, 5)
        assert (event["kind"], event["subject"]) == ("agent.changed", "a")
        assert await reader.events.last() == 1
