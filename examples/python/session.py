"""Prints which tools a model gets and why it lacks one, runs the calls of a session file on a
workspace, and prints what was decided and what the model sees: session.py WORKSPACE SESSION"""

import sys
from pathlib import Path

import toolkeep


def word(allowed: bool) -> str:
    return "allowed" if allowed else "refused"


def main(workspace: str, session: str) -> None:
    rt = toolkeep.Runtime(
        workspace=workspace,
        policy={"deny": ["write_file"]},
        rate_limit={"calls": 12},
        secrets={"key": {"env": "TOOLKEEP_KEY"}},
    )

    @rt.tool
    def count_words(text: str) -> str:
        """Counts the words of a text."""
        return f"{len(text.split())} words"

    with rt:
        tools = rt.definitions("anthropic", agent="demo")
        print("tools    ", " ".join(tool["name"] for tool in tools))
        why = rt.explain("write_file", agent="demo")
        print(f"explain   {why.tool}")
        for step in why.steps:
            print(f"  | {step.source}: {word(step.before)} -> {word(step.after)}")
        print(f"  | {why.rule.text if why.rule else 'allowed'}\n")
        for line in Path(session).read_text(encoding="utf-8").splitlines():
            tool, _, args = line.partition(" ")
            if line.startswith("#") or not args:
                continue
            result = rt.call(tool, args, agent="demo", session="demo-1")
            decision = "allowed" if result.code is None else f"refused: {result.code}"
            if result.rule is not None:
                decision += f" by {result.rule}"
            print(f"call      {tool} {args}\ndecision  {decision}\nthe model sees")
            for seen in result.for_llm.removesuffix("\n").split("\n"):
                print(f"  | {seen}")
            print()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: session.py WORKSPACE SESSION")
    main(sys.argv[1], sys.argv[2])
