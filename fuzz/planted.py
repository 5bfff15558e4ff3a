"""Bugs planted by hand: each must be found by its harness within a minute (`tox -e fuzz-planted`).

A fuzzer that finds nothing proves nothing until it has found what is known to be there.  Each class
breaks one thing that a decoder or a Responder gets wrong in practice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fuzz.harness_v1_header import ReferenceCodec
from rpcrdma.errors import DecodeError, Reason

if TYPE_CHECKING:
    from rpcrdma.wire import TransportHeader

__all__ = ["PLANTED", "BelievesLengths", "BelievesTruth", "TrustsCounts"]


class BelievesLengths(ReferenceCodec):
    """Reads zeroes behind the end of the buffer instead of refusing it (no length check)."""

    def decode(self, octets: bytes) -> tuple[TransportHeader, int]:
        """See `Codec`."""
        return super().decode(octets + bytes(64))


class BelievesTruth(ReferenceCodec):
    """Takes any non-zero discriminator of the Reply chunk as true (no boolean check)."""

    def decode(self, octets: bytes) -> tuple[TransportHeader, int]:
        """See `Codec`."""
        try:
            return super().decode(octets)
        except DecodeError as error:
            if error.reason is not Reason.BAD_BOOLEAN:
                raise
            repaired = octets[: error.offset] + b"\0\0\0\1" + octets[error.offset + 4 :]
            return super().decode(repaired)


class TrustsCounts(ReferenceCodec):
    """Allocates what a count asks for before looking whether it is there (unbounded count)."""

    def decode(self, octets: bytes) -> tuple[TransportHeader, int]:
        """See `Codec`."""
        try:
            return super().decode(octets)
        except DecodeError as error:
            if error.reason is Reason.TRUNCATED and error.path.endswith("target"):
                count = int.from_bytes(octets[error.offset : error.offset + 4], "big")
                bytearray(count * 16)
            raise


PLANTED: Final = {
    "length-check": ("v1-header", "fuzz.planted:BelievesLengths"),
    "boolean-check": ("v1-header", "fuzz.planted:BelievesTruth"),
    "unbounded-count": ("v1-header", "fuzz.planted:TrustsCounts"),
}
"""Name -> harness that must find it, and the implementation that has it."""
