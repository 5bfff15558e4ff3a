"""What an act, a message and a time-out do to one connection, for every pair of state and input."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from rpcrdma.errors import LocalProtocolError
from rpcrdma.roce.cm import MOST_IN_REJECT, MOST_IN_REPLY, MOST_IN_REQUEST, CmNoticeKind, CmState
from rpcrdma.roce.cm.states import ACTS, MOVES, OVER, TIMED, CmAction, CmInput, CmMove
from rpcrdma.roce.packet.cm_codes import RejectReason
from rpcrdma.roce.packet.cm_messages import (
    CmMessage,
    ConnectReject,
    ConnectReply,
    ConnectRequest,
    DisconnectReply,
    DisconnectRequest,
    LoadAlternatePath,
    ReadyToUse,
    decode_cm,
)
from tests.roce.cm.conftest import PORT, Wire, deferral, offer, reach

if TYPE_CHECKING:
    from rpcrdma.roce.cm import CmHandshake

NAMES = {
    CmAction.SEND_REQ: "ConnectRequest",
    CmAction.SEND_REP: "ConnectReply",
    CmAction.SEND_RTU: "ReadyToUse",
    CmAction.SEND_MRA: "MessageReceipt",
    CmAction.SEND_REJ: "ConnectReject",
    CmAction.SEND_REJ_TIMEOUT: "ConnectReject",
    CmAction.SEND_REJ_STALE: "ConnectReject",
    CmAction.SEND_REJ_UNKNOWN: "ConnectReject",
    CmAction.SEND_DREQ: "DisconnectRequest",
    CmAction.SEND_DREP: "DisconnectReply",
    CmAction.SEND_APR: "AlternatePathResponse",
}
AGAIN = {
    CmState.REQ_SENT: "ConnectRequest",
    CmState.REP_WAIT: "ConnectRequest",
    CmState.REP_SENT: "ConnectReply",
    CmState.RTU_WAIT: "ConnectReply",
    CmState.DREQ_SENT: "DisconnectRequest",
}
TOLD = {
    CmAction.TELL_REQUEST: CmNoticeKind.REQUEST,
    CmAction.TELL_REPLY: CmNoticeKind.REPLY,
    CmAction.TELL_ESTABLISHED: CmNoticeKind.ESTABLISHED,
    CmAction.TELL_REJECTED: CmNoticeKind.REJECTED,
    CmAction.TELL_DISCONNECTED: CmNoticeKind.DISCONNECTED,
    CmAction.TELL_UNREACHABLE: CmNoticeKind.UNREACHABLE,
}


def message(arrived: CmInput, handshake: CmHandshake) -> CmMessage:
    """A message of the peer that fits the connection."""
    ids = {"local_id": handshake.peer_id or 0x77, "remote_id": handshake.own_id}
    reply = ConnectReply(**ids, queue_pair=0x22, starting_psn=9, rnr_retry=7, guid=0xB)
    match arrived:
        case CmInput.REQ:
            return _request()
        case CmInput.REP | CmInput.REP_STALE:
            return reply
        case CmInput.RTU:
            return ReadyToUse(**ids)
        case CmInput.REJ:
            return ConnectReject(**ids, rejected=2, reason=RejectReason.CONSUMER)
        case CmInput.REJ_STALE:
            return ConnectReject(**ids, rejected=2, reason=RejectReason.STALE_CONNECTION)
        case CmInput.MRA:
            return deferral(handshake)
        case CmInput.DREQ:
            return DisconnectRequest(**ids, queue_pair=0x11)
        case CmInput.DREP:
            return DisconnectReply(**ids)
        case CmInput.LAP:
            return LoadAlternatePath(**ids, queue_pair=0x11, remote_timeout=16)
    raise AssertionError(arrived)


def _request() -> ConnectRequest:
    wire = Wire()
    wire.connect()
    request, _ = decode_cm(wire.active.manager.take_messages()[0][2])
    assert isinstance(request, ConnectRequest)
    return request


def act(happened: CmInput, wire: Wire, handshake: CmHandshake) -> None:
    match happened:
        case CmInput.CONNECT:
            handshake.connect(offer(0x33), wire.now)
        case CmInput.ACCEPT:
            handshake.accept(offer(0x33), wire.now)
        case CmInput.REJECT:
            handshake.reject(b"no")
        case CmInput.READY:
            handshake.ready()
        case CmInput.COMMUNICATION_ESTABLISHED:
            handshake.communication_established()
        case CmInput.DISCONNECT:
            handshake.disconnect(wire.now)
        case CmInput.ABANDON:
            handshake.abandon()
        case _:
            raise AssertionError(happened)


def happen(happened: CmInput, wire: Wire, handshake: CmHandshake) -> None:
    """Have it happen; an act that is refused is none."""
    if happened in ACTS:
        try:
            act(happened, wire, handshake)
        except LocalProtocolError:
            assert (handshake.state, happened) not in MOVES
    elif happened is CmInput.STALE:
        handshake.end_as_stale(wire.now)
    elif happened is CmInput.TIMEOUT:
        handshake.tick(handshake.deadline or wire.now)
    elif happened is CmInput.EXHAUSTED:
        _exhaust(handshake)
    else:
        handshake.take(happened, wire.now, message(happened, handshake), 5)


def _exhaust(handshake: CmHandshake) -> None:
    """Use up the tries unseen, then let the last wait end."""
    timer = handshake._timer
    while timer.deadline is not None and timer.try_again(timer.deadline):
        pass
    handshake.tick(timer.deadline or 0.0)


PAIRS = [
    (state, happened)
    for state in CmState
    for happened in CmInput
    # The first deadline of the time wait is its last: there is no such time-out.
    if (state, happened) != (CmState.TIME_WAIT, CmInput.TIMEOUT)
]


@pytest.mark.parametrize(
    ("state", "happened"), PAIRS, ids=[f"{state.name}-{one.name}" for state, one in PAIRS]
)
def test_every_pair_does_what_the_table_says(state: CmState, happened: CmInput) -> None:
    """Next state, messages and notices; a pair that is not in the table changes nothing."""
    wire, end, handshake = reach(state)
    assert handshake.state is state

    happen(happened, wire, handshake)

    sent = [type(decode_cm(mad)[0]).__name__ for _, _, mad in end.manager.take_messages()]
    told = [notice.kind for notice in end.manager.take_events()]
    move = MOVES.get((state, happened), CmMove(state))
    names = NAMES | {CmAction.SEND_AGAIN: AGAIN.get(state, "")}
    assert handshake.state is move.target
    assert sent == [names[action] for action in move.actions if action in names]
    assert told == [TOLD[action] for action in move.actions if action in TOLD]
    assert (handshake.deadline is not None) is (handshake.state in TIMED)


@pytest.mark.parametrize("state", CmState, ids=lambda state: state.name)
@pytest.mark.parametrize("happened", ACTS - {CmInput.CONNECT}, ids=lambda one: one.name)
def test_an_act_at_the_wrong_time_is_refused_unless_all_is_over(
    state: CmState, happened: CmInput
) -> None:
    """Who accepts what the peer has just taken back did nothing wrong."""
    wire, end, handshake = reach(state)
    always = {CmInput.COMMUNICATION_ESTABLISHED, CmInput.DISCONNECT, CmInput.ABANDON}

    try:
        act(happened, wire, handshake)
    except LocalProtocolError as error:
        assert (state, happened) not in MOVES
        assert happened not in always
        assert state not in OVER
        assert str(error) == f"{happened.name} in the state {state.name}"  # noqa: PT017
    else:
        assert (state, happened) in MOVES or happened in always or state in OVER
    if state in OVER:
        assert end.manager.take_messages() == []


def test_private_data_that_has_no_room_is_refused(wire: Wire) -> None:
    """In a request, a reply and a rejection; nothing is sent, and the side may try again."""
    with pytest.raises(LocalProtocolError, match="57 octets of private data; a request carries 56"):
        wire.connect(private_data=bytes(MOST_IN_REQUEST + 1))
    wire.connect(private_data=bytes(MOST_IN_REQUEST))
    wire.carry()
    with pytest.raises(LocalProtocolError, match="197 octets of private data; a reply carries 196"):
        wire.asked().accept(offer(0x22, bytes(MOST_IN_REPLY + 1)), wire.now)
    with pytest.raises(LocalProtocolError, match=r"149 octets .* a rejection carries 148"):
        wire.asked().reject(bytes(MOST_IN_REJECT + 1))
    wire.asked().reject(bytes(MOST_IN_REJECT))
    wire.carry()

    assert wire.kinds() == ["ConnectRequest", "ConnectReject"]


def test_both_sides_know_what_the_other_offers(wire: Wire) -> None:
    active = wire.connect(private_data=b"please")
    wire.carry()
    passive = wire.asked()
    passive.accept(offer(0x22, b"well"), wire.now)
    wire.carry()

    assert passive.peer == offer(0x11, b"please".ljust(MOST_IN_REQUEST, b"\0"))
    assert active.peer == offer(0x22, b"well".ljust(MOST_IN_REPLY, b"\0"))
    assert (active.port, passive.port) == (PORT, PORT)
    assert (active.peer_id, passive.peer_id) == (passive.own_id, active.own_id)
    assert (active.peer_guid, passive.peer_guid) == (0xB, 0xA)
    assert (active.remote, passive.remote) == (passive.local, active.local)


def test_a_stale_connection_is_told_at_once_and_only_once(wire: Wire) -> None:
    """12.9.8.3.1: the side hears of it before the peer has confirmed."""
    active, _ = wire.established()
    wire.active.notices.clear()

    active.end_as_stale(wire.now)
    wire.carry()

    assert wire.kinds()[-2:] == ["DisconnectRequest", "DisconnectReply"]
    assert active.state is CmState.TIME_WAIT
    [notice] = wire.active.notices
    assert (notice.kind, notice.reason) == (
        CmNoticeKind.DISCONNECTED,
        RejectReason.STALE_CONNECTION,
    )


def test_who_replies_waits_as_long_as_the_request_says(wire: Wire) -> None:
    """12.7: local response timeout and most retries of the REQ."""
    request = msgspec.structs.replace(_request(), local_timeout=18, most_cm_retries=2)
    wire.drops = lambda _: True
    wire.inject(wire.passive, request)
    wire.carry()
    wire.asked().accept(offer(0x22), wire.now)
    wire.wait(2 * 1.073)  # 4.096 us * 2^18
    assert wire.kinds().count("ConnectReply") == 2

    wire.wait(10)

    assert wire.kinds().count("ConnectReply") == 3
    assert wire.passive.told() == [CmNoticeKind.REQUEST, CmNoticeKind.UNREACHABLE]


@pytest.mark.parametrize("state", CmState, ids=lambda state: state.name)
def test_a_connection_is_disconnecting_until_the_peer_confirms(state: CmState) -> None:
    """In no state but the one in which its DREQ is under way."""
    _, _, handshake = reach(state)

    assert handshake.is_disconnecting == (state is CmState.DREQ_SENT)
