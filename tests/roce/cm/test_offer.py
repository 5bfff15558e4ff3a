"""What one side offers the other, and what messages make of it."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from rpcrdma.errors import BadFrame, LocalProtocolError
from rpcrdma.fabric import private_data
from rpcrdma.roce.cm import MOST_IN_REJECT, MOST_IN_REPLY, MOST_IN_REQUEST
from rpcrdma.roce.cm.offer import PATH_MTUS, offer_of_reply, offer_of_request
from rpcrdma.roce.packet.cm_codes import path_mtu_code
from rpcrdma.roce.packet.cm_private_data import IpHeader, encode_private_data
from tests.roce.cm.conftest import offer
from tests.roce.cm.test_answers import REPLY, REQUEST

HEADER = IpHeader(4, 1023, "192.0.2.1", "192.0.2.2")


def test_private_data_have_the_room_that_every_fabric_gives_them() -> None:
    """What the formats of the messages leave is what the other fabrics are told."""
    assert (MOST_IN_REQUEST, MOST_IN_REPLY, MOST_IN_REJECT) == (
        private_data.MOST_IN_REQUEST,
        private_data.MOST_IN_REPLY,
        private_data.MOST_IN_REJECT,
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("queue_pair", 1 << 24),
        ("starting_psn", 1 << 24),
        ("starting_psn", -1),
        ("responder_resources", 256),
        ("initiator_depth", 256),
        ("ack_timeout", 32),
        ("retry", 8),
        ("rnr_retry", 8),
    ],
)
def test_a_value_that_no_message_can_say_is_refused(name: str, value: int) -> None:
    with pytest.raises(LocalProtocolError, match=f"{name} has .* bits, {value} does not fit"):
        replace(offer(0x11), **{name: value})


@pytest.mark.parametrize("octets", [0, 128, 1500, 8192])
def test_so_is_a_path_mtu_that_is_none(octets: int) -> None:
    with pytest.raises(LocalProtocolError, match=f"no path MTU: {octets} octets"):
        replace(offer(0x11), path_mtu=octets)


def test_every_path_mtu_can_be_said() -> None:
    assert [path_mtu_code(octets) for octets in PATH_MTUS] == [1, 2, 3, 4, 5]


def test_a_request_offers_what_it_says() -> None:
    request = msgspec.structs.replace(
        REQUEST,
        responder_resources=1,
        initiator_depth=2,
        private_data=encode_private_data(HEADER, b"user"),
    )
    made = offer_of_request(request)

    assert (made.queue_pair, made.starting_psn, made.path_mtu) == (8, 9, 4096)
    assert (made.responder_resources, made.initiator_depth) == (1, 2)
    assert (made.ack_timeout, made.retry, made.rnr_retry) == (19, 7, 7)
    assert made.private_data == b"user".ljust(56, b"\0")


@pytest.mark.parametrize("change", [{"path_mtu": 7}, {"private_data": bytes(92)}], ids=str)
def test_a_request_without_sense_offers_nothing(change: dict[str, object]) -> None:
    whole = msgspec.structs.replace(REQUEST, private_data=encode_private_data(HEADER, b""))
    offer_of_request(whole)

    with pytest.raises(BadFrame):
        offer_of_request(msgspec.structs.replace(whole, **change))


def test_a_reply_has_the_times_and_the_path_of_the_request() -> None:
    """12.6.8 has no fields for them: they hold for both."""
    reply = msgspec.structs.replace(
        REPLY, responder_resources=3, initiator_depth=4, rnr_retry=1, private_data=b"yes"
    )
    asked = offer(0x11)
    made = offer_of_reply(reply, asked)

    assert (made.queue_pair, made.starting_psn, made.rnr_retry) == (8, 9, 1)
    assert (made.responder_resources, made.initiator_depth) == (3, 4)
    assert made.private_data == b"yes"
    assert (made.ack_timeout, made.retry, made.path_mtu) == (
        asked.ack_timeout,
        asked.retry,
        asked.path_mtu,
    )
