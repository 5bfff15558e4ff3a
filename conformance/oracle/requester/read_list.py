"""The oracle's view of the Read list of a Call, and of what it takes out of the Payload stream.

rfc8166 section 3.4.4  Chunks (reducing)
rfc8166 section 3.4.5  Read Chunks
rfc8166 section 3.5.3  Long Messages
rfc8166 section 4.3.1  Read List
rfc8166 section 6.1    DDP-Eligibility
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Final

from conformance.oracle.verdict import BrokenRule, FaultyField, Ids, broken_rule
from reports.record import Verdict
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
from rpcrdma.wire.words import in_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rpcrdma.ulp.bindings import DataItem, UpperLayer

__all__ = ["judge_items", "judge_read_list"]

_UNIT: Final = 4
_WITHOUT_NEED: Final = "rfc8166.4.3.1.read-list-empty-without-need"

Body = RdmaMsg | RdmaNomsg


def judge_read_list(body: Body, payload: bytes, version: int) -> Iterator[BrokenRule]:
    """What shows without knowing the program.

    Args:
        body: of the Call.
        payload: the octets after the header.
        version: of the message.
    """
    chunks = group_by_position(body.rdma_reads)
    yield from _form(body, chunks, payload, version)
    yield from _order(body.rdma_reads, version)
    for chunk in chunks:
        yield from _chunk(chunk, body.rdma_reads, version)
    kept = len(payload)
    if not isinstance(body, RdmaMsg):
        kept = sum(chunk.length for chunk in chunks if chunk.position == 0)
    yield from _within_stream(chunks, body.rdma_reads, kept, version)


def _path(
    reads: tuple[ReadSegment, ...], chunk: ReadChunk, name: str, *, empty: bool = False
) -> str:
    """The path of a word of a chunk's first segment, or of its first one without octets."""
    of_chunk = (
        number
        for number, segment in enumerate(reads)
        if segment.position == chunk.position and not (empty and segment.target.length)
    )
    return f"rdma_body.rdma_reads[{next(of_chunk, 0)}].{name}"


def _form(
    body: Body, chunks: tuple[ReadChunk, ...], payload: bytes, version: int
) -> Iterator[BrokenRule]:
    whole = next((chunk for chunk in chunks if chunk.position == 0), None)
    if isinstance(body, RdmaMsg):
        if whole is not None:
            # D-23: Position zero would put the chunk before the RPC header that came inline.
            rules: Ids = (
                "rfc8166.4.3.1.position-zero-chunk-carries-the-call",
                "rfc8166.3.4.3.reduced-item-leaves-the-stream",
                "rfc8166.3.4.5.position-counts-the-unreduced-stream",
            )
            # rfc8166 3.5.3: with nothing inline it is a Long Call, but for its procedure.
            if not payload:
                rules = (*rules, "rfc8166.3.5.3.long-call-in-a-read-chunk")
            detail = "a Position-Zero Read chunk in an RDMA_MSG"
            where = _path(body.rdma_reads, whole, "position")
            yield broken_rule(rules, detail, version, ("D-23",), where=where)
        return
    # rfc8166 4.2.4: the Payload stream is in the chunks, so these octets are none of it (D-32).
    if payload:
        rules = (
            "rfc8166.4.2.4.nomsg-is-one",
            "rfc8166.3.5.3.long-message-sends-the-header-only",
        )
        detail = f"{len(payload)} octets after the header of an RDMA_NOMSG"
        yield broken_rule(rules, detail, version, ("D-32",), where="payload")
    if not (chunks or body.rdma_writes or body.rdma_reply is not None):
        yield broken_rule(
            "rfc8166.4.2.4.nomsg-has-a-list", "an RDMA_NOMSG without any list", version
        )
    elif whole is None or not whole.length:
        # rfc8166 3.5.3: a Call is long by its Position-Zero Read chunk; Write list and Reply chunk
        # are for the Reply alone (D-22).
        rules = (
            "rfc8166.4.2.4.nomsg-lists-hold-the-payload",
            "rfc8166.3.5.3.long-call-in-a-read-chunk",
            "rfc8166.3.5.3.long-call-positions-are-zero",
        )
        detail = "an RDMA_NOMSG whose Position-Zero Read chunk is missing or empty"
        yield broken_rule(rules, detail, version, ("D-22",))
    elif whole.length % _UNIT:
        # rfc8166 3.5.3: an RPC message is a multiple of four; its padding is no item's roundup.
        rules = ("rfc8166.3.5.3.long-message-keeps-roundup",)
        yield broken_rule(rules, f"a Payload stream of {whole.length} octets", version)


def _order(reads: tuple[ReadSegment, ...], version: int) -> Iterator[BrokenRule]:
    positions = [position for position, _ in groupby(segment.position for segment in reads)]
    # D-23: a receiver can put the chunks together in any order, so that it is only a warning.
    if len(positions) != len(set(positions)):
        rules: Ids = (
            "rfc8166.4.3.1.read-list-groups-by-position",
            "rfc8166.3.4.5.same-position-throughout-a-chunk",
        )
        detail = f"the segments of a Read chunk are apart: Positions {in_words(positions)}"
        yield broken_rule(rules, detail, version, ("D-23",), Verdict.WARN)
    elif positions != sorted(positions):
        rules = ("rfc8166.4.3.1.read-list-groups-by-position",)
        detail = f"Positions descend: {in_words(positions)}"
        yield broken_rule(rules, detail, version, ("D-23",), Verdict.WARN)


def _chunk(chunk: ReadChunk, reads: tuple[ReadSegment, ...], version: int) -> Iterator[BrokenRule]:
    # rfc8166 3.4.5: every item of an XDR stream begins at a multiple of four.
    if chunk.position % _UNIT:
        rules: Ids = ("rfc8166.3.4.5.position-is-a-multiple-of-four",)
        where = _path(reads, chunk, "position")
        detail = f"Position {chunk.position} is no multiple of four"
        yield broken_rule(rules, detail, version, ("D-23",), where=where)
    if any(not segment.length for segment in chunk.target):
        rules = ("rfc8166.3.4.3.segment-length-in-octets",)
        detail = f"the Read chunk at Position {chunk.position} has a segment of no octets"
        where = _path(reads, chunk, "target.length", empty=True)
        yield broken_rule(rules, detail, version, ("D-34",), Verdict.WARN, where)


def _within_stream(
    chunks: tuple[ReadChunk, ...], reads: tuple[ReadSegment, ...], kept: int, version: int
) -> Iterator[BrokenRule]:
    """Whether the chunks can be put into a stream of which `kept` octets came otherwise."""
    after = 0  # of the unreduced stream: where the chunk before ends
    for chunk in sorted(chunks, key=lambda item: item.position):
        if chunk.position == 0:
            continue
        taken = chunk.position - after
        # rfc8166 3.4.5: Position counts what other chunks hold, too, so that the octets between two
        # chunks are just those that came otherwise.
        if taken < 0 or taken > kept:
            rules = (
                "rfc8166.3.4.5.position-counts-the-unreduced-stream",
                "rfc8166.4.3.1.1.position-is-the-items-offset",
            )
            where = "inside another chunk" if taken < 0 else "after the end of the stream"
            detail = f"Position {chunk.position} lies {where}"
            place = _path(reads, chunk, "position")
            yield broken_rule(rules, detail, version, ("D-23",), where=place)
            return
        kept -= taken
        # rfc8166 3.4.5.2: padding counts in the stream, whether the chunk holds it or not.
        after = chunk.position + chunk.length + roundup_padding(chunk.length)


def judge_items(
    body: Body, unreduced: bytes, layer: UpperLayer, version: int
) -> Iterator[BrokenRule]:
    """Whether what was taken out of the stream may be, as a whole and alone.

    Args:
        body: of the Call.
        unreduced: the RPC message.
        layer: the binding.
        version: of the message.
    """
    chunks = [
        chunk for chunk in group_by_position(body.rdma_reads) if chunk.position and chunk.length
    ]
    try:
        items = layer.arguments(unreduced)
    except DecodeError as error:
        yield _undecodable(error, chunks, version)
        return
    _, arguments = rpc.decode_message(unreduced)
    # rfc8166 4.3.1: a Read list says that an argument is reduced, be it without octets (D-34); of a
    # chunk that holds any `_ineligible` says so.
    listed = sum(bool(segment.position) for segment in body.rdma_reads)
    if listed and not items and not chunks:
        detail = f"{listed} read segments, and no argument may be reduced"
        yield broken_rule(_WITHOUT_NEED, detail, version)
    known = {item.position: item for item in items}
    for chunk in chunks:
        item = known.get(chunk.position)
        if item is None:
            path = _path(body.rdma_reads, chunk, "position")
            yield _about(_ineligible(chunk, items, arguments, version), path)
        else:
            path = _path(body.rdma_reads, chunk, "target.length")
            yield from (_about(rule, path) for rule in _whole_item(chunk, item, version))
    reduced = {chunk.position for chunk in chunks}
    for item in items:
        padding = unreduced[item.position + item.length : item.end]
        if item.position not in reduced and any(padding):
            rules = ("rfc8166.2.2.4.2.roundup-is-zero-octets",)
            yield broken_rule(
                rules, f"padding {padding.hex()} after octet {item.position}", version
            )


def _undecodable(error: DecodeError, chunks: list[ReadChunk], version: int) -> BrokenRule:
    # Without chunks the octets are as they were sent, and the fault is where the decoder stopped.
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
        # rfc8166 4.3.1: octets too many were left in the stream, or are in the chunk as well.
        if error.reason is Reason.TRAILING:
            rules = (*rules, "rfc8166.4.3.1.listed-arguments-are-reduced")
    return broken_rule(rules, f"the arguments cannot be decoded: {error}", version)


def _of_several_segments(chunks: Iterable[ReadChunk]) -> Ids:
    """What may be wrong besides with chunks of the wrong length."""
    several = any(len(chunk.target) > 1 for chunk in chunks)
    return ("rfc8166.3.4.5.unaligned-segments-leave-no-gap",) if several else ()


def _about(rule: BrokenRule, path: str) -> BrokenRule:
    return replace(rule, fields=(FaultyField(path, rule.detail),))


def _ineligible(
    chunk: ReadChunk, items: tuple[DataItem, ...], arguments: int, version: int
) -> BrokenRule:
    """A chunk at whose Position no eligible item begins."""
    where = f"the Read chunk at Position {chunk.position}"
    lengths = {length for item in items for length in (item.length, item.length + item.padding)}
    # D-23: with the length of an item, what is wrong is its Position; with any other, the choice.
    if chunk.length in lengths:
        rules: Ids = (
            "rfc8166.4.3.1.1.position-is-the-items-offset",
            "rfc8166.3.4.5.position-counts-the-unreduced-stream",
        )
        detail = f"{where} is as long as an eligible argument that begins elsewhere"
        return broken_rule(rules, detail, version, ("D-23",))
    rules = (
        "rfc8166.6.1.ineligible-items-are-not-reduced",
        "rfc8166.3.4.2.only-eligible-items-are-reduced",
    )
    if not items:
        rules = (*rules, "rfc8166.6.1.binding-limits-procedures", _WITHOUT_NEED)
    rules = (*rules, *_cut_wrongly(chunk, items))
    # rfc8166 8.2.2: the RPC header is the flavor's, and no binding makes any of it eligible.
    if chunk.position < arguments:
        rules = ("rfc8166.8.2.2.gss-elements-are-not-reduced", *rules)
        return broken_rule(rules, f"{where} holds part of the RPC header", version)
    detail = f"{where} holds no DDP-eligible argument"
    return broken_rule(rules, detail, version, ("D-20",))


def _cut_wrongly(chunk: ReadChunk, items: tuple[DataItem, ...]) -> Ids:
    """What may be wrong besides with a chunk that begins inside an item, or before it."""
    end = chunk.position + chunk.length
    for item in items:
        if item.position < chunk.position < item.position + item.length:
            return (
                "rfc8166.3.4.4.1.elements-move-to-the-chunk",
                "rfc8166.3.4.5.same-position-throughout-a-chunk",
                "rfc8166.4.3.1.read-list-groups-by-position",
            )
        if chunk.position < item.position and item.position + item.length <= end:
            return (
                "rfc8166.3.4.4.1.count-stays-in-the-stream",
                "rfc8166.3.4.4.4.one-item-in-a-chunk",
            )
    return ()


def _whole_item(chunk: ReadChunk, item: DataItem, version: int) -> Iterator[BrokenRule]:
    if chunk.length == item.length:
        return
    where = f"the Read chunk at Position {chunk.position} has {chunk.length} octets"
    # rfc8166 3.4.5.2: SHOULD NOT, and a Responder must bear it (D-24).
    if chunk.length == item.length + item.padding:
        rules: Ids = (
            "rfc8166.3.4.5.2.no-roundup-in-read-chunks",
            "rfc8166.8.2.2.3.roundup-of-reduced-items-not-transferred",
        )
        detail = f"{where}, padding included"
        yield broken_rule(rules, detail, version, ("D-24",), Verdict.WARN)
        return
    rules = (
        "rfc8166.3.4.5.2.length-without-roundup",
        "rfc8166.3.4.5.2.length-with-roundup",
        "rfc8166.3.4.4.1.elements-move-to-the-chunk",
        "rfc8166.3.4.4.4.one-item-in-a-chunk",
        *_of_several_segments((chunk,)),
    )
    yield broken_rule(rules, f"{where}, its argument {item.length}", version)
