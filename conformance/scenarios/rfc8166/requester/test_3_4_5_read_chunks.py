"""rfc8166 section 3.4.5 Read Chunks: how a Requester offers its arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from rpcrdma.wire import group_by_position
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import ReceivedCall, Service
    from conformance.tester.server.harness import ActingClient


def misplaced(call: ReceivedCall) -> str:
    """Whether a Position is no multiple of four."""
    odd = [segment.position for segment in call.reads if segment.position % 4]
    return f"Position {odd[0]} is no multiple of four" if odd else ""


@requirement(
    "rfc8166.3.4.5.position-is-a-multiple-of-four",
    "rfc8166.3.4.5.position-counts-the-unreduced-stream",
    "rfc8166.4.3.1.1.position-is-the-items-offset",
    role="requester",
)
@pytest.mark.parametrize("length", [1500, 4099, 70001])
def test_requester_says_where_an_argument_belongs(
    service: Service, client: ActingClient, length: int
) -> None:
    """The Position of a reduced argument is its place in the whole call, a multiple of four."""
    result = client.do(ActKind.WRITE, length)
    calls = verify.calls.some((call for call in service.received if call.reads), "with Read chunks")

    verify.calls.each(calls, misplaced)
    verify.calls.each(calls, lambda call: elsewhere(service, call))
    verify.calls.done(result)


def elsewhere(service: Service, call: ReceivedCall) -> str:
    """Whether a Read chunk has another Position than an argument that may be reduced."""
    places = {item.position for item in service.arguments(call)} | {0}
    found = {chunk.position for chunk in group_by_position(call.reads)}
    strange = sorted(found - places)
    return f"No argument that may be reduced is at Position {strange[0]}" if strange else ""


@requirement(
    "rfc8166.3.4.5.same-position-throughout-a-chunk",
    "rfc8166.4.3.1.read-list-groups-by-position",
    "rfc8166.3.4.5.2.length-without-roundup",
    "rfc8166.3.4.5.2.no-roundup-in-read-chunks",
    "rfc8166.3.4.5.2.length-with-roundup",
    "rfc8166.3.4.5.unaligned-segments-leave-no-gap",
    "rfc8166.3.4.4.1.elements-move-to-the-chunk",
    "rfc8166.3.4.4.4.roundup-leaves-the-stream",
    role="requester",
)
@pytest.mark.parametrize("length", [1501, 4098, 2_500_003])
def test_requester_offers_an_argument_as_one_chunk(
    service: Service, client: ActingClient, length: int
) -> None:
    """An argument, however many segments it takes, is one chunk that is just as long."""
    result = client.do(ActKind.WRITE, length)
    calls = verify.calls.some((call for call in service.received if call.reads), "with Read chunks")

    verify.calls.each(calls, lambda call: wrong_length(service, call))
    verify.calls.done(result)


def wrong_length(service: Service, call: ReceivedCall) -> str:
    """Whether a Read chunk is neither as long as its argument nor as that and its padding."""
    lengths = {item.position: item for item in service.arguments(call)}
    for chunk in group_by_position(call.reads):
        item = lengths.get(chunk.position)
        if item and chunk.length not in (item.length, item.length + item.padding):
            return f"A Read chunk of {chunk.length} octets is offered for {item.length}"
    return ""
