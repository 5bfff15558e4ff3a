"""bidir section 1.5.2, Performance Impact: the forward direction while backward Calls are about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.backward.client import BackwardClient
from conformance.catalogue.cite import requirement
from conformance.tester.client import build
from rpcrdma.ulp.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

INTEROPERATES = "bidir.1.5.1.interoperates-without-support"
NO_CALLBACK = "bidir.2.2.3.no-callback-to-legacy-clients"
UNDISTURBED = "bidir.1.5.2.forward-direction-is-undisturbed"
SEPARATE = "bidir.2.1.2.directions-are-accounted-separately"
WITHIN = "bidir.2.1.2.backward-calls-within-the-grant"
TOGETHER = "bidir.1.3.3.both-directions-at-once"


@requirement(
    UNDISTURBED,
    TOGETHER,
    SEPARATE,
    "bidir.1.3.4.reply-xid-is-the-calls",
    "bidir.1.3.reply-is-told-by-its-msg-type",
    needs=("backward",),
    means={WITHIN: SEPARATE},
)
def test_server_serves_forward_calls_of_every_form_beside_backward_calls(peer: Peer) -> None:
    """While backward Calls go without a Reply, forward ones with all kinds of chunks are served."""
    client = BackwardClient.of(peer)
    client.announce()
    client.provoke(4)
    client.answer(client.next_call(), credits=2)
    calls = (
        build.small_call(peer),
        build.with_read_chunks(peer, peer.workload.store(pattern(3000, 1))),
        build.with_write_chunks(peer, peer.workload.fetch(3000)),
        build.long_call(peer, peer.workload.long_call(3000)),
        build.long_reply(peer, peer.workload.long_reply(3000)),
    )

    for call in calls:
        peer.send(call)

        client.served(call, breaks=(UNDISTURBED, TOGETHER))


@requirement(UNDISTURBED, "bidir.1.3.2.service-may-make-calls", TOGETHER, needs=("backward",))
def test_server_completes_backward_calls_among_forward_calls(peer: Peer) -> None:
    """Twelve backward Calls are answered between forward ones, and all of them come."""
    client = BackwardClient.of(peer)
    client.announce()
    client.provoke(12)

    for _ in range(12):
        client.answer(client.next_call(breaks="bidir.1.3.2.service-may-make-calls"), credits=1)
        client.serve(peer.workload.small(), breaks=(UNDISTURBED, TOGETHER))

    client.no_call("all twelve were answered", breaks=UNDISTURBED)


@requirement(
    INTEROPERATES,
    NO_CALLBACK,
    means={
        WITHIN: NO_CALLBACK,
        "bidir.2.3.no-retransmission-without-a-connection": NO_CALLBACK,
        "rfc8166.4.6.2.done-is-not-sent": INTEROPERATES,
    },
)
def test_server_leaves_alone_who_never_announced_anything(connect: Callable[..., Peer]) -> None:
    """A client that says nothing of the backward direction gets Replies and nothing else."""
    client = BackwardClient.forward_only(connect())

    for _ in range(4):
        client.serve(client.peer.workload.null())

    client.no_call("this client has announced nothing", breaks=(INTEROPERATES, NO_CALLBACK))
