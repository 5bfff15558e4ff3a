"""The reference Requester against a Responder that may send anything: judged by both oracles."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from conformance.explore.calls import encode
from conformance.explore.recipes import CallRecipe
from conformance.explore.replies import BREACHES, ReplyBreach, right, spoil
from conformance.explore.requester_world import RequesterWorld
from conformance.explore.sequences import CALL_RECIPES, REQUESTER_OPTIONS
from conformance.oracle.header import decode_header
from rpcrdma.endpoint.core.actions import ReplyReceived
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.core.thresholds import InlineThresholds
from rpcrdma.endpoint.requester.requester import Requester, RequesterOptions
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import RdmaMsg, RdmaNomsg

if TYPE_CHECKING:
    from conformance.tester.server.reply import ReplyDraft

LAYER = TestProgram()

ANSWERS = st.lists(st.tuples(st.integers(0, 7), st.integers(1, 9), BREACHES), max_size=3)
"""Which Call, what grant, what breach."""

CALLS = st.lists(st.tuples(CALL_RECIPES, st.booleans()), min_size=1, max_size=4)
ROUNDS = st.lists(st.tuples(CALLS, ANSWERS), min_size=1, max_size=6)
"""Calls, each cancelled at once or not, and what comes after them."""

MOST_SENT = 32
"""More Calls than are asked for: a Requester that never stops sending must not keep us here."""

Answer = tuple[int, int, ReplyBreach]


def draft(world: RequesterWorld, place: int, grant: int, threshold: int) -> ReplyDraft:
    sent = world.sent[place % len(world.sent)]
    reply = calls.expected_reply(sent.unreduced)
    return right(sent.message, sent.unreduced, reply, LAYER, grant, threshold)


def answer(
    world: RequesterWorld, place: int, grant: int, breach: ReplyBreach, threshold: int = 1024
) -> None:
    sample = spoil(draft(world, place, grant, threshold), breach)
    world.place(sample.placements)
    world.receive(sample.octets)


Rounds = list[tuple[list[tuple[CallRecipe, bool]], list[Answer]]]


@given(REQUESTER_OPTIONS, ROUNDS)
def test_requester_keeps_the_rules_whatever_it_gets(
    options: RequesterOptions, rounds: Rounds
) -> None:
    keeps_the_rules(options, rounds)


@given(REQUESTER_OPTIONS, ROUNDS)
def test_requester_keeps_the_rules_of_version_two_whatever_it_gets(
    options: RequesterOptions, rounds: Rounds
) -> None:
    both = InlineThresholds(call=TWO.threshold, reply=TWO.threshold)
    keeps_the_rules(replace(options, dialect=TWO, thresholds=both), rounds)


@given(REQUESTER_OPTIONS, CALLS, st.integers(0, 15))
def test_requester_completes_calls_by_replies_that_invalidate(
    options: RequesterOptions, asked: list[tuple[CallRecipe, bool]], pick: int
) -> None:
    """xcharext 3.2: whichever handle of its Call a Reply ends, all goes as by plain Replies."""
    both = InlineThresholds(call=TWO.threshold, reply=TWO.threshold)
    world = RequesterWorld(Requester(replace(options, dialect=TWO, thresholds=both)), LAYER)
    for number, (recipe, _) in enumerate(asked, start=1):
        world.request(number, encode(recipe, number))
    for place in range(MOST_SENT):
        if place < len(world.sent):
            sample = draft(world, place, 4, TWO.threshold)
            offered = handles(world.sent[place].message)
            world.place(sample.placements)
            world.receive(sample.octets, offered[pick % len(offered)] if offered else None)

    assert not world.problems, world.problems
    assert not world.closed
    assert {type(event) for event in world.ended.values()} == {ReplyReceived}
    assert len(world.ended) == len(asked)
    assert world.exposed == ()


def handles(message: bytes) -> list[int]:
    """All that a Call offers."""
    body = decode_header(message).header.rdma_body
    assert isinstance(body, RdmaMsg | RdmaNomsg)
    reply = () if body.rdma_reply is None else body.rdma_reply.target
    results = [segment for chunk in body.rdma_writes for segment in chunk.target]
    segments = (*(read.target for read in body.rdma_reads), *results, *reply)
    return [segment.handle for segment in segments]


def keeps_the_rules(options: RequesterOptions, rounds: Rounds) -> None:
    threshold = options.thresholds.reply
    world = RequesterWorld(Requester(options), LAYER)
    number = 0
    for asked, answers in rounds:
        for recipe, cancelled in asked:
            number += 1
            world.request(number, encode(recipe, number))
            if cancelled:
                world.cancel(number)
        for place, grant, breach in answers:
            answer(world, place, grant, breach, threshold)
    # Whatever is still open gets its right Reply.
    for place in range(MOST_SENT):
        if place < len(world.sent):
            answer(world, place, 4, ReplyBreach(), threshold)

    assert not world.problems, world.problems
    assert world.open_tokens == frozenset()
    assert world.exposed == ()
