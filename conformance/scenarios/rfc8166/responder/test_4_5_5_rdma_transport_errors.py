"""RFC 8166 section 4.5.5, RDMA Transport Errors: connections that end in the middle of a Call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.client import build, mutate
from conformance.tester.wire import FrameAct, Packets
from rpcrdma.ulp.pattern import pattern
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call
    from conformance.tester.wire import Wire

CALLS: Final[dict[str, Callable[[Peer], Call]]] = {
    "short": build.small_call,
    "read-chunk": lambda peer: build.with_read_chunks(
        peer, peer.workload.store(pattern(60000, 35)), ((7000,) * 8,)
    ),
    "write-chunk": lambda peer: build.with_write_chunks(peer, peer.workload.fetch(262144)),
    "long-call": lambda peer: build.long_call(peer, peer.workload.long_call(30000)),
    "long-reply": lambda peer: build.long_reply(peer, peer.workload.long_reply(8192)),
}


@requirement("rfc8166.4.5.5.rpc-survives-connection-loss")
@pytest.mark.parametrize("form", CALLS)
def test_responder_serves_others_when_a_connection_ends_in_a_call(
    peer: Peer, connect: Callable[..., Peer], form: str
) -> None:
    """A connection that is dropped right after a Call hurts neither another nor the next one."""
    dropped = connect()
    dropped.send(CALLS[form](dropped))

    dropped.disconnect()

    after = connect()
    for one in (peer, after):
        call = CALLS[form](one)
        one.send(call)
        verify.chunks.served(one, call)


@requirement("rfc8166.4.5.5.rpc-survives-connection-loss")
def test_responder_survives_many_short_connections(connect: Callable[..., Peer]) -> None:
    """Ten connections, each dropped with a Call unanswered: the eleventh is served."""
    for _ in range(10):
        dropped = connect()
        dropped.send(build.with_write_chunks(dropped, dropped.workload.fetch(5000)))
        dropped.close()

    peer = connect()
    call = build.with_write_chunks(peer, peer.workload.fetch(5000))
    peer.send(call)
    verify.chunks.served(peer, call)


@requirement("rfc8166.4.5.5.rpc-survives-connection-loss", "rfc8166.2.2.2.reply-xid-is-the-calls")
@pytest.mark.parametrize("form", CALLS)
def test_responder_serves_a_call_again_on_the_next_connection(
    connect: Callable[..., Peer], form: str
) -> None:
    """A Call whose connection ended before its Reply is repeated under its XID, and is served."""
    dropped = connect()
    lost = CALLS[form](dropped)
    dropped.send(lost)
    dropped.disconnect()

    peer = connect()
    again = mutate.under(CALLS[form](peer), lost.xid)
    peer.send(again)

    verify.chunks.served(peer, again)


SURVIVES: Final = "rfc8166.4.5.5.rpc-survives-connection-loss"
INTACT: Final = "rfc8166.4.5.5.damaged-octets-are-not-taken"

MOMENT: Final = 0.02
"""Seconds after which the tester looks again how far the device has got."""

DAMAGED: Final = {
    "call": Packets.SENDS,
    "argument": Packets.READ_RESPONSES,
    "end-of-an-argument": Packets.ENDS_OF_READ_RESPONSES,
}


@requirement(INTACT, wider=verify.recovery.LOSS)
@pytest.mark.parametrize("what", DAMAGED)
def test_responder_takes_no_damaged_octets(peer: Peer, wire: Wire, what: str) -> None:
    """A packet of a Call or its argument is damaged on its way: what is executed is whole."""
    data = pattern(20000, 54)
    call = build.with_read_chunks(peer, peer.workload.store(data))
    wire.hit(DAMAGED[what], FrameAct.CORRUPT)

    peer.send(call)

    verify.recovery.stored(peer, call, data, breaks=INTACT)
    wire.require_struck()


def cut(peer: Peer, wire: Wire, form: str) -> Call:
    """Send a Call, and let the device get no further than the beginning of its chunk."""
    call = CALLS[form](peer)
    if form == "write-chunk":
        wire.hit(Packets.WITHIN_DEVICE_WRITES, FrameAct.DROP, first=2, last=None)
        wire.hit(Packets.ENDS_OF_DEVICE_WRITES, FrameAct.DROP, last=None)
    else:
        wire.hit(Packets.WITHIN_READ_RESPONSES, FrameAct.DROP, last=None)
        wire.hit(Packets.ENDS_OF_READ_RESPONSES, FrameAct.DROP, last=None)
    peer.send(call)
    wire.await_strike(lambda: peer.receive(MOMENT))
    return call


@requirement(SURVIVES)
@pytest.mark.parametrize("end", ["closed", "silent"])
@pytest.mark.parametrize("form", ["read-chunk", "write-chunk", "long-call"])
def test_responder_serves_others_when_a_chunk_is_cut(
    peer: Peer, connect: Callable[..., Peer], wire: Wire, form: str, end: str
) -> None:
    """A connection ends in the middle of a chunk: others are served, and the Call on a new one."""
    ending = connect()
    lost = cut(ending, wire, form)
    if end == "silent":
        wire.silence(ending.connection)
    else:
        ending.disconnect()
    wire.heal()

    after = connect()
    calls = (CALLS[form](peer), mutate.under(CALLS[form](after), lost.xid))
    for one, call in zip((peer, after), calls, strict=True):
        one.send(call)
        verify.chunks.served(one, call, breaks=SURVIVES)


@requirement(SURVIVES)
def test_responder_executes_nothing_whose_chunk_was_cut(
    peer: Peer, connect: Callable[..., Peer], wire: Wire
) -> None:
    """A connection ends in the middle of an argument: what was stored before is there, whole."""
    data = pattern(30000, 55)
    kept = peer.workload.stored(data)
    if kept is None:
        raise Unsupported("the program keeps nothing of what it is given")
    before = build.with_read_chunks(peer, peer.workload.store(data))
    peer.send(before)
    verify.chunks.stored(peer, before, data, breaks=SURVIVES)
    ending = connect()
    cut(ending, wire, "read-chunk")

    ending.disconnect()
    wire.heal()

    verify.recovery.at_rest(peer, breaks=SURVIVES)
    call = build.with_write_chunks(peer, kept)
    peer.send(call)
    verify.chunks.served(peer, call, breaks=SURVIVES)


@requirement(SURVIVES)
def test_responder_serves_version_one_after_a_connection_in_version_two(
    connect_both: Callable[..., Peer],
) -> None:
    """After a connection in Version Two has ended, Calls in Version One are served on new ones."""
    before = connect_both(version=2)
    before.send(build.small_call(before))
    before.receive()  # what has come is not the matter here
    before.close()

    for _ in range(2):
        peer = connect_both()
        call = build.small_call(peer)
        peer.send(call)
        verify.served(peer, call, breaks=SURVIVES)
        peer.close()
