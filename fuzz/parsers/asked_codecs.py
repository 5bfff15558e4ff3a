"""Codecs that ask a parser about all that they decode, and hold it against the reference.

Invariant: the parser accepts what the reference does and reads the same numbers in it, and refuses
the rest, but for what `fuzz.parsers.tolerated` names.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Final, TypeVar

from typing_extensions import override

from conformance.bad_input import BadInput
from fuzz.harnesses.v1_header import V1ReferenceCodec
from fuzz.harnesses.v2_header import V2ReferenceCodec
from fuzz.invariant import BrokenInvariant
from fuzz.parsers.numbers import numbers_of
from fuzz.parsers.tolerated import ACCEPTED, why_refused
from rpcrdma.errors import DecodeError
from rpcrdma.wire import TransportHeader, v2

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["AskedV1Codec", "AskedV2Codec", "asked_codec"]

Header = TypeVar("Header", bound="TransportHeader | v2.Rdma2Header")


class AskedV1Codec(V1ReferenceCodec):
    """Of Version One.

    Args:
        ask: gives the parser's answer (`fuzz.parsers.dialogue`).
    """

    def __init__(self, ask: Callable[[bytes], str]) -> None:
        self._ask = ask

    @override
    def decode(self, octets: bytes) -> tuple[TransportHeader, int]:
        return _compared(octets, self._ask(octets), super().decode, 1)


class AskedV2Codec(V2ReferenceCodec):
    """Of Version Two; what an RDMA2_OPTIONAL holds is opaque to the parser.

    Args:
        ask: gives the parser's answer (`fuzz.parsers.dialogue`).
    """

    def __init__(self, ask: Callable[[bytes], str]) -> None:
        self._ask = ask

    @override
    def decode(self, octets: bytes) -> tuple[v2.Rdma2Header, int]:
        return _compared(octets, self._ask(octets), super().decode, v2.VERSION)


_CODECS: Final[dict[str, type[AskedV1Codec | AskedV2Codec]]] = {
    "v1-header": AskedV1Codec,
    "v2-header": AskedV2Codec,
}

_LETTERS: Final = str.maketrans("0123456789", "abcdefghij")


def asked_codec(harness: str, ask: Callable[[bytes], str]) -> AskedV1Codec | AskedV2Codec:
    """The subject of a harness that asks a parser.

    Raises:
        BadInput: this harness is for no header.
    """
    if harness not in _CODECS:
        raise BadInput(f"a parser of headers is fuzzed by {' or '.join(_CODECS)}, not by {harness}")
    return _CODECS[harness](ask)


def _compared(
    octets: bytes, answer: str, decode: Callable[[bytes], tuple[Header, int]], version: int
) -> tuple[Header, int]:
    """What the reference decodes.

    Raises:
        BrokenInvariant: the parser says otherwise.
        DecodeError: it is no header.
    """
    word, _, rest = answer.partition(" ")
    try:
        header, end = decode(octets)
    except DecodeError as error:
        if word == "ok" and error.reason not in ACCEPTED:
            detail = f"it accepts what is no header: {error}"
            raise BrokenInvariant("bad-accepted", detail, error.reason.name) from error
        raise
    if word == "ok":
        _compare_numbers([("consumed", end), *numbers_of(header)], list(map(int, rest.split())))
    elif not why_refused(octets, header, end, version):
        kind = type(header.rdma_body).__name__
        raise BrokenInvariant(
            "good-refused", f"it refuses a good {kind}: {rest}", f"{kind} {_cause(rest)}"
        )
    return header, end


def _cause(words: str) -> str:
    """Why it refuses; the code of a library in letters, since numbers make no other cause."""
    return words.translate(_LETTERS) if words.startswith("-") else words


def _compare_numbers(right: list[tuple[str, int]], said: list[int]) -> None:
    for wanted, number in zip_longest(right, said):
        if wanted is None:
            detail = f"{len(said)} numbers where there are {len(right)}"
            raise BrokenInvariant("wrong-number", detail, "too many")
        path, value = wanted
        if value != number:
            detail = f"{path} is {value}, and it says {'nothing' if number is None else number}"
            raise BrokenInvariant("wrong-number", detail, path)
