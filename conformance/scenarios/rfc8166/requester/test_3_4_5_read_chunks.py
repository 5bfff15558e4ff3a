"""rfc8166 section 3.4.5 Read Chunks: how a Requester offers its arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient


PLACES: Final = (
    "rfc8166.3.4.5.position-is-a-multiple-of-four",
    "rfc8166.3.4.5.position-counts-the-unreduced-stream",
    "rfc8166.4.3.1.1.position-is-the-items-offset",
)

LENGTHS: Final = (
    "rfc8166.3.4.5.same-position-throughout-a-chunk",
    "rfc8166.4.3.1.read-list-groups-by-position",
    "rfc8166.3.4.5.2.length-without-roundup",
    "rfc8166.3.4.5.2.no-roundup-in-read-chunks",
    "rfc8166.3.4.5.2.length-with-roundup",
    "rfc8166.3.4.5.unaligned-segments-leave-no-gap",
    "rfc8166.3.4.4.1.elements-move-to-the-chunk",
    "rfc8166.3.4.4.4.roundup-leaves-the-stream",
)


@requirement(*PLACES, role="requester")
@pytest.mark.parametrize("length", [1500, 4099, 70001])
def test_requester_says_where_an_argument_belongs(
    service: Service, client: ActingClient, length: int
) -> None:
    """The Position of a reduced argument is its place in the whole call, a multiple of four."""
    result = client.do(ActKind.WRITE, length)
    calls = verify.calls.some((call for call in service.received if call.reads), "with Read chunks")

    verify.calls.obey(calls, *PLACES)
    verify.calls.done(result)


@requirement(*LENGTHS, role="requester")
@pytest.mark.parametrize("length", [1501, 4098, 2_500_003])
def test_requester_offers_an_argument_as_one_chunk(
    service: Service, client: ActingClient, length: int
) -> None:
    """An argument, however many segments it takes, is one chunk that is just as long."""
    result = client.do(ActKind.WRITE, length)
    calls = verify.calls.some((call for call in service.received if call.reads), "with Read chunks")

    verify.calls.obey(calls, *LENGTHS)
    verify.calls.done(result)
