"""rfc8166 section 3.4.6 Write Chunks: the room that a Requester makes for results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from rpcrdma.wire import chunk_length
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import ReceivedCall, Service
    from conformance.tester.server.harness import ActingClient


@requirement(
    "rfc8166.3.4.6.write-chunk-holds-the-largest-result",
    "rfc8166.6.2.reply-resources-for-the-maximum",
    "rfc8166.3.4.6.2.no-room-for-roundup",
    role="requester",
)
@pytest.mark.parametrize("length", [2000, 4097, 70003])
def test_requester_makes_room_for_the_largest_result(
    service: Service, client: ActingClient, length: int
) -> None:
    """Each Write chunk of a call that fetches data takes as much as was asked for."""
    result = client.do(ActKind.READ, length)
    calls = verify.calls.some((call for call in service.received if call.writes), "with room")

    verify.calls.each(calls, lambda call: too_small(service, call))
    verify.calls.done(result)


def too_small(service: Service, call: ReceivedCall) -> str:
    """Whether a Write chunk does not take the result that may come into it."""
    largest = service.expectation(call).items
    for chunk, wanted in zip(call.writes, largest, strict=False):
        room = chunk_length(chunk)
        if chunk.target and room < wanted:
            return f"A Write chunk has room for {room} octets of a result of up to {wanted}"
    return ""


@requirement("rfc8166.3.4.6.write-segments-have-no-position", role="requester")
@pytest.mark.parametrize("length", [5000, 1_000_003])
def test_requester_gives_write_segments_no_position(
    service: Service, client: ActingClient, length: int
) -> None:
    """Write chunks are of plain segments: what follows them is the end of the lists."""
    act = client.begin(ActKind.READ, length)
    call = service.next_call(lambda one: bool(one.writes or unreadable(one)))

    breaks = ("rfc8166.3.4.6.write-segments-have-no-position",)
    verify.calls.each((call,), unreadable, breaks)
    service.serve(call)
    verify.calls.done(service.serve_until(act))


def unreadable(call: ReceivedCall) -> str:
    """Whether a message has no header that can be decoded, or nothing behind it."""
    return f"The lists of a call cannot be decoded: {call.problem}" if call.rpc is None else ""
