"""Credits of a Responder in Version Two.

v2 section 5  Protocol Version Negotiation (the first answer reports the credit limit)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered
from conformance.tester.client import build

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

GRANTED: Final = "v2.5.granted-calls-are-served"
REPORTED: Final = "v2.5.answer-reports-the-credit-limit"
ENOUGH: Final = 64


@requirement(REPORTED, GRANTED, interpretations=("D-17",))
@pytest.mark.parametrize("requested", [0, 1, 32])
def test_responder_takes_as_many_calls_as_it_granted(
    connect_two: Callable[..., Peer], requested: int
) -> None:
    """The first Reply grants at least one credit, and as many Calls at once are answered."""
    peer = connect_two(rnr_retry=0)
    first = build.null_call(peer, credits=requested)
    peer.send(first)
    granted = verify.expect(peer, first, Answered).credits
    verify.that(
        granted > 0,
        "a Reply grants at least one credit",
        actual="rdma_credit is 0",
        breaks=REPORTED,
    )
    calls = [build.small_call(peer, credits=requested) for _ in range(min(granted, ENOUGH))]
    peer.post_receives(len(calls))

    for call in calls:
        peer.send(call)

    verify.chunks.all_served(peer, calls, breaks=GRANTED)
