"""A Requester and a Responder of Version Two that reduce round trips, each alone.

There is no fabric: a test hands over what the peer sends, and sees every action.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.core import events
from rpcrdma.endpoint.core.actions import (
    Deliver,
    Disconnect,
    Forget,
    Invalidate,
    PostReceive,
    RdmaRead,
    RdmaWrite,
    Register,
    ReplyReceived,
    Send,
)
from rpcrdma.endpoint.core.connection import Endpoint
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.core.group_sends import option_message
from rpcrdma.endpoint.core.thresholds import InlineThresholds
from rpcrdma.endpoint.requester.requester import Requester, RequesterOptions
from rpcrdma.endpoint.responder.call_rules import CallRules
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder, ResponderOptions
from rpcrdma.ulp import testprog_calls
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import v2
from rpcrdma.wire.operations import XmtCont, XmtReq, XmtResp
from rpcrdma.wire.optional import decode_option
from rpcrdma.wire.rpc import MessageType
from tests.endpoint.groups import OCTETS, announced

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rpcrdma.endpoint.core.actions import Action, ApplicationEvent
    from rpcrdma.endpoint.core.reductions import Reductions
    from rpcrdma.ulp.bindings import UpperLayer
    from rpcrdma.wire._generated_rtrext import MessageItem, ResponseSet
    from rpcrdma.wire.operations import KnownOption

THRESHOLDS = InlineThresholds(OCTETS, OCTETS)
GRANTED = 32


def in_two(xid: int, body: v2.Rdma2Body, payload: bytes = b"", credit: int = GRANTED) -> bytes:
    """A message of Version Two."""
    return v2.encode_header(v2.Rdma2Header(xid, v2.VERSION, credit, body)) + payload


def plain_reply(xid: int, payload: bytes, credit: int = GRANTED) -> bytes:
    """An RDMA2_MSG that is a Reply without chunks."""
    return in_two(xid, v2.Rdma2Msg(MessageType.REPLY, (), (), None), payload, credit)


def request(
    xid: int,
    payload: bytes,
    items: Iterable[MessageItem] = (),
    directions: Iterable[ResponseSet] = (),
    *,
    count: int = 1,
    told: int = 0,
    rest: bytes = b"",
) -> bytes:
    """The first Send of a request, or its only one, with all of this Payload stream."""
    contents = XmtReq(tuple(items), tuple(directions), count, told, len(payload))
    return option_message(xid, GRANTED, MessageType.CALL, contents) + payload + rest


def response(
    xid: int,
    payload: bytes,
    items: Iterable[MessageItem] = (),
    *,
    count: int = 1,
    rest: bytes = b"",
) -> bytes:
    """The first Send of a response, or its only one, with all of this Payload stream."""
    contents = XmtResp(tuple(items), count, len(payload))
    return option_message(xid, GRANTED, MessageType.REPLY, contents) + payload + rest


def continuation(xid: int, number: int, payload: bytes, way: MessageType) -> bytes:
    """A later Send of a group."""
    return option_message(xid, GRANTED, way, XmtCont(number, 0, len(payload))) + payload


def option_of(message: bytes) -> KnownOption:
    """What an optional message holds."""
    body = v2.decode_header(message)[0].rdma_body
    assert isinstance(body, v2.Rdma2Optional), body
    option = decode_option(body)
    assert option is not None
    return option


class Lone:
    """One endpoint, and what it does.

    Attributes:
        sent: the octets of every Send since the test last took them.
        told: what the application has heard, likewise.
        posted: how many Receives it has posted.
        reading: RDMA Reads that have not been answered.
        written: what its RDMA Writes had for the peer's memory.
        held: memory that is registered and not taken back, by key.
        closed: whether it has ended the connection.
        slow: whether memory is ready, or safe, only when the test says so (`catch_up`).
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.sent: list[bytes] = []
        self.told: list[ApplicationEvent] = []
        self.posted = 0
        self.reading: list[RdmaRead] = []
        self.written: list[bytes] = []
        self.held: dict[int, Register] = {}
        self.closed = False
        self.slow = False
        self._due: list[events.Event] = []
        self.does(events.Connected())

    def hears(self, *messages: bytes) -> list[bytes]:
        """Have it receive these; returns what it sends from now on until it is quiet."""
        self.sent.clear()
        for message in messages:
            self.does(events.MessageReceived(message))
        return self.sent

    def reads(self, data: bytes) -> list[bytes]:
        """Have its only RDMA Read give these octets; returns as `hears`."""
        self.sent.clear()
        self.does(events.ReadCompleted(self.reading.pop().key, data))
        return self.sent

    def does(self, event: events.Event) -> None:
        """Have it handle an event."""
        for action in self.endpoint.handle(event, 0.0):
            self._perform(action)
        if not self.slow:
            self.catch_up()

    def catch_up(self) -> None:
        """What it waits for about its memory has come."""
        while self._due:
            due, self._due = self._due, []
            for event in due:
                for action in self.endpoint.handle(event, 0.0):
                    self._perform(action)

    def _perform(self, action: Action) -> None:
        match action:
            case Send():
                self.sent.append(action.data)
            case Deliver():
                self.told.append(action.event)
            case PostReceive():
                self.posted += 1
            case Register():
                self.held[action.key] = action
                self._due.append(events.Registered(action.key, action.key, 0))
            case Invalidate() | Forget():
                del self.held[action.key]
                self._due.append(events.Invalidated(action.key, bytes(action.fetch)))
            case RdmaRead():
                self.reading.append(action)
            case RdmaWrite():
                self.written.append(action.data)
            case Disconnect():
                self.closed = True


class LoneRequester(Lone):
    """A Requester that has been granted credits by the reply to a NULL call."""

    def __init__(
        self, reductions: Reductions, peer: Reductions, credits_: int = GRANTED, granted: int = 32
    ) -> None:
        options = RequesterOptions(THRESHOLDS, dialect=TWO, credits=credits_, reductions=reductions)
        self.requester = Requester(options)
        super().__init__(Endpoint(self.requester))
        self.asks(testprog_calls.null(1))
        self.hears(plain_reply(1, testprog_calls.expected_reply(testprog_calls.null(1)), granted))
        self.requester.heed(TWO.number, OCTETS, announced(peer))
        self.told.clear()
        self.posted = 0

    def asks(self, call: bytes, layer: UpperLayer | None = None) -> list[bytes]:
        """Have it make a call, whose token is the XID; returns what it sends."""
        self.sent.clear()
        xid = int.from_bytes(call[:4])
        self.does(events.CallRequested(xid, layer or TestProgram(), call))
        return self.sent

    @property
    def outstanding(self) -> int:
        """Credits that are in use."""
        return self.requester.allowance.outstanding


class LoneResponder(Lone):
    """A Responder that knows what the Requester would have announced."""

    def __init__(
        self, reductions: Reductions, peer: Reductions, layer: UpperLayer | None = None
    ) -> None:
        options = ResponderOptions(THRESHOLDS, reductions=reductions)
        self.responder = Responder(
            layer or TestProgram(), options, None, CallRules((TWO,)), ReplyRules((TWO,))
        )
        super().__init__(Endpoint(self.responder))
        self.responder.heed(TWO.number, OCTETS, announced(peer))


def reply_of(end: LoneRequester) -> bytes:
    """The reply to its only call that is over."""
    (event,) = end.told
    assert isinstance(event, ReplyReceived), event
    return event.payload
