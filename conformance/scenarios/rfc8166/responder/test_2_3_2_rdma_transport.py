"""RFC 8166 section 2.3.2, RDMA Transport Requirements: what holds whatever the network does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.case import Inconclusive
from conformance.tester.client import build
from conformance.tester.wire import FrameAct, Packets
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call
    from conformance.tester.wire import Wire

ONCE: Final = "rfc8166.2.3.2.one-receive-for-each-send"
ANSWERS: Final = "rfc8166.2.2.2.reply-xid-is-the-calls"
IN_ORDER: Final = "rfc8166.2.3.2.sends-complete-in-order"
PLACED: Final = "rfc8166.2.3.2.writes-precede-a-later-send"
BEFORE_REPLY: Final = "rfc8166.3.5.2.writes-precede-the-reply"

LENGTH: Final = 20000
"""Octets of a result or argument: several packets, whatever the path MTU."""

CALLS: Final[dict[str, Callable[[Peer], Call]]] = {
    "small": build.small_call,
    "argument": lambda peer: build.with_read_chunks(peer, peer.workload.store(pattern(3000, 51))),
    "result": lambda peer: build.with_write_chunks(peer, peer.workload.fetch(3000)),
}

WRITTEN: Final = {
    "first": Packets.DEVICE_WRITES,
    "middle": Packets.WITHIN_DEVICE_WRITES,
    "last": Packets.ENDS_OF_DEVICE_WRITES,
}


def require_credits(peer: Peer, calls: int) -> None:
    """See that so many Calls may be in flight."""
    if peer.granted < calls:
        raise Inconclusive(f"{peer.granted} credits are granted, the case takes {calls} Calls")


@requirement(ONCE, means={ANSWERS: ONCE}, wider=verify.recovery.LOSS)
@pytest.mark.parametrize("form", CALLS)
def test_responder_takes_a_message_once_that_comes_twice(peer: Peer, wire: Wire, form: str) -> None:
    """A Call whose packet the network doubles is answered once."""
    call = CALLS[form](peer)
    wire.hit(Packets.SENDS, FrameAct.DUPLICATE)

    peer.send(call)

    verify.recovery.served(peer, call, breaks=ONCE)
    wire.require_struck()


@requirement(IN_ORDER, wider=verify.recovery.LOSS)
@pytest.mark.parametrize("act", [FrameAct.DROP, FrameAct.REORDER], ids=lambda act: act.value)
def test_responder_takes_every_message_when_one_comes_late(
    peer: Peer, wire: Wire, act: FrameAct
) -> None:
    """Of three Calls the second is lost, or overtaken: each is answered once."""
    calls = tuple(make(peer) for make in (build.null_call, build.small_call, build.null_call))
    require_credits(peer, len(calls))
    wire.hit(Packets.SENDS, act, first=2)

    for call in calls:
        peer.send(call)

    verify.recovery.all_served(peer, calls, breaks=IN_ORDER)
    wire.require_struck()


@requirement(PLACED, BEFORE_REPLY, wider=verify.recovery.LOSS)
@pytest.mark.parametrize("act", [FrameAct.DROP, FrameAct.REORDER], ids=lambda act: act.value)
@pytest.mark.parametrize("which", WRITTEN)
def test_responder_writes_again_what_was_lost(
    peer: Peer, wire: Wire, which: str, act: FrameAct
) -> None:
    """A packet of a result is lost on its way, or overtaken: all is there when the Reply is."""
    call = build.with_write_chunks(peer, peer.workload.fetch(LENGTH))
    wire.hit(WRITTEN[which], act)

    peer.send(call)

    verify.recovery.served(peer, call, breaks=(PLACED, BEFORE_REPLY))
    wire.require_struck()


@requirement(PLACED, ONCE, wider=verify.recovery.LOSS)
def test_responder_bears_that_nothing_is_acknowledged_for_a_while(peer: Peer, wire: Wire) -> None:
    """Whatever the tester acknowledges of a result and its Reply is lost once: both come once."""
    call = build.with_write_chunks(peer, peer.workload.fetch(LENGTH))
    wire.hit(Packets.ACKNOWLEDGEMENTS, FrameAct.DROP, last=2)

    peer.send(call)

    verify.recovery.served(peer, call, breaks=PLACED)
    wire.require_struck()
