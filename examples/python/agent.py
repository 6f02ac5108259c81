"""A live agent: an OpenAI-compatible model works on a folder, and every call it makes is governed.

    OPENAI_BASE_URL=https://…/v1 OPENAI_API_KEY=… OPENAI_MODEL=… \\
        python examples/python/agent.py --workspace . "What is in this folder?"

It needs nothing but toolkeep and the standard library. It stops when the model answers without
calling a tool, or after 20 turns.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import urllib.error
import urllib.request
from typing import Any

import toolkeep

MOST_TURNS = 20
TIMEOUT_SECONDS = 120
SYSTEM = "You work in a folder with the tools that you are given. Be brief."


class ModelError(Exception):
    """The model cannot be asked; the text says why and what to do."""


def ask(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> dict[str, Any]:
    """One completion: the assistant's message."""
    base = setting("OPENAI_BASE_URL").rstrip("/")
    body = {"model": setting("OPENAI_MODEL"), "messages": messages, "tools": tools}
    request = urllib.request.Request(
        f"{base}/chat/completions",
        data=json.dumps(body).encode(),
        headers={
            "Authorization": f"Bearer {setting('OPENAI_API_KEY')}",
            "Content-Type": "application/json",
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
            message: dict[str, Any] = json.load(response)["choices"][0]["message"]
            return message
    except urllib.error.HTTPError as error:
        said = toolkeep.scrub(error.read(2000).decode(errors="replace"))
        raise ModelError(f"{base} answered {error.code} {error.reason}: {said}") from None
    except (OSError, ValueError, LookupError) as error:
        reason = getattr(error, "reason", error)
        raise ModelError(f"{base} cannot be asked: {reason}; check OPENAI_BASE_URL") from None


def setting(name: str) -> str:
    """A setting from the environment."""
    value = os.environ.get(name)
    if not value:
        raise ModelError(f"set {name}; OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL are needed")
    return value


def indented(text: str) -> str:
    """The text for the terminal, below its heading."""
    return "\n".join(f"      {line}" for line in text.splitlines())


def work(rt: toolkeep.Runtime, task: str) -> str:
    """Lets the model work on the task; gives its answer."""
    caller = toolkeep.Caller(agent="agent", session="live", provider="openai")
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": task},
    ]
    for _ in range(MOST_TURNS):
        message = ask(messages, rt.definitions("openai", **caller))
        messages.append(message)
        calls = message.get("tool_calls") or []
        if not calls:
            return message.get("content") or ""
        requests = [{"id": call["id"], **call["function"]} for call in calls]
        for request, answer in zip(requests, rt.call_all(requests, **caller), strict=True):
            result = answer.result
            print(f"call  {request['name']} {toolkeep.scrub(request['arguments'])}")
            print(f"      {result.code or 'allowed'}")
            print(indented(result.for_llm))
            messages.append({"role": "tool", "tool_call_id": answer.id, "content": result.for_llm})
    raise ModelError(f"the model had no answer after {MOST_TURNS} turns; give it a smaller task")


def main() -> int:
    """The program."""
    parser = argparse.ArgumentParser(description="An agent whose tool calls are governed.")
    parser.add_argument("task", help="what the model is to do")
    parser.add_argument("--workspace", default=".", help="the folder it works in (default: .)")
    args = parser.parse_args()
    try:
        with toolkeep.Runtime(workspace=args.workspace) as rt:
            print(f"answer {work(rt, args.task)}")
    except (ModelError, toolkeep.ToolkeepError) as error:
        print(f"agent: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
