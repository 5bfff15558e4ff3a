"""The server's backward half: what it sends, and what of the client's it believes."""

from __future__ import annotations

import pytest

from rpcrdma.endpoint.backward.requester import BackwardOptions, BackwardRequester
from rpcrdma.endpoint.core import events
from rpcrdma.endpoint.core.actions import (
    CallFailed,
    Disconnect,
    Failure,
    PostReceive,
    ReplyReceived,
    Send,
)
from rpcrdma.endpoint.core.backchannel import Backchannel
from rpcrdma.endpoint.core.connection import Endpoint
from rpcrdma.endpoint.core.thresholds import InlineThresholds
from rpcrdma.errors import LocalProtocolError
from rpcrdma.ulp import rpc
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.wire import (
    ErrChunk,
    ErrVers,
    RdmaError,
    RdmaMsg,
    RdmaNomsg,
    RdmaSegment,
    TransportHeader,
    WriteChunk,
    decode_header,
    encode_header,
)

NO_CHUNKS = RdmaMsg((), (), None)
ROOM = WriteChunk((RdmaSegment(1, 64, 0),))


class Exchange:
    """A half on an open connection, and what its channel was told."""

    def __init__(self, channel: Backchannel | None = None, **options: object) -> None:
        self.heard: list[object] = []
        self.channel = channel or Backchannel()
        self.channel.concluded = self.heard.append
        self.half = BackwardRequester(BackwardOptions(**options))  # type: ignore[arg-type]  # a table
        self.endpoint = Endpoint(self.half)
        self.half.waker = lambda: self.woken.extend(self.tell(events.CallsWaiting()))
        self.woken: list[object] = []
        assert self.tell(events.Connected()) == []

    def tell(self, event: events.Event) -> list[object]:
        return list(self.endpoint.handle(event, 0.0))

    def bind(self) -> list[object]:
        """The Upper-Layer Protocol says that the client is ready; what is sent then."""
        self.half.bind(self.channel)
        return self.tell(events.CallsWaiting())

    def ready(self) -> list[tuple[TransportHeader, bytes]]:
        return sent(self.bind())

    def hear(self, xid: int, **changes: object) -> list[tuple[TransportHeader, bytes]]:
        """What is sent about a message; one that ends nothing has cost a Receive."""
        before = len(self.heard)
        actions = self.tell(events.MessageReceived(reply(xid, **changes)))
        if len(self.heard) == before:
            assert actions.pop(0) == PostReceive.of(1024)
        return sent(actions)


def reply(
    xid: int,
    body: object = NO_CHUNKS,
    payload: bytes | None = None,
    grant: int = 4,
    version: int = 1,
) -> bytes:
    payload = rpc.accepted(xid) if payload is None else payload
    return encode_header(TransportHeader(xid, version, grant, body)) + payload


def sent(actions: list[object]) -> list[tuple[TransportHeader, bytes]]:
    """The messages, each after a Receive for its Reply."""
    messages = []
    assert len(actions) % 2 == 0
    for receive, action in zip(actions[::2], actions[1::2], strict=True):
        assert isinstance(receive, PostReceive)
        assert isinstance(action, Send)
        assert action.key < 0
        header, end = decode_header(action.data)
        messages.append((header, action.data[end:]))
    return messages


def test_a_call_is_a_short_message_under_a_fresh_xid() -> None:
    """RDMA_MSG in version one, empty lists, the credits that are wanted, then the Call."""
    exchange = Exchange(credits=5)
    exchange.channel.call(calls.null)
    ((header, payload),) = exchange.ready()
    assert header == TransportHeader(exchange.channel.pending[0].xid, 1, 5, NO_CHUNKS)
    assert payload == calls.null(header.rdma_xid)


def test_nothing_is_sent_before_the_peer_is_ready() -> None:
    """However many Calls wait, and whoever wakes it."""
    exchange = Exchange()
    exchange.channel.call(calls.null)
    assert exchange.tell(events.CallsWaiting()) == []
    assert not exchange.half.armed
    assert len(exchange.ready()) == 1
    assert exchange.half.armed


def test_one_call_goes_before_the_first_grant_and_then_as_many_as_granted() -> None:
    """D-42; and a grant that shrinks holds back what comes after."""
    exchange = Exchange(credits=8)
    for _ in range(8):
        exchange.channel.call(calls.null)
    xids = [call.xid for call in exchange.channel.pending]
    assert [header.rdma_xid for header, _ in exchange.ready()] == xids[:1]
    assert [header.rdma_xid for header, _ in exchange.hear(xids[0], grant=3)] == xids[1:4]
    assert exchange.hear(xids[1], grant=2) == []
    assert [header.rdma_xid for header, _ in exchange.hear(xids[2], grant=2)] == xids[4:5]
    assert [header.rdma_xid for header, _ in exchange.hear(xids[3], grant=99)] == xids[5:8]


def test_a_call_made_while_the_connection_stands_goes_at_once() -> None:
    """The channel wakes the half that it is bound to."""
    exchange = Exchange()
    exchange.ready()
    token = exchange.channel.call(calls.null)
    ((header, _),) = sent(exchange.woken)
    exchange.hear(header.rdma_xid)
    assert exchange.heard == [ReplyReceived(token, rpc.accepted(header.rdma_xid))]


def test_a_zero_grant_counts_as_one() -> None:
    """It is forbidden, and would end backward operation for ever."""
    exchange = Exchange()
    for _ in range(3):
        exchange.channel.call(calls.null)
    xids = [call.xid for call in exchange.channel.pending]
    exchange.ready()
    assert len(exchange.hear(xids[0], grant=0)) == 1


def test_a_call_that_does_not_fit_the_clients_receives_fails_at_once() -> None:
    """The reply inline threshold limits it; the next one goes out."""
    thresholds = InlineThresholds(call=4096, reply=1024)
    exchange = Exchange(thresholds=thresholds)
    room = 1024 - 28 - 40
    tokens = [
        exchange.channel.call(lambda xid: calls.null(xid) + bytes(room + 4)),
        exchange.channel.call(lambda xid: calls.null(xid) + bytes(room)),
    ]
    ((_, payload),) = exchange.ready()
    assert len(payload) == 1024 - 28
    ((failed),) = exchange.heard
    assert (failed.token, failed.failure) == (tokens[0], Failure.CANNOT_SEND)
    assert "1028 octets" in failed.detail


@pytest.mark.parametrize(
    "changes",
    [
        {"version": 2},
        {"body": RdmaMsg((), (ROOM,), None)},
        {"body": RdmaMsg((), (), ROOM)},
        {"body": RdmaNomsg((), (), ROOM)},
        {"payload": rpc.accepted(0x999)},
        {"payload": calls.null(1)},
        {"payload": rpc.accepted(1)[:20]},
        {"payload": b""},
    ],
)
def test_what_is_no_backward_reply_completes_nothing_and_grants_nothing(
    changes: dict[str, object],
) -> None:
    """D-41: the Call goes on waiting."""
    exchange = Exchange()
    for _ in range(3):
        exchange.channel.call(calls.null)
    xid = exchange.channel.pending[0].xid
    exchange.ready()
    assert exchange.hear(xid, **changes) == []
    assert exchange.heard == []
    assert len(exchange.hear(xid, grant=2)) == 2


def test_a_reply_to_no_call_of_this_connection_is_dropped_with_its_credits() -> None:
    """A repeated one, too; and octets that are no message."""
    exchange = Exchange()
    for _ in range(4):
        exchange.channel.call(calls.null)
    xid = exchange.channel.pending[0].xid
    exchange.ready()
    assert exchange.hear(0x999, grant=50) == []
    assert len(exchange.hear(xid, grant=1)) == 1
    assert exchange.hear(xid, grant=50) == []
    assert exchange.tell(events.MessageReceived(b"no message")) == [PostReceive.of(1024)]
    assert len(exchange.heard) == 1


@pytest.mark.parametrize(
    ("error", "failure"),
    [(ErrChunk(), Failure.REFUSED_CHUNKS), (ErrVers(2, 3), Failure.REFUSED_VERSION)],
)
def test_an_error_ends_its_call_and_grants_nothing(error: object, failure: Failure) -> None:
    """D-16; one about no Call of this connection is dropped (D-15)."""
    exchange = Exchange()
    tokens = [exchange.channel.call(calls.null) for _ in range(3)]
    xid = exchange.channel.pending[0].xid
    exchange.ready()
    exchange.hear(0x999, body=RdmaError(error), payload=b"")
    assert exchange.heard == []
    assert len(exchange.hear(xid, body=RdmaError(error), payload=b"", grant=9)) == 1
    assert exchange.heard == [CallFailed(tokens[0], failure)]


def test_what_a_lost_connection_carried_goes_again_over_the_next_under_the_same_xid() -> None:
    """First of all, and one at a time until there is a grant (bidir 2.3)."""
    first = Exchange()
    for _ in range(3):
        first.channel.call(calls.null)
    first.ready()
    before = [call.xid for call in first.channel.pending]
    first.tell(events.Disconnected())
    assert first.tell(events.CallsWaiting()) == []

    second = Exchange(first.channel)
    ((header, payload),) = second.ready()
    assert (header.rdma_xid, payload) == (before[0], calls.null(before[0]))
    assert [again.rdma_xid for again, _ in second.hear(before[0])] == before[1:]


def test_a_peer_that_is_ready_when_the_connection_is_gone_gets_nothing() -> None:
    """The Upper-Layer Protocol may not have noticed yet."""
    exchange = Exchange()
    exchange.tell(events.Disconnected())
    exchange.channel.call(calls.null)
    assert exchange.bind() == []


def test_a_connection_belongs_to_one_peer() -> None:
    """To be told so twice of the same one changes nothing."""
    exchange = Exchange()
    exchange.ready()
    exchange.ready()
    with pytest.raises(LocalProtocolError, match="one channel"):
        exchange.half.bind(Backchannel())


def test_a_connection_that_is_no_longer_bound_sends_nothing_new() -> None:
    """Its Calls in flight stay its own."""
    old = Exchange()
    for _ in range(2):
        old.channel.call(calls.null)
    ((header, _),) = old.ready()
    new = Exchange(old.channel)
    assert len(new.ready()) == 1
    old.channel.call(calls.null)
    assert old.tell(events.MessageReceived(reply(header.rdma_xid, grant=8))) == []
    assert len(new.heard) == 1


def test_failed_work_ends_the_connection() -> None:
    """As in the other direction."""
    assert Exchange().tell(events.WorkFailed(-1, "why")) == [Disconnect("why")]


def test_a_receive_is_posted_before_each_call_and_none_before() -> None:
    """By the threshold of what comes to a server."""
    exchange = Exchange(thresholds=InlineThresholds(call=2048, reply=1024), credits=3)
    half = exchange.half
    assert (half.initial_receives, half.later_receives) == ((), 3)
    exchange.channel.call(calls.null)
    receive, call = exchange.bind()
    assert receive == PostReceive.of(2048)
    assert isinstance(call, Send)


def test_a_half_that_nobody_drives_cannot_be_woken() -> None:
    """And that does no harm."""
    half = BackwardRequester()
    half.wake()  # nobody drives it: nothing happens
