"""Two endpoints on loopback, and a bare connection to the reference Responder."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from rpcrdma.endpoint.ends.calling import Client
from rpcrdma.endpoint.ends.serving import Server
from rpcrdma.endpoint.responder.lost_replies import LostReplies
from rpcrdma.endpoint.responder.responder import Responder, ResponderOptions
from rpcrdma.fabric.base import Address, ConnectionParameters
from rpcrdma.fabric.loopback import LoopbackFabric, LoopbackNetwork
from rpcrdma.fabric.segments import one_segment
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import TransportHeader, decode_header

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from rpcrdma.endpoint.requester.requester import RequesterOptions
    from rpcrdma.fabric.base import Connection

    MakePair = Callable[..., AbstractContextManager["Pair"]]

DEADLINE = 5.0


@dataclass
class Pair:
    """A Responder behind a listener, and the fabric of whoever talks to it."""

    network: LoopbackNetwork
    fabric: LoopbackFabric
    server: Server

    def client(self, options: RequesterOptions | None = None) -> Client:
        return Client(self.fabric, self.server.address, DEADLINE, options)

    def connect(self, receives: int = 8, length: int = 1024) -> Connection:
        parameters = ConnectionParameters(initial_receives=(one_segment(length),) * receives)
        return self.fabric.connect(self.server.address, parameters, DEADLINE)


@contextmanager
def running(options: ResponderOptions | None = None) -> Iterator[Pair]:
    """A running Responder with the test program."""
    network = LoopbackNetwork()
    lost = LostReplies()
    device, fabric = network.fabric("dut"), network.fabric("tester")
    server = Server(device, Address("dut", 20049), lambda: Responder(TestProgram(), options, lost))
    device.attach(server.step)
    with device, fabric:
        yield Pair(network, fabric, server)
        assert server.failure is None


def received(connection: Connection, timeout: float = 0.1) -> list[tuple[TransportHeader, bytes]]:
    """Everything that comes within `timeout` seconds, decoded: header and what follows it."""
    messages = []
    while completions := connection.poll(timeout):
        for completion in completions:
            if completion.data:
                header, end = decode_header(completion.data)
                messages.append((header, completion.data[end:]))
    return messages


@pytest.fixture(scope="session")
def pair() -> MakePair:
    """Makes a running pair: `with pair(options) as exchange`."""
    return running


@pytest.fixture(scope="session")
def hear() -> Callable[[Connection], list[tuple[TransportHeader, bytes]]]:
    """Everything that comes on a connection, decoded."""
    return received
