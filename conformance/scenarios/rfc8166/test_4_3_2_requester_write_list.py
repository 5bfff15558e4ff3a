"""rfc8166 section 4.3.2 Write List: when a Requester offers one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify_calls
from conformance.requirement import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.client_harness import ActingClient
    from conformance.service import ReceivedCall, Service


@requirement(
    "rfc8166.4.3.2.write-list-empty-without-results",
    "rfc8166.4.3.2.1.one-chunk-for-one-result",
    "rfc8166.6.1.binding-limits-procedures",
    "rfc8166.6.1.binding-limits-chunks",
    role="requester",
)
@pytest.mark.parametrize("kind", [ActKind.SMALL, ActKind.READ, ActKind.WRITE, ActKind.LONG_CALL])
def test_requester_offers_no_more_write_chunks_than_results(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """A call brings as many Write chunks at most as it has results that may be reduced."""
    result = client.do(kind, 6000)

    verify_calls.each(service.received, lambda call: too_many(service, call))
    verify_calls.done(result)


def too_many(service: Service, call: ReceivedCall) -> str:
    """Whether there are Write chunks that no result can come to."""
    results = len(service.expectation(call).items)
    chunks = len(call.writes)
    return "" if chunks <= results else f"{chunks} Write chunks are offered for {results} results"
