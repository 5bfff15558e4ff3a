# Invariant: whatever the octets, decoding a Version One header either raises DecodeError that
# points into them, or gives a header that takes octets which are there, encodes to exactly these
# octets and has no more segments than they have room for; cut short, it is refused as truncated.
"""Fuzz harness of the Version One header decoder (rfc8166 section 4.1)."""

from __future__ import annotations

from typing import Final

from fuzz.header_codec import HeaderCodec, check_header, count_segments
from fuzz.registry import FuzzHarness
from fuzz.structure.headers import V1_HEADER
from rpcrdma.wire import RdmaMsg, RdmaMsgp, RdmaNomsg, TransportHeader, decode_header, encode_header

__all__ = ["HARNESS", "V1ReferenceCodec", "check"]


class V1ReferenceCodec:
    """The generated codec."""

    def decode(self, octets: bytes) -> tuple[TransportHeader, int]:
        """The header and the offset after it."""
        return decode_header(octets)

    def encode(self, header: TransportHeader) -> bytes:
        """The octets of a header."""
        return encode_header(header)

    def segments(self, header: TransportHeader) -> int:
        """How many segments its lists hold."""
        body = header.rdma_body
        if not isinstance(body, RdmaMsg | RdmaNomsg | RdmaMsgp):
            return 0
        return count_segments(body.rdma_reads, body.rdma_writes, body.rdma_reply)


def check(octets: bytes, codec: HeaderCodec[TransportHeader]) -> None:
    """Raise `BrokenInvariant` if the invariant does not hold for these octets."""
    check_header(octets, codec)


HARNESS: Final = FuzzHarness(
    title="the decoder of Version One headers",
    dictionary="rfc8166.dict",
    check=check,
    reference=V1ReferenceCodec,
    messages=lambda octets: [octets],
    seeds=lambda messages: messages,
    mutator=V1_HEADER,
)
