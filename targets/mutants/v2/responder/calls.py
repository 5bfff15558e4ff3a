"""Mutants: what a Responder takes for a Call in Version Two.

v2 section 1      Introduction (what goes on as in Version One)
v2 section 4.2.3  Transport Errors
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.endpoint.backward.direction import DirectionRules, Half
from rpcrdma.endpoint.backward.duplex import Duplex
from rpcrdma.endpoint.core.actions import Disconnect
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.responder.call_rules import CallRules
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.errors import DecodeError
from rpcrdma.wire import v2
from rpcrdma.wire.rpc import MessageType, message_type_of, xid_of
from rpcrdma.wire.versions import FIXED_WORDS
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.core.events import MessageReceived
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.ulp.bindings import UpperLayer
    from rpcrdma.wire import FixedWords, RdmaMsg, RdmaNomsg, TransportHeader

VERSION: Final = slice(4, 8)
PROCEDURE: Final = slice(12, 16)
SHORTEST: Final = 20
SPOILT: Final = "a call whose arguments are spoilt has no right results, whatever a case is about"


def says_two(message: bytes) -> bool:
    """Whether a message says that it is in Version Two."""
    return message[VERSION] == TWO.number.to_bytes(4)


@mutant(breaks="v2.4.2.3.short-message-is-dropped")
class AnswersShortMessagesInTwo(CallRules):
    """Judges messages in Version Two from 20 octets on."""

    def is_runt(self, message: bytes) -> bool:
        return len(message) < SHORTEST if says_two(message) else super().is_runt(message)


@mutant(
    breaks="v2.4.2.3.short-message-is-dropped",
    also_trips={"xcharext.3.1.receives-as-large-as-announced": because.CONNECTION_GONE},
)
class HangsUpOverCutFixedWords(Duplex):
    """Ends the connection over a message of Version Two that has fewer than four words."""

    def drop(self, event: MessageReceived) -> list[Action]:
        if says_two(event.data) and len(event.data) < FIXED_WORDS:
            return [Disconnect("it has no procedure")]
        return super().drop(event)


@mutant(breaks="v2.4.2.3.old-procedures-are-gone")
class ServesProcedureTwo(CallRules):
    """Serves procedure 2 in Version Two as if it were RDMA2_MSG."""

    def decode(self, message: bytes) -> tuple[TransportHeader, int]:
        if says_two(message) and message[PROCEDURE] == (2).to_bytes(4):
            message = message[:12] + bytes(4) + message[16:]
        return super().decode(message)


@mutant(breaks="v2.4.2.3.nomsg-without-payload-gets-bad-header")
class DropsNomsgWithoutListsInTwo(CallRules):
    """Drops an RDMA2_NOMSG that has no list at all."""

    def take_long(self, words: FixedWords, body: RdmaNomsg, limit: int) -> IncomingCall:
        has_list = body.rdma_reads or body.rdma_writes or body.rdma_reply
        if words.version == TWO.number and not has_list:
            raise FaultFound(Fault.NOT_A_CALL)
        return super().take_long(words, body, limit)


@mutant(
    breaks="v2.4.2.3.mismatched-xid-is-not-answered-under-it",
    also_trips={"v2.4.2.3.error-echoes-the-xid": "the error has not the XID of the Call's header"},
)
class RefusesUnderThePayloadsXid(Responder):
    """Refuses a call of two XIDs in Version Two under that of its RPC message."""

    def _take_payload(self, call: IncomingCall, payload: bytes) -> list[Action]:
        if call.words.version == TWO.number and len(payload) >= 4 and xid_of(payload) != call.xid:
            words = msgspec.structs.replace(call.words, xid=xid_of(payload))
            return self.send_error(words, Fault.XID_MISMATCH)
        return super()._take_payload(call, payload)


@mutant(
    breaks="v2.4.2.3.wrong-direction-is-not-served",
    also_trips={
        "v2.4.2.2.server-takes-backward-replies": "a Call in place of a Reply is executed as well"
    },
)
class GoesByTheMessageType(DirectionRules):
    """Goes by the msg_type of an RDMA2_MSG, whatever its direction says."""

    def sort_two(self, message: bytes) -> Half:
        try:
            header, end = v2.decode_header(message)
        except DecodeError:
            return super().sort_two(message)
        is_call = message_type_of(message[end:]) == MessageType.CALL
        is_msg = isinstance(header.rdma_body, v2.Rdma2Msg)
        return Half.FORWARD if is_msg and is_call else super().sort_two(message)


@mutant(breaks="v2.4.2.3.ineligible-argument-is-reported")
class ExecutesIneligibleReductionsInTwo(CallRules):
    """Executes calls in Version Two whose arguments no binding lets be reduced."""

    def judge_arguments(self, call: IncomingCall, payload: bytes, upper_layer: UpperLayer) -> None:
        if call.words.version != TWO.number:
            super().judge_arguments(call, payload, upper_layer)


@mutant(breaks="v2.1.read-chunks-as-before")
class ReadsFirstSegmentOnlyInTwo(CallRules):
    """Reads the first segment of each Read chunk of a Short call in Version Two only."""

    def take_short(
        self, words: FixedWords, body: RdmaMsg, payload: bytes, limit: int
    ) -> IncomingCall:
        call = super().take_short(words, body, payload, limit)
        if words.version != TWO.number:
            return call
        chunks = tuple(replace(chunk, target=chunk.target[:1]) for chunk in call.chunks)
        return replace(call, chunks=chunks)


@mutant(breaks="v2.1.long-calls-as-before")
class RefusesLongCallsInTwo(CallRules):
    """Answers every RDMA2_NOMSG by BAD_HEADER."""

    def take_long(self, words: FixedWords, body: RdmaNomsg, limit: int) -> IncomingCall:
        if words.version == TWO.number:
            raise FaultFound(Fault.UNDECODABLE_HEADER)
        return super().take_long(words, body, limit)


@mutant(
    breaks="v2.1.one-rpc-message-behind-the-header",
    also_trips=dict.fromkeys(
        (
            "v2.5.1.both-ends-use-4096-octets",
            "v2.5.2.threshold-changes-keep-the-connection",
            "v2.5.granted-calls-are-served",
            "xcharext.3.1.",
            "xcharext.3.unrequested-change-does-no-harm",
            "xcharext.4.1.sender-bears-defaults",
        ),
        SPOILT,
    ),
)
class HandsOnOneThousandOctets(CallRules):
    """Hands on a thousand octets of what stands after the header of an RDMA2_MSG, and no more."""

    def take_short(
        self, words: FixedWords, body: RdmaMsg, payload: bytes, limit: int
    ) -> IncomingCall:
        most = 1000 if words.version == TWO.number else len(payload)
        return super().take_short(words, body, payload[:most], limit)
