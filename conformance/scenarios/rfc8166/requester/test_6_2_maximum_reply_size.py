"""rfc8166 section 6.2 Maximum Reply Size: what a Requester has ready for a reply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.case import Deviation
from rpcrdma.fabric.completion import CompletionStatus
from rpcrdma.wire import RdmaSegment
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import ReceivedCall, Service
    from conformance.tester.server.acting import ActingClient

MAXIMUM: Final = "rfc8166.6.2.reply-resources-for-the-maximum"

ACTS = [ActKind.READ, ActKind.LONG_REPLY]


def room(call: ReceivedCall) -> tuple[RdmaSegment, ...]:
    """Every segment that a call offers for its reply."""
    reply = () if call.reply_chunk is None else (call.reply_chunk,)
    return tuple(segment for chunk in (*call.writes, *reply) for segment in chunk.target)


@requirement("rfc8166.6.2.reply-resources-allocated-beforehand", role="requester")
@pytest.mark.parametrize("kind", ACTS, ids=str)
def test_requester_has_its_memory_ready_when_it_calls(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """As soon as a call is there all memory that it offers can be written, to the last octet."""
    act = client.begin(kind, 6000)
    call = service.next_call(lambda one: bool(room(one)))

    for segment in room(call):
        last = RdmaSegment(segment.handle, 1, segment.offset + segment.length - 1)
        status = service.line_of(call).write(last, b"\0", service.profile.deadline)
        if status is not CompletionStatus.SUCCESS:
            raise Deviation(
                "Memory that a call offers for its reply cannot be written.",
                expected=(CompletionStatus.SUCCESS.value,),
                actual="nothing" if status is None else status.value,
            )

    service.reply(call)
    verify.calls.done(service.serve_until(act))


@requirement(MAXIMUM, role="requester")
@pytest.mark.parametrize("kind", ACTS, ids=str)
def test_requester_has_room_for_the_largest_reply(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """Send and chunks together take the largest reply that the call can have."""
    result = client.do(kind, 6000)

    verify.calls.obey(service.received, MAXIMUM)
    verify.calls.done(result)
