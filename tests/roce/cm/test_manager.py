"""One rule each: what a manager does about what comes from the network, and about time."""

from __future__ import annotations

import random

import msgspec
import pytest

from rpcrdma.roce.cm import CmNoticeKind, CmState, ConnectionManager
from rpcrdma.roce.cm.registry import MOST_HALF_OPEN, MOST_TIME_WAITS
from rpcrdma.roce.packet.cm_codes import PathStatus, RejectReason
from rpcrdma.roce.packet.cm_messages import (
    AlternatePathResponse,
    CmMessage,
    ConnectReject,
    ConnectReply,
    ConnectRequest,
    DisconnectReply,
    DisconnectRequest,
    LoadAlternatePath,
    MessageReceipt,
    ReadyToUse,
)
from tests.roce.cm.conftest import ACTIVE, PASSIVE, PORT, Wire, offer

STRANGER = "192.0.2.99"


def first_request(wire: Wire) -> ConnectRequest:
    return next(one for _, one, _ in wire.sent if isinstance(one, ConnectRequest))


def rejection(wire: Wire) -> ConnectReject:
    """The REJ that was sent last."""
    message = wire.last()
    assert isinstance(message, ConnectReject)
    return message


def lose(kind: type[CmMessage], times: int, wire: Wire) -> None:
    """Have the first messages of a kind lost."""
    left = times

    def drops(message: CmMessage) -> bool:
        nonlocal left
        left -= isinstance(message, kind)
        return isinstance(message, kind) and left >= 0

    wire.drops = drops


# -- connections


def test_three_messages_make_a_connection(wire: Wire) -> None:
    active, passive = wire.established()

    assert wire.kinds() == ["ConnectRequest", "ConnectReply", "ReadyToUse"]
    assert (active.state, passive.state) == (CmState.ESTABLISHED, CmState.ESTABLISHED)
    assert wire.active.told() == [CmNoticeKind.REPLY]
    assert wire.passive.told() == [CmNoticeKind.REQUEST, CmNoticeKind.ESTABLISHED]
    assert {transaction for _, _, transaction in wire.sent} == {wire.sent[0][2]}
    assert wire.active.manager.deadline() is wire.passive.manager.deadline() is None


def test_two_messages_end_it(wire: Wire) -> None:
    """In an exchange of their own."""
    active, passive = wire.established()
    passive.disconnect(wire.now)
    wire.carry()

    assert wire.kinds()[3:] == ["DisconnectRequest", "DisconnectReply"]
    assert wire.sent[3][2] == wire.sent[4][2] != wire.sent[0][2]
    assert (active.state, passive.state) == (CmState.TIME_WAIT, CmState.TIME_WAIT)
    assert wire.active.told()[-1] is wire.passive.told()[-1] is CmNoticeKind.DISCONNECTED


def test_addresses_of_the_sixth_version_do_as_well() -> None:
    wire = Wire("2001:db8::1", "2001:db8::2")
    active, passive = wire.established()

    assert first_request(wire).remote_gid.hex() == "20010db8000000000000000000000002"
    assert (active.remote, passive.remote) == ("2001:db8::2", "2001:db8::1")


def test_private_data_go_both_ways(wire: Wire) -> None:
    """Also with a refusal, and with zeros behind them: the messages have one length."""
    active = wire.connect(private_data=b"please")
    wire.carry()
    wire.asked().reject(b"never", RejectReason.INSUFFICIENT_RESPONDER_RESOURCES)
    wire.carry()

    [request], [refusal] = wire.passive.notices, wire.active.notices
    assert request.private_data.rstrip(b"\0") == b"please"
    assert (refusal.kind, refusal.handshake) == (CmNoticeKind.REJECTED, active)
    assert refusal.private_data.rstrip(b"\0") == b"never"
    assert refusal.reason == RejectReason.INSUFFICIENT_RESPONDER_RESOURCES


def test_the_active_side_may_refuse_a_reply(wire: Wire) -> None:
    active = wire.connect()
    wire.carry()
    wire.asked().accept(offer(0x22), wire.now)
    wire.carry()
    active.reject(b"no")
    wire.carry()

    assert rejection(wire).rejected == 1
    assert wire.passive.told() == [CmNoticeKind.REQUEST, CmNoticeKind.REJECTED]
    assert wire.passive.notices[-1].reason == RejectReason.CONSUMER


def test_simultaneous_requests_are_two_connections(wire: Wire) -> None:
    """The standard has a way for peers that want one; rdma_cm knows no such thing."""
    wire.active.manager.listen(PORT)
    ours = wire.connect()
    theirs = wire.passive.manager.connect(PASSIVE, ACTIVE, PORT, offer(0x44), wire.now)
    wire.carry()
    for end, queue_pair in ((wire.active, 0x55), (wire.passive, 0x66)):
        [notice] = end.notices
        notice.handshake.accept(offer(queue_pair), wire.now)
    wire.carry()
    ours.ready()
    theirs.ready()
    wire.carry()

    assert ours.peer == offer(0x66, bytes(196))
    assert theirs.peer == offer(0x55, bytes(196))
    assert wire.passive.told()[-1] is wire.active.told()[-1] is CmNoticeKind.ESTABLISHED


def test_a_device_may_be_its_own_peer() -> None:
    manager = ConnectionManager(0xA, random.Random(1))
    manager.listen(PORT)
    active = manager.connect(ACTIVE, ACTIVE, PORT, offer(0x11), 0.0)

    def carry() -> None:
        while messages := manager.take_messages():
            for local, remote, mad in messages:
                manager.receive(local, remote, mad, 0.0)

    carry()
    [request] = manager.take_events()
    request.handshake.accept(offer(0x22), 0.0)
    carry()
    active.ready()
    carry()

    assert [notice.kind for notice in manager.take_events()] == [
        CmNoticeKind.REPLY,
        CmNoticeKind.ESTABLISHED,
    ]


# -- requests that come to nothing


def test_a_port_that_nobody_listens_at_is_an_invalid_service(wire: Wire) -> None:
    wire.passive.manager.unlisten(PORT)
    wire.connect()
    wire.carry()

    assert rejection(wire).reason == RejectReason.INVALID_SERVICE_ID
    assert (rejection(wire).local_id, rejection(wire).rejected) == (0, 0)
    assert wire.active.told() == [CmNoticeKind.REJECTED]
    assert wire.passive.told() == []


def test_a_request_that_nobody_has_seen_goes_with_its_listener(wire: Wire) -> None:
    """One that the side has been told of is the side's."""
    wire.connect()
    wire.carry()
    seen = wire.asked()
    wire.connect(queue_pair=0x12)
    for local, remote, mad in wire.active.manager.take_messages():
        wire.passive.manager.receive(local, remote, mad, wire.now)
    wire.passive.manager.unlisten(PORT)
    wire.carry()

    assert seen.state is CmState.REQ_RCVD
    assert wire.passive.told() == [CmNoticeKind.REQUEST]
    assert [notice.reason for notice in wire.active.notices] == [RejectReason.INVALID_SERVICE_ID]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"transport_type": 1}, RejectReason.INVALID_TRANSPORT_TYPE),
        ({"transport_type": 3, "extended_transport": 1}, RejectReason.INVALID_TRANSPORT_TYPE),
        ({"service_id": 0x0000000001110000 + PORT}, RejectReason.INVALID_SERVICE_ID),  # UDP
        ({"path_mtu": 0}, RejectReason.INVALID_PATH_MTU),
        ({"path_mtu": 6}, RejectReason.INVALID_PATH_MTU),
        ({"private_data": b"\x00\x50"}, RejectReason.CONSUMER),
        ({"private_data": b"\x01\x40"}, RejectReason.CONSUMER),
    ],
    ids=str,
)
def test_a_request_without_sense_is_rejected(
    wire: Wire, change: dict[str, object], reason: RejectReason
) -> None:
    wire.connect()
    wire.carry()
    message = msgspec.structs.replace(first_request(wire), local_id=1, queue_pair=2, **change)
    wire.passive.notices.clear()
    wire.inject(wire.passive, message)
    wire.carry()

    assert rejection(wire).reason == reason
    assert wire.passive.told() == []


def test_requests_beyond_the_bound_find_no_resources(wire: Wire) -> None:
    """And the bound holds for those that have not become connections, not for all."""
    for number in range(MOST_HALF_OPEN):
        wire.connect(queue_pair=0x100 + number)
    wire.carry()
    assert wire.passive.told() == [CmNoticeKind.REQUEST] * MOST_HALF_OPEN
    wire.connect(queue_pair=0x1000)
    wire.carry()
    assert rejection(wire).reason == RejectReason.NO_RESOURCES

    wire.asked().reject()
    wire.connect(queue_pair=0x1001)
    wire.carry()

    assert wire.passive.told() == [CmNoticeKind.REQUEST] * (MOST_HALF_OPEN + 1)


# -- losses


@pytest.mark.parametrize("kind", [ConnectRequest, ConnectReply, ReadyToUse])
@pytest.mark.parametrize("times", [1, 15])
def test_what_is_lost_is_sent_again(wire: Wire, kind: type[CmMessage], times: int) -> None:
    """A try each 268 ms; the loss of a RTU is noticed by who waits for it."""
    lose(kind, times, wire)
    active = wire.connect()
    wire.carry()
    wire.wait(0.2685 * times if kind is ConnectRequest else 0)
    wire.asked().accept(offer(0x22), wire.now)
    wire.carry()
    wire.wait(0.2685 * times if kind is ConnectReply else 0)
    active.ready()
    wire.wait(0.2685 * times if kind is ReadyToUse else 0)

    assert wire.asked().state is active.state is CmState.ESTABLISHED
    assert wire.active.told() == [CmNoticeKind.REPLY]
    assert wire.passive.told() == [CmNoticeKind.REQUEST, CmNoticeKind.ESTABLISHED]


def test_a_peer_that_never_answers_is_unreachable(wire: Wire) -> None:
    """After 16 requests and 4.3 s; a rejection says so, in case it hears."""
    wire.drops = lambda _: True
    active = wire.connect()
    wire.wait(4.2)
    assert wire.active.told() == []
    wire.wait(0.2)

    assert wire.kinds() == ["ConnectRequest"] * 16 + ["ConnectReject"]
    assert rejection(wire).reason == RejectReason.TIMEOUT
    assert rejection(wire).information[:8] == (0xA).to_bytes(8, "big")
    assert wire.active.told() == [CmNoticeKind.UNREACHABLE]
    assert active.state is CmState.TIME_WAIT


def test_a_reply_that_is_never_answered_ends_both(wire: Wire) -> None:
    """The active side believes that it is connected until the rejection comes."""
    lose(ReadyToUse, 1000, wire)
    active = wire.connect()
    wire.carry()
    wire.asked().accept(offer(0x22), wire.now)
    wire.carry()
    active.ready()
    wire.wait(4.5)

    assert wire.passive.told() == [CmNoticeKind.REQUEST, CmNoticeKind.UNREACHABLE]
    assert wire.active.told() == [CmNoticeKind.REPLY, CmNoticeKind.DISCONNECTED]
    assert wire.active.notices[-1].reason == RejectReason.TIMEOUT


def test_a_request_that_was_given_up_is_taken_from_the_other_side(wire: Wire) -> None:
    """The rejection after a time-out finds the request by GUID and id: ours was never told."""
    lose(MessageReceipt, 1000, wire)
    wire.connect()
    wire.wait(4.5)

    assert wire.active.told() == [CmNoticeKind.UNREACHABLE]
    assert wire.passive.told() == [CmNoticeKind.REQUEST, CmNoticeKind.REJECTED]
    assert wire.passive.notices[-1].reason == RejectReason.TIMEOUT


@pytest.mark.parametrize("kind", [DisconnectRequest, DisconnectReply])
def test_an_end_that_is_not_confirmed_is_repeated(wire: Wire, kind: type[CmMessage]) -> None:
    active, passive = wire.established()
    lose(kind, 3, wire)
    active.disconnect(wire.now)
    wire.wait(1.0)

    assert wire.kinds().count("DisconnectRequest") == 4
    assert active.state is passive.state is CmState.TIME_WAIT


def test_an_end_that_is_never_confirmed_is_one(wire: Wire) -> None:
    active, _ = wire.established()
    wire.drops = lambda _: True
    active.disconnect(wire.now)
    wire.wait(4.5)

    assert wire.kinds().count("DisconnectRequest") == 16
    assert wire.active.told()[-1] is CmNoticeKind.DISCONNECTED


def test_a_packet_before_the_ready_to_use_establishes(wire: Wire) -> None:
    active = wire.connect()
    wire.carry()
    passive = wire.asked()
    passive.accept(offer(0x22), wire.now)
    wire.carry()
    passive.communication_established()
    active.ready()
    wire.carry()

    assert wire.passive.told() == [CmNoticeKind.REQUEST, CmNoticeKind.ESTABLISHED]
    assert wire.passive.manager.strays == 1
    assert wire.passive.manager.deadline() is None


# -- time that somebody asks for


def test_a_side_that_decides_late_keeps_the_peer_patient(wire: Wire) -> None:
    """The first duplicate is answered by a MRA, which makes the peer wait for 4.3 s."""
    active = wire.connect()
    wire.wait(10.0)
    wire.asked().accept(offer(0x22), wire.now)
    wire.carry()
    active.ready()
    wire.carry()

    assert wire.kinds().count("ConnectRequest") == 4
    assert wire.kinds().count("MessageReceipt") == 3
    assert wire.active.told() == [CmNoticeKind.REPLY]
    assert wire.asked().state is CmState.ESTABLISHED


def test_so_does_one_that_is_late_to_be_ready(wire: Wire) -> None:
    active = wire.connect()
    wire.carry()
    wire.asked().accept(offer(0x22), wire.now)
    wire.wait(10.0)
    active.ready()
    wire.carry()

    assert wire.kinds().count("ConnectReply") == 4
    assert wire.kinds().count("MessageReceipt") == 3
    assert wire.asked().state is CmState.ESTABLISHED


def test_patience_has_an_end(wire: Wire) -> None:
    """Each MRA buys one wait of at most 69 s, and tries are counted on."""
    wire.drops = lambda _: True
    active = wire.connect()
    wire.carry()
    for _ in range(100):
        mra = MessageReceipt(local_id=9, remote_id=active.own_id, received=0, service_timeout=31)
        wire.inject(wire.active, mra)
        wire.wait(40)

    assert wire.kinds().count("ConnectRequest") == 16
    assert wire.active.told() == [CmNoticeKind.UNREACHABLE]


def test_a_deferral_of_something_else_means_nothing(wire: Wire) -> None:
    active = wire.connect()
    for received in (1, 2, 3):
        mra = MessageReceipt(
            local_id=9, remote_id=active.own_id, received=received, service_timeout=20
        )
        wire.inject(wire.active, mra)

    assert active.state is CmState.REQ_SENT
    assert wire.active.manager.strays == 3


# -- duplicates


def test_a_duplicate_is_answered_from_the_state(wire: Wire) -> None:
    wire.established()
    request, reply, _ = [message for _, message, _ in wire.sent]
    wire.inject(wire.passive, request)
    wire.inject(wire.active, reply)
    wire.carry()

    assert wire.kinds()[3:] == ["ReadyToUse"]
    assert wire.passive.manager.strays == 2  # the request, and the second ready to use


def test_a_late_duplicate_of_a_request_finds_no_connection(wire: Wire) -> None:
    """In the time wait it is rejected; after that it is as good as new."""
    active, _ = wire.established()
    active.disconnect(wire.now)
    wire.carry()
    wire.inject(wire.passive, wire.sent[0][1])
    wire.carry()

    assert rejection(wire).reason == RejectReason.STALE_CONNECTION
    assert wire.passive.told().count(CmNoticeKind.REQUEST) == 1


def test_a_late_reply_is_rejected(wire: Wire) -> None:
    """Its sender would wait for a ready to use; whether the request was given up just now or
    long ago."""
    lose(ConnectReject, 1000, wire)
    wire.connect()
    wire.carry()
    wire.active.manager.tick(wire.now + 1)
    for _ in range(15):
        wire.active.manager.tick(wire.active.manager.deadline() or 0.0)
    wire.active.manager.take_messages()
    wire.asked().accept(offer(0x22), wire.now)
    wire.carry()
    assert rejection(wire).reason == RejectReason.INVALID_COMMUNICATION_ID
    wire.active.manager.tick(1e6)
    wire.drops = lambda _: False
    wire.wait(1.0)

    assert rejection(wire).reason == RejectReason.INVALID_COMMUNICATION_ID
    assert wire.passive.told() == [CmNoticeKind.REQUEST, CmNoticeKind.REJECTED]


def test_crossing_disconnections_meet(wire: Wire) -> None:
    active, passive = wire.established()
    active.disconnect(wire.now)
    passive.disconnect(wire.now)
    wire.carry()

    assert active.state is passive.state is CmState.TIME_WAIT
    assert wire.active.told().count(CmNoticeKind.DISCONNECTED) == 1
    assert wire.passive.told().count(CmNoticeKind.DISCONNECTED) == 1


# -- peers that start again


def test_a_queue_pair_that_asks_again_ends_its_old_connection(wire: Wire) -> None:
    """12.9.8.3.1: REJ 10 to the request, DREQ until the DREP, and then the request is welcome."""
    _, passive = wire.established()
    wire.active.manager = ConnectionManager(0xA, random.Random(99))
    wire.connect()
    wire.carry()

    assert wire.kinds()[-4:] == [
        "ConnectRequest",
        "ConnectReject",
        "DisconnectRequest",
        "DisconnectReply",
    ]
    assert wire.active.notices[-1].reason == RejectReason.STALE_CONNECTION
    assert wire.passive.told()[-1] is CmNoticeKind.DISCONNECTED
    assert passive.state is CmState.TIME_WAIT
    wire.connect()
    wire.carry()
    assert wire.passive.told()[-1] is CmNoticeKind.REQUEST


def test_a_reply_with_a_connected_queue_pair_ends_both(wire: Wire) -> None:
    old, _ = wire.established()
    new = wire.connect(queue_pair=0x12)
    wire.carry()
    wire.asked().accept(offer(0x22), wire.now)
    wire.carry()

    assert wire.kinds()[-3:] == ["ConnectReject", "DisconnectRequest", "DisconnectReply"]
    assert old.state is new.state is CmState.TIME_WAIT
    assert [(notice.handshake, notice.kind) for notice in wire.active.notices[-2:]] == [
        (new, CmNoticeKind.REJECTED),
        (old, CmNoticeKind.DISCONNECTED),
    ]


def test_a_late_duplicate_of_a_reply_ends_no_other_connection(wire: Wire) -> None:
    """The queue pair of a connection that is over may be that of a new one."""
    first, _ = wire.established()
    late = wire.sent[1][1]
    first.disconnect(wire.now)
    wire.carry()
    second, _ = wire.established()
    wire.inject(wire.active, late)
    wire.carry()

    assert (first.state, second.state) == (CmState.TIME_WAIT, CmState.ESTABLISHED)


def test_a_request_that_was_asked_again_under_another_id_is_no_more(wire: Wire) -> None:
    wire.connect()
    wire.carry()
    old = wire.asked()
    wire.active.manager = ConnectionManager(0xA, random.Random(99))
    wire.connect()
    wire.carry()

    assert old.state is CmState.IDLE
    assert wire.passive.told() == [CmNoticeKind.REQUEST, CmNoticeKind.REJECTED]


def test_a_peer_that_is_another_device_by_now_begins_afresh(wire: Wire) -> None:
    """The same address and queue pair under another GUID: the old connection is not touched."""
    _, passive = wire.established()
    wire.active.manager = ConnectionManager(0xC, random.Random(1))
    wire.connect()
    wire.carry()

    assert passive.state is CmState.ESTABLISHED
    assert wire.passive.told()[-1] is CmNoticeKind.REQUEST


def test_an_unknown_connection_may_be_ended(wire: Wire) -> None:
    """Its other end would ask until it is answered; the state of nothing is needed for it."""
    dreq = DisconnectRequest(local_id=5, remote_id=6, queue_pair=7)
    wire.inject(wire.passive, dreq, transaction=8)
    wire.carry()

    assert wire.sent == [
        (PASSIVE, DisconnectReply(local_id=6, remote_id=5, private_data=bytes(224)), 8)
    ]


# -- what is not for us


@pytest.mark.parametrize(
    "message",
    [
        ReadyToUse(local_id=5, remote_id=6),
        ConnectReject(local_id=5, remote_id=6, rejected=0, reason=28),
        ConnectReject(local_id=5, remote_id=6, rejected=2, reason=4, information_length=127),
        MessageReceipt(local_id=5, remote_id=6, received=0, service_timeout=20),
        DisconnectReply(local_id=5, remote_id=6),
        LoadAlternatePath(local_id=5, remote_id=6, queue_pair=7, remote_timeout=16),
        AlternatePathResponse(local_id=5, remote_id=6, status=0),
    ],
    ids=lambda message: type(message).__name__,
)
def test_a_message_of_no_connection_is_counted_and_left(wire: Wire, message: CmMessage) -> None:
    wire.inject(wire.passive, message)
    wire.carry()

    assert wire.sent == []
    assert wire.passive.manager.strays == 1


@pytest.mark.parametrize("octets", [b"", bytes(256), bytes(255), b"\xff" * 256], ids=len)
def test_what_is_no_message_is_counted_and_left(wire: Wire, octets: bytes) -> None:
    wire.passive.manager.receive(ACTIVE, PASSIVE, octets, wire.now)

    assert wire.passive.manager.take_messages() == []
    assert (wire.passive.manager.malformed, wire.passive.manager.strays) == (1, 0)


def test_only_the_peer_is_listened_to(wire: Wire) -> None:
    """Another host that knows all ids can neither end a connection nor pass for the peer."""
    active, passive = wire.established()
    ids = {"local_id": passive.own_id, "remote_id": active.own_id}
    for message in (
        DisconnectRequest(**ids, queue_pair=0x11),
        ConnectReject(**ids, rejected=2, reason=28),
        LoadAlternatePath(**ids, queue_pair=0x11, remote_timeout=16),
    ):
        wire.inject(wire.active, message, source=STRANGER)
    request = msgspec.structs.replace(first_request(wire), local_id=77)
    wire.inject(wire.passive, request, source=STRANGER)

    assert active.state is passive.state is CmState.ESTABLISHED
    sent = wire.active.manager.take_messages() + wire.passive.manager.take_messages()
    assert {remote for _, remote, _ in sent} == {STRANGER}


def test_a_disconnection_of_another_queue_pair_means_nothing(wire: Wire) -> None:
    """12.6.10: it names the queue pair that it ends."""
    active, passive = wire.established()
    dreq = DisconnectRequest(local_id=passive.own_id, remote_id=active.own_id, queue_pair=0x99)
    wire.inject(wire.active, dreq)
    wire.carry()

    assert active.state is CmState.ESTABLISHED
    assert len(wire.sent) == 3


def test_an_alternate_path_is_refused(wire: Wire) -> None:
    """12.8.2: in the exchange of the proposal."""
    active, passive = wire.established()
    lap = LoadAlternatePath(
        local_id=active.own_id, remote_id=passive.own_id, queue_pair=0x22, remote_timeout=16
    )
    wire.inject(wire.passive, lap, transaction=33)
    wire.carry()

    _, answer, transaction = wire.sent[-1]
    assert isinstance(answer, AlternatePathResponse)
    assert (answer.status, transaction) == (PathStatus.NOT_SUPPORTED, 33)
    assert answer.remote_id == active.own_id


# -- bounds


def test_time_wait_has_an_end(wire: Wire) -> None:
    """After 4.3 s, twice the ack timeout, nothing is left."""
    active, passive = wire.established()
    active.disconnect(wire.now)
    wire.wait(4.2)
    assert active.state is passive.state is CmState.TIME_WAIT
    wire.wait(0.2)

    assert active.state is passive.state is CmState.IDLE
    assert [len(end.manager._registry) for end in wire.ends] == [0, 0]


def test_connections_in_time_wait_are_bounded(wire: Wire) -> None:
    """The oldest is forgotten first."""
    for _ in range(MOST_TIME_WAITS + 3):
        active, passive = wire.established()
        active.disconnect(wire.now)
        wire.carry()

    assert [len(end.manager._registry) for end in wire.ends] == [MOST_TIME_WAITS] * 2
    assert active.state is passive.state is CmState.TIME_WAIT


def test_an_abandoned_connection_is_forgotten_and_the_peer_told_once(wire: Wire) -> None:
    active, passive = wire.established()
    active.abandon()
    wire.carry()

    assert wire.kinds()[3:] == ["DisconnectRequest", "DisconnectReply"]
    assert passive.state is CmState.TIME_WAIT
    assert (len(wire.active.manager._registry), wire.active.manager.deadline()) == (0, None)


def test_notices_that_nobody_fetches_do_not_pile_up(wire: Wire) -> None:
    """A request that is taken back before anybody has seen it was none."""
    for number in range(10):
        handshake = wire.connect(queue_pair=0x100 + number)
        messages = wire.active.manager.take_messages()
        handshake.abandon()
        for local, remote, mad in messages + wire.active.manager.take_messages():
            wire.passive.manager.receive(local, remote, mad, wire.now)

    assert wire.passive.manager.take_events() == []


def test_ids_come_from_the_source_of_chance(wire: Wire) -> None:
    """So a run can be had again; none is 0, which means that there is none."""
    again = Wire()
    for one in (wire, again):
        one.connect()
        one.connect(queue_pair=0x12)
        one.carry()

    assert wire.sent == again.sent
    ids = {message.local_id for _, message, _ in wire.sent}
    assert len(ids) == 2
    assert 0 not in ids
    assert len({transaction for _, _, transaction in wire.sent}) == 2
