"""Tiny fake devices, each wrong in one way: what the harness is tested with.

Each is a function of a received message that returns the messages to send, or None to hang up.
`Door` says what happens to a connection that is asked for, `dies_after` that a device stops for
good, as a process does, after so many messages.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

import msgspec

from rpcrdma import wire
from rpcrdma.errors import DecodeError
from rpcrdma.fabric.base import Address, ConnectionParameters
from rpcrdma.fabric.completion import Opcode
from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.fabric.segments import one_segment
from rpcrdma.ulp import rpc
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import _generated_nfs4 as nfs4
from targets.base import TargetError
from targets.profile import Binding
from targets.registry import find_profile

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.fabric.base import Connection, Fabric
    from targets.profile import Profile

    Behaviour = Callable[[bytes], list[bytes] | None]


def good(message: bytes) -> list[bytes]:
    """Serves short calls, drops what has no header, and does nothing else."""
    try:
        header, end = wire.decode_header(message)
    except DecodeError:
        return []
    replies = TestProgram().execute(message[end:])
    return [_sent(header.rdma_xid, reply) for reply in replies]


def _sent(xid: int, reply: bytes) -> bytes:
    """A Reply after its header, without any chunk."""
    return wire.encode_header(wire.TransportHeader(xid, 1, 4, wire.RdmaMsg((), (), None))) + reply


def mute(_message: bytes) -> list[bytes]:
    """Never answers."""
    return []


def babbling(_message: bytes) -> list[bytes]:
    """Answers everything with octets that are no header."""
    return [b"\xff" * 40]


def hanging_up(_message: bytes) -> None:
    """Ends the connection at the first message."""


def wrong_xid(message: bytes) -> list[bytes]:
    """Answers under another XID."""
    return [bytes(3) + b"\x01" + reply[4:] for reply in good(message)]


def twice(message: bytes) -> list[bytes]:
    """Answers everything two times."""
    return good(message) * 2


class InGrace:
    """A server of NFSv4.0 that asks for patience so many times before it executes a COMPOUND."""

    def __init__(self, times: int) -> None:
        self.times = times

    def __call__(self, message: bytes) -> list[bytes]:
        """Answer one message."""
        header, end = wire.decode_header(message)
        call, _ = rpc.decode_call(message[end:])
        results = b""
        if call.procedure != nfs4.NFS_V4.NFSPROC4_NULL:
            status = nfs4.Status.NFS4ERR_GRACE if self.times else nfs4.Status.NFS4_OK
            results = nfs4.encode_compound_result(nfs4.CompoundResult(status, b"", ()))
            self.times = max(0, self.times - 1)
        return [_sent(header.rdma_xid, rpc.accepted(header.rdma_xid, results))]


class Door(Enum):
    """What a device does with those who want to connect."""

    OPEN = "open"
    SHUT = "shut"
    """Leaves them waiting."""
    TRAP = "trap"
    """Accepts and disconnects at once."""


class AfterGood:
    """Behaves well for a number of messages, then in another way for ever."""

    def __init__(self, count: int, then: Behaviour) -> None:
        self._left = count
        self._then = then

    def __call__(self, message: bytes) -> list[bytes] | None:
        """Answer one message."""
        self._left -= 1
        return good(message) if self._left >= 0 else self._then(message)


class MiniatureSession:
    """A fake device on a network of its own."""

    def __init__(self, behave: Behaviour, door: Door, dies_after: int, *, revives: bool) -> None:
        self._behave = behave
        self._door = door
        self._lives = dies_after
        self._revives = revives
        self._messages = 0
        self.restarts = 0
        self._begin()

    def _begin(self) -> None:
        network = LoopbackNetwork()
        self.fabric: Fabric = network.fabric("tester")
        self._device = network.fabric("dut")
        self._listener = self._device.listen(Address("mini", 0))
        self._connections: list[Connection] = []
        self.address = self._listener.address
        self._device.attach(self._step)

    def alive(self) -> str | None:
        """Its process' end, if it has one."""
        return "killed by signal 11" if self._dead else None

    def restart(self) -> None:
        """Only counted, as long as it lives: it stays as bad as it was."""
        self.restarts += 1
        if not self._dead:
            return
        if not self._revives:
            raise TargetError("it cannot be started again")
        self._lives = 0
        self.close()
        self._begin()

    def close(self) -> None:
        """Release both ends."""
        self._device.close()
        self.fabric.close()

    @property
    def _dead(self) -> bool:
        return 0 < self._lives <= self._messages

    def _step(self) -> None:
        if self._door is not Door.SHUT:
            while (request := self._listener.accept(0.0)) is not None:
                receives = ConnectionParameters(initial_receives=(one_segment(1024),) * 8)
                connection = request.accept(receives, 1.0)
                if self._door is Door.TRAP:
                    connection.disconnect()
                else:
                    self._connections.append(connection)
        for connection in self._connections:
            for completion in connection.poll(0.0):
                if completion.opcode is not Opcode.RECEIVE or not completion.ok or self._dead:
                    continue
                if connection.connected:  # an earlier message of the same poll may have ended it
                    self._answer(connection, completion.data)

    def _answer(self, connection: Connection, message: bytes) -> None:
        self._messages += 1
        if self._dead:
            for one in self._connections:
                one.disconnect()
            return
        connection.post_receive(one_segment(1024))
        answers = self._behave(message)
        if answers is None:
            connection.disconnect()
            return
        for answer in answers:
            connection.post_send(answer)


class MiniatureTarget:
    """A fake device as a target, under the reference's profile.

    Attributes:
        session: the one that was started last.
    """

    session: MiniatureSession

    def __init__(
        self,
        behave: Behaviour,
        door: Door = Door.OPEN,
        dies_after: int = 0,
        *,
        revives: bool = True,
        binding: Binding = Binding.TESTPROG,
    ) -> None:
        self.name = "miniature"
        self.profile: Profile = msgspec.structs.replace(find_profile("reference"), binding=binding)
        self._behave = behave
        self._door = door
        self._dies_after = dies_after
        self._revives = revives

    def start(self) -> MiniatureSession:
        """Set it going."""
        self.session = MiniatureSession(
            self._behave, self._door, self._dies_after, revives=self._revives
        )
        return self.session
