"""Asking a server whether it is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rpcrdma.errors import ConnectionLost, ConnectionRejected, DeadlineExceeded
from rpcrdma.fabric.base import Address, ConnectionParameters
from rpcrdma.fabric.completion import Opcode
from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.fabric.segments import one_segment
from rpcrdma.ulp.rpc import accepted
from rpcrdma.wire import ErrVers, RdmaError, RdmaMsg, TransportHeader, encode_header
from rpcrdma.wire.versions import fixed_words
from targets.ping import Pong, ping

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.fabric.base import Connection

ADDRESS = Address("server", 20049)
LINUX = bytes.fromhex("f6ab0e1801000303")


def ask(answer: Callable[[Connection, bytes], None], private_data: bytes = b"") -> Pong:
    """Ping a server that does this with the first message."""
    network = LoopbackNetwork()
    with network.fabric("tester") as tester, network.fabric("dut") as dut:
        listener = dut.listen(ADDRESS)
        accepted_ones: list[Connection] = []

        def step() -> None:
            while (request := listener.accept(0)) is not None:
                parameters = ConnectionParameters(
                    private_data, initial_receives=(one_segment(1024),)
                )
                accepted_ones.append(request.accept(parameters, 1.0))
            for connection in accepted_ones:
                for done in connection.poll(0):
                    if done.ok and done.opcode is Opcode.RECEIVE:
                        answer(connection, done.data)

        dut.attach(step)
        return ping(tester, ADDRESS, (100003, 3), 1.0)


def serve(connection: Connection, call: bytes) -> None:
    """What a server should do."""
    xid = fixed_words(call).xid
    connection.post_send(
        encode_header(TransportHeader(xid, 1, 64, RdmaMsg((), (), None))) + accepted(xid)
    )


def test_server_that_serves_is_described_in_one_line() -> None:
    """Version, credits, private data with their meaning, and times."""
    told = str(ask(serve, LINUX))

    assert told.startswith("server:20049: RPC-over-RDMA version 1, 64 credits, private data f6ab0e")
    assert "(sends 4096, receives 4096 octets, no invalidation); NULL: SUCCESS in 0." in told


def test_connection_does_not_outlive_the_question() -> None:
    """A server that bears few connections has none less for it."""
    answered: list[Connection] = []

    def note(connection: Connection, call: bytes) -> None:
        answered.append(connection)
        serve(connection, call)

    ask(note)

    assert not answered[0].connected


def test_server_that_refuses_the_version_answers_too() -> None:
    """It is there, which is what was asked."""

    def refuse(connection: Connection, call: bytes) -> None:
        header = TransportHeader(fixed_words(call).xid, 2, 3, RdmaError(ErrVers(2, 2)))
        connection.post_send(encode_header(header))

    pong = ask(refuse)

    assert (pong.version, pong.credits, pong.answer) == (2, 3, "refused with an RDMA_ERROR")
    assert "no private data" in str(pong)


def test_answer_to_something_else_is_called_that() -> None:
    """The XID is another."""

    def confuse(connection: Connection, call: bytes) -> None:
        serve(connection, bytes([call[0] ^ 1]) + call[1:])

    assert ask(confuse).answer == "answered with another XID"


def test_answer_that_is_no_reply_is_called_that() -> None:
    """The transport header is right, and what follows it is none."""

    def babble(connection: Connection, call: bytes) -> None:
        xid = fixed_words(call).xid
        header = TransportHeader(xid, 1, 64, RdmaMsg((), (), None))
        connection.post_send(encode_header(header) + b"nonsense")

    assert ask(babble).answer == "answered with something that is no RPC reply"


def test_silence_has_a_deadline() -> None:
    """The connection is there, the answer is not."""
    with pytest.raises(DeadlineExceeded, match="connected, but the NULL call was not answered"):
        ask(lambda _connection, _call: None)


def test_connection_that_ends_is_told() -> None:
    """The server hangs up instead."""
    with pytest.raises(ConnectionLost, match="instead of answering"):
        ask(lambda connection, _call: connection.disconnect())


def test_nobody_there_is_told() -> None:
    """Refused by the connection manager."""
    with LoopbackNetwork().fabric("tester") as tester, pytest.raises(ConnectionRejected):
        ping(tester, ADDRESS, (100003, 3), 1.0)
