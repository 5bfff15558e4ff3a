"""Mutants: which results are reduced, what stays of them in the stream, and which chunk they use.

rfc8166 section 3.4    Data Transfer
rfc8166 section 4.3.2  Write List
rfc8166 section 6.1    DDP-Eligibility
rfc8166 section 8.2.2  RPCSEC_GSS on RPC-over-RDMA Transports
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec

from rpcrdma.endpoint.core.driver import Driver
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.ulp.bindings import DataItem
from rpcrdma.wire import WriteChunk, chunk_length
from rpcrdma.wire.rpc import AuthFlavor
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpcrdma.endpoint.core.actions import Send

HEADER = 24
"""Octets of the header of a successful reply, after which results begin."""


# -- what is reduced


@mutant(
    breaks="rfc8166.3.4.2.only-eligible-items-are-reduced",
    also_trips={"rfc8166.8.2.2.": because.UNDER_GSS},
)
class ReducesHalfOfAnIneligibleResult(Responder):
    """Puts the end of a long result that is not eligible into the Write chunk."""

    def results(self, payload: bytes, reply: bytes) -> tuple[DataItem | None, ...]:
        middle = len(reply) // 2 & ~3
        eligible = super().results(payload, reply)
        return eligible if eligible or len(reply) < 1000 else (DataItem(middle, middle - 8),)


@mutant(
    breaks="rfc8166.6.1.ineligible-items-are-not-reduced",
    also_trips={"rfc8166.8.2.2.": because.UNDER_GSS},
)
class ReducesWholeReplies(Responder):
    """Puts all that stands after the RPC header of a long ineligible reply into a Write chunk."""

    def results(self, payload: bytes, reply: bytes) -> tuple[DataItem | None, ...]:
        whole = DataItem(HEADER, len(reply) - HEADER)
        eligible = super().results(payload, reply)
        return eligible if eligible or len(reply) < 1000 else (whole,)


@mutant(
    breaks="rfc8166.6.1.binding-limits-procedures",
    also_trips=dict.fromkeys(
        (
            "rfc8166.4.2.4.",
            "rfc8166.4.3.three-optional-lists",
        ),
        "a short result is not where it is looked for, beside an unused Write chunk",
    ),
)
class ReducesResultsOfAnyProcedure(Responder):
    """Puts the short results of procedures for which no chunk is meant into a Write chunk."""

    def results(self, payload: bytes, reply: bytes) -> tuple[DataItem | None, ...]:
        eligible = super().results(payload, reply)
        short = HEADER < len(reply) <= 100
        return (DataItem(HEADER, 4),) if short and not eligible else eligible


@mutant(
    breaks="rfc8166.8.2.2.gss-elements-are-not-reduced",
    also_trips={"rfc8166.8.2.2.": because.UNDER_GSS},
)
class ReducesVerifiers(Responder):
    """Puts the length of a verifier into a Write chunk if the call's credential is RPCSEC_GSS."""

    def results(self, payload: bytes, reply: bytes) -> tuple[DataItem | None, ...]:
        if int.from_bytes(payload[24:28]) == AuthFlavor.RPCSEC_GSS:
            return (DataItem(16, 4),)
        return super().results(payload, reply)


# -- which chunk


@mutant(
    breaks="rfc8166.4.3.2.2.offered-chunk-is-used",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.4.6.2.returned-length-is-the-items",
            "rfc8166.3.4.4.1.elements-stay-whole",
            "rfc8166.4.3.2.1.results-fill-chunks-in-order",
        ),
        because.NOT_IN_ITS_CHUNK,
    ),
)
class KeepsSmallResultsInline(ReplyRules):
    """Leaves results of less than 100 octets in the stream, whatever Write chunks there are."""

    def match(
        self, slots: Sequence[DataItem | None], writes: Sequence[WriteChunk]
    ) -> tuple[DataItem | None, ...]:
        matched = super().match(slots, writes)
        return tuple(None if item and item.length < 100 else item for item in matched)


@mutant(
    breaks="rfc8166.6.1.responder-uses-available-write-chunk",
    also_trips={
        "rfc8166.4.3.2.3.empty-chunk-result-is-inline": because.NOT_IN_ITS_CHUNK,
        "rfc8166.3.4.4.2.optional-data-moves-to-the-chunk": because.NOT_IN_ITS_CHUNK,
        "rfc8166.4.3.2.1.results-fill-chunks-in-order": because.NOT_IN_ITS_CHUNK,
        "rfc8166.4.3.2.2.unconsumed-chunk-comes-back-unused": because.NOT_IN_ITS_CHUNK,
        "rfc8166.4.3.2.2.unconsumed-chunk-serves-the-next-result": because.NOT_IN_ITS_CHUNK,
    },
)
class UsesTheFirstWriteChunkOnly(ReplyRules):
    """Leaves all results but the first in the stream, whatever Write chunks there are."""

    def match(
        self, slots: Sequence[DataItem | None], writes: Sequence[WriteChunk]
    ) -> tuple[DataItem | None, ...]:
        matched = super().match(slots, writes)
        return (*matched[:1], *(None for _ in matched[1:]))


@mutant(breaks="rfc8166.3.4.4.4.one-item-in-a-chunk")
class PutsTwoResultsIntoOneChunk(ReplyRules):
    """Puts two results, and what is between them, into one Write chunk that has room for all."""

    def match(
        self, slots: Sequence[DataItem | None], writes: Sequence[WriteChunk]
    ) -> tuple[DataItem | None, ...]:
        items = [item for item in slots if item is not None]
        if len(items) == 2 and len(writes) == 1:
            both = DataItem(items[0].position, items[1].end - items[0].position)
            if both.length <= chunk_length(writes[0]):
                return (both,)
        return super().match(slots, writes)


@mutant(
    breaks="rfc8166.3.4.6.one-result-in-a-write-chunk",
    also_trips={
        "rfc8166.4.7.write-list-encoding": "the chunk that is looked at has half of a result",
        "rfc8166.3.4.4.2.": because.LENGTHS,
        "rfc8166.4.3.2.2.unconsumed-chunk-serves-the-next-result": because.LENGTHS,
    },
)
class SpreadsResultsOverTwoChunks(ReplyRules):
    """Puts the second half of a result into a further Write chunk that nothing else would use."""

    def match(
        self, slots: Sequence[DataItem | None], writes: Sequence[WriteChunk]
    ) -> tuple[DataItem | None, ...]:
        matched = super().match(slots, writes)
        if len(matched) < 2 or matched[0] is None or matched[1] is not None:
            return matched
        half = matched[0].length // 2 & ~3
        if not half or chunk_length(writes[1]) < matched[0].length - half:
            return matched
        place = matched[0].position
        halves = DataItem(place, half), DataItem(place + half, matched[0].length - half)
        return (*halves, *matched[2:])


@mutant(
    breaks="rfc8166.3.4.4.chunk-length-is-the-sum",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.4.3.segment-offset",
            "rfc8166.3.5.2.writes-precede-the-reply",
            "rfc8166.3.5.3.reply-reduced-before-measured",
            "rfc8166.4.3.2.1.results-fill-chunks-in-order",
            "rfc8166.4.7.write-list-encoding",
            "rfc8166.6.1.reassembly-gives-a-valid-stream",
        ),
        because.NOT_IN_ITS_CHUNK,
    ),
)
class JudgesRoomByTheFirstSegment(ReplyRules):
    """Takes the length of a Write chunk's first segment for that of the chunk."""

    def judge_room(self, chunk: WriteChunk, item: DataItem) -> None:
        super().judge_room(WriteChunk(chunk.target[:1]), item)


@mutant(
    breaks="rfc8166.4.5.5.rpc-survives-connection-loss",
    also_trips={"rfc8166.8.1.no-new-vulnerabilities": "it dies in that case, too"},
)
class DiesOfLargeWriteChunks(ReplyRules):
    """Dies when a Write chunk is told to have room for gigabytes."""

    def judge_room(self, chunk: WriteChunk, item: DataItem) -> None:
        if chunk_length(chunk) >= 1 << 31:
            raise RuntimeError("no memory to prepare such a chunk")
        super().judge_room(chunk, item)


# -- what is written and told


@mutant(
    breaks="rfc8166.8.2.2.3.roundup-of-reduced-items-not-transferred",
    also_trips=dict.fromkeys(
        ("rfc8166.3.4.6.2.", "rfc8166.3.5.3.reply-reduced-before-measured"), because.LENGTHS
    ),
)
class WritesAnOctetOfRoundup(ReplyRules):
    """Writes one octet of padding after a result of odd length."""

    def data_to_write(self, reply: bytes, item: DataItem) -> bytes:
        return reply[item.position : item.position + item.length + bool(item.padding)]


@mutant(
    breaks="rfc8166.3.4.3.header-describes-the-memory",
    also_trips={"rfc8166.3.4.6.segments-returned": "segments come back with another offset"},
)
class ZeroesOffsets(ReplyRules):
    """Returns each segment of a used Write chunk with offset zero."""

    def returned(self, chunk: WriteChunk, lengths: Sequence[int]) -> WriteChunk:
        told = super().returned(chunk, lengths).target
        return WriteChunk(tuple(msgspec.structs.replace(one, offset=0) for one in told))


# -- what stays in the stream


@mutant(
    breaks="rfc8166.3.4.3.reduced-item-leaves-the-stream",
    also_trips={**because.SPOILT_STREAM, "rfc8166.8.2.2.": because.UNDER_GSS},
)
class LeavesTheBeginningOfResults(ReplyRules):
    """Leaves the first four octets of a reduced result in the stream."""

    def take_out(self, reply: bytes, items: Sequence[DataItem]) -> bytes:
        return super().take_out(
            reply, [DataItem(one.position + 4, max(one.length - 4, 0)) for one in items]
        )


@mutant(
    breaks="rfc8166.3.4.4.1.elements-move-to-the-chunk",
    also_trips={**because.SPOILT_STREAM, "rfc8166.8.2.2.": because.UNDER_GSS},
)
class LeavesTheEndOfResults(ReplyRules):
    """Leaves the last four octets of a reduced result in the stream."""

    def take_out(self, reply: bytes, items: Sequence[DataItem]) -> bytes:
        return super().take_out(
            reply, [DataItem(one.position, max((one.length + 3 & ~3) - 4, 0)) for one in items]
        )


@mutant(
    breaks="rfc8166.6.1.reassembly-gives-a-valid-stream",
    also_trips=dict.fromkeys(
        (
            "bidir.1.5.2.forward-direction-is-undisturbed",
            "rfc8166.2.2.",
            "rfc8166.3.3.1.credit-is-one-transaction",
            "rfc8166.3.3.1.no-unsolicited-messages-to-idle-requester",
            "rfc8166.3.3.3.1024-octets-unless-known",
            "rfc8166.3.4.",
            "rfc8166.3.5.2.writes-precede-the-reply",
            "rfc8166.4.3.",
            "rfc8166.4.5.",
            "rfc8166.4.6.",
            "rfc8166.4.7.write-list-encoding",
            "rfc8166.8.2.2.",
        ),
        because.UNDECODABLE_RESULTS,
    ),
)
class TakesOneWordTooMany(ReplyRules):
    """Takes the word before a reduced result's count out of the stream as well."""

    def take_out(self, reply: bytes, items: Sequence[DataItem]) -> bytes:
        for item in reversed(items):
            count = reply[item.position - 4 : item.position]
            reply = reply[: item.position - 8] + count + reply[item.end :]
        return reply


@mutant(breaks="rfc8166.3.5.2.writes-precede-the-reply", roles=("responder",))
class SendsRepliesPastWritesThatWait(Driver):
    """Sends a Reply before the RDMA Writes that wait for room in the queue, its own among them."""

    def _send(self, action: Send) -> None:
        if self._backlog:
            self._backlog.appendleft(partial(self._post_send, action))
        else:
            super()._send(action)
