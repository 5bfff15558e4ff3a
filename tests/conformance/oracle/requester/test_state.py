"""What a Requester may believe of its credits, and what it may not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from conformance.oracle.requester.state import CreditView, OutstandingCall, RequesterState

GRANTS = st.integers(1, 5)


def test_first_call_needs_no_grant() -> None:
    assert CreditView(0).headroom == 1
    assert CreditView(1).headroom == 0


def test_view_with_no_more_headroom_than_a_later_one_is_forgotten() -> None:
    state = RequesterState(views=(CreditView(3, 8),))

    assert state.with_view(CreditView(2, 8)).views == (CreditView(2, 8),)
    assert state.with_view(CreditView(2, 4)).views == (CreditView(3, 8), CreditView(2, 4))


@given(st.lists(st.one_of(st.just(0), GRANTS), max_size=14))
def test_views_allow_just_what_some_moment_of_arrival_allows(script: list[int]) -> None:
    """0 is a Call that arrives, any other number a Reply with that grant that goes out.

    A Call is right if there is a moment at which the Requester, having seen the Replies up to one
    of those sent so far, might have sent it; what it has seen at one Call it has seen at the next.
    """
    state = RequesterState(views=(CreditView(0, 2),))
    replies: list[int] = []  # grants
    calls, seen = 0, 0
    for word in script:
        if word:
            if len(replies) < calls:
                newest = state.views[-1]
                replies.append(word)
                state = state.with_view(CreditView(newest.in_flight - 1, word))
            continue
        possible = [
            moment
            for moment in range(seen, len(replies) + 1)
            if calls - moment < ([2, *replies][moment])
        ]
        allowed = any(view.headroom >= 1 for view in state.views)
        assert allowed == bool(possible)
        if not possible:
            return
        seen = possible[0]
        calls += 1
        state = state.with_call(OutstandingCall(calls), 8)
