# Invariant: whatever the octets, decoding a Version One header either raises DecodeError that
# points into them, or gives a header that takes octets which are there, encodes to exactly these
# octets and has no more segments than they have room for; cut short, it is refused as truncated.
"""Fuzz harness of the Version One header decoder (rfc8166 section 4.1)."""

from __future__ import annotations

import sys
from typing import Protocol

from fuzz import engine
from fuzz.finding import Finding
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire import RdmaMsg, RdmaMsgp, RdmaNomsg, TransportHeader, decode_header, encode_header

__all__ = ["Codec", "ReferenceCodec", "check"]

_SEGMENT = 16
"""Octets of an RDMA segment on the wire (rfc8166 4.1.2)."""


class Codec(Protocol):
    """A decoder and encoder of Version One headers."""

    def decode(self, octets: bytes) -> tuple[TransportHeader, int]:
        """The header and the offset behind it; DecodeError is its only documented exception."""
        ...

    def encode(self, header: TransportHeader) -> bytes:
        """The octets of a header."""
        ...


class ReferenceCodec:
    """The generated codec."""

    def decode(self, octets: bytes) -> tuple[TransportHeader, int]:
        """See `Codec`."""
        return decode_header(octets)

    def encode(self, header: TransportHeader) -> bytes:
        """See `Codec`."""
        return encode_header(header)


def check(octets: bytes, codec: Codec) -> None:
    """Raise `Finding` if the invariant does not hold for these octets."""
    try:
        header, end = codec.decode(octets)
    except DecodeError as error:
        if not 0 <= error.offset <= len(octets):
            raise Finding("offset-outside", f"offset {error.offset} of {len(octets)}") from error
        return
    if not 0 < end <= len(octets):
        raise Finding("end-outside", f"a header of {end} octets in a buffer of {len(octets)}")
    if codec.encode(header) != octets[:end]:
        raise Finding("round-trip", f"{octets[:end].hex()} encodes as {codec.encode(header).hex()}")
    if _segments(header) * _SEGMENT > end:
        raise Finding("unbounded", f"{_segments(header)} segments from {end} octets")
    try:
        codec.decode(octets[: end - 1])
    except DecodeError as error:
        if error.reason is not Reason.TRUNCATED:
            raise Finding("cut-short", f"refused as {error.reason.name}") from error
    else:
        raise Finding("cut-short", f"accepted with {end - 1} of its {end} octets")


def _segments(header: TransportHeader) -> int:
    body = header.rdma_body
    if not isinstance(body, RdmaMsg | RdmaNomsg | RdmaMsgp):
        return 0
    chunks = (*body.rdma_writes, body.rdma_reply) if body.rdma_reply else body.rdma_writes
    return len(body.rdma_reads) + sum(len(chunk.target) for chunk in chunks)


if __name__ == "__main__":
    engine.run("v1-header", check, "fuzz.harness_v1_header:ReferenceCodec", sys.argv)
