from __future__ import annotations

import pytest

from rpcrdma.errors import DecodeError, LocalProtocolError
from rpcrdma.ulp import nfs4_callback, rpc
from rpcrdma.ulp.nfs4_callback import Nfs4Backchannel
from rpcrdma.ulp.nfs4_callback_program import CallbackProgram, CallbackSession
from rpcrdma.wire import _generated_nfs4 as wire
from rpcrdma.wire._generated_nfs4 import Status

PROGRAM = 0x40000123
SESSION = b"s" * 16
HANDLE = b"tree:5"
STATEID = wire.StateId(1, b"dlgt-0000007")


def backchannel(slots: int = 2, *security: wire.CallbackSecurity) -> Nfs4Backchannel:
    attributes = wire.ChannelAttributes(0, 1024, 1024, 0, 2, slots, ())
    return Nfs4Backchannel(SESSION, PROGRAM, attributes, security)


@pytest.fixture
def client() -> CallbackProgram:
    program = CallbackProgram(PROGRAM)
    program.sessions[SESSION] = CallbackSession.of(SESSION, 2)
    return program


def test_null_is_procedure_0_of_the_program_that_the_client_chose() -> None:
    header, end = rpc.decode_call(backchannel().null(5))

    assert (header.program, header.version, header.procedure) == (PROGRAM, 1, 0)
    assert end == len(backchannel().null(5))


def test_recall_reaches_the_client_behind_a_sequence(client: CallbackProgram) -> None:
    channel = backchannel()
    client.hold(STATEID, HANDLE)

    result = channel.take(*client.execute(channel.call(9, nfs4_callback.recall(STATEID, HANDLE))))

    assert result.status is Status.NFS4_OK
    assert [type(one) for one in result.resarray] == [wire.CbSequenceResult, wire.CbRecallResult]
    assert client.recalled == [nfs4_callback.recall(STATEID, HANDLE)]


def test_a_call_is_of_the_minor_version_of_its_session() -> None:
    attributes = wire.ChannelAttributes(0, 1024, 1024, 0, 2, 1, ())
    channel = Nfs4Backchannel(SESSION, PROGRAM, attributes, minor=2)
    call = channel.call(9)

    _, start = rpc.decode_call(call)

    arguments, _ = wire.decode_callback_compound_arguments(call, start)
    assert arguments.minorversion == 2


def test_each_call_takes_a_slot_until_its_reply(client: CallbackProgram) -> None:
    channel = backchannel(slots=1)
    first = channel.call(9)

    with pytest.raises(LocalProtocolError, match="all 1 slots"):
        channel.call(10)
    channel.take(*client.execute(first))

    assert channel.free_slots == 1
    assert channel.take(*client.execute(channel.call(11))).status is Status.NFS4_OK
    assert channel.sequences == [2]


def refusal(xid: int, status: Status) -> bytes:
    """The reply of a client that does not accept the CB_SEQUENCE."""
    results = (wire.CbSequenceResult(wire.CbSequenceFailed(status)),)
    result = wire.CallbackCompoundResult(status, b"", results)
    return rpc.accepted(xid, wire.encode_callback_compound_result(result))


@pytest.mark.parametrize("status", [Status.NFS4ERR_DELAY, Status.NFS4ERR_SEQ_MISORDERED])
def test_a_sequence_that_fails_leaves_its_slot_as_it_was(
    client: CallbackProgram, status: Status
) -> None:
    """RFC 5661 section 20.9.3: the client has not counted it either."""
    channel = backchannel(slots=1)
    channel.take(*client.execute(channel.call(8)))
    channel.call(9)

    refused = channel.take(refusal(9, status))

    assert nfs4_callback.put_off(refused) is (status is Status.NFS4ERR_DELAY)
    assert channel.take(*client.execute(channel.call(10))).status is Status.NFS4_OK
    assert channel.sequences == [2]


def test_what_was_executed_in_part_is_not_put_off(client: CallbackProgram) -> None:
    channel = backchannel()

    result = channel.take(*client.execute(channel.call(9, nfs4_callback.recall(STATEID, HANDLE))))

    assert result.status is Status.NFS4ERR_BAD_STATEID
    assert not nfs4_callback.put_off(result)
    assert channel.sequences == [1, 0]


def test_a_reply_that_nobody_waits_for_is_refused(client: CallbackProgram) -> None:
    channel = backchannel()
    (reply,) = client.execute(channel.call(9))
    channel.take(reply)

    with pytest.raises(LocalProtocolError, match="XID 9"):
        channel.take(reply)


def test_a_reply_without_results_frees_the_slot_and_is_refused() -> None:
    channel = backchannel(slots=1)
    channel.call(9)

    with pytest.raises(DecodeError):
        channel.take(rpc.garbage_args(9))

    assert channel.free_slots == 1


def test_octets_behind_the_results_are_refused(client: CallbackProgram) -> None:
    channel = backchannel()
    (reply,) = client.execute(channel.call(9))

    with pytest.raises(DecodeError, match="4 octets"):
        nfs4_callback.parse(reply + bytes(4))


def test_calls_carry_the_credential_that_the_client_offers() -> None:
    offer = wire.AuthSysParameters(3, "client", 1, 2, (4,))

    header, _ = rpc.decode_call(backchannel(1, wire.CallbackAuthNone(), offer).call(9))

    assert header.credential == rpc.auth_sys(1, 2, (4,), "client", 3)


def test_calls_carry_nothing_if_nothing_better_is_offered() -> None:
    header, _ = rpc.decode_call(backchannel(1, wire.CallbackAuthNone()).null(9))

    assert header.credential == rpc.AUTH_NONE


def test_callbacks_of_the_first_minor_version_have_an_identifier_and_no_sequence(
    client: CallbackProgram,
) -> None:
    client.hold(STATEID, HANDLE)
    recall = nfs4_callback.recall(STATEID, HANDLE, truncate=True)

    call = nfs4_callback.call(9, PROGRAM, recall, minor=0, identifier=7, tag=b"t")
    result = nfs4_callback.parse(*client.execute(call))

    assert result == wire.CallbackCompoundResult(
        Status.NFS4_OK, b"t", (wire.CbRecallResult(Status.NFS4_OK),)
    )
    assert client.recalled[0].truncate
