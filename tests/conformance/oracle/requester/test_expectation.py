"""Reactions compared with what is allowed."""

from __future__ import annotations

import pytest

from conformance.oracle.requester.expectation import Reaction, ReactionExpectation, together
from conformance.oracle.verdict import Alternative
from reports.record import Verdict

DROPPED = Alternative(Reaction.WAITING, ("one",), ("D-28",))
FAILED = Alternative(Reaction.FAILED, ("two",))
CLOSED = Alternative(Reaction.CLOSED, ("three",), ("D-64",), warning=True)
DONE = Alternative(Reaction.COMPLETED, ("four",))


@pytest.mark.parametrize(
    ("allowed", "may_end", "must_end"),
    [((DROPPED,), False, False), ((DROPPED, FAILED), True, False), ((FAILED, DONE), True, True)],
)
def test_call_may_or_must_be_over(
    allowed: tuple[Alternative[Reaction], ...], *, may_end: bool, must_end: bool
) -> None:
    expectation = ReactionExpectation("", allowed, 1)

    assert (expectation.may_end, expectation.must_end) == (may_end, must_end)


def test_reaction_that_is_not_allowed_fails_by_the_first_alternative() -> None:
    judgement = ReactionExpectation("a fault", (DROPPED, FAILED)).judge(Reaction.COMPLETED)

    assert judgement.verdict is Verdict.FAIL
    assert judgement.violated == ("one",)
    assert judgement.interpretations == ("D-28",)
    assert judgement.reason == (
        "a fault: expected that the Call stays as it is; or the Call ends with an error;"
        " the Call completes"
    )


def test_tolerated_reaction_warns() -> None:
    judgement = ReactionExpectation("a fault", (FAILED, CLOSED)).judge(Reaction.CLOSED)

    assert (judgement.verdict, judgement.violated) == (Verdict.WARN, ("three",))


@pytest.mark.parametrize(
    ("delivered", "verdict", "reason"),
    [
        (b"right", Verdict.PASS, ""),
        (None, Verdict.PASS, ""),
        (b"wrong", Verdict.FAIL, "octet 0 of the Reply that was delivered is 0x77"),
        (b"righ", Verdict.FAIL, "the Reply that was delivered has 4 octets instead of 5"),
    ],
)
def test_completion_delivers_the_right_octets(
    delivered: bytes | None, verdict: Verdict, reason: str
) -> None:
    expectation = ReactionExpectation("", (DONE,), 1, b"right")
    judgement = expectation.judge(Reaction.COMPLETED, delivered)

    assert (judgement.verdict, judgement.reason) == (verdict, reason)


def test_several_things_at_once_allow_what_each_of_them_allows() -> None:
    first = ReactionExpectation("a fault", (Alternative(Reaction.WAITING, ("a",)),))
    last = ReactionExpectation("", (Alternative(Reaction.COMPLETED, ("b",)),), 7)

    found = together([first, last])

    assert found.allowed == (*last.allowed, *first.allowed)
    assert (found.fault, found.xid) == ("a fault", 7)
    assert together([last]) == last
