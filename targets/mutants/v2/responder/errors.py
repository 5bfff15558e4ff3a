"""Mutants: how a Responder of Version Two reports faults.

v2 section 4.2.3  Transport Errors
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.backward.duplex import Duplex
from rpcrdma.endpoint.core.actions import Action, Send
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.core.faults import Fault
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.errors import DecodeError
from rpcrdma.ulp import rpc
from rpcrdma.wire import fixed_words, v2
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core import events
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.wire import FixedWords, TransportHeader

BAD_CALL: Final = "v2.4.2.3.bad-call-gets-bad-header"
FIXED: Final = 16
NO_ROOM: Final = (
    Fault.WRITE_CHUNK_TOO_SHORT,
    Fault.REPLY_CHUNK_TOO_SHORT,
    Fault.REPLY_CHUNK_MISSING,
)
ANY_ERROR: Final = "every error of Version Two looks alike, whatever it is about"


def is_two(words: FixedWords) -> bool:
    """Whether a message is in Version Two."""
    return words.version == TWO.number


@mutant(
    breaks=BAD_CALL,
    also_trips=dict.fromkeys(
        ("v2.3.2.optional-messages-tell-their-direction", "v2.4.2.3."),
        "faults of many kinds are headers that cannot be decoded",
    ),
)
class DropsBadHeadersInTwo(Responder):
    """Keeps silent about headers of Version Two that cannot be decoded."""

    def send_error(self, words: FixedWords, fault: Fault) -> list[Action]:
        is_dropped = is_two(words) and fault is Fault.UNDECODABLE_HEADER
        return [] if is_dropped else super().send_error(words, fault)


@mutant(breaks="v2.4.2.3.error-echoes-the-xid", also_trips={"v2.4.2.3.": ANY_ERROR})
class SendsErrorsInTwoUnderXidZero(ReplyRules):
    """Sends the errors of Version Two under XID 0."""

    def error_xid(self, words: FixedWords) -> int:
        return 0 if is_two(words) else super().error_xid(words)


@mutant(breaks="v2.4.2.3.error-echoes-the-version")
class SendsErrorsOfTwoInOne(ReplyRules):
    """Answers faults in Version Two by errors in Version One."""

    def error_version(self, words: FixedWords) -> int:
        return 1 if is_two(words) else super().error_version(words)


@mutant(breaks="v2.3.2.errors-keep-the-fixed-layout")
class PutsADirectionIntoErrors(ReplyRules):
    """Puts a direction word before the code of an error in Version Two."""

    def encode_error(self, header: TransportHeader) -> bytes:
        octets = super().encode_error(header)
        if header.rdma_vers != TWO.number:
            return octets
        return octets[:FIXED] + (1).to_bytes(4) + octets[FIXED:]


@mutant(breaks="v2.4.2.1.error-has-no-payload")
class AppendsToErrorsOfTwo(ReplyRules):
    """Puts an RPC reply after the errors of Version Two."""

    def encode_error(self, header: TransportHeader) -> bytes:
        octets = super().encode_error(header)
        reply = rpc.encode_reply(rpc.RpcReply(header.rdma_xid, rpc.RpcOutcome.GARBAGE_ARGS))
        return octets + reply if header.rdma_vers == TWO.number else octets


@mutant(breaks="v2.4.2.3.unknown-procedure-gets-bad-header")
class DropsUnknownProceduresOfTwo(Responder):
    """Keeps silent about procedures that Version Two does not have."""

    def _judge(self, message: bytes, words: FixedWords) -> list[Action]:
        unknown = is_two(words) and words.procedure > v2.Rdma2Procedure.RDMA2_OPTIONAL
        return [] if unknown else super()._judge(message, words)


@mutant(breaks="v2.4.2.3.lack-of-room-is-reported")
class KeepsSilentWithoutRoomInTwo(Responder):
    """Keeps silent about results in Version Two for which there is no room."""

    def _answer_fault(self, fault: Fault, words: FixedWords) -> list[Action]:
        is_dropped = is_two(words) and fault in NO_ROOM
        return [] if is_dropped else super()._answer_fault(fault, words)


@mutant(breaks="v2.4.2.3.unparsable-arguments-get-garbage-args")
class AnswersBadHeaderToGarbage(Responder):
    """Answers arguments that cannot be decoded by BAD_HEADER instead of GARBAGE_ARGS."""

    def _reply(self, call: IncomingCall, payload: bytes, reply: bytes) -> list[Action]:
        is_garbage = rpc.decode_reply(reply)[0].outcome is rpc.RpcOutcome.GARBAGE_ARGS
        if is_two(call.words) and is_garbage:
            return self.send_error(call.words, Fault.UNDECODABLE_HEADER)
        return super()._reply(call, payload, reply)


@mutant(breaks="v2.4.2.3.errors-are-not-answered")
class AnswersErrorsOfTwo(Duplex):
    """Answers an RDMA2_ERROR that nobody waits for by another."""

    def drop(self, event: events.MessageReceived) -> list[Action]:
        dropped = super().drop(event)
        if len(event.data) < FIXED or not fixed_words(event.data).is_error:
            return dropped
        xid = fixed_words(event.data).xid
        error = v2.Rdma2Header(xid, v2.VERSION, 1, v2.Rdma2Error(v2.ErrBadHeader()))
        return [*dropped, Send(0, v2.encode_header(error))]


@mutant(breaks="v2.4.2.3.undecodable-error-is-dropped")
class AnswersUnreadableErrorsOfTwo(Responder):
    """Answers an RDMA2_ERROR that it cannot decode by BAD_HEADER."""

    def _judge(self, message: bytes, words: FixedWords) -> list[Action]:
        if is_two(words) and words.is_error:
            try:
                v2.decode_header(message)
            except DecodeError:
                return self.send_error(words, Fault.UNDECODABLE_HEADER)
        return super()._judge(message, words)


@mutant(breaks="v2.4.2.3.rdma-faults-harm-nobody-else")
class DiesOfAccessErrorsInTwo(Responder):
    """Dies when an RDMA Read or Write for a call in Version Two fails."""

    def _work_failed(self, event: events.WorkFailed, now: float) -> list[Action]:
        failed = [call for key, call in self._work if key == event.key]
        if event.reason == "remote access error" and any(is_two(call.words) for call in failed):
            raise RuntimeError(event.reason)
        return super()._work_failed(event, now)
