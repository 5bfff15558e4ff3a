"""bidir section 2.2, Managing Receive Buffers: what answers no Call takes no Receive for good."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance.backward import build as build_backward
from conformance.backward.build import BackwardMessage
from conformance.backward.client import BackwardClient
from conformance.catalogue.cite import requirement
from conformance.tester.client import build
from conformance.tester.sent import Message
from conformance.verify.traffic import Traffic
from rpcrdma.ulp import rpc
from rpcrdma.wire import ErrChunk, ErrVers, RdmaSegment
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.tester.client.peer import Peer
    from rpcrdma.wire import ErrorBody

FOR_CALLS: Final = "bidir.2.2.2.server-posts-receives-for-its-forward-grant"
POSTED: Final = "bidir.2.1.receives-posted-before-sends"

NOBODYS: Final = RdmaSegment(0, 64, 0)
SPARE: Final = 16
"""Receives that a device may have beside those for what it grants."""


REFUSALS: Final[Mapping[str, ErrorBody]] = {"err-chunk": ErrChunk(), "err-vers": ErrVers(2, 2)}
"""Errors about a Call, by name."""


def _reply(xid: int) -> BackwardMessage:
    return BackwardMessage(xid, rpc.accepted(xid))


KINDS: Final[Mapping[str, Callable[[int], bytes]]] = {
    "unknown-xid": lambda xid: _reply(xid).octets,
    "rpc-error": lambda xid: BackwardMessage(xid, rpc.garbage_args(xid)).octets,
    "runt": lambda xid: build_backward.cut(_reply(xid), 8, credits=1),
    "two-xids": lambda xid: build_backward.with_another_xid(_reply(xid)).octets,
    "write-list": lambda xid: build_backward.with_chunks(_reply(xid), NOBODYS, "write-list").octets,
}


def _called_back(connect: Callable[..., Peer]) -> tuple[Traffic, BackwardClient]:
    """Traffic on a connection on which the device may make Calls, and who takes them."""
    traffic = Traffic.on(connect, breaks=FOR_CALLS)
    client = BackwardClient.of(traffic.peer)
    client.announce()
    return traffic, client


@requirement(FOR_CALLS, POSTED, needs=("backward",), interpretations=("D-40", "D-41"))
@pytest.mark.parametrize("kind", [*KINDS, "error"])
def test_server_has_its_receives_after_what_answers_no_call(
    connect: Callable[..., Peer], kind: str
) -> None:
    """As many messages to no Call as it has Receives; then the whole forward grant is used."""
    traffic, _ = _called_back(connect)
    peer = traffic.peer
    peer.takes_calls = False  # none comes, and what comes is forward

    for _ in range(traffic.credits + SPARE):
        xid = peer.next_xid()
        odd = KINDS[kind](xid) if kind in KINDS else build.error(peer, ErrChunk(), xid=xid).octets
        traffic.send_odd(Message(xid, odd, f"a message to no Call ({kind})"))
        traffic.settle()

    traffic.use_all_credits()


@requirement(FOR_CALLS, POSTED, needs=("backward",), interpretations=("D-40", "D-41"))
@pytest.mark.parametrize("kind", ["two-xids", "write-list", "runt"])
def test_server_has_its_receives_after_what_is_no_reply_to_its_call(
    connect: Callable[..., Peer], kind: str
) -> None:
    """A Call waits, and bad Replies come to it; then it is answered, or made again by nobody."""
    traffic, client = _called_back(connect)
    peer = traffic.peer
    client.provoke(1)
    called = client.next_call()
    peer.takes_calls = False

    for _ in range(traffic.credits + SPARE):
        traffic.send_odd(Message(called.xid, KINDS[kind](called.xid), f"a bad Reply ({kind})"))
        traffic.settle()

    traffic.use_all_credits()


@requirement(FOR_CALLS, POSTED, needs=("backward",), interpretations=("D-15",))
@pytest.mark.parametrize("kind", ["reply", *REFUSALS])
def test_server_has_its_receives_after_many_calls_of_its_own(
    connect: Callable[..., Peer], kind: str
) -> None:
    """As many of its Calls end as it has Receives, one by one; then the forward grant is used."""
    traffic, client = _called_back(connect)
    peer = traffic.peer
    if traffic.credits + SPARE > client.workload.many:
        raise Unsupported(f"it takes more than {client.workload.many} Calls")
    client.provoke(2)
    called = client.next_call()

    for _ in range(traffic.credits + SPARE):
        if kind == "reply":
            client.answer(called, credits=1)
        else:
            refusal = build.error(peer, REFUSALS[kind], xid=called.xid, credits=1)
            client.answer_perhaps(called, refusal.octets, breaks=FOR_CALLS)
        if not client.went_on() and peer.connected:
            raise Unsupported("the server makes no further Call after that, as it may")
        called = client.next_call(breaks=FOR_CALLS)
        client.provoke(1)
    client.answer(called)
    client.answer(client.next_call(breaks=FOR_CALLS))
    peer.takes_calls = False

    traffic.use_all_credits()
