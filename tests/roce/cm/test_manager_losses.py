"""One rule each: what becomes of a connection when messages are lost, late or doubled, or when a
peer starts again.
"""

from __future__ import annotations

import random

import pytest

from rpcrdma.roce.cm import CmNoticeKind, CmState, ConnectionManager
from rpcrdma.roce.packet.cm_codes import RejectReason
from rpcrdma.roce.packet.cm_messages import (
    CmMessage,
    ConnectReject,
    ConnectReply,
    ConnectRequest,
    DisconnectReply,
    DisconnectRequest,
    MessageReceipt,
    ReadyToUse,
)
from tests.roce.cm.conftest import PASSIVE, Wire, lose, offer, rejection

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
