"""A Reply that is dropped, and what else is let pass."""

from __future__ import annotations

import pytest

from conformance.oracle.requester.dropped import bad_header, dropped_short, dropped_unknown
from conformance.oracle.requester.expectation import Reaction
from conformance.oracle.requester.state import OutstandingCall

CALL = OutstandingCall(7)


def test_what_is_too_short_leaves_its_call_as_it_is() -> None:
    found = dropped_short(bytes(27), 1)

    assert (found.fault, [item.kind for item in found.allowed]) == (
        "27 octets only",
        [Reaction.WAITING],
    )
    assert found.allowed[0].readings == ("D-10",)


def test_a_reply_to_no_call_is_dropped() -> None:
    assert [item.kind for item in dropped_unknown("no Call", 1).allowed] == [Reaction.WAITING]
    assert [item.kind for item in bad_header("bad", None, 1).allowed] == [Reaction.WAITING]


@pytest.mark.parametrize(
    ("tells_itself", "warned"),
    [(True, {Reaction.FAILED, Reaction.CLOSED}), (False, {Reaction.CLOSED})],
)
def test_failing_the_call_over_a_bad_header_warns_unless_it_only_does_not_fit(
    tells_itself: object, warned: set[Reaction]
) -> None:
    found = bad_header("bad", CALL, 1, tells_itself=bool(tells_itself))

    assert [item.kind for item in found.allowed] == [
        Reaction.WAITING,
        Reaction.FAILED,
        Reaction.CLOSED,
    ]
    assert {item.kind for item in found.allowed if item.warning} == warned


def test_rules_that_the_header_breaks_are_named_after_the_one_about_bad_headers() -> None:
    found = bad_header("bad", CALL, 1, rules=("rfc8166.4.3.1.read-list-empty-in-replies",))

    assert found.allowed[0].ids == (
        "rfc8166.4.5.bad-reply-header-discarded",
        "rfc8166.4.3.1.read-list-empty-in-replies",
    )
