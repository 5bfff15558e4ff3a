"""Mutants: the form of either end's operations, and which it supports (xcharext 2.3, 3, 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.core.actions import Send
from rpcrdma.endpoint.properties.optional_half import OptionalHalf
from rpcrdma.endpoint.properties.rules import PropertyRules
from rpcrdma.wire import v2
from rpcrdma.wire.operations import ROPT_CONNPROP, ROPT_RESPROP, ROPT_UPDPROP, ConnProp, RespProp
from rpcrdma.wire.optional import decode_option, encode_option
from rpcrdma.wire.properties import PROP_RBSIZ, PropertyValue
from rpcrdma.wire.rpc import MessageType
from targets.mutants.base import mutant
from targets.reference.replaced_parts import BOTH_ENDS

if TYPE_CHECKING:
    from collections.abc import Collection

    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.properties.values import PropertyValues
    from rpcrdma.wire.properties import KnownProperty
    from rpcrdma.wire.v2 import Rdma2Body, Rdma2ErrorBody

NO_PAYLOAD = "xcharext.4.no-payload-follows"
FITS = "xcharext.4.1.connprop-fits-the-initial-receives"
REFUSED = "xcharext.4.unsupported-operation-is-refused"
LENGTH = 4
"""Octets of a size, and of the count before it."""


@mutant(
    breaks="xcharext.1.3.both-ends-take-operations",
    roles=BOTH_ENDS,
    also_trips=dict.fromkeys(
        (
            "xcharext.2.1.",
            "xcharext.2.3.operations-carry-no-rpc",
            "xcharext.3.1.no-send-beyond-the-announced-size",
            "xcharext.4.1.left-out-is-not-asked-for",
            "xcharext.4.answers-and-updates-need-connprop",
        ),
        "its refusal comes where something else is looked at",
    ),
    trips_at={
        "responder": dict.fromkeys(
            ("v2.3.1.refusal-echoes-the-xid", "xcharext.3.3."),
            "its refusal comes where something else is looked at",
        )
    },
)
class RefusesAnnouncements(PropertyRules):
    """Refuses CONNPROP and UPDPROP though it supports them."""

    def is_supported(self, opttype: int, operations: Collection[int]) -> bool:
        is_announcement = opttype in (ROPT_CONNPROP, ROPT_UPDPROP)
        return not is_announcement and super().is_supported(opttype, operations)


@mutant(
    breaks="xcharext.2.3.announcements-have-no-answer",
    roles=BOTH_ENDS,
    also_trips=dict.fromkeys(
        ("xcharext.2.1.", "xcharext.2.3.operations-carry-no-rpc"),
        "its answer comes where something else is looked at",
    ),
    trips_at={
        "responder": dict.fromkeys(
            ("xcharext.3.3.", "xcharext.4.1."), "its answer comes where something else is looked at"
        )
    },
)
class AnswersAnnouncements(OptionalHalf):
    """Answers CONNPROP and UPDPROP by an empty RESPPROP."""

    def take(self, message: bytes) -> list[Action]:
        actions = super().take(message)
        header, _ = v2.decode_header(message)
        body = header.rdma_body
        kinds = (ROPT_CONNPROP, ROPT_UPDPROP)
        if isinstance(body, v2.Rdma2Optional) and body.rdma_opttype in kinds:
            answer = encode_option(MessageType.REPLY, RespProp((), (), ()))
            reply = v2.Rdma2Header(header.rdma_xid, v2.VERSION, self.granted, answer)
            actions.append(Send(0, v2.encode_header(reply)))
        return actions


@mutant(breaks="xcharext.3.codes-and-types", roles=BOTH_ENDS)
class TellsSizesInEightOctets(OptionalHalf):
    """Tells its receive buffer size in eight octets."""

    def _send(self, xid: int, body: Rdma2Body) -> Send:
        if isinstance(body, v2.Rdma2Optional):
            option = decode_option(body)
            if isinstance(option, ConnProp):
                wide = tuple(
                    PropertyValue(one.pv_which, bytes(LENGTH) + one.pv_data)
                    if one.pv_which == PROP_RBSIZ
                    else one
                    for one in option.opticonnpr_start
                )
                body = encode_option(body.rdma_optdir, ConnProp(wide, option.opticonnpr_nochg))
        return super()._send(xid, body)


@mutant(breaks="xcharext.2.1.propval-is-code-and-data", roles=BOTH_ENDS)
class LeavesOutTheCountOfOctets(OptionalHalf):
    """Leaves out how many octets the first value of a CONNPROP has."""

    def _send(self, xid: int, body: Rdma2Body) -> Send:
        if isinstance(body, v2.Rdma2Optional) and body.rdma_opttype == ROPT_CONNPROP:
            whole = body.rdma_optinfo
            cut = whole[: 2 * LENGTH] + whole[3 * LENGTH :]
            body = v2.Rdma2Optional(body.rdma_optdir, body.rdma_opttype, cut)
        return super()._send(xid, body)


@mutant(
    breaks="xcharext.4.operation-codes",
    roles=BOTH_ENDS,
    trips_at={
        "requester": {"rtrext.6.2.": "under another code an announcement is another operation"}
    },
)
class AnnouncesUnderAnotherCode(OptionalHalf):
    """Sends its CONNPROP as operation 5."""

    def _send(self, xid: int, body: Rdma2Body) -> Send:
        if isinstance(body, v2.Rdma2Optional) and body.rdma_opttype == ROPT_CONNPROP:
            body = v2.Rdma2Optional(body.rdma_optdir, 5, body.rdma_optinfo)
        return super()._send(xid, body)


@mutant(breaks="xcharext.4.operation-layout", roles=BOTH_ENDS)
class LengthensOptinfo(OptionalHalf):
    """Puts a word after the contents of the optinfo of its CONNPROP."""

    def _send(self, xid: int, body: Rdma2Body) -> Send:
        if isinstance(body, v2.Rdma2Optional) and body.rdma_opttype == ROPT_CONNPROP:
            longer = body.rdma_optinfo + bytes(LENGTH)
            body = v2.Rdma2Optional(body.rdma_optdir, body.rdma_opttype, longer)
        return super()._send(xid, body)


@mutant(
    breaks=NO_PAYLOAD,
    roles=BOTH_ENDS,
    trips_at={
        "responder": {
            "rtrext.9.1.no-payload-after-an-error-report": "an error report is an operation, too"
        }
    },
)
class AppendsACallToOperations(OptionalHalf):
    """Puts the beginning of an RPC message after each operation."""

    def _send(self, xid: int, body: Rdma2Body) -> Send:
        sent = super()._send(xid, body)
        if isinstance(body, v2.Rdma2Optional):
            return Send(sent.key, sent.data + xid.to_bytes(4, "big") + bytes(LENGTH))
        return sent


def _at_length(body: Rdma2Body) -> Rdma2Body:
    """A CONNPROP with hundreds of properties that nobody knows."""
    if not isinstance(body, v2.Rdma2Optional) or body.rdma_opttype != ROPT_CONNPROP:
        return body
    option = decode_option(body)
    if not isinstance(option, ConnProp):
        return body
    more = tuple(PropertyValue(2000 + code, bytes(8)) for code in range(400))
    start = (*option.opticonnpr_start, *more)
    return encode_option(body.rdma_optdir, ConnProp(start, option.opticonnpr_nochg))


@mutant(breaks=FITS, roles=("responder",))
class AnnouncesAtLength(OptionalHalf):
    """Announces hundreds of properties that nobody knows."""

    def _send(self, xid: int, body: Rdma2Body) -> Send:
        return super()._send(xid, _at_length(body))


@mutant(
    breaks=FITS,
    roles=("requester",),
    also_trips={
        "xcharext.3.default-without-information": (
            "its CONNPROP is longer than a peer takes by default"
        )
    },
)
class AnnouncesAtLengthToServers(OptionalHalf):
    """Announces hundreds of properties that no server knows."""

    def _send(self, xid: int, body: Rdma2Body) -> Send:
        return super()._send(xid, _at_length(body))


@mutant(breaks="xcharext.4.1.all-known-properties-are-told", roles=BOTH_ENDS)
class AnnouncesTheSizeAlone(PropertyRules):
    """Announces its receive buffer size and nothing else."""

    def announced(self, own: PropertyValues) -> tuple[KnownProperty, ...]:
        return super().announced(own)[:1]


@mutant(
    breaks=REFUSED,
    roles=BOTH_ENDS,
    without=("updprop",),
    also_trips={"v2.3.1.": "it drops operations that nobody knows as well"},
)
class DropsWhatItDoesNotSupport(PropertyRules):
    """Drops operations that it does not support."""

    def unsupported(self) -> Rdma2ErrorBody | None:
        return None


@mutant(
    breaks="xcharext.4.who-asks-takes-the-answer",
    roles=BOTH_ENDS,
    also_trips=dict.fromkeys(
        (
            "xcharext.4.3.answer-to-nothing-has-no-effect",
            "xcharext.4.3.other-value-is-taken",
            "xcharext.4.answers-and-updates-need-connprop",
        ),
        "its refusal comes where something else is looked at",
    ),
    trips_at={
        "responder": {
            "v2.3.1.unsupported-operation-is-answered": "it refuses what it claims to support",
        }
    },
)
class RefusesAnswers(PropertyRules):
    """Asks for changes, and refuses the answer as unsupported."""

    def is_supported(self, opttype: int, operations: Collection[int]) -> bool:
        return opttype != ROPT_RESPROP and super().is_supported(opttype, operations)


@mutant(
    breaks="xcharext.4.answers-and-updates-need-connprop",
    roles=BOTH_ENDS,
    also_trips=dict.fromkeys(
        (
            "xcharext.2.1.",
            "xcharext.2.3.",
            "xcharext.3.1.no-send-beyond-the-announced-size",
            "xcharext.4.1.left-out-is-not-asked-for",
        ),
        "its refusal comes where something else is looked at",
    ),
    trips_at={
        "responder": dict.fromkeys(
            ("v2.3.1.refusal-echoes-the-xid", "xcharext.3.3."),
            "its refusal comes where something else is looked at",
        )
    },
)
class RefusesConnprop(PropertyRules):
    """Takes updates and answers, and refuses CONNPROP."""

    def is_supported(self, opttype: int, operations: Collection[int]) -> bool:
        return opttype != ROPT_CONNPROP and super().is_supported(opttype, operations)
