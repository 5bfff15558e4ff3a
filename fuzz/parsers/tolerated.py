"""Where the documents leave room: good XDR that a parser may refuse, bad XDR that it may take.

Version Two has the rules of Version One that are cited here (v2 section 1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.errors import Reason
from rpcrdma.wire import ErrVers, RdmaDone, RdmaError, RdmaMsg, RdmaMsgp, RdmaNomsg, v2

if TYPE_CHECKING:
    from rpcrdma.wire import TransportHeader

__all__ = ["ACCEPTED", "why_refused"]

ACCEPTED: Final = frozenset({Reason.BAD_PADDING})
"""Roundup octets are zero when they are sent; nobody has to look (rfc4506 section 3)."""

_THRESHOLDS: Final = {1: 1024, 2: 4096}
"""Version -> octets of the longest message that may come unless more is agreed (rfc8166 3.3.3,
v2 2.2.3)."""

_POSITION_UNIT: Final = 4

_XID: Final = 4
"""Octets of the XID, with which an RPC message begins."""


def why_refused(octets: bytes, header: TransportHeader | v2.Rdma2Header, end: int, own: int) -> str:
    """The reason for which a parser may refuse these octets; empty if there is none.

    Args:
        octets: that it was given.
        header: the one in them.
        end: of the header.
        own: the version that the parser is for.
    """
    if header.rdma_vers != own:
        return "another version: rfc8166 4.2.2"
    if not header.rdma_credit:
        return "no credits: rfc8166 3.3.1"
    if len(octets) > _THRESHOLDS[own]:
        return "longer than the inline threshold: rfc8166 3.3.3"
    return _why_body(header.rdma_body, header.rdma_xid, octets[end:])


def _why_body(body: object, xid: int, after: bytes) -> str:
    match body:
        case RdmaMsgp() | RdmaDone():
            return "a procedure that nobody sends: rfc8166 4.6"
        case RdmaError(ErrVers(low, high)) | v2.Rdma2Error(ErrVers(low, high)) if low > high:
            return "a range without versions: rfc8166 4.5.1"
        case RdmaMsg() | v2.Rdma2Msg() if after[:_XID] != xid.to_bytes(_XID, "big"):
            return "no RPC message of this XID after the header: rfc8166 4.5.2"
        case RdmaMsg() | v2.Rdma2Msg():
            pass
        case _ if after:
            return "octets after a header that ends the message: rfc8166 4.2.4"
        case RdmaNomsg() | v2.Rdma2Nomsg() if not _tells_a_message(body):
            return "no chunk for an RPC message: rfc8166 4.5.2"
        case _:
            pass
    reads = getattr(body, "rdma_reads", ())
    if any(segment.position % _POSITION_UNIT for segment in reads):
        return "a Position that is no multiple of four: rfc8166 3.4.5"
    return ""


def _tells_a_message(body: RdmaNomsg | v2.Rdma2Nomsg) -> bool:
    return body.rdma_reply is not None or any(not read.position for read in body.rdma_reads)
