"""Mutants: Read chunks and Long Calls.

rfc8166 section 3.4.5  Read Chunks
rfc8166 section 3.5.3  Long Messages
rfc8166 section 4.3.1  Read List
rfc8166 section 6.1    DDP-Eligibility
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.responder.call_rules import CallRules
from rpcrdma.wire import ReadChunk
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.ulp.bindings import DataItem
    from rpcrdma.wire import FixedWords, RdmaMsg, RdmaNomsg, ReadSegment

BAD_HEADER = "rfc8166.4.5.bad-call-header-answered"
POSITION = "rfc8166.3.4.5.position-is-where-the-item-returns"


@mutant(
    breaks="rfc8166.3.4.5.segments-join-in-list-order",
    also_trips={
        **because.DISORDERED_ARGUMENTS,
        "rfc8166.6.1.reassembly-gives-a-valid-stream": because.DISORDERED,
    },
)
class JoinsSegmentsBackwards(CallRules):
    """Joins the segments of a Read chunk in reverse order."""

    def pull_order(self, chunk: ReadChunk) -> ReadChunk:
        return replace(chunk, target=chunk.target[::-1])


@mutant(
    breaks="rfc8166.3.4.5.segments-join-in-list-order",
    also_trips=dict.fromkeys(
        ("rfc8166.3.4.", "rfc8166.3.5.", "rfc8166.4.2.4.", "rfc8166.4.5."),
        "an argument in several segments arrives cut, whatever else is looked at",
    ),
)
class ReadsFirstSegmentOnly(CallRules):
    """Takes the first segment of each Read chunk and forgets the others."""

    def group(self, reads: tuple[ReadSegment, ...]) -> tuple[ReadChunk, ...]:
        return tuple(replace(chunk, target=chunk.target[:1]) for chunk in super().group(reads))


@mutant(
    breaks="rfc8166.4.3.1.read-list-groups-by-position",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream",
            "rfc8166.3.5.2.some-or-all-items-reduced",
        ),
        "two arguments in two Read chunks arrive as one",
    ),
)
class TakesReadListForOneChunk(CallRules):
    """Takes all read segments but those of Position zero for one Read chunk."""

    def group(self, reads: tuple[ReadSegment, ...]) -> tuple[ReadChunk, ...]:
        chunks = super().group(reads)
        zero = chunks[:1] if chunks[0].position == 0 else ()
        rest = chunks[len(zero) :]
        if not rest:
            return chunks
        target = tuple(segment for chunk in rest for segment in chunk.target)
        return (*zero, ReadChunk(rest[0].position, target))


@mutant(
    breaks="rfc8166.3.4.5.unaligned-segments-leave-no-gap",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.4.3.segment-offset",
            "rfc8166.3.4.5.2.roundup-in-either-place",
            "rfc8166.3.5.3.",
            "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream",
        ),
        "an argument in segments of odd length arrives with gaps in it",
    ),
)
class PadsEachReadSegment(CallRules):
    """Leaves a gap after each segment of odd length, as if it were an item of its own."""

    def assemble(self, call: IncomingCall, pulled: tuple[bytes, ...]) -> bytes:
        spread = tuple(
            _padded_segments(chunk, data) for chunk, data in zip(call.chunks, pulled, strict=True)
        )
        return super().assemble(call, spread)


@mutant(
    breaks=POSITION,
    also_trips={"rfc8166.3.4.4.": "the first of two arguments belongs elsewhere than at the end"},
)
class AppendsReadChunks(CallRules):
    """Puts what it pulled at the end of the stream, whatever the Position."""

    def assemble(self, call: IncomingCall, pulled: tuple[bytes, ...]) -> bytes:
        if call.inline:
            return call.inline + b"".join(data + bytes(-len(data) % 4) for data in pulled)
        return super().assemble(call, pulled)


@mutant(
    breaks="rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.4.3.segment-length-in-octets",
            "rfc8166.3.4.5.",
            "rfc8166.3.5.2.some-or-all-items-reduced",
            "rfc8166.8.2.2.",
        ),
        "what stands after an item of odd length cannot be decoded",
    ),
)
class DoesNotPadPulledItems(CallRules):
    """Puts an item back without the padding that its length asks for."""

    def assemble(self, call: IncomingCall, pulled: tuple[bytes, ...]) -> bytes:
        octets = call.inline
        if not octets:
            return super().assemble(call, pulled)
        for chunk, data in zip(call.chunks, pulled, strict=True):
            octets = octets[: chunk.position] + data + octets[chunk.position :]
        return octets


@mutant(
    breaks="rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream",
    also_trips={
        "rfc8166.3.5.2.some-or-all-items-reduced": (
            "what stands between two items, the first of odd length, cannot be decoded"
        )
    },
)
class TakesPaddingFromTheStream(CallRules):
    """Fills up to the next of several Read chunks with what belongs after it: as Linux 6.12."""

    # Positions count the padding of the items before; what is inline between two has none of it.
    def assemble(self, call: IncomingCall, pulled: tuple[bytes, ...]) -> bytes:
        if not call.inline or len(call.chunks) < 2:
            return super().assemble(call, pulled)
        octets, taken = b"", 0
        for chunk, data in zip(call.chunks, pulled, strict=True):
            end = taken + chunk.position - len(octets)
            octets += call.inline[taken:end] + data
            taken = end
        return octets + call.inline[taken:]


@mutant(
    breaks="rfc8166.3.4.5.2.roundup-in-either-place",
    also_trips={
        "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream": (
            "one of the two ways of sending the arguments is with padding"
        )
    },
)
class RefusesPaddedReadChunks(CallRules):
    """Refuses a Read chunk that includes roundup padding."""

    def judge_chunk_length(self, chunk: ReadChunk, item: DataItem) -> None:
        if chunk.length != item.length:
            raise FaultFound(Fault.READ_CHUNK_LENGTH)


@mutant(
    breaks="rfc8166.3.4.5.responder-pulls-read-chunks",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.4.3.segment-length-in-octets",
            "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream",
            "rfc8166.3.4.5.position-is-where-the-item-returns",
            "rfc8166.3.5.2.some-or-all-items-reduced",
            "rfc8166.3.5.3.large-stream-is-reduced-first",
            "rfc8166.8.2.2.",
        ),
        "every argument of odd length in a Read chunk is refused",
    ),
)
class WantsPaddedReadChunks(CallRules):
    """Refuses a Read chunk that does not include the roundup padding of its item."""

    def judge_chunk_length(self, chunk: ReadChunk, item: DataItem) -> None:
        if chunk.length != item.length + item.padding:
            raise FaultFound(Fault.READ_CHUNK_LENGTH)


@mutant(breaks=BAD_HEADER)
class RoundsPositionsDown(CallRules):
    """Rounds a Position that is no multiple of four down to one."""

    def take_short(
        self, words: FixedWords, body: RdmaMsg, payload: bytes, limit: int
    ) -> IncomingCall:
        reads = tuple(
            msgspec.structs.replace(segment, position=segment.position & ~3)
            for segment in body.rdma_reads
        )
        return super().take_short(
            words, msgspec.structs.replace(body, rdma_reads=reads), payload, limit
        )


@mutant(breaks="rfc8166.6.1.ineligible-argument-is-not-processed")
class ExecutesIneligibleReductions(CallRules):
    """Executes a call whatever arguments were reduced in it."""

    def judge_eligibility(self, chunk: ReadChunk) -> None:
        pass


@mutant(breaks="rfc8166.6.1.ineligible-argument-is-reported")
class DropsIneligibleReductions(CallRules):
    """Keeps silent about a call in which an argument was reduced that must not be."""

    def judge_eligibility(self, chunk: ReadChunk) -> None:
        raise FaultFound(Fault.NOT_A_CALL, f"Position {chunk.position}")


@mutant(
    breaks="rfc8166.4.2.4.nomsg-payload-by-rdma",
    also_trips={
        **because.NO_LONG_CALLS,
        **dict.fromkeys(
            (
                "rfc8166.3.3.1.credit-value-is-not-a-countdown",
                "rfc8166.3.3.1.credit-is-one-transaction",
                "rfc8166.3.3.3.1024-octets-unless-known",
            ),
            because.REFUSED_FORM,
        ),
        "rfc8166.8.2.2.": because.UNDER_GSS,
    },
)
class RefusesLongCalls(CallRules):
    """Answers every Long Call by ERR_CHUNK."""

    def judge_long_call(self, body: RdmaNomsg) -> None:
        raise FaultFound(Fault.NOMSG_WITHOUT_CALL)


@mutant(
    breaks="rfc8166.4.2.4.nomsg-payload-by-rdma",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.4.5.",
            "rfc8166.3.5.3.large-stream-is-reduced-first",
            "rfc8166.4.5.3.invalid-chunk-is-a-remote-access-error",
            "rfc8166.4.5.5.rpc-survives-connection-loss",
            "rfc8166.8.1.no-new-vulnerabilities",
            "rfc8166.8.2.2.",
        ),
        "large arguments in other Read chunks count, too",
    ),
)
class LimitsLongCalls(CallRules):
    """Refuses calls that are longer than a page."""

    def judge_size(self, chunks: tuple[ReadChunk, ...], inline: int, limit: int) -> None:
        super().judge_size(chunks, inline, 4096)


def _padded_segments(chunk: ReadChunk, data: bytes) -> bytes:
    if len(chunk.target) < 2:
        return data
    pieces = []
    start = 0
    for segment in chunk.target:
        piece = data[start : start + segment.length]
        pieces.append(piece + bytes(-len(piece) % 4))
        start += segment.length
    return b"".join(pieces)
