"""Each way to spoil a message is refused by the decoder, at the field and for the reason told."""

# ruff: noqa: ANN201

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire import RdmaMsg, RdmaSegment, ReadSegment, TransportHeader, WriteChunk
from rpcrdma.wire import _generated_rfc8166 as v1
from rpcrdma.xdr.spoil import spoilings

SEGMENT = RdmaSegment(1, 2, 3)
OCTETS = v1.encode_transport_header(
    TransportHeader(
        1,
        1,
        1,
        RdmaMsg((ReadSegment(0, SEGMENT),), (WriteChunk((SEGMENT,)),), WriteChunk((SEGMENT,))),
    )
)


@given(spoilings(v1.SCHEMA, "TransportHeader", OCTETS))
def test_spoilt_message_is_refused_as_told(spoilt):  # noqa: ANN001
    with pytest.raises(DecodeError) as caught:
        v1.decode_transport_header(spoilt.octets)

    assert (caught.value.path, caught.value.reason) == (spoilt.path, spoilt.reason)


@pytest.mark.parametrize(
    "reason", [Reason.BAD_BOOLEAN, Reason.BAD_ENUM, Reason.TRUNCATED], ids=lambda item: item.name
)
@given(st.data())
def test_every_kind_of_fault_is_among_the_ways(reason, data):  # noqa: ANN001
    ways = spoilings(v1.SCHEMA, "TransportHeader", OCTETS)

    assert data.draw(ways.filter(lambda spoilt: spoilt.reason is reason)).octets != OCTETS
