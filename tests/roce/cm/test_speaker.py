"""What the messages say, field by field."""

from __future__ import annotations

from rpcrdma.roce.cm import CmState
from rpcrdma.roce.packet.cm_messages import (
    CmMessage,
    ConnectReject,
    ConnectReply,
    ConnectRequest,
    DisconnectRequest,
    MessageReceipt,
    ReadyToUse,
    decode_cm,
)
from rpcrdma.roce.packet.cm_private_data import decode_private_data
from tests.roce.cm.conftest import ACTIVE, PASSIVE, PORT, End, Wire, offer, reach


def said(end: End) -> CmMessage:
    """The one message that an end wants to send."""
    [(_, _, mad)] = end.manager.take_messages()
    return decode_cm(mad)[0]


def test_a_request_says_how_the_connection_is_to_be() -> None:
    wire = Wire()
    handshake = wire.connect(private_data=b"user")
    request = said(wire.active)

    assert isinstance(request, ConnectRequest)
    header, user = decode_private_data(request.private_data)
    assert (header.version, header.source, header.destination) == (4, ACTIVE, PASSIVE)
    assert 49152 <= header.port < 65536
    assert user.rstrip(b"\0") == b"user"
    assert request == ConnectRequest(
        local_id=handshake.own_id,
        service_id=0x0000000001060000 + PORT,
        guid=0xA,
        queue_pair=0x11,
        responder_resources=4,
        initiator_depth=2,
        remote_timeout=16,
        flow_control=1,
        starting_psn=0x1011,
        local_timeout=16,
        retry=7,
        partition=0xFFFF,
        path_mtu=3,
        rnr_retry=6,
        most_cm_retries=15,
        local_lid=0xFFFF,
        remote_lid=0xFFFF,
        local_gid=bytes(10) + b"\xff\xff\xc0\x00\x02\x01",
        remote_gid=bytes(10) + b"\xff\xff\xc0\x00\x02\x02",
        hop_limit=64,
        ack_timeout=19,
        private_data=request.private_data,
    )


def test_a_reply_says_what_the_other_side_may_do() -> None:
    wire, end, handshake = reach(CmState.REQ_RCVD)
    handshake.accept(offer(0x22, b"user"), wire.now)

    assert said(end) == ConnectReply(
        local_id=handshake.own_id,
        remote_id=handshake.peer_id,
        queue_pair=0x22,
        starting_psn=0x1022,
        responder_resources=4,
        initiator_depth=2,
        ack_delay=16,
        failover=1,
        flow_control=1,
        rnr_retry=6,
        guid=0xB,
        private_data=b"user".ljust(196, b"\0"),
    )


def test_ready_to_use_is_the_two_ids() -> None:
    _, end, handshake = reach(CmState.REP_RCVD)
    handshake.ready()

    assert said(end) == ReadyToUse(
        local_id=handshake.own_id, remote_id=handshake.peer_id, private_data=bytes(224)
    )


def test_a_deferral_says_which_message_it_is_about() -> None:
    """The request, if the peer sent one; else the reply."""
    for state, about in ((CmState.REQ_RCVD, 0), (CmState.REP_RCVD, 1)):
        wire, end, handshake = reach(state)
        first = wire.sent[0 if handshake.is_passive else 1][1]
        wire.inject(end, first)

        mra = said(end)
        assert isinstance(mra, MessageReceipt)
        assert (mra.received, mra.service_timeout) == (about, 20)


def test_a_refusal_says_what_is_refused() -> None:
    """A request under no id, as none has been told; later what has come last, or nothing."""
    about = {
        CmState.REQ_RCVD: 0,
        CmState.MRA_REQ_SENT: 0,
        CmState.REP_RCVD: 1,
        CmState.MRA_REP_SENT: 1,
        CmState.REP_SENT: 2,
        CmState.RTU_WAIT: 2,
    }
    for state, rejected in about.items():
        _, end, handshake = reach(state)
        handshake.reject(b"no", 27)

        assert said(end) == ConnectReject(
            local_id=0 if state is CmState.REQ_RCVD else handshake.own_id,
            remote_id=handshake.peer_id,
            rejected=rejected,
            reason=27,
            information=bytes(72),
            private_data=b"no".ljust(148, b"\0"),
        )


def test_who_gives_up_says_who_it_is() -> None:
    """12.6.7.2: with the reason "timeout" goes the GUID."""
    _, end, handshake = reach(CmState.REQ_SENT)
    handshake.abandon()

    assert said(end) == ConnectReject(
        local_id=handshake.own_id,
        remote_id=0,
        rejected=2,
        reason=4,
        information_length=8,
        information=(0xA).to_bytes(8, "big").ljust(72, b"\0"),
        private_data=bytes(148),
    )


def test_a_disconnection_names_the_peers_queue_pair() -> None:
    wire, end, handshake = reach(CmState.ESTABLISHED)
    handshake.disconnect(wire.now)

    assert said(end) == DisconnectRequest(
        local_id=handshake.own_id,
        remote_id=handshake.peer_id,
        queue_pair=0x22,
        private_data=bytes(220),
    )


def test_what_is_said_again_is_the_same_octet_by_octet() -> None:
    wire = Wire()
    wire.connect()
    first = wire.active.manager.take_messages()
    wire.active.manager.tick(wire.now + 1)

    assert wire.active.manager.take_messages() == first
