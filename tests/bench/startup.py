"""How long it takes to import toolkeep in Python and to require it in Node: rows of a table.

`startup.py <folder of the Node package>`; see docs/benchmarks.md.
"""

import subprocess
import sys
from statistics import median
from time import perf_counter_ns

RUNS = 21


def milliseconds(command):
    start = perf_counter_ns()
    subprocess.run(command, check=True)
    return (perf_counter_ns() - start) / 1e6


def row(what, bare_command, loaded_command):
    """Both in turns, so that noise hits both. The first run only warms the caches."""
    milliseconds(loaded_command)
    bare, loaded = [], []
    for _ in range(RUNS):
        bare.append(milliseconds(bare_command))
        loaded.append(milliseconds(loaded_command))
    before, after = median(bare), median(loaded)
    print(f"| {what} | {before:.1f} | {after:.1f} | {after - before:.1f} |")


python = [sys.executable, "-c"]
row("`import toolkeep` in Python", [*python, ""], [*python, "import toolkeep"])
asyncio = "import asyncio"
row("the same where asyncio is", [*python, asyncio], [*python, f"{asyncio}, toolkeep"])
node = ["node", "-e"]
require = f"require({sys.argv[1]!r})"
row("`require('toolkeep')` in Node", [*node, ""], [*node, require])
