"""The runtime and its process: fork, Ctrl-C, the end of the interpreter, memory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import toolkeep
from conftest import Script
from toolkeep import Runtime

TOOLS = """
import asyncio, contextvars, os, signal, sys, threading, time
import toolkeep
# A shell that starts tests in the background has them ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
rt = toolkeep.Runtime()

@rt.tool
async def hang() -> None:
    print("begun", flush=True)
    try:
        await asyncio.sleep(3600)
    except asyncio.CancelledError:
        print("cancelled", flush=True)
        raise

@rt.tool
def stick() -> None:
    print("begun", flush=True)
    time.sleep(3600)
"""


def test_a_forked_child_is_told_so_and_may_open_its_own(script: Script) -> None:
    done = script(
        TOOLS
        + """
assert rt.call("datetime").code is None
assert rt.call("nope").code == "unknown_tool"
child = os.fork()
if child == 0:
    uses = [lambda: rt.call("datetime"), lambda: rt.agents.list(), lambda: rt.scrub("x"),
            lambda: rt.register({"name": "x"}, print), lambda: rt.definitions("mcp")]
    for use in uses:
        try:
            use()
            os._exit(2)
        except toolkeep.ForkedError as error:
            assert error.code == "forked" and "fork" in str(error)
    rt.close()
    with toolkeep.Runtime() as own:
        own.register({"name": "mine"}, lambda args, context: "mine")
        assert own.call("mine").for_llm == "mine"
    del rt
    sys.exit(7)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 7, status
assert rt.call("datetime").code is None
rt.close()
print("done")
"""
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


FORKS = """
import os, signal, sys, threading
import toolkeep
store = sys.argv[1]
rt = toolkeep.Runtime(store=store)
over = False

def use(runtime):
    assert runtime.call("datetime", {"timezone": "UTC"}).code is None
    assert runtime.call("nope", {"a": 1}).code == "unknown_tool"

def busy():
    while not over:
        use(rt)
        with toolkeep.Runtime() as other:
            use(other)

threads = [threading.Thread(target=busy) for _ in range(3)]
for thread in threads:
    thread.start()
"""


@pytest.mark.parametrize("store", ["memory:", "sqlite:{path}"])
def test_a_child_forked_while_others_are_in_calls_opens_its_own(
    script: Script, tmp_path: Path, store: str
) -> None:
    source = (
        FORKS
        + """
for _ in range(40):
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        try:
            use(rt)
        except toolkeep.ForkedError:
            with toolkeep.Runtime(store=store) as own:
                use(own)
            os._exit(7)
        os._exit(1)
    _, status = os.waitpid(child, 0)
    if os.waitstatus_to_exitcode(status) != 7:
        print(status, flush=True)
        break
over = True
for thread in threads:
    thread.join()
rt.close()
"""
    )
    done = script(source, store.format(path=tmp_path / "a.db"), timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_processes_of_multiprocessing_open_their_own(script: Script, tmp_path: Path) -> None:
    source = (
        FORKS
        + """
import multiprocessing

def work(number):
    signal.alarm(30)
    with toolkeep.Runtime(store=store) as own:
        use(own)
    return number

with multiprocessing.get_context("fork").Pool(4) as pool:
    print(sum(pool.map(work, range(12))))
over = True
"""
    )
    done = script(source, f"sqlite:{tmp_path / 'a.db'}", timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "66\n", "")


@pytest.mark.parametrize("tool", ["hang", "stick"])
def test_ctrl_c_ends_a_blocking_call_at_once(tool: str) -> None:
    source = (
        TOOLS
        + f"""
try:
    rt.call("{tool}")
except KeyboardInterrupt:
    print("interrupted", flush=True)
    rows = rt.audit.query()
    print(rows[0]["code"], flush=True)
rt.close()
"""
    )
    command = [sys.executable, "-c", source]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=10)
    assert time.monotonic() - began < 4
    assert process.returncode == 0, err
    # Two threads print: a line of one may stand within a line of the other.
    assert "interrupted" in out
    assert out.count("cancelled") == (2 if tool == "hang" else 1)
    assert err == ""


def test_ctrl_c_ends_an_awaited_call_and_its_tool(script: Script) -> None:
    done = script(
        """
import asyncio, os, signal, threading
import toolkeep
signal.signal(signal.SIGINT, signal.default_int_handler)

async def main():
    # Development mode tells of every step that a busy machine takes 100 ms for.
    asyncio.get_running_loop().slow_callback_duration = 60
    async with toolkeep.AsyncRuntime() as rt:
        @rt.tool
        async def hang() -> None:
            threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
            try:
                await asyncio.sleep(3600)
            finally:
                print("ended")
        await rt.call("hang")

try:
    asyncio.run(main())
except KeyboardInterrupt:
    print("interrupted")
"""
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split()[-1] == "interrupted"


@pytest.mark.parametrize(
    "pending",
    [
        "threading.Thread(target=rt.call, args=('hang',), daemon=True).start()",
        "threading.Thread(target=rt.call, args=('stick',), daemon=True).start()",
        "job = rt._engine.call('hang', None, {}, (None, contextvars.copy_context()))",
        "job = rt._engine.call('hang', None, {}, (None, contextvars.copy_context()))\n"
        "job.start(print)",
        "job = rt._engine.call('stick', None, {}, (None, contextvars.copy_context()))\n"
        "job.start(print)",
        "rt.call('datetime')",
        "rt.call('datetime'); rt.close()",
        "rt.close(); rt = None",
    ],
)
def test_the_interpreter_ends_cleanly_and_quickly(script: Script, pending: str) -> None:
    began = time.monotonic()
    source = f"{TOOLS}\nthreading.excepthook = lambda args: None\n{pending}\ntime.sleep(0.2)\n"
    done = script(source)
    assert done.returncode == 0, done.stderr
    assert "Fatal" not in done.stderr
    assert "panicked" not in done.stderr
    assert time.monotonic() - began < 6


def test_the_end_of_asyncio_run_with_a_pending_call_is_quiet(script: Script) -> None:
    done = script(
        """
import asyncio, time
import toolkeep
rt = toolkeep.AsyncRuntime()

@rt.tool
async def hang() -> None:
    await asyncio.sleep(3600)

@rt.tool
def stick() -> None:
    time.sleep(3600)

async def main():
    for name in ("hang", "stick"):
        asyncio.create_task(rt.call(name))
    await asyncio.sleep(0.1)

asyncio.run(main())
print("done")
"""
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_an_unclosed_runtime_writes_its_ledger_at_exit(script: Script, tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"
    source = "import sys, toolkeep; rt = toolkeep.Runtime(store=sys.argv[1]); rt.call('datetime')"
    assert script(source, store).returncode == 0
    with Runtime(store=store) as rt:
        assert rt.audit.query()[0]["tool"] == "datetime"


def test_a_store_locked_by_another_process_is_told(script: Script, tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    Runtime(store=f"sqlite:{path}").close()
    source = (
        "import sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "c.execute('BEGIN EXCLUSIVE'); print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", source, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(toolkeep.StoreLockedError):
            Runtime(store=f"sqlite:{path}")
        other.kill()


def resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def test_memory_is_flat_over_20_000_calls(tmp_path: Path) -> None:
    with Runtime(store=f"sqlite:{tmp_path / 'a.db'}") as rt:
        rt.register({"name": "echo"}, lambda args, _cx: args)

        def work(rounds: int) -> None:
            for number in range(rounds):
                rt.call("echo", {"text": "x" * 1000, "number": number})
                rt.call("datetime", {"timezone": "UTC"})
                rt.call("nope")
                with pytest.raises(toolkeep.InvalidArgumentError):
                    rt.call("echo", {"number": float("nan")})

        work(1_500)
        before = resident()
        work(5_000)
        assert resident() - before < 8 << 20


def test_runtimes_that_come_and_go_leave_nothing() -> None:
    def work(count: int) -> None:
        for _ in range(count):
            with Runtime() as rt:
                rt.register({"name": "echo"}, lambda args, _cx: args)

                @rt.tool
                async def soon() -> str:
                    return "x"

                rt.call("echo")
                rt.call("soon")

    work(20)
    threads, before = threading.active_count(), resident()
    work(100)
    deadline = time.monotonic() + 30
    while threading.active_count() > threads + 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert threading.active_count() <= threads + 2
    assert resident() - before < 16 << 20
