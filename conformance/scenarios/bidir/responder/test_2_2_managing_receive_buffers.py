"""bidir section 2.2, Managing Receive Buffers (2.2.2, Server Receive Buffers)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.backward import build as build_backward
from conformance.backward.client import BackwardClient
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered, ErrChunk
from conformance.tester.client import build

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

FOR_REPLIES = "bidir.2.2.2.server-posts-a-receive-for-each-backward-call"
FOR_CALLS = "bidir.2.2.2.server-posts-receives-for-its-forward-grant"
AGAIN = "bidir.2.2.2.server-posts-receives-again-after-reconnecting"
POSTED = "bidir.2.1.receives-posted-before-sends"
DROPPED = "bidir.2.4.runt-is-dropped"
NO_EFFECT = "bidir.2.4.runt-has-no-effect"

ROUNDS = 80
"""Messages that use up every Receive that a server may have to spare."""
CUT = (ErrChunk, Answered)
"""What a message with a cut RPC header may get, if it is not dropped (D-40)."""


@requirement(FOR_REPLIES, FOR_CALLS, POSTED, needs=("backward",))
def test_server_has_a_receive_for_each_reply_and_each_forward_call(
    connect: Callable[..., Peer],
) -> None:
    """Many backward Replies take none of the Receives that the forward grant promises."""
    peer = connect(rnr_retry=0, receives=64)
    client = BackwardClient.of(peer)
    client.announce()
    client.provoke(client.workload.many)
    for _ in range(client.workload.many):
        client.answer(client.next_call(breaks=FOR_REPLIES), credits=4)
    calls = _full_grant(client)

    for call in calls:
        peer.send(call)

    client.all_served(calls, breaks=(FOR_REPLIES, FOR_CALLS))


@requirement(AGAIN, POSTED, needs=("backward",))
def test_server_has_its_receives_again_on_the_next_connection(
    connect: Callable[..., Peer],
) -> None:
    """After a reconnection the Replies to four Calls and a full forward grant are received."""
    first = BackwardClient.of(connect(rnr_retry=0))
    first.announce()
    first.provoke(1)
    first.next_call()
    first.peer.disconnect()

    peer = connect(rnr_retry=0, receives=64)
    client = first.on(peer)
    client.announce()
    client.provoke(4)  # the other need not come again (D-47)
    for _ in range(4):
        client.answer(client.next_call(breaks=AGAIN))
    calls = _full_grant(client)
    for call in calls:
        peer.send(call)

    client.all_served(calls, breaks=AGAIN)


@requirement(POSTED, DROPPED, NO_EFFECT, needs=("backward",), interpretations=("D-40",))
def test_server_posts_a_receive_again_behind_a_message_that_is_too_small(peer: Peer) -> None:
    """After eighty messages that are too small a good Call is still received."""
    client = BackwardClient.of(peer)
    client.announce()
    runt = build_backward.cut(build_backward.call(peer.next_xid(), bytes(8)), 4, credits=1)

    for _ in range(ROUNDS):
        client.send(runt, *CUT, breaks=NO_EFFECT)
        if client.hung_up(tolerated=DROPPED):
            return

    client.serve(peer.workload.small())


def _full_grant(client: BackwardClient) -> list[Call]:
    """As many Calls as the device grants, not sent."""
    peer = client.peer
    first = build.null_call(peer, credits=64)
    peer.send(first)
    client.served(first)
    return [build.null_call(peer, credits=64) for _ in range(min(peer.granted, 64))]
