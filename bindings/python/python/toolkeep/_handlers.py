"""Handlers: functions of the host that toolkeep asks."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._approval import ApprovalRequest, decision_of
from ._signature import is_async

if TYPE_CHECKING:
    from ._toolkeep import Invocation

_log = logging.getLogger("toolkeep")


@dataclass(frozen=True, slots=True)
class _Kind:
    """How requests and answers of a handler look in Python."""

    request_of: Callable[[Any], Any]
    answer_of: Callable[[Any], Any]
    takes: str
    without_answer: str


_KINDS = {
    "approve": _Kind(
        ApprovalRequest._of,
        decision_of,
        takes="an ApprovalRequest",
        without_answer="and so the call is denied",
    ),
}


def is_handler(name: str) -> bool:
    """True for the name of a handler. The core refuses any other."""
    return name in _KINDS


def check_handler(name: str, function: Any) -> None:
    """Raises TypeError for what cannot be asked, before anything is opened."""
    if function is not None and not callable(function):
        kind = type(function).__name__
        takes = _KINDS[name].takes if name in _KINDS else "a request"
        raise TypeError(f"`{name}` is a {kind}; give a function that takes {takes}")


def asking(name: str, function: Callable[..., Any]) -> tuple[Callable[[Invocation], Any], bool]:
    """How the core asks this function, and whether it is async."""
    kind = _KINDS[name]
    failed = f"the {name} handler failed, {kind.without_answer}"
    if is_async(function):

        async def ask_async(invocation: Invocation) -> Any:
            try:
                return kind.answer_of(await function(kind.request_of(invocation.args)))
            except Exception:
                _log.exception(failed)
                raise

        return ask_async, True

    def ask(invocation: Invocation) -> Any:
        try:
            answer = function(kind.request_of(invocation.args))
            if inspect.iscoroutine(answer):
                answer.close()
                raise TypeError(f"the {name} handler gave a coroutine; make it an `async def`")
            return kind.answer_of(answer)
        except Exception:
            _log.exception(failed)
            raise

    return ask, False
