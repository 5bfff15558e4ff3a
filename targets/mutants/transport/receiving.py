"""Mutants: packets that come twice, late or damaged (rfc8166 section 2.3.2, 4.5.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.roce.device import RoceDevice
from rpcrdma.roce.packet.bth import BthOpcode
from rpcrdma.roce.transport.requester import TransportRequester
from rpcrdma.roce.transport.responder import MessageProgress, TransportResponder
from targets.mutants.base import mutant
from targets.reference.replaced_parts import BOTH_ENDS

if TYPE_CHECKING:
    from rpcrdma.roce.packet.bth import Packet
    from rpcrdma.roce.packet.datagram import Datagram

_SENDS: Final = (BthOpcode.SEND_ONLY, BthOpcode.SEND_ONLY_INVALIDATE)


@mutant(breaks="rfc8166.2.3.2.one-receive-for-each-send", roles=("responder",))
class DeliversDoubledSends(TransportResponder):
    """Delivers a Send again whose packet comes again."""

    def _out_of_order(self, packet: Packet, psn: int) -> None:
        super()._out_of_order(packet, psn)
        is_old = self._first <= psn < self._expected
        if is_old and packet.opcode in _SENDS and self._receives:
            self._parts.append(packet.payload)
            self._deliver(packet.invalidate)


@mutant(breaks="rfc8166.2.3.2.sends-complete-in-order", roles=BOTH_ENDS)
class DeliversWhatComesNext(TransportResponder):
    """Takes what comes after a lost packet, and the lost one never."""

    def _out_of_order(self, packet: Packet, psn: int) -> None:
        if psn <= self._expected or self._progress is not MessageProgress.NOTHING:
            super()._out_of_order(packet, psn)
            return
        self._expected = psn
        self.receive(packet)


@mutant(
    breaks="rfc8166.2.3.2.writes-precede-a-later-send",
    also_trips={
        "rfc8166.4.5.5.": "what is lost with the connection is passed over like any other loss",
    },
    roles=("requester",),
)
class DeliversRepliesBeforeTheirData(TransportResponder):
    """Takes a Reply, and the rest of an RDMA Write, although a packet of the Write is missing."""

    def _out_of_order(self, packet: Packet, psn: int) -> None:
        if psn <= self._expected or self._progress is not MessageProgress.WRITE:
            super()._out_of_order(packet, psn)
            return
        if packet.opcode in _SENDS:
            self._progress = MessageProgress.NOTHING
            self._whole()
        else:
            self._size += (psn - self._expected) * self._mtu
        self._expected = psn
        self.receive(packet)


@mutant(
    breaks="rfc8166.3.4.5.responder-pulls-read-chunks",
    also_trips={
        "rfc8166.4.5.5.damaged-octets-are-not-taken": "what is damaged is dropped, and so lost"
    },
    roles=("responder",),
)
class TakesReadResponsesAsTheyCome(TransportRequester):
    """Puts together what an RDMA Read brings in the order in which it comes."""

    def _take_response(self, packet: Packet, psn: int) -> None:
        work = self._queue[0]
        super()._take_response(packet, work.first + work.answered if work.is_read else psn)


@mutant(breaks="rfc8166.4.5.5.damaged-octets-are-not-taken", roles=BOTH_ENDS)
class LooksAtNoChecksum(RoceDevice):
    """Takes packets whose ICRC is wrong."""

    def is_intact(self, datagram: Datagram) -> bool:
        return True
