"""Acts as calls of the test program, against a server that answers at once."""

from __future__ import annotations

import hashlib

import pytest

from rpcrdma.endpoint.core.xids import XidSource
from rpcrdma.endpoint.ends.reconnecting import ReconnectingClient
from rpcrdma.endpoint.ends.serving import Server
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.fabric.base import Address
from rpcrdma.fabric.loopback import LoopbackNetwork
from rpcrdma.ulp import rpc
from rpcrdma.ulp.pattern import letters, pattern
from rpcrdma.ulp.testprog import TestProgram
from targets.base import Act, ActKind, ActResult, ActState
from targets.reference.acts import ACTS, UpperTester


class Refusing(TestProgram):
    """Answers every call by GARBAGE_ARGS."""

    def execute(self, call: bytes) -> list[bytes]:
        return [rpc.garbage_args(int.from_bytes(call[:4], "big"))]


class World:
    """A server and the application above a client."""

    def __init__(self, program: type[TestProgram]) -> None:
        network = LoopbackNetwork()
        self.fabric = network.fabric("tester")
        device = network.fabric("dut")
        self.server = Server(device, Address("dut", 0), lambda: Responder(program()))
        device.attach(self.server.step)
        self.client = ReconnectingClient(self.fabric, self.server.address, 5.0, Requester)
        self.application = UpperTester(self.client, XidSource())

    def run(self, act: Act) -> ActResult:
        progress = self.application.begin(act)
        for _ in range(200):
            self.client.wait(0.1)
            self.application.collect()
            if (result := progress.poll()) is not None:
                return result
        raise AssertionError("the act does not end")


@pytest.fixture
def world() -> World:
    return World(TestProgram)


def test_every_kind_of_act_is_offered() -> None:
    assert frozenset(ActKind) == ACTS


@pytest.mark.parametrize(
    "act",
    [
        Act(ActKind.NULL),
        Act(ActKind.SMALL),
        Act(ActKind.WRITE, 5000),
        Act(ActKind.READ_TWO, 2000),
        Act(ActKind.READ_OPTIONAL),
        Act(ActKind.WRITE_OPTIONAL),
        Act(ActKind.READ_ARRAY),
        Act(ActKind.READ_ARRAY, 3001),
        Act(ActKind.WRITE_ARRAY, 3001),
        Act(ActKind.READ_ROWS),
        Act(ActKind.WRITE_ROWS),
        Act(ActKind.EXCHANGE_AUTHENTICATED, 3001),
        Act(ActKind.EXCHANGE_INTEGRITY, 3001),
        Act(ActKind.EXCHANGE_PRIVACY),
        Act(ActKind.LONG_CALL),
        Act(ActKind.LONG_REPLY, 3000),
        Act(ActKind.MANY, count=40),
        Act(ActKind.LIST_NAMES, count=0),
        Act(ActKind.LIST_NAMES, count=500),
        Act(ActKind.DISCONNECT),
    ],
    ids=str,
)
def test_an_act_that_is_served_is_done(world: World, act: Act) -> None:
    assert world.run(act) == ActResult(ActState.DONE)


def test_a_read_tells_what_it_gave(world: World) -> None:
    result = world.run(Act(ActKind.READ, 5000))

    assert (result.done, result.data) == (True, pattern(5000))
    assert result.digest == hashlib.sha256(pattern(5000)).hexdigest()


@pytest.mark.parametrize("kind", [ActKind.READ_AT, ActKind.READ_CACHED, ActKind.READ_MAPPED])
def test_a_read_from_an_octet_on_gives_what_is_there(world: World, kind: ActKind) -> None:
    assert world.run(Act(kind, 3000, offset=1001)).data == pattern(4001)[1001:]


@pytest.mark.parametrize("kind", [ActKind.WRITE_AT, ActKind.WRITE_CACHED, ActKind.WRITE_MAPPED])
def test_what_is_written_and_fetched_again_comes_back(world: World, kind: ActKind) -> None:
    assert world.run(Act(kind, 3000, offset=1001)).data == pattern(3000)


def test_a_link_is_a_path_of_letters(world: World) -> None:
    assert world.run(Act(ActKind.MAKE_LINK, 300)).data == letters(300)


def test_a_list_holds_the_pattern(world: World) -> None:
    assert world.run(Act(ActKind.KEEP_LIST, 300)).data == pattern(300)


def test_what_one_call_does_not_move_takes_two(world: World) -> None:
    length = 4 * 1024 * 1024 + 100

    result = world.run(Act(ActKind.READ, length))

    assert result.data is not None
    assert len(result.data) == length


def test_many_reads_give_their_data_one_behind_the_other(world: World) -> None:
    assert world.run(Act(ActKind.MANY_READS, 2000, 3)).data == pattern(2000) * 3


@pytest.mark.parametrize("kind", [ActKind.SMALL, ActKind.READ, ActKind.WRITE])
def test_another_reply_than_the_right_one_fails_the_act(kind: ActKind) -> None:
    result = World(Refusing).run(Act(kind, 100))

    assert not result.done
    assert "the reply" in result.detail


def test_what_is_abandoned_fails(world: World) -> None:
    progress = world.application.begin(Act(ActKind.SMALL))
    progress.abandon()
    world.application.collect()

    assert progress.poll() == ActResult(ActState.FAILED, "the application cancelled the call")


def test_connecting_is_done_when_there_is_a_connection(world: World) -> None:
    progress = world.application.connect()
    assert progress.poll() is None

    world.client.step()

    assert progress.poll() == ActResult(ActState.DONE)


def test_connecting_fails_with_the_reason(world: World) -> None:
    world.server.close()
    progress = world.application.connect()

    world.client.step()

    result = progress.poll()
    assert result is not None
    assert (result.done, "nobody listens" in result.detail) == (False, True)
