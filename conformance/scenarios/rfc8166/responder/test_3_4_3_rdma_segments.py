"""RFC 8166 section 3.4.3, RDMA Segments: whose memory it is, and for how long."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered
from conformance.tester.client import build, mutate
from conformance.tester.memory import FILL
from conformance.tester.private_data import FORMS, invalidates
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

WITH_MEMORY: dict[str, Callable[[Peer], Call]] = {
    "read-chunk": lambda peer: build.with_read_chunks(peer, peer.workload.store(pattern(900, 3))),
    "write-chunk": lambda peer: build.with_write_chunks(peer, peer.workload.fetch(900)),
    "long-call": lambda peer: build.long_call(peer, peer.workload.long_call(1500)),
    "reply-chunk": lambda peer: build.long_reply(peer, peer.workload.long_reply(1500)),
}


@requirement("rfc8166.3.4.3.memory-used-by-responder")
@pytest.mark.parametrize("form", WITH_MEMORY)
def test_responder_invalidates_no_handle_unasked(peer: Peer, form: str) -> None:
    """Where remote invalidation was not agreed on, every handle outlives the Reply."""
    call = WITH_MEMORY[form](peer)

    peer.send(call)

    verify.chunks.served(peer, call)
    regions = [segment.region for chunk in call.chunks for segment in chunk.segments]
    invalid = sum(not region.valid for region in regions)
    verify.that(not invalid, "the handles are still valid", actual=f"{invalid} are invalid")


@requirement(
    "rfc8166.3.4.3.memory-used-by-responder",
    "rfc8166.3.3.3.1024-octets-unless-known",
    interpretations=("D-30",),
)
@pytest.mark.parametrize("form", WITH_MEMORY)
@pytest.mark.parametrize("told", FORMS)
def test_responder_invalidates_a_handle_only_where_both_ends_agree(
    connect: Callable[..., Peer], told: str, form: str
) -> None:
    """Whatever private data says, calls are served; handles go where both set R (RFC 8797)."""
    peer = connect(private_data=FORMS[told])
    agreed = invalidates(FORMS[told]) and invalidates(peer.private_data)
    first = build.null_call(peer)
    peer.send(first)
    verify.served(peer, first, breaks="rfc8166.3.3.3.1024-octets-unless-known")
    call = WITH_MEMORY[form](peer)

    peer.send(call)

    verify.chunks.served(peer, call, breaks="rfc8166.3.3.3.1024-octets-unless-known")
    regions = [segment.region for chunk in call.chunks for segment in chunk.segments]
    gone = sum(not region.valid for region in regions)
    verify.that(
        gone <= agreed,
        "no handle is invalidated, or one where both ends have set R (RFC 8797 4.1)",
        actual=f"{gone} handles are gone; private data were {peer.private_data.hex() or 'none'}",
        breaks="rfc8166.3.4.3.memory-used-by-responder",
    )


@requirement("rfc8166.3.4.3.memory-used-by-responder")
def test_responder_uses_the_memory_of_each_call_only(peer: Peer) -> None:
    """A later Call with a Write chunk of its own leaves that of the one before alone."""
    first = build.with_write_chunks(peer, peer.workload.fetch(1200), ((2000,),))
    peer.send(first)
    answer = verify.chunks.served(peer, first).answer
    second = build.with_write_chunks(peer, peer.workload.fetch(1999), ((2000,),))

    peer.send(second)

    verify.chunks.served(peer, second)
    verify.chunks.returned(first, answer)


@requirement("rfc8166.3.4.3.segment-offset", "rfc8166.3.4.3.segment-length-in-octets")
@pytest.mark.parametrize("before", [4, 1001, 4097])
def test_responder_reads_from_the_middle_of_a_region(peer: Peer, before: int) -> None:
    """A read segment within a larger region gives the octets at its offset, and no others."""
    data = pattern(1500, 36)
    around = peer.expose(bytes((FILL,)) * before + data + bytes((FILL,)) * 500).told[0]
    call = build.with_read_chunks(peer, peer.workload.store(data))
    place = {"handle": around.handle, "offset": around.offset + before}
    within = mutate.read_segment(call, 0, **place)

    peer.send(within)

    verify.chunks.stored(peer, within, data)


@requirement("rfc8166.3.4.3.segment-offset", "rfc8166.3.4.3.memory-used-by-responder")
@pytest.mark.parametrize("before", [4, 1001, 4097])
def test_responder_writes_into_the_middle_of_a_region(peer: Peer, before: int) -> None:
    """A segment within a larger region gets the result at its offset, and nothing around it."""
    length = 1500
    plain = build.with_write_chunks(peer, peer.workload.fetch(length))
    peer.send(plain)
    answer = verify.chunks.served(peer, plain).answer
    wanted = plain.write_chunks[0].contents(answer.body.rdma_writes[0].target)
    region = peer.room((before + length + 500,)).segments[0].region
    call = build.with_write_chunks(peer, peer.workload.fetch(length))
    place = {"handle": region.handle, "offset": region.offset + before}
    within = mutate.write_segment(call, 0, 0, **place)

    peer.send(within)

    verify.chunks.returned(within, verify.expect(peer, within, Answered))
    octets = region.read()
    found = octets[before : before + length]
    verify.contents.same(found, wanted, "the memory where the offset says")
    others = octets[:before] + octets[before + length :]
    verify.contents.same(others, bytes((FILL,)) * len(others), "the memory around it")


@requirement("rfc8166.3.4.3.segment-offset", "rfc8166.3.4.5.segments-join-in-list-order")
@pytest.mark.parametrize("gap", [1, 2, 3])
def test_responder_reads_no_octets_between_segments(peer: Peer, gap: int) -> None:
    """Of two read segments of one handle the second begins at the next four-octet boundary.

    What is between them belongs to neither, as if it were roundup.
    """
    data = pattern(1500, 38)
    first = 800 - gap
    octets = data[:first] + bytes((FILL,)) * gap + data[first:]
    around = peer.expose(octets + bytes((FILL,)) * 500).told[0]
    call = build.with_read_chunks(peer, peer.workload.store(data), ((first, len(data) - first),))
    here = mutate.read_segment(call, 0, handle=around.handle, offset=around.offset)
    within = mutate.read_segment(here, 1, handle=around.handle, offset=around.offset + 800)

    peer.send(within)

    verify.chunks.stored(peer, within, data)


@requirement("rfc8166.3.4.3.segment-offset", "rfc8166.3.4.3.memory-used-by-responder")
@pytest.mark.parametrize("gap", [1, 2, 3])
def test_responder_writes_no_octets_between_segments(peer: Peer, gap: int) -> None:
    """Of two segments of a Write chunk the second begins at the next four-octet boundary."""
    length, first = 1500, 800 - gap
    plain = build.with_write_chunks(peer, peer.workload.fetch(length))
    peer.send(plain)
    answer = verify.chunks.served(peer, plain).answer
    wanted = plain.write_chunks[0].contents(answer.body.rdma_writes[0].target)
    region = peer.room((length + 500,)).segments[0].region
    sizes = ((first, length - first),)
    call = build.with_write_chunks(peer, peer.workload.fetch(length), sizes)
    here = mutate.write_segment(call, 0, 0, handle=region.handle, offset=region.offset)
    within = mutate.write_segment(here, 0, 1, handle=region.handle, offset=region.offset + 800)

    peer.send(within)

    verify.chunks.returned(within, verify.expect(peer, within, Answered))
    octets = region.read()
    arrived = octets[:first] + octets[800 : 800 + length - first]
    verify.contents.same(arrived, wanted, "the memory of the two segments")
    between = octets[first:800]
    verify.contents.same(between, bytes((FILL,)) * len(between), "the memory between them")
