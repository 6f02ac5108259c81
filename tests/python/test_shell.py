"""Commands of a shell: judged, and as the arguments of tools."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
import toolkeep
from toolkeep import ApprovalAnswer, ApprovalRequest, CommandCheck, check_command


def test_a_command_is_judged_without_a_runtime() -> None:
    check = check_command("rm -rf /")
    assert isinstance(check, CommandCheck)
    assert (check.verdict, check.categories) == ("deny", ("destructive_ops",))
    assert check.reasons[0].floor
    assert check.suggestion is not None
    assert check.suggestion in check.for_llm
    assert check.plan is None
    start, end = check.reasons[0].span
    assert "rm -rf /"[start:end] == check.reasons[0].words
    fine = check_command("git status -s", profile="workspace")
    assert (fine.verdict, fine.reasons, fine.unknowns) == ("allow", (), ())
    assert fine.plan is not None
    assert fine.plan["run"]["program"] == "git"
    assert [segment.text for segment in check_command("ls; cat a").segments] == ["ls", "cat a"]


def test_settings_and_surroundings_are_keywords() -> None:
    denied: Any = {"deny_paths": ["/workspace/keys"]}
    assert check_command("cat keys/a", env=denied).categories == ("path_denied",)
    assert check_command("ls", security="deny").verdict == "deny"
    assert check_command("env", groups={"env_dump": "ask"}).verdict == "ask"
    wrong: Any = "strickt"
    mining: Any = {"mining": "off"}
    with pytest.raises(toolkeep.InvalidArgumentError, match="`strict` or `workspace`"):
        check_command("ls", wrong)
    with pytest.raises(toolkeep.InvalidArgumentError, match="crypto_mining"):
        check_command("ls", groups=mining)
    with pytest.raises(toolkeep.InvalidArgumentError, match="not a str"):
        check_command(5)  # type: ignore[arg-type]


def test_a_command_is_judged_in_the_folders_of_a_caller(
    rt: toolkeep.Runtime, workspace: Path
) -> None:
    (workspace / "keys").mkdir()
    (workspace / "open").symlink_to("keys")
    assert rt.check_command("cat open/a").verdict == "allow"
    assert rt.check_command("cat open/a", deny_paths=["keys"]).verdict == "deny"
    assert rt.check_command("cat a", cwd="open", deny_paths=["keys"]).verdict == "deny"
    assert rt.check_command("ls", settings={"security": "deny"}).verdict == "deny"

    async def awaited() -> CommandCheck:
        async with toolkeep.AsyncRuntime(workspace=workspace) as other:
            return await other.check_command("rm -rf build", profile="strict", agent="a")

    assert asyncio.run(awaited()).verdict == "deny"


def test_a_tool_that_takes_a_command_runs_what_may_run() -> None:
    asked: list[ApprovalRequest] = []

    def approve(request: ApprovalRequest) -> ApprovalAnswer:
        asked.append(request)
        return ApprovalAnswer(True, by="maria", always=0)

    with toolkeep.Runtime(approve=approve) as rt:

        @rt.tool(shell_command="command", shell_cwd="folder")
        def run(command: str, folder: str = ".") -> str:
            return f"ran {command} in {folder}"

        assert rt.call("run", {"command": "ls"}).for_llm == "ran ls in ."
        denied = rt.call("run", {"command": "rm -rf ~"})
        assert (denied.code, denied.rule) == ("command_denied", "shell.destructive_ops")
        for _ in range(2):
            assert not rt.call("run", {"command": "frobnicate"}, agent="a").is_error
        (request,) = asked
        assert request.reasons[0].rule == "shell.unknown"
        assert "frobnicate" in request.proposals[0]["text"]
        (rule,) = rt.rules.list(kind="command")
        assert (rule["agent"], rule["effect"]) == ("a", "allow")
        rt.rules.revoke(kind="command", id=rule["id"])
        assert not rt.call("run", {"command": "frobnicate"}, agent="a").is_error
        assert len(asked) == 2
