"""The invariant CRC of RoCEv2: over what no router on the way may change.

What routers may change counts as all ones; so does the local route header that InfiniBand has and
UDP has not.

    InfiniBand Architecture volume 1, 7.8.1     invariant CRC
    InfiniBand Architecture annex A17, A17.3.3  fields of IP, UDP and BTH that count as ones
"""

from __future__ import annotations

import struct
import zlib
from typing import Final

__all__ = ["ICRC_LENGTH", "icrc", "icrc_after", "icrc_of_headers"]

ICRC_LENGTH: Final = 4

_CONGESTION: Final = 4
"""Octet of the BTH with FECN, BECN and six reserved bits (A17.3.3)."""

_LINK_HEADER: Final = zlib.crc32(b"\xff" * 8)
_OUT: Final = struct.Struct("<I")
_VERSION_4: Final = 4


def icrc(internet: bytes, udp: bytes, transport: bytes) -> bytes:
    """The four octets of the CRC.

    Args:
        internet: the IPv4 header of 20 octets, or the IPv6 header of 40.
        udp: the UDP header.
        transport: from the BTH to the padding, 12 octets at least.
    """
    return icrc_after(icrc_of_headers(internet, udp), transport)


def icrc_of_headers(internet: bytes, udp: bytes) -> int:
    """The CRC up to where the BTH begins: the same for all packets of a length between two ends."""
    if internet[0] >> 4 == _VERSION_4:
        # Type of service, time to live, header checksum.
        head = b"%b\xff%b\xff%b\xff\xff%b" % (
            internet[:1], internet[2:8], internet[9:10], internet[12:],
        )  # fmt: skip
    else:
        # Traffic class and flow label, hop limit.
        head = b"\x6f\xff\xff\xff%b\xff%b" % (internet[4:7], internet[8:])
    return zlib.crc32(head + udp[:6] + b"\xff\xff", _LINK_HEADER)


def icrc_after(crc: int, transport: bytes) -> bytes:
    """The four octets, `crc` being that of the headers before the transport packet."""
    crc = zlib.crc32(transport[:_CONGESTION] + b"\xff", crc)
    return _OUT.pack(zlib.crc32(memoryview(transport)[_CONGESTION + 1 :], crc))
