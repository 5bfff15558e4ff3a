"""What travels with the request for a connection and its acceptance, where RFC 8797 is in use.

RFC 8797 section 4  Private Data Message Format
RFC 8797 section 5  Interoperability Considerations (the message may stand anywhere)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FORMS", "PrivateData", "invalidates"]

_MAGIC: Final = 0xF6AB0E18
_VERSION: Final = 1
_R: Final = 1
_FLAGS: Final = 5
"""Offset of the flags in a message."""


@dataclass(frozen=True, slots=True)
class PrivateData:
    """A message of RFC 8797.

    Attributes:
        flags: the lowest bit is R: remote invalidation is supported.
        sends: longest message sent, receives: longest received, each less one, in 1024 octets.
        magic: the format identifier.
        version: of the format.
    """

    flags: int = 0
    sends: int = 0
    receives: int = 0
    magic: int = _MAGIC
    version: int = _VERSION

    @property
    def octets(self) -> bytes:
        """The eight octets of the message."""
        words = bytes((self.version, self.flags, self.sends, self.receives))
        return self.magic.to_bytes(4) + words


def invalidates(octets: bytes) -> bool:
    """Whether private data says that remote invalidation is supported (sections 4.1 and 5.1).

    The message may stand after other octets.  To look at its version, and whether it is whole, is
    only recommended; the CM fills private data up with zeros besides.
    """
    start = octets.find(_MAGIC.to_bytes(4))
    flags = octets[start + _FLAGS : start + _FLAGS + 1] if start >= 0 else b""
    return bool(flags and flags[0] & _R)


FORMS: Final[Mapping[str, bytes]] = {
    "none": b"",
    "zeros": bytes(8),
    "wrong-magic": PrivateData(_R, magic=_MAGIC ^ 1).octets,
    "seven-octets": PrivateData(_R).octets[:7],
    "unknown-version": PrivateData(_R, version=2).octets,
    "smallest-sizes": PrivateData().octets,
    "largest-sizes": PrivateData(sends=255, receives=255).octets,
    "invalidation": PrivateData(_R).octets,
    "all-flags-but-r": PrivateData(0xFE).octets,
    "behind-other-octets": b"other" + PrivateData(_R).octets,
    "octets-behind": PrivateData(_R).octets + bytes(48),
}
"""Private data of every kind, good and bad."""
