"""The surroundings of a Requester that is fed with messages: memory, wire and application.

The Requester is sans-I/O, so its actions are carried out here at once.  Whatever it sends is judged
by `conformance.oracle.requester.calls`, whatever it does about a message by
`conformance.oracle.requester.reaction`, and what it leaves open to the Responder is known at any
moment. No fabric takes part, which makes thousands of exchanges a second.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from conformance.oracle.announced import Announced
from conformance.oracle.device import Device
from conformance.oracle.header import VERSION_TWO, decode_header
from conformance.oracle.requester.expectation import Reaction
from conformance.oracle.requester.following import follow
from reports.record import Verdict
from rpcrdma.endpoint.core import actions, events
from rpcrdma.endpoint.core.connection import Endpoint
from rpcrdma.errors import DecodeError
from rpcrdma.fabric.base import Access
from rpcrdma.ulp.bindings import restore
from rpcrdma.ulp.rpc import decode_reply
from rpcrdma.wire import RdmaMsg, RdmaNomsg, RdmaSegment, group_by_position
from rpcrdma.wire.words import in_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conformance.oracle.requester.expectation import ReactionExpectation
    from conformance.tester.server.reply import ReplyPlacement
    from rpcrdma.endpoint.requester.requester import Requester
    from rpcrdma.ulp.bindings import UpperLayer

__all__ = ["Exposed", "RequesterWorld", "Sent"]

_FIRST_HANDLE: Final = 0xC0DE_5000
"""Stands nowhere else in a message."""

_FIRST_OFFSET: Final = 0x7F00_0000_0000
_APART: Final = 1 << 32
"""Octets between the starts of two regions, so that no wrong sum hits another one."""


@dataclass(slots=True)
class Exposed:
    """A region that the Requester registered; `valid` until it was invalidated."""

    handle: int
    offset: int
    access: Access
    data: bytearray
    valid: bool = True


@dataclass(frozen=True, slots=True)
class Sent:
    """A Call on the wire.

    Attributes:
        token: the application's.  xid: of the Call.
        message: as sent.  unreduced: the RPC message that the application wanted sent.
    """

    token: int
    xid: int
    message: bytes
    unreduced: bytes


class RequesterWorld:
    """One connection of a Requester.

    Attributes:
        tracker: what a Responder knows of it.
        problems: every rule broken so far, in words.
        sent: Calls on the wire, in order.
        ended: what the application heard, by token.
        closed: why the Requester ended the connection; empty while it stands.
        receives: that are posted.
    """

    def __init__(self, role: Requester, layer: UpperLayer) -> None:
        """Connect."""
        thresholds, version = role.options.thresholds, role.options.dialect.number
        self.tracker = follow(
            Device(),
            layer,
            call_threshold=thresholds.call,
            reply_threshold=thresholds.reply,
            serves_two=version == VERSION_TWO,
        )
        if version == VERSION_TWO:  # which was settled before
            self.tracker.state = replace(
                self.tracker.state,
                versions=frozenset({version}),
                was_settled=True,
                lengths=(thresholds.call,),
                told=Announced(octets=thresholds.reply),
            )
        self.problems: list[str] = []
        self.sent: list[Sent] = []
        self.ended: dict[int, actions.ApplicationEvent] = {}
        self.closed = ""
        self.receives = len(role.initial_receives)
        self._layer = layer
        self._endpoint = Endpoint(role)
        self._regions: dict[int, Exposed] = {}
        self._payloads: dict[int, tuple[int, bytes]] = {}
        self._by_token: dict[int, int] = {}
        self._lost = False
        self._handle(events.Connected())

    # -- the application

    def request(self, token: int, payload: bytes) -> None:
        """Have the Requester make a Call; XIDs and tokens must be new."""
        xid = int.from_bytes(payload[:4])
        self._payloads[xid] = (token, payload)
        self._by_token[token] = xid
        self._handle(events.CallRequested(token, self._layer, payload))

    def cancel(self, token: int) -> None:
        """Give up a Call."""
        self._handle(events.CallCancelled(token))

    # -- the Responder

    def place(self, placements: Iterable[ReplyPlacement]) -> None:
        """RDMA Writes; those that the memory does not allow are left out."""
        for item in placements:
            region = self._find(RdmaSegment(item.handle, len(item.data), item.offset))
            if region is None or not region.valid or Access.REMOTE_WRITE not in region.access:
                continue
            start = item.offset - region.offset
            region.data[start : start + len(item.data)] = item.data

    def contents(self, segments: tuple[RdmaSegment, ...]) -> bytes | None:
        """What the Requester's memory holds; None if segments reach out of it."""
        parts = []
        for segment in segments:
            region = self._find(segment)
            if region is None:
                return None
            start = segment.offset - region.offset
            parts.append(bytes(region.data[start : start + segment.length]))
        return b"".join(parts)

    def receive(self, message: bytes, invalidate: int | None = None) -> ReactionExpectation:
        """Send octets to the Requester, and judge what it does about them.

        Args:
            message: the octets.
            invalidate: handle of its memory that they invalidate (xcharext 3.2).
        """
        expectation = self.tracker.answered(message, self.contents)
        before = set(self.ended)
        self.receives -= 1
        was_closed = bool(self.closed)
        self._handle(events.MessageReceived(message, self._withdrawn(invalidate)))
        new = set(self.ended) - before
        concerned = self._payloads[expectation.xid][0] if expectation.xid is not None else None
        if was_closed:
            return expectation
        if self.closed:
            reaction, payload = Reaction.CLOSED, None
        else:
            reaction, payload = self._reaction(concerned, new)
        if concerned is None or concerned not in before:
            judgement = expectation.judge(reaction, payload)
            if judgement.verdict is not Verdict.PASS:
                self.problems.append(f"{message.hex()}: {judgement.reason} {judgement.violated}")
        self._check_receives()
        strangers = new - {concerned}
        if strangers and not self.closed:
            self.problems.append(f"{message.hex()}: it is not about {in_words(sorted(strangers))}")
        return expectation

    def disconnect(self) -> None:
        """The connection ends."""
        self._lost = True
        self._handle(events.Disconnected("by the test"))

    # -- invariants

    @property
    def exposed(self) -> tuple[Exposed, ...]:
        """Memory within the Responder's reach."""
        return tuple(region for region in self._regions.values() if region.valid)

    @property
    def open_tokens(self) -> frozenset[int]:
        """Calls of which the application has heard nothing yet."""
        return frozenset(self._by_token) - frozenset(self.ended)

    def _check_receives(self) -> None:
        calls = self.tracker.state.outstanding
        awaited = sum(not call.doubtful for call in calls)
        if not self.closed and self.receives < awaited:
            self.problems.append(f"{self.receives} Receives for {awaited} Replies")

    def _reaction(self, concerned: int | None, new: set[int]) -> tuple[Reaction, bytes | None]:
        if concerned is None or concerned not in new:
            return Reaction.WAITING, None
        event = self.ended[concerned]
        if isinstance(event, actions.CallFailed):
            return Reaction.FAILED, None
        try:
            decode_reply(event.payload)
        except DecodeError:
            return Reaction.FAILED, None  # by the RPC layer above, which no endpoint contains
        return Reaction.COMPLETED, event.payload

    def _withdrawn(self, handle: int | None) -> int | None:
        """Key of the memory with a handle, within reach so far; None if there is none."""
        for key, region in self._regions.items():
            if region.handle == handle and region.valid:
                region.valid = False
                return key
        return None

    def _find(self, segment: RdmaSegment) -> Exposed | None:
        for region in self._regions.values():
            start = segment.offset - region.offset
            inside = start >= 0 and start + segment.length <= len(region.data)
            if region.handle == segment.handle and inside:
                return region
        return None

    # -- what the Requester wants done

    def _handle(self, event: events.Event) -> None:
        pending: list[events.Event] = [event]
        while pending:
            for action in self._endpoint.handle(pending.pop(0), 0.0):
                pending += self._perform(action)

    def _perform(self, action: actions.Action) -> list[events.Event]:
        match action:
            case actions.PostReceive():
                self.receives += 1
            case actions.Send(data=data):
                self._send(data)
            case actions.Register() as register:
                return [self._register(register)]
            case actions.Invalidate(key=key, fetch=fetch):
                region = self._regions[key]
                if not region.valid:
                    self.problems.append(f"handle {region.handle:#x} is invalidated twice")
                region.valid = False
                return [events.Invalidated(key, bytes(region.data[:fetch]))]
            case actions.Forget(key=key, fetch=fetch):
                return [events.Invalidated(key, bytes(self._regions[key].data[:fetch]))]
            case actions.Disconnect(reason=reason):
                self.closed = reason or "by the Requester"
            case actions.Deliver(event=event):
                self._deliver(event)
            case other:
                self.problems.append(f"a Requester asked for {other}")
        return []

    def _send(self, data: bytes) -> None:
        xid = int.from_bytes(data[:4])
        token, payload = self._payloads.get(xid, (0, b""))
        for violation in self.tracker.judge(data, self._joined(data)):
            self.problems.append(f"{data.hex()}: {violation}")
        self.sent.append(Sent(token, xid, data, payload))
        self._check_receives()

    def _joined(self, message: bytes) -> bytes | None:
        """The RPC message that a Responder makes of what it gets and fetches; None if it cannot."""
        try:
            decoded = decode_header(message)
        except DecodeError:
            return None
        body = decoded.header.rdma_body
        if not isinstance(body, RdmaMsg | RdmaNomsg):
            return None
        stream = message[decoded.end :]
        parts: list[tuple[int, bytes]] = []
        for chunk in group_by_position(body.rdma_reads):
            octets = self.contents(chunk.target)
            if octets is None:
                return None
            if chunk.position == 0:
                stream = octets
            else:
                parts.append((chunk.position, octets))
        return restore(stream, sorted(parts))

    def _register(self, action: actions.Register) -> events.Event:
        number = len(self._regions)
        data = bytearray(action.data.ljust(action.length, b"\xa5"))
        region = Exposed(
            _FIRST_HANDLE + number, _FIRST_OFFSET + number * _APART, action.access, data
        )
        self._regions[action.key] = region
        return events.Registered(action.key, region.handle, region.offset)

    def _deliver(self, event: actions.ApplicationEvent) -> None:
        if event.token in self.ended:
            self.problems.append(f"the application hears of call {event.token} twice")
        self.ended[event.token] = event
        xid = self._by_token.get(event.token)
        reachable = [item for item in self.exposed if self._belongs(item, xid)]
        if reachable:
            self.problems.append(f"memory of call {event.token} is exposed when it is over")

    def _belongs(self, region: Exposed, xid: int | None) -> bool:
        call = next((item for item in self.sent if item.xid == xid), None)
        # A handle stands in the message that told of it, octet for octet.
        return call is not None and region.handle.to_bytes(4) in call.message[28:]
