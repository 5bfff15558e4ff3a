from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rpcrdma.ulp import nfs4_callback, rpc
from rpcrdma.ulp.nfs4_callback_program import CallbackProgram, CallbackSession
from rpcrdma.ulp.nfs_bindings import nfs_binding
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import CallbackArgument, CallbackOperation, Status

if TYPE_CHECKING:
    from collections.abc import Callable

PROGRAM = 0x40000123
SESSION = b"s" * 16
HANDLE = b"tree:5"
STATEID = wire.StateId(1, b"dlgt-0000007")
RECALL_ANY = wire.CbRecallAnyArguments(1, (1,))
RECALL_SLOT = wire.CbRecallSlotArguments(0)


@pytest.fixture
def program() -> CallbackProgram:
    made = CallbackProgram(PROGRAM)
    made.sessions[SESSION] = CallbackSession.of(SESSION, 2)
    made.hold(STATEID, HANDLE)
    made.attributes[HANDLE] = wire.FileAttributes((1 << 4,), bytes(8))
    return made


def ask(
    program: CallbackProgram, *operations: CallbackArgument, minor: int = 1
) -> wire.CallbackCompoundResult:
    (reply,) = program.execute(nfs4_callback.call(9, PROGRAM, *operations, minor=minor))
    return nfs4_callback.parse(reply)


def first(number: int = 1, *, slot: int = 0, session: bytes = SESSION) -> CallbackArgument:
    return nfs4_callback.sequence(session, number, slot=slot)


def test_null_is_answered(program: CallbackProgram) -> None:
    assert program.execute(nfs4_callback.null(9, PROGRAM)) == [rpc.accepted(9)]


def test_another_program_is_not_ours(program: CallbackProgram) -> None:
    assert program.execute(nfs4_callback.null(9, PROGRAM + 1)) == [rpc.program_unavailable(9)]


def test_attributes_that_the_client_knows_are_told(program: CallbackProgram) -> None:
    result = ask(program, first(), nfs4_callback.get_attributes(HANDLE, 4))

    done = wire.CbGetattrDone(wire.FileAttributes((1 << 4,), bytes(8)))
    assert result.resarray[1] == wire.CbGetattrResult(done)


@pytest.mark.parametrize(
    ("operations", "status"),
    [
        ((first(),), Status.NFS4_OK),
        ((first(), RECALL_ANY, RECALL_SLOT), Status.NFS4_OK),
        ((first(2),), Status.NFS4ERR_SEQ_MISORDERED),
        ((first(slot=2),), Status.NFS4ERR_BADSLOT),
        ((first(session=bytes(16)),), Status.NFS4ERR_BADSESSION),
        ((first(), first()), Status.NFS4ERR_SEQUENCE_POS),
        ((RECALL_ANY,), Status.NFS4ERR_OP_NOT_IN_SESSION),
        ((RECALL_SLOT,), Status.NFS4ERR_OP_NOT_IN_SESSION),
        ((first(), *[RECALL_ANY] * 16), Status.NFS4ERR_TOO_MANY_OPS),
        (
            (first(), nfs4_callback.recall(wire.StateId(1, bytes(12)), HANDLE)),
            Status.NFS4ERR_BAD_STATEID,
        ),
        ((first(), nfs4_callback.recall(STATEID, b"other")), Status.NFS4ERR_BADHANDLE),
        ((first(), nfs4_callback.get_attributes(b"other")), Status.NFS4ERR_BADHANDLE),
        (
            (first(), wire.OtherCallbackArguments(CallbackOperation.OP_CB_NOTIFY_LOCK)),
            Status.NFS4ERR_NOTSUPP,
        ),
        (
            (first(), wire.OtherCallbackArguments(CallbackOperation.OP_CB_ILLEGAL)),
            Status.NFS4ERR_OP_ILLEGAL,
        ),
    ],
)
def test_each_compound_ends_with_the_status_of_the_document(
    program: CallbackProgram, operations: tuple[CallbackArgument, ...], status: Status
) -> None:
    assert ask(program, *operations).status is status


def test_only_what_is_held_and_named_rightly_counts_as_recalled(program: CallbackProgram) -> None:
    ask(program, first(), nfs4_callback.recall(STATEID, b"other"))

    assert program.recalled == []


def test_there_are_no_sequences_in_the_first_minor_version(program: CallbackProgram) -> None:
    assert ask(program, first(), minor=0).status is Status.NFS4ERR_OP_ILLEGAL
    assert ask(program, RECALL_ANY, minor=0).status is Status.NFS4_OK
    assert ask(program, *[RECALL_ANY] * 17, minor=0).status is Status.NFS4ERR_RESOURCE


def test_another_minor_version_is_refused(program: CallbackProgram) -> None:
    assert ask(program, first(), minor=2).status is Status.NFS4ERR_MINOR_VERS_MISMATCH


def test_a_retry_is_answered_from_memory_and_recalls_once(program: CallbackProgram) -> None:
    keep = nfs4_callback.sequence(SESSION, 1, keep=True)
    call = nfs4_callback.call(9, PROGRAM, keep, nfs4_callback.recall(STATEID, HANDLE))

    before, after = program.execute(call), program.execute(call)

    assert before == after
    assert len(program.recalled) == 1


def test_a_retry_of_what_was_not_kept_is_told_so(program: CallbackProgram) -> None:
    ask(program, first(), nfs4_callback.recall(STATEID, HANDLE))

    again = ask(program, first(), nfs4_callback.recall(STATEID, HANDLE))

    assert again.status is Status.NFS4ERR_RETRY_UNCACHED_REP
    assert len(program.recalled) == 1


def test_another_call_in_place_of_a_retry_is_found_out(program: CallbackProgram) -> None:
    keep = nfs4_callback.sequence(SESSION, 1, keep=True)
    ask(program, keep)

    assert ask(program, keep, RECALL_ANY).status is Status.NFS4ERR_SEQ_FALSE_RETRY


def test_nothing_in_a_callback_is_eligible_and_replies_fit_the_expectation(
    program: CallbackProgram, check_binding: Callable[[CallbackProgram, bytes, bytes], None]
) -> None:
    other = wire.OtherCallbackArguments(CallbackOperation.OP_CB_NOTIFY_LOCK)
    operations = (first(), nfs4_callback.get_attributes(HANDLE, 4), RECALL_ANY, other)
    call = nfs4_callback.call(9, PROGRAM, *operations, tag=b"tag")
    (reply,) = program.execute(call)

    check_binding(program, call, reply)

    assert program.arguments(call) == ()
    assert program.results(call, reply) == ()


def test_every_operation_is_in_the_table() -> None:
    rows = nfs_binding("nfs4.1-callback").rows

    assert {number for number in CallbackOperation if number not in rows} == set()
