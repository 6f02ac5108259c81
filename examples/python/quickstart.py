"""A model's tool calls, governed: what it gets, what runs, and what is refused, and why."""

import toolkeep

with toolkeep.Runtime(workspace=".", policy={"deny": ["edit"]}) as rt:

    @rt.tool
    def word_count(text: str) -> int:
        """Counts the words of a text."""
        return len(text.split())

    print([tool["name"] for tool in rt.definitions("anthropic", agent="helper")])
    print(rt.call("list_files", {}, agent="helper", session="demo").for_llm)
    print(rt.call("word_count", '{"text": "as the model wrote it"}').structured)
    print(rt.explain("edit", agent="helper"))
    refused = rt.call("edit", {"path": "README.md", "old_string": "a", "new_string": "b"})
    print(refused.code, refused.rule, refused.for_llm, sep=" - ")
