"""The key that a host gives, and what becomes of it."""

from __future__ import annotations

import asyncio
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import toolkeep

KEY = "8f1d2c3b4a59687716253443526170f0e1d2c3b4a5968778695a4b3c2d1e0f11"
ID = "31b450e023837bdb"
ENV = {"TOKEN": "hunter2"}


def refusal(key: Any) -> toolkeep.ConfigError:
    with pytest.raises(toolkeep.ConfigError) as caught:
        toolkeep.Runtime(key=key)
    text = str(caught.value)
    assert text.startswith("configuration: `secrets.key`: "), text
    assert "sw0rdf1sh" not in "".join(traceback.format_exception(caught.value)), text
    return caught.value


def test_a_generated_key_is_random_and_is_taken() -> None:
    keys = {toolkeep.generate_key() for _ in range(10)}
    assert len(keys) == 10
    for key in keys:
        assert len(bytes.fromhex(key)) == 32
        with toolkeep.Runtime(key=lambda: key) as rt:
            rt.credentials.put(name="gh", env=ENV)
            assert rt.credentials.check(name="gh")["version"] == 1


def test_a_key_of_the_host_seals_and_is_asked_for_once(tmp_path: Path) -> None:
    asked = []
    store = f"sqlite:{tmp_path / 'a.db'}"

    def key() -> str:
        asked.append(threading.get_ident())
        return KEY

    with toolkeep.Runtime(store=store, key=key) as rt:
        assert rt.credentials.put(name="gh", env=ENV)["key_id"] == ID
    assert asked == [threading.get_ident()]
    other = toolkeep.Runtime(store=store, key=toolkeep.generate_key)
    with other, pytest.raises(toolkeep.SecretUnreadableError, match=ID):
        other.credentials.check(name="gh")
    none = toolkeep.Runtime(store=store)
    with none, pytest.raises(toolkeep.NoKeyError, match=r"secrets\.key"):
        none.credentials.check(name="gh")
    assert b"hunter2" not in (tmp_path / "a.db").read_bytes()


def test_a_configuration_file_is_opened_with_a_key(tmp_path: Path) -> None:
    path = tmp_path / "agent.toml"
    path.write_text('store = "memory:"\n')
    with toolkeep.Runtime.open(path, key=lambda: KEY) as rt:
        assert rt.credentials.put(name="gh", env=ENV)["key_id"] == ID
    path.write_text('store = "memory:"\nsecrets.key = { env = "TOOLKEEP_TEST_KEY" }\n')
    with toolkeep.Runtime.open(path) as rt:
        assert rt.credentials.put(name="gh", env=ENV)["key_id"] == ID
    with pytest.raises(toolkeep.ConfigError, match="the host gives a key, too"):
        toolkeep.Runtime.open(path, key=lambda: KEY)


def test_the_async_runtime_takes_a_key_and_does_not_block_on_it(tmp_path: Path) -> None:
    path = tmp_path / "agent.toml"
    path.write_text('store = "memory:"\n')
    asked = []

    def key() -> str:
        asked.append(threading.get_ident())
        return KEY

    async def main() -> None:
        async with await toolkeep.AsyncRuntime.open(path, key=key) as rt:
            assert (await rt.credentials.put(name="gh", env=ENV))["key_id"] == ID
        assert asked[0] != threading.get_ident()
        async with toolkeep.AsyncRuntime(key=key) as rt:
            assert (await rt.credentials.put(name="gh", env=ENV))["key_id"] == ID
        with pytest.raises(toolkeep.ConfigError) as caught:
            await toolkeep.AsyncRuntime.open(path, key=raises)
        assert isinstance(caught.value.__cause__, PermissionError)

    asyncio.run(main())


def raises() -> str:
    raise PermissionError("the keychain is locked")


def test_what_the_function_raised_is_the_cause() -> None:
    error = refusal(raises)
    assert isinstance(error.__cause__, PermissionError)
    assert "PermissionError" in str(error)


def test_what_is_no_key_is_refused_without_being_repeated() -> None:
    async def later() -> str:
        return "sw0rdf1sh"

    given: list[tuple[Callable[[], Any], str]] = [
        (lambda: "sw0rdf1sh", "64 hexadecimal digits"),
        (lambda: "", "64 hexadecimal digits"),
        (lambda: "sw0rdf1sh\udc80", "not ASCII"),
        (lambda: b"sw0rdf1sh", "gave a bytes, not a str"),
        (lambda: None, "gave a NoneType, not a str"),
        (later, "gave a coroutine, not a str"),
    ]
    for key, says in given:
        assert says in str(refusal(key))
    assert "give a function" in str(refusal("sw0rdf1sh"))


def test_a_secret_is_repeated_by_no_exception() -> None:
    with toolkeep.Runtime(key=lambda: KEY) as rt:
        values: list[Any] = ["hunter2", {"A": 4711}, {"A": ["hunter2"]}, {"A=hunter2": ""}]
        for env in values:
            with pytest.raises(toolkeep.InvalidArgumentError) as caught:
                rt.credentials.put(name="gh", env=env)
            assert "hunter2" not in str(caught.value)
            assert "4711" not in str(caught.value)
