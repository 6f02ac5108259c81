"""The examples, as a user runs them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
AGENT = ROOT / "examples/python/agent.py"
KEY = "test-key"

Turns = list[dict[str, Any]]


@contextmanager
def chat_server(folder: Path, turns: Turns) -> Iterator[str]:
    """The stand-in server with that script; gives its base URL."""
    script = folder / "turns.json"
    script.write_text(json.dumps(turns))
    command = [sys.executable, str(ROOT / "tests/chat_server.py"), str(script), "--key", KEY]
    command += ["--record", str(folder / "requests")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


@pytest.fixture
def agent(tmp_path: Path, workspace: Path) -> Callable[..., Any]:
    """Runs the agent against a script; gives the process and the requests that were made."""

    def run(turns: Turns, **env: str) -> Any:
        with chat_server(tmp_path, turns) as url:
            given = {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": KEY, "OPENAI_MODEL": "stand-in"}
            done = subprocess.run(
                [sys.executable, str(AGENT), "--workspace", str(workspace), "Do it."],
                env={**os.environ, **given, **env},
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
        record = tmp_path / "requests"
        lines = record.read_text().splitlines() if record.exists() else []
        return done, [json.loads(line)["body"] for line in lines]

    return run


def test_the_agent_plays_its_calls_through_the_runtime(
    agent: Callable[..., Any], workspace: Path
) -> None:
    (workspace / "secret.env").write_text("password=correct-horse-battery\n")
    turns: Turns = [
        {
            "tool_calls": [
                {"name": "write_file", "arguments": {"path": "a.txt", "content": "hello\n"}},
                {"name": "read_file", "arguments": {"path": "secret.env"}},
                {"name": "raed_file", "arguments": {"path": "a.txt"}},
                {"name": "read_file", "arguments": '{"path": '},
            ]
        },
        {"tool_calls": [{"name": "read_file", "arguments": {"path": "../../etc/passwd"}}]},
        {"content": "All done."},
    ]
    done, requests = agent(turns)
    assert done.returncode == 0, done.stderr
    assert (workspace / "a.txt").read_text() == "hello\n"
    assert len(requests) == 3
    names = {tool["function"]["name"] for tool in requests[0]["tools"]}
    assert {"read_file", "write_file", "edit", "list_files", "datetime"} <= names
    answers = [message for message in requests[1]["messages"] if message["role"] == "tool"]
    assert [answer["tool_call_id"] for answer in answers] == [f"call_0_{n}" for n in range(4)]
    assert "correct-horse" not in json.dumps(requests)
    assert "[REDACTED:" in answers[1]["content"]
    assert "read_file" in answers[2]["content"]
    assert "not valid JSON" in answers[3]["content"]
    decisions = [line.strip() for line in done.stdout.splitlines()]
    for code in ("allowed", "unknown_tool", "invalid_arguments", "access_denied"):
        assert code in decisions
    assert 'call  raed_file {"path": "a.txt"}' in done.stdout
    assert "correct-horse" not in done.stdout
    assert done.stdout.endswith("answer All done.\n")


def test_the_agent_stops_after_20_turns(agent: Callable[..., Any]) -> None:
    done, requests = agent([{"tool_calls": [{"name": "datetime", "arguments": {}}]}] * 25)
    assert done.returncode == 1
    assert "20 turns" in done.stderr
    assert len(requests) == 20


def test_the_agent_reports_what_went_wrong(agent: Callable[..., Any]) -> None:
    done, _ = agent([{"status": 503, "body": "overloaded"}])
    assert (done.returncode, "503" in done.stderr, "overloaded" in done.stderr) == (1, True, True)
    done, _ = agent([], OPENAI_API_KEY="wrong")
    assert "401" in done.stderr
    done, _ = agent([], OPENAI_BASE_URL="http://127.0.0.1:9/v1")
    assert "cannot be asked" in done.stderr
    assert "Traceback" not in done.stderr
    done, _ = agent([], OPENAI_MODEL="")
    assert "set OPENAI_MODEL" in done.stderr


def test_the_quickstart_works_when_pasted(workspace: Path) -> None:
    (workspace / "README.md").write_text("Read me.\n")
    source = (ROOT / "examples/python/quickstart.py").read_text()
    done = subprocess.run(
        [sys.executable, "-c", source],
        cwd=workspace,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "README.md" in done.stdout
    assert "\n5\n" in done.stdout
    assert 'denied_by_policy - policy.deny[0] = "edit" - `edit` is not allowed here' in done.stdout
