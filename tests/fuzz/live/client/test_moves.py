"""Each move, made about calls of the reference client, which keeps the rules whatever comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.oracle.requester.reaction import expected_reaction
from fuzz.live.client.moves import MOVES, ServedTurn
from fuzz.live.move import Move
from rpcrdma.fabric.trace import EventKind, Side
from targets.base import ActKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.server import ReceivedCall
    from conformance.tester.server.harness import ClientHarness


class Facing:
    """A client with one call that waits."""

    def __init__(self, harness: ClientHarness, kind: ActKind = ActKind.READ) -> None:
        harness.begin()
        self.harness = harness
        self.service = harness.ready()
        self.served = ServedTurn(self.service)
        self.act = harness.client.begin(kind, 4096)
        self.call: ReceivedCall = self.service.next_call()

    def make(self, kind: str, place: int = 0, value: int = 0) -> None:
        MOVES[kind](self.served, self.call, Move(kind, place, value))

    def sent(self, kind: EventKind = EventKind.SEND) -> list[bytes]:
        """What has gone out, since the call came."""
        events = self.harness.trace.events
        return [one.data for one in events if one.kind is kind and one.side is Side.LOCAL]


@pytest.fixture
def facing(harness_of: Callable[[str], ClientHarness]) -> Facing:
    return Facing(harness_of("reference-client"))


@pytest.mark.parametrize("kind", MOVES)
@pytest.mark.parametrize("act", [ActKind.READ, ActKind.LONG_REPLY, ActKind.SMALL, ActKind.WRITE])
def test_it_can_be_made_about_any_call(
    harness_of: Callable[[str], ClientHarness], kind: str, act: ActKind
) -> None:
    facing = Facing(harness_of("reference-client"), act)
    before = len(facing.harness.trace.events)
    facing.make(kind, 1, 1)
    done = len(facing.harness.trace.events) > before
    assert done != (kind in ("hold", "silence"))


def test_a_call_that_must_end_is_answered_and_one_that_may_wait_is_not(facing: Facing) -> None:
    facing.make("useless", 0)
    assert not facing.call.answered
    assert not facing.served.is_doubtful(facing.call)
    facing.make("err-chunk")
    assert facing.call.answered


def test_other_credits_are_in_a_reply_that_is_right_else(facing: Facing) -> None:
    state = facing.service.state_of(facing.service.line)
    facing.make("credits", 1, 3)
    octets = facing.sent()[-1]
    assert int.from_bytes(octets[8:12], "big") == 4
    expectation = expected_reaction(octets, state)
    assert expectation.fault == ""
    assert facing.service.grant == 4


def test_a_reply_can_go_out_more_than_once(facing: Facing) -> None:
    before = len(facing.sent())
    facing.make("again", 1)
    assert len(set(facing.sent()[before:])) == 1
    assert len(facing.sent()) - before == 3
    facing.make("again", 0, 1)
    assert len(set(facing.sent()[before:])) == 1


def test_a_reply_of_before_can_go_out_once_more(facing: Facing) -> None:
    facing.make("reply")
    right = facing.sent()[-1]
    assert facing.service.serve_until(facing.act).done
    facing.act = facing.harness.client.begin(ActKind.READ, 4096)
    facing.call = facing.service.next_call()
    facing.make("again", 0, 1)
    assert facing.sent()[-1] == right
    assert not facing.call.answered


def test_results_can_be_left_out_or_placed_beyond(facing: Facing) -> None:
    before = len(facing.sent(EventKind.RDMA_WRITE))
    facing.make("placed", 0)
    assert len(facing.sent(EventKind.RDMA_WRITE)) == before
    assert facing.served.alters
    assert not facing.served.costs
    facing.make("beyond", 0, 0)
    assert facing.served.costs


def test_results_can_come_inline_or_the_stream_by_the_reply_chunk(
    harness_of: Callable[[str], ClientHarness],
) -> None:
    facing = Facing(harness_of("reference-client"), ActKind.LONG_REPLY)
    facing.make("long")
    assert facing.call.answered
    assert facing.service.serve_until(facing.act).done


def test_a_reply_under_another_xid_leaves_the_call_waiting(facing: Facing) -> None:
    facing.make("other-xid", 0, 0)
    assert facing.sent()[-1][:4] != facing.call.xid.to_bytes(4, "big")
    assert not facing.call.answered


def test_memory_is_tried_once_the_act_is_over(facing: Facing) -> None:
    facing.make("after")
    assert facing.service.serve_until(facing.act).done
    assert len(facing.served.probes) == 1
    assert facing.served.exposed() == ""
    assert facing.served.costs
    assert not facing.service.connected


def test_memory_that_is_within_reach_is_told_of(facing: Facing) -> None:
    chunk = facing.call.writes[0]
    facing.served.probes.append((facing.call, chunk.target[0]))
    assert f"handle {chunk.target[0].handle:#x}" in facing.served.exposed()


def test_the_connection_can_end(facing: Facing) -> None:
    facing.make("drop")
    assert not facing.service.connected
    assert facing.served.costs


def test_a_bit_and_a_word_are_changed_alone(facing: Facing) -> None:
    right = facing.served.draft(facing.call).octets
    facing.make("word", 1, 9)
    assert facing.sent()[-1] == right[:4] + (9).to_bytes(4, "big") + right[8:]
    assert not facing.served.alters
    facing.make("flip", 5, 2)
    assert facing.sent()[-1] == right[:5] + bytes((right[5] ^ 4,)) + right[6:]
    assert facing.served.alters


def test_the_first_useless_message_is_what_a_client_took_for_a_reply(facing: Facing) -> None:
    facing.served.pending.append(facing.call)
    facing.make("useless", 11)
    facing.make("useless", 0)

    facing.served.look_if_early()

    assert facing.served.is_early
    assert facing.served.early_after is not None
    assert facing.served.early_after.fault == "RDMA_MSGP"


def test_nothing_was_early_once_the_reply_has_gone_out(facing: Facing) -> None:
    facing.served.pending.append(facing.call)
    facing.make("useless", 11)
    facing.make("reply")

    facing.served.look_if_early()

    assert not facing.served.is_early
    assert facing.served.early_after is None
