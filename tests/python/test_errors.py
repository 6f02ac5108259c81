"""The exceptions."""

from __future__ import annotations

import copy
import pickle
from typing import get_args

import pytest
import toolkeep
from toolkeep import _toolkeep, errors


def test_every_code_that_a_host_can_get_has_a_class_of_its_own() -> None:
    host = [name for name, number in _toolkeep.CODES if number >= 40]
    assert len(host) > 15
    for name in [*host, "cancelled", "not_found", "conflict"]:
        error = errors.error_of(name, "Do this.")
        assert type(error) is not errors.ToolkeepError, name
        assert type(error).code == error.code == name
        assert str(error) == "Do this."
        assert name.startswith("store_") == isinstance(error, errors.StoreError)
        assert getattr(toolkeep, type(error).__name__) is type(error)


def test_a_code_from_the_future_is_the_base_class() -> None:
    error = errors.error_of("made_up", "x")
    assert type(error) is errors.ToolkeepError
    assert error.code == "made_up"


def test_errors_are_copied_and_pickled_whole() -> None:
    for error in (errors.error_of("store_locked", "x"), errors.error_of("made_up", "x")):
        for other in (copy.copy(error), pickle.loads(pickle.dumps(error))):
            assert (type(other), other.code, str(other)) == (type(error), error.code, "x")


def test_the_type_of_codes_is_complete() -> None:
    assert list(get_args(toolkeep.Code)) == [name for name, _ in _toolkeep.CODES]


def test_everything_public_is_listed_and_documented() -> None:
    for name in toolkeep.__all__:
        assert getattr(toolkeep, name) is not None
    for name in errors.__all__:
        assert getattr(errors, name).__doc__
    assert toolkeep.__version__.count(".") == 2


def test_familiar_exceptions_are_bases() -> None:
    with pytest.raises(ValueError, match="polcy"):
        toolkeep.Runtime(polcy={})  # type: ignore[call-arg]
    with pytest.raises(LookupError), toolkeep.Runtime() as rt:
        rt.agents.get(id="nobody")
