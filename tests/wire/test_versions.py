"""Any message by the decoder of its version, and the error that is the same in all of them."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given

from conformance.strategies._generated_rfc8166 import transport_headers
from conformance.strategies._generated_v2 import rdma2_headers
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire import (
    ErrVers,
    RdmaError,
    RdmaMsg,
    TransportHeader,
    decode_any_header,
    encode_any_header,
    fixed_words,
)
from rpcrdma.wire.v2 import MessageType, Rdma2Error, Rdma2Header, Rdma2Msg
from rpcrdma.wire.versions import FixedWords


def words(*numbers: int) -> bytes:
    return struct.pack(f">{len(numbers)}I", *numbers)


@pytest.mark.parametrize(
    "header",
    [
        TransportHeader(7, 1, 32, RdmaMsg((), (), None)),
        Rdma2Header(7, 2, 32, Rdma2Msg(MessageType.REPLY, (), (), None)),
        TransportHeader(7, 1, 32, RdmaError(ErrVers(1, 2))),
        Rdma2Header(7, 2, 32, Rdma2Error(ErrVers(1, 2))),
        TransportHeader(7, 3, 32, RdmaError(ErrVers(1, 2))),
    ],
)
def test_header_is_decoded_by_its_version(header: TransportHeader | Rdma2Header) -> None:
    octets = encode_any_header(header)

    assert decode_any_header(b"xyz" + octets + b"more", 3) == (header, 3 + len(octets))


@given(transport_headers())
def test_version_one_is_what_its_own_decoder_says(header: TransportHeader) -> None:
    octets = encode_any_header(TransportHeader(header.rdma_xid, 1, 9, header.rdma_body))

    assert decode_any_header(octets)[0].rdma_body == header.rdma_body


@given(rdma2_headers())
def test_version_two_is_what_its_own_decoder_says(header: Rdma2Header) -> None:
    octets = encode_any_header(Rdma2Header(header.rdma_xid, 2, 9, header.rdma_body))

    assert decode_any_header(octets)[0].rdma_body == header.rdma_body


@pytest.mark.parametrize("version", [0, 3, 2**32 - 1])
@pytest.mark.parametrize("rest", [words(0, 0, 0, 0), words(4, 2), words(5, 0, 0, 0)])
def test_unknown_version_is_refused_unless_it_names_a_range(version: int, rest: bytes) -> None:
    with pytest.raises(DecodeError) as caught:
        decode_any_header(b"xyz" + words(7, version, 32) + rest, 3)

    error = caught.value
    assert (error.offset, error.path, error.reason) == (7, "rdma_vers", Reason.BAD_DISCRIMINANT)
    assert error.detail == f"version {version}"


def test_cut_range_of_an_unknown_version_is_told_as_such() -> None:
    with pytest.raises(DecodeError) as caught:
        decode_any_header(words(7, 3, 32, 4, 1, 1))

    assert (caught.value.offset, caught.value.reason) == (24, Reason.TRUNCATED)


def test_words_are_read_at_an_offset() -> None:
    assert fixed_words(b"abc" + words(7, 3, 32, 99), 3) == FixedWords(7, 3, 32, 99)


@pytest.mark.parametrize(
    ("length", "path"), [(0, "rdma_xid"), (7, "rdma_vers"), (8, "rdma_credit"), (15, "rdma_proc")]
)
def test_message_that_ends_within_the_words_is_refused(length: int, path: str) -> None:
    with pytest.raises(DecodeError) as caught:
        decode_any_header(words(7, 2, 32, 0)[:length])

    error = caught.value
    assert (error.offset, error.path, error.reason) == (length & ~3, path, Reason.TRUNCATED)
