"""What Version Two takes over from Version One, at a Responder.

v2 section 1    Introduction (what is not changed is done as before; D-61)
v2 section 2.1  Terminology
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.client import build
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire.v2 import ErrInvalidOption

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer

READS: Final = "v2.1.read-chunks-as-before"
WRITES: Final = "v2.1.write-chunks-as-before"
REPLY_CHUNK: Final = "v2.1.reply-chunk-as-before"
LONG_CALL: Final = "v2.1.long-calls-as-before"

CUTS: Final = {
    "one-segment": (),
    "two-segments": (1000,),
    "five-segments": (1, 2, 5, 1001),
}
"""How 2049 octets are cut; what is left over makes one more segment."""


@requirement(READS)
@pytest.mark.parametrize("roundup", [False, True], ids=["without-padding", "with-padding"])
@pytest.mark.parametrize("cut", CUTS)
def test_responder_puts_read_chunks_back(peer_two: Peer, cut: str, *, roundup: bool) -> None:
    """An argument of 2049 octets in a Read chunk arrives whole, however it is cut."""
    data = pattern(2049, 40 + list(CUTS).index(cut))
    request = peer_two.workload.store(data)
    call = build.with_read_chunks(peer_two, request, (CUTS[cut],), roundup=roundup)

    peer_two.send(call)

    verify.chunks.stored(peer_two, call, data)


@requirement(WRITES)
@pytest.mark.parametrize("segments", [(3100,), (1000, 2100), (1000, 1000, 1500)])
def test_responder_fills_write_chunks_in_order(peer_two: Peer, segments: tuple[int, ...]) -> None:
    """A result of 3100 octets fills the segments of its Write chunk, which come back filled."""
    call = build.with_write_chunks(peer_two, peer_two.workload.fetch(3100), (segments,))

    peer_two.send(call)

    verify.chunks.served(peer_two, call)


@requirement(WRITES)
@pytest.mark.parametrize("kind", ["unused", "empty", "one-too-many"])
def test_responder_returns_write_chunks_without_data(peer_two: Peer, kind: str) -> None:
    """A Write chunk that no result goes into comes back as it was, of no octets."""
    work = peer_two.workload
    calls = {
        "unused": lambda: build.call(peer_two, work.fetch_nothing(), writes=((64,), (32, 32))),
        "empty": lambda: build.call(peer_two, work.fetch(64), writes=((),)),
        "one-too-many": lambda: build.call(peer_two, work.fetch(64), writes=((64,), (64,))),
    }
    call = calls[kind]()

    peer_two.send(call)

    verify.chunks.served(peer_two, call)


@requirement(LONG_CALL)
@pytest.mark.parametrize("length", [4, 8000], ids=["small", "large"])
def test_responder_serves_a_long_call(peer_two: Peer, length: int) -> None:
    """A Call whose whole Payload stream is in a Position-Zero Read chunk is served."""
    call = build.long_call(peer_two, peer_two.workload.long_call(length))

    peer_two.send(call)

    verify.chunks.served(peer_two, call)


@requirement(REPLY_CHUNK, "v2.4.2.1.nomsg-conveys-its-payload-by-chunks")
@pytest.mark.parametrize("segments", [(9000,), (1000, 8000)])
def test_responder_puts_a_long_reply_into_the_reply_chunk(
    peer_two: Peer, segments: tuple[int, ...]
) -> None:
    """A Reply of more than 4096 octets fills the Reply chunk, which says how far."""
    call = build.long_reply(peer_two, peer_two.workload.long_reply(6000), segments)

    peer_two.send(call)

    reply = verify.chunks.served(peer_two, call)
    verify.that(reply.answer.is_long, "the Reply is an RDMA2_NOMSG", actual=str(reply.answer))
    verify.equal(reply.answer.payload, b"", "what stands after the header of an RDMA2_NOMSG")


@requirement("v2.1.one-rpc-message-behind-the-header")
@pytest.mark.parametrize("length", [4, 900, 3000], ids="{}-octets".format)
def test_responder_hands_on_the_whole_payload(peer_two: Peer, length: int) -> None:
    """Everything that stands after the header of an RDMA2_MSG reaches the program."""
    call = build.short(peer_two, peer_two.workload.long_call(length))

    peer_two.send(call)

    verify.chunks.served(peer_two, call)


@requirement("v2.1.only-eligible-items-are-reduced")
@pytest.mark.parametrize("request_of", ["small", "long_reply"])
def test_responder_leaves_an_ineligible_result_inline(peer_two: Peer, request_of: str) -> None:
    """A result that no binding names stays in the stream, though a Write chunk is offered."""
    work = peer_two.workload
    request = work.small() if request_of == "small" else work.long_reply(1000)
    call = build.call(peer_two, request, writes=((4096,),))

    peer_two.send(call)

    reply = verify.chunks.served(peer_two, call)
    back = reply.answer.body.rdma_writes
    used = sum(segment.length for chunk in back for segment in chunk.target)
    verify.equal(used, 0, "what the Write chunk is said to hold")


@requirement("v2.1.interoperates-without-optional-features", interpretations=("D-53",))
def test_responder_serves_a_requester_without_optional_features(peer_two: Peer) -> None:
    """A Requester that refuses every optional message and sends none is served all the same."""
    offered = peer_two.next_option(peer_two.profile.grace)
    if offered is not None:
        refusal = build.error(peer_two, ErrInvalidOption(), xid=offered.xid)
        peer_two.send(refusal)
    work = peer_two.workload
    calls = (
        build.small_call(peer_two),
        build.with_write_chunks(peer_two, work.fetch(3100)),
        build.long_reply(peer_two, work.long_reply(6000)),
    )

    for call in calls:
        peer_two.send(call)

        verify.chunks.served(peer_two, call)
