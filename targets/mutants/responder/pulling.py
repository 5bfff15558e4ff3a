"""Mutants: how Read chunks are pulled and put back into the Payload stream.

rfc8166 section 3.4.1  Reducing an XDR Stream
rfc8166 section 3.4.3  RDMA Segments
rfc8166 section 3.4.5  Read Chunks
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from rpcrdma.endpoint.core.actions import RdmaRead
from rpcrdma.endpoint.core.driver import Driver
from rpcrdma.endpoint.core.placement import transfers
from rpcrdma.endpoint.responder.call_rules import CallRules
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.wire import ReadChunk, group_by_position
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action, Send
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.wire import ReadSegment

PADDED = "padding of one of two arguments in Read chunks is taken for data"


@mutant(
    breaks="rfc8166.2.2.4.2.roundup-stays-below-the-ulp",
    also_trips={
        "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream": PADDED,
        "rfc8166.4.5.bad-call-header-answered": PADDED,
    },
)
class CountsRoundupAsData(CallRules):
    """Hands the padding in a Read chunk to the program as the end of the argument."""

    def assemble(self, call: IncomingCall, pulled: tuple[bytes, ...]) -> bytes:
        octets = super().assemble(call, pulled)
        for chunk, data in zip(call.chunks, pulled, strict=True):
            start = chunk.position
            if start and len(data) > int.from_bytes(octets[start - 4 : start]):
                octets = octets[: start - 4] + len(data).to_bytes(4) + octets[start:]
        return octets


@mutant(
    breaks="rfc8166.3.4.1.placed-items-are-skipped-in-decoding",
    also_trips=dict.fromkeys(
        (
            "bidir.1.5.2.forward-direction-is-undisturbed",
            "rfc8166.3.3.1.no-unsolicited-messages-to-idle-requester",
            "rfc8166.3.4.",
            "rfc8166.3.5.2.some-or-all-items-reduced",
            "rfc8166.4.3.three-optional-lists",
            "rfc8166.4.5.",
            "rfc8166.8.1.no-new-vulnerabilities",
            "rfc8166.8.2.2.",
        ),
        because.LOST_ARGUMENT,
    ),
)
class DecodesTheReducedStream(CallRules):
    """Takes the reduced stream of an RDMA_MSG for the call, without what is in its chunks."""

    def assemble(self, call: IncomingCall, pulled: tuple[bytes, ...]) -> bytes:
        return call.inline or super().assemble(call, pulled)


@mutant(breaks="rfc8166.3.4.3.segment-offset")
class JoinsSegmentsOverTheirRoundup(CallRules):
    """Reads segments of one handle as one if the next begins where the roundup of the last ends."""

    def pull_order(self, chunk: ReadChunk) -> ReadChunk:
        joined = list(chunk.target[:1])
        for segment in chunk.target[1:]:
            last = joined[-1]
            end = last.offset + last.length
            if segment.handle == last.handle and segment.offset == end + -end % 4:
                length = last.length + segment.length
                joined[-1] = msgspec.structs.replace(last, length=length)
            else:
                joined.append(segment)
        return replace(chunk, target=tuple(joined))


@mutant(breaks="rfc8166.3.4.3.segment-offset")
class ReadsFromRoundOffsets(CallRules):
    """Reads each segment from the last multiple of 64 before its offset."""

    def pull_order(self, chunk: ReadChunk) -> ReadChunk:
        rounded = (
            msgspec.structs.replace(segment, offset=segment.offset & ~63)
            for segment in chunk.target
        )
        return replace(chunk, target=tuple(rounded))


@mutant(
    breaks="rfc8166.3.4.5.further-segments-follow-the-first",
    also_trips=because.DISORDERED_ARGUMENTS,
)
class PutsTheFirstSegmentLast(CallRules):
    """Puts the octets of a Read chunk's first segment after those of its others."""

    def assemble(self, call: IncomingCall, pulled: tuple[bytes, ...]) -> bytes:
        turned = tuple(
            data[chunk.target[0].length :] + data[: chunk.target[0].length]
            for chunk, data in zip(call.chunks, pulled, strict=True)
        )
        return super().assemble(call, turned)


@mutant(
    breaks="rfc8166.3.5.2.read-chunks-fetched-by-rdma-read",
    also_trips=dict.fromkeys(
        (
            "bidir.1.5.2.forward-direction-is-undisturbed",
            "rfc8166.3.3.1.",
            "rfc8166.3.3.3.1024-octets-unless-known",
            "rfc8166.3.4.",
            "rfc8166.3.5.",
            "rfc8166.4.2.4.",
            "rfc8166.4.3.1.",
            "rfc8166.4.5.",
            "rfc8166.6.1.",
            "rfc8166.8.1.",
            "rfc8166.8.2.2.",
        ),
        because.LOST_ARGUMENT,
    ),
)
class ReadsNothing(Responder):
    """Takes octets of zero for what is in Read chunks, and reads nothing."""

    def _accept(self, call: IncomingCall) -> list[Action]:
        if not call.chunks:
            return super()._accept(call)
        return self._take_pulled(call, bytes(sum(chunk.length for chunk in call.chunks)))


@mutant(
    breaks="rfc8166.4.5.3.invalid-chunk-is-a-remote-access-error",
    also_trips=dict.fromkeys(
        (
            "bidir.1.5.2.forward-direction-is-undisturbed",
            "rfc8166.3.4.5.",
            "rfc8166.3.5.3.",
            "rfc8166.4.5.3.",
            "rfc8166.4.5.5.rpc-survives-connection-loss",
            "rfc8166.8.1.no-new-vulnerabilities",
            "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream",
            "rfc8166.8.2.2.",
        ),
        because.LOST_ARGUMENT,
    ),
)
class AnswersBeforeItHasRead(Responder):
    """Executes a call with octets of zero in place of Read chunks of more than 2500 octets."""

    def _accept(self, call: IncomingCall) -> list[Action]:
        length = sum(chunk.length for chunk in call.chunks)
        return self._take_pulled(call, bytes(length)) if length > 2500 else super()._accept(call)


@mutant(breaks="rfc8166.4.3.1.1.position-tells-where-to-reinsert")
class MatchesChunksByOrder(CallRules):
    """Gives the lowest Position to the Read chunk that comes first, whatever its own is."""

    def group(self, reads: tuple[ReadSegment, ...]) -> tuple[ReadChunk, ...]:
        listed = group_by_position(reads)
        positions = sorted(chunk.position for chunk in listed)
        return tuple(
            replace(chunk, position=position)
            for chunk, position in zip(listed, positions, strict=True)
        )


@mutant(breaks="rfc8166.3.4.5.1.reply-ends-use-of-read-chunks")
class ReadsAgainAfterItReplied(Responder):
    """Reads the Read chunks of an answered call once more when the next message comes."""

    def repost(self) -> list[Action]:
        answered = [call for _, call in self._work if call.chunks]
        if not answered:
            return super().repost()
        call = answered[-1]
        key = self._key(replace(call, chunks=()))
        # What comes of it is no call, and is dropped.
        self._pulling[key] = replace(call, inline=b"", chunks=())
        self._in_progress += 1
        target = [segment for chunk in call.chunks for segment in chunk.target]
        lengths = [segment.length for segment in target]
        return [*super().repost(), RdmaRead(key, sum(lengths), transfers(target, lengths))]


@mutant(
    breaks="v2.1.read-chunks-as-before",
    roles=("responder",),
    also_trips={
        "rfc8166.3.5.2.writes-precede-the-reply": "RDMA Writes overfill the queue, as Reads do"
    },
)
class CountsSendsDownAlone(Driver):
    """Does not count a Send among what is in progress, and counts it off when it is done."""

    def _post_send(self, action: Send) -> None:
        super()._post_send(action)
        self._posted -= 1


@mutant(breaks="rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream")
class ReadsTwoCallsIntoOneBuffer(Responder):
    """Of two Calls whose chunks of one length are read together, serves the second by the first."""

    def _take_pulled(self, call: IncomingCall, data: bytes) -> list[Action]:
        held = vars(self).pop("held", b"")
        if self._pulling:
            vars(self)["held"] = data
        return super()._take_pulled(call, held if len(held) == len(data) else data)
