"""Offers of Version Two are refused as a server of Version One would, and nothing else is."""

from __future__ import annotations

import pytest

from conformance.tester.server.versions import refusal_of
from rpcrdma.wire import ErrVers, RdmaError, RdmaMsg, TransportHeader, decode_header, encode_header

OFFER = encode_header(TransportHeader(0x77, 2, 5, RdmaMsg((), (), None))) + b"call"


def test_an_offer_gets_the_range_under_its_own_xid_and_version() -> None:
    refusal = refusal_of(OFFER)

    assert refusal is not None
    header, end = decode_header(refusal)
    assert (header.rdma_xid, header.rdma_vers, end) == (0x77, 2, len(refusal))
    assert header.rdma_credit > 0
    assert header.rdma_body == RdmaError(ErrVers(1, 1))


@pytest.mark.parametrize(
    "octets",
    [
        b"",
        OFFER[:12],
        OFFER.replace(b"\0\0\0\2", b"\0\0\0\1", 1),
        OFFER.replace(b"\0\0\0\2", b"\0\0\0\3", 1),
        encode_header(TransportHeader(0x77, 2, 5, RdmaError(ErrVers(1, 2)))),
    ],
)
def test_what_is_no_offer_is_for_the_case_to_see(octets: bytes) -> None:
    assert refusal_of(octets) is None
