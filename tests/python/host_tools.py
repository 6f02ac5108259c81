"""The tools of the host that the shared vectors call."""

from __future__ import annotations

import asyncio
from typing import Any

import toolkeep


COMMAND: dict[str, Any] = {
    "type": "object",
    "properties": {
        "command": {"type": ["string", "array"]},
        "folder": {"type": "string"},
        "input": {"type": "string"},
    },
    "additionalProperties": False,
}


def add_host_tools(rt: toolkeep.Runtime | toolkeep.AsyncRuntime) -> None:
    """Registers them."""
    about = "A tool of the host."

    def host_echo(text: str) -> str:
        return text

    async def host_data(**args: Any) -> Any:
        return {"echo": args}

    async def host_none(**_args: Any) -> None:
        return None

    async def host_fail(message: str) -> None:
        raise RuntimeError(message)

    async def host_refuse(**_args: Any) -> None:
        raise toolkeep.ToolError("The thing has changed.", code="conflict")

    async def host_sleep(ms: int) -> str:
        await asyncio.sleep(ms / 1000)
        return "slept"

    async def host_whole(**_args: Any) -> Any:
        return {"for_llm": "for the model", "for_user": "for the user", "silent": True}

    async def host_bad(**_args: Any) -> Any:
        return {"for_llm": 5}

    async def host_context(context: toolkeep.Context, **_args: Any) -> Any:
        keys = ("tenant", "agent", "session", "depth", "channel_type", "tools")
        told = {key: getattr(context, key) for key in keys}
        return {**told, "parent": context.parent.agent if context.parent else None}

    @rt.tool(
        description=about,
        parameters=COMMAND,
        shell_command="command",
        shell_cwd="folder",
        shell_stdin="input",
    )
    async def host_plan(context: toolkeep.Context, **_args: Any) -> Any:
        return {"plan": context.plan}

    for reading in (host_echo, host_sleep):
        rt.tool(description=about, capabilities=["read-only"])(reading)
    others = (host_data, host_none, host_fail, host_refuse, host_whole, host_bad, host_context)
    for other in others:
        rt.tool(description=about)(other)
