"""Mutants of the client: headers, chunks and lengths in Version Two (v2 sections 1, 2 and 4.2)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.endpoint.core.actions import Deliver, ReplyReceived
from rpcrdma.endpoint.core.dialect import ONE
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.requester.call_planning import CallPlanner
from rpcrdma.endpoint.requester.request_rules import RequestRules
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.errors import LocalProtocolError
from rpcrdma.ulp import rpc
from rpcrdma.ulp.bindings import DataItem
from rpcrdma.wire import RdmaMsg, WriteChunk
from rpcrdma.wire import _generated_testprog as testprog
from rpcrdma.wire.rpc import MessageType
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.requester.outgoing import OutgoingCall
    from rpcrdma.endpoint.requester.plan import CallPlan, ResultsPlan
    from rpcrdma.ulp.bindings import ReplyExpectation
    from rpcrdma.wire import TransportHeader


_WORD: Final = 4
_FIXED: Final = 16
"""Octets of the fixed words, after which the direction stands."""


@mutant(breaks="v2.4.2.header-layout")
class LeavesTheDirectionOut(RequestRules):
    """Sends calls with chunks in Version Two by the header of Version One."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode(header, payload)
        return octets if self.dialect is not TWO else octets[:_FIXED] + octets[_FIXED + _WORD :]


@mutant(
    breaks="v2.3.2.chunk-lists-begin-with-the-direction",
    also_trips={"v2.1.read-chunks-as-before": "every list is then read one word too early"},
)
class PutsTheDirectionOfCallsLast(RequestRules):
    """Puts the direction word after the chunk lists."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = self.dialect.encode(header, MessageType.CALL)
        if self.dialect is TWO:
            direction = octets[_FIXED : _FIXED + _WORD]
            octets = octets[:_FIXED] + octets[_FIXED + _WORD :] + direction
        return octets + payload


@mutant(breaks="v2.4.2.procedure-numbers")
class NumbersLongCallsTwo(RequestRules):
    """Gives RDMA2_NOMSG the number 2."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode(header, payload)
        if self.dialect is not TWO or isinstance(header.rdma_body, RdmaMsg):
            return octets
        return octets[:12] + (2).to_bytes(_WORD) + octets[_FIXED:]


@mutant(breaks="v2.4.2.chunk-lists-as-before")
class CountsItsReadSegments(RequestRules):
    """Puts the number of read segments in front of the Read list."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode(header, payload)
        reads = getattr(header.rdma_body, "rdma_reads", ())
        if self.dialect is not TWO or not reads:
            return octets
        lists = _FIXED + _WORD
        return octets[:lists] + len(reads).to_bytes(_WORD) + octets[lists:]


@mutant(breaks="v2.4.2.1.msg-is-followed-by-its-payload")
class LeavesThePayloadOut(RequestRules):
    """Sends nothing after the header of an RDMA2_MSG that has chunks."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        return super().encode(header, b"" if self.dialect is TWO else payload)


@mutant(breaks="v2.4.2.1.nomsg-conveys-its-payload-by-chunks")
class AppendsToLongCalls(RequestRules):
    """Sends a few octets after the header of an RDMA2_NOMSG."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        octets = super().encode(header, payload)
        is_long = self.dialect is TWO and not isinstance(header.rdma_body, RdmaMsg)
        return octets + bytes(_WORD) if is_long else octets


@mutant(
    breaks="v2.4.2.2.direction-is-the-msg-type",
    also_trips=dict.fromkeys(
        (
            "xcharext.2.1.",
            "xcharext.3.1.",
            "xcharext.3.change-may-be-rejected",
            "xcharext.3.default-without-information",
            "xcharext.3.refusal-of-the-operation-is-rejection",
            "xcharext.4.1.",
            "xcharext.4.3.",
        ),
        because.SEEN_BY_LONG_CALLS,
    ),
)
class SaysReplyInCallsWithReadChunks(RequestRules):
    """Says in the header of a call with Read chunks that it is a reply."""

    def encode(self, header: TransportHeader, payload: bytes) -> bytes:
        if self.dialect is not TWO or not getattr(header.rdma_body, "rdma_reads", ()):
            return super().encode(header, payload)
        return self.dialect.encode(header, MessageType.REPLY) + payload


@mutant(breaks="v2.1.payload-xid-equals-rdma-xid")
class NumbersCallsWithChunksAnew(RequestRules):
    """Sends calls with chunks in Version Two under another XID than their RPC message has."""

    def xid(self, call: OutgoingCall) -> int:
        return call.xid ^ 1 if self.dialect is TWO else call.xid


@mutant(breaks="v2.1.long-calls-as-before")
class MovesLongCallsToPositionFour(RequestRules):
    """Gives the Read chunk of a Long Call in Version Two the Position 4."""

    def position(self, position: int) -> int:
        return position or (_WORD if self.dialect is TWO else 0)


@mutant(breaks="v2.1.read-chunks-as-before")
class CountsPositionsFromTheHeaderOfTwo(RequestRules):
    """Counts the Positions of arguments in Version Two from four octets before the payload on."""

    def position(self, position: int) -> int:
        return position + _WORD if position and self.dialect is TWO else position


@mutant(breaks="v2.1.write-chunks-as-before")
class OffersShortWriteChunks(RequestRules):
    """Offers half of the memory that a result needs in Version Two."""

    def write_list(self, chunks: tuple[WriteChunk, ...]) -> tuple[WriteChunk, ...]:
        return tuple(map(_halved, chunks)) if self.dialect is TWO else chunks


@mutant(
    breaks="v2.1.reply-chunk-as-before",
    also_trips={"xcharext.3.1.reply-chunk-by-the-own-size": because.SEEN_BY_LONG_CALLS},
)
class OffersShortReplyChunks(RequestRules):
    """Offers half of the memory that a Long Reply needs in Version Two."""

    def reply_chunk(self, chunk: WriteChunk | None) -> WriteChunk | None:
        return _halved(chunk) if chunk is not None and self.dialect is TWO else chunk


@mutant(breaks="v2.1.only-eligible-items-are-reduced")
class ReducesTextInTwo(CallPlanner):
    """Takes the text of a long call for an eligible argument in Version Two."""

    def choose_form(
        self, payload: bytes, items: tuple[DataItem, ...], results: ResultsPlan
    ) -> CallPlan:
        call, start = rpc.decode_call(payload)
        in_two = self._options.dialect is TWO
        if in_two and call.procedure == testprog.TEST_V1.TEST_LONG_CALL:
            length = int.from_bytes(payload[start : start + _WORD])
            items = (DataItem(start + _WORD, length),)
        return super().choose_form(payload, items, results)


@mutant(
    breaks="v2.2.1.large-call-goes-by-rdma",
    also_trips={
        **dict.fromkeys(
            (
                "v2.2.2.memory-is-fenced-when-complete",
                "v2.2.3.no-send-beyond-4096-octets",
                "v2.4.2.header-layout",
            ),
            "no case has such a call then",
        ),
        **dict.fromkeys(
            (
                "xcharext.2.1.",
                "xcharext.3.1.no-send-beyond-the-announced-size",
                "xcharext.3.2.",
                "xcharext.3.change-may-be-rejected",
                "xcharext.3.default-without-information",
                "xcharext.3.refusal-of-the-operation-is-rejection",
                "xcharext.4.1.",
                "xcharext.4.3.",
            ),
            because.SEEN_BY_LONG_CALLS,
        ),
    },
)
class MakesNoLongCallsInTwo(CallPlanner):
    """Does not make a call that is too long for a message of Version Two."""

    def choose_form(
        self, payload: bytes, items: tuple[DataItem, ...], results: ResultsPlan
    ) -> CallPlan:
        if self._options.dialect is TWO and len(payload) > TWO.threshold and not items:
            raise LocalProtocolError("it does not fit")
        return super().choose_form(payload, items, results)


@mutant(
    breaks="v2.2.1.chunk-offered-for-a-large-reply",
    also_trips={"xcharext.3.1.reply-chunk-by-the-own-size": because.SEEN_BY_LONG_CALLS},
)
class OffersNoReplyChunkInTwo(CallPlanner):
    """Offers no Reply chunk in Version Two."""

    def offer(self, expectation: ReplyExpectation) -> ResultsPlan:
        plan = super().offer(expectation)
        return replace(plan, reply=()) if self._options.dialect is TWO else plan


@mutant(
    breaks="v2.2.3.no-send-beyond-4096-octets",
    also_trips=dict.fromkeys(
        (
            "xcharext.3.1.no-send-beyond-the-announced-size",
            "xcharext.4.1.left-out-is-the-default",
            "xcharext.4.3.",
        ),
        because.SEEN_BY_LONG_CALLS,
    ),
)
class SendsTwiceTheDefault(CallPlanner):
    """Sends up to 8192 octets inline once Version Two is settled."""

    @property
    def threshold(self) -> int:
        settled = self._options.dialect is TWO and self.send_limit >= TWO.threshold
        return 2 * self.send_limit if settled else self.send_limit


@mutant(
    breaks="v2.2.3.receives-hold-4096-octets",
    also_trips={
        **dict.fromkeys(
            (
                "v2.2.2.backward-messages-grow-too",
                "v2.3.1.unsupported-operation-is-answered",
                "v2.5.1.both-ends-use-4096-octets",
            ),
            because.LONG_COSTS_THE_CONNECTION,
        ),
        "xcharext.6.1.codes-of-any-size": "so does a long list of properties",
    },
)
class PostsReceivesOfVersionOne(Requester):
    """Posts Receives of 1024 octets for the first replies of Version Two."""

    @property
    def initial_receives(self) -> tuple[int, ...]:
        receives = super().initial_receives
        return (ONE.threshold,) * len(receives) if self.options.dialect is TWO else receives


@mutant(
    breaks="v2.5.1.both-ends-use-4096-octets",
    also_trips={
        "v2.1.one-rpc-message-behind-the-header": "a reply that is dropped ends no call",
        **dict.fromkeys(
            (
                "xcharext.3.1.",
                "xcharext.4.3.done-is-done",
                "xcharext.4.4.update-tells-what-has-changed",
            ),
            because.SEEN_BY_LONG_CALLS,
        ),
    },
)
class DropsLongRepliesOfVersionTwo(Requester):
    """Drops replies of more than 1024 octets in Version Two."""

    def _judge(self, message: bytes) -> list[Action]:
        is_long = len(message) > ONE.threshold
        return [] if is_long and self.options.dialect is TWO else super()._judge(message)


@mutant(
    breaks="v2.1.one-rpc-message-behind-the-header",
    also_trips={
        "v2.5.1.both-ends-use-4096-octets": "what is put together wrongly is another reply",
        **dict.fromkeys(
            (
                "xcharext.3.1.",
                "xcharext.4.1.sender-bears-defaults",
                "xcharext.4.3.done-is-done",
                "xcharext.4.4.update-tells-what-has-changed",
            ),
            because.SEEN_BY_LONG_CALLS,
        ),
    },
)
class ReadsBehindTheHeaderOfVersionOne(Requester):
    """Takes the payload of a longer reply in Version Two from octet 28 on."""

    def _take_plain_reply(self, header: TransportHeader, message: bytes) -> list[Action] | None:
        delivered = super()._take_plain_reply(header, message)
        if delivered is None or self.options.dialect is not TWO or len(message) < _LONGER:
            return delivered
        return [_shifted(action, message) for action in delivered]


_LONGER: Final = 512


def _shifted(action: Action, message: bytes) -> Action:
    if isinstance(action, Deliver) and isinstance(action.event, ReplyReceived):
        return Deliver(replace(action.event, payload=message[28:]))
    return action


def _halved(chunk: WriteChunk) -> WriteChunk:
    return WriteChunk(
        tuple(
            msgspec.structs.replace(segment, length=segment.length // 2) for segment in chunk.target
        )
    )
