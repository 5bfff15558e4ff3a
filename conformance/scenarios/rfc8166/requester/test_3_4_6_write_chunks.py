"""rfc8166 section 3.4.6 Write Chunks: the room that a Requester makes for results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient


ROOM: Final = (
    "rfc8166.3.4.6.write-chunk-holds-the-largest-result",
    "rfc8166.6.2.reply-resources-for-the-maximum",
    "rfc8166.3.4.6.2.no-room-for-roundup",
)


@requirement(*ROOM, role="requester")
@pytest.mark.parametrize("length", [2000, 4097, 70003])
def test_requester_makes_room_for_the_largest_result(
    service: Service, client: ActingClient, length: int
) -> None:
    """Each Write chunk of a call that fetches data takes as much as was asked for."""
    result = client.do(ActKind.READ, length)
    calls = verify.calls.some((call for call in service.received if call.writes), "with room")

    verify.calls.obey(calls, *ROOM)
    verify.calls.done(result)


NO_POSITION: Final = "rfc8166.3.4.6.write-segments-have-no-position"


@requirement(NO_POSITION, role="requester")
@pytest.mark.parametrize("length", [5000, 1_000_003])
def test_requester_gives_write_segments_no_position(
    service: Service, client: ActingClient, length: int
) -> None:
    """Write chunks are of plain segments: what follows them is the end of the lists."""
    act = client.begin(ActKind.READ, length)
    call = service.next_call(lambda one: bool(one.writes or one.rpc is None))

    verify.calls.obey((call,), NO_POSITION)
    service.serve(call)
    verify.calls.done(service.serve_until(act))
