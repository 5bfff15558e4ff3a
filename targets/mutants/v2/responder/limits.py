"""Mutants: credits and thresholds of a Responder in Version Two.

v2 section 2.3  Default Values
v2 section 5    Protocol Version Negotiation
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.responder.call_rules import CallRules
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.wire import FixedWords, RdmaMsg, TransportHeader

ONE_THRESHOLD: Final = 1024
LARGE: Final = 8192


@mutant(breaks="v2.5.answer-reports-the-credit-limit")
class GrantsZeroInTwo(ReplyRules):
    """Grants no credit in replies in Version Two."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        if header.rdma_vers == TWO.number:
            header = msgspec.structs.replace(header, rdma_credit=0)
        return super().encode_reply(header, payload)


@mutant(breaks="v2.5.granted-calls-are-served")
class GrantsMoreThanItHas(ReplyRules):
    """Grants sixty credits in Version Two, and has Receives for half of them."""

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        if header.rdma_vers == TWO.number:
            header = msgspec.structs.replace(header, rdma_credit=60)
        return super().encode_reply(header, payload)


@mutant(
    breaks="v2.2.3.replies-up-to-4096-octets-go-inline",
    also_trips={"v2.1.only-eligible-items-are-reduced": because.REFUSED_INLINE},
)
class KeepsTo1024OctetsInTwo(ReplyRules):
    """Sends no reply of more than 1024 octets inline, in whatever version."""

    def fits_inline(self, length: int, threshold: int) -> bool:
        return super().fits_inline(length, min(threshold, ONE_THRESHOLD))


@mutant(
    breaks="v2.2.3.no-send-beyond-4096-octets",
    also_trips=dict.fromkeys(
        (
            "v2.4.2.",
            "xcharext.2.1.",
            "xcharext.3.1.",
            "xcharext.3.change-may-be-rejected",
            "xcharext.3.default-without-information",
            "xcharext.3.refusal-of-the-operation-is-rejection",
            "xcharext.4.1.",
            "xcharext.4.3.",
        ),
        because.CAME_INLINE,
    ),
)
class SendsUpTo8192Octets(ReplyRules):
    """Sends replies of up to 8192 octets inline in Version Two."""

    def fits_inline(self, length: int, threshold: int) -> bool:
        return super().fits_inline(length, threshold if threshold == ONE_THRESHOLD else LARGE)


@mutant(
    breaks="v2.5.1.both-ends-use-4096-octets",
    also_trips=dict.fromkeys(
        (
            "v2.1.",
            "v2.5.2.threshold-changes-keep-the-connection",
            "v2.5.granted-calls-are-served",
            "xcharext.3.1.",
            "xcharext.3.unrequested-change-does-no-harm",
        ),
        because.LONG_COSTS_THE_CONNECTION,
    ),
)
class HangsUpOnCallsBeyond1024Octets(CallRules):
    """Closes the connection at an RDMA2_MSG of more than 1024 octets."""

    def take_short(
        self, words: FixedWords, body: RdmaMsg, payload: bytes, limit: int
    ) -> IncomingCall:
        if words.version == TWO.number and len(payload) + TWO.header > ONE_THRESHOLD:
            raise FaultFound(Fault.TOO_MANY_CALLS)
        return super().take_short(words, body, payload, limit)


@mutant(
    breaks="v2.2.3.receives-hold-4096-octets",
    also_trips=dict.fromkeys(
        (
            "v2.1.",
            "v2.2.2.backward-messages-grow-too",
            "v2.3.1.optinfo-is-read-by-its-operation-only",
            "v2.5.1.both-ends-use-4096-octets",
            "v2.5.2.threshold-changes-keep-the-connection",
            "xcharext.4.3.other-value-is-in-effect",
            "xcharext.6.1.codes-of-any-size",
        ),
        because.LONG_COSTS_THE_CONNECTION,
    ),
)
class PostsReceivesOf1024Octets(Responder):
    """Posts Receives of 1024 octets at first, though calls in Version Two may be longer."""

    @property
    def initial_receives(self) -> tuple[int, ...]:
        return (ONE_THRESHOLD,) * self.options.receives
