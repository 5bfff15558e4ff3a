"""bidir section 1.5.3, Server Memory Security: backward transactions without chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import build_backward, verify
from conformance.backward import BackwardClient
from conformance.requirement import requirement
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from conformance.peer import Peer

NO_RDMA = "bidir.1.5.3.no-rdma-for-backward-transactions"
MATCHED = "bidir.1.3.4.reply-is-matched-by-xid"

FAULTS = {
    "version-two": "rdma_vers is two",
    "read-list": "it has a Read list",
    "write-list": "it has a Write list",
    "reply-chunk": "it has a Reply chunk",
    "nomsg": "it is an RDMA_NOMSG",
    "other-xid": "the RPC header has another XID",
    "msg-type": "the msg_type is neither CALL nor REPLY",
}


@requirement(NO_RDMA, MATCHED, needs=("backward",), interpretations=("D-41",))
@pytest.mark.parametrize("fault", FAULTS)
def test_server_takes_no_malformed_message_for_a_reply(peer: Peer, fault: str) -> None:
    """A spoiled Reply ends no Call, and its chunks are left alone; the good one behind it does."""
    client = BackwardClient.of(peer)
    client.announce()
    client.provoke(2)
    called = client.next_call()
    good, room = client.reply(called), peer.room((256,))
    spoiled = build_backward.spoiled(good, peer.expose(pattern(256, 1)), room)

    client.send(next(item.octets for item in spoiled if item.fault == FAULTS[fault]))

    if client.hung_up():
        return  # D-41 accepts it
    client.no_call("the Call has no good Reply yet", breaks=MATCHED)
    verify.that(room.overwritten(()) is None, "memory that it told of is as it was", breaks=NO_RDMA)
    client.answer(called)
    client.next_call(breaks=MATCHED)
