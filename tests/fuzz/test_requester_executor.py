from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.explore.requester_world import RequesterWorld
from fuzz.requester_executor import CALLS, GRANTED, RequesterExecutor, answer_to
from rpcrdma.endpoint.core.actions import Action, Deliver, Disconnect, ReplyReceived
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.testprog import TestProgram

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.events import MessageReceived


def right_replies() -> list[bytes]:
    """To all calls, as a Requester that is asked for them alone sends them."""
    world = RequesterWorld(Requester(), TestProgram())
    for token, payload in enumerate((calls.null(0x0F11_0000), *CALLS)):
        world.request(token, payload)
    replies: list[bytes] = []
    while len(replies) < len(world.sent):
        sent = world.sent[len(replies)]
        draft = answer_to(sent.message, sent.unreduced, 1024)
        world.place(draft.placements)
        replies.append(draft.octets)
        world.receive(draft.octets)
    assert all(isinstance(event, ReplyReceived) for event in world.ended.values())
    return replies[1:]


def test_right_replies_end_all_calls() -> None:
    execution = RequesterExecutor(Requester).run(right_replies())

    assert len(execution.outcomes) == len(CALLS) + 1
    assert not any(outcome.problems for outcome in execution.outcomes)
    assert execution.alive


def test_some_calls_wait_for_credits() -> None:
    """Of those that wait nothing was sent: a Reply ends none of them."""
    assert len(CALLS) > GRANTED
    execution = RequesterExecutor(Requester).run(right_replies()[GRANTED:])

    assert not any(outcome.problems for outcome in execution.outcomes)
    assert execution.alive


def test_no_execution_finds_what_another_has_left() -> None:
    executor = RequesterExecutor(Requester)
    first = executor.run(right_replies())

    assert executor.run([]) == RequesterExecutor(Requester).run([])
    assert executor.run(right_replies()) == first


def test_an_overlong_message_is_cut_at_the_end_of_the_receive() -> None:
    first, _ = RequesterExecutor(Requester).run([bytes(5000)]).outcomes

    assert len(first.message) == 1024


class HangsUp(Requester):
    """Ends the connection over any message."""

    def _receive(self, event: MessageReceived, now: float) -> list[Action]:
        return [*super()._receive(event, now), Disconnect("a message came")]


def test_the_end_of_a_connection_is_looked_at_and_the_next_message_goes_to_another() -> None:
    outcomes = RequesterExecutor(HangsUp).run([b"x", b"y"]).outcomes

    assert [outcome.message for outcome in outcomes] == [b"", b"x", b"", b"y", b""]


class EndsTwice(Requester):
    """Tells the application of each Reply twice."""

    def _receive(self, event: MessageReceived, now: float) -> list[Action]:
        actions = super()._receive(event, now)
        return [*actions, *(item for item in actions if isinstance(item, Deliver))]


def test_a_call_that_ends_twice_is_told() -> None:
    outcomes = RequesterExecutor(EndsTwice).run([]).outcomes

    assert any("twice" in problem for outcome in outcomes for problem in outcome.problems)
