"""Station (MAC) addresses for ends that have none: made from the IP address, the same everywhere.

A locally administered unicast address (IEEE 802, second lowest bit of the first octet): 02:00 and
the last four octets of the IP address.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from rpcrdma.roce.packet.internet import address_octets

__all__ = ["station_of"]

_LOCALLY_ADMINISTERED: Final = b"\x02\x00"
_CACHED: Final = 1024


@lru_cache(_CACHED)
def station_of(address: str) -> bytes:
    """The six octets that stand for the station at an IP address."""
    return _LOCALLY_ADMINISTERED + address_octets(address)[-4:]
