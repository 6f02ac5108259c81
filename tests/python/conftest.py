"""What the tests of the Python binding share."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import toolkeep

# The key of the shared vectors. It guards nothing.
os.environ["TOOLKEEP_TEST_KEY"] = "8f1d2c3b4a59687716253443526170f0e1d2c3b4a5968778695a4b3c2d1e0f11"

Script = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """An empty folder."""
    folder = tmp_path / "ws"
    folder.mkdir()
    return folder


@pytest.fixture
def rt(workspace: Path) -> Iterator[toolkeep.Runtime]:
    """A runtime on that folder."""
    with toolkeep.Runtime(workspace=workspace) as runtime:
        yield runtime


@pytest.fixture
def script() -> Script:
    """Runs Python source in a process of its own, with a deadline."""

    def run(source: str, *args: str, timeout: float = 20) -> subprocess.CompletedProcess[str]:
        # Python warns of any fork in a process with threads, and of what is left open at exit.
        quiet = ["-W", "ignore::ResourceWarning", "-W", "ignore::DeprecationWarning"]
        command = [sys.executable, "-X", "dev", *quiet, "-c", source]
        return subprocess.run(
            [*command, *args], capture_output=True, text=True, timeout=timeout, check=False
        )

    return run
