"""The words of what a fabric cannot do."""

from __future__ import annotations

import pytest

from rpcrdma.errors import ConnectionLost, DeadlineExceeded, FabricError
from rpcrdma.fabric import refusals
from rpcrdma.fabric.base import Address
from rpcrdma.roce.packet.cm_codes import RejectReason


@pytest.mark.parametrize(
    ("refusal", "kind", "words"),
    [
        (
            refusals.unanswered(Address("192.0.2.1", 20049), 1.5),
            DeadlineExceeded,
            "no answer from 192.0.2.1:20049 within 1.5 s",
        ),
        (
            refusals.unfinished(0.5),
            DeadlineExceeded,
            "the peer did not finish connecting within 0.5 s",
        ),
        (
            refusals.answered_already(),
            FabricError,
            "the connection request was answered already",
        ),
        (refusals.gone(), ConnectionLost, "the connection is gone"),
        (refusals.full(3), FabricError, "3 requests are posted: the queue is full"),
        (
            refusals.full(2, "Receives"),
            FabricError,
            "2 Receives are posted: the queue is full",
        ),
    ],
)
def test_refusal_says_what_cannot_be_done(
    refusal: FabricError, kind: type[FabricError], words: str
) -> None:
    """By its type to the caller, by its words to people."""
    assert (type(refusal), str(refusal)) == (kind, words)


def test_rejection_of_an_unknown_service_means_that_nobody_listens() -> None:
    """Any other code is told as it is."""
    assert refusals.why_refused(RejectReason.INVALID_SERVICE_ID) == "nobody listens"
    assert refusals.why_refused(28) == "the peer refused (code 28)"
