"""Servers that deal otherwise with faulty Calls: they drop them, close, or look first."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final

from rpcrdma.endpoint.backward.responder import BackwardResponder
from rpcrdma.endpoint.core.actions import Disconnect
from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.responder.call_rules import CallRules
from rpcrdma.endpoint.responder.plan import plan_reply
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder, ResponderOptions
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.ulp import rpc
from rpcrdma.wire import RdmaMsg, RdmaNomsg, chunks_for_results, v2
from rpcrdma.wire import _generated_testprog as testprog
from rpcrdma.wire.rpc import SystemErr, accepted, encode_message
from rpcrdma.xdr.runtime import word_at
from targets.variants.base import variant
from targets.variants.pace import is_optional
from targets.variants.servers import ChoosesOptions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.ulp.bindings import DataItem
    from rpcrdma.wire import FixedWords, ReadChunk, ReadSegment, TransportHeader, WriteChunk

TWO_WORDS: Final = 8
"""Octets of the XID and the type of an RPC message."""

UNCOUNTED: Final = (testprog.TEST_V1.TEST_STORE_OPTIONAL, testprog.TEST_V1.TEST_STORE_ROWS)
"""Procedures of the test program whose eligible argument has no count of octets before it."""

MEBIBYTE: Final = 2**20

ENDS: Final = "nothing follows on the connection that it has ended"

SHORTEST: Final = {v2.VERSION: 32}
"""Octets of the shortest message that is looked into as a Call, where they are more than 28."""


@variant("D-40", documents="rfc8166,v2")
class IsSilentToCutHeaders(CallRules):
    """Says nothing to a message that ends within its transport header."""

    def decode(self, message: bytes) -> tuple[TransportHeader, int]:
        """Such a message is none, but for the shortest of Version Two (D-133)."""
        try:
            return super().decode(message)
        except FaultFound as found:
            cause = found.__cause__
            is_cut = isinstance(cause, DecodeError) and cause.reason is Reason.TRUNCATED
            is_long = len(message) >= SHORTEST.get(word_at(message, 4), 0)
            if is_cut and is_long and not is_optional(message):
                raise FaultFound(Fault.NOT_A_CALL, str(found)) from found
            raise


def _has_no_count(inline: bytes) -> bool:
    """Whether a call's argument is one before which no count of its octets stands."""
    with suppress(DecodeError):  # of a header that is cut
        header, _ = rpc.decode_call(inline)
        ours = header.program == testprog.TEST_PROGRAM
        return ours and header.procedure in UNCOUNTED
    return False


@variant("D-24", documents="rfc8166")
class LooksAtLengthsBeforeItReads(Responder):
    """Answers GARBAGE_ARGS before it reads a chunk that is not as long as the count before it."""

    def _accept(self, call: IncomingCall) -> list[Action]:
        if call.chunks and not self._is_counted(call):
            return self._send_reply(call, self.replies.garbage_args(call.xid), ())
        return super()._accept(call)

    def _is_counted(self, call: IncomingCall) -> bool:
        """Whether the count before the first chunk, if it is there, is the length of the chunk."""
        chunk = call.chunks[0]
        if not 4 <= chunk.position <= len(call.inline) or _has_no_count(call.inline):
            return True
        count = word_at(call.inline, chunk.position - 4)
        return chunk.length in (count, -count % 4 + count)


@variant(
    "D-155",
    leaves_open={
        "v2/5.3/": "the case goes on after ERR_VERS on the same connection",
        "v2/5/responder-has-its-receives-after-what-it-does-not-serve": ENDS,
        "v2/4.2.3/responder-answers-": ENDS,
        "rfc8166/3.3.1/responder-has-its-receives-after-what-it-does-not-serve": ENDS,
        "rfc8166/4.5/responder-answers-": ENDS,
    },
    documents="rfc8166,v2",
)
class ClosesAfterAnError(Responder):
    """Ends the connection on which it has answered a message by an error."""

    def send_error(self, words: FixedWords, fault: Fault) -> list[Action]:
        """And that is the end."""
        return [*super().send_error(words, fault), Disconnect("an error was answered")]


class _OtherFaults(Responder):
    """A Responder that takes some faults for others."""

    taken_for: ClassVar[Mapping[Fault, Fault]]

    def _answer_fault(self, fault: Fault, words: FixedWords) -> list[Action]:
        return super()._answer_fault(self.taken_for.get(fault, fault), words)


@variant("D-22", documents="rfc8166")
class DropsNomsgsWithoutACall(_OtherFaults):
    """Says nothing to an RDMA_NOMSG whose lists do not hold a Call."""

    taken_for: ClassVar = {Fault.NOMSG_WITHOUT_CALL: Fault.NOT_A_CALL}


@variant("D-27", documents="rfc8166")
class RefusesErrorsOfUnknownVersions(_OtherFaults):
    """Answers an RDMA_ERROR in a version that it does not speak by ERR_VERS."""

    taken_for: ClassVar = {Fault.UNKNOWN_VERSION_ERROR: Fault.UNKNOWN_VERSION}


@variant("D-21", documents="rfc8166")
class ClosesForLackOfRoom(_OtherFaults):
    """Ends the connection over a Call that offers too little room for its results."""

    taken_for: ClassVar = dict.fromkeys(
        (Fault.WRITE_CHUNK_TOO_SHORT, Fault.REPLY_CHUNK_TOO_SHORT, Fault.REPLY_CHUNK_MISSING),
        Fault.RDMA_FAILED,
    )


@variant("D-21", documents="rfc8166")
class ReportsLackOfRoomByRpc(Responder):
    """Answers a Call that offers too little room for its results by SYSTEM_ERR."""

    def _send_reply(
        self, call: IncomingCall, reply: bytes, slots: tuple[DataItem | None, ...]
    ) -> list[Action]:
        try:
            credit = self.replies.grant(call.words.credit, self.options.receives)
            limit = self.reply_limits.get(call.words.version, self.options.thresholds.reply)
            plan_reply(self.replies, call, reply, slots, credit, limit)
        except FaultFound:
            reply, slots = encode_message(accepted(call.xid, SystemErr())), ()
        return super()._send_reply(call, reply, slots)


@variant("D-20", documents="rfc8166")
class CallsIneligibleArgumentsGarbage(CallRules):
    """Answers a Read chunk for an argument that must not be reduced by GARBAGE_ARGS."""

    def judge_eligibility(self, chunk: ReadChunk) -> None:
        """As if the arguments could not be decoded."""
        raise FaultFound(Fault.UNDECODABLE_ARGUMENTS, f"Position {chunk.position}")


@variant("D-23", documents="rfc8166")
class RefusesDescendingPositions(CallRules):
    """Refuses Read lists whose Positions descend."""

    def judge_positions(self, reads: tuple[ReadSegment, ...]) -> None:
        """They stand in their order."""
        super().judge_positions(reads)
        positions = [segment.position for segment in reads]
        if positions != sorted(positions):
            raise FaultFound(Fault.POSITION_REPEATED, "descending")


@variant("D-34", documents="rfc8166")
class RefusesEmptySegments(CallRules):
    """Answers any segment of no octets by ERR_CHUNK."""

    def decode(self, message: bytes) -> tuple[TransportHeader, int]:
        """There is none in its lists."""
        header, end = super().decode(message)
        body = header.rdma_body
        if isinstance(body, RdmaMsg | RdmaNomsg):
            segments = [segment for chunk in chunks_for_results(body) for segment in chunk.target]
            segments += [segment.target for segment in body.rdma_reads]
            if not all(segment.length for segment in segments):
                raise FaultFound(Fault.EMPTY_LONG_CALL, "a segment of no octets")
        return header, end


@variant("D-32", documents="rfc8166")
class RefusesOctetsBehindNomsgs(Responder):
    """Answers octets after the header of an RDMA_NOMSG by ERR_CHUNK."""

    def _take_nomsg(self, words: FixedWords, body: RdmaNomsg, rest: bytes) -> list[Action]:
        if rest:
            raise FaultFound(Fault.UNDECODABLE_HEADER, f"{len(rest)} octets after an RDMA_NOMSG")
        return super()._take_nomsg(words, body, rest)


@variant("D-40", documents="rfc8166,v2")
class RefusesCutCalls(CallRules):
    """Answers a Payload stream that ends within its first two words by ERR_CHUNK."""

    def judge_xid(self, xid: int, payload: bytes) -> None:
        """It has them."""
        if len(payload) < TWO_WORDS:
            raise FaultFound(Fault.UNDECODABLE_HEADER, f"{len(payload)} octets")
        super().judge_xid(xid, payload)


@variant("rfc8166.8.1.4.large-read-chunks-may-be-refused", documents="rfc8166")
class RefusesMoreThanAMegabyte(ChoosesOptions):
    """Takes no Call of more than a mebibyte."""

    def choose(self, options: ResponderOptions) -> ResponderOptions:
        """With that limit."""
        return replace(options, longest_call=MEBIBYTE)


@variant("D-19", documents="rfc8166")
class ReturnsNoUnusedReplyChunk(ReplyRules):
    """Leaves a Reply chunk that it has not used out of its Reply."""

    def returned_reply_chunk(self, chunk: WriteChunk | None) -> WriteChunk | None:
        """None."""
        return None


@variant("D-41", documents="bidir")
class DropsBackwardChunks(BackwardResponder):
    """As a client, says nothing to backward Calls with chunks in Version One."""

    def _answer_fault(self, fault: Fault, words: FixedWords) -> list[Action]:
        return [] if fault is Fault.BACKWARD_CHUNKS else super()._answer_fault(fault, words)


@variant(
    "D-41",
    leaves_open={"bidir/2.2/client-has-its-receives-after-what-it-refuses": ENDS},
    documents="bidir",
)
class ClosesOverBackwardChunks(BackwardResponder):
    """As a client, ends the connection over backward Calls with chunks in Version One."""

    def _answer_fault(self, fault: Fault, words: FixedWords) -> list[Action]:
        if fault is Fault.BACKWARD_CHUNKS:
            return self.disconnect(words, fault)
        return super()._answer_fault(fault, words)
