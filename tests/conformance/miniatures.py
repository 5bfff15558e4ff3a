"""Tiny fake devices, each wrong in one way: what the harness is tested with.

Each is a function of a received message that returns the messages to send, or None to hang up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma import wire
from rpcrdma.fabric.base import Address, ConnectionParameters, Opcode
from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.ulp.testprog import TestProgram
from targets.base import Stimulus, Unsupported
from targets.registry import find_profile

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.fabric.base import Connection, Fabric
    from targets.profile import Profile

    Behaviour = Callable[[bytes], list[bytes] | None]


def good(message: bytes) -> list[bytes]:
    """Serves short calls, and nothing else."""
    header, end = wire.decode_header(message)
    replies = TestProgram().execute(message[end:])
    answer = wire.TransportHeader(header.rdma_xid, 1, 4, wire.RdmaMsg((), (), None))
    return [wire.encode_header(answer) + reply for reply in replies]


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

    def __init__(self, behave: Behaviour) -> None:
        network = LoopbackNetwork()
        self.fabric: Fabric = network.fabric("tester")
        self._device = network.fabric("dut")
        self._behave = behave
        self._listener = self._device.listen(Address("mini", 0))
        self._connections: list[Connection] = []
        self.address = self._listener.address
        self.restarts = 0
        self._device.attach(self._step)

    def alive(self) -> str | None:
        """As far as can be told."""
        return None

    def restart(self) -> None:
        """Only counted: the device stays as bad as it was."""
        self.restarts += 1

    def stimulate(self, stimulus: Stimulus) -> None:
        """Nothing can be asked of it."""
        raise Unsupported(stimulus.action)

    def close(self) -> None:
        """Release both ends."""
        self._device.close()
        self.fabric.close()

    def _step(self) -> None:
        while (request := self._listener.accept(0.0)) is not None:
            receives = ConnectionParameters(initial_receives=(1024,) * 8)
            self._connections.append(request.accept(receives, 1.0))
        for connection in self._connections:
            for completion in connection.poll(0.0):
                received = completion.opcode is Opcode.RECEIVE and completion.ok
                if received and connection.connected:
                    self._answer(connection, completion.data)

    def _answer(self, connection: Connection, message: bytes) -> None:
        connection.post_receive(1024)
        answers = self._behave(message)
        if answers is None:
            connection.disconnect()
            return
        for answer in answers:
            connection.post_send(answer)


class MiniatureTarget:
    """A fake device as a target, under the reference's profile."""

    def __init__(self, behave: Behaviour) -> None:
        self.name = "miniature"
        self.profile: Profile = find_profile("reference")
        self._behave = behave

    def start(self) -> MiniatureSession:
        """Set it going."""
        return MiniatureSession(self._behave)
