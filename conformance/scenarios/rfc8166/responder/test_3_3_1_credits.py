"""RFC 8166 section 3.3.1, RPC-over-RDMA Credits."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered
from conformance.tester.case import Inconclusive
from conformance.tester.client import build
from rpcrdma.wire.words import in_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conformance.tester.client.peer import Peer

GARBAGE: Final = "rfc8166.4.5.2.unparsable-arguments-get-garbage-args"
UNASKED: Final = "rfc8166.3.3.1.no-unsolicited-messages-to-idle-requester"

GRANTED: Final = (
    "rfc8166.3.3.1.credit-is-one-transaction",
    "rfc8166.3.3.1.credits-travel-in-rdma-credit",
    "rfc8166.4.2.3.reply-carries-granted-credits",
    "rfc8166.2.3.2.receives-posted-before-sends",
)
"""Broken where a Call within the grant finds no Receive: it was not posted, or rdma_credit does not
say what is granted.  Both look the same."""
LARGER: Final = "rfc8166.3.3.1.receives-before-larger-grant"
POSTED: Final = GRANTED[3]

MOST: Final = 2**32 - 1
"""The largest credit value that there is."""

ENOUGH: Final = 192
"""Calls at once that are enough to show it, however many a device grants; the tester has to post
a Receive for each."""

LONGEST_START: Final = 600
"""Calls after which a grant that grows by one with each of them is no slow start any more."""

ROUNDS: Final = 12
"""Calls one after the other that are enough to see a count."""


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
    )

    for call in calls:
        peer.send(call)

        answer = verify.expect(peer, call, Answered)
        verify.that(answer.credits > 0, "each Reply grants credits", actual=str(answer))

    garbage = build.call(peer, peer.workload.garbage())
    peer.send(garbage)
    answer = verify.garbage_args(peer, garbage, breaks=GARBAGE).answer
    verify.that(answer.credits > 0, "a Reply with an RPC error grants credits", actual=str(answer))


@requirement(*GRANTED)
@pytest.mark.parametrize("requested", [1, MOST])
def test_responder_takes_as_many_calls_as_it_granted(
    connect: Callable[..., Peer], requested: int
) -> None:
    """Right after a grant of n come n Calls at once: each finds a Receive, and is answered."""
    peer = connect(rnr_retry=0)
    first = build.null_call(peer, credits=requested)
    peer.send(first)
    granted = min(verify.expect(peer, first, Answered).credits, ENOUGH)
    calls = [build.null_call(peer, credits=requested) for _ in range(granted)]
    peer.post_receives(granted)

    for call in calls:
        peer.send(call)

    verify.chunks.all_served(peer, calls, breaks=GRANTED)


@requirement(
    "rfc8166.4.5.5.rpc-survives-connection-loss",
    wider="calls beyond the grant may cost the connection, and the oracle sees one of them alone",
)
def test_responder_survives_calls_beyond_its_grant(peer: Peer) -> None:
    """More Calls in flight than granted are answered once each, or cost the connection."""
    if peer.granted > ENOUGH:
        raise Inconclusive(f"{peer.granted} credits are more than the suite sends Calls")
    calls = [build.null_call(peer) for _ in range(peer.granted + 16)]
    peer.post_receives(len(calls))

    for call in calls:
        peer.send(call)

    verify.chunks.answered_or_lost(peer, calls)


@requirement(
    UNASKED,
    means={"rfc8166.2.2.2.reply-xid-is-the-calls": UNASKED},
)
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

    verify.chunks.all_served(peer, calls)


@requirement(LARGER, POSTED)
def test_responder_has_receives_for_a_grant_that_grows(connect: Callable[..., Peer]) -> None:
    """After a grant for one credit requested comes a larger one: all of it is there at once."""
    peer = connect(rnr_retry=0)
    for requested in (1, MOST):
        first = build.null_call(peer, credits=requested)
        peer.send(first)
        granted = min(verify.expect(peer, first, Answered).credits, ENOUGH)
    calls = [build.small_call(peer, credits=MOST) for _ in range(granted)]
    peer.post_receives(granted)

    for call in calls:
        peer.send(call)

    verify.chunks.all_served(peer, calls, breaks=(LARGER, POSTED))


@requirement("rfc8166.3.3.1.credit-values-may-change")
@pytest.mark.parametrize(
    "requests", [(8, 1, 8), (MOST, 2, 1, MOST), (1, 2, 3, 2, 1)], ids=["dip", "extremes", "steps"]
)
def test_responder_bears_a_changing_request(peer: Peer, requests: tuple[int, ...]) -> None:
    """A Requester asks for more and for fewer credits from Call to Call, and is served."""
    for requested in requests:
        call = build.small_call(peer, credits=requested)
        peer.send(call)
        verify.served(peer, call)


def _steps(grants: Sequence[int]) -> set[int]:
    """By how much each grant is above the one before."""
    return {after - before for before, after in pairwise(grants)}


@requirement("rfc8166.3.3.1.credit-value-is-not-a-countdown")
def test_responder_does_not_count_credits_down(peer: Peer) -> None:
    """The same request again and again, with nothing else in flight: no grant counts the Calls."""
    grants: list[int] = []
    while len(grants) < ROUNDS or (_steps(grants) == {1} and len(grants) < LONGEST_START):
        call = build.null_call(peer, credits=MOST)
        peer.send(call)
        grants.append(verify.expect(peer, call, Answered).credits)

    steps = _steps(grants)
    verify.that(
        steps not in ({-1}, {1}),
        "the grants do not go down, or up, by one with each Call",
        actual=f"the grants were {in_words(grants)}",
    )


@requirement(
    "rfc8166.3.3.1.replies-in-any-order",
    "rfc8166.2.2.2.reply-xid-is-the-calls",
    means={"rfc8166.4.2.1.xid-equals-payload-xid": "rfc8166.3.3.1.replies-in-any-order"},
)
def test_responder_answers_calls_of_which_one_waits(peer: Peer) -> None:
    """One Call waits for the last of three: each Reply, in any order, is that of its own Call."""
    held = build.call(peer, peer.workload.hold(7))
    overtaking = build.small_call(peer)
    release = build.call(peer, peer.workload.release(7))
    verify.granted.require(peer, 3)

    for call in (held, overtaking):
        peer.send(call)
    verify.granted.settle(peer)
    peer.send(release)

    verify.chunks.all_served(peer, (held, overtaking, release))
