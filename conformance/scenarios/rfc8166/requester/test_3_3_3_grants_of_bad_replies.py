"""rfc8166 section 3.3.3 Initial Connection State: only a valid reply tells the grant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.server.received import offers_room
from rpcrdma.wire import RdmaNomsg, RdmaSegment, ReadSegment, WriteChunk
from targets.base import ActKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.tester.server import ReceivedCall, ReplyDraft, Service
    from conformance.tester.server.acting import ActingClient

FIRST: Final = "rfc8166.3.3.3.first-reply-before-second-call"
HEADER: Final = "rfc8166.4.5.header-checked-before-the-rpc-layer"


def offers_write_chunk(call: ReceivedCall) -> bool:
    """Whether a call has a Write list that its reply must return."""
    return any(chunk.target for chunk in call.writes)


def emptied(draft: ReplyDraft) -> bytes:
    """A Long reply whose Reply chunk is returned as it was offered, and holds nothing."""
    reply = draft.lists.rdma_reply
    segments = () if reply is None else reply.target
    empty = WriteChunk(tuple(RdmaSegment(one.handle, 0, one.offset) for one in segments))
    return draft.changed(body=RdmaNomsg((), draft.lists.rdma_writes, empty), payload=b"").octets


STRAY: Final = 200
"""Octets of a reply to no call."""

BAD: Final[Mapping[str, tuple[ActKind, Callable[[ReplyDraft], bytes]]]] = {
    "read-list": (
        ActKind.READ,
        lambda draft: draft.with_reads(ReadSegment(4, RdmaSegment(1, 8, 64))).octets,
    ),
    "no-write-list": (ActKind.READ, lambda draft: draft.with_writes().octets),
    "empty-reply-chunk": (ActKind.LONG_REPLY, emptied),
    "no-reply-chunk": (
        ActKind.LONG_REPLY,
        lambda draft: draft.changed(body=RdmaNomsg((), (), None), payload=b"").octets,
    ),
    "presence-of-two": (
        ActKind.READ,
        lambda draft: draft.octets[:16] + (2).to_bytes(4) + draft.octets[20:],
    ),
    "cut-in-a-list": (ActKind.READ, lambda draft: draft.octets[:30]),
    "unknown-xid": (ActKind.READ, lambda draft: draft.stray(STRAY).octets),
}
"""What is read by a call, and what is wrong with the header of its reply."""


@requirement(
    FIRST,
    HEADER,
    role="requester",
    interpretations=("D-28",),
    wider="what becomes of the call that the bad reply answers is for other cases to look at",
)
@pytest.mark.parametrize("fault", BAD)
def test_requester_takes_no_grant_from_a_bad_reply(
    service: Service, client: ActingClient, fault: str
) -> None:
    """The first reply on a connection grants 32 credits in a bad header: one call at a time comes.

    Whether the reply ends its call or is dropped, it is no valid one.
    """
    kind, spoil = BAD[fault]
    client.two_at_once()
    service.grant = 1  # what is served before the call in question tells no more
    service.drop()
    service.waiting(service.profile.grace)
    first = client.begin(kind, 6000)
    service.next_connection()
    # The Reply to a Call without Write chunks may lack a Write list.
    call = service.next_call(offers_write_chunk if kind is ActKind.READ else offers_room)
    line = service.line_of(call)
    bad = spoil(service.draft(call).changed(credits=32))

    service.send(bad, line)
    service.waiting()
    call.answered = True  # it may be over; one that waits counts for nothing
    act = client.begin(ActKind.MANY, count=8)
    seconds = service.profile.start + service.profile.grace
    service.waiting(seconds, until=lambda: len(service.in_flight()) > 1)

    verify.calls.in_flight(service, at_most=1, after="and no valid reply has granted more")
    if first.poll() is None and line.connected:
        service.reply(call)
    verify.calls.ended(service, first, (HEADER,))
    verify.calls.done(verify.calls.ended(service, act, (FIRST,)), (FIRST,))
