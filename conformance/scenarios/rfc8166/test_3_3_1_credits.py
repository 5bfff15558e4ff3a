"""RFC 8166 section 3.3.1, RPC-over-RDMA Credits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import build, verify, verify_chunks
from conformance.case import Inconclusive
from conformance.outcome import Answered
from conformance.requirement import requirement

if TYPE_CHECKING:
    from conformance.peer import Peer

MOST: Final = 2**32 - 1
"""The largest credit value that there is."""

ENOUGH: Final = 256
"""Calls at once that are enough to show it, however many a device grants."""


@requirement("rfc8166.3.3.1.grant-is-never-zero", interpretations=("D-17",))
@pytest.mark.parametrize("requested", [0, 1, MOST])
def test_responder_never_grants_zero_credits(peer: Peer, requested: int) -> None:
    """Whatever a Call requests, its Reply grants at least one credit."""
    call = build.null_call(peer, credits=requested)

    peer.send(call)

    answer = verify.expect(peer, call, Answered)
    verify.that(answer.credits > 0, "the Reply grants at least one credit", actual=str(answer))


@requirement(
    "rfc8166.3.3.1.every-reply-grants-credits",
    "rfc8166.4.2.3.reply-carries-granted-credits",
)
def test_responder_grants_credits_in_every_reply(peer: Peer) -> None:
    """Short, Chunked and Long Replies, and one with an RPC error, each grant credits."""
    calls = (
        build.small_call(peer),
        build.with_write_chunks(peer, peer.workload.fetch(2000)),
        build.long_reply(peer, peer.workload.long_reply(2000)),
        build.call(peer, peer.workload.garbage()),
    )

    for call in calls:
        peer.send(call)

        answer = verify.expect(peer, call, Answered)
        verify.that(answer.credits > 0, "each Reply grants credits", actual=str(answer))


@requirement(
    "rfc8166.3.3.1.credit-is-one-transaction",
    "rfc8166.3.3.1.receives-before-larger-grant",
    "rfc8166.3.3.1.replies-in-any-order",
)
@pytest.mark.parametrize("requested", [1, MOST])
def test_responder_takes_as_many_calls_as_it_granted(peer: Peer, requested: int) -> None:
    """Right behind a grant of n come n Calls at once: each is answered."""
    first = build.null_call(peer, credits=requested)
    peer.send(first)
    granted = min(verify.expect(peer, first, Answered).credits, ENOUGH)
    calls = [build.null_call(peer, credits=requested) for _ in range(granted)]
    peer.post_receives(granted)

    for call in calls:
        peer.send(call)

    verify_chunks.all_served(peer, calls)


@requirement("rfc8166.3.3.1.overrun-may-cost-the-connection")
def test_responder_survives_calls_beyond_its_grant(peer: Peer) -> None:
    """More Calls in flight than granted are answered once each, or cost the connection."""
    if peer.granted > ENOUGH:
        raise Inconclusive(f"{peer.granted} credits are more than the suite sends Calls")
    calls = [build.null_call(peer) for _ in range(peer.granted + 16)]
    peer.post_receives(len(calls))

    for call in calls:
        peer.send(call)

    verify_chunks.answered_or_lost(peer, calls)


@requirement("rfc8166.3.3.1.no-unsolicited-messages-to-idle-requester")
def test_responder_leaves_an_idle_requester_alone(peer: Peer) -> None:
    """With every Call answered, nothing more comes."""
    call = build.small_call(peer)
    peer.send(call)
    verify.served(peer, call)

    verify.silent(peer)


@requirement("rfc8166.3.3.1.replies-in-any-order", "rfc8166.2.2.2.reply-xid-is-the-calls")
def test_responder_matches_replies_to_calls_in_flight(peer: Peer) -> None:
    """Six Calls of different results in flight: each Reply has the results of its own Call."""
    first = build.null_call(peer)
    peer.send(first)
    count = min(verify.expect(peer, first, Answered).credits, 6)
    requests = [peer.workload.fetch(1000 + 333 * number) for number in range(count)]
    calls = [build.with_write_chunks(peer, request) for request in requests]

    for call in calls:
        peer.send(call)

    verify_chunks.all_served(peer, calls)


@requirement("rfc8166.3.3.1.replies-in-any-order", "rfc8166.2.2.2.reply-xid-is-the-calls")
def test_responder_answers_a_later_call_first(peer: Peer) -> None:
    """A Call that takes its time does not keep back the Reply to the one behind it."""
    held = build.call(peer, peer.workload.hold(7))
    overtaking = build.small_call(peer)
    release = build.call(peer, peer.workload.release(7))

    for call in (held, overtaking):
        peer.send(call)

    verify.served(peer, overtaking)
    peer.send(release)
    verify_chunks.all_served(peer, (release, held))
