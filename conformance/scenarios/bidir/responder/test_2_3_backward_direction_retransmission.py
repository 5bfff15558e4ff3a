"""bidir section 2.3, Backward Direction Retransmission."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance import verify
from conformance.backward.client import BackwardClient
from conformance.catalogue.cite import requirement

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.oracle.outcome import Called
    from conformance.tester.client.peer import Peer

SAME = "bidir.2.3.retransmission-keeps-the-xid"
ONLY_THEN = "bidir.2.3.no-retransmission-without-a-connection"
WAITS = "bidir.2.3.waits-indefinitely"


@requirement(SAME, WAITS, needs=("backward",), interpretations=("D-47",))
def test_server_repeats_a_call_under_its_xid_after_the_client_reconnected(
    connect: Callable[..., Peer],
) -> None:
    """A Call without a Reply when the connection was lost comes again, just as it was."""
    before = _lost(connect)

    again = before[0].on(connect())
    again.announce()

    called = again.next_call(breaks=WAITS)
    verify.equal(called.xid, before[1].xid, "the XID of the repeated Call", breaks=SAME)
    verify.equal(called.payload, before[1].payload, "the repeated Call", breaks=SAME)


@requirement(WAITS, SAME, needs=("backward",), interpretations=("D-47",))
def test_server_waits_however_long_for_the_client(connect: Callable[..., Peer]) -> None:
    """Many grace periods and several other connections later the Call still comes."""
    client, called = _lost(connect)
    for _ in range(3):
        stranger = BackwardClient.of(connect())
        stranger.announce()
        stranger.no_call("this is another client", breaks=ONLY_THEN)

    again = client.on(connect())
    again.announce()

    verify.equal(again.next_call(breaks=WAITS).xid, called.xid, "the repeated XID", breaks=SAME)


@requirement(ONLY_THEN, needs=("backward",))
def test_server_repeats_nothing_while_the_connection_stands(peer: Peer) -> None:
    """A Call without a Reply is not sent again, whatever goes over the connection meanwhile."""
    client = BackwardClient.of(peer)
    client.announce()
    client.provoke(1)
    client.next_call()

    for _ in range(3):
        client.serve(peer.workload.null())
        client.no_call("its connection stands", breaks=ONLY_THEN)


@requirement(SAME, WAITS, needs=("backward",), interpretations=("D-47",))
def test_server_does_not_repeat_what_was_answered(connect: Callable[..., Peer]) -> None:
    """Of three Calls the one with a Reply does not come again; the others do, in any order."""
    client = BackwardClient.of(connect())
    client.announce()
    client.provoke(3)
    client.answer(client.next_call(), credits=2)
    left = client.calls(2)
    client.peer.disconnect()

    again = client.on(connect())
    again.announce()

    xids = set()
    for _ in range(2):  # some of them may not have been sent before
        repeated = again.next_call(breaks=WAITS)
        xids.add(repeated.xid)
        again.answer(repeated, credits=1)
    missing = [called.xid for called in left if called.xid not in xids]
    verify.equal(missing, [], "XIDs under which nothing is repeated", breaks=SAME)
    again.no_call("everything was answered")


def _lost(connect: Callable[..., Peer]) -> tuple[BackwardClient, Called]:
    """A client whose connection was lost with a Call in flight."""
    client = BackwardClient.of(connect())
    client.announce()
    client.provoke(1)
    called = client.next_call()
    client.peer.disconnect()
    return client, called
