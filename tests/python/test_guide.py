"""The Python code of the guide, run block by block.

A comment `<!-- setup: … -->` right before a block is run first: it defines the names that the
reader has. `rt` is a runtime on an empty folder unless it defines another.
`<!-- not run: … -->` says why a block is only compiled.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import os
import re
import subprocess
import textwrap
from pathlib import Path
from typing import Any

import pytest
import toolkeep

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(
    r"^(?:<!-- (?P<kind>setup|not run):(?P<note>(?:(?!-->).)*)-->\n)?```python\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


def blocks() -> list[Any]:
    """Every block, named after its page and line."""
    found = []
    for page in PAGES:
        text = page.read_text()
        for block in BLOCK.finditer(text):
            line = text.count("\n", 0, block.start("code"))
            name = f"{page.relative_to(ROOT)}:{line}"
            note = textwrap.dedent(block["note"] or "").strip()
            found.append(pytest.param(block["kind"], note, block["code"], id=name))
    return found


def run(code: str, name: str, names: dict[str, Any]) -> None:
    """Runs code that may await at its top level."""
    compiled = compile(code, name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    made = eval(compiled, names)
    if inspect.iscoroutine(made):
        asyncio.run(made)


@pytest.mark.parametrize(("kind", "note", "code"), blocks())
def test_the_guides_python_runs(
    kind: str | None,
    note: str,
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    name = request.node.callspec.id
    if kind == "not run":
        assert note, "a reason"
        compile(code, name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        return
    monkeypatch.chdir(tmp_path)
    rt = toolkeep.Runtime(workspace=tmp_path, key=toolkeep.generate_key)
    names: dict[str, Any] = {"toolkeep": toolkeep, "os": os, "subprocess": subprocess, "rt": rt}
    names |= {"__name__": "guide", "input": lambda _="": "y", "print": lambda *_, **__: None}
    try:
        run(f"{note}\n{code}", name, names)
    finally:
        rt.close()
        for value in names.values():
            if isinstance(value, toolkeep.Runtime):
                value.close()


def test_the_guide_has_python() -> None:
    assert len(blocks()) > 40


def anchors(text: str) -> set[str]:
    """The anchors that headings get."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_the_guide_leads_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if "://" in link:
            continue
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target.read_text()), link
