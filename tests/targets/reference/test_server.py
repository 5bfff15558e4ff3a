"""The reference endpoint as a device under test: life, shared state, and plain errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rpcrdma.endpoint.backward.direction import DirectionRules
from rpcrdma.endpoint.backward.requester import BackwardRequester
from rpcrdma.endpoint.backward.responder import BackwardResponder
from rpcrdma.endpoint.core.actions import ReplyReceived
from rpcrdma.endpoint.core.backchannel import Backchannel
from rpcrdma.endpoint.ends.calling import Client
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.errors import FabricError
from rpcrdma.fabric.base import Address, ConnectionParameters
from rpcrdma.ulp import backprog, nfs4
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.backprog import BackwardProgram
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.nfs4_server import Nfs4Program
from rpcrdma.ulp.testprog import TestProgram
from targets.base import TargetError
from targets.reference.backward import BackwardService
from targets.reference.server import InProcessSession, ProcessSession, ReferenceTarget
from targets.reference.server_parts import Parts, responder_factory, server_factory
from targets.reference.server_process import main
from targets.registry import find_profile
from targets.usage import Resource

if TYPE_CHECKING:
    from targets.base import Session

DEADLINE = 5.0
ADDRESS = Address("127.0.0.1", 0)


def served(session: Session) -> bool:
    """Whether a NULL call of the test program is answered."""
    client = Client(session.fabric, session.address, DEADLINE)
    event = client.complete(client.call(TestProgram(), calls.null(1)), DEADLINE)
    client.close()
    return event == ReplyReceived(1, calls.expected_reply(calls.null(1)))


class Quiet(BackwardRequester):
    """Differs in its type."""


class Fresh(Backchannel):
    """Likewise."""


class Odd(DirectionRules):
    """Likewise."""


class Defective(Responder):
    def execute(self, payload: bytes) -> list[bytes]:
        raise ZeroDivisionError("planted")


def test_both_programs_are_behind_every_connection() -> None:
    """The test program, and NFSv4.0 with the suite's export."""
    session = ReferenceTarget(find_profile("reference")).start()
    assert served(session)
    client = Client(session.fabric, session.address, DEADLINE)
    layer = Nfs4Program(FileStore())
    call = nfs4.compound(2, *nfs4.at("size-4096"), nfs4.read(0, 4096))
    event = client.complete(client.call(layer, call), DEADLINE)
    assert isinstance(event, ReplyReceived)
    assert len(event.payload) > 4096
    session.close()


def test_a_session_is_alive_until_its_endpoint_fails_and_again_after_a_restart() -> None:
    """The defect is told in words; the network of the next life is a new one."""
    session = InProcessSession(ADDRESS, Parts(responder=Defective))
    assert session.alive() is None
    network = session.network
    client = Client(session.fabric, session.address, DEADLINE)
    client.complete(client.call(TestProgram(), calls.null(1)), DEADLINE)
    assert session.alive() == "ZeroDivisionError: planted"
    session.restart()
    assert session.alive() is None
    assert session.network is not network
    session.close()


def test_connections_share_lost_replies() -> None:
    """rfc8166 4.5.3: what one lost, the next one knows; rules of a mutant go into each."""
    make = responder_factory()
    first, second = make(), make()
    first._lost.remember(1, b"")
    assert second._lost.knows(1, b"")
    assert type(responder_factory(Parts(responder=Defective))()) is Defective


def test_a_server_calls_back_whom_it_is_asked_to_call() -> None:
    """Over the client's own connection, whichever connection asked."""
    session = InProcessSession(ADDRESS, Parts())
    layer = BackwardProgram(BackwardService().port())
    called, asking = (
        Client(session.fabric, session.address, DEADLINE, backward=BackwardResponder(TestProgram()))
        for _ in range(2)
    )
    called.complete(called.call(layer, backprog.ready(1, 7)), DEADLINE)
    asking.complete(asking.call(layer, backprog.call(1, 7, count=3)), DEADLINE)
    called.complete(called.call(layer, backprog.ready(2, 7)), DEADLINE)
    event = called.complete(called.call(layer, backprog.state(3, 7)), DEADLINE)
    assert isinstance(event, ReplyReceived)
    assert backprog.decode_state(event.payload) == backprog.Tally(answered=3)
    assert session.alive() is None
    session.close()


def test_each_part_of_a_server_can_be_replaced() -> None:
    """That is what mutants do."""
    parts = Parts(responder=Defective, backward=Quiet, channel=Fresh, directions=Odd)
    role = server_factory(parts)()
    kinds = (type(role.forward), type(role.backward), type(role.rules))
    assert kinds == (Defective, Quiet, Odd)


@pytest.mark.parametrize("versions", [(1,), (2,), (1, 2)])
def test_a_server_speaks_the_versions_that_it_is_told(versions: tuple[int, ...]) -> None:
    role = server_factory(Parts(), versions)()

    assert isinstance(role.forward, Responder)
    assert tuple(role.forward.calls.dialects) == versions
    assert (role.optional is not None, role.rules.speaks_two) == (2 in versions, 2 in versions)


def test_an_unknown_fabric_is_one_clear_sentence() -> None:
    with pytest.raises(TargetError, match="there is no fabric `smoke`"):
        ReferenceTarget(find_profile("reference"), "smoke")


@pytest.mark.parametrize("text", ["10.9.0.1", "10.9.0.1:", "10.9.0.1:nfs"])
def test_an_address_that_is_none_is_a_usage_error(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--listen", text])
    assert ended.value.code == 2
    assert "--listen" in capsys.readouterr().err


def test_the_process_without_a_device_is_a_target_error() -> None:
    """192.0.2.0/24 is nobody's: the process says one sentence and ends, and so do we."""
    with pytest.raises((TargetError, FabricError), match=r"192\.0\.2\.1"):
        ProcessSession("verbs", Address("192.0.2.1", 0), "")


def test_what_the_endpoint_has_asked_loopback_for_is_counted() -> None:
    """A connection and what is registered for it, until it has gone."""
    session = InProcessSession(ADDRESS, Parts())
    connection = session.fabric.connect(session.address, ConnectionParameters(), 1.0)
    during = session.usage()
    connection.close()
    connection.poll(0.1)
    after = session.usage()
    session.close()

    assert during is not None
    assert after is not None
    assert (during.of(Resource.QUEUE_PAIRS), after.of(Resource.QUEUE_PAIRS)) == (1, 0)
    assert (after.of(Resource.REGIONS), after.of(Resource.REGISTERED)) == (0, 0)


def test_switch_does_not_count() -> None:
    session = InProcessSession(ADDRESS, Parts(), fabric="switch")

    assert session.usage() is None
    session.close()
