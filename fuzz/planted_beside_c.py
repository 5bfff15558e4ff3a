"""Bugs planted in decoders that refuse what the XDR allows: no rule about one decoder is broken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from typing_extensions import override

from fuzz.harnesses.v1_header import V1ReferenceCodec
from fuzz.harnesses.v2_header import V2ReferenceCodec
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire import RdmaMsg, v2

if TYPE_CHECKING:
    from rpcrdma.wire import TransportHeader

__all__ = ["BESIDE_C", "RefusesEmptyChunks", "RefusesUnknownOptions"]


class RefusesEmptyChunks(V1ReferenceCodec):
    """Takes a Reply chunk without segments for the end of the octets (off by one)."""

    @override
    def decode(self, octets: bytes) -> tuple[TransportHeader, int]:
        header, end = super().decode(octets)
        body = header.rdma_body
        if isinstance(body, RdmaMsg) and body.rdma_reply and not body.rdma_reply.target:
            raise DecodeError(end, "rdma_body.rdma_reply", Reason.TRUNCATED)
        return header, end


class RefusesUnknownOptions(V2ReferenceCodec):
    """Takes rdma_opttype for an enumeration, and refuses operations that it does not know."""

    _KNOWN: Final = 8

    @override
    def decode(self, octets: bytes) -> tuple[v2.Rdma2Header, int]:
        header, end = super().decode(octets)
        body = header.rdma_body
        if isinstance(body, v2.Rdma2Optional) and body.rdma_opttype > self._KNOWN:
            raise DecodeError(20, "rdma_body.rdma_opttype", Reason.BAD_DISCRIMINANT)
        return header, end


BESIDE_C: Final = {
    "empty-refused": ("v1-header-c", "fuzz.planted_beside_c:RefusesEmptyChunks"),
    "option-refused": ("v2-header-c", "fuzz.planted_beside_c:RefusesUnknownOptions"),
}
"""Name -> harness that must find it, and the implementation that has it."""
