"""The messages of connection management: tables without overlap, octets there and back."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.errors import BadFrame, FabricError
from rpcrdma.roce.packet import cm_messages
from rpcrdma.roce.packet.cm_messages import (
    CmMessage,
    ConnectReject,
    ConnectRequest,
    DisconnectRequest,
    MessageReceipt,
    ReadyToUse,
    decode_cm,
    encode_cm,
    most_private_data,
)
from rpcrdma.roce.packet.internet import gid_of_address

LAYOUTS = dict(cm_messages._MESSAGES.values())
TRANSACTIONS = st.integers(0, (1 << 64) - 1)


@st.composite
def messages(draw: st.DrawFn) -> CmMessage:
    """Any message, with any value in each field."""
    kind = draw(st.sampled_from(list(LAYOUTS)))
    values: dict[str, Any] = {}
    for name, field in LAYOUTS[kind].items():
        size = field.size // 8
        values[name] = draw(
            st.binary(min_size=size, max_size=size)
            if field.is_octets
            else st.integers(0, (1 << field.size) - 1)
        )
    return kind(**values)


def test_there_is_a_layout_for_every_message() -> None:
    assert set(LAYOUTS) == set(get_args(CmMessage))


@pytest.mark.parametrize("kind", list(LAYOUTS), ids=lambda kind: kind.__name__)
def test_a_layout_has_all_fields_and_no_overlap(kind: type[CmMessage]) -> None:
    covered: set[int] = set()
    for field in LAYOUTS[kind].values():
        bits = set(range(field.start, field.start + field.size))
        assert not bits & covered
        covered |= bits
    assert max(covered) == 232 * 8 - 1
    assert set(LAYOUTS[kind]) == set(kind.__struct_fields__)


@given(messages(), TRANSACTIONS)
def test_a_message_comes_back_as_it_was(message: CmMessage, transaction: int) -> None:
    octets = encode_cm(message, transaction)

    assert len(octets) == 256
    assert decode_cm(octets) == (message, transaction)


@given(st.sampled_from(list(cm_messages._MESSAGES)), st.binary(min_size=232, max_size=232))
def test_any_octets_of_a_message_are_one(attribute: int, data: bytes) -> None:
    head = bytes.fromhex(f"0107020300000000 0000000000000001 {attribute:04x}0000 00000000")

    message, transaction = decode_cm(head + data)

    assert transaction == 1
    assert decode_cm(encode_cm(message, 1)) == (message, 1)


@given(st.binary(max_size=300))
def test_no_octets_raise_anything_but_bad_frame(octets: bytes) -> None:
    with pytest.raises(BadFrame):
        decode_cm(octets)


@given(messages())
def test_every_truncation_is_a_bad_frame(message: CmMessage) -> None:
    octets = encode_cm(message, 1)
    for length in range(len(octets)):
        with pytest.raises(BadFrame):
            decode_cm(octets[:length])


def request(changes: dict[str, Any] | None = None) -> ConnectRequest:
    values: dict[str, Any] = {
        "local_id": 0x01020304,
        "service_id": 0x0000000001064E51,
        "guid": 0x1112131415161718,
        "queue_pair": 0x212223,
        "responder_resources": 0x31,
        "initiator_depth": 0x32,
        "remote_timeout": 20,
        "flow_control": 1,
        "starting_psn": 0x414243,
        "local_timeout": 19,
        "retry": 7,
        "path_mtu": 5,
        "rnr_retry": 6,
        "most_cm_retries": 15,
        "local_gid": gid_of_address("192.0.2.1"),
        "remote_gid": gid_of_address("192.0.2.2"),
        "ack_timeout": 18,
        "private_data": b"abc",
    }
    return ConnectRequest(**values | (changes or {}))


def test_the_fields_of_a_request_are_where_the_table_puts_them() -> None:
    data = encode_cm(request(), 1)[24:]

    assert data[:56].hex() == (
        "01020304" "00000000" "0000000001064e51" "1112131415161718" "00000000" "00000000"
        "21222331" "00000032" "000000a1" "4142439f" "ffff" "56" "f0" "ffffffff"
    )  # fmt: skip
    assert data[56:96].hex() == (
        "00000000000000000000ffffc0000201" "00000000000000000000ffffc0000202"
        "00000000" "00" "40" "00" "90"
    )  # fmt: skip
    assert data[96:] == bytes(44) + b"abc" + bytes(89)


def test_short_octets_of_another_end_in_zeroes() -> None:
    reject = ConnectReject(local_id=1, remote_id=2, rejected=1, reason=28, information=b"no")

    data = encode_cm(reject, 1)[24:]

    assert data == bytes.fromhex("00000001 00000002 40 00 001c") + b"no" + bytes(218)


@pytest.mark.parametrize(
    ("message", "octets"),
    [
        (ReadyToUse(local_id=1, remote_id=2), "0000000100000002"),
        (
            MessageReceipt(local_id=1, remote_id=2, received=2, service_timeout=21),
            "0000000100000002" + "80a8",
        ),
        (
            DisconnectRequest(local_id=1, remote_id=2, queue_pair=0x123456),
            "0000000100000002" + "12345600",
        ),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_short_messages_are_as_the_tables_say(message: CmMessage, octets: str) -> None:
    expected = bytes.fromhex(octets)

    assert encode_cm(message, 1)[24:] == expected.ljust(232, b"\0")


@pytest.mark.parametrize(
    ("kind", "most"), [(ConnectRequest, 92), (ReadyToUse, 224), (ConnectReject, 148)]
)
def test_room_for_private_data(kind: type[CmMessage], most: int) -> None:
    assert most_private_data(kind) == most


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"retry": 8}, "retry of ConnectRequest is 8, which has no room in 3 bits"),
        (
            {"private_data": bytes(93)},
            "private_data of ConnectRequest has 93 octets, and there is room for 92",
        ),
    ],
)
def test_a_value_that_has_no_room_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(FabricError) as caught:
        encode_cm(request(changes), 1)
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("at", "octet", "said"),
    [
        (0, 2, "the management datagram has base version 2, and only 1 is known"),
        (1, 6, "management class 6 version 2 is not connection management, class 7 version 2"),
        (2, 1, "management class 7 version 1 is not connection management, class 7 version 2"),
        (3, 1, "connection management has no method 0x01"),
        (17, 0x17, "attribute 0x0017 of connection management is unknown"),
    ],
)
def test_another_management_datagram_is_refused(at: int, octet: int, said: str) -> None:
    octets = encode_cm(request(), 1)
    with pytest.raises(BadFrame) as caught:
        decode_cm(octets[:at] + bytes([octet]) + octets[at + 1 :])
    assert str(caught.value) == said
