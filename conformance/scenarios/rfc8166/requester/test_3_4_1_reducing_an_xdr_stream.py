"""rfc8166 section 3.4.1 Reducing an XDR Stream: replies, as a Requester puts them together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server.acting import ActingClient

SKIPPED: Final = "rfc8166.3.4.1.placed-items-are-skipped-in-decoding"
CHOICE: Final = "rfc8166.3.4.3.reduction-is-the-senders-choice"
SOME_OR_ALL: Final = "rfc8166.3.5.2.some-or-all-items-reduced"
PADDING: Final = "rfc8166.2.2.4.2.roundup-stays-below-the-ulp"

IN_ORDER: Final = "rfc8166.3.4.6.1.results-reassembled-in-array-order"
SUM: Final = "rfc8166.3.4.4.chunk-length-is-the-sum"
REJOINED: Final = "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream"


@requirement(SKIPPED, CHOICE, SOME_OR_ALL, PADDING, role="requester")
@pytest.mark.parametrize("length", [5, 1499, 5001, 70003])
def test_requester_puts_a_result_back_into_the_reply(client: ActingClient, length: int) -> None:
    """The application gets the result, without padding, be it in the stream or in a chunk."""
    result = client.do(ActKind.READ, length)

    # The tester places a result wherever there is a chunk for it, and leaves it inline elsewhere.
    calls = client.service.received
    placed = any(chunk.target for call in calls for chunk in call.writes)
    verify.calls.done(result, (SOME_OR_ALL, SKIPPED) if placed else (CHOICE,))
    verify.calls.reads(result, length, (SKIPPED,), padded=(PADDING,))


@requirement(IN_ORDER, SUM, REJOINED, role="requester")
def test_requester_joins_segments_in_array_order(client: ActingClient) -> None:
    """A result that fills several segments of a Write chunk, if the client's are not larger."""
    length = 1_000_003

    result = client.do(ActKind.READ, length)

    # With its segments in another order a result is as long as it should be; with fewer it is not.
    verify.calls.done(result, (SUM,))
    verify.calls.reads(result, length, (IN_ORDER, REJOINED))
