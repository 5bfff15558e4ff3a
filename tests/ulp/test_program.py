from __future__ import annotations

import pytest

from rpcrdma.errors import DecodeError, LocalProtocolError, Reason
from rpcrdma.ulp import rpc, testprog_calls
from rpcrdma.ulp.bindings import ReplyExpectation
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.nfs4 import compound, put_root, read
from rpcrdma.ulp.nfs4 import null as nfs_null
from rpcrdma.ulp.nfs4_server import Nfs4Program
from rpcrdma.ulp.program import Programs
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import _generated_testprog as wire

NUMBER, VERSION = wire.TEST_PROGRAM, wire.TEST_VERSION
ECHO = wire.TEST_V1.TEST_ECHO


def upper_layers() -> list[TestProgram | Programs]:
    return [TestProgram(), Programs([TestProgram(), Nfs4Program(FileStore(()))])]


def only_reply(upper_layer: TestProgram | Programs, call: bytes) -> rpc.RpcReply:
    (payload,) = upper_layer.execute(call)
    reply, end = rpc.decode_reply(payload)
    assert reply.succeeded or end == len(payload)
    return reply


@pytest.mark.parametrize("upper_layer", upper_layers())
@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (rpc.encode_call(5, NUMBER + 1, 1, 0), rpc.RpcReply(5, rpc.RpcOutcome.PROG_UNAVAIL)),
        (
            rpc.encode_call(5, NUMBER, VERSION + 1, 0),
            rpc.RpcReply(5, rpc.RpcOutcome.PROG_MISMATCH, (VERSION, VERSION)),
        ),
        (rpc.encode_call(5, NUMBER, VERSION, 99), rpc.RpcReply(5, rpc.RpcOutcome.PROC_UNAVAIL)),
        (
            rpc.encode_call(5, NUMBER, VERSION, 0, rpc_version=3),
            rpc.RpcReply(5, rpc.RpcOutcome.RPC_MISMATCH, (2, 2)),
        ),
        (
            rpc.encode_call(5, NUMBER, VERSION + 1, 0, rpc_version=1),
            rpc.RpcReply(5, rpc.RpcOutcome.RPC_MISMATCH, (2, 2)),
        ),
        (rpc.encode_call(5, NUMBER, VERSION, ECHO), rpc.RpcReply(5, rpc.RpcOutcome.GARBAGE_ARGS)),
        (
            rpc.encode_call(5, NUMBER, VERSION, 0, b"more"),
            rpc.RpcReply(5, rpc.RpcOutcome.GARBAGE_ARGS),
        ),
    ],
)
def test_call_that_is_not_served_gets_its_error(
    upper_layer: TestProgram | Programs, call: bytes, expected: rpc.RpcReply
) -> None:
    assert only_reply(upper_layer, call) == expected


@pytest.mark.parametrize("upper_layer", upper_layers())
@pytest.mark.parametrize("payload", [b"", b"\0" * 39, rpc.accepted(1)])
def test_octets_without_a_call_header_get_no_reply(
    upper_layer: TestProgram | Programs, payload: bytes
) -> None:
    assert upper_layer.execute(payload) == []


@pytest.mark.parametrize("upper_layer", upper_layers())
def test_unknown_call_has_no_items_and_expects_an_error(
    upper_layer: TestProgram | Programs,
) -> None:
    call = rpc.encode_call(5, NUMBER + 1, 1, 0, b"anything")
    (reply,) = upper_layer.execute(call)

    assert upper_layer.arguments(call) == ()
    assert upper_layer.results(call, reply) == ()
    assert upper_layer.expectation(call) == ReplyExpectation(rpc.REPLY_MAXIMUM_LENGTH)


@pytest.mark.parametrize("upper_layer", upper_layers())
def test_arguments_with_octets_left_over_are_refused(upper_layer: TestProgram | Programs) -> None:
    call = testprog_calls.null(5) + b"more"

    for question in (upper_layer.arguments, upper_layer.expectation):
        with pytest.raises(DecodeError) as caught:
            question(call)
        assert (caught.value.reason, caught.value.offset) == (Reason.TRAILING, 40)


def test_reply_to_another_call_is_the_callers_mistake() -> None:
    with pytest.raises(LocalProtocolError, match="06 in the Reply to the Call with XID 0x00000005"):
        TestProgram().results(testprog_calls.fetch(5, 1), rpc.accepted(6))


def test_error_reply_has_no_slots() -> None:
    call = testprog_calls.fetch(5, 100)

    assert TestProgram().results(call, rpc.garbage_args(5)) == ()


def test_programs_choose_by_number_and_version() -> None:
    programs = Programs([TestProgram(), Nfs4Program(FileStore(()))])

    for call in (testprog_calls.null(5), nfs_null(5)):
        assert programs.execute(call) == [rpc.accepted(5)]


def test_mismatch_of_a_program_that_is_not_the_first_names_its_versions() -> None:
    programs = Programs([TestProgram(), Nfs4Program(FileStore(()))])

    reply = only_reply(programs, rpc.encode_call(5, 100003, 3, 0))

    assert reply == rpc.RpcReply(5, rpc.RpcOutcome.PROG_MISMATCH, (4, 4))


def test_programs_are_at_least_one() -> None:
    with pytest.raises(ValueError, match="at least one"):
        Programs([])


@pytest.mark.parametrize("upper_layer", upper_layers())
@pytest.mark.parametrize(
    "call", [testprog_calls.fetch_two(5, 1, 2), rpc.encode_call(5, NUMBER, VERSION + 1, 0)]
)
def test_call_of_one_operation_begins_with_itself(
    upper_layer: TestProgram | Programs, call: bytes
) -> None:
    """D-115; one that is not served has no results either."""
    assert upper_layer.origins(call) == ()


def test_programs_ask_the_one_that_a_call_is_for() -> None:
    """rtrext 7.4."""
    served = Nfs4Program(FileStore(()))
    call = compound(5, put_root(), read(0, 10))

    assert Programs([TestProgram(), served]).origins(call) == served.origins(call) != ()


def test_beginnings_of_arguments_that_cannot_be_decoded_are_an_error() -> None:
    """Whoever asks has results, and so arguments that were decoded."""
    with pytest.raises(DecodeError):
        TestProgram().origins(testprog_calls.fetch(5, 1)[:-4])
