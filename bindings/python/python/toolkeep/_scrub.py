"""Masking secrets in text, without a runtime."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar, overload

from . import _toolkeep
from .errors import InvalidArgumentError

Text = TypeVar("Text", str, bytes)

ScrubProfile = Literal["precise", "seed", "paranoid"]
"""What is a secret: `precise` finds them by shape and context and replaces the secret alone, `seed`
applies the seed patterns exactly, `paranoid` takes what either finds."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A secret found in a text: its place and kind, never the secret itself."""

    kind: str
    """Its kind: `github-pat`, `password`, or the kind of a registered value."""
    start: int
    """Where it begins: an index into the text, in characters."""
    end: int
    """Where it ends: `text[start:end]` is the secret."""
    confidence: Literal["low", "medium", "high"]
    """How sure the scrubber is."""
    verified: bool
    """True if a checksum in it is right."""
    encoding: str | None
    """The form of a registered value: `base64`, `hex`, …; None for the value itself and for what
    was not registered."""
    tag: str | None
    """The tag of its placeholder: the same secret has the same one. None for what could be
    guessed."""


class ScrubStream(Generic[Text]):
    """A text that is masked as it comes, piece by piece.

    However it is cut, the pieces that come out make the same text as `Scrubber.scrub` of the
    whole. At most 8 KiB are held back.
    """

    __slots__ = ("_decoder", "_kind", "_stream")

    def __init__(self, stream: _toolkeep.ScrubStream) -> None:
        self._stream = stream
        self._kind: type[str | bytes] | None = None
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")

    def push(self, piece: Text) -> Text:
        """Takes the next piece and gives what is certain by now, which may be nothing.

        All pieces are `str`, or all are `bytes`; what comes out is the same.
        """
        if not isinstance(piece, str | bytes):
            name = type(piece).__name__
            raise InvalidArgumentError(f"`piece` is a {name}, neither a str nor bytes")
        kind = str if isinstance(piece, str) else bytes
        if self._kind not in (None, kind):
            was = "str" if self._kind is str else "bytes"
            raise InvalidArgumentError(f"this stream began with {was}: go on with {was}")
        self._kind = kind
        if isinstance(piece, str):
            try:
                given = piece.encode()
            except UnicodeEncodeError as error:
                raise InvalidArgumentError(f"`piece` is not Unicode text: {error}") from None
            return self._decoder.decode(self._stream.push(given))
        return self._stream.push(piece)

    def finish(self) -> Text:
        """Ends the text and gives the rest. The stream takes nothing more."""
        rest = self._stream.finish()
        if self._kind is bytes:
            return rest  # type: ignore[return-value]
        return self._decoder.decode(rest, final=True)  # type: ignore[return-value]


class Scrubber:
    """Masks secrets in text, with a profile and values of its own.

        scrubber = toolkeep.Scrubber(values=[os.environ["DB_PASSWORD"]])
        scrubber.scrub(log)  # the same object if there was nothing to mask

    Any number of threads may use one.
    """

    __slots__ = ("_scrubber",)

    def __init__(
        self,
        profile: ScrubProfile = "precise",
        *,
        values: Iterable[str | Mapping[str, str]] = (),
        key: str | None = None,
    ) -> None:
        """Makes a scrubber.

        `values` are masked wherever they stand, in many encodings: each a text, or
        `{"value": …, "kind": …}`. `key` makes the tags of the placeholders: 64 hexadecimal digits;
        by default a fresh random one.

        Raises `InvalidArgumentError` that names the argument.
        """
        options: dict[str, Any] = {"profile": profile}
        if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
            name = type(values).__name__
            raise InvalidArgumentError(f"`values` is a {name}: give a list of values")
        options["values"] = [dict(v) if isinstance(v, Mapping) else v for v in values]
        if key is not None:
            options["key"] = key
        self._scrubber = _toolkeep.Scrubber(options)

    @overload
    def scrub(self, text: str) -> str: ...

    @overload
    def scrub(self, text: bytes) -> bytes: ...

    def scrub(self, text: str | bytes) -> str | bytes:
        """The text with every secret in it masked; the same object if there was none.

        Bytes that are not UTF-8 pass as they are.
        """
        return self._scrubber.scrub(text)

    def findings(self, text: str) -> list[Finding]:
        """The secrets found in a text, in order."""
        return [Finding(**fields) for fields in self._scrubber.findings(text)]

    def add(self, value: str, kind: str | None = None) -> str | None:
        """Registers a value, which is masked from now on wherever it stands.

        `kind` is what its placeholders call it. The answer is None, or the code of a warning where
        the value is too short to be guarded in full: `value_too_short`, `value_short`.
        """
        return self._scrubber.add(value, kind)

    def remove(self, value: str) -> bool:
        """Forgets a registered value; False if it is not registered."""
        return self._scrubber.remove(value)

    def stream(self) -> ScrubStream[Any]:
        """Begins a text that arrives in pieces."""
        return ScrubStream(self._scrubber.stream())

    def __repr__(self) -> str:
        return "<toolkeep.Scrubber>"
