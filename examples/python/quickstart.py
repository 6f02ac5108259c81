"""A model's tool calls, governed: one built-in tool, one of our own, and one that is refused."""

import toolkeep

with toolkeep.Runtime(workspace=".", policy={"deny": ["edit"]}) as rt:

    @rt.tool
    def word_count(text: str) -> int:
        """Counts the words of a text."""
        return len(text.split())

    print(rt.call("list_files", {}, agent="helper", session="demo").for_llm)
    print(rt.call("word_count", '{"text": "as the model wrote it"}').structured)
    refused = rt.call("edit", {"path": "README.md", "old_string": "a", "new_string": "b"})
    print(refused.code, "-", refused.for_llm)
