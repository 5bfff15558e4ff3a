from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.errors import DecodeError, LocalProtocolError
from rpcrdma.ulp import gss, rpc
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.gss_mechanism import accept
from rpcrdma.ulp.testprog import TestProgram, hold_reply
from rpcrdma.wire import _generated_gss as wire
from rpcrdma.wire._generated_gss import GssService
from rpcrdma.wire.rpc import AuthStatus

CheckBinding = Callable[[TestProgram, bytes, bytes], None]

XID = 77
CONTEXT = accept(b"token")
NONE, INTEGRITY, PRIVACY = GssService
WRAPPED = [INTEGRITY, PRIVACY]
PLAIN = st.one_of(
    st.builds(calls.null, st.just(XID)),
    st.builds(calls.store, st.just(XID), st.binary(max_size=100)),
    st.builds(calls.fetch_union, st.just(XID), st.none() | st.integers(0, 99), st.just(7)),
    st.builds(calls.exchange, st.just(XID), st.binary(max_size=100)),
    st.builds(calls.long_reply, st.just(XID), st.integers(0, 100)),
)


def under(service: GssService, plain: bytes, sequence: int = 5) -> bytes:
    return gss.protect_call(plain, CONTEXT, service, sequence)


def about_context(procedure: wire.GssProcedure) -> bytes:
    """A good call of another procedure of RPCSEC_GSS than DATA."""
    credential = wire.GssCredential(1, procedure, 5, NONE, CONTEXT.handle)
    flavor = rpc.Authentication(gss.FLAVOR, wire.encode_gss_credential(credential))
    signed = rpc.encode_call(XID, 0x20008166, 1, 0, credential=flavor)[:-8]
    verifier = rpc.Authentication(gss.FLAVOR, CONTEXT.mic(signed))
    return rpc.encode_call(XID, 0x20008166, 1, 0, credential=flavor, verifier=verifier)


@given(PLAIN, st.sampled_from(GssService))
def test_binding_holds_for_every_service(
    check_binding: CheckBinding, plain: bytes, service: GssService
) -> None:
    program = TestProgram()
    call = under(service, plain)
    (reply,) = program.execute(call)

    check_binding(program, call, reply)


@given(PLAIN, st.sampled_from(GssService))
def test_reply_is_that_of_the_call_without_protection(plain: bytes, service: GssService) -> None:
    call = under(service, plain)
    found = gss.decode_gss_call(call)
    assert found is not None

    (reply,) = TestProgram().execute(call)

    assert reply == gss.protect_reply(found, TestProgram().execute(plain)[0])


@given(PLAIN)
def test_binding_under_authentication_is_as_without(plain: bytes) -> None:
    program = TestProgram()
    call = under(NONE, plain)

    lengths = [item.length for item in program.arguments(plain)]

    assert [item.length for item in program.arguments(call)] == lengths
    without, within = program.expectation(plain), program.expectation(call)
    assert (within.items, within.exact) == (without.items, without.exact)
    assert within.maximum == without.maximum + gss.VERIFIER_LENGTH


@pytest.mark.parametrize("service", WRAPPED)
def test_nothing_is_eligible_under_integrity_or_privacy(service: GssService) -> None:
    program = TestProgram()
    call = under(service, calls.exchange(XID, bytes(100)))

    assert program.arguments(call) == ()
    assert program.results(call, program.execute(call)[0]) == ()
    assert program.expectation(call).items == ()
    assert program.origins(call) == ()


@pytest.mark.parametrize("service", WRAPPED)
def test_reply_to_another_call_has_no_results(service: GssService) -> None:
    call = under(service, calls.null(XID))

    with pytest.raises(LocalProtocolError):
        TestProgram().results(call, rpc.accepted(XID + 1))


@pytest.mark.parametrize("service", WRAPPED)
def test_call_that_was_not_protected_as_it_says_is_garbage(service: GssService) -> None:
    call = bytearray(under(service, calls.store(XID, bytes(8))))
    call[-12] ^= 1

    (reply,) = TestProgram().execute(bytes(call))

    answered, _ = rpc.decode_reply(reply)
    assert answered.outcome is rpc.RpcOutcome.GARBAGE_ARGS
    with pytest.raises(DecodeError):
        TestProgram().arguments(bytes(call))
    with pytest.raises(DecodeError):
        TestProgram().expectation(bytes(call))


def test_arguments_that_cannot_be_decoded_are_none_under_protection_either() -> None:
    call = under(INTEGRITY, calls.store(XID, bytes(8))[:-4])

    with pytest.raises(DecodeError):
        TestProgram().arguments(call)


def test_context_is_given_out_and_has_no_eligible_item(check_binding: CheckBinding) -> None:
    program = TestProgram()
    call = calls.gss_init(XID, b"token")

    (reply,) = program.execute(call)

    assert gss.established(reply) == CONTEXT
    check_binding(program, call, reply)
    assert program.arguments(call) == ()
    assert program.expectation(call).maximum == len(reply)


def test_context_without_token_is_garbage() -> None:
    assert TestProgram().execute(calls.gss_init(XID, b"")[:-4]) == [rpc.garbage_args(XID)]


def test_one_exchange_makes_a_context() -> None:
    call = about_context(wire.GssProcedure.RPCSEC_GSS_CONTINUE_INIT)

    refusal = rpc.auth_error(XID, AuthStatus.RPCSEC_GSS_CREDPROBLEM)
    assert TestProgram().execute(call) == [refusal]


def test_end_of_a_context_is_answered_and_ends_nothing() -> None:
    program = TestProgram()

    (reply,) = program.execute(about_context(wire.GssProcedure.RPCSEC_GSS_DESTROY))

    answered, start = rpc.decode_reply(reply)
    assert (answered.succeeded, start) == (True, len(reply))
    assert program.execute(under(NONE, calls.null(XID)))


def refused(call: bytes) -> int:
    """The status by which a call is rejected, which has no item."""
    program = TestProgram()
    (reply,) = program.execute(call)
    answered, _ = rpc.decode_reply(reply)
    assert answered.outcome is rpc.RpcOutcome.AUTH_ERROR
    assert program.arguments(call) == ()
    assert len(reply) <= program.expectation(call).maximum
    return answered.auth_status


def test_context_that_nobody_gave_out_is_refused() -> None:
    unknown = type(CONTEXT)(b"unknown")
    call = gss.protect_call(calls.store(XID, b"octets"), unknown, NONE, 1)

    assert refused(call) == AuthStatus.RPCSEC_GSS_CREDPROBLEM


def test_header_that_was_changed_is_refused() -> None:
    call = bytearray(under(NONE, calls.store(XID, b"octets")))
    call[23] ^= 1

    assert refused(bytes(call)) == AuthStatus.RPCSEC_GSS_CREDPROBLEM


def test_credential_that_cannot_be_decoded_is_refused() -> None:
    flavor = rpc.Authentication(gss.FLAVOR, bytes(4))

    assert refused(rpc.encode_call(XID, 0x20008166, 1, 0, credential=flavor)) == (
        AuthStatus.AUTH_BADCRED
    )


def test_sequence_number_beyond_the_last_is_refused() -> None:
    call = under(NONE, calls.null(XID), wire.RPCSEC_GSS_MAXSEQ)

    answered, _ = rpc.decode_reply(TestProgram().execute(call)[0])

    assert answered.auth_status == AuthStatus.RPCSEC_GSS_CTXPROBLEM


def test_version_of_rpc_comes_before_its_credential() -> None:
    flavor = rpc.Authentication(gss.FLAVOR, b"")
    call = rpc.encode_call(XID, 0x20008166, 1, 0, credential=flavor, rpc_version=3)

    assert TestProgram().execute(call) == [rpc.rpc_mismatch(XID)]


def test_call_whose_header_is_cut_gets_no_reply() -> None:
    assert TestProgram().execute(under(NONE, calls.null(XID))[:40]) == []


@pytest.mark.parametrize("service", list(GssService))
def test_held_call_is_answered_under_its_own_protection(service: GssService) -> None:
    program = TestProgram()
    hold = under(service, calls.hold(XID, 9))

    assert program.execute(hold) == []
    own, late = program.execute(calls.release(XID + 1, 9))

    assert rpc.decode_reply(own)[0].verifier == rpc.AUTH_NONE
    found = gss.decode_gss_call(hold)
    assert found is not None
    assert late == gss.protect_reply(found, hold_reply(XID, 9)) == calls.expected_reply(hold)


def test_it_is_the_program_that_it_is_made_of() -> None:
    assert (TestProgram().number, TestProgram().version) == (0x20008166, 1)
