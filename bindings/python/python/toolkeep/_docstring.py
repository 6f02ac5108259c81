"""Google-style docstrings: the description, and what is said of each parameter."""

from __future__ import annotations

import inspect
import re

_SECTION = re.compile(
    r"(Args|Arguments|Parameters|Returns?|Raises|Yields?|Examples?|Notes?|Attributes):\s*$"
)
_PARAMETER = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?:\s*(.*)$")


def parse(docstring: str | None) -> tuple[str, dict[str, str]]:
    """The text before the first section, and the parameters of the section `Args:`."""
    lines = inspect.cleandoc(docstring or "").splitlines()
    starts = [number for number, line in enumerate(lines) if _SECTION.match(line)]
    end = starts[0] if starts else len(lines)
    description = "\n".join(lines[:end]).strip()
    for start in starts:
        if lines[start].startswith(("Args", "Arguments", "Parameters")):
            return description, _parameters(lines[start + 1 :])
    return description, {}


def _parameters(lines: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    current = ""
    indent = 0
    for line in lines:
        if not line.strip():
            continue
        depth = len(line) - len(line.lstrip())
        if depth == 0:
            break
        indent = indent or depth
        match = _PARAMETER.match(line.strip()) if depth <= indent else None
        if match:
            current = match[1]
            found[current] = match[2]
        elif current:
            found[current] = f"{found[current]} {line.strip()}".strip()
    return found
