from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.errors import DecodeError, LocalProtocolError, Reason
from rpcrdma.ulp import gss, rpc
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.gss_mechanism import MockMechanism, accept
from rpcrdma.wire import _generated_gss as wire
from rpcrdma.wire._generated_gss import GssService

XID = 77
CONTEXT = accept(b"token")
NONE, INTEGRITY, PRIVACY = GssService
SERVICES = st.sampled_from(GssService)
PLAIN = calls.store(XID, b"octets")


def protected(service: GssService, plain: bytes = PLAIN) -> gss.GssCall:
    found = gss.decode_gss_call(gss.protect_call(plain, CONTEXT, service, 5))
    assert found is not None
    return found


@given(SERVICES, st.binary(max_size=100))
def test_a_protected_call_is_what_it_was(service: GssService, data: bytes) -> None:
    plain = calls.store(XID, data)

    call = protected(service, plain)

    assert (call.is_data, call.service, call.credential.seq_num) == (True, service, 5)
    assert call.is_wrapped is (service is not NONE)
    assert call.context == CONTEXT
    assert call.unprotected() == plain


@given(SERVICES, st.binary(max_size=100))
def test_protected_arguments_are_as_long_as_is_said(service: GssService, data: bytes) -> None:
    plain = calls.store(XID, data)
    _, start = rpc.decode_call(plain)

    call = protected(service, plain)

    size = gss.protected_size(service, len(plain) - start)
    assert len(call.octets) - call.start == size


def test_integrity_is_the_sequence_number_and_the_arguments_and_their_checksum() -> None:
    call = protected(INTEGRITY)

    data, end = wire.decode_gss_integrity_data(call.octets, call.start)

    assert end == len(call.octets)
    assert data.databody_integ == (5).to_bytes(4) + PLAIN[40:]
    assert data.checksum == CONTEXT.mic(data.databody_integ)


def test_privacy_does_not_show_the_arguments() -> None:
    assert b"octets" in protected(INTEGRITY).octets
    assert b"octets" not in protected(PRIVACY).octets


def test_verifier_is_of_all_that_stands_before_it() -> None:
    call = protected(NONE)
    octets = bytearray(call.octets)
    octets[23] ^= 1  # the procedure

    changed = gss.decode_gss_call(bytes(octets))

    assert call.header.verifier.body == CONTEXT.mic(call.octets[: call.start - 40])
    assert changed is not None
    assert changed.context is None


@pytest.mark.parametrize("service", [INTEGRITY, PRIVACY])
def test_arguments_that_were_changed_are_refused(service: GssService) -> None:
    octets = bytearray(protected(service).octets)
    octets[-12] ^= 1
    changed = gss.decode_gss_call(bytes(octets))
    assert changed is not None

    with pytest.raises(DecodeError) as caught:
        changed.unprotected()

    assert caught.value.reason is Reason.BAD_CHECKSUM


def test_context_that_nobody_gave_out_opens_nothing() -> None:
    unknown = type(CONTEXT)(b"unknown")
    call = gss.decode_gss_call(gss.protect_call(PLAIN, unknown, INTEGRITY, 5))
    assert call is not None

    for act in (call.unprotected, lambda: gss.protect_reply(call, rpc.accepted(XID))):
        with pytest.raises(LocalProtocolError, match="has no context"):
            act()


class Salted(MockMechanism):
    """Whose checksums are longer than a word has octets, and of no whole number of words."""

    mic_length = 33
    seal_length = 30


@pytest.mark.parametrize(("service", "size"), [(NONE, 8), (INTEGRITY, 56), (PRIVACY, 48)])
def test_sizes_are_those_of_the_mechanism(service: GssService, size: int) -> None:
    assert gss.protected_size(service, 8, Salted()) == size
    assert gss.decode_gss_call(PLAIN, Salted()) is None


@pytest.mark.parametrize("service", [INTEGRITY, PRIVACY])
def test_octets_after_what_is_protected_are_refused(service: GssService) -> None:
    longer = gss.decode_gss_call(protected(service).octets + bytes(4))
    assert longer is not None

    with pytest.raises(DecodeError) as caught:
        longer.unprotected()

    assert caught.value.reason is Reason.TRAILING


def test_body_of_another_sequence_number_is_refused() -> None:
    call = protected(INTEGRITY)
    other = gss.protect_call(PLAIN, CONTEXT, INTEGRITY, 6)
    mixed = gss.decode_gss_call(call.octets[: call.start] + other[call.start :])
    assert mixed is not None

    with pytest.raises(DecodeError) as caught:
        mixed.unprotected()

    assert caught.value.path == "seq_num"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        bytes(20),
        wire.encode_gss_credential(wire.GssCredential(2, wire.GssProcedure(0), 1, NONE, b"")),
        wire.encode_gss_credential(wire.GssCredential(1, wire.GssProcedure(0), 1, NONE, b""))
        + bytes(4),
    ],
    ids=["empty", "zeros", "version-two", "longer"],
)
def test_credential_that_is_none_is_not_known(body: bytes) -> None:
    call = rpc.encode_call(XID, 1, 1, 1, credential=rpc.Authentication(gss.FLAVOR, body))

    assert gss.is_gss(call)
    assert gss.decode_gss_call(call) is None


def test_call_of_another_flavor_is_not_protected() -> None:
    assert not gss.is_gss(PLAIN)
    assert not gss.is_gss(PLAIN[:24])
    assert gss.decode_gss_call(PLAIN) is None


def test_context_is_given_for_a_token() -> None:
    call = gss.decode_gss_call(calls.gss_init(XID, b"token"))
    assert call is not None
    assert not call.is_data

    reply = gss.init_reply(call)

    assert gss.established(reply) == CONTEXT
    answered, start = rpc.decode_reply(reply)
    assert answered.verifier.body == CONTEXT.mic(gss.WINDOW.to_bytes(4))
    results, _ = wire.decode_gss_init_result(reply, start)
    assert (results.gss_major, results.seq_window) == (wire.GSS_S_COMPLETE, gss.WINDOW)


def test_token_with_something_after_it_is_refused() -> None:
    call = gss.decode_gss_call(calls.gss_init(XID, b"token") + bytes(4))
    assert call is not None

    with pytest.raises(DecodeError) as caught:
        gss.init_reply(call)

    assert caught.value.reason is Reason.TRAILING


def test_an_error_gives_no_context() -> None:
    with pytest.raises(DecodeError, match="authentication failed"):
        gss.established(rpc.auth_error(XID, 1))


@given(SERVICES, st.binary(max_size=50).map(lambda data: data + bytes(-len(data) % 4)))
def test_reply_has_the_verifier_and_the_service_of_its_call(
    service: GssService, results: bytes
) -> None:
    call = protected(service)

    reply = gss.protect_reply(call, rpc.accepted(XID, results))

    answered, start = rpc.decode_reply(reply)
    assert answered.verifier == rpc.Authentication(gss.FLAVOR, CONTEXT.mic((5).to_bytes(4)))
    assert len(reply) - start == gss.protected_size(service, len(results))


@given(SERVICES, st.binary(max_size=50).map(lambda data: data + bytes(-len(data) % 4)))
def test_a_protected_reply_is_what_it_was(service: GssService, results: bytes) -> None:
    call = protected(service)

    for plain in (rpc.accepted(XID, results), rpc.garbage_args(XID), rpc.auth_error(XID, 13)):
        assert gss.unprotect_reply(call, gss.protect_reply(call, plain)) == plain


def test_reply_whose_verifier_is_of_another_call_is_refused() -> None:
    other = gss.decode_gss_call(gss.protect_call(PLAIN, CONTEXT, NONE, 6))
    assert other is not None

    for reply in (gss.protect_reply(other, rpc.accepted(XID)), rpc.accepted(XID)):
        with pytest.raises(DecodeError) as caught:
            gss.unprotect_reply(protected(NONE), reply)
        assert caught.value.path == "verifier"


@pytest.mark.parametrize(("major", "more"), [(851968, b""), (0, bytes(4))])
def test_results_that_give_no_context_are_refused(major: int, more: bytes) -> None:
    results = wire.GssInitResult(b"handle", major, 0, 1, b"token")

    with pytest.raises(DecodeError) as caught:
        gss.given(rpc.accepted(XID, wire.encode_gss_init_result(results) + more))

    assert caught.value.path == ("gss_major" if major else "results")


@pytest.mark.parametrize("reply", [rpc.rpc_mismatch(XID), rpc.auth_error(XID, 13)])
def test_rejection_has_no_verifier(reply: bytes) -> None:
    assert gss.protect_reply(protected(INTEGRITY), reply) == reply


def test_accepted_error_has_a_verifier_and_nothing_to_protect() -> None:
    reply = gss.protect_reply(protected(INTEGRITY), rpc.garbage_args(XID))

    answered, start = rpc.decode_reply(reply)

    assert answered.outcome is rpc.RpcOutcome.GARBAGE_ARGS
    assert (len(answered.verifier.body), start) == (gss.VERIFIER_LENGTH, len(reply))
