"""A tracker that remembers says what one says that does not."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from conformance.explore.requester_world import RequesterWorld
from fuzz import requester_executor
from fuzz.harnesses import v1_requester, v2_requester
from fuzz.registry import corpus_of
from fuzz.remembering_tracker import RememberingTracker
from fuzz.requester_executor import CALLS, RequesterExecutor, answer_to
from fuzz.sequence import split
from fuzz.structure.headers import V1_SEQUENCE
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.testprog import TestProgram

if TYPE_CHECKING:
    from conformance.oracle.requester.state import RequesterState
    from conformance.oracle.requester.tracker import RequesterTracker


def sequences(harness: str) -> list[list[bytes]]:
    """Seeds, and what a mutator makes of each."""
    seeds = [path.read_bytes() for path in sorted(corpus_of(harness).iterdir())]
    mutants = [
        V1_SEQUENCE.mutate(octets, 4096, seed, lambda octets, most: octets[:-1][:most])
        for seed, octets in enumerate(seeds)
    ]
    made = [split(octets) for octets in (*seeds, *mutants)]
    Random(1).shuffle(made)
    return made


@pytest.mark.parametrize("harness", ["v1-requester", "v2-requester"])
def test_what_is_remembered_is_what_would_be_said(
    harness: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = {"v1-requester": v1_requester, "v2-requester": v2_requester}[harness].reference()
    tried = sequences(harness)
    remembering = RequesterExecutor(connect)
    said = [remembering.run(sequence) for sequence in tried]
    again = [remembering.run(sequence) for sequence in tried]

    def forgetful(tracker: RequesterTracker) -> RequesterTracker:
        return tracker

    monkeypatch.setattr(requester_executor, "RememberingTracker", forgetful)
    plain = RequesterExecutor(connect)

    assert said == again == [plain.run(sequence) for sequence in tried]


def test_memory_that_holds_something_else_is_looked_at_again() -> None:
    world = RequesterWorld(Requester(), TestProgram())
    world.request(0, CALLS[0])
    (sent,) = world.sent
    draft = answer_to(sent.message, sent.unreduced, 1024)
    tracker = RememberingTracker(world.tracker)
    before = tracker.state

    def payload() -> bytes | None:
        tracker.state = before
        return tracker.answered(draft.octets, world.contents).payload

    first = payload()
    world.place(draft.placements)

    assert first != payload() == calls.expected_reply(CALLS[0])
    assert payload() == calls.expected_reply(CALLS[0])


def test_what_is_known_is_one_object_whatever_way_it_came_to_be_known() -> None:
    world = RequesterWorld(Requester(), TestProgram())
    world.request(0, CALLS[3])
    (sent,) = world.sent
    right = answer_to(sent.message, sent.unreduced, 1024).octets
    tracker = RememberingTracker(world.tracker)
    before = tracker.state

    def after(message: bytes) -> RequesterState:
        tracker.state = before
        tracker.answered(message, world.contents)
        return tracker.state

    fewer_credits = right[:11] + b"\1" + right[12:]
    again = right[:28] + right[28:].replace(bytes(4), bytes(3) + b"\1", 1)
    assert after(right) is not before
    assert after(again) is after(right)
    assert after(fewer_credits) != after(right)
