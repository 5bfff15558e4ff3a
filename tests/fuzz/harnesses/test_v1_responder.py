from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.explore.named_memory import READABLE, REGION, WRITABLE
from fuzz.harnesses.v1_responder import check, reference
from fuzz.invariant import BrokenInvariant
from fuzz.planted import answers_twice, counts_credits_down
from fuzz.responder_executor import good_call
from fuzz.sequence import join
from fuzz.world import RequesterMemory, World
from rpcrdma.endpoint.core.actions import Action, PostReceive, Send
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire import RdmaMsg, RdmaSegment, TransportHeader, WriteChunk, encode_header
from targets.reference.server_parts import Parts, responder_factory

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.faults import Fault
    from rpcrdma.wire import FixedWords


def fetch(xid: int, segment: RdmaSegment) -> bytes:
    body = RdmaMsg((), (WriteChunk((segment,)),), None)
    return encode_header(TransportHeader(xid, 1, 8, body)) + calls.fetch(xid, segment.length)


PLACE = RdmaSegment(WRITABLE.handle, 100, WRITABLE.offset + 4)
NOWHERE = RdmaSegment(0xDEAD, 100, 0)


@given(st.lists(st.binary(max_size=80), max_size=4))
def test_reference_keeps_the_invariant_for_any_messages(messages: list[bytes]) -> None:
    check(join([*messages, good_call(1)]), reference())


def test_reference_keeps_the_invariant_over_chunks_losses_and_repetition() -> None:
    hold = good_call(7)[:28] + calls.hold(7, 3)
    release = good_call(7)[:28] + calls.release(7, 3)
    messages = [fetch(1, PLACE), fetch(2, NOWHERE), fetch(2, PLACE), hold, hold, release]
    check(join(messages), reference())


def test_reply_chunk_whose_segments_overlap_says_nothing_about_the_reply() -> None:
    """What the last segment holds has replaced the XID in the first."""
    at = WRITABLE.offset
    words = [(at, 2), (at + 100, 3), (at, 4096)]
    chunk = WriteChunk(tuple(RdmaSegment(WRITABLE.handle, size, start) for start, size in words))
    header = TransportHeader(1, 1, 8, RdmaMsg((), (), chunk))
    check(join([encode_header(header) + calls.fetch(1, 2000)]), reference())


def test_credit_underflow_is_found() -> None:
    with pytest.raises(BrokenInvariant) as caught:
        check(join([good_call(1)]), counts_credits_down())
    assert caught.value.invariant == "bad-grant"


def test_second_answer_is_found() -> None:
    with pytest.raises(BrokenInvariant) as caught:
        check(join([fetch(1, PLACE)]), answers_twice())
    assert caught.value.invariant == "answered-twice"


class KeepsReceives(Responder):
    """Never posts a Receive again."""

    def repost(self) -> list[Action]:
        return []


class PostsEmptyReceives(Responder):
    """Posts Receives without room."""

    def repost(self) -> list[Action]:
        return [PostReceive.of(0)]


class AnswersNothing(Responder):
    """Executes and keeps the reply."""

    def transmit(self, writes: list[Action], send: Send) -> list[Action]:
        return []


class SendsGarbage(Responder):
    """Cuts its replies."""

    def transmit(self, writes: list[Action], send: Send) -> list[Action]:
        return [Send(send.key, send.data[:10])]


class AnswersErrors(Responder):
    """Answers what it has to discard."""

    def discard(self, words: FixedWords, fault: Fault) -> list[Action]:
        return self.send_error(words, fault)


class SendsTooMuch(Responder):
    """Makes its replies longer than the inline threshold."""

    def transmit(self, writes: list[Action], send: Send) -> list[Action]:
        return [Send(send.key, send.data + bytes(self.options.thresholds.reply))]


DONE = bytes.fromhex("00000009 00000001 00000008 00000003 00000000 00000000 00000000")


@pytest.mark.parametrize(
    ("broken", "message", "invariant"),
    [
        (KeepsReceives, good_call(1), "receives-lost"),
        (PostsEmptyReceives, good_call(1), "receive-size"),
        (AnswersNothing, good_call(1), "oracle"),
        (SendsGarbage, good_call(1), "garbage-sent"),
        (SendsTooMuch, good_call(1), "overlong"),
        (AnswersErrors, DONE, "oracle"),
    ],
)
def test_each_broken_responder_is_found(
    broken: type[Responder], message: bytes, invariant: str
) -> None:
    with pytest.raises(BrokenInvariant) as caught:
        check(join([message]), lambda: responder_factory(Parts(responder=broken)))
    assert caught.value.invariant == invariant


def test_memory_is_reached_only_inside_its_regions() -> None:
    memory = RequesterMemory()
    inside = RdmaSegment(READABLE.handle, 8, READABLE.offset)
    behind = RdmaSegment(READABLE.handle, 8, READABLE.offset + REGION - 4)
    assert memory.fetch(inside) == pattern(8, 1)
    assert memory.fetch(behind) is None
    assert memory.fetch(RdmaSegment(1, 0, 0)) == b""
    assert not memory.is_writable(inside)


def test_written_chunk_is_found_where_it_was_told_to_be() -> None:
    world = World(responder_factory()())
    world.deliver(fetch(1, PLACE))
    assert world.memory.contents((PLACE,)) != bytes(100)
    assert not world.disconnected


def test_write_to_nowhere_ends_the_connection() -> None:
    world = World(responder_factory()())
    assert world.deliver(fetch(1, NOWHERE)) == []
    assert "remote access error" in world.disconnected


def test_message_longer_than_a_receive_is_cut_and_not_held_against_the_responder() -> None:
    """The rest of an overlong NULL is left away: what is there is a call with too many octets."""
    overlong = good_call(1) + bytes(World(responder_factory()()).forward.receive_length)

    check(join([overlong]), reference())
