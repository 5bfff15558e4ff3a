"""A RoCE device with two connections, and what a sequence of steps does to it.

The device and all of its time are real: a whole `RoceFabric` at the switch, in virtual time.  Its
peers are played (`fuzz.played_hosts`), so an input may say anything in their names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fuzz.fed_link import FedLink
from fuzz.invariant import BrokenInvariant
from fuzz.played_hosts import (
    OTHER,
    OWN,
    PATH_MTU,
    PEER,
    PORT,
    STRANGER,
    Played,
    datagram_of,
    message_of,
    messages_of_step,
    packet_of,
    request,
)
from fuzz.portrait import differences, portrait
from fuzz.roce_steps import RoceAct, StepFlag
from rpcrdma.errors import BadFrame, ConnectionLost, DeadlineExceeded, FabricError
from rpcrdma.fabric.base import Access, Address, ConnectionParameters
from rpcrdma.fabric.memory import HandleAllocator
from rpcrdma.fabric.recorder import Recorder
from rpcrdma.fabric.segments import one_segment
from rpcrdma.roce.cm.mailbox import CmMailbox
from rpcrdma.roce.connection import RoceConnection
from rpcrdma.roce.device import RoceDevice
from rpcrdma.roce.fabric import RoceFabric
from rpcrdma.roce.link.switch import Switch
from rpcrdma.roce.packet.bth import decode
from rpcrdma.roce.packet.cm_messages import ConnectReply, ConnectRequest, ReadyToUse, decode_cm
from rpcrdma.roce.packet.mad import GENERAL_SERVICES
from rpcrdma.roce.settings import ORDINARY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fuzz.roce_steps import RoceStep
    from rpcrdma.fabric.memory import Region
    from rpcrdma.roce.packet.datagram import Datagram
    from rpcrdma.roce.parts import RoceParts

__all__ = ["MOST_DATAGRAMS", "FuzzedDevice"]

_SECRET: Final = 0xC5
"""Every octet of memory that may not be read; no other memory of the device has it."""

_REGION: Final = 600
"""Octets of each region: three packets."""

_LONGEST: Final = 300
"""Octets of the device's own work at most: the first of it fills its region, so that an octet too
many has no room."""

_HANDSHAKE: Final = 1e-3
"""Seconds that the owner waits for a RTU."""

MOST_DATAGRAMS: Final = 400
"""Datagrams of one input; further ones are left out."""

_MOST_CONNECTIONS: Final = 8
"""That the owner keeps; the oldest goes when there are more."""

_RECEIVE: Final = 2 * PATH_MTU
_PARAMETERS: Final = ConnectionParameters(initial_receives=(one_segment(_RECEIVE),) * 4)

_SHARED: Final = (RoceDevice, Recorder, CmMailbox, HandleAllocator)
"""What a connection has in common with all the others of the device."""


class FuzzedDevice:
    """The device, and its owner.

    Attributes:
        switch: to which good hosts may be connected.
        fabric: the device's.
        played: the two connections that it has at the beginning.
    """

    def __init__(self, parts: RoceParts) -> None:
        self.switch = Switch()
        self._link = FedLink(self.switch.link(OWN), (PEER, STRANGER, OTHER), self._judge_sent)
        self.fabric = RoceFabric(self._link, ORDINARY, 1, parts=parts)
        self.fabric.trace.keep = False
        self.fabric.device.on_activity = self.switch.schedule.note_activity
        self._link.tap = None
        self._listener = self.fabric.listen(Address(OWN, PORT))
        self._answers_replies = False
        self._reply: ConnectReply | None = None
        self._asked = 0
        self._kept: list[RoceConnection] = []
        self._delivered = 0
        self.played = (self._make(PEER, 0x100), self._make(OTHER, 0x200))
        self._register()
        self._at_rest = self._portrait(self.played[1])
        for code in range(3):
            self._post(code, 0, _LONGEST)
        self._progress()

    # -- steps

    def carry_out(self, step: RoceStep) -> None:
        """Have one step happen.

        Raises:
            BrokenInvariant: a stranger changed something, or something left that may not.
        """
        match step.act:
            case RoceAct.PACKET | RoceAct.MESSAGE | RoceAct.RAW:
                self._deliver(step)
            case RoceAct.POST:
                self._post(step.code, step.offset, step.length)
            case RoceAct.WAIT:
                self.wait(4.096e-6 * 2 ** (step.code % 22))
            case RoceAct.ACCEPT:
                self._accept(step)
            case RoceAct.CONNECT:
                connection = RoceConnection(self.fabric, _PARAMETERS, OWN, PEER)
                self._keep(connection)
                connection.request(PORT, PATH_MTU)
            case RoceAct.END:
                self._end(step.code)

    def _datagrams(self, step: RoceStep) -> list[Datagram]:
        source = STRANGER if step.source & 1 else PEER
        played = self.played[bool(step.flags & StepFlag.SECOND)]
        if step.act is RoceAct.MESSAGE:
            messages = messages_of_step(step, played, self._asked)
            transports = [message_of(one, step.size) for one in messages]
        else:
            whole = step.carried if step.act is RoceAct.RAW else packet_of(step, played)
            transports = [whole] * (1 + step.repeat)
        return [datagram_of(transport, source, step) for transport in transports]

    def _deliver(self, step: RoceStep) -> None:
        datagrams = self._datagrams(step)[: MOST_DATAGRAMS - self._delivered]
        self._delivered += len(datagrams)
        if not step.source & 1:
            for datagram in datagrams:
                self._link.feed(datagram)
            if not step.flags & StepFlag.HELD:
                self._progress()
            return
        self._progress()
        before = self._portrait(self.played[0])
        for datagram in datagrams:
            self._link.feed(datagram)
        self._progress()
        changed = differences(before, self._portrait(self.played[0]))
        if changed:
            raise BrokenInvariant("stranger-heard", changed[0])

    def _post(self, code: int, offset: int, length: int) -> None:
        """Post work of the first connection; a full queue and a connection that is gone refuse."""
        played = self.played[0]
        connection, length = played.connection, length % (_LONGEST + 1)
        landing, outgoing = self._own
        try:
            match code % 4:
                case 0:
                    connection.post_send(bytes(length))
                case 1:
                    connection.post_rdma_read(landing, 0, length, 0x77, offset)
                case 2:
                    connection.post_rdma_write(outgoing, 0, length, 0x77, offset)
                case _:
                    connection.post_receive(one_segment(_RECEIVE))
        except ConnectionLost:
            return
        except FabricError as error:
            if "full" not in str(error):
                raise

    def _end(self, code: int) -> None:
        match code % 4:
            case 0:
                self.played[0].connection.disconnect()
            case 1:
                self.played[0].connection.invalidate(self.played[0].memory[0])
            case 2:
                for connection in self._kept:
                    connection.close()
                self._kept.clear()
            case _:
                self._listener.close()
                self._listener = self.fabric.listen(Address(OWN, PORT))

    # -- the owner

    def _accept(self, step: RoceStep) -> None:
        asked = self._listener.accept(0)
        if asked is None:
            return
        if step.flags & StepFlag.NEW_IDS:
            asked.reject(b"no")
            return
        self._answers_replies = bool(step.flags & StepFlag.ACK_REQUEST)
        try:
            self._keep(asked.accept(_PARAMETERS, _HANDSHAKE))
        except DeadlineExceeded:
            pass  # the peer of this input does not finish
        finally:
            self._answers_replies = False

    def _keep(self, connection: RoceConnection) -> None:
        self._kept.append(connection)
        if len(self._kept) > _MOST_CONNECTIONS:
            self._kept.pop(0).close()

    def wait(self, seconds: float) -> None:
        """Let time pass.

        Raises:
            BrokenInvariant: it does not.
        """
        clock = self._link.clock
        before = clock.now()
        self.fabric.device.wait(lambda: False, seconds)
        passed = clock.now() - before
        if not seconds - 1e-6 <= passed <= seconds + 1e-3:
            raise BrokenInvariant("time-wrong", f"{passed} s instead of {seconds} s")

    def serve(self) -> list[RoceConnection]:
        """From now on accept whoever comes: returns the list of the connections to come."""
        while (waiting := self._listener.accept(0)) is not None:
            waiting.reject()
        accepted: list[RoceConnection] = []

        def accept_all() -> None:
            while (asked := self._listener.accept(0)) is not None:
                accepted.append(asked.accept(_PARAMETERS, 1.0))

        self.fabric.attach(accept_all)
        return accepted

    # -- what may not be otherwise

    def require_memory(self) -> None:
        """See that nothing was touched that may not be.

        Raises:
            BrokenInvariant: with the region, as a step counts it.
        """
        for index, (region, octets) in self._untouched.items():
            if region.read() != octets:
                raise BrokenInvariant("memory-changed", f"region {index}")
        changed = differences(self._at_rest, self._portrait(self.played[1]))
        if changed:
            raise BrokenInvariant("other-connection", changed[0])

    def _judge_sent(self, datagram: Datagram) -> None:
        """Look at what leaves for a host that is played; a REP may be answered at once."""
        try:
            packet = decode(datagram.transport)
            if packet.destination != GENERAL_SERVICES:
                if datagram.destination != PEER:
                    raise BrokenInvariant("stranger-answered", f"{packet}")
                if _SECRET in packet.payload:
                    raise BrokenInvariant("memory-leaves", f"{packet}")
                return
            message, transaction = decode_cm(packet.payload)
        except BadFrame as error:
            raise BrokenInvariant("garbage-sent", str(error)) from error
        if isinstance(message, ConnectRequest):
            self._asked = message.local_id
        if isinstance(message, ConnectReply):
            self._reply = message
            if self._answers_replies:
                ready = ReadyToUse(local_id=message.remote_id, remote_id=message.local_id)
                octets = message_of(ready, transaction)
                self._link.feed(datagram_of(octets, datagram.destination))

    # -- how it begins

    def _make(self, host: str, peer_id: int) -> Played:
        """A connection from a played host."""
        asking = message_of(request(peer_id, host, peer_id), peer_id)
        self._link.feed(datagram_of(asking, host))
        asked = self._listener.accept(0)
        if asked is None:
            raise BrokenInvariant("not-served", f"the request of {host} is not told")
        self._answers_replies = True
        connection = asked.accept(_PARAMETERS, _HANDSHAKE)
        self._answers_replies = False
        if self._reply is None:
            raise BrokenInvariant("not-served", f"no reply to {host}")
        return Played(connection, peer_id, self._reply.local_id, self._reply.starting_psn, 0xFFFFF0)

    def _register(self) -> None:
        first, second = (played.connection for played in self.played)
        both = Access.REMOTE_READ | Access.REMOTE_WRITE
        memory: list[Region] = [
            first.register(_REGION, Access.REMOTE_READ),
            first.register(_REGION, Access.REMOTE_WRITE),
            first.register(_REGION, Access.LOCAL_WRITE),
            first.register(_REGION, both),
            second.register(_REGION, both),
        ]
        for region in memory[1:]:
            region.write(bytes([_SECRET]) * _REGION)
        first.invalidate(memory[3])
        self._own = (
            first.register(_LONGEST, Access.LOCAL_WRITE),
            first.register(_LONGEST, Access(0)),
        )
        self._untouched: Mapping[int, tuple[Region, bytes]] = {
            index: (region, region.read()) for index, region in enumerate(memory) if index != 1
        }
        for played in self.played:
            played.memory = memory

    def _portrait(self, played: Played) -> dict[str, object]:
        """All of a connection, and nothing of what others share with it."""
        return portrait(played.connection, _SHARED)

    def _progress(self) -> None:
        self.fabric.device.progress()
