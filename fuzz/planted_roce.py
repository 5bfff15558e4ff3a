"""Bugs planted by hand in what speaks RoCEv2; see `fuzz.planted`, which lists them."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

import msgspec
from typing_extensions import override

from fuzz.harnesses.roce_frame import RocePacketCodec
from rpcrdma.fabric.memory import HandleAllocator
from rpcrdma.roce.device import RoceDevice
from rpcrdma.roce.fabric import RoceFabric
from rpcrdma.roce.packet.bth import PSN_MASK, BthOpcode
from rpcrdma.roce.settings import ORDINARY

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.roce.device import BoundPair
    from rpcrdma.roce.link.base import Link
    from rpcrdma.roce.packet.bth import Packet
    from rpcrdma.roce.packet.datagram import Datagram

__all__ = [
    "HearsAnybody",
    "KeepsDuplicates",
    "TrustsHeaderLengths",
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
        number = int.from_bytes(datagram.payload[5:8], "big")
        bound = self._bound.get(number)
        if bound is not None:
            datagram = msgspec.structs.replace(datagram, source=bound.remote)
        return super()._take(datagram, now)


class KeepsDuplicates(RoceDevice):
    """Keeps each packet that came before, to answer it again some day (memory that only grows)."""

    def __init__(self, link: Link, seed: int | None, allocator: HandleAllocator) -> None:
        super().__init__(link, seed, allocator)
        self._newest: dict[int, int] = {}
        self._duplicates: list[Datagram] = []

    @override
    def _take(self, datagram: Datagram, now: float) -> BoundPair | None:
        bound = super()._take(datagram, now)
        if bound is not None:
            psn = int.from_bytes(datagram.payload[9:12], "big") & PSN_MASK
            if self._newest.get(bound.pair.number) == psn:
                self._duplicates.append(datagram)
            self._newest[bound.pair.number] = psn
        return bound


def _fabric_with(
    kind: Callable[[Link, int | None, HandleAllocator], RoceDevice],
) -> Callable[[Link, int], RoceFabric]:
    """Makes fabrics whose device is of another class."""

    class Changed(RoceFabric):
        def __init__(self, link: Link, seed: int) -> None:
            allocator = HandleAllocator(seed)
            super().__init__(link, ORDINARY, seed, allocator)
            link.detach(self)
            self.device = kind(link, seed, allocator)
            self.device.on_request = self._requested
            link.attach(self, self.device.progress)

    return Changed


def hears_anybody() -> Callable[[Link, int], RoceFabric]:
    """Makes devices that are `HearsAnybody`."""
    return _fabric_with(HearsAnybody)


def keeps_duplicates() -> Callable[[Link, int], RoceFabric]:
    """Makes devices that are `KeepsDuplicates`."""
    return _fabric_with(KeepsDuplicates)
