"""The oracle's view of the Read list of a Call, and of what it takes out of the Payload stream.

rfc8166 section 3.4.4  Chunks (reducing)
rfc8166 section 3.4.5  Read Chunks
rfc8166 section 3.5.3  Long Messages
rfc8166 section 4.3.1  Read List
rfc8166 section 6.1    DDP-Eligibility
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from conformance.oracle.requester.state import Ids, Violation
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire import (
    RdmaMsg,
    RdmaNomsg,
    ReadChunk,
    ReadSegment,
    group_by_position,
    roundup_padding,
    rpc,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rpcrdma.ulp.bindings import DataItem, UpperLayer

__all__ = ["judge_items", "judge_read_list"]

_UNIT: Final = 4

Body = RdmaMsg | RdmaNomsg


def judge_read_list(body: Body, payload: bytes) -> Iterator[Violation]:
    """What shows without knowing the program.

    Args:
        body: of the Call.
        payload: the octets behind the header.
    """
    chunks = group_by_position(body.rdma_reads)
    yield from _form(body, chunks, payload)
    yield from _order(body.rdma_reads)
    for chunk in chunks:
        yield from _chunk(chunk)
    if isinstance(body, RdmaMsg):
        yield from _within_stream(chunks, len(payload))
    else:
        whole = sum(chunk.length for chunk in chunks if chunk.position == 0)
        yield from _within_stream(chunks, whole)


def _form(body: Body, chunks: tuple[ReadChunk, ...], payload: bytes) -> Iterator[Violation]:
    whole = next((chunk for chunk in chunks if chunk.position == 0), None)
    if isinstance(body, RdmaMsg):
        if whole is not None:
            rules: Ids = (
                "rfc8166.4.3.1.position-zero-chunk-carries-the-call",
                "rfc8166.3.4.3.reduced-item-leaves-the-stream",
                "rfc8166.3.4.5.position-counts-the-unreduced-stream",
            )
            reason = "a Position-Zero Read chunk in an RDMA_MSG"
            yield Violation(rules, reason, interpretations=("D-23",))
        return
    if payload:
        rules = (
            "rfc8166.4.2.4.nomsg-is-one",
            "rfc8166.3.5.3.long-message-sends-the-header-only",
        )
        reason = f"{len(payload)} octets behind the header of an RDMA_NOMSG"
        yield Violation(rules, reason, interpretations=("D-32",))
    if not (chunks or body.rdma_writes or body.rdma_reply is not None):
        yield Violation(("rfc8166.4.2.4.nomsg-has-a-list",), "an RDMA_NOMSG without any list")
    elif whole is None or not whole.length:
        rules = (
            "rfc8166.4.2.4.nomsg-lists-hold-the-payload",
            "rfc8166.3.5.3.long-call-in-a-read-chunk",
            "rfc8166.3.5.3.long-call-positions-are-zero",
        )
        reason = "an RDMA_NOMSG whose Position-Zero Read chunk is missing or empty"
        yield Violation(rules, reason, interpretations=("D-22",))
    elif whole.length % _UNIT:
        rules = ("rfc8166.3.5.3.long-message-keeps-roundup",)
        yield Violation(rules, f"a Payload stream of {whole.length} octets")


def _order(reads: tuple[ReadSegment, ...]) -> Iterator[Violation]:
    positions = [position for position, _ in groupby(segment.position for segment in reads)]
    if len(positions) != len(set(positions)):
        rules: Ids = (
            "rfc8166.4.3.1.read-list-groups-by-position",
            "rfc8166.3.4.5.same-position-throughout-a-chunk",
        )
        reason = f"the segments of a Read chunk are apart: Positions {positions}"
        yield Violation(rules, reason, warning=True, interpretations=("D-23",))
    elif positions != sorted(positions):
        rules = ("rfc8166.4.3.1.read-list-groups-by-position",)
        reason = f"Positions descend: {positions}"
        yield Violation(rules, reason, warning=True, interpretations=("D-23",))


def _chunk(chunk: ReadChunk) -> Iterator[Violation]:
    if chunk.position % _UNIT:
        rules: Ids = ("rfc8166.3.4.5.position-is-a-multiple-of-four",)
        yield Violation(rules, f"Position {chunk.position}", interpretations=("D-23",))
    if any(not segment.length for segment in chunk.target):
        rules = ("rfc8166.3.4.3.segment-length-in-octets",)
        reason = f"the Read chunk at Position {chunk.position} has a segment of no octets"
        yield Violation(rules, reason, warning=True, interpretations=("D-34",))


def _within_stream(chunks: tuple[ReadChunk, ...], kept: int) -> Iterator[Violation]:
    """Whether the chunks can be put into a stream of which `kept` octets came otherwise."""
    behind = 0  # of the unreduced stream: where the chunk before ends
    for chunk in sorted(chunks, key=lambda item: item.position):
        if chunk.position == 0:
            continue
        taken = chunk.position - behind
        if taken < 0 or taken > kept:
            rules = (
                "rfc8166.3.4.5.position-counts-the-unreduced-stream",
                "rfc8166.4.3.1.1.position-is-the-items-offset",
            )
            where = "inside another chunk" if taken < 0 else "behind the end of the stream"
            reason = f"Position {chunk.position} lies {where}"
            yield Violation(rules, reason, interpretations=("D-23",))
            return
        kept -= taken
        behind = chunk.position + chunk.length + roundup_padding(chunk.length)


def judge_items(body: Body, unreduced: bytes, layer: UpperLayer) -> Iterator[Violation]:
    """Whether what was taken out of the stream may be, as a whole and alone.

    Args:
        body: of the Call.
        unreduced: the RPC message.
        layer: the binding.
    """
    chunks = [
        chunk for chunk in group_by_position(body.rdma_reads) if chunk.position and chunk.length
    ]
    try:
        items = layer.arguments(unreduced)
    except DecodeError as error:
        yield _undecodable(error, chunks)
        return
    _, arguments = rpc.decode_message(unreduced)
    known = {item.position: item for item in items}
    for chunk in chunks:
        item = known.get(chunk.position)
        if item is None:
            yield _ineligible(chunk, items, arguments)
        else:
            yield from _whole_item(chunk, item)
    reduced = {chunk.position for chunk in chunks}
    for item in items:
        padding = unreduced[item.position + item.length : item.end]
        if item.position not in reduced and any(padding):
            rules = ("rfc8166.2.2.4.2.roundup-is-zero-octets",)
            yield Violation(rules, f"padding {padding.hex()} behind octet {item.position}")


def _undecodable(error: DecodeError, chunks: list[ReadChunk]) -> Violation:
    if error.reason is Reason.TRAILING and not chunks:
        rules: Ids = ("rfc8166.3.2.one-rpc-message-each",)
    elif error.reason is Reason.BAD_PADDING and not chunks:
        rules = ("rfc8166.2.2.4.2.roundup-is-zero-octets",)
    elif not chunks:
        rules = (
            "rfc8166.4.rpc-layout-is-unchanged",
            "rfc8166.3.4.5.header-advertises-read-chunks",
        )
    else:
        # What was done wrong in reducing does not show any more once the parts are joined.
        rules = (
            "rfc8166.6.1.reassembly-gives-a-valid-stream",
            "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream",
            "rfc8166.3.4.3.reduced-item-leaves-the-stream",
            "rfc8166.3.4.4.4.roundup-leaves-the-stream",
            "rfc8166.3.4.4.1.count-stays-in-the-stream",
            "rfc8166.3.4.5.position-counts-the-unreduced-stream",
            "rfc8166.6.1.ineligible-items-are-not-reduced",
            "rfc8166.3.4.5.2.length-without-roundup",
            "rfc8166.3.4.5.2.length-with-roundup",
            *_of_several_segments(chunks),
        )
    return Violation(rules, f"the arguments cannot be decoded: {error}")


def _of_several_segments(chunks: Iterable[ReadChunk]) -> Ids:
    """What may be wrong besides with chunks of the wrong length."""
    several = any(len(chunk.target) > 1 for chunk in chunks)
    return ("rfc8166.3.4.5.unaligned-segments-leave-no-gap",) if several else ()


def _ineligible(chunk: ReadChunk, items: tuple[DataItem, ...], arguments: int) -> Violation:
    """A chunk at whose Position no eligible item begins."""
    where = f"the Read chunk at Position {chunk.position}"
    lengths = {length for item in items for length in (item.length, item.length + item.padding)}
    if chunk.length in lengths:
        rules: Ids = (
            "rfc8166.4.3.1.1.position-is-the-items-offset",
            "rfc8166.3.4.5.position-counts-the-unreduced-stream",
        )
        reason = f"{where} is as long as an eligible argument that begins elsewhere"
        return Violation(rules, reason, interpretations=("D-23",))
    rules = (
        "rfc8166.6.1.ineligible-items-are-not-reduced",
        "rfc8166.3.4.2.only-eligible-items-are-reduced",
    )
    if not items:
        rules = (*rules, "rfc8166.6.1.binding-limits-procedures")
    rules = (*rules, *_cut_wrongly(chunk, items))
    if chunk.position < arguments:
        rules = ("rfc8166.8.2.2.gss-elements-are-not-reduced", *rules)
        return Violation(rules, f"{where} holds part of the RPC header")
    reason = f"{where} holds no DDP-eligible argument"
    return Violation(rules, reason, interpretations=("D-20",))


def _cut_wrongly(chunk: ReadChunk, items: tuple[DataItem, ...]) -> Ids:
    """What may be wrong besides with a chunk that begins inside an item, or before it."""
    end = chunk.position + chunk.length
    for item in items:
        if item.position < chunk.position < item.position + item.length:
            return (
                "rfc8166.3.4.4.1.elements-move-to-the-chunk",
                "rfc8166.3.4.5.same-position-throughout-a-chunk",
            )
        if chunk.position < item.position and item.position + item.length <= end:
            return (
                "rfc8166.3.4.4.1.count-stays-in-the-stream",
                "rfc8166.3.4.4.4.one-item-in-a-chunk",
            )
    return ()


def _whole_item(chunk: ReadChunk, item: DataItem) -> Iterator[Violation]:
    if chunk.length == item.length:
        return
    where = f"the Read chunk at Position {chunk.position} has {chunk.length} octets"
    if chunk.length == item.length + item.padding:
        rules: Ids = (
            "rfc8166.3.4.5.2.no-roundup-in-read-chunks",
            "rfc8166.8.2.2.3.roundup-of-reduced-items-not-transferred",
        )
        reason = f"{where}, padding included"
        yield Violation(rules, reason, warning=True, interpretations=("D-24",))
        return
    rules = (
        "rfc8166.3.4.5.2.length-without-roundup",
        "rfc8166.3.4.5.2.length-with-roundup",
        "rfc8166.3.4.4.1.elements-move-to-the-chunk",
        "rfc8166.3.4.4.4.one-item-in-a-chunk",
        *_of_several_segments((chunk,)),
    )
    yield Violation(rules, f"{where}, its argument {item.length}")
