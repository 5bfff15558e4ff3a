"""One rule each: what a manager does about what comes from the network."""

from __future__ import annotations

import random
from dataclasses import replace

import msgspec
import pytest

from rpcrdma.roce.cm import CmNoticeKind, CmState, ConnectionManager
from rpcrdma.roce.cm.registry import MOST_HALF_OPEN, MOST_TIME_WAITS
from rpcrdma.roce.packet.cm_codes import PathStatus, RejectReason
from rpcrdma.roce.packet.cm_messages import (
    AlternatePathResponse,
    CmMessage,
    ConnectReject,
    DisconnectReply,
    DisconnectRequest,
    LoadAlternatePath,
    MessageReceipt,
    ReadyToUse,
)
from tests.roce.cm.conftest import ACTIVE, PASSIVE, PORT, Wire, first_request, offer, rejection

STRANGER = "192.0.2.99"


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


def test_only_the_id_of_the_peer_is_listened_to(wire: Wire) -> None:
    """What another connection of the same host has to say is not for this one."""
    active, passive = wire.established()
    ids = {"local_id": passive.own_id + 1, "remote_id": active.own_id}
    wire.inject(wire.active, ConnectReject(**ids, rejected=2, reason=28))
    wire.inject(wire.active, DisconnectRequest(**ids, queue_pair=0x11))

    assert active.state is CmState.ESTABLISHED
    assert wire.active.manager.strays == 2


def test_only_a_rejection_after_a_time_out_is_found_by_the_guid(wire: Wire) -> None:
    """12.6.7.2: with other reasons the additional information is something else."""
    active = wire.connect()
    wire.carry()
    for reason in (RejectReason.CONSUMER, RejectReason.TIMEOUT):
        assert wire.asked().state is CmState.REQ_RCVD
        rej = ConnectReject(
            local_id=active.own_id,
            remote_id=0,
            rejected=2,
            reason=reason,
            information_length=8,
            information=(0xA).to_bytes(8, "big"),
        )
        wire.inject(wire.passive, rej)

    assert wire.asked().state is CmState.IDLE


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


def test_the_time_wait_is_as_long_as_the_request_says(wire: Wire) -> None:
    """Its ack timeout holds for both, whatever the reply's side would have asked for."""
    active = wire.connect()
    wire.carry()
    passive = wire.asked()
    passive.accept(replace(offer(0x22), ack_timeout=12), wire.now)
    wire.carry()
    active.ready()
    wire.carry()
    active.disconnect(wire.now)
    wire.carry()

    assert active.deadline == passive.deadline == pytest.approx(wire.now + 2 * 2.147, abs=0.01)


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
