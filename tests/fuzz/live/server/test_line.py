"""What is held against a server when several messages are in flight, and what is not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, NoReturn

import pytest

from fuzz.live.server import line
from fuzz.responder_executor import good_call
from reports.record import Verdict
from rpcrdma.errors import LocalProtocolError
from tests.conformance import miniatures as mini

if TYPE_CHECKING:
    from collections.abc import Callable

    from fuzz.live.execution import LiveExecution

    Play = Callable[..., LiveExecution]

CALL = f"message {good_call().hex()}"
OTHER = f"message {good_call(9).hex()}"
BAD_VERSION = f"message {(good_call(8)[:4] + bytes((0, 0, 0, 9)) + good_call(8)[8:]).hex()}"
STORE = "call 16 9001"


class HangsUp:
    """Serves short calls; ends the connection over the message with a number."""

    def __init__(self, number: int) -> None:
        self._left = number

    def __call__(self, message: bytes) -> list[bytes] | None:
        self._left -= 1
        return mini.good(message) if self._left else None


class AnswersEachXidTwice:
    """Answers a message, then again together with the one after it."""

    def __init__(self) -> None:
        self._before: list[bytes] = []

    def __call__(self, message: bytes) -> list[bytes]:
        answers = mini.good(message)
        again, self._before = self._before, answers
        return [*answers, *again]


def judged(execution: LiveExecution) -> list[tuple[Verdict, str]]:
    return [(fired.verdict, fired.reason) for fired in execution.outcomes if fired.allowed]


def test_messages_in_flight_are_judged_each(play: Play) -> None:
    execution = play("reference", "hurry 2", CALL, BAD_VERSION, OTHER)
    assert judged(execution) == [(Verdict.PASS, "")] * 3
    assert [fired.outcomes[0][:8] for fired in execution.outcomes[1:]] == [
        "RDMA_MSG",
        "ERR_VERS",
        "RDMA_MSG",
    ]


def test_the_end_of_a_sequence_waits_for_what_is_in_flight(play: Play) -> None:
    assert judged(play("reference", "hurry 9", CALL, OTHER)) == [(Verdict.PASS, "")] * 2


@pytest.mark.parametrize("number", [3, 4])
def test_a_connection_that_is_lost_over_good_calls_is_held_against_the_server(
    play: Play, number: int
) -> None:
    """Two good calls come before: one on the connection without steps, one on this."""
    execution = play(mini.MiniatureTarget(HangsUp(number)), "hurry", CALL, OTHER, "wait")
    assert execution.failed
    assert execution.failed[0].outcomes[0].startswith("the connection ended")


def test_more_calls_than_were_granted_may_cost_it(play: Play) -> None:
    """The miniature grants four credits."""
    target = mini.MiniatureTarget(HangsUp(4))
    execution = play(target, "hurry 9", *(OTHER, CALL) * 3, "wait")
    assert execution.failed == ()
    assert (Verdict.INCONC, "more Calls were in flight than were granted") in judged(execution)


def test_no_fence_goes_beyond_the_grant(play: Play) -> None:
    """The miniature grants four credits, and ends the connection over a seventh message."""
    execution = play(mini.MiniatureTarget(HangsUp(7)), "hurry 3", *(OTHER, CALL) * 2)
    assert [fired.outcomes[0][:8] for fired in execution.outcomes[1:3]] == ["RDMA_MSG"] * 2
    assert [fired.what for fired in execution.failed] == ["NULL"]  # the last look


def test_replies_that_may_invalidate_excuse_what_is_in_flight_together(play: Play) -> None:
    target = mini.MiniatureTarget(HangsUp(4))
    execution = play(target, "connect 7", "hurry 1", OTHER, CALL)
    assert execution.failed == ()
    reason = "a Reply may have invalidated what another Call in flight told of"
    assert (Verdict.INCONC, reason) in judged(execution)
    plain = play(mini.MiniatureTarget(HangsUp(4)), "connect", "hurry 1", OTHER, CALL)
    assert plain.failed


def test_memory_that_is_withdrawn_may_have_been_used_or_not(play: Play) -> None:
    """As it was, the Call is good; as it is, the oracle allows an error and the loss."""
    for lines in (("hurry", STORE, "withdraw", "wait"), ("hurry 1", CALL, STORE, "withdraw")):
        execution = play("reference", *lines)
        assert execution.failed == ()
        (fired,) = [one for one in execution.outcomes if one.what.startswith("STORE")]
        assert {"a Reply", "loss of the connection"} <= set(fired.allowed)


def test_what_is_lost_with_another_message_is_not_held_against_the_server(play: Play) -> None:
    execution = play("reference", "hurry 1", STORE, "withdraw", CALL, "wait")
    reasons = {reason for verdict, reason in judged(execution) if verdict is Verdict.INCONC}
    assert reasons <= {"the connection may be lost over another message in flight"}
    assert execution.failed == ()


def test_a_message_too_long_may_cost_the_connection(play: Play) -> None:
    execution = play("reference", "hurry", "oversize", CALL, "wait", OTHER)
    assert execution.failed == ()
    assert (Verdict.INCONC, "a message was longer than the device's Receives") in judged(execution)
    assert judged(execution)[-1] == (Verdict.PASS, "")


def test_more_answers_than_messages_are_told(play: Play) -> None:
    execution = play(mini.MiniatureTarget(AnswersEachXidTwice()), CALL, OTHER, "wait")
    assert [fired.reason for fired in execution.failed] == [
        "; ".join(["2 answers to 1 messages of one XID"] * 2)  # of the first, and of its fence
    ]


def test_the_same_xid_twice_has_two_answers(play: Play) -> None:
    execution = play("reference", "hurry 1", CALL, CALL, "wait")
    assert execution.failed == ()


def test_an_answer_is_to_any_of_the_messages_of_its_xid(play: Play) -> None:
    """The refusal of the first comes before the Reply to the second, under the same XID."""
    bad = f"message {(good_call()[:4] + bytes((0, 0, 0, 9)) + good_call()[8:]).hex()}"
    assert play("reference", "hurry", bad, CALL).failed == ()
    assert play("reference", "hurry", CALL, bad).failed == ()
    assert play("mutant:grants-zero", "hurry", bad, CALL).failed


def test_answers_under_other_xids_are_none(play: Play) -> None:
    execution = play(mini.MiniatureTarget(mini.AfterGood(2, mini.wrong_xid)), "hurry", CALL, "wait")
    assert execution.failed
    assert execution.failed[0].outcomes[0].startswith("nothing within")


def test_a_connection_that_serves_nobody_at_the_end_is_told(play: Play) -> None:
    execution = play(mini.MiniatureTarget(mini.AfterGood(2, mini.mute)), "connect")
    (fired,) = execution.failed
    assert fired.reason.startswith("a good Call after all that: NULL got nothing within")


def test_one_that_the_tester_may_have_lost_is_not_looked_at(play: Play) -> None:
    execution = play(mini.MiniatureTarget(mini.AfterGood(2, mini.mute)), "connect", "starve")
    assert execution.failed == ()


def test_a_session_whose_slots_all_wait_makes_no_call(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> NoReturn:
        raise LocalProtocolError("all 1 slots of the session wait")

    monkeypatch.setattr(line, "build", SimpleNamespace(short=full))
    execution = play("reference", "provoke", CALL)
    assert any("all 1 slots of the session wait" in str(one) for one in execution.outcomes)
