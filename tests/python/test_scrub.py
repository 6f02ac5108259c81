"""Scrubbing without a runtime."""

from __future__ import annotations

import threading

import pytest
import toolkeep

GITHUB = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
KEY = "0123456789abcdef" * 4


def test_a_secret_goes_and_everything_else_stays() -> None:
    masked = toolkeep.scrub(f"Authorization: Bearer {GITHUB}")
    assert masked.startswith("Authorization: Bearer [REDACTED:github-")
    assert GITHUB[4:] not in masked


def test_clean_text_comes_back_as_the_same_object() -> None:
    text, data = "nothing to hide, é and 🦀", b"nothing \xff to hide"
    assert toolkeep.scrub(text) is text
    assert toolkeep.Scrubber().scrub(text) is text
    assert toolkeep.Scrubber().scrub(data) is data


def test_bytes_that_are_no_text_pass() -> None:
    masked = toolkeep.Scrubber().scrub(b"\xff\xfe " + GITHUB.encode() + b" \xff")
    assert masked.startswith(b"\xff\xfe [REDACTED:github-")
    assert masked.endswith(b"] \xff")


def test_findings_index_the_text_in_characters() -> None:
    text = f"né 🦀 {GITHUB} end"
    [finding] = toolkeep.Scrubber().findings(text)
    assert text[finding.start : finding.end] == GITHUB
    assert (finding.confidence, finding.encoding) == ("high", None)
    assert GITHUB not in repr(finding)


def test_the_same_key_gives_the_same_tags() -> None:
    first, second = toolkeep.Scrubber(key=KEY), toolkeep.Scrubber(key=KEY)
    assert first.scrub(GITHUB) == second.scrub(GITHUB)
    assert first.scrub(GITHUB) != toolkeep.Scrubber().scrub(GITHUB)


def test_a_value_is_masked_once_registered_and_no_longer_when_removed() -> None:
    scrubber = toolkeep.Scrubber()
    text = "it says tangerine-kangaroo-99 here"
    assert scrubber.scrub(text) is text
    assert scrubber.add("tangerine-kangaroo-99", "house-word") is None
    assert "[REDACTED:house-word" in scrubber.scrub(text)
    assert scrubber.remove("tangerine-kangaroo-99") is True
    assert scrubber.remove("tangerine-kangaroo-99") is False
    assert scrubber.scrub(text) is text


def test_a_value_too_short_to_guard_is_told_by_a_code() -> None:
    assert toolkeep.Scrubber().add("ab") == "value_too_short"


def test_encoded_forms_are_masked() -> None:
    scrubber = toolkeep.Scrubber(values=[{"value": "tangerine-kangaroo-99", "kind": "word"}])
    encoded = b"tangerine-kangaroo-99".hex()
    [finding] = scrubber.findings(f"x {encoded} y")
    assert finding.kind == "word"
    assert finding.encoding == "hex"


@pytest.mark.parametrize("size", [1, 7, 4096])
def test_a_stream_gives_what_the_whole_gives(size: int) -> None:
    text = f"é 🦀 token={GITHUB}\n" * 50 + "password: 'tangerine'\n"
    scrubber = toolkeep.Scrubber(key=KEY)
    whole = scrubber.scrub(text)
    stream = scrubber.stream()
    pieces = [stream.push(text[at : at + size]) for at in range(0, len(text), size)]
    assert "".join([*pieces, stream.finish()]) == whole
    stream = scrubber.stream()
    data = text.encode()
    parts = [stream.push(data[at : at + size]) for at in range(0, len(data), size)]
    assert b"".join([*parts, stream.finish()]) == whole.encode()


def test_a_stream_takes_one_sort_of_pieces_and_nothing_after_its_end() -> None:
    stream = toolkeep.Scrubber().stream()
    with pytest.raises(toolkeep.InvalidArgumentError, match="`piece` is a int"):
        stream.push(5)
    stream.push("text")
    with pytest.raises(toolkeep.InvalidArgumentError, match="go on with str"):
        stream.push(b"bytes")
    stream.finish()
    with pytest.raises(toolkeep.ClosedError, match="finished"):
        stream.push("more")


def test_bad_options_are_told_by_their_name() -> None:
    with pytest.raises(toolkeep.InvalidArgumentError, match="profile"):
        toolkeep.Scrubber("strict")  # type: ignore[arg-type]
    with pytest.raises(toolkeep.InvalidArgumentError, match="64 hexadecimal digits"):
        toolkeep.Scrubber(key="short")
    with pytest.raises(toolkeep.InvalidArgumentError, match="values"):
        toolkeep.Scrubber(values="one")
    with pytest.raises(toolkeep.InvalidArgumentError, match="`values` is a dict"):
        toolkeep.Scrubber(values={"value": "tangerine-kangaroo-99"})
    with pytest.raises(toolkeep.InvalidArgumentError, match="`values` is a NoneType"):
        toolkeep.Scrubber(values=None)  # type: ignore[arg-type]
    with pytest.raises(toolkeep.InvalidArgumentError, match=r"`values\[1\]`: expected a text"):
        toolkeep.Scrubber(values=["tangerine-kangaroo-99", 1])  # type: ignore[list-item]
    with pytest.raises(toolkeep.InvalidArgumentError, match="kind"):
        toolkeep.Scrubber().add("tangerine-kangaroo-99", "No Kind")
    with pytest.raises(toolkeep.InvalidArgumentError, match="text"):
        toolkeep.Scrubber().scrub(5)  # type: ignore[call-overload]
    with pytest.raises(toolkeep.ToolkeepError, match="text"):
        toolkeep.scrub("\ud800")


def test_threads_share_a_scrubber() -> None:
    scrubber = toolkeep.Scrubber(key=KEY)
    expected = scrubber.scrub(f"a {GITHUB}")
    seen: list[str] = []

    def work() -> None:
        for number in range(50):
            scrubber.add(f"value-number-{number}-{threading.get_ident()}")
            seen.append(scrubber.scrub(f"a {GITHUB}"))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(seen) == {expected}
    assert len(seen) == 200
