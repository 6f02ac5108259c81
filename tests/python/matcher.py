"""The matchers of the shared vectors."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any


def _is(place: str, given: Any, wanted: Any) -> None:
    """Compares scalars as JSON does: 1 is 1.0, but no bool is a number."""
    same = given == wanted and isinstance(given, bool) == isinstance(wanted, bool)
    assert same, f"{place}: {given!r} is not {wanted!r}"


def match(place: str, given: Any, wanted: Any) -> None:
    """Asserts that a value is as a matcher wants it."""
    if isinstance(wanted, dict):
        if len(wanted) == 1 and next(iter(wanted)).startswith("$"):
            [(rule, want)] = wanted.items()
            assert _holds(place, rule, given, want), f"{place}: {given!r} breaks {wanted!r}"
            return
        assert isinstance(given, dict), f"{place}: {given!r} is no object"
        for key, want in wanted.items():
            match(f"{place}.{key}", given.get(key), want)
    elif isinstance(wanted, list):
        assert isinstance(given, list), f"{place}: {given!r} is no array"
        assert len(given) == len(wanted), f"{place}: {given!r} has not {len(wanted)} elements"
        for index, want in enumerate(wanted):
            match(f"{place}[{index}]", given[index], want)
    else:
        _is(place, given, wanted)


def mismatch(given: Any, wanted: Any) -> str | None:
    """Why a value is not as a matcher wants it; None if it is."""
    try:
        match("", given, wanted)
    except AssertionError as error:
        return str(error)
    return None


def _matches(given: Any, wanted: Any) -> bool:
    return mismatch(given, wanted) is None


def _holds(place: str, rule: str, given: Any, want: Any) -> bool:
    texts = want if isinstance(want, list) else [want]
    if rule in ("$contains", "$lacks", "$matches") and not isinstance(given, str):
        return False
    if rule == "$all":
        for one in want:
            match(place, given, one)
        return True
    rules: dict[str, Callable[[], bool]] = {
        "$contains": lambda: all(text in given for text in texts),
        "$lacks": lambda: not any(text in given for text in texts),
        "$matches": lambda: re.search(want, given) is not None,
        "$absent": lambda: (given is None) is want,
        "$present": lambda: (given is not None) is want,
        "$length": lambda: len(given) == want,
        "$some": lambda: any(_matches(one, want) for one in given),
        "$none": lambda: not any(_matches(one, want) for one in given),
        "$least": lambda: isinstance(given, (int, float)) and given >= want,
        "$equal": lambda: json.dumps(given, sort_keys=True) == json.dumps(want, sort_keys=True),
    }
    return rules[rule]()
