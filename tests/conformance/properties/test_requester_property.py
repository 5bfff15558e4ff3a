"""The reference Requester against a Responder that may send anything: judged by both oracles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from conformance.properties.calls import CALL_RECIPES, REQUESTER_OPTIONS, CallRecipe, encode
from conformance.properties.replies import BREACHES, Breach, right, spoil
from conformance.properties.requester_world import RequesterWorld
from rpcrdma.endpoint.requester import Requester, RequesterOptions
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.testprog import TestProgram

if TYPE_CHECKING:
    from conformance.service.reply import ReplyDraft

LAYER = TestProgram()

ANSWERS = st.lists(st.tuples(st.integers(0, 7), st.integers(1, 9), BREACHES), max_size=3)
"""Which Call, what grant, what breach."""

ROUNDS = st.lists(st.tuples(CALL_RECIPES, st.booleans(), ANSWERS), min_size=1, max_size=6)
"""A Call, whether it is cancelled at once, and what comes meanwhile."""

Answer = tuple[int, int, Breach]


def draft(world: RequesterWorld, place: int, grant: int) -> ReplyDraft:
    sent = world.sent[place % len(world.sent)]
    reply = calls.expected_reply(sent.unreduced)
    return right(sent.message, sent.unreduced, reply, LAYER, grant, 1024)


def answer(world: RequesterWorld, place: int, grant: int, breach: Breach) -> None:
    sample = spoil(draft(world, place, grant), breach)
    world.place(sample.placements)
    world.receive(sample.octets)


@given(REQUESTER_OPTIONS, ROUNDS)
def test_requester_keeps_the_rules_whatever_it_gets(
    options: RequesterOptions, rounds: list[tuple[CallRecipe, bool, list[Answer]]]
) -> None:
    world = RequesterWorld(Requester(options), LAYER)
    for number, (recipe, cancelled, answers) in enumerate(rounds, 1):
        world.request(number, encode(recipe, number))
        if cancelled:
            world.cancel(number)
        for place, grant, breach in answers:
            answer(world, place, grant, breach)
    # Whatever is still open gets its right Reply.
    done = 0
    while done < len(world.sent):
        answer(world, done, 4, Breach())
        done += 1

    assert not world.problems, world.problems
    assert world.open_tokens == frozenset()
    assert world.exposed == ()
