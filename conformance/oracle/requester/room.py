"""The oracle's view of what a Call offers for its Reply: Write list and Reply chunk.

rfc8166 section 3.4.6  Write Chunks
rfc8166 section 4.3.2  Write List
rfc8166 section 4.3.3  Reply Chunk
rfc8166 section 6.2    Maximum Reply Size
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.oracle.header import VERSION_TWO
from conformance.oracle.sizes import CHUNK, HEADER_ONE, HEADER_TWO, SEGMENT
from conformance.oracle.verdict import BrokenRule, Ids, broken_rule
from reports.record import Verdict
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

__all__ = ["judge_room", "judge_segments"]

_NO_CHUNKS: Final = (
    "rfc8166.4.3.no-chunks-all-absent",
    "rfc8166.4.7.no-chunks-three-zero-words",
)
"""What a message without a segment in any list breaks, if one of them is marked as present."""

Body = RdmaMsg | RdmaNomsg


def judge_segments(body: Body, version: int) -> Iterator[BrokenRule]:
    """What is wrong with Write and Reply chunks, whatever the Call is."""
    targets = [*enumerate(body.rdma_writes)]
    named = [(f"Write chunk {number}", chunk) for number, chunk in targets]
    if body.rdma_reply is not None:
        named.append(("the Reply chunk", body.rdma_reply))
        if not body.rdma_reply.target:
            # D-34: the XDR allows it, and no document gives it a meaning.
            rule: Ids = ("rfc8166.4.3.3.reply-chunk-absent-otherwise",)
            if not body.rdma_reads and not body.rdma_writes:
                rule = (*rule, *_NO_CHUNKS)
            detail = "the Reply chunk has no segment"
            yield broken_rule(rule, detail, version, ("D-34",), Verdict.WARN)
    for name, chunk in named:
        empty = [place for place, segment in enumerate(chunk.target) if not segment.length]
        if empty:
            rule = ("rfc8166.3.4.3.segment-length-in-octets",)
            detail = f"{name} has a segment of no octets"
            path = f"{_path(name)}.target[{empty[0]}].length"
            yield broken_rule(rule, detail, version, ("D-34",), Verdict.WARN, path)
    yield from _overlaps(body, version)


def _path(name: str) -> str:
    """The path of a chunk that is called so here."""
    number = name.removeprefix("Write chunk ")
    return "rdma_body.rdma_reply" if number == name else f"rdma_body.rdma_writes[{number}]"


def judge_room(
    body: Body, expectation: ReplyExpectation, threshold: int, version: int, told: int = 0
) -> Iterator[BrokenRule]:
    """Whether the chunks offered take the largest Reply, and no more are offered than are allowed.

    Args:
        body: of the Call.
        expectation: the largest Reply that the binding knows of.
        threshold: inline threshold of Replies.
        version: of the Call, and so of its Reply.
        told: the size by which the Requester may offer a Reply chunk, where that is another.
    """
    yield from _write_list(body.rdma_writes, expectation.items, version)
    yield from _reply_chunk(body, expectation, threshold, version, told or threshold)


def _write_list(
    writes: tuple[WriteChunk, ...], items: tuple[int, ...], version: int
) -> Iterator[BrokenRule]:
    # rfc8166 4.3.2: a Write list says that a result may be reduced; here the binding has none.
    if writes and not items:
        rules: Ids = (
            "rfc8166.4.3.2.write-list-empty-without-results",
            "rfc8166.6.1.binding-limits-procedures",
        )
        yield broken_rule(
            rules, f"{len(writes)} Write chunks, and no result may be reduced", version
        )
        return
    if len(writes) > len(items):
        rules = ("rfc8166.6.1.binding-limits-chunks",)
        if len(items) == 1:
            rules = ("rfc8166.4.3.2.1.one-chunk-for-one-result", *rules)
        detail = f"{len(writes)} Write chunks for {len(items)} results"
        yield broken_rule(rules, detail, version, where="rdma_body.rdma_writes")
    for number, chunk in enumerate(writes[: len(items)]):
        # rfc8166 4.3.2.3: an empty chunk asks that its result be left in the stream.
        if chunk.target:
            yield from _write_chunk(number, chunk, items[number:], version)


def _write_chunk(
    number: int, chunk: WriteChunk, candidates: tuple[int, ...], version: int
) -> Iterator[BrokenRule]:
    """One Write chunk; a result lands in it if those before it have no data (4.3.2.2)."""
    # rfc8166 4.3.2.2: so it must take the largest of its own result and all later ones.
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
        detail = f"Write chunk {number} has {room} octets, the largest result {largest}"
        yield broken_rule(rules, detail, version, where=f"rdma_body.rdma_writes[{number}]")
    # rfc8166 3.4.6.2: padding is not written.  Room that is larger by chance says nothing; room
    # that is larger by just the padding says that the padding was counted.
    elif roundup_padding(largest) and room == largest + roundup_padding(largest):
        rules = ("rfc8166.3.4.6.2.no-room-for-roundup",)
        detail = f"Write chunk {number} has room for the padding of {largest} octets"
        where = f"rdma_body.rdma_writes[{number}]"
        yield broken_rule(rules, detail, version, severity=Verdict.WARN, where=where)


def _reply_chunk(
    body: Body, expectation: ReplyExpectation, threshold: int, version: int, told: int
) -> Iterator[BrokenRule]:
    segments = sum(len(chunk.target) for chunk in body.rdma_writes)
    # rfc8166 4.3.2: the Reply returns every Write chunk, so each makes its header longer.
    plain = HEADER_TWO if version == VERSION_TWO else HEADER_ONE
    header = plain + CHUNK * len(body.rdma_writes) + SEGMENT * segments
    # rfc8166 3.4.4: what has a chunk of its own does not travel in the stream, padding included; a
    # result that is missing leaves the Reply shorter by as much.
    reduced = sum(
        largest + roundup_padding(largest)
        for largest, chunk in zip(expectation.items, body.rdma_writes, strict=False)
        if chunk.target
    )
    stream = expectation.maximum - reduced
    offered = None if body.rdma_reply is None else chunk_length(body.rdma_reply)
    # rfc8166 4.3.3: header and stream count together, since they share one Send (D-18).
    if header + stream > threshold:
        size = f"the largest Reply takes {header + stream} octets, the threshold is {threshold}"
        if not offered:
            rules: Ids = (
                "rfc8166.4.3.3.reply-chunk-when-reply-may-not-fit",
                "rfc8166.3.5.3.long-reply-in-the-reply-chunk",
                "rfc8166.6.2.reply-resources-for-the-maximum",
            )
            yield broken_rule(rules, f"no Reply chunk: {size}", version, ("D-18",))
        elif offered < stream:
            # rfc8166 3.5.3: a Long Reply puts the whole stream there, and nothing of the header.
            rules = (
                "rfc8166.3.5.3.reply-chunk-holds-the-largest-reply",
                "rfc8166.6.2.reply-resources-for-the-maximum",
            )
            detail = f"the Reply chunk has {offered} octets for {stream}"
            yield broken_rule(rules, detail, version, where="rdma_body.rdma_reply")
    # rfc8166 4.3.3: whoever knows that the Reply fits offers no Reply chunk.  It is held against a
    # Requester only if the length is known, and with an unused Reply chunk still in the header.
    elif offered and not expectation.guessed and header + expectation.maximum + CHUNK <= told:
        rules = ("rfc8166.4.3.3.reply-chunk-absent-otherwise",)
        detail = f"a Reply chunk, although {header + expectation.maximum} octets are the most"
        yield broken_rule(rules, detail, version, ("D-18",), Verdict.WARN)


def _overlaps(body: Body, version: int) -> Iterator[BrokenRule]:
    """Memory to be written that is offered for two things at once."""
    # rfc8166 3.4.3: what two chunks share would hold the result that was written last.
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
                detail = f"{shared} octets under handle {segment.handle:#x} are offered twice"
                yield broken_rule(rules, detail, version)
