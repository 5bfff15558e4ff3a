"""RFC 8166 section 4.3.3, Reply Chunk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.client import build
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer

GARBAGE: Final = "rfc8166.4.5.2.unparsable-arguments-get-garbage-args"


@requirement(
    "rfc8166.4.3.3.reply-chunk-returned",
    "rfc8166.4.3.3.reply-chunk-lengths-tell-what-was-written",
    interpretations=("D-19",),
    means={"rfc8166.3.4.6.segment-count-returned": "rfc8166.4.3.3.reply-chunk-returned"},
)
@pytest.mark.parametrize(
    "sizes", [(4096,), (100, 100, 4000)], ids=["one-segment", "three-segments"]
)
@pytest.mark.parametrize("request_", ["null", "garbage"])
def test_responder_uses_a_reply_chunk_for_a_small_reply_or_not(
    peer: Peer, request_: str, sizes: tuple[int, ...]
) -> None:
    """A small Reply comes inline, the Reply chunk absent or empty, or as a Long Reply."""
    call = build.call(peer, getattr(peer.workload, request_)(), reply=sizes)

    peer.send(call)

    if request_ == "garbage":
        reply = verify.garbage_args(peer, call, breaks=GARBAGE)
        verify.chunks.returned(call, reply.answer)
    else:
        verify.chunks.answered(peer, call)


@requirement(
    "rfc8166.4.3.3.reply-chunk-returned",
    interpretations=("D-19",),
    means={"rfc8166.3.4.6.segment-count-returned": "rfc8166.4.3.3.reply-chunk-returned"},
)
def test_responder_returns_write_chunk_and_reply_chunk_together(peer: Peer) -> None:
    """A small Reply whose result is in a Write chunk, with a Reply chunk at hand."""
    call = build.with_write_chunks(peer, peer.workload.fetch(2000), ((2000,),), reply=(2048,))

    peer.send(call)

    verify.chunks.served(peer, call)


@requirement("rfc8166.4.3.three-optional-lists", "rfc8166.3.5.3.form-of-reply-follows-the-chunks")
def test_responder_takes_all_three_lists_at_once(peer: Peer) -> None:
    """Read chunk, Write chunk and Reply chunk in one Call are each what they are for."""
    data = pattern(1500, 24)
    call = build.call(
        peer, peer.workload.store(data), reads=((700,),), writes=((512,),), reply=(2048,)
    )

    peer.send(call)

    verify.chunks.stored(peer, call, data)
