"""Mutants: backward Calls that are not as they must be (bidir sections 1.3.4, 2.4 and 2.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.endpoint.backward.requester import BackwardRequester
from rpcrdma.endpoint.core.backchannel import Backchannel
from rpcrdma.endpoint.responder.call_rules import MINIMUM_HEADER
from rpcrdma.wire import (
    RdmaMsg,
    RdmaNomsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    encode_header,
)
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from collections.abc import Collection

    from rpcrdma.endpoint.core.backchannel import BackwardCall
    from rpcrdma.wire import Body

LISTS = "bidir.2.5.call-has-empty-lists"
SAME_XID = "bidir.2.5.call-header-follows-with-the-same-xid"
SEGMENT = RdmaSegment(1, 64, 0)


def with_body(header: TransportHeader, body: Body) -> TransportHeader:
    """The header with another body."""
    return msgspec.structs.replace(header, rdma_body=body)


_NO_CALL: Final = dict.fromkeys(
    (
        "bidir.1.3.",
        "bidir.1.5.3.no-rdma-for-backward-transactions",
        "bidir.2.1.2.",
        "bidir.2.2.",
        "bidir.2.3.",
        "bidir.2.4.",
    ),
    because.NO_BACKWARD_CALL,
)
"""The cases that wait for a backward Call look at statements of these sections."""

_TAKEN_FOR_REPLIES: Final = dict.fromkeys(
    ("bidir.1.3.", "bidir.2.2.", "rfc8166.2.2.2.reply-xid-is-the-calls"),
    "what it sends is taken for a Reply that nobody waits for",
)
"""A backward Call whose msg_type is not CALL breaks these, whatever a case is about."""


@mutant(breaks="bidir.2.5.call-has-version-one")
class CallsBackInVersionThree(BackwardRequester):
    """Makes backward Calls in version three."""

    def header(self, call: BackwardCall) -> TransportHeader:
        return msgspec.structs.replace(super().header(call), rdma_vers=3)


@mutant(
    breaks="bidir.2.5.call-is-rdma-msg",
    also_trips={"bidir.2.4.no-larger": "with what it adds, the largest Call does not fit any more"},
)
class CallsBackByNomsg(BackwardRequester):
    """Makes backward Calls as Long Messages."""

    def header(self, call: BackwardCall) -> TransportHeader:
        body = RdmaNomsg((ReadSegment(0, SEGMENT),), (), None)
        return with_body(super().header(call), body)


@mutant(
    breaks=LISTS,
    also_trips={"bidir.2.4.no-larger": "with what it adds, the largest Call does not fit any more"},
)
class CallsBackWithReadList(BackwardRequester):
    """Makes backward Calls with a Read list."""

    def header(self, call: BackwardCall) -> TransportHeader:
        body = RdmaMsg((ReadSegment(40, SEGMENT),), (), None)
        return with_body(super().header(call), body)


@mutant(
    breaks=LISTS,
    also_trips={"bidir.2.4.no-larger": "with what it adds, the largest Call does not fit any more"},
)
class CallsBackWithWriteList(BackwardRequester):
    """Makes backward Calls with a Write list."""

    def header(self, call: BackwardCall) -> TransportHeader:
        return with_body(super().header(call), RdmaMsg((), (WriteChunk((SEGMENT,)),), None))


@mutant(
    breaks=LISTS,
    also_trips={"bidir.2.4.no-larger": "with what it adds, the largest Call does not fit any more"},
)
class CallsBackWithReplyChunk(BackwardRequester):
    """Offers a Reply chunk in backward Calls."""

    def header(self, call: BackwardCall) -> TransportHeader:
        return with_body(super().header(call), RdmaMsg((), (), WriteChunk((SEGMENT,))))


@mutant(breaks=SAME_XID)
class CallsBackWithTwoXids(BackwardRequester):
    """Puts another XID into the transport header than into the RPC header."""

    def header(self, call: BackwardCall) -> TransportHeader:
        return msgspec.structs.replace(super().header(call), rdma_xid=call.xid ^ 0x100)


@mutant(breaks=SAME_XID)
class CallsBackWithoutPayload(BackwardRequester):
    """Sends no more of a backward Call than its XID and msg_type."""

    def frame(self, call: BackwardCall) -> bytes:
        return encode_header(self.header(call)) + call.payload[:8]


@mutant(
    breaks="bidir.2.5.call-msg-type",
    also_trips=_TAKEN_FOR_REPLIES,
)
class CallsBackByReplies(BackwardRequester):
    """Gives backward Calls the msg_type of Replies."""

    def frame(self, call: BackwardCall) -> bytes:
        payload = call.payload[:4] + (1).to_bytes(4) + call.payload[8:]
        return encode_header(self.header(call)) + payload


@mutant(breaks="bidir.2.5.call-has-a-fresh-xid")
class CallsBackUnderOneXid(Backchannel):
    """Makes every backward Call under one XID."""

    def choose_xid(self, taken: Collection[int]) -> int:
        return 7


@mutant(breaks="bidir.2.1.2.credit-is-never-zero")
class RequestsNoBackwardCredit(BackwardRequester):
    """Requests no credit in backward Calls."""

    def requested(self) -> int:
        return 0


@mutant(breaks="bidir.2.4.no-larger-than-the-receives")
class CallsBackHoweverLarge(BackwardRequester):
    """Sends backward Calls of any size."""

    def fits(self, message: bytes) -> bool:
        return True


@mutant(
    breaks="bidir.1.3.call-is-told-by-its-msg-type",
    also_trips=_TAKEN_FOR_REPLIES,
)
class CallsBackByAnUnknownType(BackwardRequester):
    """Gives backward Calls a msg_type that there is not."""

    def frame(self, call: BackwardCall) -> bytes:
        payload = call.payload[:4] + (2).to_bytes(4) + call.payload[8:]
        return encode_header(self.header(call)) + payload


@mutant(
    breaks="bidir.1.3.4.call-xid-is-unique",
    also_trips={"bidir.2.5.call-has-a-fresh-xid": "two Calls in flight have the same XID"},
)
class CallsBackUnderTwoXids(Backchannel):
    """Takes turns between two XIDs for all backward Calls."""

    def choose_xid(self, taken: Collection[int]) -> int:
        return 1 + len(self.pending) % 2


@mutant(breaks="bidir.1.5.4.backward-messages-fit-one-receive")
class CountsNoHeaderOfBackwardCalls(BackwardRequester):
    """Leaves the transport header out of the count when it decides whether a Call fits."""

    def fits(self, message: bytes) -> bool:
        return super().fits(message[MINIMUM_HEADER:])


@mutant(
    breaks="bidir.2.1.2.call-requests-credits",
    also_trips={"bidir.2.1.2.credit-is-never-zero": "what requests nothing has a zero there"},
)
class RequestsBackwardCreditsOnce(BackwardRequester):
    """Requests backward credits until it has been granted some."""

    def requested(self) -> int:
        return super().requested() if self.allowance.granted is None else 0


@mutant(
    breaks="bidir.2.5.call-carries-credits",
    also_trips={"bidir.2.1.2.credit-is-never-zero": "what requests nothing has a zero there"},
)
class RequestsNothingUnderAGrantOfOne(BackwardRequester):
    """Requests no further backward credits where it was granted one."""

    def requested(self) -> int:
        return 0 if self.allowance.granted == 1 else super().requested()


@mutant(
    breaks="bidir.1.3.2.service-may-make-calls",
    also_trips=_NO_CALL,
)
class NeverCallsBack(BackwardRequester):
    """Makes no backward Call at all."""

    def may_send(self, sends: int) -> bool:
        return False
