"""The host's `approve` handler."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
import toolkeep
from toolkeep import ApprovalAnswer, ApprovalRequest

SPEC: toolkeep.ToolSpec = {"name": "pay", "description": "Pays.", "needs_approval": True}
Handler = Callable[[ApprovalRequest], Any]


def opened(approve: Any = None, **approval: Any) -> toolkeep.Runtime:
    config: Any = {"external": False, **approval}
    rt = toolkeep.Runtime(approve=approve, approval=config)
    rt.register(SPEC, lambda args, _: {"paid": args["amount"]})
    return rt


def pay(rt: toolkeep.Runtime, **caller: Any) -> toolkeep.ToolResult:
    return rt.call("pay", {"amount": 5}, **caller)


def test_a_request_says_what_is_to_be_decided() -> None:
    asked: list[ApprovalRequest] = []

    def approve(request: ApprovalRequest) -> bool:
        asked.append(request)
        return True

    with opened(approve) as rt:
        result = pay(rt, agent="a", user="u", session="s")
        assert (result.is_error, result.structured) == (False, {"paid": 5})
        (request,) = asked
        assert (request.tool, request.description) == ("pay", "Pays.")
        assert request.arguments == {"amount": 5}
        assert (request.agent, request.user, request.session) == ("a", "u", "s")
        assert request.reasons[0].rule == "tool.needs_approval"
        assert request.expires_at_ms > time.time() * 1000
        assert result.approval == request.id
        assert rt.approvals.get(id=request.id)["state"] == "consumed"


@pytest.mark.parametrize(
    ("answer", "code", "text"),
    [
        (True, None, "5"),
        ({"allow": True, "by": "maria"}, None, "5"),
        (ApprovalAnswer(True, edited={"amount": 1}), None, "(`amount`)"),
        (False, "approval_denied", "No reason was given."),
        (ApprovalAnswer(False, by="maria", reason="too much"), "approval_denied", "too much"),
        ({"allow": False, "reason": "too much"}, "approval_denied", "too much"),
        (None, "approval_denied", "nobody can be asked"),
        (1, "approval_denied", "asking for it failed"),
        ("yes", "approval_denied", "asking for it failed"),
        ({"alow": True}, "approval_denied", "asking for it failed"),
        (object(), "approval_denied", "asking for it failed"),
    ],
)
def test_only_a_clear_yes_is_one(answer: Any, code: str | None, text: str) -> None:
    with opened(lambda _: answer) as rt:
        result = pay(rt)
        assert result.code == code
        assert text in result.for_llm


def test_an_exception_denies_and_only_the_host_learns_of_it() -> None:
    def approve(_: ApprovalRequest) -> bool:
        raise RuntimeError("the prompt broke")

    with opened(approve) as rt:
        result = pay(rt)
        assert result.code == "approval_denied"
        assert "prompt" not in result.for_llm
        assert result.approval is not None
        assert "the prompt broke" in (rt.approvals.get(id=result.approval)["reason"] or "")


def test_an_async_handler_decides_for_a_blocking_runtime() -> None:
    async def approve(request: ApprovalRequest) -> ApprovalAnswer:
        await asyncio.sleep(0)
        return ApprovalAnswer(request.arguments["amount"] < 10, by="rule")

    with opened(approve) as rt:
        assert pay(rt).code is None
        assert rt.call("pay", {"amount": 50}).code == "approval_denied"


def test_an_async_handler_runs_on_the_callers_loop_and_is_cancelled_with_the_call() -> None:
    seen: list[Any] = []

    async def approve(request: ApprovalRequest) -> bool:
        seen.append(asyncio.get_running_loop())
        if request.arguments["amount"] == 5:
            return True
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise
        return True

    async def main() -> None:
        rt = toolkeep.AsyncRuntime(approve=approve)
        rt.register(SPEC, lambda args, _: args)
        async with rt:
            assert (await rt.call("pay", {"amount": 5})).code is None
            assert seen == [asyncio.get_running_loop()]
            task = asyncio.ensure_future(rt.call("pay", {"amount": 6}))
            while len(seen) < 2:
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            while "cancelled" not in seen:
                await asyncio.sleep(0.01)
            for _ in range(500):
                if [one["state"] for one in await rt.approvals.list()][-1] == "cancelled":
                    break
                await asyncio.sleep(0.01)
            assert [one["state"] for one in await rt.approvals.list()][-1] == "cancelled"

    asyncio.run(main())


def test_a_person_elsewhere_may_be_faster() -> None:
    released = threading.Event()

    def approve(_: ApprovalRequest) -> bool:
        released.wait(20)
        return True

    with opened(approve, external=True) as rt:
        results: list[toolkeep.ToolResult] = []
        call = threading.Thread(target=lambda: results.append(pay(rt)))
        call.start()
        while not (waiting := rt.approvals.list(state="pending")):
            time.sleep(0.01)
        rt.approvals.decide(id=waiting[0]["id"], decision="deny", by="maria", reason="no")
        call.join(20)
        released.set()
        assert results[0].code == "approval_denied"


def test_a_returned_call_uses_its_decision_later() -> None:
    with opened(external=True, mode="return") as rt:
        first = pay(rt)
        assert first.code == "approval_pending"
        assert first.approval is not None
        rt.approvals.decide(id=first.approval, decision="allow", by="maria")
        assert pay(rt).code is None
        assert pay(rt).code == "approval_pending"


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(TypeError, match="`approve` is a str"):
        toolkeep.Runtime(approve="yes")  # type: ignore[arg-type]


def test_an_answer_that_is_none_is_called_the_handlers_and_not_the_tools() -> None:
    answer: Any = {1, 2}
    with opened(lambda _: answer) as rt:
        result = pay(rt)
        assert result.approval is not None
        reason = rt.approvals.get(id=result.approval)["reason"] or ""
        assert "the approve handler returned a set; give True, False" in reason


def test_a_handler_is_set_later_and_taken_away() -> None:
    with opened() as rt:
        assert pay(rt).code == "approval_denied"
        rt.set_handler("approve", lambda request: request.arguments == {"amount": 5})
        assert pay(rt).structured == {"paid": 5}
        rt.set_handler("approve", None)
        assert pay(rt).code == "approval_denied"
        with pytest.raises(toolkeep.InvalidArgumentError, match="Did you mean `approve`"):
            rt.set_handler("aprove", lambda _: True)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="`approve` is a str"):
            rt.set_handler("approve", "yes")  # type: ignore[arg-type]
    with pytest.raises(toolkeep.ClosedError):
        rt.set_handler("approve", lambda _: True)
