"""Bugs planted in decoders of headers: each shows only in inputs of a certain structure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace
from typing_extensions import override

from fuzz.harnesses import v2_header
from fuzz.harnesses.v1_header import V1ReferenceCodec
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire import ErrVers, RdmaError, RdmaMsg, RdmaMsgp, RdmaNomsg, WriteChunk, v2

if TYPE_CHECKING:
    from rpcrdma.wire import RdmaSegment, TransportHeader

__all__ = ["IN_HEADERS"]

_PAIR: Final = 2
"""Segments of the Reply chunk that one of the bugs miscounts."""

_TABLE: Final = 16
"""Segments that one of the bugs has room for."""

_DEEPEST: Final = 16
"""Read segments at which one of the bugs has called itself too often."""


class _Bug(V1ReferenceCodec):
    """Decodes as the reference, and then spoils the body."""

    @override
    def decode(self, octets: bytes) -> tuple[TransportHeader, int]:
        header, end = super().decode(octets)
        body = header.rdma_body
        if isinstance(body, RdmaMsg | RdmaNomsg | RdmaMsgp):
            return replace(header, rdma_body=self.spoilt(body)), end
        return header, end

    def spoilt(self, body: RdmaMsg | RdmaNomsg | RdmaMsgp) -> RdmaMsg | RdmaNomsg | RdmaMsgp:
        """What the bug makes of a body that has lists."""
        return body


class ForgetsLastWord(V1ReferenceCodec):
    """Looks for one word less than a Reply chunk of two segments takes (off by one)."""

    @override
    def decode(self, octets: bytes) -> tuple[TransportHeader, int]:
        try:
            header, _ = super().decode(octets + bytes(4))
        except DecodeError:
            return super().decode(octets)
        reply = getattr(header.rdma_body, "rdma_reply", None)
        if reply is None or len(reply.target) != _PAIR:
            return super().decode(octets)
        return super().decode(octets + bytes(4))


class WrapsOffsets(_Bug):
    """Adds offset and length in 64 bits (wraps)."""

    @override
    def spoilt(self, body: RdmaMsg | RdmaNomsg | RdmaMsgp) -> RdmaMsg | RdmaNomsg | RdmaMsgp:
        for chunk in body.rdma_writes:
            for segment in chunk.target:
                (segment.offset + segment.length).to_bytes(8, "big")
        return body


class TakesPaddedForShort(_Bug):
    """Reads an RDMA_MSGP that has both lists as if it were an RDMA_MSG (wrong arm)."""

    @override
    def spoilt(self, body: RdmaMsg | RdmaNomsg | RdmaMsgp) -> RdmaMsg | RdmaNomsg | RdmaMsgp:
        if isinstance(body, RdmaMsgp) and body.rdma_reads and body.rdma_writes:
            return RdmaMsg(body.rdma_reads, body.rdma_writes, body.rdma_reply)
        return body


class CutsChunks(_Bug):
    """Keeps the segments of a Write chunk in a table of fixed size (silently cut)."""

    @override
    def spoilt(self, body: RdmaMsg | RdmaNomsg | RdmaMsgp) -> RdmaMsg | RdmaNomsg | RdmaMsgp:
        cut = tuple(WriteChunk(chunk.target[:_TABLE]) for chunk in body.rdma_writes)
        return replace(body, rdma_writes=cut)


class MixesLists(_Bug):
    """Loses the Reply chunk behind several Read chunks and an empty Write chunk (two lists)."""

    @override
    def spoilt(self, body: RdmaMsg | RdmaNomsg | RdmaMsgp) -> RdmaMsg | RdmaNomsg | RdmaMsgp:
        positions = {segment.position for segment in body.rdma_reads}
        if len(positions) > 1 and any(not chunk.target for chunk in body.rdma_writes):
            return replace(body, rdma_reply=None)
        return body


class SortsReads(_Bug):
    """Puts the Read list in order of Positions (order lost)."""

    @override
    def spoilt(self, body: RdmaMsg | RdmaNomsg | RdmaMsgp) -> RdmaMsg | RdmaNomsg | RdmaMsgp:
        ordered = sorted(body.rdma_reads, key=lambda segment: segment.position)
        return replace(body, rdma_reads=tuple(ordered))


class CallsItself(_Bug):
    """Follows the Read list by calling itself for each segment (unbounded list)."""

    @override
    def spoilt(self, body: RdmaMsg | RdmaNomsg | RdmaMsgp) -> RdmaMsg | RdmaNomsg | RdmaMsgp:
        if len(body.rdma_reads) > _DEEPEST:
            raise RecursionError("called too often")
        return body


class SkipsTwins(_Bug):
    """Takes a segment that begins where the one before it does for the same (segment lost)."""

    @override
    def spoilt(self, body: RdmaMsg | RdmaNomsg | RdmaMsgp) -> RdmaMsg | RdmaNomsg | RdmaMsgp:
        kept = tuple(WriteChunk(_without_twins(chunk.target)) for chunk in body.rdma_writes)
        return replace(body, rdma_writes=kept)


def _without_twins(target: tuple[RdmaSegment, ...]) -> tuple[RdmaSegment, ...]:
    made: list[RdmaSegment] = []
    for segment in target:
        last = made[-1] if made else None
        if last and (last.handle, last.offset) == (segment.handle, segment.offset):
            continue
        made.append(segment)
    return tuple(made)


class OrdersRange(V1ReferenceCodec):
    """Puts the versions of an ERR_VERS in order (repairs what it should show)."""

    @override
    def decode(self, octets: bytes) -> tuple[TransportHeader, int]:
        header, end = super().decode(octets)
        body = header.rdma_body
        error = body.error if isinstance(body, RdmaError) else None
        if not isinstance(error, ErrVers):
            return header, end
        low, high = sorted((error.rdma_vers_low, error.rdma_vers_high))
        return replace(header, rdma_body=RdmaError(ErrVers(low, high))), end


class WrapsCounts(V1ReferenceCodec):
    """Adds one to the count of a chunk in 32 bits, and takes the largest for none (wraps)."""

    @override
    def decode(self, octets: bytes) -> tuple[TransportHeader, int]:
        try:
            return super().decode(octets)
        except DecodeError as error:
            place = error.offset
            if error.reason is not Reason.TRUNCATED or octets[place : place + 4] != b"\xff" * 4:
                raise
            return super().decode(octets[:place] + bytes(4) + octets[place + 4 :])


class TakesErrorsForOptions(v2_header.V2ReferenceCodec):
    """Takes RDMA2_ERR_BAD_HEADER for RDMA2_ERR_INVAL_OPTION (wrong arm)."""

    @override
    def decode(self, octets: bytes) -> tuple[v2.Rdma2Header, int]:
        header, end = super().decode(octets)
        if header.rdma_body == v2.Rdma2Error(v2.ErrBadHeader()):
            return replace(header, rdma_body=v2.Rdma2Error(v2.ErrInvalidOption())), end
        return header, end


class CountsInOneOctet(v2_header.V2ReferenceCodec):
    """Keeps the length of rdma_optinfo in one octet and its sign (length cut)."""

    @override
    def decode(self, octets: bytes) -> tuple[v2.Rdma2Header, int]:
        header, end = super().decode(octets)
        body = header.rdma_body
        if not isinstance(body, v2.Rdma2Optional):
            return header, end
        kept = body.rdma_optinfo[: len(body.rdma_optinfo) % 128]
        return replace(header, rdma_body=replace(body, rdma_optinfo=kept)), end


class LosesReply(v2_header.V2ReferenceCodec):
    """Loses an empty Reply chunk of an RDMA2_NOMSG that has Write chunks (two lists)."""

    @override
    def decode(self, octets: bytes) -> tuple[v2.Rdma2Header, int]:
        header, end = super().decode(octets)
        body = header.rdma_body
        if isinstance(body, v2.Rdma2Nomsg) and body.rdma_writes and body.rdma_reply:
            return replace(header, rdma_body=replace(body, rdma_reply=None)), end
        return header, end


IN_HEADERS: Final = {
    "last-word": ("v1-header", "fuzz.planted_headers:ForgetsLastWord"),
    "offset-wraps": ("v1-header", "fuzz.planted_headers:WrapsOffsets"),
    "wrong-arm": ("v1-header", "fuzz.planted_headers:TakesPaddedForShort"),
    "segment-table": ("v1-header", "fuzz.planted_headers:CutsChunks"),
    "two-lists": ("v1-header", "fuzz.planted_headers:MixesLists"),
    "read-order": ("v1-header", "fuzz.planted_headers:SortsReads"),
    "list-recursion": ("v1-header", "fuzz.planted_headers:CallsItself"),
    "segment-twins": ("v1-header", "fuzz.planted_headers:SkipsTwins"),
    "range-order": ("v1-header", "fuzz.planted_headers:OrdersRange"),
    "count-wraps": ("v1-header", "fuzz.planted_headers:WrapsCounts"),
    "error-arm": ("v2-header", "fuzz.planted_headers:TakesErrorsForOptions"),
    "length-octet": ("v2-header", "fuzz.planted_headers:CountsInOneOctet"),
    "lost-reply": ("v2-header", "fuzz.planted_headers:LosesReply"),
}
"""Name -> harness that must find it, and the implementation that has it."""
