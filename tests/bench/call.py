"""The whole path of a call of a no-op tool in Python, against the same bridge with an empty core.

See docs/benchmarks.md. `call.py memory` prints what an idle runtime keeps in memory instead.
"""

import asyncio
import sys
from pathlib import Path
from resource import getpagesize
from statistics import median
from time import perf_counter_ns

TURNS = 61
CALLS = 256
FLIGHT = 64
ARGS = {"text": "hello"}


def sync_rows():
    with toolkeep.Runtime() as rt:
        rt.call("bench:install", {})

        @rt.tool
        def host_noop(text: str) -> str:
            """Does nothing."""
            return "ok"

        def ns_per_call(name):
            start = perf_counter_ns()
            for _ in range(CALLS):
                rt.call(name, ARGS)
            return (perf_counter_ns() - start) / CALLS

        def flush():
            rt.events.read(limit=1)

        row("Python, sync", ns_per_call, flush, "bench:empty", "noop")
        row("Python, sync, tool in Python", ns_per_call, flush, "bench:host_noop", "host_noop")


async def async_rows():
    async with toolkeep.AsyncRuntime() as rt:
        await rt.call("bench:install", {})

        @rt.tool
        async def host_noop(text: str) -> str:
            """Does nothing."""
            return "ok"

        async def calls(name, count):
            for _ in range(count):
                await rt.call(name, ARGS)

        async def in_turn(name):
            start = perf_counter_ns()
            await calls(name, CALLS)
            return (perf_counter_ns() - start) / CALLS

        async def in_flight(name):
            each = CALLS // FLIGHT
            start = perf_counter_ns()
            await asyncio.gather(*(calls(name, each) for _ in range(FLIGHT)))
            return (perf_counter_ns() - start) / (each * FLIGHT)

        async def row_of(what, ns_per_call, empty, real):
            bridge, whole = [], []
            for _ in range(TURNS):
                bridge.append(await ns_per_call(empty))
                whole.append(await ns_per_call(real))
                await rt.events.read(limit=1)
            print_row(what, bridge, whole)

        await row_of("Python, asyncio", in_turn, "bench:empty", "noop")
        await row_of("Python, asyncio, 64 in flight", in_flight, "bench:empty", "noop")
        await row_of("Python, asyncio, tool in Python", in_turn, "bench:host_noop", "host_noop")


def row(what, ns_per_call, flush, empty, real):
    """Both in turns, so that noise hits both; see print_row."""
    bridge, whole = [], []
    for _ in range(TURNS):
        bridge.append(ns_per_call(empty))
        whole.append(ns_per_call(real))
        flush()
    print_row(what, bridge, whole)


def print_row(what, bridge_turns, whole_turns):
    """Prints the medians, since waking a thread has no typical best."""
    bridge, whole = median(bridge_turns), median(whole_turns)
    print(f"| {what} | {bridge:.0f} | {whole:.0f} | {whole / bridge:.2f} |")


def resident_mib():
    return int(Path("/proc/self/statm").read_text().split()[1]) * getpagesize() / (1 << 20)


if sys.argv[1:] == ["memory"]:
    bare = resident_mib()
    import toolkeep

    runtime = toolkeep.Runtime()
    runtime.call("datetime", {})
    runtime.events.read(limit=1)
    idle = resident_mib()
    print(f"| Python | {bare:.1f} | {idle:.1f} | {idle - bare:.1f} |")
    runtime.close()
else:
    import toolkeep

    sync_rows()
    asyncio.run(async_rows())
