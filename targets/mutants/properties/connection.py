"""Mutants: properties at connection, at either end (xcharext 2.3, 4.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.backward.duplex import ClientDuplex, Duplex
from rpcrdma.endpoint.core.actions import Disconnect, Send
from rpcrdma.endpoint.properties.optional_half import OptionalHalf
from rpcrdma.endpoint.properties.rules import PropertyRules
from rpcrdma.errors import DecodeError
from rpcrdma.wire import v2
from rpcrdma.wire.operations import BY_CODE, ROPT_CONNPROP, ConnProp
from rpcrdma.wire.optional import encode_option
from rpcrdma.wire.properties import PROP_RBSIZ, propid_of
from rpcrdma.wire.rpc import MessageType
from targets.mutants.base import mutant
from targets.reference.replaced_parts import BOTH_ENDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.core.events import MessageReceived
    from rpcrdma.endpoint.properties.values import PropertyValues
    from rpcrdma.wire.properties import KnownProperty, Property

FIRST = "xcharext.4.1.connprop-may-come-first"
NO_RPC = "xcharext.2.3.operations-carry-no-rpc"
PICKED = {"v2.5.2.picked-version": "its announcement has another version than the one picked"}
WITHOUT = "v2.1.interoperates-without-optional-features"


@mutant(breaks=FIRST)
class HangsUpOnAnEarlyAnnouncement(Duplex):
    """Ends the connection when a client's first message is a CONNPROP."""

    def _receive_any(self, event: MessageReceived, now: float) -> list[Action]:
        is_first = not getattr(self, "_has_heard", False)
        self._has_heard = True
        if is_first and _operation(event.data) == ROPT_CONNPROP:
            return [Disconnect("an optional message before any Call")]
        return super()._receive_any(event, now)


@mutant(breaks=FIRST)
class HangsUpOnAnEarlyAnnouncementAsAClient(ClientDuplex):
    """Ends the connection when a server's first message is a CONNPROP."""

    def _receive_any(self, event: MessageReceived, now: float) -> list[Action]:
        is_first = not getattr(self, "_has_heard", False)
        self._has_heard = True
        if is_first and _operation(event.data) == ROPT_CONNPROP:
            return [Disconnect("an optional message before any Reply")]
        return super()._receive_any(event, now)


@mutant(breaks="xcharext.4.1.left-out-is-the-default", roles=BOTH_ENDS)
class KeepsWhatIsLeftOut(PropertyRules):
    """Goes on with the value of a property that a second CONNPROP leaves out."""

    def connected(self, peer: PropertyValues, announced: Iterable[KnownProperty]) -> PropertyValues:
        return peer.changed(*announced)


@mutant(
    breaks="xcharext.4.1.left-out-stays",
    roles=BOTH_ENDS,
    also_trips={"xcharext.4.1.all-known-properties-are-told": "the size is left out"},
)
class UpdatesWhatItLeftOut(PropertyRules):
    """Leaves its receive buffer size out of its CONNPROP, and updates it all the same."""

    def announced(self, own: PropertyValues) -> tuple[KnownProperty, ...]:
        return tuple(
            one for one in super().announced(own) if propid_of(one, self.known) != PROP_RBSIZ
        )


@mutant(breaks="xcharext.4.1.left-out-is-not-asked-for", roles=BOTH_ENDS)
class AsksForWhatIsLeftOut(PropertyRules):
    """Asks for changes of what the peer's CONNPROP left out."""

    def may_request(self, propid: int, left_out: Collection[int]) -> bool:
        return True


@mutant(breaks="xcharext.4.1.marked-values-stay", roles=BOTH_ENDS)
class UpdatesWhatWillNotChange(PropertyRules):
    """Says that its receive buffer size will not change, and changes it."""

    def unchanging(self, start: Sequence[Property], fixed: Collection[int]) -> tuple[int, ...]:
        return super().unchanging(start, {*fixed, PROP_RBSIZ})


@mutant(
    breaks="xcharext.4.1.sender-bears-defaults",
    roles=BOTH_ENDS,
    also_trips={"v2.1.": "a peer without optional features refuses it"},
)
class HangsUpWhenNobodyListens(OptionalHalf):
    """Ends the connection when its CONNPROP is refused."""

    def take(self, message: bytes) -> list[Action]:
        actions = super().take(message)
        if ROPT_CONNPROP in self.exchange.refused_operations:
            actions.append(Disconnect("nobody listens"))
        return actions


@mutant(breaks=WITHOUT)
class AnnouncesInVersionOne(Duplex):
    """Sends a CONNPROP after its first answer in Version One."""

    def _receive(self, event: MessageReceived, now: float) -> list[Action]:
        has_said, self._has_said = getattr(self, "_has_said", False), True
        announcement: list[Action] = [] if has_said else [Send(0, _announcement())]
        return super()._receive(event, now) + announcement


@mutant(breaks=WITHOUT, also_trips=PICKED)
class AnnouncesToVersionOne(ClientDuplex):
    """Sends a CONNPROP to a server that speaks Version One alone."""

    def _receive(self, event: MessageReceived, now: float) -> list[Action]:
        has_said, self._has_said = getattr(self, "_has_said", False), True
        announcement: list[Action] = [] if has_said else [Send(0, _announcement())]
        return super()._receive(event, now) + announcement


@mutant(breaks=NO_RPC)
class ExecutesWhatStandsBehindOperations(Duplex):
    """Executes a Call that stands after an operation."""

    def _receive_any(self, event: MessageReceived, now: float) -> list[Action]:
        actions = super()._receive_any(event, now)
        call = _call_after(event.data)
        return actions if call is None else actions + self._take_forward(_as(event, call), now)


@mutant(breaks=NO_RPC)
class ExecutesWhatStandsBehindOperationsAsAClient(ClientDuplex):
    """Executes a backward Call that stands after an operation."""

    def _receive_any(self, event: MessageReceived, now: float) -> list[Action]:
        actions = super()._receive_any(event, now)
        call = _call_after(event.data)
        return actions if call is None else actions + self._take_backward(_as(event, call), now)


def _operation(message: bytes) -> int | None:
    """The operation of an optional message; None for any other."""
    try:
        body = v2.decode_header(message)[0].rdma_body
    except DecodeError:
        return None
    return body.rdma_opttype if isinstance(body, v2.Rdma2Optional) else None


def _announcement() -> bytes:
    body = encode_option(MessageType.CALL, ConnProp((), ()))
    return v2.encode_header(v2.Rdma2Header(0x50110001, v2.VERSION, 1, body))


def _call_after(message: bytes) -> bytes | None:
    """A Call, header and all, whose payload stands after an operation that brings none."""
    operation = _operation(message)
    if operation is None or (operation in BY_CODE and BY_CODE[operation].has_payload):
        return None
    header, end = v2.decode_header(message)
    if header.rdma_vers != v2.VERSION or end == len(message):
        return None
    body = v2.Rdma2Msg(MessageType.CALL, (), (), None)
    call = v2.Rdma2Header(header.rdma_xid, v2.VERSION, header.rdma_credit, body)
    return v2.encode_header(call) + message[end:]


def _as(event: MessageReceived, message: bytes) -> MessageReceived:
    return type(event)(message)
