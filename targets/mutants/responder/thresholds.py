"""Mutants: how long a message may be, and what form a reply takes.

rfc8166 section 3.3.2  Inline Threshold
rfc8166 section 3.5    Message Size
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rpcrdma.endpoint.core.actions import Send
from rpcrdma.endpoint.core.dialect import ONE
from rpcrdma.endpoint.core.faults import Fault
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.wire import decode_header
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.ulp.bindings import DataItem
    from rpcrdma.wire import TransportHeader, WriteChunk

BARE = 52
"""Octets of a message that answers NULL, on which the suite's own checks rest."""


# -- which length fits


@mutant(
    breaks="rfc8166.3.3.2.threshold-is-the-smaller-end",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.3.2.message-within-inline-threshold",
            "rfc8166.3.3.2.threshold-is-constant",
            "rfc8166.4.1.2.header-layout",
            "rfc8166.4.2.4.",
            "rfc8166.4.3.2.3.inline-results-may-need-a-long-reply",
            "rfc8166.4.5.3.no-write-past-the-reply-chunk",
            "rfc8166.4.7.reply-chunk-encoding",
        ),
        because.CAME_INLINE,
    ),
)
class SendsWhatItCouldReceive(ReplyRules):
    """Sends up to 4096 octets inline, whatever its peer can take."""

    def fits_inline(self, length: int, threshold: int) -> bool:
        return length <= 4 * threshold


@mutant(breaks="rfc8166.3.3.2.message-within-inline-threshold")
class CountsNoReturnedReplyChunk(Responder):
    """Leaves the Reply chunk out of the count when it decides whether a reply fits inline."""

    def _send_reply(
        self, call: IncomingCall, reply: bytes, slots: tuple[DataItem | None, ...]
    ) -> list[Action]:
        limit = self.reply_limits[call.words.version]
        segments = 0 if call.reply is None else len(call.reply.target)
        self.reply_limits[call.words.version] = limit + 16 * segments
        actions = super()._send_reply(call, reply, slots)
        self.reply_limits[call.words.version] = limit
        return actions


@mutant(breaks="rfc8166.3.3.2.threshold-is-constant")
class DoublesItsThreshold(ReplyRules):
    """Doubles the threshold after the third reply that did not fit it."""

    def fits_inline(self, length: int, threshold: int) -> bool:
        misfits: int = vars(self).get("misfits", 0)
        vars(self)["misfits"] = misfits + (length > threshold)
        return super().fits_inline(length, 2 * threshold if misfits >= 3 else threshold)


@mutant(
    breaks="rfc8166.3.3.3.1024-octets-unless-known",
    also_trips={
        "rfc8166.3.3.2.threshold-is-constant": because.REFUSED_INLINE,
        "rfc8166.4.5.3.small-receive-is-a-length-error": because.REFUSED_INLINE,
    },
)
class AssumesHalfTheThreshold(ReplyRules):
    """Takes 512 octets for the threshold where nothing else is known."""

    def fits_inline(self, length: int, threshold: int) -> bool:
        return super().fits_inline(length, threshold // 2)


@mutant(
    breaks="rfc8166.3.3.3.one-exchange-of-1024-octets",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.3.2.message-within-inline-threshold",
            "rfc8166.3.3.3.1024-octets-unless-known",
        ),
        because.REFUSED_INLINE,
    ),
)
class KeepsBelowTheThreshold(ReplyRules):
    """Sends inline only what is shorter than the threshold."""

    def fits_inline(self, length: int, threshold: int) -> bool:
        return length < threshold


@mutant(
    breaks="rfc8166.3.5.3.still-too-large-means-long-message",
    also_trips=dict.fromkeys(
        (
            "bidir.1.5.2.forward-direction-is-undisturbed",
            "rfc8166.3.3.1.no-unsolicited-messages-to-idle-requester",
            "rfc8166.3.4.3.memory-used-by-responder",
            "rfc8166.3.5.3.",
            "rfc8166.4.1.2.header-layout",
            "rfc8166.4.5.",
            "rfc8166.4.rpc-layout-is-unchanged",
            "rfc8166.6.1.",
            "rfc8166.3.3.2.message-within-inline-threshold",
            "rfc8166.4.2.4.nomsg-is-one",
            "rfc8166.4.7.reply-chunk-encoding",
            "rfc8166.8.2.2.",
        ),
        because.UNDECODABLE_RESULTS,
    ),
)
class CutsLongReplies(ReplyRules):
    """Sends the first 1024 octets of a reply that does not fit, and no more."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        return super().encode_reply(header, payload)[:1024]


# -- one Send


@mutant(
    breaks="rfc8166.3.5.1.short-message-is-one-send",
    also_trips=dict.fromkeys(
        (
            "rfc8166.4.1.2.header-layout",
            "rfc8166.4.2.2.version-is-one",
            "rfc8166.4.3.1.read-list-empty-in-replies",
            "rfc8166.4.5.",
            "rfc8166.4.rpc-layout-is-unchanged",
            "rfc8166.6.1.reassembly-gives-a-valid-stream",
        ),
        "what comes in the second Send is no message",
    ),
)
class SendsShortRepliesInTwo(Responder):
    """Sends header and payload of a Short message with results by two Sends."""

    def transmit(self, writes: list[Action], send: Send) -> list[Action]:
        if writes or len(send.data) <= BARE:
            return super().transmit(writes, send)
        head, tail = in_two(send)
        return super().transmit([head], tail)


@mutant(
    breaks="rfc8166.3.5.2.reduced-stream-in-one-send",
    also_trips=dict.fromkeys(
        (
            "rfc8166.2.2.",
            "rfc8166.3.3.2.message-within-inline-threshold",
            "rfc8166.3.4.",
            "rfc8166.3.5.3.",
            "rfc8166.4.1.2.header-layout",
            "rfc8166.4.2.",
            "rfc8166.4.3.",
            "rfc8166.4.5.5.rpc-survives-connection-loss",
            "rfc8166.4.7.reply-chunk-encoding",
            "rfc8166.6.1.",
        ),
        "what comes in the second Send is no message",
    ),
)
class SendsChunkedRepliesInTwo(Responder):
    """Sends header and reduced payload of a Chunked message by two Sends."""

    def transmit(self, writes: list[Action], send: Send) -> list[Action]:
        if not writes:
            return super().transmit(writes, send)
        head, tail = in_two(send)
        return super().transmit([*writes, head], tail)


@mutant(
    breaks="rfc8166.3.4.6.reply-follows-by-send",
    also_trips=dict.fromkeys(
        (
            "bidir.1.5.2.forward-direction-is-undisturbed",
            "rfc8166.2.2.",
            "rfc8166.3.2.",
            "rfc8166.3.3.",
            "rfc8166.3.4.",
            "rfc8166.3.5.2.writes-precede-the-reply",
            "rfc8166.3.5.3.",
            "rfc8166.4.1.2.header-layout",
            "rfc8166.4.2.",
            "rfc8166.4.3.",
            "rfc8166.4.5.",
            "rfc8166.4.6.",
            "rfc8166.4.7.",
            "rfc8166.6.1.responder-reduces-no-ineligible-result",
            "rfc8166.8.1.",
            "rfc8166.8.2.2.",
        ),
        "no reply comes for results in chunks, whatever else is looked at",
    ),
)
class WritesAndSendsNothing(Responder):
    """Makes the Writes of a reply and sends nothing after them."""

    def transmit(self, writes: list[Action], send: Send) -> list[Action]:
        return writes or super().transmit(writes, send)


# -- what goes where before it is measured


@mutant(
    breaks="rfc8166.3.5.3.large-stream-is-reduced-first",
    also_trips=dict.fromkeys(
        (
            "bidir.1.5.2.forward-direction-is-undisturbed",
            "rfc8166.3.3.1.replies-in-any-order",
            "rfc8166.3.4.",
            "rfc8166.3.5.2.writes-precede-the-reply",
            "rfc8166.4.3.2.results-pushed-into-write-chunks",
            "rfc8166.4.5.",
            "rfc8166.4.6.",
            "rfc8166.4.3.2.2.unconsumed-chunk-serves-the-next-result",
            "rfc8166.8.2.2.",
        ),
        because.NOT_IN_ITS_CHUNK,
    ),
)
class KeepsLargeResultsInTheStream(ReplyRules):
    """Leaves results of more than 2000 octets in the stream, whatever Write chunks there are."""

    def match(
        self, slots: Sequence[DataItem | None], writes: Sequence[WriteChunk]
    ) -> tuple[DataItem | None, ...]:
        matched = super().match(slots, writes)
        return tuple(None if item and item.length > 2000 else item for item in matched)


@mutant(
    breaks="rfc8166.3.5.3.reply-reduced-before-measured",
    also_trips={**because.STAYS_IN_THE_STREAM, "rfc8166.8.2.2.": because.UNDER_GSS},
)
class MeasuresBeforeItReduces(Responder):
    """Compares a reply with the threshold as if nothing were reduced, and then reduces nothing."""

    def results(self, payload: bytes, reply: bytes) -> tuple[DataItem | None, ...]:
        fits = len(reply) + ONE.header <= self.options.thresholds.reply
        return super().results(payload, reply) if fits else ()


@mutant(
    breaks="rfc8166.3.5.3.long-message-keeps-roundup",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.3.1.replies-in-any-order",
            "rfc8166.3.4.",
            "rfc8166.3.5.3.reply-reduced-before-measured",
            "rfc8166.4.3.1.read-list-empty-in-replies",
            "rfc8166.6.1.reassembly-gives-a-valid-stream",
            "rfc8166.8.2.2.",
        ),
        because.UNDECODABLE_RESULTS,
    ),
)
class DropsRoundupFromLongReplies(Responder):
    """Leaves the padding of the last result out of a reply that does not fit inline."""

    def execute(self, payload: bytes) -> list[bytes]:
        replies = super().execute(payload)
        if len(replies) != 1 or len(replies[0]) + ONE.header <= self.options.thresholds.reply:
            return replies
        (reply,) = replies
        items = [item for item in self.results(payload, reply) if item]
        return [reply[: items[-1].position + items[-1].length]] if items else replies


@mutant(
    breaks="rfc8166.4.3.2.3.empty-write-list-means-inline",
    also_trips=dict.fromkeys(
        (
            "rfc8166.2.2.4.2.roundup-is-zero-octets",
            "rfc8166.3.3.",
            "rfc8166.3.4.4.4.roundup-leaves-the-stream",
            "rfc8166.3.5.3.",
            "rfc8166.4.1.2.header-layout",
            "rfc8166.4.5.3.",
            "rfc8166.4.7.reply-chunk-encoding",
        ),
        because.REFUSED_INLINE,
    ),
)
class WantsWriteChunksForResults(Responder):
    """Answers ERR_CHUNK to a call that has no Write list for its eligible results."""

    def _reply(self, call: IncomingCall, payload: bytes, reply: bytes) -> list[Action]:
        if not call.writes and any(self.results(payload, reply)):
            return self.send_error(call.words, Fault.WRITE_CHUNK_TOO_SHORT)
        return super()._reply(call, payload, reply)


@mutant(breaks="rfc8166.4.3.2.3.inline-results-may-need-a-long-reply")
class IgnoresReplyChunksBesideEmptyChunks(Responder):
    """Does not use a Reply chunk that stands beside an empty Write chunk."""

    def _reply(self, call: IncomingCall, payload: bytes, reply: bytes) -> list[Action]:
        if any(not chunk.target for chunk in call.writes):
            call = replace(call, reply=None)
        return super()._reply(call, payload, reply)


@mutant(
    breaks="rfc8166.4.3.3.reply-chunk-returned",
    also_trips={"rfc8166.3.4.6": "a Reply chunk without segments has another count of them"},
)
class EmptiesUnusedReplyChunks(ReplyRules):
    """Returns a Reply chunk that it did not use without any segment."""

    def returned_reply_chunk(self, chunk: WriteChunk | None) -> WriteChunk | None:
        return None if chunk is None else type(chunk)(())


def in_two(send: Send) -> tuple[Send, Send]:
    """Header and payload of a message, to be sent apart."""
    end = decode_header(send.data)[1]
    return Send(send.key, send.data[:end]), Send(send.key, send.data[end:])
