"""Two ends tell, ask and answer each other in any order: they agree, and no message is too long."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from hypothesis import example, given, settings
from hypothesis import strategies as st

from conformance.strategies._generated_xcharext import req_props, resp_props
from rpcrdma.endpoint.properties.exchange import OptionMessage, PropertyExchange, Refusal
from rpcrdma.endpoint.properties.values import (
    PROPERTY_OPERATIONS,
    PropertyLimits,
    PropertyOptions,
    PropertyValues,
)
from rpcrdma.errors import LocalProtocolError
from rpcrdma.wire._generated_rtrext import BufferSegment, BufferSegmentGroup
from rpcrdma.wire.operations import ConnProp, ReqProp, RespProp, UpdProp
from rpcrdma.wire.optional import encode_option
from rpcrdma.wire.properties import (
    ADOPTED,
    BackwardRequestSupport,
    BackwardSupport,
    BufferStructure,
    DefaultValue,
    PropertyValue,
    ReceiveBufferSize,
    RequesterRemoteInvalidation,
    RequestTransmissionReceiveLimit,
    RtrSupport,
    UnknownProperty,
)
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.v2 import (
    ErrBadHeader,
    ErrInvalidOption,
    Rdma2Error,
    Rdma2Header,
    Rdma2Optional,
    encode_header,
)
from tests.endpoint.properties.property_ends import EVERY_OPERATION, FIRST

if TYPE_CHECKING:
    from rpcrdma.endpoint.properties.exchange import Outgoing

RECEIVES = 3
QUIET = 40  # rounds of calls and replies; every Receive is replaced many times

Sent = tuple[int, OptionMessage | Refusal | None]  # octets and what it is; None is an RPC message


class End:
    """One end with its Receives; what it sends waits in `wire`."""

    def __init__(self, options: PropertyOptions, posted: int) -> None:
        self.exchange = PropertyExchange(options)
        self.receives: deque[int] = deque()
        self.wire: deque[Sent] = deque()
        self.has_started = False
        self.unacknowledged = 0
        for _ in range(RECEIVES):
            self.post(min(posted, self.exchange.posted_length))

    def post(self, octets: int) -> None:
        self.receives.append(octets)
        self.exchange.receives.posted(octets)

    def send(self, outgoing: list[Outgoing]) -> None:
        for one in outgoing:
            if isinstance(one, OptionMessage):
                body = encode_option(one.direction, one.option)
                self.wire.append((len(encode_header(Rdma2Header(one.xid, 2, 1, body))), one))
                self.unacknowledged += not isinstance(one.option, RespProp)
            elif isinstance(one, Refusal):
                header = Rdma2Header(one.xid, 2, 1, Rdma2Error(one.error))
                self.wire.append((len(encode_header(header)), one))
        assert self.unacknowledged <= 1  # D-54

    def start(self) -> None:
        if not self.has_started:
            self.has_started = True
            self.send(self.exchange.start())

    def call(self) -> None:
        """The longest RPC message that the peer takes."""
        self.wire.append((self.exchange.send_limit, None))

    def take(self, peer: End) -> None:
        """The oldest message of the peer arrives."""
        octets, message = peer.wire.popleft()
        assert octets <= self.receives.popleft()
        self.unacknowledged = 0
        self.send(self.exchange.received())
        self.post(self.exchange.posted_length)
        match message:
            case OptionMessage():
                body = encode_option(message.direction, message.option)
                self.send(self.exchange.receive(message.xid, body))
            case Refusal():
                assert message.error == ErrInvalidOption()
                assert self.exchange.refused(message.xid)
            case None:
                pass


def check(one: End, other: End) -> None:
    """Whatever is sent at this moment finds a Receive that is long enough."""
    assert one.exchange.send_limit <= min(other.receives)
    assert other.exchange.send_limit <= min(one.receives)


def supported() -> list[frozenset[int]]:
    """Sets of operations that the document allows."""
    sets = [
        frozenset(some) for n in range(5) for some in combinations(sorted(PROPERTY_OPERATIONS), n)
    ]
    good = []
    for one in sets:
        with suppress(LocalProtocolError):
            PropertyOptions(announced=False, operations=one)
            good.append(one)
    return good


lengths = st.integers(1000, 20000)
levels = st.sampled_from(BackwardSupport)
values = st.builds(PropertyValues, lengths, st.booleans(), levels)
options = st.builds(
    lambda own, *, announced, fixed, operations, limits: PropertyOptions(
        own, announced and 1 in operations, fixed, operations, limits
    ),
    values,
    announced=st.booleans(),
    fixed=st.just(frozenset[int]()) | st.frozensets(st.integers(1, 3)),
    operations=st.just(PROPERTY_OPERATIONS) | st.sampled_from(supported()),
    limits=st.builds(PropertyLimits, lengths, lengths, st.booleans(), levels),
)
counts = st.integers(1, 9)


def reducing(options: PropertyOptions, length: int, support: int, count: int) -> PropertyOptions:
    """The same of an end that supports all of rtrext, and has Receives of two segments."""
    groups = tuple(
        BufferSegmentGroup(1, BufferSegment(octets, 1, flags))
        for flags, octets in enumerate((length // 2, length - length // 2))
    )
    own = replace(
        options.own,
        receive_buffer=length,
        rtr_support=support,
        buffer_structure=BufferStructure(length, groups),
        request_limit=count,
    )
    return replace(options, own=own, operations=options.operations | EVERY_OPERATION)


options |= st.builds(reducing, options, lengths, st.integers(0, 7), counts)
changes = st.one_of(
    st.builds(ReceiveBufferSize, lengths),
    st.builds(RequesterRemoteInvalidation, st.booleans()),
    st.builds(BackwardRequestSupport, levels),
    st.builds(RtrSupport, st.integers(0, 9)),
    st.builds(RequestTransmissionReceiveLimit, st.integers(0, 9)),
    st.builds(DefaultValue, st.integers(1, 3)),
)
wanted = st.lists(changes | st.just(UnknownProperty(77, b"odd")), min_size=1, max_size=4)
steps = st.lists(
    st.one_of(
        st.sampled_from(("take", "take", "take", "call", "start")).map(lambda name: (name, ())),
        st.tuples(st.just("request"), wanted),
        st.tuples(st.just("update"), st.lists(changes, min_size=1, max_size=3)),
    ).flatmap(lambda step: st.tuples(st.just(step), st.integers(0, 1))),
    max_size=60,
)
LARGE = PropertyOptions(own=PropertyValues(8192), limits=PropertyLimits(1024, 16384))


@settings(max_examples=100, deadline=None)
@given(options, options, st.sampled_from((4096, 65536)), steps)
@example(  # shorter at the peer's request, then again as long as the old Receives still are
    LARGE,
    LARGE,
    65536,
    [
        (("start", ()), 0),
        (("start", ()), 1),
        (("take", ()), 0),
        (("request", [ReceiveBufferSize(2048)]), 0),
        (("take", ()), 1),
        (("take", ()), 1),
        (("take", ()), 0),
        (("request", [ReceiveBufferSize(8192)]), 0),
    ],
)
def test_both_ends_agree_in_the_end_and_no_message_is_too_long_before(
    first: PropertyOptions,
    second: PropertyOptions,
    posted: int,
    script: list[tuple[tuple[str, list[ReceiveBufferSize]], int]],
) -> None:
    """xcharext 3.1 and 4; D-54."""
    ends = (End(first, posted), End(second, posted))
    for (what, values), number in script:
        end, peer = ends[number], ends[1 - number]
        match what:
            case "start":
                end.start()
            case "call":
                end.call()
            case "take" if peer.wire:
                end.take(peer)
            case "request":
                with suppress(LocalProtocolError):
                    end.send(end.exchange.request(*values))
            case "update":
                with suppress(LocalProtocolError):
                    end.send(end.exchange.update(*values))
            case _:
                pass
        check(*ends)
    settle(*ends)
    for end, peer in (ends, ends[::-1]):
        known = peer.exchange.options.known
        assert end.exchange.own.properties(known) == peer.exchange.peer.properties(known)
        assert not end.exchange.is_pending
        assert end.exchange.send_limit == end.exchange.peer.longest_send


def settle(*ends: End) -> None:
    """Both talk until all has been said."""
    one, other = ends
    for end in ends:
        end.start()
    for _ in range(QUIET):
        for end in ends:
            end.call()
        while one.wire or other.wire:
            for end, peer in (ends, ends[::-1]):
                if peer.wire:
                    end.take(peer)
                    check(*ends)


words = st.integers(0, 2**32 - 1)
directions = st.sampled_from(MessageType)
propvals = st.builds(
    PropertyValue,
    st.sampled_from(tuple(ADOPTED.by_code)) | words,
    st.sampled_from((b"", bytes(4), b"\0\0\0\1", b"\0\0\0\2", b"\xff" * 4, bytes(8))),
)
propvalsets = st.lists(propvals, max_size=5).map(tuple)
subsets = st.lists(words | st.integers(0, 7), max_size=2).map(tuple)
bodies = st.one_of(
    st.builds(Rdma2Optional, directions, st.integers(0, 6) | words, st.binary(max_size=60)),
    st.builds(
        encode_option,
        directions,
        st.one_of(
            st.builds(ConnProp, propvalsets, subsets),
            st.builds(ReqProp, propvalsets),
            st.builds(RespProp, subsets, subsets, propvalsets),
            st.builds(UpdProp, propvalsets),
            resp_props(),
            req_props(),
        ),
    ),
)


@settings(max_examples=100, deadline=None)
@given(options, st.lists(st.tuples(st.just(FIRST) | words, bodies), max_size=12))
def test_whatever_the_peer_says_is_answered_or_ignored(
    chosen: PropertyOptions, messages: list[tuple[int, Rdma2Optional]]
) -> None:
    """No message raises an error; Receives are as long as the peer has been told at any time."""
    end = End(chosen, 4096)
    with suppress(LocalProtocolError):
        end.exchange.request(UnknownProperty(77, b"odd"), ReceiveBufferSize(2048))
    end.start()
    for xid, body in messages:
        end.receives.popleft()
        end.unacknowledged = 0
        end.send(end.exchange.received())
        end.post(end.exchange.posted_length)
        end.send(end.exchange.receive(xid, body))
        assert end.exchange.own.receive_buffer <= min(*end.receives, end.exchange.posted_length)
    assert all(
        message.error in (ErrInvalidOption(), ErrBadHeader())
        for _, message in end.wire
        if isinstance(message, Refusal)
    )
