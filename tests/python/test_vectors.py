"""The shared vectors, on both faces."""

from __future__ import annotations

from typing import Any

import pytest
import toolkeep
import vectors

CASES = list(vectors.cases())
FACES = [toolkeep.Runtime, toolkeep.AsyncRuntime]
_ran: list[str] = []


@pytest.mark.parametrize("face", FACES, ids=["sync", "async"])
@pytest.mark.parametrize(("setup", "case"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_vector(
    face: type[vectors.AnyRuntime], setup: dict[str, Any], case: dict[str, Any]
) -> None:
    _ran.append(case["name"])
    vectors.run(face, setup, case)


def test_every_case_of_the_files_has_been_run() -> None:
    print(f"vectors: {len(_ran) // 2} cases")
    assert vectors.count() > 0
    assert len(_ran) == 2 * vectors.count()
