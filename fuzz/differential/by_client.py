"""Whether our decoder of Version One headers and a Linux client's make the same of a Reply's.

A client decodes a header for a call of its own, and refuses in the same place what no Reply to it
may say (rfc8166 section 4.3): a Read list, a second Write chunk, a Reply chunk of an RDMA_MSG with
octets in it, an RDMA_NOMSG with nothing in its Reply chunk.  Such a header is counted by itself.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from fuzz.differential.client_trace import ClientDecoding, ClientSays, read_trace
from fuzz.differential.two_decoders import FIXED, HeaderComparison, decode_as_true
from rpcrdma.errors import DecodeError
from rpcrdma.wire import (
    ErrVers,
    RdmaDone,
    RdmaError,
    RdmaMsg,
    RdmaMsgp,
    RdmaNomsg,
    roundup_padding,
)
from rpcrdma.wire._generated_rfc8166 import encode_rdma_segment

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rpcrdma.wire import RdmaSegment, TransportHeader, WriteChunk

__all__ = ["BothSayOfReply", "compare_replies", "compare_with_client"]

_XID: Final = slice(0, 4)
_TOO_LONG: Final = 1 << 31
"""Octets of a result for which no call has asked."""
_MODULUS: Final = 1 << 32
"""By which it adds the lengths of segments up."""
_ERRORS: Final = (ClientSays.REFUSED, ClientSays.OTHER_ERROR)


class BothSayOfReply(Enum):
    """What came of a header."""

    ALIKE = "taken by both, with the same segments, to the same end"
    ERROR = "taken by both for the same RDMA_ERROR"
    REFUSED = "refused by both"
    UNASKED = "well-formed, with lists that no Reply to the call may have"
    OTHER_PROCEDURE = "RDMA_MSGP or RDMA_DONE, which the kernel does not know"
    SHORT = "too short to have an XID, dropped by both"


def compare_replies(sent: Iterable[bytes], trace: Iterable[str]) -> list[HeaderComparison]:
    """Compare what both make of each header that was sent.

    Args:
        sent: the messages, as they were sent, one after the other.
        trace: the client's.
    """
    found = read_trace(trace)
    short = iter(found.short)
    by_xid = {xid: iter(decodings) for xid, decodings in found.decodings.items()}
    return [
        compare_with_client(
            octets,
            next(short if len(octets) < FIXED else by_xid.get(_xid(octets), iter(())), None),
        )
        for octets in sent
    ]


def compare_with_client(octets: bytes, client: ClientDecoding | None) -> HeaderComparison:
    """Compare what both make of one header of Version One.

    Args:
        octets: the message.
        client: what it says; None: nothing.
    """
    ours = decode_as_true(octets)
    both = None if client is None else _both(octets, ours, client)
    if both is not None:
        return HeaderComparison(octets, both)
    told = str(ours) if isinstance(ours, DecodeError) else f"a header of {ours[1]} octets"
    return HeaderComparison(octets, None, f"ours: {told}; the client: {_told(client)}")


def _xid(octets: bytes) -> int:
    return int.from_bytes(octets[_XID])


def _told(client: ClientDecoding | None) -> str:
    """What it says, in words."""
    if client is None:
        return "nothing"
    parts = [client.says.name.lower(), f"{len(client.segments)} segments"]
    if client.length is not None:
        parts.append(f"a result of {client.length} octets")
    if client.versions is not None:
        parts.append("versions {} to {}".format(*client.versions))
    return ", ".join(parts)


def _both(
    octets: bytes, ours: tuple[TransportHeader, int] | DecodeError, client: ClientDecoding
) -> BothSayOfReply | None:
    """What both say; None: not the same."""
    if client.says is ClientSays.SHORT:
        return BothSayOfReply.SHORT if len(octets) < FIXED else None
    if isinstance(ours, DecodeError):
        same = client.says in _ERRORS and _stand_in(octets, client.segments)
        return BothSayOfReply.REFUSED if same else None
    header, end = ours
    match header.rdma_body:
        case RdmaError(ErrVers(low, high)):
            same = client == ClientDecoding(ClientSays.ERR_VERS, versions=(low, high))
            return BothSayOfReply.ERROR if same else None
        case RdmaError():
            same = client == ClientDecoding(ClientSays.ERR_CHUNK)
            return BothSayOfReply.ERROR if same else None
        case RdmaMsgp() | RdmaDone():
            same = client == ClientDecoding(ClientSays.REFUSED)
            return BothSayOfReply.OTHER_PROCEDURE if same else None
        case body:
            return _both_lists(body, len(octets) - end, client)


def _both_lists(
    body: RdmaMsg | RdmaNomsg, stream: int, client: ClientDecoding
) -> BothSayOfReply | None:
    """What both say of a header with lists, and so many octets after it."""
    if client.segments != _looked_at(body):
        return None
    placed = sum(map(_length, body.rdma_writes)) % _MODULUS
    long = _length(body.rdma_reply) % _MODULUS
    if isinstance(body, RdmaMsg):
        result = stream + placed + roundup_padding(placed)
        unasked = bool(long)
    else:
        result = long
        unasked = bool(placed) or not long
    if client.says is ClientSays.REFUSED:
        unasked |= bool(body.rdma_reads) or len(body.rdma_writes) > 1
        return BothSayOfReply.UNASKED if unasked or result >= _TOO_LONG else None
    alike = client.says is ClientSays.TAKEN and (client.length or 0) == result % _MODULUS
    return BothSayOfReply.ALIKE if alike else None


def _looked_at(body: RdmaMsg | RdmaNomsg) -> Sequence[RdmaSegment]:
    """The segments that it decodes until it takes the header, or refuses it."""
    if body.rdma_reads:
        return []
    chunks = body.rdma_writes[:1]
    if len(body.rdma_writes) < 2 and body.rdma_reply is not None:
        chunks = (*chunks, body.rdma_reply)
    return [segment for chunk in chunks for segment in chunk.target]


def _stand_in(octets: bytes, segments: Iterable[RdmaSegment]) -> bool:
    """Whether a message has these segments, one after the other, wherever they stand."""
    end = FIXED
    for segment in segments:
        words = encode_rdma_segment(segment)
        place = octets.find(words, end)
        if place < 0:
            return False
        end = place + len(words)
    return True


def _length(chunk: WriteChunk | None) -> int:
    return 0 if chunk is None else sum(segment.length for segment in chunk.target)
