"""The types of the package, as a type checker sees them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CONFIG = ROOT / "bindings/python/pyproject.toml"

USES = """
import toolkeep

with toolkeep.Runtime(workspace=".") as rt:
    @rt.tool
    def add(a: int, b: int = 2) -> int:
        return a + b

    @rt.tool(name="later", capabilities=["read-only"])
    async def later(context: toolkeep.Context) -> str:
        return context.tenant

    total: int = add(1)
    text: str = rt.call("add", {"a": 1}, agent="x", timeout=1.5).for_llm
    version: int = rt.agents.put(id="x")["version"]
"""


def mypy(*args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mypy", "--config-file", str(CONFIG), *args]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_package_is_clean_under_strict_mypy() -> None:
    done = mypy(str(ROOT / "bindings/python/python"))
    assert done.returncode == 0, done.stdout


def test_the_stub_of_the_extension_fits_it() -> None:
    command = [sys.executable, "-m", "mypy.stubtest", "toolkeep._toolkeep"]
    command += ["--mypy-config-file", str(CONFIG)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_a_type_checker_takes_right_uses_and_finds_wrong_ones() -> None:
    assert mypy("-c", USES).stdout == "Success: no issues found in 1 source file\n"
    for line, word in (
        ('rt.call("add", sesion="x")', "sesion"),
        ('rt.call("add", agent=5)', "agent"),
        ('rt.definitions("opnai")', "Literal"),
        ('rt.tool(capabilities=["fast"])', "Literal"),
        ("rt.agents.put()", "id"),
        ('add("x")', "int"),
    ):
        done = mypy("-c", f"{USES}\n    {line}")
        assert done.returncode == 1, line
        assert word in done.stdout
        assert "Found 1 error" in done.stdout, done.stdout
