from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.errors import DecodeError, EncodeError, Reason
from rpcrdma.ulp import rpc
from rpcrdma.wire import rpc as wire

words = st.integers(0, 2**32 - 1)
authentications = st.builds(rpc.Authentication, words, st.binary(max_size=400))
calls = st.builds(rpc.RpcCall, words, words, words, words, authentications, authentications, words)
WITH_VERSIONS = {rpc.RpcOutcome.PROG_MISMATCH, rpc.RpcOutcome.RPC_MISMATCH}
REJECTED = {rpc.RpcOutcome.RPC_MISMATCH, rpc.RpcOutcome.AUTH_ERROR}


@st.composite
def replies(draw: st.DrawFn) -> rpc.RpcReply:
    outcome = draw(st.sampled_from(rpc.RpcOutcome))
    return rpc.RpcReply(
        draw(words),
        outcome,
        versions=draw(st.tuples(words, words)) if outcome in WITH_VERSIONS else (0, 0),
        auth_status=draw(words) if outcome is rpc.RpcOutcome.AUTH_ERROR else 0,
        verifier=rpc.AUTH_NONE if outcome in REJECTED else draw(authentications),
    )


@given(calls, st.binary(max_size=20))
def test_call_comes_back_with_the_offset_of_its_arguments(
    call: rpc.RpcCall, arguments: bytes
) -> None:
    payload = rpc.encode_call(
        call.xid,
        call.program,
        call.version,
        call.procedure,
        arguments,
        credential=call.credential,
        verifier=call.verifier,
        rpc_version=call.rpc_version,
    )

    decoded, offset = rpc.decode_call(payload)

    assert decoded == call
    assert payload[offset:] == arguments


@given(replies(), st.binary(max_size=20))
def test_reply_comes_back_with_the_offset_of_its_results(
    reply: rpc.RpcReply, results: bytes
) -> None:
    payload = rpc.encode_reply(reply, results)

    decoded, offset = rpc.decode_reply(payload)

    assert decoded == reply
    assert payload[offset:] == results


def test_null_call_is_40_octets() -> None:
    call = rpc.encode_call(0x01020304, 100003, 4, 0)

    assert call == bytes.fromhex("01020304 00000000 00000002 000186a3 00000004 00000000") + bytes(
        16
    )


def test_header_lengths_are_what_the_constants_say() -> None:
    plain = [
        rpc.accepted(1),
        rpc.garbage_args(1),
        rpc.program_unavailable(1),
        rpc.procedure_unavailable(1),
        rpc.system_error(1),
        rpc.rpc_mismatch(1),
        rpc.auth_error(1, 2),
    ]

    assert len(rpc.accepted(1)) == rpc.REPLY_HEADER_LENGTH
    assert max(map(len, plain)) < rpc.REPLY_MAXIMUM_LENGTH
    assert len(rpc.program_mismatch(1, 2, 3)) == rpc.REPLY_MAXIMUM_LENGTH


@pytest.mark.parametrize(
    ("payload", "outcome"),
    [
        (rpc.accepted(1), rpc.RpcOutcome.SUCCESS),
        (rpc.garbage_args(1), rpc.RpcOutcome.GARBAGE_ARGS),
        (rpc.program_unavailable(1), rpc.RpcOutcome.PROG_UNAVAIL),
        (rpc.program_mismatch(1, 2, 3), rpc.RpcOutcome.PROG_MISMATCH),
        (rpc.procedure_unavailable(1), rpc.RpcOutcome.PROC_UNAVAIL),
        (rpc.system_error(1), rpc.RpcOutcome.SYSTEM_ERR),
        (rpc.rpc_mismatch(1), rpc.RpcOutcome.RPC_MISMATCH),
        (rpc.auth_error(1, 5), rpc.RpcOutcome.AUTH_ERROR),
    ],
)
def test_each_reply_has_its_outcome(payload: bytes, outcome: rpc.RpcOutcome) -> None:
    reply, end = rpc.decode_reply(payload)

    assert reply.outcome is outcome
    assert reply.succeeded == (outcome is rpc.RpcOutcome.SUCCESS)
    assert end == len(payload)


def test_rpc_mismatch_says_version_2_unless_told_otherwise() -> None:
    reply, _ = rpc.decode_reply(rpc.rpc_mismatch(7))

    assert reply.versions == (2, 2)


@pytest.mark.parametrize("length", range(40))
def test_cut_call_header_is_truncated(length: int) -> None:
    with pytest.raises(DecodeError) as caught:
        rpc.decode_call(rpc.encode_call(1, 2, 3, 4)[:length])

    assert caught.value.reason is Reason.TRUNCATED


def test_call_and_reply_are_not_taken_for_each_other() -> None:
    with pytest.raises(DecodeError) as reply_as_call:
        rpc.decode_call(rpc.accepted(1))
    with pytest.raises(DecodeError) as call_as_reply:
        rpc.decode_reply(rpc.encode_call(1, 2, 3, 4))

    for caught in (reply_as_call, call_as_reply):
        assert (caught.value.reason, caught.value.offset) == (Reason.BAD_DISCRIMINANT, 4)


def test_credential_over_400_octets_cannot_be_sent() -> None:
    with pytest.raises(EncodeError, match="body"):
        rpc.encode_call(1, 2, 3, 4, credential=rpc.Authentication(1, bytes(401)))


def test_auth_sys_carries_user_and_groups() -> None:
    credential = rpc.auth_sys(1000, 100, (4, 5), machine="lab", stamp=9)

    decoded, _ = wire.decode_auth_sys(credential.body)

    assert credential.flavor == rpc.AUTH_SYS_FLAVOR
    assert decoded == wire.AuthSys(9, "lab", 1000, 100, (4, 5))


def test_auth_sys_with_17_groups_cannot_be_sent() -> None:
    with pytest.raises(EncodeError, match="gids"):
        rpc.auth_sys(0, 0, tuple(range(17)))
