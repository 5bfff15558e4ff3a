"""Transport properties of one connection, at one end: what is told, asked for and answered.

    xcharext section 3.1  Receive Buffer Size (the order of changes)
    xcharext section 4    New Operations
    v2 section 3.1        Optional Features

No I/O: every method returns what is to be sent or posted, in order.  Each end has values of its
own (`own`, as far as the peer has been told) and knows those of the other (`peer`).

Messages that nothing answers return no credit, so one is sent at a time, and whatever comes from
the peer acknowledges it (D-54).  What has to wait is not queued as messages but as values: a later
one replaces an earlier one, and the peer's request for shorter Receives ends a pending enlargement.
ROPT_RESPROP does not wait: it is half of a transaction (2.3), whose Requester has a Receive for it.
So does what is longer than the peer's Receives; an answer that is ends the connection (D-142).

A Receive gets longer in three steps: longer ones are posted (`PostedLength`), the shorter ones are
used up (`received`), the peer is told.  It gets shorter at once, but at the peer's request only.

The decisions are those of `rpcrdma.endpoint.properties.rules`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.properties.judgements import Standing
from rpcrdma.endpoint.properties.messages import OptionMessage, Outgoing, PostedLength, Refusal
from rpcrdma.endpoint.properties.receive_sizes import ReceiveSizes
from rpcrdma.endpoint.properties.requests import PropertyRequest, require_set
from rpcrdma.endpoint.properties.rules import PropertyRules
from rpcrdma.endpoint.properties.told_values import ToldValues
from rpcrdma.endpoint.properties.untold_values import UntoldValues
from rpcrdma.endpoint.properties.values import NOTHING_TOLD, PropertyOptions, PropertyValues
from rpcrdma.errors import DecodeError, LocalProtocolError
from rpcrdma.wire.operations import (
    ROPT_CONNPROP,
    ROPT_REQPROP,
    ROPT_RESPROP,
    ROPT_UPDPROP,
    ConnProp,
    PropertyOption,
    ReqProp,
    RespProp,
    UpdProp,
)
from rpcrdma.wire.optional import values_of
from rpcrdma.wire.properties import PROP_RBSIZ, ReceiveBufferSize, property_values, propid_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rpcrdma.endpoint.properties.judgements import PropertyJudgement
    from rpcrdma.endpoint.properties.values import PropertyOutcome
    from rpcrdma.wire.optional import Option
    from rpcrdma.wire.properties import DefaultValue, KnownProperty, Property
    from rpcrdma.wire.v2 import Rdma2ErrorBody, Rdma2Optional

__all__ = ["OptionMessage", "Outgoing", "PostedLength", "PropertyExchange", "Refusal"]

_FIRST_XID: Final = 0x50110001
"""Far from the XIDs of calls: they may coincide (xcharext 4.2), but there is no need to (D-77)."""


class PropertyExchange:
    """The transport properties of both ends of a connection, seen from one.

    Attributes:
        options: what this end was told to do.
        receives: the Receives that are posted; whoever posts one tells it.
        posted_length: octets of each Receive that is posted from now on.
        peer: the values of the other end in force.
        peer_fixed: codes of what the other end said will not change.
        refused_operations: opttypes that the other end does not support.
        outcomes: what became of the last request; None before the first and while one is pending.
    """

    def __init__(
        self, options: PropertyOptions | None = None, rules: type[PropertyRules] = PropertyRules
    ) -> None:
        self.options = options or PropertyOptions()
        self.rules = rules(self.options.known)
        self._known = self.options.known
        self.receives = ReceiveSizes()
        self.posted_length = self.rules.first_length(self.options.own)
        self.peer = NOTHING_TOLD
        self.peer_fixed: frozenset[int] = frozenset()
        self.refused_operations: frozenset[int] = frozenset()
        self.outcomes: tuple[PropertyOutcome, ...] | None = None
        self._peer_left_out: frozenset[int] = frozenset()
        self._told = ToldValues()
        self._untold = UntoldValues()
        self._request: PropertyRequest | None = None
        self._is_started = False
        self._is_announcing = False
        self._is_unacknowledged = False
        self._last_xid = _FIRST_XID - 1

    @property
    def own(self) -> PropertyValues:
        """This end's values in force: those that the peer has been told and has not refused."""
        return self._told.now

    @property
    def send_limit(self) -> int:
        """Octets of the longest message that may be sent to the peer."""
        requested = self._request.receive_buffer if self._request else None
        return self.rules.send_limit(self.peer, requested)

    def has_room(self, octets: int, *, asks: bool = False) -> bool:
        """Whether an optional message may be sent; a request is not bound by what it asks for."""
        limit = self.rules.send_limit(self.peer, None) if asks else self.send_limit
        return self.rules.has_room(octets, limit)

    @property
    def is_pending(self) -> bool:
        """Whether a request waits for its answer."""
        return self._request is not None

    # -- this end's doings

    def start(self) -> list[Outgoing]:
        """Version Two is agreed: from now on this end sends what it has to say."""
        if self._is_started:
            raise LocalProtocolError("properties are announced once in a connection")
        self._is_started = True
        self._is_announcing = self.options.announced
        return self._send_next()

    def request(self, *wanted: Property) -> list[Outgoing]:
        """Ask the peer to change some of its properties; `outcomes` will be its answer.

        Raises:
            LocalProtocolError: another request is pending, a property is there twice or was left
                out of the peer's ROPT_CONNPROP, or this end does not support the answer.
        """
        if self._request is not None:
            raise LocalProtocolError("another request is pending")
        if ROPT_REQPROP not in self.options.operations:
            raise LocalProtocolError("this end does not support requests")
        require_set(wanted, self._known)
        for propid in (propid_of(value, self._known) for value in wanted):
            if not self.rules.may_request(propid, self._peer_left_out):
                raise LocalProtocolError(f"the peer's ROPT_CONNPROP left out property {propid}")
        self.outcomes = None
        self._request = PropertyRequest(wanted, self.rules)
        return self._send_next()

    def update(self, *values: KnownProperty | DefaultValue) -> list[Outgoing]:
        """Change own properties, and tell the peer as soon as it may know.

        Nothing changes if the peer does not support ROPT_UPDPROP: it could not know.

        Raises:
            LocalProtocolError: the version is not agreed, a property is fixed or there twice, or
                Receives would get shorter without the peer's request.
        """
        if not self._is_started:
            raise LocalProtocolError("properties cannot be updated before the version is agreed")
        if ROPT_UPDPROP not in self.options.operations:
            raise LocalProtocolError("this end does not support updates")
        require_set(values, self._known)
        changes = [known for known in map(self.rules.meaning, values) if known is not None]
        for change in changes:
            self._judge_change(change)
        if not self.rules.may_use(ROPT_UPDPROP, self.refused_operations):
            return []
        self._untold.change(changes)
        return [*self._lengthen(self._untold.length), *self._send_next()]

    def received(self) -> list[Outgoing]:
        """A message of any kind came from the peer, by a Receive: once for each."""
        self.receives.consumed()
        self._is_unacknowledged = False
        return self._send_next()

    def has_told(self, xid: int) -> bool:
        """Whether an error under this XID can be about a message of this machine."""
        return xid in self._told.xids

    def refused(self, xid: int) -> bool:
        """An RDMA2_ERR_INVAL_OPTION came; returns whether it is about a message of this machine.

        The operation is not sent again.  No RPC has anything to do with it, not even one that has
        the same XID (D-77): RPC messages are never answered so.
        """
        opttype = self._told.take_back(xid)
        if opttype is None:
            return False
        if opttype != ROPT_RESPROP:
            self.refused_operations |= {opttype}
            self._give_up(xid)
        return True

    def rejected(self, xid: int) -> bool:
        """An RDMA2_ERR_BAD_HEADER came; returns whether an XID of this machine's own is meant.

        The peer has applied nothing of the message (D-76), but supports the operation.
        """
        if not self.has_told(xid):
            return False
        self._told.take_back(xid)
        self._give_up(xid)
        return True

    # -- the peer's doings

    def receive(self, xid: int, message: Rdma2Optional) -> list[Outgoing]:
        """An RDMA2_OPTIONAL message came from the peer."""
        if not self.rules.is_supported(message.rdma_opttype, self.options.operations):
            return self._refusal(xid, self.rules.unsupported())
        try:
            option = self.rules.decode(message)
            if not isinstance(option, PropertyOption):
                return []
            values = self.rules.read(values_of(option))
        except DecodeError:
            return self._refusal(xid, self.rules.undecodable())
        known = [value for value in values if value is not None]
        if not all(map(self.rules.is_sound, known)):
            return self._refusal(xid, self.rules.undecodable())
        match option:
            case ConnProp():
                self._connected(option, known)
            case UpdProp():
                self.peer = self.rules.updated(self.peer, known)
            case ReqProp():
                is_request = self.rules.is_request(message)
                return self._asked(xid, option, values) if is_request else []
            case RespProp():
                self._answered(xid, option, known)
        return self._send_next()  # what had to wait for room

    def _refusal(self, xid: int, error: Rdma2ErrorBody | None) -> list[Outgoing]:
        return [] if error is None else [Refusal(xid, error)]

    def _connected(self, option: ConnProp, known: Sequence[KnownProperty]) -> None:
        start = option.opticonnpr_start
        self.peer = self.rules.connected(self.peer, known)
        marked = self._members(option.opticonnpr_nochg)
        self.peer_fixed = self.rules.unchanging_of_peer(start, marked)
        self._peer_left_out = frozenset(self._known.by_code) - {value.pv_which for value in start}

    def _asked(
        self, xid: int, option: ReqProp, values: Sequence[KnownProperty | None]
    ) -> list[Outgoing]:
        """Answer a request, then do what the answer says."""
        want = option.optreqpr_want
        standing = Standing(
            self.own,
            self.options.fixed,
            self.options.limits,
            self.receives,
            self._is_started and self._may_use(ROPT_UPDPROP),
        )
        # Of several values for one property the last counts (D-76).
        last = {item.pv_which: value for item, value in zip(want, values, strict=True)}
        judged = {propid: self.rules.judge(value, standing) for propid, value in last.items()}
        response = self.rules.response(want, judged, high_bit_first=self.options.high_bit_first)
        changes = [one.value for one in judged.values() if one.value is not None]
        answer = self.rules.response_xid(xid)
        self._told.tell(answer, ROPT_RESPROP, changes)
        message = OptionMessage(answer, self.rules.direction(response), response)
        longer, shorter = self._resize(judged.values(), standing.own.receive_buffer)
        return [*longer, message, *shorter]

    def _resize(
        self, judged: Iterable[PropertyJudgement], before: int
    ) -> tuple[list[Outgoing], list[Outgoing]]:
        """Bring plans and Receives in line with an answer; what goes before it, and after it."""
        longer: list[Outgoing] = []
        shorter: list[Outgoing] = []
        for one in judged:
            if one.later is not None:
                self._untold.lengthen(one.later)
                longer += self._lengthen(one.later)
            if one.value is None:
                continue
            octets = one.value.octets if isinstance(one.value, ReceiveBufferSize) else None
            is_shorter = octets is not None and octets < before
            self._untold.granted(one.value, is_shorter=is_shorter)
            if octets is not None and is_shorter:
                self.posted_length = octets
                shorter.append(PostedLength(octets))
            else:
                longer += self._lengthen(octets)
        return longer, shorter

    def _answered(self, xid: int, option: RespProp, known: Sequence[KnownProperty]) -> None:
        request = self._request
        if request is None or request.xid is None or not self.rules.answers(request.xid, xid):
            return
        self.outcomes = request.outcomes(
            self._members(option.optrespr_done),
            self._members(option.optrespr_rej),
            {value.pv_which for value in option.optrespr_other},
            known,
        )
        self.peer = self.rules.updated(self.peer, self.rules.effects(self.outcomes, known))
        self._request = None

    # -- parts

    def _members(self, words: Iterable[int]) -> frozenset[int]:
        return self.rules.members(words, high_bit_first=self.options.high_bit_first)

    def _may_use(self, opttype: int) -> bool:
        is_supported = opttype in self.options.operations
        return is_supported and self.rules.may_use(opttype, self.refused_operations)

    def _judge_change(self, change: KnownProperty) -> None:
        self.options.require_change(change)
        shorter = isinstance(change, ReceiveBufferSize) and change.octets < self.own.receive_buffer
        if shorter and not self.rules.may_shorten_unasked():
            raise LocalProtocolError("Receives get shorter at the peer's request only")

    def _lengthen(self, octets: int | None) -> list[Outgoing]:
        """Post Receives of this length from now on, if they would be shorter."""
        if octets is None or octets <= self.posted_length:
            return []
        self.posted_length = octets
        return [PostedLength(octets)]

    def _give_up(self, xid: int) -> None:
        """The message with this XID has no effect; a request is as good as rejected."""
        if self._request is not None and self._request.xid == xid:
            self.outcomes = self._request.outcomes((), (), (), ())
            self._request = None

    # -- one message at a time

    def _send_next(self) -> list[Outgoing]:
        """The next message that may be sent, if there is one."""
        if not self._is_started:
            return []
        if not self.rules.may_send(unacknowledged=self._is_unacknowledged):
            return []
        message = self._announcement() or self._next_update() or self._next_request()
        if message is None:
            return []
        self._is_unacknowledged = True
        return [message]

    def _message(
        self, opttype: int, option: Option, changes: Iterable[KnownProperty] = ()
    ) -> OptionMessage | None:
        """A message of this end's own; None if the peer has no room for it (D-142)."""
        xid = self.rules.next_xid(self._last_xid, self._told.xids)
        message = OptionMessage(xid, self.rules.direction(option), option)
        if not self.has_room(message.length, asks=opttype == ROPT_REQPROP):
            return None
        self._last_xid = xid
        self._told.tell(xid, opttype, changes)
        return message

    def _announcement(self) -> OptionMessage | None:
        """ROPT_CONNPROP; it tells the length that is posted if that is not the wanted one yet."""
        if not self._is_announcing:
            return None
        own = self.options.own
        if not self.rules.may_tell_length(own.receive_buffer, self.receives):
            if self._may_use(ROPT_UPDPROP) and PROP_RBSIZ not in self.options.fixed:
                self._untold.lengthen(own.receive_buffer)
            own = own.changed(ReceiveBufferSize(self.receives.smallest or own.receive_buffer))
        start = self.rules.announced(own)
        fixed = self.rules.unchanging(start, self.options.fixed)
        nochg = self.rules.subset(fixed, high_bit_first=self.options.high_bit_first)
        values = property_values(*start, known=self._known)
        message = self._message(ROPT_CONNPROP, ConnProp(values, nochg), start)
        self._is_announcing = message is None
        return message

    def _next_update(self) -> OptionMessage | None:
        """ROPT_UPDPROP with all that the peer may know by now."""
        if not self._may_use(ROPT_UPDPROP):
            self._untold.clear()
        now = self._untold.take(lambda octets: self.rules.may_tell_length(octets, self.receives))
        if not now:
            return None
        values = property_values(*now, known=self._known)
        message = self._message(ROPT_UPDPROP, UpdProp(values), now)
        if message is None:
            self._untold.change(now)
        return message

    def _next_request(self) -> OptionMessage | None:
        """ROPT_REQPROP, if one waits; without support for it every change is rejected (3)."""
        request = self._request
        if request is None or request.xid is not None:
            return None
        if not self._may_use(ROPT_REQPROP):
            self.outcomes, self._request = request.outcomes((), (), (), ()), None
            return None
        values = property_values(*request.wanted, known=self._known)
        message = self._message(ROPT_REQPROP, ReqProp(values))
        request.xid = None if message is None else message.xid
        return message
