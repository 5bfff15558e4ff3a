"""Mutants: which groups a server takes for broken, or for whole (rtrext 4.2, 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.wire._generated_rtrext import (
    BadOptionalType,
    BadPayloadLength,
    ReptErr,
    TransmissionId,
)
from rpcrdma.wire.operations import ROPT_XMTCONT, XmtCont, XmtReq, XmtResp
from rpcrdma.wire.optional import UnknownOption
from rpcrdma.wire.transmission import Assembler, BrokenGroup
from targets.mutants import because
from targets.mutants.base import mutant
from targets.mutants.reductions.edits import EditedSend, part_of

if TYPE_CHECKING:
    from rpcrdma.wire._generated_rtrext import ErrorInformation
    from rpcrdma.wire.transmission import Arrived

AT_SERVER: Final = ("responder",)

RPC_HEADER: Final = 40
"""Octets of the header of a Call without credentials."""

PLAIN: Final = 1024
"""Octets of the first segment of the reference's buffers."""


def _broken(send: bytes, part: EditedSend, info: ErrorInformation) -> tuple[Arrived, ...]:
    """A Send that is taken for a group by itself that is broken."""
    number = part.contents.optxc_xnum if isinstance(part.contents, XmtCont) else 0
    report = ReptErr(TransmissionId(part.xid, part.way, number), None, info)
    return (BrokenGroup((send,), report),)


@mutant(
    breaks="rtrext.9.5.type-is-wrong-within-a-group-only",
    also_trips=dict.fromkeys(
        ("v2.3.1.", "v2.3.2."),
        "an operation that nobody knows is reported in place of being refused",
    ),
    roles=AT_SERVER,
)
class ReportsUnknownOperationsOutsideOfGroups(Assembler):
    """Reports an operation that it does not know as one in place of a continuation, anywhere."""

    def take(self, send: bytes) -> tuple[Arrived, ...]:
        part = part_of(send)
        if part is not None and isinstance(part.contents, UnknownOption) and not self.unfinished:
            info = BadOptionalType(ROPT_XMTCONT, part.contents.opttype)
            return _broken(send, part, info)
        return super().take(send)


@mutant(
    breaks="rtrext.4.2.message-may-be-cut-anywhere",
    also_trips=dict.fromkeys(
        (
            "rtrext.6.2.segments-after-a-short-transmission-count",
            "rtrext.8.4.requests-up-to-the-limit-are-taken",
            "rtrext.9.2.request-is-whole-with-its-count",
            "rtrext.9.4.continuation-without-payload",
            "rtrext.9.5.rpc-errors-are-not-reported-so",
        ),
        because.REFUSED_FORM,
    ),
    roles=AT_SERVER,
)
class TakesNoBeginningWithoutAnRpcHeader(Assembler):
    """Reports a first transmission that has less than an RPC header, where others follow."""

    def take(self, send: bytes) -> tuple[Arrived, ...]:
        part = part_of(send)
        if part is not None:
            match part.contents:
                case (
                    XmtReq(optxrq_count=count, optxrq_pslen=length)
                    | XmtResp(optxrs_count=count, optxrs_pslen=length)
                ) if count > 1 and length < RPC_HEADER:
                    return _broken(send, part, BadPayloadLength(length, RPC_HEADER, PLAIN))
                case _:
                    pass
        return super().take(send)


@mutant(
    breaks="rtrext.9.4.continuation-without-payload",
    also_trips=dict.fromkeys(
        (
            "rtrext.6.2.target-segments-are-numbered",
            "rtrext.9.2.request-is-whole-with-its-count",
            "rtrext.9.5.badcont",
        ),
        "a continuation without payload is reported for that, whatever is looked at",
    ),
    roles=AT_SERVER,
)
class TakesNoContinuationWithoutPayload(Assembler):
    """Reports continuations that have nothing after their header."""

    def take(self, send: bytes) -> tuple[Arrived, ...]:
        part = part_of(send)
        if part is not None and isinstance(part.contents, XmtCont) and not part.rest:
            return _broken(send, part, BadPayloadLength(0, 4, PLAIN))
        return super().take(send)


@mutant(
    breaks="rtrext.9.4.payload-of-xmtcont-crosses-segments",
    also_trips=dict.fromkeys(
        (
            "rtrext.4.2.message-may-be-cut-anywhere",
            "rtrext.8.3.receives-are-as-told",
            "rtrext.9.5.",
        ),
        "a continuation that reaches so far is reported for it, whatever is looked at",
    ),
    roles=AT_SERVER,
)
class TakesContinuationsOfOneSegment(Assembler):
    """Reports continuations whose payload goes on in the second segment of the buffer."""

    def take(self, send: bytes) -> tuple[Arrived, ...]:
        part = part_of(send)
        if part is not None and isinstance(part.contents, XmtCont):
            end = len(send) - len(part.rest) + part.contents.optxc_pslen
            if end > PLAIN:
                return _broken(send, part, BadPayloadLength(part.contents.optxc_pslen, 0, PLAIN))
        return super().take(send)


@mutant(
    breaks="rtrext.9.2.request-is-whole-with-its-count",
    also_trips=dict.fromkeys(
        (
            "rtrext.4.2.",
            "rtrext.6.2.",
            "rtrext.7.3.",
            "rtrext.8.3.receives-are-as-told",
            "rtrext.8.4.requests-up-to-the-limit-are-taken",
            "rtrext.9.4.continuation-without-payload",
            "rtrext.9.5.",
            "v2.5.granted-calls-are-served",
        ),
        because.LEFT_OVER,
    ),
    roles=("responder",),
)
class ExecutesBeforeTheLastTransmission(Assembler):
    """Takes a request for whole when all transmissions but the last have come."""

    def take(self, send: bytes) -> tuple[Arrived, ...]:
        part = part_of(send)
        if part is not None and isinstance(part.contents, XmtReq):
            count = part.contents.optxrq_count
            if count > 2:
                return super().take(part.saying(optxrq_count=count - 1).octets)
        return super().take(send)
