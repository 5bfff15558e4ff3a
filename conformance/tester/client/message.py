"""Messages of the tester other than Calls: optional messages of Version Two, and errors.

    rfc8166 section 4.5  Error Handling
    v2 section 3.1       Optional Features
    v2 section 4.2.3     Transport Errors

A `Message` goes wherever a `Call` goes: it is sent, mutated and waited for in the same way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.oracle.header import encode_header
from conformance.tester.sent import REQUESTED_CREDITS, Message
from rpcrdma.wire import RdmaError, TransportHeader, v2
from rpcrdma.wire.optional import encode_option
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.words import constant_of

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer
    from rpcrdma.wire import ErrorBody
    from rpcrdma.wire.optional import Option

__all__ = ["error", "option"]


def option(
    peer: Peer,
    what: Option | v2.Rdma2Optional,
    *,
    direction: MessageType = MessageType.CALL,
    credits: int = REQUESTED_CREDITS,  # noqa: A002  # the word of the documents
    xid: int | None = None,
    behind: bytes = b"",
) -> Message:
    """Build an optional message of Version Two.

    Args:
        peer: who sends it.
        what: the operation; an `Rdma2Optional` goes out as it is, with its own direction.
        direction: rdma_optdir.
        credits: rdma_credit.
        xid: None for one that nothing else of this case has.
        behind: octets after the header.
    """
    xid = peer.next_xid() if xid is None else xid
    body = what if isinstance(what, v2.Rdma2Optional) else encode_option(direction, what)
    header = v2.Rdma2Header(xid, v2.VERSION, credits, body)
    title = f"operation {body.rdma_opttype} as {body.rdma_optdir.name}"
    return Message(xid, v2.encode_header(header) + behind, title)


def error(
    peer: Peer,
    what: ErrorBody | v2.Rdma2ErrorBody,
    *,
    version: int | None = None,
    credits: int = REQUESTED_CREDITS,  # noqa: A002  # the word of the documents
    xid: int | None = None,
) -> Message:
    """Build an error, which nobody answers; in Version Two either version's name of it will do.

    Args:
        peer: who sends it.
        what: it says; the errors that Version Two alone has go out in Version Two.
        version: rdma_vers; None: the peer's.
        credits: rdma_credit.
        xid: None for one that nothing else of this case has.
    """
    xid = peer.next_xid() if xid is None else xid
    version = peer.version if version is None else version
    title = f"an error ({constant_of(type(what))})"
    if isinstance(what, v2.ErrBadHeader | v2.ErrInvalidOption):
        two = v2.Rdma2Header(xid, v2.VERSION, credits, v2.Rdma2Error(what))
        return Message(xid, v2.encode_header(two), title)
    header = TransportHeader(xid, version, credits, RdmaError(what))
    return Message(xid, encode_header(header), title)
