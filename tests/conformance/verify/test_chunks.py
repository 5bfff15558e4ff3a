"""Chunk verifications against the reference endpoint's answers: as they came, and spoilt."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance import verify
from conformance.oracle.outcome import Answered, ErrChunk
from conformance.tester.case import Deviation
from conformance.tester.client import build, mutate
from conformance.tester.client.harness import Harness
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire import WriteChunk
from targets.profile import SHIPPED, load_profile
from targets.reference.server import ReferenceTarget

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call


OTHER = "rfc8166.3.3.1.grant-is-never-zero"
"""What a case is about that knows of nothing wrong with the lists."""


@pytest.fixture
def peer() -> Iterator[Peer]:
    harness = Harness(ReferenceTarget(load_profile(SHIPPED / "reference.toml"), "loopback"))
    yield harness.connect()
    harness.close()


def fetched(peer: Peer) -> tuple[Call, Answered]:
    call = build.with_write_chunks(peer, peer.workload.fetch(1001), ((600, 600),))
    peer.send(call)
    return call, verify.expect(peer, call, Answered)


def test_returned_accepts_what_the_reference_returns(peer: Peer) -> None:
    call, answer = fetched(peer)

    verify.chunks.returned(call, answer)


@pytest.mark.parametrize(
    ("place", "breaks"),
    [(401, verify.chunks.LENGTHS), (599, verify.chunks.LENGTHS), (600, verify.chunks.ROOM)],
    ids=["roundup", "inside", "behind"],
)
def test_returned_sees_an_octet_that_no_length_covers(peer: Peer, place: int, breaks: str) -> None:
    call, answer = fetched(peer)
    call.write_chunks[0].segments[1].region.write(b"\0", place)

    with pytest.raises(Deviation) as caught:
        verify.chunks.returned(call, answer)

    assert caught.value.breaks == (breaks,)


def test_returned_cites_the_rule_that_a_header_breaks(peer: Peer) -> None:
    call, answer = fetched(peer)
    short = WriteChunk(answer.body.rdma_writes[0].target[:1])
    body = msgspec.structs.replace(answer.body, rdma_writes=(short,))
    header = msgspec.structs.replace(answer.header, rdma_body=body)

    with pytest.raises(Deviation) as caught:
        verify.chunks.returned(call, replace(answer, header=header, body=body))

    assert caught.value.breaks == ("rfc8166.3.4.6.segment-count-returned",)


def changed(answer: Answered, **parts: object) -> Answered:
    """An answer with other lists."""
    body = msgspec.structs.replace(answer.body, **parts)
    header = msgspec.structs.replace(answer.header, rdma_body=body)
    return replace(answer, header=header, body=body)


@pytest.mark.parametrize("lengths", [(600, 600), (0, 0), (401, 600)], ids=str)
def test_right_blames_lengths_by_which_the_results_are_wrong(
    peer: Peer, lengths: tuple[int, ...]
) -> None:
    call, answer = fetched(peer)
    target = tuple(
        msgspec.structs.replace(one, length=length)
        for one, length in zip(answer.body.rdma_writes[0].target, lengths, strict=True)
    )

    told = changed(answer, rdma_writes=(WriteChunk(target),))

    with pytest.raises(Deviation) as caught:
        verify.chunks.right(peer, call, told, breaks=OTHER)

    assert verify.chunks.LENGTHS in caught.value.breaks
    assert OTHER not in caught.value.breaks


def test_right_blames_lists_that_break_a_rule_of_their_own_for_wrong_results(peer: Peer) -> None:
    call, answer = fetched(peer)

    with pytest.raises(Deviation, match="cannot be decoded") as caught:
        verify.chunks.right(peer, call, changed(answer, rdma_writes=()), breaks=OTHER)

    assert caught.value.breaks == ("rfc8166.4.3.2.2.unconsumed-chunk-comes-back-unused",)


def test_right_blames_what_the_case_says_for_results_that_stand_where_they_are_said_to(
    peer: Peer,
) -> None:
    call, answer = fetched(peer)
    call.write_chunks[0].segments[0].region.write(b"\1" * 8, 100)

    with pytest.raises(Deviation, match="served wrongly") as caught:
        verify.chunks.right(peer, call, answer, breaks=OTHER)

    assert caught.value.breaks == (OTHER,)


def test_right_blames_the_lengths_of_a_reply_chunk_by_a_rule_of_their_own(peer: Peer) -> None:
    call = build.long_reply(peer, peer.workload.long_reply(3000), (2000, 2000))
    peer.send(call)
    answer = verify.chunks.taken(peer, call)
    offered = WriteChunk(call.reply_chunk.told) if call.reply_chunk else None

    with pytest.raises(Deviation) as caught:
        verify.chunks.right(peer, call, changed(answer, rdma_reply=offered), breaks=OTHER)

    assert caught.value.breaks == (verify.chunks.REPLY_LENGTHS,)


def test_taken_is_a_reply_of_whatever_content(peer: Peer) -> None:
    garbage = build.call(peer, peer.workload.garbage())
    peer.send(garbage)
    assert isinstance(verify.chunks.taken(peer, garbage), Answered)

    bad = mutate.procedure(build.null_call(peer), 9)
    peer.send(bad)
    with pytest.raises(Deviation) as caught:
        verify.chunks.taken(peer, bad, breaks=OTHER)
    assert caught.value.breaks == (OTHER,)


def test_arrived_fetches_what_was_stored(peer: Peer) -> None:
    data = pattern(700, 3)
    call = build.with_read_chunks(peer, peer.workload.store(data))
    peer.send(call)

    answer = verify.chunks.taken(peer, call)
    verify.chunks.arrived(peer, call, answer, data)


def test_all_served_takes_answers_in_any_order(peer: Peer) -> None:
    calls = [build.with_write_chunks(peer, peer.workload.fetch(100 + n)) for n in range(3)]
    for call in calls:
        peer.send(call)

    verify.chunks.all_served(peer, calls[::-1])


def test_all_served_misses_an_answer(peer: Peer) -> None:
    calls = [build.null_call(peer), build.null_call(peer)]
    peer.send(calls[0])

    with pytest.raises(Deviation, match=r"1 calls .* and no answer came"):
        verify.chunks.all_served(peer, calls)


def test_answered_or_lost_takes_answers_and_the_end(peer: Peer) -> None:
    calls = [build.null_call(peer), build.null_call(peer)]
    peer.send(calls[0])
    peer.send(calls[1])
    verify.chunks.answered_or_lost(peer, calls)

    peer.disconnect()

    verify.chunks.answered_or_lost(peer, calls)


def test_answered_or_lost_refuses_a_second_answer(peer: Peer) -> None:
    call = build.null_call(peer)
    peer.send(call)
    peer.send(call)

    with pytest.raises(Deviation, match="something else came"):
        verify.chunks.answered_or_lost(peer, (build.null_call(peer), call))


def test_refused_takes_an_error_and_no_execution(peer: Peer) -> None:
    good = build.with_read_chunks(peer, peer.workload.store(pattern(100, 1)))
    bad = mutate.read_segment(good, 0, position=good.body.rdma_reads[0].position + 1)

    peer.send(bad)
    assert isinstance(verify.chunks.refused(peer, bad), ErrChunk)

    peer.send(good)
    with pytest.raises(Deviation, match="was executed"):
        verify.chunks.refused(peer, good)


def test_refused_warns_of_another_status(peer: Peer) -> None:
    call = build.null_call(peer)
    payload = call.payload[:12] + bytes(4) + call.payload[16:]
    changed = replace(mutate.payload(call, payload), unreduced=payload)
    peer.send(changed)

    verify.chunks.refused(peer, changed, breaks="rfc8166.x")

    assert [warned.ids for warned in peer.case.warnings] == [("rfc8166.x",)]


def test_not_served_takes_an_error_and_no_results(peer: Peer) -> None:
    small = build.with_write_chunks(peer, peer.workload.fetch(1000), ((999,),))
    peer.send(small)
    verify.chunks.not_served(peer, small)

    unanswered = build.null_call(peer)
    with pytest.raises(Deviation) as caught:
        verify.chunks.not_served(peer, unanswered, breaks=OTHER)
    assert caught.value.breaks == (verify.chunks.CLOSE,)

    enough = build.with_write_chunks(peer, peer.workload.fetch(1000), ((1000,),))
    peer.send(enough)
    with pytest.raises(Deviation, match="no room does not come"):
        verify.chunks.not_served(peer, enough)


def test_stored_verifications_agree_with_the_reference(peer: Peer) -> None:
    data = pattern(700, 2)
    for check in (
        verify.chunks.stored,
        verify.chunks.stored_or_refused,
        verify.chunks.stored_unless_too_many,
    ):
        call = build.with_read_chunks(peer, peer.workload.store(data))
        peer.send(call)
        check(peer, call, data)


def test_too_many_chunks_may_be_refused(peer: Peer) -> None:
    claims = msgspec.structs.replace(peer.profile.claims, max_write_chunks=1)
    peer.profile = msgspec.structs.replace(peer.profile, claims=claims)
    call = build.with_write_chunks(peer, peer.workload.fetch_two(100, 200))
    bad = mutate.procedure(call, 2)

    peer.send(bad)
    assert verify.chunks.served_unless_too_many(peer, bad) is None

    peer.send(call)
    assert verify.chunks.served_unless_too_many(peer, call) is not None


def test_answered_takes_any_status(peer: Peer) -> None:
    call = build.call(peer, peer.workload.garbage(), writes=((100,),))
    peer.send(call)

    assert not verify.chunks.answered(peer, call).rpc.succeeded
