"""rfc8166 section 3.4.1 Reducing an XDR Stream: replies, as a Requester puts them together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server.harness import ActingClient


@requirement(
    "rfc8166.3.4.1.placed-items-are-skipped-in-decoding",
    "rfc8166.3.4.3.reduction-is-the-senders-choice",
    "rfc8166.3.5.2.some-or-all-items-reduced",
    "rfc8166.2.2.4.2.roundup-stays-below-the-ulp",
    role="requester",
)
@pytest.mark.parametrize("length", [5, 1499, 5001, 70003])
def test_requester_puts_a_result_back_into_the_reply(client: ActingClient, length: int) -> None:
    """The application gets the result, without padding, be it in the stream or in a chunk."""
    result = client.do(ActKind.READ, length)

    verify.calls.done(result)
    verify.calls.reads(result, length)


@requirement(
    "rfc8166.3.4.6.1.results-reassembled-in-array-order",
    "rfc8166.3.4.4.chunk-length-is-the-sum",
    "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream",
    role="requester",
)
def test_requester_joins_segments_in_array_order(client: ActingClient) -> None:
    """A result that fills several segments of a Write chunk, if the client's are not larger."""
    length = 1_000_003

    result = client.do(ActKind.READ, length)

    verify.calls.done(result)
    verify.calls.reads(result, length)
