"""Mutants: what a Responder must drop, or refuse whatever it carries.

rfc8166 section 4.2.4  RDMA_ERROR at a Responder
rfc8166 section 4.5    messages of fewer than 28 octets
rfc8166 section 4.6    RDMA_MSGP and RDMA_DONE
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.core.actions import Send
from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.responder.call_rules import CallRules
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.wire import (
    RdmaDone,
    RdmaMsg,
    RdmaMsgp,
    RdmaNomsg,
    TransportHeader,
    encode_header,
)
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.wire import FixedWords

SHORT = "rfc8166.4.5.short-message-discarded"
DONE = "rfc8166.4.6.2.done-is-discarded"
ERROR = "rfc8166.4.2.4.responder-discards-error"
MSGP = "rfc8166.4.6.1.msgp-gets-err-chunk"


@mutant(breaks=SHORT)
class AnswersShortMessages(CallRules):
    """Answers every message that has the four fixed words."""

    def is_runt(self, message: bytes) -> bool:
        return len(message) < 16


@mutant(
    breaks="rfc8166.4.5.bad-call-header-answered",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.2.one-rpc-message-each",
            "rfc8166.3.4.3.memory-used-by-responder",
            "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream",
            "rfc8166.3.5.3.",
            "rfc8166.4.3.1.read-list-empty-in-replies",
            "rfc8166.4.5.",
            "rfc8166.6.1.ineligible-items-in-long-messages",
        ),
        "small good messages are shorter than that, too",
    ),
    without=("backward",),
)
class DropsCutHeaders(CallRules):
    """Takes all messages that are shorter than an RPC call for runts."""

    def is_runt(self, message: bytes) -> bool:
        return len(message) < 68


@mutant(breaks=DONE)
class AnswersDone(Responder):
    """Answers RDMA_DONE by ERR_CHUNK, as it would a procedure without meaning."""

    def take_done(self, _words: FixedWords, _body: RdmaDone, _rest: bytes) -> list[Action]:
        raise FaultFound(Fault.UNDECODABLE_HEADER)


@mutant(breaks=DONE)
class HangsUpOnDone(Responder):
    """Closes the connection when RDMA_DONE comes."""

    def take_done(self, words: FixedWords, _body: RdmaDone, _rest: bytes) -> list[Action]:
        return self.disconnect(words, Fault.DONE_MESSAGE)


@mutant(breaks=ERROR)
class AnswersErrors(Responder):
    """Answers RDMA_ERROR by ERR_CHUNK."""

    def take_error(self) -> list[Action]:
        raise FaultFound(Fault.UNDECODABLE_HEADER)


@mutant(breaks=ERROR)
class HangsUpOnErrors(Responder):
    """Closes the connection when RDMA_ERROR comes."""

    def take_error(self) -> list[Action]:
        raise FaultFound(Fault.RDMA_FAILED)


@mutant(breaks=MSGP)
class ServesMsgp(Responder):
    """Serves RDMA_MSGP as if it were RDMA_MSG."""

    def take_msgp(self, words: FixedWords, body: RdmaMsgp, payload: bytes) -> list[Action]:
        plain = RdmaMsg(body.rdma_reads, body.rdma_writes, body.rdma_reply)
        return self._take_msg(words, plain, payload)


@mutant(breaks=MSGP)
class DropsMsgp(Responder):
    """Keeps silent about RDMA_MSGP."""

    def take_msgp(self, _words: FixedWords, _body: RdmaMsgp, _payload: bytes) -> list[Action]:
        return []


@mutant(breaks="rfc8166.4.6.2.done-is-not-sent")
class SendsDone(Responder):
    """Sends RDMA_DONE after each reply whose Writes it has made."""

    def transmit(self, writes: list[Action], send: Send) -> list[Action]:
        actions = super().transmit(writes, send)
        if not writes:
            return actions
        xid = int.from_bytes(send.data[:4])
        done = encode_header(TransportHeader(xid, 1, self.options.receives, RdmaDone()))
        return [*actions, Send(send.key, done)]


@mutant(breaks="rfc8166.4.6.1.msgp-is-not-sent")
class RepliesWithMsgp(ReplyRules):
    """Sends replies that return Write chunks as RDMA_MSGP."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        body = header.rdma_body
        if isinstance(body, RdmaMsg) and body.rdma_writes:
            aligned = RdmaMsgp(4, 4, body.rdma_reads, body.rdma_writes, body.rdma_reply)
            words = (header.rdma_xid, header.rdma_vers, header.rdma_credit)
            return encode_header(TransportHeader(*words, aligned)) + payload
        return super().encode_reply(header, payload)


@mutant(breaks="rfc8166.4.5.2.nomsg-without-chunks-is-an-xdr-error")
class ReadsPayloadBehindNomsg(Responder):
    """Takes what follows the header of an RDMA_NOMSG for the call."""

    def _take_nomsg(self, words: FixedWords, body: RdmaNomsg, rest: bytes) -> list[Action]:
        if not rest:
            return super()._take_nomsg(words, body, rest)
        plain = RdmaMsg((), body.rdma_writes, body.rdma_reply)
        return self._take_msg(words, plain, rest)
