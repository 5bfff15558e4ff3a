"""Mutants: what an end announces of its reductions is not what it should be (rtrext 7.2, 8).

Either end announces by the same part, so each is a mutant of the server and one of the client.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.endpoint.properties.optional_half import OptionalHalf
from rpcrdma.endpoint.properties.rules import PropertyRules
from rpcrdma.wire import v2
from rpcrdma.wire.operations import ConnProp
from rpcrdma.wire.optional import decode_option, encode_option
from rpcrdma.wire.properties import (
    XPROP_RBSTRUCT,
    XPROP_REQRXLIM,
    XPROP_RESPSXLIM,
    XPROP_RTRSUPP,
    DerivedStructure,
    PropertyValue,
    ReceiveBufferSize,
    ReceiveBufferStructure,
)
from targets.mutants.base import mutant
from targets.reference.replaced_parts import BOTH_ENDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rpcrdma.endpoint.core.actions import Send
    from rpcrdma.endpoint.properties.values import PropertyValues
    from rpcrdma.wire._generated_rtrext import BufferSegmentGroup
    from rpcrdma.wire.properties import KnownProperty


UNHEARD: Final = "the case about this property finds none"
"""What a device says under another code is not heard of."""

"""Cases about results in Sends, and about what can be wrong there, do not come to it."""

UNREADABLE: Final = "an announcement with such a value cannot be read"
"""And so breaks what is said of all announcements; the others of its values are not heard of."""

TOLD_ELSEWHERE: Final = 0x40
"""What is added to a code that should be another."""


def _announcing(
    body: v2.Rdma2Body, change: Callable[[PropertyValue], PropertyValue]
) -> v2.Rdma2Body:
    """A CONNPROP with other values; any other body as it is."""
    if not isinstance(body, v2.Rdma2Optional):
        return body
    option = decode_option(body)
    if not isinstance(option, ConnProp):
        return body
    start = tuple(map(change, option.opticonnpr_start))
    return encode_option(body.rdma_optdir, msgspec.structs.replace(option, opticonnpr_start=start))


def _under_another_code(body: v2.Rdma2Body, code: int) -> v2.Rdma2Body:
    """A CONNPROP that tells a property under a code that nobody knows."""

    def change(value: PropertyValue) -> PropertyValue:
        if value.pv_which != code:
            return value
        return PropertyValue(code + TOLD_ELSEWHERE, value.pv_data)

    return _announcing(body, change)


@mutant(breaks="rtrext.8.1.code-of-rtr-support", roles=BOTH_ENDS)
class TellsSupportElsewhere(OptionalHalf):
    """Tells RTR Support under another code."""

    def _send(self, xid: int, body: v2.Rdma2Body) -> Send:
        return super()._send(xid, _under_another_code(body, XPROP_RTRSUPP))


@mutant(
    breaks="rtrext.8.1.code-of-the-buffer-structure",
    roles=BOTH_ENDS,
)
class TellsItsStructureElsewhere(OptionalHalf):
    """Tells its Receive Buffer Structure under another code."""

    def _send(self, xid: int, body: v2.Rdma2Body) -> Send:
        return super()._send(xid, _under_another_code(body, XPROP_RBSTRUCT))


@mutant(
    breaks="rtrext.8.1.code-of-the-request-limit",
    roles=BOTH_ENDS,
    trips_at={"responder": {"rtrext.8.4.": UNHEARD}},
)
class TellsItsRequestLimitElsewhere(OptionalHalf):
    """Tells its Request Transmission Receive Limit under another code."""

    def _send(self, xid: int, body: v2.Rdma2Body) -> Send:
        return super()._send(xid, _under_another_code(body, XPROP_REQRXLIM))


@mutant(
    breaks="rtrext.8.1.code-of-the-response-limit",
    roles=BOTH_ENDS,
    trips_at={"responder": {"rtrext.8.5.": UNHEARD}},
)
class TellsItsResponseLimitElsewhere(OptionalHalf):
    """Tells its Response Transmission Send Limit under another code."""

    def _send(self, xid: int, body: v2.Rdma2Body) -> Send:
        return super()._send(xid, _under_another_code(body, XPROP_RESPSXLIM))


@mutant(
    breaks="rtrext.8.1.values-overlay-the-data",
    roles=BOTH_ENDS,
    also_trips={"xcharext.4.": UNREADABLE},
    trips_at={"responder": dict.fromkeys(("rtrext.8.4.", "rtrext.8.5."), UNREADABLE)},
)
class PadsTheValueOfItsLimit(OptionalHalf):
    """Leaves a word after the value of its Request Transmission Receive Limit."""

    def _send(self, xid: int, body: v2.Rdma2Body) -> Send:
        def change(value: PropertyValue) -> PropertyValue:
            if value.pv_which != XPROP_REQRXLIM:
                return value
            return PropertyValue(value.pv_which, value.pv_data + bytes(4))

        return super()._send(xid, _announcing(body, change))


@mutant(breaks="rtrext.7.2.no-other-flag", roles=BOTH_ENDS)
class SetsAnotherFlag(PropertyRules):
    """Sets a flag of its segments that no document defines."""

    def announced(self, own: PropertyValues) -> tuple[KnownProperty, ...]:
        def flagged(group: BufferSegmentGroup) -> BufferSegmentGroup:
            info = group.xmrgrp_info
            more = msgspec.structs.replace(info, xmrseg_flags=info.xmrseg_flags | 2)
            return msgspec.structs.replace(group, xmrgrp_info=more)

        def change(value: KnownProperty) -> KnownProperty:
            if not isinstance(value, ReceiveBufferStructure):
                return value
            groups = tuple(map(flagged, value.buffer.xmrbuf_groups))
            return ReceiveBufferStructure(
                msgspec.structs.replace(value.buffer, xmrbuf_groups=groups)
            )

        return tuple(map(change, super().announced(own)))


@mutant(
    breaks="rtrext.8.3.structure-agrees-with-the-size",
    roles=BOTH_ENDS,
    trips_at={
        "requester": {
            "rfc8166.2.2.2.reply-retires-the-xid": "a Reply that fits into no buffer never comes",
            **dict.fromkeys(
                (
                    "rtrext.4.2.",
                    "rtrext.4.3.",
                    "rtrext.6.2.",
                    "rtrext.7.3.",
                    "rtrext.8.3.",
                    "rtrext.9.4.",
                ),
                "the last target segment is not whole, and so no target of results",
            ),
        }
    },
)
class TellsASmallerSize(PropertyRules):
    """Tells of a Receive Buffer Size that is smaller than its structure."""

    def announced(self, own: PropertyValues) -> tuple[KnownProperty, ...]:
        return tuple(
            ReceiveBufferSize(one.octets - 4) if isinstance(one, ReceiveBufferSize) else one
            for one in super().announced(own)
        )


@mutant(breaks="xcharext.2.1.zero-length-means-the-default", roles=BOTH_ENDS)
class TakesNoStructureForNoRoom(PropertyRules):
    """Takes a structure of no octets for Receives of none, unless a size is told after it."""

    def connected(self, peer: PropertyValues, announced: Iterable[KnownProperty]) -> PropertyValues:
        values = tuple(announced)
        derived = (ReceiveBufferSize(0),) if DerivedStructure() in values else ()
        return super().connected(peer, (*derived, *values))
