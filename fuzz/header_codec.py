"""What holds for the decoder of any version's header, whatever the octets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from fuzz.invariant import BrokenInvariant
from rpcrdma.errors import DecodeError, Reason

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rpcrdma.wire import ReadSegment, WriteChunk

__all__ = ["HeaderCodec", "check_header", "count_segments"]

_SEGMENT = 16
"""Octets of an RDMA segment on the wire (rfc8166 4.1.2, v2 4.2)."""

Header = TypeVar("Header")


class HeaderCodec(Protocol[Header]):
    """A decoder and encoder of headers."""

    def decode(self, octets: bytes) -> tuple[Header, int]:
        """The header and the offset after it; DecodeError is its only documented exception."""
        ...

    def encode(self, header: Header) -> bytes:
        """The octets of a header."""
        ...

    def segments(self, header: Header) -> int:
        """How many segments the header holds."""
        ...


def check_header(octets: bytes, codec: HeaderCodec[Header]) -> Header | None:
    """The header of the octets; None where they are none.

    Raises:
        BrokenInvariant: the decoder points or ends outside of the octets, its header encodes to
            others or has more segments than they have room for, or it accepts one cut short.
    """
    try:
        header, end = codec.decode(octets)
    except DecodeError as error:
        if not 0 <= error.offset <= len(octets):
            raise BrokenInvariant(
                "offset-outside", f"offset {error.offset} of {len(octets)}"
            ) from error
        return None
    if not 0 < end <= len(octets):
        raise BrokenInvariant(
            "end-outside", f"a header of {end} octets in a buffer of {len(octets)}"
        )
    if codec.encode(header) != octets[:end]:
        raise BrokenInvariant(
            "round-trip", f"{octets[:end].hex()} encodes as {codec.encode(header).hex()}"
        )
    if codec.segments(header) * _SEGMENT > end:
        raise BrokenInvariant("unbounded", f"{codec.segments(header)} segments from {end} octets")
    try:
        codec.decode(octets[: end - 1])
    except DecodeError as error:
        if error.reason is not Reason.TRUNCATED:
            raise BrokenInvariant("cut-short", f"refused as {error.reason.name}") from error
    else:
        raise BrokenInvariant("cut-short", f"accepted with {end - 1} of its {end} octets")
    return header


def count_segments(
    reads: tuple[ReadSegment, ...], writes: Iterable[WriteChunk], reply: WriteChunk | None
) -> int:
    """Segments of all chunk lists together."""
    chunks = (*writes, reply) if reply else tuple(writes)
    return len(reads) + sum(len(chunk.target) for chunk in chunks)
