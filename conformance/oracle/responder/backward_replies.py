"""The oracle's view of backward Replies, at a Responder that makes Calls to its Requester.

    bidir section 1.3.4  XID Values
    bidir section 2.6    Sending A Backward Direction Reply

Which Calls of the device are in flight is not known here, so that a good Reply may be one that
nobody awaits; either way nothing answers it.
"""

from __future__ import annotations

from typing import Final

from conformance.oracle.header import VERSION_ONE
from conformance.oracle.message_type import whole_type
from conformance.oracle.outcome import Disconnected, ErrChunk, Silent
from conformance.oracle.responder.expectation import Expectation, may_answer
from rpcrdma.wire import RdmaMsg, TransportHeader
from rpcrdma.wire.rpc import MessageType, xid_of

__all__ = ["expected_of_reply"]

_MATCHED: Final = "bidir.1.3.4.reply-is-matched-by-xid"
_NO_RDMA: Final = "bidir.1.5.3.no-rdma-for-backward-transactions"


def expected_of_reply(header: TransportHeader, payload: bytes) -> Expectation | None:
    """What may be done with a Reply in Version One; None if the message is no RDMA_MSG with one.

    Args:
        header: of the message.
        payload: what follows it.
    """
    body = header.rdma_body
    if not isinstance(body, RdmaMsg) or whole_type(payload) is not MessageType.REPLY:
        return None
    dropped = may_answer(Silent, _MATCHED, VERSION_ONE)
    refused = may_answer(ErrChunk, _MATCHED, VERSION_ONE, ("D-41",))
    allowed = [dropped, refused]
    fault = "a backward Reply"
    if _has_chunks(body):
        fault = "a backward Reply with chunks"
        allowed.append(may_answer(Disconnected, _NO_RDMA, VERSION_ONE, ("D-41",)))
    elif xid_of(payload) != header.rdma_xid:
        fault = "a backward Reply with two XIDs"
        allowed.append(may_answer(Disconnected, _MATCHED, VERSION_ONE, ("D-41",)))
    return Expectation(fault, tuple(allowed), header.rdma_xid, VERSION_ONE)


def _has_chunks(body: RdmaMsg) -> bool:
    return bool(body.rdma_reads or body.rdma_writes or body.rdma_reply is not None)
