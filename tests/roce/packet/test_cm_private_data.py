"""rdma_cm's head of the private data."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.errors import BadFrame, FabricError
from rpcrdma.roce.packet.cm_private_data import (
    MOST_USER_DATA,
    IpHeader,
    decode_private_data,
    encode_private_data,
    port_of_service,
    service_of_port,
)
from rpcrdma.roce.packet.internet import address_text

HEADER = IpHeader(4, 0x8123, "192.0.2.1", "192.0.2.2")


def test_an_ipv4_head_is_where_the_annex_puts_it() -> None:
    assert encode_private_data(HEADER, b"abc").hex() == (
        "0040" + "8123" + "00" * 12 + "c0000201" + "00" * 12 + "c0000202" + "616263" + "00" * 53
    )


@given(
    st.sampled_from([4, 16]).flatmap(
        lambda size: st.tuples(*[st.binary(min_size=size, max_size=size)] * 2)
    ),
    st.integers(0, 0xFFFF),
    st.binary(max_size=MOST_USER_DATA),
)
def test_private_data_come_back_as_they_were(
    addresses: tuple[bytes, bytes], port: int, data: bytes
) -> None:
    source, destination = map(address_text, addresses)
    header = IpHeader(4 if len(addresses[0]) == 4 else 6, port, source, destination)

    octets = encode_private_data(header, data)

    assert len(octets) == 92
    assert decode_private_data(octets) == (header, data.ljust(MOST_USER_DATA, b"\0"))


def test_more_than_there_is_room_for_is_refused() -> None:
    with pytest.raises(FabricError, match="57 octets of private data; a REQ carries 56"):
        encode_private_data(HEADER, bytes(57))


@pytest.mark.parametrize(
    ("octets", "said"),
    [
        (bytes(35), "35 octets are too few for rdma_cm's private data"),
        (b"\1" + bytes(91), "rdma_cm's private data has version 0x01, and only 0 is known"),
        (b"\0\x50" + bytes(90), "rdma_cm's private data has IP version 5"),
    ],
)
def test_bad_private_data_are_refused_with_their_reason(octets: bytes, said: str) -> None:
    with pytest.raises(BadFrame) as caught:
        decode_private_data(octets)
    assert str(caught.value) == said


@given(st.binary(max_size=92))
def test_no_octets_raise_anything_but_bad_frame(octets: bytes) -> None:
    try:
        header, data = decode_private_data(octets)
    except BadFrame:
        return
    assert header.version in (4, 6)
    assert len(data) == len(octets) - 36


def test_services_of_ports_go_there_and_back() -> None:
    assert service_of_port(20049) == 0x0000000001064E51
    assert port_of_service(0x0000000001064E51) == 20049
    assert port_of_service(0x0000000001110000) is None
    assert port_of_service(0x1000000001064E51) is None
