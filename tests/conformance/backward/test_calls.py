"""Good backward Calls by binding, and the judgement of their Replies."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import msgspec
import pytest

from conformance.backward.calls import Nfs4Calls, TestprogCalls, backward_calls_for
from conformance.tester.case import Inconclusive
from rpcrdma.ulp import nfs4, rpc, testprog_calls
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.file_tree import CLIENT_TREE, DIRECTORY
from rpcrdma.ulp.nfs4_server import Nfs4Program
from rpcrdma.ulp.nfs4_session_client import SessionClient, opened
from rpcrdma.ulp.nfs4_state import Nfs4Options, Nfs4State
from rpcrdma.wire import _generated_nfs4 as wire
from targets.base import Unsupported
from targets.profile import Binding
from targets.registry import find_profile

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.server import Service
    from rpcrdma.ulp.file_tree import TreeEntry

PROFILE = find_profile("linux-client-nfs41")


class FakeReplies:
    """What a service knows of the programs behind its connections."""

    def __init__(self, program: object) -> None:
        self.program = program

    def program_of(self, _line: object) -> object:
        return self.program


def service_of(program: object, meanwhile: Callable[[], None] = lambda: None) -> Service:
    """A service of one connection, whose client does something once it is served."""

    def serve_while(goes_on: Callable[[], bool], _timeout: float) -> None:
        if goes_on():
            meanwhile()

    fake = SimpleNamespace(
        profile=PROFILE, line=object(), replies=FakeReplies(program), serve_while=serve_while
    )
    return cast("Service", fake)


def bound(tree: tuple[TreeEntry, ...] = ()) -> tuple[Nfs4Calls, SessionClient]:
    """Calls to a client whose session has the connection as backchannel."""
    options = Nfs4Options(backchannel=True, delegations=True)
    program = Nfs4Program(FileStore(tree), Nfs4State(options))
    client = SessionClient(b"client", b"verifier")

    def begin() -> None:
        client.take_client_id(*program.execute(client.exchange_id(1)))
        client.take_session(*program.execute(client.create_session(2)))

    return Nfs4Calls(service_of(program, begin)), client


def answer(client: SessionClient, call: bytes) -> bytes:
    return b"".join(client.callbacks.execute(call))


def test_a_client_of_sessions_is_served_until_it_takes_callbacks() -> None:
    calls, client = bound()
    call = calls.null(7)
    assert client.has_backchannel
    assert calls.problem(call, answer(client, call)) == ""


@pytest.mark.parametrize("length", [0, 1, 300])
def test_a_tag_is_as_long_as_wanted_and_comes_back(length: int) -> None:
    calls, client = bound()
    call = calls.note(8, length)
    reply = answer(client, call)
    assert len(reply) > length
    assert calls.problem(call, reply) == ""


def test_a_delegation_is_recalled_once_and_then_returned() -> None:
    calls, client = bound(CLIENT_TREE)
    calls.null(7)
    with pytest.raises(Inconclusive, match="holds no delegation"):
        calls.recall(8)
    program = calls._program()
    assert not calls.outstanding()
    want = client.open_wanting_delegation(9, DIRECTORY.name, DIRECTORY.entries[0])
    result = opened(client.take(*program.execute(want)))
    assert result.delegation is not None
    client.callbacks.hold(result.delegation, result.handle)

    call = calls.recall(10)

    assert calls.problem(call, answer(client, call)) == ""
    assert [one.fh for one in client.callbacks.recalled] == [result.handle]
    assert calls.outstanding()
    with pytest.raises(Inconclusive, match="holds no delegation"):
        calls.recall(11)
    give_back = wire.DelegreturnArguments(result.delegation)
    client.take(*program.execute(client.compound(12, nfs4.put_handle(result.handle), give_back)))
    assert not calls.outstanding()


def test_slots_are_used_again_once_replies_have_been_judged() -> None:
    calls, client = bound()
    for xid in range(20, 40):
        call = calls.note(xid, 4)
        assert calls.problem(call, answer(client, call)) == ""


def delayed(xid: int) -> bytes:
    """The Reply of a client that is not ready yet."""
    failed = wire.CbSequenceResult(wire.CbSequenceFailed(wire.Status.NFS4ERR_DELAY))
    result = wire.CallbackCompoundResult(wire.Status.NFS4ERR_DELAY, b"", (failed,))
    return rpc.accepted(xid, wire.encode_callback_compound_result(result))


def test_what_the_client_puts_off_is_asked_again_on_the_same_slot() -> None:
    calls, _ = bound()
    call = calls.note(8, 5)

    again = calls.put_off(call, delayed(8))

    assert again is not None
    asked, repeated = (
        wire.decode_callback_compound_arguments(one, rpc.decode_call(one)[1])[0]
        for one in (call, again(9))
    )
    assert repeated == asked
    assert rpc.decode_call(again(10))[0].xid == 10


def test_a_recall_that_is_put_off_is_of_the_same_delegation() -> None:
    calls, client = bound(CLIENT_TREE)
    calls.null(7)
    program = calls._program()
    want = client.open_wanting_delegation(9, DIRECTORY.name, DIRECTORY.entries[0])
    result = opened(client.take(*program.execute(want)))
    assert result.delegation is not None
    client.callbacks.hold(result.delegation, result.handle)

    again = calls.put_off(calls.recall(10), delayed(10))

    assert again is not None
    call = again(11)
    assert calls.put_off(call, answer(client, call)) is None
    assert [one.fh for one in client.callbacks.recalled] == [result.handle]


def test_nothing_else_is_put_off() -> None:
    calls, client = bound()
    call = calls.note(8, 4)
    for one, reply in ((call, answer(client, call)), (calls.null(9), rpc.accepted(9)), (b"", b"")):
        assert calls.put_off(one, reply) is None
    assert TestprogCalls().put_off(testprog_calls.null(9), rpc.accepted(9)) is None


def test_without_a_free_slot_nothing_can_be_asked() -> None:
    calls, client = bound()
    calls.null(7)
    for xid in range(client.back.ca_maxrequests):
        calls.note(xid, 4)
    with pytest.raises(Inconclusive, match="no further callback"):
        calls.note(20, 4)


def test_a_wrong_tag_or_status_is_told() -> None:
    calls, client = bound()
    call, other = calls.note(8, 4), calls.note(8, 5)
    assert "the tag" in calls.problem(call, answer(client, other))
    client.callbacks.sessions.clear()
    again = calls.note(9, 4)
    assert "NFS4ERR_BADSESSION" in calls.problem(again, answer(client, again))


def test_the_rpc_layer_refuses_what_there_is_not() -> None:
    calls, client = bound()
    call = calls.refused(9)
    assert calls.problem(call, answer(client, call)) == ""
    assert calls.problem(call, rpc.accepted(9)) == "success for a procedure that there is not"
    assert "for CB_NULL" in calls.problem(calls.null(9), answer(client, call))
    assert "cannot be decoded" in calls.problem(call, b"")


def test_no_reply_is_as_long_as_wanted() -> None:
    calls, _ = bound()
    with pytest.raises(Unsupported, match="4096 octets"):
        calls.long_reply(1, 4096)


def test_a_client_that_binds_no_connection_leaves_cases_undecided() -> None:
    with pytest.raises(Inconclusive, match="a backchannel"):
        Nfs4Calls(service_of(Nfs4Program(FileStore(())))).null(1)


def test_the_test_program_is_judged_by_what_it_gives() -> None:
    calls = TestprogCalls()
    made = (calls.null(1), calls.note(2, 5), calls.long_reply(3, 1024), calls.refused(4))
    for call in (*made, calls.recall(5)):
        right = testprog_calls.expected_reply(call)
        assert calls.problem(call, right) == ""
        assert f"not the {len(right)} octets" in calls.problem(call, right + b"\0\0\0\0")
    assert not calls.outstanding()
    assert 28 + len(testprog_calls.expected_reply(calls.long_reply(3, 1024))) == 1024


@pytest.mark.parametrize(
    ("binding", "kind"), [(Binding.TESTPROG, TestprogCalls), (Binding.NFS4, Nfs4Calls)]
)
def test_each_binding_has_its_calls(binding: Binding, kind: type) -> None:
    service = service_of(None)
    service.profile = msgspec.structs.replace(PROFILE, binding=binding)
    assert isinstance(backward_calls_for(service), kind)


def test_a_binding_without_callbacks_says_so() -> None:
    service = service_of(None)
    service.profile = msgspec.structs.replace(PROFILE, binding=Binding.NFS3)
    with pytest.raises(Unsupported, match="nfs3"):
        backward_calls_for(service)


def test_a_long_call_of_the_test_program_has_the_length_that_is_asked_for() -> None:
    assert len(TestprogCalls().long_call(7, 2000)) == 2000


def test_a_client_of_sessions_has_no_long_calls() -> None:
    with pytest.raises(Unsupported, match="has 2000 octets"):
        bound()[0].long_call(7, 2000)
