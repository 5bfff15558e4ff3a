"""An end that sends a transmission group wrongly, once, when it is told to.

Each fault is one that the receiver must notice, whatever else it knows: so no RPC may ever end with
a reply that is not its own.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

import msgspec

from rpcrdma.endpoint.core.actions import Action, Send
from rpcrdma.endpoint.core.dialect import NO_CHUNKS
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.ulp import testprog_calls
from rpcrdma.wire import TransportHeader, v2
from rpcrdma.wire._generated_rtrext import InTargetedSegments
from rpcrdma.wire.operations import XmtCont, XmtReq, XmtResp
from rpcrdma.wire.rpc import MessageType
from tests.endpoint.group_parts import Part, part_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rpcrdma.endpoint.core import events
    from rpcrdma.endpoint.core.connection import EndpointRole, Handler
    from rpcrdma.endpoint.core.reductions import Reductions
    from rpcrdma.wire._generated_rtrext import MessageItem

FAR = 2**31
"""More than any offset, number or length of a message."""

FOREIGN = 0x70000000
"""Bits of XIDs that no call has."""


class Harm(Enum):
    """What is wrong with a group."""

    NUMBER = "a continuation has the number of the one after it"
    XID = "a continuation has another XID"
    FOREIGN = "a message that belongs to nothing is in the place of a continuation"
    COUNT = "one transmission more is told than there is"
    SEGMENT = "an item is in a target segment that there is not"
    OFFSET = "an item begins beyond its segment"
    LENGTH = "a transmission has less of the Payload stream than it says"


RECOVERED = frozenset(Harm) - {Harm.COUNT}
"""What the Responder notices at once, so that the call goes by the base protocol (rtrext 5.4)."""


class Mischief:
    """Makes the next group of an end wrong.

    Attributes:
        wanted: what is to be done, and to which of the transmissions that it can be done to.
        spoiled: the Sends that were made wrong.
        done: what was done on this connection.
    """

    def __init__(self) -> None:
        self.wanted: tuple[Harm, int] | None = None
        self.spoiled: set[bytes] = set()
        self.done: set[Harm] = set()

    def done_to(self, actions: list[Action]) -> list[Action]:
        """What an end does that wanted to do this."""
        if self.wanted is None:
            return actions
        harm, which = self.wanted
        spoilt = {}
        for place, action in enumerate(actions):
            if isinstance(action, Send):
                part = part_of(action.data)
                octets = _harmed(part, harm)
                if octets is not None:
                    spoilt[place] = octets
        if not spoilt:
            return actions
        self.wanted = None
        self.done.add(harm)
        place = list(spoilt)[which % len(spoilt)]
        self.spoiled.add(spoilt[place])
        changed = msgspec.structs.replace(actions[place], data=spoilt[place])
        return [*actions[:place], changed, *actions[place + 1 :]]


class Mischievous:
    """A role that may send a group wrongly."""

    def __init__(self, role: EndpointRole, mischief: Mischief) -> None:
        self._role = role
        self._mischief = mischief
        self.handlers: Mapping[type[events.Event], Handler] = {
            kind: self._tampering(handler) for kind, handler in role.handlers.items()
        }

    @property
    def initial_receives(self) -> tuple[int, ...]:
        return self._role.initial_receives

    @property
    def later_receives(self) -> int:
        return self._role.later_receives

    @property
    def reductions(self) -> Reductions:
        return self._role.reductions

    def _tampering(self, handler: Handler) -> Handler:
        return lambda event, now: self._mischief.done_to(handler(event, now))


def _harmed(part: Part, harm: Harm) -> bytes | None:
    """The Send with a fault; None if it cannot have this one."""
    match part.contents:
        case XmtReq() | XmtResp() as contents:
            return _harmed_first(part, contents, harm)
        case XmtCont() as contents:
            return _harmed_later(part, contents, harm)
        case _:
            return None


def _harmed_first(part: Part, contents: XmtReq | XmtResp, harm: Harm) -> bytes | None:
    field = "optxrq" if isinstance(contents, XmtReq) else "optxrs"
    items = part.items
    if harm is Harm.COUNT:
        return part.changed({f"{field}_count": part.begins + 1})
    if harm is Harm.LENGTH:
        return part.changed({f"{field}_pslen": FAR})
    if harm in (Harm.SEGMENT, Harm.OFFSET) and any(map(_is_in_sends, items)):
        return part.changed({f"{field}_ddp": _misplaced(items, harm)})
    return None


def _harmed_later(part: Part, contents: XmtCont, harm: Harm) -> bytes | None:
    match harm:
        case Harm.NUMBER:
            return part.changed({"optxc_xnum": contents.optxc_xnum + 1})
        case Harm.XID:
            return part.changed({}, part.xid ^ FOREIGN)
        case Harm.FOREIGN:
            return _foreign(part)
        case Harm.LENGTH:
            return part.changed({"optxc_pslen": FAR})
        case _:
            return None


def _foreign(part: Part) -> bytes:
    """A NULL that nobody has called, or a reply to it."""
    way, xid = v2.direction_of(part.body), part.xid ^ FOREIGN
    call = testprog_calls.null(xid)
    payload = call if way is MessageType.CALL else testprog_calls.expected_reply(call)
    return TWO.encode(TransportHeader(xid, v2.VERSION, part.credit, NO_CHUNKS), way) + payload


def _is_in_sends(item: MessageItem) -> bool:
    where = item.xmdmi_where
    return isinstance(where, InTargetedSegments) and bool(where.xmdl_bsnum)


def _misplaced(items: Sequence[MessageItem], harm: Harm) -> tuple[MessageItem, ...]:
    """The items with those of the Sends elsewhere."""
    changed = []
    for item in items:
        where = item.xmdmi_where
        if isinstance(where, InTargetedSegments) and where.xmdl_bsnum:
            if harm is Harm.OFFSET:
                where = InTargetedSegments(FAR, where.xmdl_bsnum)
            else:
                where = InTargetedSegments(0, (*where.xmdl_bsnum[:-1], FAR))
        changed.append(msgspec.structs.replace(item, xmdmi_where=where))
    return tuple(changed)
