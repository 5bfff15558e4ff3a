"""A client of NFSv4.1 that has its server call back, against the suite's own server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.backward import workload_nfs4
from conformance.backward.workload import Pause, carry_out
from conformance.backward.workload_nfs4 import Nfs4Backward
from conformance.tester.case import Inconclusive
from conformance.tester.sent import Request
from rpcrdma.ulp import nfs4, nfs4_callback, rpc
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.file_tree import TREE
from rpcrdma.ulp.nfs4_server import Nfs4Program
from rpcrdma.ulp.nfs4_state import Nfs4Options, Nfs4State
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import Status
from targets.base import Unsupported
from targets.registry import find_profile

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.backward.workload import Steps

PROFILE = find_profile("linux-server")
DELEGATING = Nfs4Options(backchannel=True, delegations=True)


def server(options: Nfs4Options = DELEGATING) -> Nfs4Program:
    return Nfs4Program(FileStore(TREE), Nfs4State(options))


class Recorder:
    """Carries steps out with a program.

    Attributes:
        titles: of the requests that were made, and the pauses between them.
        paused: done in each pause.
    """

    def __init__(self, program: Nfs4Program) -> None:
        self.titles: list[str] = []
        self.paused: Callable[[], None] = lambda: None
        self._program = program

    def carry_out(self, steps: Steps) -> None:
        carry_out(steps, self._serve, self._pause)

    def _serve(self, request: Request) -> bytes:
        self.titles.append(request.title)
        reply = b"".join(self._program.execute(request.encode(len(self.titles))))
        assert request.check(b"", reply) == ""
        return reply

    def _pause(self, seconds: float) -> None:
        self.titles.append(f"{seconds:g} s")
        self.paused()


def carried_out(steps: Steps, program: Nfs4Program) -> list[str]:
    """The titles of the requests that were made."""
    made = Recorder(program)
    made.carry_out(steps)
    return made.titles


def request_of(step: Request | Pause) -> Request:
    assert isinstance(step, Request)
    return step


def announced(program: Nfs4Program) -> Nfs4Backward:
    workload = Nfs4Backward(PROFILE)
    carried_out(workload.announce(), program)
    return workload


def recalled(workload: Nfs4Backward, program: Nfs4Program, xid: int) -> bytes:
    """A server's Call for the first delegation that the client holds."""
    assert program.backchannel is not None
    other, handle = next(iter(workload.client.callbacks.held.items()))
    recall = nfs4_callback.recall(wire.StateId(1, other), handle)
    return program.backchannel.call(xid, recall)


def test_a_client_announces_itself_by_a_session_with_a_backchannel() -> None:
    workload, program = Nfs4Backward(PROFILE), server()
    titles = carried_out(workload.announce(), program)
    assert titles == ["EXCHANGE_ID", "CREATE_SESSION", "RECLAIM_COMPLETE"]
    assert workload.client.has_backchannel
    assert program.backchannel is not None


def test_a_client_that_is_known_goes_on_from_there() -> None:
    workload, program = Nfs4Backward(PROFILE), server()
    assert carried_out(workload.introduce(), program) == ["EXCHANGE_ID"]
    assert program.backchannel is None
    assert carried_out(workload.announce(), program) == ["CREATE_SESSION", "RECLAIM_COMPLETE"]


def test_a_client_that_has_a_session_binds_its_new_connection() -> None:
    first = server()
    workload = announced(first)
    other = Nfs4Program(FileStore(TREE), first.state)
    assert carried_out(workload.announce(), other) == ["BIND_CONN_TO_SESSION"]
    assert other.backchannel is not None
    assert first.backchannel is None


def test_a_request_makes_its_call_once() -> None:
    """Another would take another slot."""
    program = server()
    workload = announced(program)
    request = request_of(next(workload.provoke(1)))
    assert request.encode(7) == request.encode(7)
    assert request.encode(7) != request.encode(8)


def test_one_delegation_is_granted_and_recalled_for_each_callback_wanted() -> None:
    program = server()
    workload = announced(program)
    titles = carried_out(workload.provoke(3), program)
    opened, written = titles[:3], titles[3:]
    assert opened == ["OPEN that wants a delegation"] * 3
    assert written == ["WRITE in the way of a delegation"] * 3
    assert len(workload.client.callbacks.held) == len(program.state.delegations) == 3


def test_the_write_in_the_way_is_of_a_stranger_and_of_nothing() -> None:
    program = server()
    workload = announced(program)
    steps = workload.provoke(1)
    reply = b"".join(program.execute(request_of(next(steps)).encode(90)))
    write = request_of(steps.send(reply))
    header, start = rpc.decode_call(write.encode(91))
    assert header.credential == rpc.auth_sys(PROFILE.extra.uid, PROFILE.extra.gid)
    arguments, _ = wire.decode_compound_arguments(write.encode(91), start)
    assert arguments.minorversion == 0
    assert arguments.argarray[1:] == (nfs4.write(0, b""),)


def test_a_recall_is_answered_and_answered_alike_when_it_is_answered_again() -> None:
    program = server()
    workload = announced(program)
    carried_out(workload.provoke(1), program)
    call = recalled(workload, program, 5)
    reply = workload.answer(call)
    assert nfs4_callback.parse(reply).status is Status.NFS4_OK
    assert workload.answer(call) == reply
    assert len(workload.client.callbacks.recalled) == 1


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (Nfs4Options(), "does not take the connection for a backchannel"),
        (Nfs4Options(delegations=True), "does not take the connection for a backchannel"),
    ],
)
def test_a_server_without_a_backchannel_leaves_cases_undecided(
    options: Nfs4Options, problem: str
) -> None:
    with pytest.raises(Inconclusive, match=problem):
        announced(server(options))


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Profiles whose server has given a delegation: none yet."""
    names: set[str] = set()
    monkeypatch.setattr(workload_nfs4, "_GIVEN", names)
    monkeypatch.setattr(workload_nfs4, "_TRIES", 4)
    return names


def test_a_server_without_delegations_leaves_cases_undecided(given: set[str]) -> None:
    program = server(Nfs4Options(backchannel=True))
    workload, made = announced(program), Recorder(program)
    with pytest.raises(Inconclusive, match="gave 0 of 2 delegations"):
        made.carry_out(workload.provoke(2))
    assert made.titles == ["OPEN that wants a delegation"] * 4
    assert not given


@pytest.mark.usefixtures("given")
def test_a_server_that_gave_delegations_is_given_time_to_forget_its_recalls() -> None:
    program = server()
    workload, made = announced(program), Recorder(program)
    made.carry_out(workload.provoke(1))
    program.state.options = Nfs4Options(backchannel=True)
    made.titles.clear()
    with pytest.raises(Inconclusive, match="gave 0 of 1 delegations"):
        made.carry_out(workload.provoke(1))
    assert made.titles == [
        *["OPEN that wants a delegation"] * 4,
        "31 s",
        *["OPEN that wants a delegation"] * 4,
        "31 s",
        *["OPEN that wants a delegation"] * 4,
    ]


@pytest.mark.usefixtures("given")
def test_a_server_that_has_forgotten_gives_again() -> None:
    program = server()
    workload, made = announced(program), Recorder(program)
    made.carry_out(workload.provoke(1))
    program.state.options = Nfs4Options(backchannel=True)
    made.titles.clear()
    made.paused = lambda: setattr(program.state, "options", DELEGATING)
    made.carry_out(workload.provoke(1))
    assert made.titles == [
        *["OPEN that wants a delegation"] * 4,
        "31 s",
        "OPEN that wants a delegation",
        "WRITE in the way of a delegation",
    ]


def test_a_server_without_sessions_leaves_cases_undecided() -> None:
    steps = Nfs4Backward(PROFILE).announce()
    refusal = wire.CompoundResult(Status.NFS4ERR_MINOR_VERS_MISMATCH, b"", ())
    next(steps)
    with pytest.raises(Inconclusive, match=r"no session with callbacks: .*MINOR_VERS_MISMATCH"):
        steps.send(rpc.accepted(1, wire.encode_compound_result(refusal)))


def test_what_cannot_be_had_is_not_asked_for() -> None:
    workload = Nfs4Backward(PROFILE)
    with pytest.raises(Unsupported, match="without a session"):
        next(workload.provoke(1))
    for ask in (
        lambda: next(announced(server()).provoke(1, 400)),
        workload.tally,
        lambda: workload.read_tally(b""),
        lambda: workload.longest(1024),
    ):
        with pytest.raises(Unsupported):
            ask()


def test_a_client_takes_its_leave_and_makes_itself_known_again() -> None:
    program = server()
    workload = announced(program)
    assert carried_out(workload.leave(), program) == ["DESTROY_SESSION", "DESTROY_CLIENTID"]
    assert (workload.client.session, workload.client.client_id) == (None, None)
    with pytest.raises(Unsupported, match="does not know this client"):
        carried_out(workload.leave(), program)
    assert carried_out(workload.announce(), program)[:2] == ["EXCHANGE_ID", "CREATE_SESSION"]
    assert workload.client.has_backchannel


def test_a_client_without_a_session_takes_its_leave() -> None:
    program = server()
    workload = Nfs4Backward(PROFILE)
    carried_out(workload.introduce(), program)
    assert carried_out(workload.leave(), program) == ["DESTROY_CLIENTID"]
