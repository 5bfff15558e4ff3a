"""Mutants: the backward direction of a server in Version Two.

v2 section 3.2    Message Direction
v2 section 4.2.2  Message Direction
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.backward.direction import is_whole
from rpcrdma.endpoint.backward.duplex import Duplex
from rpcrdma.endpoint.backward.requester import BackwardRequester
from rpcrdma.endpoint.core.actions import Action, CallFailed, ReplyReceived, Send
from rpcrdma.endpoint.core.dialect import NO_CHUNKS, ONE
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.properties.optional_half import OptionalHalf
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.ulp import testprog_calls
from rpcrdma.wire import (
    ErrChunk,
    RdmaError,
    RdmaMsg,
    RdmaSegment,
    TransportHeader,
    WriteChunk,
    fixed_words,
)
from rpcrdma.wire.rpc import MessageType, message_type_of, xid_of
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core import events
    from rpcrdma.endpoint.core.backchannel import BackwardCall

OFFERED: Final = RdmaMsg((), (), WriteChunk((RdmaSegment(1, 64, 0),)))
SPOILT: Final = "what goes wrong with every backward Call shows whatever a case is about"
PROBE: Final = 0x7FFF0005


@mutant(breaks="v2.4.2.2.backward-messages-are-version-two")
class CallsBackInVersionOne(BackwardRequester):
    """Makes backward Calls in version 1, whatever the version of the connection is."""

    def frame(self, call: BackwardCall) -> bytes:
        old = self.header(call)
        header = TransportHeader(old.rdma_xid, ONE.number, old.rdma_credit, old.rdma_body)
        return ONE.encode(header, MessageType.CALL) + call.payload


@mutant(breaks="v2.4.2.2.backward-messages-without-chunks")
class OffersAReplyChunkBackwards(BackwardRequester):
    """Offers a Reply chunk in its backward Calls in Version Two."""

    def header(self, call: BackwardCall) -> TransportHeader:
        header = super().header(call)
        body = OFFERED if self.dialect is TWO else header.rdma_body
        return TransportHeader(header.rdma_xid, header.rdma_vers, header.rdma_credit, body)


@mutant(
    breaks="v2.4.2.2.server-takes-backward-replies",
    also_trips={
        "v2.3.2.xids-belong-to-a-direction": SPOILT,
        "xcharext.3.1.receives-as-large-as-announced": SPOILT,
    },
)
class DropsBackwardRepliesInTwo(BackwardRequester):
    """Drops the Replies to its backward Calls in Version Two."""

    def judge_reply(self, header: TransportHeader, payload: bytes) -> bool:
        return self.dialect is not TWO and super().judge_reply(header, payload)


@mutant(breaks="v2.4.2.2.server-takes-backward-replies")
class TakesCallsForRepliesInTwo(BackwardRequester):
    """Takes a Call that says that it is a Reply for the answer to its Call with that XID."""

    def judge_reply(self, header: TransportHeader, payload: bytes) -> bool:
        is_call = self.dialect is TWO and is_whole(payload, MessageType.CALL)
        return is_call or super().judge_reply(header, payload)


@mutant(breaks="v2.2.2.backward-messages-grow-too")
class DropsLargeBackwardReplies(BackwardRequester):
    """Drops Replies of more than 1024 octets to its backward Calls."""

    def judge_reply(self, header: TransportHeader, payload: bytes) -> bool:
        is_large = len(payload) + self.dialect.header > ONE.threshold
        return not is_large and super().judge_reply(header, payload)


@mutant(breaks="v2.4.2.2.errors-count-as-replies")
class PassesOverErrorsInTwo(BackwardRequester):
    """Goes on waiting for a Reply when an RDMA2_ERROR has come for its Call."""

    def _refused(self, xid: int, body: RdmaError) -> bool:
        return self.dialect is not TWO and super()._refused(xid, body)


@mutant(breaks="v2.4.2.2.errors-count-as-replies")
class TellsNobodyThatALongCallFailed(BackwardRequester):
    """Keeps to itself that a backward Call with chunks was refused."""

    def _concluded(self, call: BackwardCall, outcome: ReplyReceived | CallFailed) -> None:
        if isinstance(outcome, ReplyReceived):
            super()._concluded(call, outcome)
        else:
            del self._sent[call.xid]


@mutant(breaks="v2.4.2.2.backward-calls-within-the-grant")
class CallsBackWithoutCreditInTwo(BackwardRequester):
    """Makes all backward Calls in Version Two at once, whatever was granted."""

    def may_send(self, sends: int) -> bool:
        if self.dialect is not TWO:
            return super().may_send(sends)
        self.allowance.outstanding += sends
        return True


@mutant(
    breaks="v2.4.2.2.backward-credits-are-separate",
    also_trips={"v2.4.2.2.backward-calls-within-the-grant": SPOILT},
)
class TakesForwardRequestsForGrantsInTwo(Duplex):
    """Takes what a forward Call in Version Two requests for a grant of backward Calls."""

    def to_forward(self, event: events.MessageReceived, now: float) -> list[Action]:
        words = fixed_words(event.data)
        if words.version == TWO.number and isinstance(self.backward, BackwardRequester):
            self.backward.allowance.granted_by_reply(words.credit)
        return super().to_forward(event, now)


@mutant(
    breaks="v2.4.2.2.server-waits-for-the-upper-layer",
    also_trips=dict.fromkeys(
        (
            "rfc8166.2.2.2.reply-xid-is-the-calls",
            "v2.3.2.optional-messages-tell-their-direction",
            "v2.4.2.",
            "v2.5.1.answer-has-the-same-xid",
            "v2.5.granted-calls-are-served",
            "xcharext.3.1.no-send-beyond-the-announced-size",
            "xcharext.3.3.none-keeps-the-server-silent",
        ),
        SPOILT,
    ),
)
class ProbesClientsOfTwo(Responder):
    """Makes a backward Call after its second message in Version Two, whoever the client is."""

    def transmit(self, writes: list[Action], send: Send) -> list[Action]:
        actions = super().transmit(writes, send)
        count: int = vars(self).get("count", 0) + (fixed_words(send.data).version == TWO.number)
        is_second = count == 2 != vars(self).get("count")
        vars(self)["count"] = count
        header = TransportHeader(PROBE, TWO.number, 8, NO_CHUNKS)
        call = TWO.encode(header, MessageType.CALL) + testprog_calls.null(PROBE)
        return [*actions, Send(0, call)] if is_second else actions


@mutant(breaks="v2.3.2.xids-belong-to-a-direction")
class EndsCallsByForwardOnes(Duplex):
    """Ends a backward Call when a forward one in Version Two comes under its XID."""

    def to_forward(self, event: events.MessageReceived, now: float) -> list[Action]:
        words = fixed_words(event.data)
        if words.version == TWO.number and isinstance(self.backward, BackwardRequester):
            self.backward._refused(words.xid, RdmaError(ErrChunk()))  # noqa: SLF001  # nothing public ends a Call
        return super().to_forward(event, now)


@mutant(
    breaks="v2.3.2.credits-belong-to-a-direction",
    also_trips=dict.fromkeys(
        ("v2.3.2.xids", "v2.4.2.2.backward-calls-within-the-grant"),
        "an operation lets more backward Calls out than their grant does",
    ),
    roles=("responder",),
)
class TakesGrantsFromOperations(OptionalHalf):
    """Takes what an operation of the client requests for a grant of backward Calls."""

    def take(self, message: bytes) -> list[Action]:
        for half in self._halves:
            if isinstance(half, BackwardRequester):
                half.allowance.granted_by_reply(fixed_words(message).credit)
        return super().take(message)


@mutant(breaks="v2.4.2.2.server-takes-backward-replies")
class TakesCutRepliesInTwo(BackwardRequester):
    """Takes what has the XID and the msg_type of a Reply for one, however short it is."""

    def judge_reply(self, header: TransportHeader, payload: bytes) -> bool:
        is_cut = self.dialect is TWO and 8 <= len(payload) < 24 and header.rdma_body == NO_CHUNKS
        if is_cut and message_type_of(payload) == MessageType.REPLY:
            return payload[:4] == header.rdma_xid.to_bytes(4)
        return super().judge_reply(header, payload)


@mutant(breaks="v2.4.2.2.server-takes-backward-replies")
class TakesNoRepliesToChunkedCalls(BackwardRequester):
    """Drops the Replies to backward Calls that went by chunks."""

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        if self._chunked is not None and self._chunked.carries(xid_of(event.data)):
            return [self._receive_more]
        return super()._receive(event, now)
