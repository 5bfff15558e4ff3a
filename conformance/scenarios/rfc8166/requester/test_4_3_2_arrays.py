"""rfc8166 section 4.3.2 Write List: an array of results of which some are absent.

And section 3.4.4.4: an array of arguments, each in a Read chunk of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

CANDIDATES: Final = (
    "rfc8166.4.3.2.1.each-chunk-holds-its-largest-candidate",
    "rfc8166.4.3.2.2.each-chunk-fits-any-candidate",
)
LARGEST: Final = "rfc8166.3.4.6.write-chunk-holds-the-largest-result"
WHICH: Final = "rfc8166.4.3.2.1.reply-tells-which-chunk-is-which"
ONE_ITEM: Final = "rfc8166.3.4.4.4.one-item-in-a-chunk"


@requirement(WHICH, *CANDIDATES, role="requester", means={LARGEST: CANDIDATES})
@pytest.mark.parametrize("length", [1000, 5001])
def test_requester_takes_an_array_of_results_apart(
    service: Service, client: ActingClient, length: int
) -> None:
    """Of five results three have data, in the first chunks, each of which takes any of them."""
    result = client.do(ActKind.READ_ARRAY, length)

    verify.calls.obey(service.received, LARGEST)
    verify.calls.done(result, (WHICH,))


@requirement(ONE_ITEM, role="requester")
@pytest.mark.parametrize("length", [1000, 5001])
def test_requester_gives_each_argument_of_an_array_a_chunk(
    service: Service, client: ActingClient, length: int
) -> None:
    """Every Read chunk holds one element of an array of arguments, or it stays in the stream."""
    result = client.do(ActKind.WRITE_ARRAY, length)

    verify.calls.obey(service.received, ONE_ITEM)
    verify.calls.done(result, (ONE_ITEM,))
