"""The definitions, against the real packages of the providers."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import toolkeep
from agents.strict_schema import ensure_strict_json_schema
from anthropic import transform_schema
from anthropic.types import ToolParam
from google.genai import types as gemini
from mcp import types as mcp
from openai.lib import _pydantic as openai_strict
from openai.types.chat import ChatCompletionFunctionToolParam
from openai.types.responses import FunctionToolParam
from pydantic import TypeAdapter

VECTORS = Path(__file__).parents[1] / "vectors" / "call" / "definitions_schemas.json"

Definition = dict[str, Any]


def specs() -> list[toolkeep.ToolSpec]:
    """The tools whose schemas the shared vectors have, for every kind of schema one."""
    cases = json.loads(VECTORS.read_text())["cases"]
    found = [case["steps"][0]["register"]["spec"] for case in cases]
    return list({spec["name"]: spec for spec in found}.values())


@pytest.fixture(params=[False, True], ids=["loose", "strict"])
def strict(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def rt(workspace: Path, strict: bool) -> Iterator[toolkeep.Runtime]:
    config: toolkeep.Config = {"workspace": str(workspace), "definitions": {"strict": strict}}
    with toolkeep.Runtime(config) as runtime:
        for spec in specs():
            runtime.register(spec, lambda args, _context: args)
        yield runtime


def told(rt: toolkeep.Runtime, dialect: Any, least: int) -> list[Definition]:
    definitions = rt.definitions(dialect)
    assert len(definitions) >= least
    return definitions


def plain(value: Any) -> Any:
    """What a typed dict was checked from; lists that are read lazily are read."""
    return json.loads(json.dumps(value, default=list))


def test_openai_takes_the_definitions_of_chat_completions(
    rt: toolkeep.Runtime, strict: bool
) -> None:
    adapter = TypeAdapter(ChatCompletionFunctionToolParam)
    for definition in told(rt, "openai", 10):
        assert plain(adapter.validate_python(definition)) == definition
        assert definition["function"].get("strict", False) is strict


def test_openai_takes_the_definitions_of_responses(rt: toolkeep.Runtime, strict: bool) -> None:
    adapter = TypeAdapter(FunctionToolParam)
    for definition in told(rt, "openai-responses", 10):
        assert plain(adapter.validate_python(definition)) == definition
        assert definition["strict"] is strict


@pytest.mark.parametrize("strict", [True], indirect=True)
def test_openai_finds_nothing_to_correct_in_a_strict_schema(rt: toolkeep.Runtime) -> None:
    for definition in told(rt, "openai", 10):
        schema = definition["function"]["parameters"]
        assert ensure_strict_json_schema(copy.deepcopy(schema)) == schema
        again = copy.deepcopy(schema)
        assert openai_strict._ensure_strict_json_schema(again, path=(), root=again) == schema


def test_anthropic_takes_the_definitions(rt: toolkeep.Runtime, strict: bool) -> None:
    adapter = TypeAdapter(ToolParam)
    for definition in told(rt, "anthropic", 10):
        assert plain(adapter.validate_python(definition)) == definition
        assert definition.get("strict", False) is strict


@pytest.mark.parametrize("strict", [True], indirect=True)
def test_anthropic_finds_nothing_to_correct_in_a_strict_schema(rt: toolkeep.Runtime) -> None:
    for definition in told(rt, "anthropic", 10):
        schema = definition["input_schema"]
        assert transform_schema(copy.deepcopy(schema)) == schema


def test_gemini_takes_the_definitions(rt: toolkeep.Runtime) -> None:
    definitions = told(rt, "gemini", 10)
    tool = gemini.Tool.model_validate({"functionDeclarations": definitions})
    taken = tool.model_dump(by_alias=True, exclude_none=True)["functionDeclarations"]
    assert taken == definitions


def test_mcp_takes_the_definitions(rt: toolkeep.Runtime) -> None:
    for definition in told(rt, "mcp", 10):
        tool = mcp.Tool.model_validate(definition)
        assert tool.model_dump(by_alias=True, exclude_none=True, mode="json") == definition


def test_the_packages_do_find_what_is_wrong() -> None:
    """The checks above can fail."""
    wrong = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert transform_schema(copy.deepcopy(wrong)) != wrong
    assert ensure_strict_json_schema(copy.deepcopy(wrong)) != wrong
    for adapter in (
        TypeAdapter[Any](ChatCompletionFunctionToolParam),
        TypeAdapter[Any](ToolParam),
        TypeAdapter[Any](mcp.Tool),
        TypeAdapter[Any](gemini.FunctionDeclaration),
    ):
        with pytest.raises(ValueError):  # noqa: PT011 pydantic's own error, whatever it says
            adapter.validate_python({"name": 5})
