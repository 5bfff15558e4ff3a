"""Mutants: which calls a Responder takes, by their form and by the lists that they have.

rfc8166 section 3.5    Message Size
rfc8166 section 4.2.4  Procedure Number
rfc8166 section 4.3    Chunk Lists
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.responder.call_rules import CallRules
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.errors import DecodeError
from rpcrdma.ulp import rpc
from rpcrdma.wire import RdmaMsg, RdmaNomsg
from rpcrdma.wire._generated_testprog import TEST_PROGRAM, TEST_VERSION
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.ulp.bindings import DataItem, UpperLayer
    from rpcrdma.wire import FixedWords, ReadChunk, ReadSegment, TransportHeader

SMALL = 1024


def eligible(payload: bytes, upper_layer: UpperLayer) -> tuple[DataItem, ...]:
    """Eligible arguments with something in them; none of a call that cannot be decoded."""
    try:
        return tuple(item for item in upper_layer.arguments(payload) if item.length)
    except DecodeError:
        return ()


# -- what is reduced


@mutant(
    breaks="rfc8166.3.4.3.reduction-is-the-senders-choice",
    also_trips={
        "rfc8166.3.3.3.receives-1024-octets": because.REFUSED_FORM,
        "rfc8166.4.3.three-optional-lists": because.REFUSED_FORM,
    },
)
class WantsReducedArguments(CallRules):
    """Refuses a call without chunks that has an eligible argument."""

    def judge_arguments(self, call: IncomingCall, payload: bytes, upper_layer: UpperLayer) -> None:
        if not call.chunks and eligible(payload, upper_layer):
            raise FaultFound(Fault.INELIGIBLE_ARGUMENT)
        super().judge_arguments(call, payload, upper_layer)


@mutant(
    breaks="rfc8166.3.5.2.some-or-all-items-reduced",
    also_trips=dict.fromkeys(
        ("rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream",), because.LOST_ARGUMENT
    ),
)
class WantsAllArgumentsReduced(CallRules):
    """Refuses a call of whose eligible arguments some are reduced and some are not."""

    def judge_arguments(self, call: IncomingCall, payload: bytes, upper_layer: UpperLayer) -> None:
        reduced = [chunk for chunk in call.chunks if chunk.position]
        if reduced and len(reduced) < len(eligible(payload, upper_layer)):
            raise FaultFound(Fault.INELIGIBLE_ARGUMENT)
        super().judge_arguments(call, payload, upper_layer)


@mutant(
    breaks="rfc8166.3.4.4.any-segment-boundaries",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.4.3.segment-offset",
            "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream",
            "rfc8166.3.4.5.2.roundup-in-either-place",
            "rfc8166.3.5.3.",
        ),
        because.REFUSED_FORM,
    ),
)
class WantsAlignedSegments(CallRules):
    """Refuses a Read list with a segment, other than its last, of odd length."""

    def judge_positions(self, reads: tuple[ReadSegment, ...]) -> None:
        if any(segment.target.length % 4 for segment in reads[:-1]):
            raise FaultFound(Fault.POSITION_UNALIGNED)
        super().judge_positions(reads)


# -- Long Calls


@mutant(
    breaks="rfc8166.3.5.3.long-call-at-any-time",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.3.1.no-unsolicited-messages-to-idle-requester",
            "rfc8166.3.5.3.form-of-reply-follows-the-chunks",
            "rfc8166.4.2.4.nomsg-payload-by-rdma",
        ),
        because.REFUSED_FORM,
    ),
)
class RefusesSmallLongCalls(CallRules):
    """Refuses a Long Call that would have fitted inline."""

    def judge_long_call(self, body: RdmaNomsg) -> None:
        super().judge_long_call(body)
        if sum(segment.target.length for segment in body.rdma_reads) < SMALL:
            raise FaultFound(Fault.EMPTY_LONG_CALL)


@mutant(
    breaks="rfc8166.6.1.ineligible-items-in-long-messages",
    also_trips=dict.fromkeys(
        (
            "bidir.1.5.2.forward-direction-is-undisturbed",
            "rfc8166.3.4.3.memory-used-by-responder",
            "rfc8166.4.3.1.read-list-empty-in-replies",
            "rfc8166.4.5.3.invalid-chunk-is-a-remote-access-error",
            "rfc8166.4.5.5.rpc-survives-connection-loss",
            "rfc8166.3.5.3.long-call-in-a-read-chunk",
            "rfc8166.8.2.2.",
        ),
        because.REFUSED_FORM,
    ),
)
class WantsEligibleItemsInLongCalls(CallRules):
    """Refuses a Long Call of more than 1024 octets in which nothing is eligible."""

    def judge_arguments(self, call: IncomingCall, payload: bytes, upper_layer: UpperLayer) -> None:
        is_long = any(chunk.position == 0 for chunk in call.chunks)
        if is_long and len(payload) > SMALL and not eligible(payload, upper_layer):
            raise FaultFound(Fault.INELIGIBLE_ARGUMENT)
        super().judge_arguments(call, payload, upper_layer)


@mutant(
    breaks="rfc8166.3.5.3.any-item-in-a-long-message",
    also_trips={"rfc8166.4.2.4.nomsg-payload-by-rdma": because.REFUSED_FORM},
)
class WantsNoEligibleItemsInLongCalls(CallRules):
    """Refuses a Long Call with an eligible argument in its Position-Zero Read chunk."""

    def judge_arguments(self, call: IncomingCall, payload: bytes, upper_layer: UpperLayer) -> None:
        if [chunk.position for chunk in call.chunks] == [0] and eligible(payload, upper_layer):
            raise FaultFound(Fault.INELIGIBLE_ARGUMENT)
        super().judge_arguments(call, payload, upper_layer)


@mutant(
    breaks="rfc8166.4.any-endpoint-sends-msg-and-nomsg",
    also_trips=dict.fromkeys(
        (
            "bidir.1.5.2.forward-direction-is-undisturbed",
            "rfc8166.3.2.one-rpc-message-each",
            "rfc8166.3.4.3.memory-used-by-responder",
            "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream",
            "rfc8166.3.5.3.",
            "rfc8166.4.2.4.",
            "rfc8166.4.3.1.read-list-empty-in-replies",
            "rfc8166.4.5.",
            "rfc8166.6.1.ineligible-argument-is-reported",
            "rfc8166.6.1.ineligible-items-in-long-messages",
            "rfc8166.8.2.2.",
        ),
        because.REFUSED_FORM,
    ),
)
class DropsNomsg(Responder):
    """Keeps silent about every RDMA_NOMSG."""

    def _take_nomsg(self, words: FixedWords, body: RdmaNomsg, _rest: bytes) -> list[Action]:
        return []


@mutant(
    breaks="rfc8166.3.5.3.form-of-reply-follows-the-chunks",
    also_trips={"rfc8166.8.2.2.": because.UNDER_GSS},
)
class IgnoresReplyChunksOfLongCalls(CallRules):
    """Does not use the Reply chunk of a Long Call."""

    def take_long(self, words: FixedWords, body: RdmaNomsg, limit: int) -> IncomingCall:
        return replace(super().take_long(words, body, limit), reply=None)


# -- which lists


@mutant(breaks="rfc8166.4.3.three-optional-lists")
class RefusesAllThreeLists(CallRules):
    """Refuses an RDMA_MSG that has all three lists."""

    def take_short(
        self, words: FixedWords, body: RdmaMsg, payload: bytes, limit: int
    ) -> IncomingCall:
        if body.rdma_reads and body.rdma_writes and body.rdma_reply:
            raise FaultFound(Fault.UNDECODABLE_HEADER)
        return super().take_short(words, body, payload, limit)


@mutant(breaks="rfc8166.4.2.4.msg-lists-may-be-absent")
class WantsWriteListBetween(CallRules):
    """Refuses an RDMA_MSG with Read list and Reply chunk that has no Write list."""

    def take_short(
        self, words: FixedWords, body: RdmaMsg, payload: bytes, limit: int
    ) -> IncomingCall:
        if body.rdma_reads and body.rdma_reply and not body.rdma_writes:
            raise FaultFound(Fault.UNDECODABLE_HEADER)
        return super().take_short(words, body, payload, limit)


@mutant(
    breaks="rfc8166.4.2.4.nomsg-lists-may-be-absent",
    also_trips=because.NO_LONG_CALLS,
)
class WantsReplyChunkInNomsg(CallRules):
    """Refuses an RDMA_NOMSG without a Reply chunk."""

    def take_long(self, words: FixedWords, body: RdmaNomsg, limit: int) -> IncomingCall:
        if body.rdma_reply is None:
            raise FaultFound(Fault.UNDECODABLE_HEADER)
        return super().take_long(words, body, limit)


@mutant(breaks="rfc8166.4.2.fourth-word-selects-the-body")
class TellsLongCallsByTheirChunk(CallRules):
    """Takes every message with a Position-Zero Read chunk for a Long Call."""

    def decode(self, message: bytes) -> tuple[TransportHeader, int]:
        header, end = super().decode(message)
        body = header.rdma_body
        if isinstance(body, RdmaMsg) and any(one.position == 0 for one in body.rdma_reads):
            long_body = RdmaNomsg(body.rdma_reads, body.rdma_writes, body.rdma_reply)
            header = msgspec.structs.replace(header, rdma_body=long_body)
        return header, end


# -- absurd sizes


@mutant(breaks="rfc8166.4.5.5.rpc-survives-connection-loss")
class DiesOfLargeReadChunks(CallRules):
    """Dies when Read chunks are told to be longer than any call that it serves."""

    def judge_size(self, chunks: tuple[ReadChunk, ...], inline: int, limit: int) -> None:
        if inline + sum(chunk.length for chunk in chunks) > limit:
            raise RuntimeError("no memory for the call")


# -- what is no call


@mutant(breaks="rfc8166.4.5.header-checked-before-the-rpc-layer")
class CompletesCutCalls(Responder):
    """Takes what is missing at the end of an RPC header for zeroes."""

    def _take_payload(self, call: IncomingCall, payload: bytes) -> list[Action]:
        return super()._take_payload(call, payload + bytes(max(0, 40 - len(payload))))


@mutant(
    breaks="rfc8166.4.5.undecodable-error-discarded",
    also_trips={"rfc8166.4.2.4.responder-discards-error": "it is an error of a Requester, too"},
)
class AnswersUndecodableErrors(Responder):
    """Answers an RDMA_ERROR that it cannot decode by ERR_CHUNK."""

    def _judge(self, message: bytes, words: FixedWords) -> list[Action]:
        if words.is_error and words.version == 1:
            self.calls.decode(message)
        return super()._judge(message, words)


@mutant(breaks="rfc8166.4.2.1.payload-xid-may-be-ignored")
class HangsUpOnTwoXids(CallRules):
    """Closes the connection over a call with two XIDs."""

    def judge_xid(self, xid: int, payload: bytes) -> None:
        try:
            super().judge_xid(xid, payload)
        except FaultFound as found:
            closes = found.fault is Fault.XID_MISMATCH
            raise FaultFound(Fault.RDMA_FAILED if closes else found.fault) from found


@mutant(breaks="rfc8166.9.program-numbers-are-unchanged")
class ServesAnyProgramNumber(Responder):
    """Serves every program number that it does not know as its own program."""

    def execute(self, payload: bytes) -> list[bytes]:
        replies = super().execute(payload)
        if len(replies) == 1 and is_unavailable(replies[0]):
            own = TEST_PROGRAM.to_bytes(4) + TEST_VERSION.to_bytes(4)
            return super().execute(payload[:12] + own + payload[20:])
        return replies


def is_unavailable(reply: bytes) -> bool:
    """Whether a reply says that there is no such program."""
    return reply == rpc.program_unavailable(int.from_bytes(reply[:4]))
