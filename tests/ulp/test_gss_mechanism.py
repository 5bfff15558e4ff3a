from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.ulp.gss_context import HANDLE_LENGTH, Accepted
from rpcrdma.ulp.gss_mechanism import MIC_LENGTH, MOCK, MockInitiator, accept, context_of

CONTEXT = accept(b"token")


def test_handle_tells_its_context() -> None:
    assert context_of(CONTEXT.handle) == CONTEXT
    assert accept(b"token") == CONTEXT
    assert accept(b"another") != CONTEXT


@pytest.mark.parametrize(
    "handle",
    [b"", bytes(16), CONTEXT.handle[:-1], CONTEXT.handle + b"\0", b"\1" + CONTEXT.handle[1:]],
)
def test_handle_that_was_not_given_out_is_none(handle: bytes) -> None:
    assert context_of(handle) is None


def test_a_server_gives_the_context_and_a_token_as_long_as_it_says() -> None:
    given = MOCK.accept(b"token")

    assert given == Accepted(CONTEXT, CONTEXT.mic(b"token"))
    assert (len(CONTEXT.handle), len(given.token)) == (HANDLE_LENGTH, MOCK.token_length)
    assert MOCK.context_of(CONTEXT.handle) == CONTEXT
    assert MOCK.context_of(b"") is None
    assert MOCK.mic_length == len(CONTEXT.mic(b"octets"))
    assert MOCK.seal_length == len(CONTEXT.wrap(1, b""))


def test_a_client_has_the_context_by_the_handle() -> None:
    initiator = MockInitiator(b"token")
    begun = initiator.begin()

    given = initiator.mechanism.accept(begun.token)

    assert begun.finish(given.context.handle, given.token) == CONTEXT


def test_checksum_is_of_the_context_and_of_the_octets() -> None:
    assert len(CONTEXT.mic(b"octets")) == MIC_LENGTH
    assert CONTEXT.mic(b"octets") != CONTEXT.mic(b"others")
    assert CONTEXT.mic(b"octets") != accept(b"another").mic(b"octets")


@given(st.integers(0, 2**32 - 1), st.binary(max_size=200))
def test_what_was_wrapped_is_unwrapped(sequence: int, octets: bytes) -> None:
    sealed = CONTEXT.wrap(sequence, octets)

    assert len(sealed) == len(octets) + MIC_LENGTH
    assert CONTEXT.unwrap(sequence, sealed) == octets


def test_wrapped_octets_do_not_show() -> None:
    assert b"a long text" not in CONTEXT.wrap(1, b"a long text")


@pytest.mark.parametrize(
    "sealed", [b"", b"short", CONTEXT.wrap(2, b"x"), CONTEXT.wrap(1, b"x")[1:]]
)
def test_what_was_wrapped_otherwise_is_refused(sealed: bytes) -> None:
    with pytest.raises(DecodeError) as caught:
        CONTEXT.unwrap(1, sealed)

    assert (caught.value.reason, caught.value.path) == (Reason.BAD_CHECKSUM, "databody_priv")
