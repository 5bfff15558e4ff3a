"""Which ends of an act the oracle allows, by what was sent while it ran."""

from __future__ import annotations

import pytest

from conformance.oracle.requester.expectation import Reaction, ReactionExpectation, may_react
from conformance.tester.server.served import ServedAct
from targets.base import ActState

ANY = "rfc8166.4.5.error-completes-the-rpc"


def sent(*reactions: Reaction, warned: Reaction | None = None) -> ReactionExpectation:
    """A message about which a client may do one of these."""
    allowed = [may_react(one, ANY, 1) for one in reactions]
    if warned is not None:
        allowed.append(may_react(warned, ANY, 1, warning=True))
    return ReactionExpectation("", tuple(allowed), 7)


GOOD = sent(Reaction.COMPLETED)
ERROR = sent(Reaction.FAILED)
DROPPED = sent(Reaction.WAITING)
EITHER = sent(Reaction.WAITING, Reaction.FAILED)


@pytest.mark.parametrize(
    ("messages", "allowed"),
    [
        ((), {True}),
        ((GOOD, DROPPED, GOOD), {True}),
        ((GOOD, ERROR), {False}),
        ((EITHER, GOOD), {True, False}),
        ((sent(Reaction.COMPLETED, Reaction.CLOSED),), {True, False}),
        ((sent(Reaction.WAITING, warned=Reaction.CLOSED), GOOD), {True}),
        ((sent(Reaction.FAILED, warned=Reaction.COMPLETED),), {True, False}),
    ],
)
def test_ends_follow_from_what_may_become_of_the_calls(
    messages: tuple[ReactionExpectation, ...], allowed: set[bool]
) -> None:
    assert ServedAct(ActState.DONE, sent=messages).allowed == allowed


def test_an_act_that_went_on_after_a_refusal_may_end_either_way() -> None:
    assert ServedAct(ActState.DONE, sent=(ERROR, GOOD), went_on=True).allowed == {True, False}


def test_each_end_that_is_accepted_is_noted() -> None:
    act = ServedAct(ActState.FAILED, "so it is")
    assert act.accepted == set()

    act.takes(done=False)

    assert act.accepted == {False}
    assert str(act) == "failed (so it is)"
