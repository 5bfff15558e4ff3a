"""The backward half of a server: sends Calls to the client, takes its Replies.

    bidir section 2.1.2  Backward Credits
    bidir section 2.2.2  Server Receive Buffers
    bidir section 2.2.3  In the Absence of Backward Direction Support
    bidir section 2.4    Backward Direction Message Size
    bidir section 2.5    Sending A Backward Direction Call

Theory of operation.  Nothing is sent until the Upper-Layer Protocol binds the connection to the
`Backchannel` of its client.  Then the channel's Calls go out, oldest first, as far as there are
credits: one until the first Reply has granted any (D-42).  Every Call is an RDMA_MSG with empty
lists; one that is too large for it fails at once, unless the client takes chunks in Version Two
(`ChunkedCalls`).  A Reply that is anything else, or that answers
no Call of this connection, is dropped and its credit value with it (D-41).  A Call that the
connection took down with it goes back to the channel.  Nothing is sent twice on one connection.

Hooks (methods that a mutant may override, one each):

    connected               what is sent before anybody is ready: nothing
    may_send                one credit for each Call in flight
    is_served               whether the client takes backward Calls at all
    fits                    which size the client can receive
    takes_chunks            whether the client takes what does not fit by chunks
    requested               rdma_credit of a Call
    header                  the transport header of a Call
    frame                   the octets of a Call
    judge_reply             which messages are Replies
    find                    which Call a Reply answers
    grant                   what a Reply's credit value does
    behind                  what is sent behind a Call: nothing
    receive_for             a Receive for the Reply, before the Call is sent
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpcrdma.endpoint.backward.chunks import ChunkedCalls
from rpcrdma.endpoint.backward.direction import is_whole
from rpcrdma.endpoint.core import events
from rpcrdma.endpoint.core.actions import (
    Action,
    CallFailed,
    Disconnect,
    Failure,
    PostReceive,
    ReplyReceived,
    Send,
)
from rpcrdma.endpoint.core.credits import Allowance
from rpcrdma.endpoint.core.dialect import NO_CHUNKS, ONE, Dialect
from rpcrdma.endpoint.core.group_bodies import GroupError
from rpcrdma.endpoint.core.reductions import NO_REDUCTIONS, Reductions
from rpcrdma.endpoint.core.thresholds import DEFAULT, InlineThresholds
from rpcrdma.errors import DecodeError, LocalProtocolError
from rpcrdma.wire import ErrVers, RdmaError, TransportHeader
from rpcrdma.wire.properties import BackwardSupport
from rpcrdma.wire.rpc import MessageType, xid_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpcrdma.endpoint.core.backchannel import Backchannel, BackwardCall
    from rpcrdma.endpoint.core.connection import Handler
    from rpcrdma.endpoint.properties.values import PropertyValues
    from rpcrdma.ulp.bindings import UpperLayer

__all__ = ["BackwardOptions", "BackwardRequester"]


@dataclass(frozen=True, slots=True)
class BackwardOptions:
    """What an end allows in the backward direction.

    Attributes:
        thresholds: the inline thresholds of the connection, by the names they have forward.
        credits: requested (a server) or granted (a client); as many Receives are posted at most,
            beside those for the forward direction.
        reductions: how a client reduces round trips where it is called (rtrext 1.4).
    """

    thresholds: InlineThresholds = DEFAULT
    credits: int = 8
    reductions: Reductions = NO_REDUCTIONS


class BackwardRequester:
    """The role that makes backward Calls (see `rpcrdma.endpoint.backward.duplex.Half`).

    Attributes:
        waker: has `CallsWaiting` handled; set by whoever drives the connection.
        dialect: the version of the forward direction, which holds here, too (RFC 8167 section 5).
        send_limit: octets of the longest Call.
        peer: what the client says of itself; None before it has (Version One: for ever).
    """

    reductions = NO_REDUCTIONS

    def __init__(
        self, options: BackwardOptions | None = None, upper_layer: UpperLayer | None = None
    ) -> None:
        self.options = options or BackwardOptions()
        self.allowance = Allowance(self.options.credits)
        self.waker: Callable[[], None] | None = None
        self.dialect: Dialect = ONE
        self.send_limit = self.options.thresholds.reply
        self.peer: PropertyValues | None = None
        self._channel: Backchannel | None = None
        self._sent: dict[int, BackwardCall] = {}
        self._last_key = 0
        self._gone = False
        self._receive_more = PostReceive.of(self.options.thresholds.call)
        self._chunked: ChunkedCalls | None = None
        if upper_layer is not None:
            self._chunked = ChunkedCalls(upper_layer, self.allowance, self._post, self._concluded)
        self.handlers: Mapping[type[events.Event], Handler] = {
            events.Connected: self._connected,
            events.MessageReceived: self._receive,
            events.WorkFailed: self._work_failed,
            events.Disconnected: self._disconnected,
            events.CallsWaiting: self._calls_waiting,
            events.Registered: self._memory,
            events.RegistrationFailed: self._memory,
            events.Invalidated: self._memory,
        }

    @property
    def initial_receives(self) -> tuple[int, ...]:
        """None: each Call has its own (bidir 2.2.2), and perhaps there is never one."""
        return ()

    @property
    def later_receives(self) -> int:
        """Most Receives that are posted later."""
        return self.options.credits

    @property
    def in_flight(self) -> tuple[BackwardCall, ...]:
        """Calls that this connection carries, the oldest first."""
        return tuple(self._sent.values())

    @property
    def armed(self) -> bool:
        """Whether backward Replies can come on this connection."""
        return self._channel is not None

    # -- Calls go out

    def bind(self, channel: Backchannel) -> None:
        """The Upper-Layer Protocol says that this peer, whose channel this is, is ready.

        Raises:
            LocalProtocolError: the connection is another peer's already.
        """
        if self._channel is not None and self._channel is not channel:
            raise LocalProtocolError("a connection is bound to one channel for its whole life")
        self._channel = channel
        channel.bind(self)

    def wake(self) -> None:
        """Have the connection send what its channel holds."""
        if self.waker is not None:
            self.waker()

    def speak(self, dialect: Dialect) -> None:
        """From now on, use another version."""
        self.dialect, self.send_limit = dialect, max(self.send_limit, dialect.threshold)

    def heed(self, version: int, send_limit: int, peer: PropertyValues) -> None:
        """Keep backward Calls within what the peer has announced (xcharext 3.1, 3.3)."""
        if version == self.dialect.number:
            self.send_limit, self.peer = send_limit, peer
            if self._chunked is not None:
                self._chunked.heed(send_limit, peer)

    def post_from_now(self, octets: int) -> None:
        """From now on, post Receives of this length."""
        self._receive_more = PostReceive.of(octets)

    def flush(self) -> list[Action]:
        """Send what waits, as far as there are credits."""
        actions: list[Action] = []
        channel = self._channel
        if channel is None or self._gone or not channel.is_bound_to(self):
            return actions
        while (call := channel.next_waiting()) is not None:
            message = self.frame(call)
            if not self.is_served():
                channel.failed(call, Failure.CANNOT_SEND, "the client takes no backward Calls")
            elif not self.fits(message) and not self.takes_chunks():
                octets = f"{len(message)} octets do not fit the client's Receives"
                channel.failed(call, Failure.CANNOT_SEND, octets)
            elif self.may_send(1):
                call.carrier = self
                self._sent[call.xid] = call
                actions += self._sending(call, message)
            else:
                break
        return actions

    def is_served(self) -> bool:
        """Whether the client takes backward Calls at all (xcharext 3.3)."""
        return self.peer is None or self.peer.backward is not BackwardSupport.BKREQSUP_NONE

    def may_send(self, sends: int) -> bool:
        """Take as many credits as there are Sends, if they are there."""
        return self.allowance.try_take(sends)

    def fits(self, message: bytes) -> bool:
        """Whether the client can receive it: by the reply inline threshold (D-44)."""
        return len(message) <= self.send_limit

    def takes_chunks(self) -> bool:
        """Whether the client takes Calls with chunks (xcharext 3.3)."""
        general = BackwardSupport.BKREQSUP_GENL
        return self._chunked is not None and self.peer is not None and self.peer.backward is general

    def requested(self) -> int:
        """rdma_credit of a Call: never zero."""
        return self.options.credits

    def header(self, call: BackwardCall) -> TransportHeader:
        """The transport header of a Call."""
        return TransportHeader(call.xid, self.dialect.number, self.requested(), NO_CHUNKS)

    def frame(self, call: BackwardCall) -> bytes:
        """The octets of a Call."""
        return self.dialect.encode(self.header(call), MessageType.CALL) + call.payload

    def receive_for(self, call: BackwardCall) -> list[Action]:
        """Post a Receive for the Reply to a Call."""
        return [self._receive_more]

    def behind(self, message: bytes) -> list[Action]:
        """What is sent after a Call: nothing, since nothing is sent twice on a connection."""
        return []

    def _sending(self, call: BackwardCall, message: bytes) -> list[Action]:
        if self._chunked is not None and not self.fits(message):
            return self._chunked.begin(call)
        return [*self._post(call, message), *self.behind(message)]

    def _post(self, call: BackwardCall, message: bytes) -> list[Action]:
        return [*self.receive_for(call), *self._sends(message)]

    def _sends(self, message: bytes) -> list[Action]:
        # The forward half counts upward: one number is one piece of work.
        self._last_key -= 1
        return [Send(self._last_key, message)]

    # -- Replies come in

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        chunked = self._chunked
        if chunked is not None and len(event.data) >= 4 and chunked.carries(xid_of(event.data)):
            xid = xid_of(event.data)
            waited = chunked.awaits(xid)
            done = chunked.handle(event, now)
            # A message that is not the Reply used up the Receive for it, or for another.
            if not waited or chunked.awaits(xid):
                done.append(self._receive_more)
            return done + self.flush()
        # A message that nobody waited for has used up a Receive that was meant for another.
        missing = event.sends - 1 if self._take(event.data) else event.sends
        return [self._receive_more] * missing + self.flush()

    def _take(self, message: bytes) -> bool:
        """Whether this has ended a Call."""
        try:
            header, end = self.dialect.decode(message)
        except DecodeError:
            return False
        if isinstance(header.rdma_body, GroupError):
            return False  # no Call is a group
        if isinstance(header.rdma_body, RdmaError):
            return self._refused(header.rdma_xid, header.rdma_body)
        payload = message[end:]
        return self.judge_reply(header, payload) and self._replied(header, payload)

    def judge_reply(self, header: TransportHeader, payload: bytes) -> bool:
        """Whether this is a Reply as bidir 2.6 has it; what is not has no effect (D-41)."""
        body = header.rdma_body
        if header.rdma_vers != self.dialect.number or body != NO_CHUNKS:
            return False
        return is_whole(payload, MessageType.REPLY) and xid_of(payload) == header.rdma_xid

    def find(self, xid: int) -> BackwardCall | None:
        """The Call in flight on this connection that has this XID."""
        return self._sent.get(xid)

    def grant(self, value: int) -> None:
        """Note the credit value of a Reply."""
        self.allowance.granted_by_reply(value)

    def _replied(self, header: TransportHeader, payload: bytes) -> bool:
        call = self._end(header.rdma_xid)
        if call is None or self._channel is None:
            return False
        self.grant(header.rdma_credit)
        self._channel.replied(call, payload)
        return True

    def _refused(self, xid: int, body: RdmaError) -> bool:
        call = self._end(xid)
        if call is None or self._channel is None:
            return False
        # D-16: the credit value of an error grants nothing.
        is_version = isinstance(body.error, ErrVers)
        failure = Failure.REFUSED_VERSION if is_version else Failure.REFUSED_CHUNKS
        self._channel.failed(call, failure)
        return True

    def _end(self, xid: int) -> BackwardCall | None:
        """The Call in flight that is over."""
        call = self.find(xid)
        if call is not None:
            del self._sent[call.xid]
            self.allowance.give_back(1)
        return call

    def _memory(self, event: events.Event, now: float) -> list[Action]:
        return [] if self._chunked is None else self._chunked.handle(event, now) + self.flush()

    def _concluded(self, call: BackwardCall, outcome: ReplyReceived | CallFailed) -> None:
        del self._sent[call.xid]
        if self._channel is None:
            return
        if isinstance(outcome, ReplyReceived):
            self._channel.replied(call, outcome.payload)
        else:
            self._channel.failed(call, outcome.failure, outcome.detail)

    # -- the connection

    def connected(self) -> list[Action]:
        """What is sent on a new connection, for which nobody has said anything: nothing."""
        return []

    def _connected(self, _event: events.Connected, _now: float) -> list[Action]:
        return self.connected()

    def _calls_waiting(self, _event: events.CallsWaiting, _now: float) -> list[Action]:
        return self.flush()

    def _work_failed(self, event: events.WorkFailed, _now: float) -> list[Action]:
        return [Disconnect(event.reason)]

    def _disconnected(self, event: events.Disconnected, now: float) -> list[Action]:
        self._gone = True
        self._sent.clear()
        if self._channel is not None:
            self._channel.lost(self)
        return [] if self._chunked is None else self._chunked.end(event, now)
