"""Answers to messages of no connection: the ids are those of the message, turned round."""

from __future__ import annotations

from rpcrdma.roce.cm.answers import disconnection_of, rejection_of
from rpcrdma.roce.packet.cm_codes import RejectReason
from rpcrdma.roce.packet.cm_messages import (
    ConnectReject,
    ConnectReply,
    ConnectRequest,
    DisconnectReply,
    DisconnectRequest,
)

REQUEST = ConnectRequest(
    local_id=5,
    service_id=6,
    guid=7,
    queue_pair=8,
    remote_timeout=16,
    starting_psn=9,
    local_timeout=16,
    retry=7,
    path_mtu=5,
    rnr_retry=7,
    most_cm_retries=15,
    local_gid=bytes(16),
    remote_gid=bytes(16),
    ack_timeout=19,
)
REPLY = ConnectReply(local_id=5, remote_id=6, queue_pair=8, starting_psn=9, rnr_retry=7, guid=7)


def test_a_request_is_rejected_under_no_id() -> None:
    """This side has none for it."""
    assert rejection_of(REQUEST, RejectReason.NO_RESOURCES) == ConnectReject(
        local_id=0, remote_id=5, rejected=0, reason=3
    )


def test_a_reply_is_rejected_under_the_id_that_it_is_for() -> None:
    assert rejection_of(REPLY, RejectReason.STALE_CONNECTION) == ConnectReject(
        local_id=6, remote_id=5, rejected=1, reason=10
    )


def test_a_disconnection_is_confirmed_under_the_id_that_it_is_for() -> None:
    dreq = DisconnectRequest(local_id=5, remote_id=6, queue_pair=8)

    assert disconnection_of(dreq) == DisconnectReply(local_id=6, remote_id=5)
