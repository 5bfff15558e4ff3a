"""Station (MAC) addresses for ends that have none: made from the IP address, the same everywhere.

A locally administered unicast address (IEEE 802, second lowest bit of the first octet): 02:00 and
the last four octets of the IP address.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from rpcrdma.roce.packet.datagram import to_frame
from rpcrdma.roce.packet.internet import address_octets

if TYPE_CHECKING:
    from rpcrdma.roce.packet.datagram import Datagram

__all__ = ["frame_of", "station_of"]

_LOCALLY_ADMINISTERED: Final = b"\x02\x00"
_CACHED: Final = 1024


@lru_cache(_CACHED)
def station_of(address: str) -> bytes:
    """The six octets that stand for the station at an IP address."""
    return _LOCALLY_ADMINISTERED + address_octets(address)[-4:]


def frame_of(datagram: Datagram) -> bytes:
    """The frame that a device would have sent, between the stations of both addresses."""
    return to_frame(datagram, station_of(datagram.source), station_of(datagram.destination))
