"""RFC 8166 section 3.3, Managing Receiver Resources, with Calls that stay in flight for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered
from conformance.tester.client import build
from rpcrdma.wire._generated_testprog import TEST_MAX_HELD
from targets.base import Unsupported

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

TOKEN: Final = 33
BEYOND: Final = 16
MOST: Final = 64
"""Calls in flight that are enough to show it, however many a device grants."""


def granted_at_most(peer: Peer) -> int:
    """How many credits a generous request brings, as far as they matter here."""
    first = build.null_call(peer, credits=MOST)
    peer.send(first)
    return min(verify.expect(peer, first, Answered).credits, MOST)


def send_held(peer: Peer, count: int) -> list[Call]:
    """Send Calls that wait, and one after them that lets all of them go."""
    calls = [build.call(peer, peer.workload.hold(TOKEN), credits=MOST) for _ in range(count)]
    peer.post_receives(count + 1)
    for call in calls:
        peer.send(call)
    verify.granted.settle(peer)
    calls.append(build.call(peer, peer.workload.release(TOKEN), credits=MOST))
    peer.send(calls[-1])
    return calls


@requirement("rfc8166.3.3.1.credit-is-one-transaction", "rfc8166.3.3.1.replies-in-any-order")
def test_responder_keeps_as_many_calls_in_flight_as_it_granted(peer: Peer) -> None:
    """Of n Calls, n being the grant, all but the last wait for the last; all are answered."""
    count = granted_at_most(peer) - 1

    calls = send_held(peer, count)

    verify.chunks.all_served(peer, calls)


@requirement(
    "rfc8166.4.5.5.rpc-survives-connection-loss",
    wider="calls beyond the grant may cost the connection, and the oracle sees one of them alone",
)
def test_responder_survives_more_waiting_calls_than_it_granted(peer: Peer) -> None:
    """More waiting Calls than were granted are answered once each, or cost the connection."""
    count = granted_at_most(peer) + BEYOND
    if count > TEST_MAX_HELD:
        raise Unsupported("the program holds no more calls than the device grants credits")

    calls = send_held(peer, count)

    verify.chunks.answered_or_lost(peer, calls)
