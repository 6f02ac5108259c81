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

    @rt.tool(
        touches=[{"argument": "path", "resource": "path", "effect": "write"}],
        argument_aliases={"path": ["file"]},
        taints=["untrusted"],
        action="patch",
        channels=("telegram",),
        polling=True,
        needs_approval=True,
        timeout=2,
    )
    def patch(path: str, context: toolkeep.Context) -> str:
        return rt.call("add", {"a": 1}, agent="child", parent=context, tools=["add"]).for_llm

    spec: toolkeep.ToolSpec = {"name": "by_hand", "taints": ["private"], "timeout_ms": 5}
    rt.register(spec, lambda args, context: args)
    total: int = add(1)
    text: str = rt.call("add", {"a": 1}, agent="x", timeout=1.5).for_llm
    version: int = rt.agents.put(id="x")["version"]
    denied: str = rt.explain("add", parent={"agent": "boss"}, channel_type="cli").steps[0].source
    mode: str = rt.config.get()["policy"]["taint"]["mode"]

    @rt.tool(shell_command="command", shell_stdin="text")
    def run(command: str, text: str, context: toolkeep.Context) -> str:
        return "" if context.plan is None else context.plan["cwd"]

toolkeep.check_command("ls", groups={"env_dump": "ask"}, modes={"approved": ["ls"]})

denied_by_owner: list[toolkeep.ListEntry] = ["exec", {"entry": "mcp_*", "optional": True}]
policy: toolkeep.Policy = {
    "profile": "coding",
    "allow": None,
    "deny": [*denied_by_owner, {"entry": "group:web", "final": True}],
    "by_provider": {"openai/gpt-5": {"also_allow": ("exec",), "ask": ["exec"]}},
    "agents": {
        "helper": {
            "tools": ["*"],
            "actions": {"allow": ["patch"], "delegate_targets": ["b"]},
            "by_provider": {"anthropic": {"deny": ["edit"]}},
        }
    },
    "by_chat": {"telegram:42": {"allow": ["read_file"]}},
    "subagents": {"deny": [], "max_depth": 2},
    "taint": {"mode": "ask", "untrusted": ["group:web"]},
    "mode": "shadow",
}
config: toolkeep.Config = {"policy": policy, "rate_limit": {"calls": 5}, "store": "memory:"}
with toolkeep.Runtime(config, groups={"mine": ["exec"]}, secrets={"key": {"env": "KEY"}}):
    pass
with toolkeep.Runtime(policy={"deny": ["exec"]}, retention={}):
    pass
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
        ('rt.tool(taints=["secret"])', "Literal"),
        ('rt.tool(action="patches")', "Literal"),
        ('rt.tool(touches=[{"argument": "a", "resource": "file", "effect": "read"}])', "resource"),
        ('rt.register({"description": "no name"}, print)', "name"),
        ('rt.call("add", parent="boss")', "parent"),
        ('toolkeep.Runtime(policy={"denny": []})', "denny"),
        ('toolkeep.Runtime({"policy": {"deny": [5]}})', "int"),
        ('toolkeep.Runtime(policy={"deny": [{"final": True}]})', "MarkedEntry"),
        ('toolkeep.Runtime(policy={"mode": "watch"})', "mode"),
        ('toolkeep.Runtime(policy={"agents": {"a": {"profil": "full"}}})', "profil"),
        ("toolkeep.Runtime(polcy={})", "polcy"),
        ('toolkeep.check_command("ls", groups={"mining": "off"})', "Literal"),
    ):
        done = mypy("-c", f"{USES}\n    {line}")
        assert done.returncode == 1, line
        assert word in done.stdout
        assert "Found 1 error" in done.stdout, done.stdout
