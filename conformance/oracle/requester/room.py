"""The oracle's view of what a Call offers for its Reply: Write list and Reply chunk.

rfc8166 section 3.4.6  Write Chunks
rfc8166 section 4.3.2  Write List
rfc8166 section 4.3.3  Reply Chunk
rfc8166 section 6.2    Maximum Reply Size
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.oracle.requester.state import Ids, Violation
from rpcrdma.wire import (
    RdmaMsg,
    RdmaNomsg,
    WriteChunk,
    chunk_length,
    overlap,
    roundup_padding,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpcrdma.ulp.bindings import ReplyExpectation

__all__ = ["HEADER_LENGTH", "judge_room", "judge_segments"]

HEADER_LENGTH: Final = 28
"""Octets of a header of Version One without chunks."""

_CHUNK: Final = 8
"""Octets that a Write chunk adds beside its segments: presence and count."""

_SEGMENT: Final = 16

Body = RdmaMsg | RdmaNomsg


def judge_segments(body: Body) -> Iterator[Violation]:
    """What is wrong with Write and Reply chunks, whatever the Call is."""
    targets = [*enumerate(body.rdma_writes)]
    named = [(f"Write chunk {number}", chunk) for number, chunk in targets]
    if body.rdma_reply is not None:
        named.append(("the Reply chunk", body.rdma_reply))
        if not body.rdma_reply.target:
            rule = ("rfc8166.4.3.3.reply-chunk-absent-otherwise",)
            reason = "the Reply chunk has no segment"
            yield Violation(rule, reason, warning=True, interpretations=("D-34",))
    for name, chunk in named:
        if any(not segment.length for segment in chunk.target):
            rule = ("rfc8166.3.4.3.segment-length-in-octets",)
            reason = f"{name} has a segment of no octets"
            yield Violation(rule, reason, warning=True, interpretations=("D-34",))
    yield from _overlaps(body)


def judge_room(
    body: Body, expectation: ReplyExpectation, threshold: int, header: int = HEADER_LENGTH
) -> Iterator[Violation]:
    """Whether the chunks offered take the largest Reply, and no more are offered than are allowed.

    Args:
        body: of the Call.
        expectation: the largest Reply that the binding knows of.
        threshold: inline threshold of Replies.
        header: octets of the header of a Reply without chunks.
    """
    yield from _write_list(body.rdma_writes, expectation.items)
    yield from _reply_chunk(body, expectation, threshold, header)


def _write_list(writes: tuple[WriteChunk, ...], items: tuple[int, ...]) -> Iterator[Violation]:
    if writes and not items:
        rules: Ids = (
            "rfc8166.4.3.2.write-list-empty-without-results",
            "rfc8166.6.1.binding-limits-procedures",
        )
        yield Violation(rules, f"{len(writes)} Write chunks, and no result may be reduced")
        return
    if len(writes) > len(items):
        rules = ("rfc8166.6.1.binding-limits-chunks",)
        if len(items) == 1:
            rules = ("rfc8166.4.3.2.1.one-chunk-for-one-result", *rules)
        yield Violation(rules, f"{len(writes)} Write chunks for {len(items)} results")
    for number, chunk in enumerate(writes[: len(items)]):
        if chunk.target:
            yield from _write_chunk(number, chunk, items[number:])


def _write_chunk(
    number: int, chunk: WriteChunk, candidates: tuple[int, ...]
) -> Iterator[Violation]:
    """One Write chunk; a result lands in it if those before it have no data (4.3.2.2)."""
    room, largest = chunk_length(chunk), max(candidates)
    if room < largest:
        rules: Ids = ("rfc8166.3.4.6.write-chunk-holds-the-largest-result",)
        if len(candidates) > 1:
            rules = (
                "rfc8166.4.3.2.2.each-chunk-fits-any-candidate",
                "rfc8166.4.3.2.1.each-chunk-holds-its-largest-candidate",
                *rules,
            )
        rules = (*rules, "rfc8166.6.2.reply-resources-for-the-maximum")
        reason = f"Write chunk {number} has {room} octets, the largest result {largest}"
        yield Violation(rules, reason)
    elif roundup_padding(largest) and room == largest + roundup_padding(largest):
        rules = ("rfc8166.3.4.6.2.no-room-for-roundup",)
        reason = f"Write chunk {number} has room for the padding of {largest} octets"
        yield Violation(rules, reason, warning=True)


def _reply_chunk(
    body: Body, expectation: ReplyExpectation, threshold: int, plain: int
) -> Iterator[Violation]:
    segments = sum(len(chunk.target) for chunk in body.rdma_writes)
    header = plain + _CHUNK * len(body.rdma_writes) + _SEGMENT * segments
    # What has a chunk of its own does not travel in the stream; a result that is missing leaves
    # the Reply shorter by as much.
    reduced = sum(
        largest + roundup_padding(largest)
        for largest, chunk in zip(expectation.items, body.rdma_writes, strict=False)
        if chunk.target
    )
    stream = expectation.maximum - reduced
    offered = None if body.rdma_reply is None else chunk_length(body.rdma_reply)
    if header + stream > threshold:
        size = f"the largest Reply takes {header + stream} octets, the threshold is {threshold}"
        if not offered:
            rules: Ids = (
                "rfc8166.4.3.3.reply-chunk-when-reply-may-not-fit",
                "rfc8166.3.5.3.long-reply-in-the-reply-chunk",
                "rfc8166.6.2.reply-resources-for-the-maximum",
            )
            yield Violation(rules, f"no Reply chunk: {size}", interpretations=("D-18",))
        elif offered < stream:
            rules = (
                "rfc8166.3.5.3.reply-chunk-holds-the-largest-reply",
                "rfc8166.6.2.reply-resources-for-the-maximum",
            )
            yield Violation(rules, f"the Reply chunk has {offered} octets for {stream}")
    elif offered and not expectation.guessed and header + expectation.maximum + _CHUNK <= threshold:
        rules = ("rfc8166.4.3.3.reply-chunk-absent-otherwise",)
        reason = f"a Reply chunk, although {header + expectation.maximum} octets are the most"
        yield Violation(rules, reason, warning=True, interpretations=("D-18",))


def _overlaps(body: Body) -> Iterator[Violation]:
    """Memory to be written that is offered for two things at once."""
    written = [segment for chunk in body.rdma_writes for segment in chunk.target]
    if body.rdma_reply is not None:
        written += body.rdma_reply.target
    read = [item.target for item in body.rdma_reads]
    for number, segment in enumerate(written):
        for other in (*written[number + 1 :], *read):
            if shared := overlap(segment, other):
                rules = (
                    "rfc8166.3.4.4.4.one-item-in-a-chunk",
                    "rfc8166.3.4.3.header-describes-the-memory",
                )
                reason = f"{shared} octets under handle {segment.handle:#x} are offered twice"
                yield Violation(rules, reason)
