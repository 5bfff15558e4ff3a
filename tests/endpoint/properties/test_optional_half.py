"""Optional messages on a connection: what is sent, what it costs, and what limits the halves."""

from __future__ import annotations

import pytest

from rpcrdma.endpoint.core import events
from rpcrdma.endpoint.core.actions import Disconnect, PostReceive, Send
from rpcrdma.endpoint.core.dialect import NO_CHUNKS, ONE
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.core.events import Connected
from rpcrdma.endpoint.properties.exchange import PropertyExchange
from rpcrdma.endpoint.properties.optional_half import OptionalHalf
from rpcrdma.endpoint.properties.values import PropertyOptions, PropertyValues
from rpcrdma.wire import ErrVers, RdmaError, TransportHeader, v2
from rpcrdma.wire._generated_rtrext import BadSequence, TransmissionId
from rpcrdma.wire.operations import ConnProp, ReptErr, ReqProp, UpdProp
from rpcrdma.wire.optional import Option, UnknownOption, decode_option, encode_option
from rpcrdma.wire.properties import (
    ReceiveBufferSize,
    RequesterRemoteInvalidation,
    properties_of,
    property_values,
)
from rpcrdma.wire.rpc import MessageType

CALL_IN_ONE = ONE.encode(TransportHeader(7, 1, 1, NO_CHUNKS), MessageType.CALL)
CALL_IN_TWO = TWO.encode(TransportHeader(7, 2, 1, NO_CHUNKS), MessageType.CALL)
ERROR_IN_TWO = TWO.encode(TransportHeader(7, 2, 1, RdmaError(ErrVers(1, 2))), MessageType.REPLY)


class Noted:
    """A half that notes what it is told."""

    def __init__(self) -> None:
        self.limits: list[tuple[int, int]] = []
        self.lengths: list[int] = []
        self.peer = PropertyValues()

    def heed(self, version: int, send_limit: int, peer: PropertyValues) -> None:
        self.limits.append((version, send_limit))
        self.peer = peer

    def post_from_now(self, octets: int) -> None:
        self.lengths.append(octets)


def half(*halves: Noted, options: PropertyOptions | None = None) -> OptionalHalf:
    optional = OptionalHalf(PropertyExchange(options or PropertyOptions()), 32)
    optional.join(halves, (4096,) * 4)
    return optional


def message(option: Option, xid: int = 9) -> bytes:
    body = encode_option(MessageType.CALL, option)
    return v2.encode_header(v2.Rdma2Header(xid, 2, 1, body))


def headers(actions: list[object]) -> list[v2.Rdma2Header]:
    return [v2.decode_header(one.data)[0] for one in actions if isinstance(one, Send)]


@pytest.mark.parametrize(
    ("messages", "agreed"),
    [
        ((CALL_IN_TWO,), True),
        ((CALL_IN_ONE,), False),
        ((CALL_IN_ONE, CALL_IN_TWO), False),
        ((b"", CALL_IN_TWO[:20], ERROR_IN_TWO, CALL_IN_TWO), True),
        ((CALL_IN_TWO, CALL_IN_TWO), False),  # only once
    ],
)
def test_the_first_good_message_settles_the_version(
    messages: tuple[bytes, ...], agreed: bool
) -> None:
    """v2 5: what comes first, and is neither an error nor nonsense."""
    optional = half()

    assert [optional.is_agreed_by(one) for one in messages][-1] is agreed


def test_properties_are_told_once_version_two_is_agreed() -> None:
    """xcharext 4.1: CONNPROP, with the credits of this end, under a key that is no Call's."""
    optional = half(options=PropertyOptions(PropertyValues(receive_buffer=4096)))
    optional.is_agreed_by(CALL_IN_TWO)

    actions = optional.begin()

    (header,) = headers(actions)
    assert (header.rdma_vers, header.rdma_credit) == (2, 32)
    assert isinstance(header.rdma_body, v2.Rdma2Optional)
    assert isinstance(decode_option(header.rdma_body), ConnProp)
    assert [one.key for one in actions if isinstance(one, Send)] == [0]


def test_what_the_peer_says_of_itself_limits_the_halves() -> None:
    """xcharext 3.1: its buffer size is what may be sent; and a Receive is posted again."""
    forward, backward = Noted(), Noted()
    optional = half(forward, backward)
    optional.is_agreed_by(CALL_IN_TWO)

    actions = optional.take(message(ConnProp(property_values(ReceiveBufferSize(8192)), ())))

    assert actions == [PostReceive.of(4096)]
    for one in (forward, backward):
        assert one.limits[-1] == (2, 8192)
        assert one.peer.receive_buffer == 8192


def test_an_unknown_operation_is_refused_under_its_xid() -> None:
    """v2 3.1."""
    optional = half()

    (header,) = headers(optional.take(message(UnknownOption(4711, b""), xid=0xABC)))

    assert (header.rdma_xid, header.rdma_body) == (0xABC, v2.Rdma2Error(v2.ErrInvalidOption()))


def test_a_broken_group_is_reported_under_the_xid_of_what_broke_it() -> None:
    """rtrext 9.5, D-110."""
    report = ReptErr(TransmissionId(0xABC, MessageType.CALL, 2), None, BadSequence(1, 2))

    (header,) = headers(half().group_broken(events.GroupBroken(report, 2)))

    said = encode_option(MessageType.REPLY, report)
    assert (header.rdma_xid, header.rdma_body) == (0xABC, said)


def test_a_refusal_of_ours_is_taken_and_another_error_is_left_to_the_halves() -> None:
    """D-77: only what is about an optional message of ours is no Call's business."""
    optional = half()
    optional.is_agreed_by(CALL_IN_TWO)
    (told,) = headers(optional.begin())
    refusal = v2.Rdma2Header(told.rdma_xid, 2, 1, v2.Rdma2Error(v2.ErrInvalidOption()))
    bad = v2.Rdma2Header(0x7777, 2, 1, v2.Rdma2Error(v2.ErrBadHeader()))

    assert optional.take(v2.encode_header(refusal)) == [PostReceive.of(4096)]
    assert optional.exchange.refused_operations
    assert not optional.rejects(v2.encode_header(bad))


def test_an_error_under_an_xid_that_it_has_not_used_is_about_an_rpc() -> None:
    optional = half()
    refusal = v2.Rdma2Header(0x77, 2, 1, v2.Rdma2Error(v2.ErrInvalidOption()))

    assert optional.is_about_an_rpc(v2.encode_header(refusal))


def test_a_receive_is_posted_as_long_as_was_told_and_is_told() -> None:
    """xcharext 3.1: in front of an answer, a shorter one would meet what is under way."""
    optional = half(Noted())
    optional.is_agreed_by(CALL_IN_TWO)

    shorter = optional.take(message(ReqProp(property_values(ReceiveBufferSize(1024)))))
    longer = optional.take(message(ReqProp(property_values(ReceiveBufferSize(4096))), 10))

    assert shorter[0] == PostReceive.of(4096)
    assert longer[0] == PostReceive.of(4096)


@pytest.mark.parametrize("bears", [True, False])
def test_what_the_connection_does_not_bear_is_not_announced(bears: bool) -> None:
    """xcharext 3.2, D-80: remote invalidation, where the device has no handles for it."""
    optional = half(options=PropertyOptions(PropertyValues(remote_invalidation=True)))
    optional.connected(Connected(bears_invalidation=bears))
    optional.is_agreed_by(CALL_IN_TWO)

    (header,) = headers(optional.begin())

    told = decode_option(header.rdma_body)
    assert isinstance(told, ConnProp)
    assert RequesterRemoteInvalidation(bears) in properties_of(told.opticonnpr_start)


@pytest.mark.parametrize(
    ("option", "octets"),
    [(ReqProp(property_values(ReceiveBufferSize(2048))), 44), (UnknownOption(77, b""), 20)],
)
def test_an_answer_for_which_the_peer_has_no_room_ends_the_connection(
    option: Option, octets: int
) -> None:
    """xcharext 3.1, D-142."""
    optional = half()
    optional.is_agreed_by(CALL_IN_TWO)
    optional.take(message(UpdProp(property_values(ReceiveBufferSize(octets - 1)))))

    posted, last = optional.take(message(option))

    assert posted == PostReceive.of(4096)
    assert isinstance(last, Disconnect)
    assert last.reason == (
        "xcharext.3.1.no-send-beyond-the-announced-size:"
        f" the peer has no Receive of {octets} octets for an answer"
    )


def test_an_answer_that_fits_just_so_is_sent() -> None:
    """xcharext 3.1."""
    optional = half()
    optional.is_agreed_by(CALL_IN_TWO)
    optional.take(message(UpdProp(property_values(ReceiveBufferSize(20)))))

    (header,) = headers(optional.take(message(UnknownOption(77, b""))))

    assert header.rdma_body == v2.Rdma2Error(v2.ErrInvalidOption())


def test_a_request_for_tiny_receives_is_sent_all_the_same() -> None:
    """xcharext 3.1: what it asks for binds what comes after it."""
    optional = half()
    optional.is_agreed_by(CALL_IN_TWO)
    optional.begin()
    optional.heard(1)
    optional.wishes.ask(ReceiveBufferSize(16))

    (header,) = headers(optional.fulfil())

    assert isinstance(header.rdma_body, v2.Rdma2Optional)
    assert isinstance(decode_option(header.rdma_body), ReqProp)
