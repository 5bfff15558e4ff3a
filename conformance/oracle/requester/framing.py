"""The oracle's view of the RPC message in a Requester's message: is it a Call, and just that.

rfc8166 section 2.2.2  RPC Calls (message types, XIDs)
rfc8166 section 3.2    Message Framing
rfc8166 section 4.2.1  Transaction ID
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.oracle.verdict import BrokenRule, Ids, broken_rule
from rpcrdma.errors import DecodeError
from rpcrdma.wire import RdmaMsg, RdmaNomsg, rpc
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["judge_framing"]

_UNIT: Final = 4

_AFTER_A_MARK: Final = slice(4, 8)
"""Where the XID of the payload stands if a TCP record mark is left before it."""

_MSG_TYPE: Final = slice(4, 8)
"""Where an RPC message says whether it is a Call."""

_WIDEST_GAP: Final = 16
"""Octets before an XID that are taken for a gap; further on it may stand by chance."""


def judge_framing(
    body: RdmaMsg | RdmaNomsg, stream: bytes, xid: int, version: int
) -> Iterator[BrokenRule]:
    """Whether the stream is an RPC Call with this XID, and nothing before it.

    Args:
        body: of the message.
        stream: the RPC message, or as much of it as is known.
        xid: rdma_xid.
        version: of the message.
    """
    begins = stream[:_UNIT] == xid.to_bytes(_UNIT)
    if stream[_AFTER_A_MARK] == xid.to_bytes(_UNIT) and not begins:
        rules: Ids = ("rfc8166.3.2.no-other-framing", "rfc8166.3.2.payload-begins-with-xid")
        yield broken_rule(rules, f"0x{stream[:_UNIT].hex()} stands before the XID", version)
        return
    if not begins and 0 < (gap := stream.find(xid.to_bytes(_UNIT))) <= _WIDEST_GAP:
        rules = ("rfc8166.3.2.payload-follows-the-header", "rfc8166.3.2.payload-begins-with-xid")
        yield broken_rule(rules, f"{gap} octets stand before the XID", version)
        return
    try:
        message, _ = rpc.decode_message(stream)
    except DecodeError as error:
        yield _no_message(body, stream, error, version, begins=begins)
        return
    if message.xid != xid:
        rules = ("rfc8166.4.2.1.xid-equals-payload-xid", "rfc8166.3.2.payload-begins-with-xid")
        detail = f"XID {message.xid:#010x} under rdma_xid {xid:#010x}"
        # D-12: a receiver may look at one of the two alone; a sender makes both the same.
        yield broken_rule(rules, detail, version, ("D-12",))
    if not isinstance(message.body, rpc.CallBody):
        yield broken_rule("rfc8166.2.2.2.call-msg-type", "the RPC message is a Reply", version)
    elif message.body.rpcvers != rpc.RPC_VERSION:
        detail = f"RPC version {message.body.rpcvers}"
        yield broken_rule("rfc8166.4.rpc-layout-is-unchanged", detail, version, where="rpcvers")


def _no_message(
    body: RdmaMsg | RdmaNomsg, stream: bytes, error: DecodeError, version: int, *, begins: bool
) -> BrokenRule:
    """What is broken by a stream that is no RPC message."""
    rules: Ids = ("rfc8166.4.rpc-layout-is-unchanged",)
    if begins and stream[_MSG_TYPE] == int(MessageType.REPLY).to_bytes(_UNIT):
        # rfc8166 2.2.2: as a Reply it makes no sense, but it need not be one.
        rules = ("rfc8166.2.2.2.call-msg-type",)
    elif isinstance(body, RdmaNomsg):
        rules = ("rfc8166.4.3.1.position-zero-chunk-carries-the-call", *rules)
    else:
        rules = (
            *rules,
            "rfc8166.4.2.4.msg-payload-follows-the-lists",
            "rfc8166.3.2.payload-follows-the-header",
        )
    if not begins:
        rules = (*rules, "rfc8166.3.2.payload-begins-with-xid")
    where = error.path or "payload"
    return broken_rule(rules, f"no RPC message: {error}", version, where=where)
