from __future__ import annotations

from typing import TYPE_CHECKING

from fuzz.differential.two_decoders import HeaderComparison, decode_as_true, tell_disagreements
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire import RdmaNomsg, RdmaSegment, ReadSegment, TransportHeader, encode_header

if TYPE_CHECKING:
    import pytest

READ = ReadSegment(0, RdmaSegment(1, 2, 3))
HEADER = TransportHeader(0x5EED, 1, 8, RdmaNomsg((READ,), (), None))
OCTETS = encode_header(HEADER)


def test_each_word_that_is_true_to_others_is_put_right() -> None:
    other = OCTETS[:16] + (7).to_bytes(4) + OCTETS[20:]

    assert decode_as_true(OCTETS) == decode_as_true(other) == (HEADER, len(OCTETS))


def test_what_else_is_wrong_is_the_error() -> None:
    found = decode_as_true(OCTETS[:-4])

    assert isinstance(found, DecodeError)
    assert found.reason is Reason.TRUNCATED


def test_disagreements_alone_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    tell_disagreements((HeaderComparison(b"a", None, "ours: one"), HeaderComparison(b"b", None)))

    assert capsys.readouterr().err == "61: ours: one\n"
