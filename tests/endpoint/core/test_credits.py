"""Credits: how many Calls may be in flight, and what a Reply grants (rfc8166 3.3.1, 3.3.3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.endpoint.core.credits import Allowance, grant
from rpcrdma.errors import LocalProtocolError

WORDS = st.integers(0, 2**32 - 1)


def test_one_call_goes_out_before_the_first_reply() -> None:
    allowance = Allowance(requested=32)

    assert [allowance.try_take(1), allowance.try_take(1)] == [True, False]


@pytest.mark.parametrize(("granted", "limit"), [(8, 8), (32, 32), (100, 32), (1, 1)])
def test_calls_in_flight_are_what_is_granted_but_never_more_than_was_asked_for(
    granted: int, limit: int
) -> None:
    allowance = Allowance(requested=32)

    allowance.granted_by_reply(granted)

    assert sum(allowance.try_take(1) for _ in range(200)) == limit == allowance.outstanding


def test_a_grant_of_zero_does_not_stop_the_connection() -> None:
    """rfc8166 3.3.1 forbids it; D-17."""
    allowance = Allowance(requested=32)

    allowance.granted_by_reply(0)

    assert allowance.limit == 1


def test_a_smaller_grant_waits_until_calls_have_ended() -> None:
    allowance = Allowance(requested=2, granted=2)
    assert allowance.try_take(1)
    assert allowance.try_take(1)

    allowance.granted_by_reply(1)
    allowance.give_back(1)
    assert not allowance.try_take(1)
    allowance.give_back(1)

    assert allowance.try_take(1)


def test_a_call_of_several_sends_takes_a_credit_for_each() -> None:
    """rtrext 4.3; it goes out whole or not at all."""
    allowance = Allowance(requested=4, granted=4)

    assert [allowance.try_take(3), allowance.try_take(2), allowance.try_take(1)] == [
        True,
        False,
        True,
    ]
    allowance.give_back(3)

    assert allowance.outstanding == 1


def test_more_cannot_be_given_back_than_was_taken() -> None:
    with pytest.raises(LocalProtocolError, match="no call is in flight"):
        Allowance(requested=1).give_back(1)


@pytest.mark.parametrize("requested", [0, 2**32])
def test_a_number_that_no_message_can_state_is_not_requested(requested: int) -> None:
    with pytest.raises(LocalProtocolError, match="cannot be requested"):
        Allowance(requested)


@given(WORDS, st.integers(0, 4096))
def test_a_grant_is_neither_zero_nor_more_than_is_asked_for_or_posted(
    requested: int, posted: int
) -> None:
    given_out = grant(requested, posted)

    assert given_out >= 1
    assert given_out <= max(1, requested)
    assert given_out <= max(1, posted)
