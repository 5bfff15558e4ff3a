"""bidir section 2.1.2, Backward Credits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.backward.client import BackwardClient
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered
from conformance.tester.case import Inconclusive
from conformance.tester.client import build

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

WITHIN = "bidir.2.1.2.backward-calls-within-the-grant"
LIKE = "bidir.2.1.2.backward-credits-work-like-forward-ones"
SEPARATE = "bidir.2.1.2.directions-are-accounted-separately"
DIFFER = "bidir.2.1.2.values-may-differ"
REQUESTS = "bidir.2.1.2.call-requests-credits"
UNCHANGED = "bidir.2.1.2.forward-grant-is-unchanged"

LONE_CALLS = 5
"""Forward Calls that show whether the device grants the same number every time."""


@requirement(WITHIN, needs=("backward",), interpretations=("D-42",))
def test_server_makes_one_call_before_the_first_grant(peer: Peer) -> None:
    """Of four Calls that wait, one comes before the first Reply."""
    client = BackwardClient.of(peer)
    client.announce()

    client.provoke(4)

    client.next_call()
    client.no_call("nothing has been granted yet", breaks=WITHIN)


@requirement(WITHIN, LIKE, DIFFER, needs=("backward",))
@pytest.mark.parametrize("granted", [1, 2, 5])
def test_server_has_no_more_calls_in_flight_than_granted(peer: Peer, granted: int) -> None:
    """Right after a grant of n, at most n Calls come until one of them is answered."""
    client = BackwardClient.of(peer)
    client.announce()
    client.provoke(granted + 3)

    client.answer(client.next_call(), credits=granted)
    client.serve(peer.workload.null(), breaks=DIFFER)

    found = client.calls(granted)
    client.no_call(f"{granted} are granted", breaks=WITHIN)
    client.answer(found[0], credits=granted)
    client.next_call(breaks=LIKE)


@requirement(WITHIN, LIKE, needs=("backward",))
def test_server_holds_back_when_the_grant_shrinks(peer: Peer) -> None:
    """With four in flight, Replies that grant two let no further Call out until two are left."""
    client = BackwardClient.of(peer)
    client.announce()
    client.provoke(8)
    client.answer(client.next_call(), credits=4)
    found = client.together(4)
    client.no_call("four are granted")

    for called in found[:2]:
        client.answer(called, credits=2)
        client.no_call("two are granted, and no fewer are in flight", breaks=(WITHIN, LIKE))
    client.answer(found[2], credits=2)

    client.next_call(breaks=LIKE)
    client.no_call("two are granted", breaks=WITHIN)


@requirement(
    REQUESTS,
    "bidir.2.5.call-carries-credits",
    needs=("backward",),
    means={"bidir.2.1.2.credit-is-never-zero": (REQUESTS, "bidir.2.5.call-carries-credits")},
)
def test_server_requests_credits_in_each_call(peer: Peer) -> None:
    """The first Call, those under the smallest grant and under a larger one all request credits."""
    client = BackwardClient.of(peer)
    client.announce()
    client.provoke(6)

    for granted in (1, 1, 5, 1):
        called = client.next_call()
        verify.that(called.header.rdma_credit > 0, "a Call requests credits", actual=str(called))
        client.answer(called, credits=granted)


@requirement("bidir.2.1.2.credit-is-never-zero", needs=("backward",))
def test_server_requests_at_least_one_credit(peer: Peer) -> None:
    """No backward Call has an rdma_credit of zero."""
    client = BackwardClient.of(peer)
    client.announce()
    client.provoke(3)

    for _ in range(3):
        client.answer(client.next_call())


@requirement(SEPARATE, DIFFER, needs=("backward",), means={WITHIN: SEPARATE})
def test_server_takes_no_forward_request_for_a_backward_grant(peer: Peer) -> None:
    """Forward Calls, which request several credits, let no second backward Call out."""
    client = BackwardClient.of(peer)
    client.announce()
    client.provoke(4)
    client.next_call()

    for _ in range(3):
        call = build.null_call(peer)
        peer.send(call)
        client.served(call)

    client.no_call("no backward Reply has granted anything", breaks=SEPARATE)


@requirement(UNCHANGED, SEPARATE, needs=("backward",))
def test_server_grants_forward_credits_as_before(peer: Peer) -> None:
    """With backward Calls in flight the forward grant is what it was without."""
    alone = BackwardClient.forward_only(peer)
    before, *others = [_grant(peer, alone) for _ in range(LONE_CALLS)]
    if any(other != before for other in others):
        raise Inconclusive("the forward grant varies without backward Calls, too")
    client = BackwardClient.of(peer)
    client.announce()
    client.provoke(6)
    client.answer(client.next_call(), credits=4)
    client.calls(4)

    after = _grant(peer, client)

    verify.equal(after, before, "the forward grant", breaks=UNCHANGED)


def _grant(peer: Peer, client: BackwardClient) -> int:
    """What the Reply to a Call grants."""
    call = build.null_call(peer)
    peer.send(call)
    answer = client.served(call).answer
    return answer.credits if isinstance(answer, Answered) else 0


@requirement(WITHIN, needs=("backward",), interpretations=("D-42",))
def test_server_takes_no_grant_along_to_another_connection(connect: Callable[..., Peer]) -> None:
    """Four were granted on a connection that is gone: on the next one a single Call comes first."""
    client = BackwardClient.of(connect())
    client.announce()
    client.provoke(1)
    client.answer(client.next_call(), credits=4)
    client.peer.disconnect()
    again = client.on(connect())
    again.announce()

    again.provoke(2)

    again.next_call()
    again.no_call("nothing has been granted on this connection", breaks=WITHIN)
