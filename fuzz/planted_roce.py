"""Bugs planted by hand in what speaks RoCEv2; see `fuzz.planted`, which lists them."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

import msgspec
from typing_extensions import override

from fuzz.harnesses.roce_frame import RocePacketCodec
from rpcrdma.roce.device import RoceDevice
from rpcrdma.roce.packet.bth import BthOpcode
from rpcrdma.roce.parts import RoceParts
from rpcrdma.roce.transport.responder import TransportResponder

if TYPE_CHECKING:
    from rpcrdma.fabric.base import Access
    from rpcrdma.fabric.memory import Denial, Region
    from rpcrdma.roce.device import BoundPair
    from rpcrdma.roce.packet.bth import Packet, Reth
    from rpcrdma.roce.packet.datagram import Datagram

__all__ = [
    "ForgetsRights",
    "HearsAnybody",
    "KeepsDuplicates",
    "TrustsHeaderLengths",
    "forgets_rights",
    "hears_anybody",
    "keeps_duplicates",
]

_BTH: Final = 12
_WITH_RETH: Final = (BthOpcode.WRITE_FIRST, BthOpcode.WRITE_ONLY, BthOpcode.READ_REQUEST)


class TrustsHeaderLengths(RocePacketCodec):
    """Reads a RETH before it looks whether it is all there (raises on a short RETH)."""

    @override
    def packet(self, octets: bytes) -> Packet:
        if len(octets) >= _BTH and octets[0] in _WITH_RETH:
            struct.unpack_from(">QII", octets, _BTH)
        return super().packet(octets)


class HearsAnybody(RoceDevice):
    """Takes packets for a queue pair from whoever sends them (source host not checked)."""

    @override
    def _take(self, datagram: Datagram, now: float) -> BoundPair | None:
        bound = self._bound.get(int.from_bytes(datagram.payload[5:8], "big"))
        if bound is not None:
            datagram = msgspec.structs.replace(datagram, source=bound.remote)
        return super()._take(datagram, now)


class KeepsDuplicates(TransportResponder):
    """Keeps what is out of order, in case it is needed again (memory that only grows)."""

    @override
    def _out_of_order(self, packet: Packet, psn: int) -> None:
        kept = self.__dict__.setdefault("_kept", [])
        kept.append(packet)
        super()._out_of_order(packet, psn)


class ForgetsRights(TransportResponder):
    """Looks for what a handle names, and not whether the peer may have it (no access check)."""

    @override
    def _find(self, reth: Reth, access: Access) -> Region | Denial | None:
        return self._domain.find(reth.handle) if reth.length else None


def hears_anybody() -> RoceParts:
    """A device that is `HearsAnybody`."""
    return RoceParts(device=HearsAnybody)


def keeps_duplicates() -> RoceParts:
    """A device with `KeepsDuplicates`."""
    return RoceParts(responder=KeepsDuplicates)


def forgets_rights() -> RoceParts:
    """A device with `ForgetsRights`."""
    return RoceParts(responder=ForgetsRights)
