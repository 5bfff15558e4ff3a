# Invariant: whatever the octets, decoding a Version One header either raises DecodeError that
# points into them, or gives a header that takes octets which are there, encodes to exactly these
# octets and has no more segments than they have room for; cut short, it is refused as truncated.
"""Fuzz harness of the Version One header decoder (rfc8166 section 4.1)."""

from __future__ import annotations

import sys

from fuzz import engine
from fuzz.harnesses.header_codec import HeaderCodec, check_header, count_segments
from rpcrdma.wire import RdmaMsg, RdmaMsgp, RdmaNomsg, TransportHeader, decode_header, encode_header

__all__ = ["ReferenceCodec", "check"]


class ReferenceCodec:
    """The generated codec."""

    def decode(self, octets: bytes) -> tuple[TransportHeader, int]:
        """See `HeaderCodec`."""
        return decode_header(octets)

    def encode(self, header: TransportHeader) -> bytes:
        """See `HeaderCodec`."""
        return encode_header(header)

    def segments(self, header: TransportHeader) -> int:
        """See `HeaderCodec`."""
        body = header.rdma_body
        if not isinstance(body, RdmaMsg | RdmaNomsg | RdmaMsgp):
            return 0
        return count_segments(body.rdma_reads, body.rdma_writes, body.rdma_reply)


def check(octets: bytes, codec: HeaderCodec[TransportHeader]) -> None:
    """Raise `Finding` if the invariant does not hold for these octets."""
    check_header(octets, codec)


if __name__ == "__main__":
    engine.run("v1-header", check, "fuzz.harnesses.v1_header:ReferenceCodec", sys.argv)
