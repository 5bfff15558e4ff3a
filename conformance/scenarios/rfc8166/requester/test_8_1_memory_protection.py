"""rfc8166 section 8.1 Memory Protection: handles, and memory beyond its connection and its call."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.case import Deviation, Inconclusive
from rpcrdma.fabric.completion import CompletionStatus
from rpcrdma.wire.words import in_words
from targets.base import ActKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.tester.server import ReceivedCall, Service
    from conformance.tester.server.acting import ActingClient
    from rpcrdma.wire import RdmaSegment

CALLS: Final = 6
"""Calls whose handles are looked at: by chance no six random numbers are evenly spaced."""


def segments(call: ReceivedCall) -> Iterator[RdmaSegment]:
    """Everything that a call offers."""
    yield from (read.target for read in call.reads)
    for chunk in (*call.writes, *filter(None, (call.reply_chunk,))):
        yield from chunk.target


def offers(call: ReceivedCall) -> bool:
    """Whether a call offers memory."""
    return any(segments(call))


@requirement("rfc8166.8.1.1.memory-belongs-to-one-connection", role="requester")
@pytest.mark.parametrize("kind", [ActKind.READ, ActKind.WRITE])
def test_requester_offers_the_memory_of_one_connection_on_no_other(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """The connection is lost under a call: its handles are of no use on the next connection."""
    client.begin(kind, 9000)
    lost = service.next_call(offers)
    service.drop(service.line_of(lost))
    service.waiting()
    act = client.begin(kind, 9000)
    deadline = service.profile.deadline
    patience = deadline + service.profile.connect_deadline  # clients may pause before they connect
    again = service.next_call(lambda call: call.line != lost.line and offers(call), patience)
    line = service.line_of(again)
    known = {segment.handle for segment in segments(again)}
    foreign = [segment for segment in segments(lost) if segment.handle not in known]

    if not foreign:  # the handles are the same ones: so they must be of this connection now
        verify.calls.done(service.serve_until(act, patience))
        return
    status = (
        line.read(foreign[0], deadline) if lost.reads else line.write(foreign[0], b"\xee", deadline)
    )
    if status is CompletionStatus.SUCCESS:
        raise Deviation(
            "Memory that was offered on one connection can be reached on another.",
            expected=(CompletionStatus.REMOTE_ACCESS_ERROR.value,),
            actual=f"{status.value} at handle {foreign[0].handle:#x}",
        )
    # Whether the act outlives two connections is another matter (4.5.5).
    service.serve_while(lambda: act.poll() is None, patience)


@requirement("rfc8166.8.1.2.handles-are-unpredictable", role="requester")
def test_requester_offers_handles_that_cannot_be_predicted(
    service: Service, client: ActingClient
) -> None:
    """The handles of a row of calls are not evenly spaced, or it is worth a warning."""
    for _ in range(CALLS):
        verify.calls.done(client.do(ActKind.READ, 4096))
    offered = [next(segments(call)).handle for call in service.received if offers(call)]
    if len(offered) < CALLS:
        raise Inconclusive(f"of {CALLS} acts {len(offered)} had calls that offer memory")

    steps = {(after - before) % 2**32 for before, after in pairwise(offered)}
    if len(steps) == 1:
        raise Deviation(
            "Who knows one handle of the client knows them all.",
            expected=("handles that do not follow from one another",),
            actual=f"each is {steps.pop()} more than the one before:"
            f" {in_words([hex(one) for one in offered])}",
        )


@requirement("rfc8166.8.1.2.no-persistent-registration", role="requester")
@pytest.mark.parametrize("kind", [ActKind.READ, ActKind.WRITE, ActKind.LONG_CALL], ids=str)
def test_requester_does_not_leave_memory_registered(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """Three calls later the memory that a call has offered is out of reach."""
    for _ in range(3):
        verify.calls.done(client.do(kind, 6000))
    calls = verify.calls.some(filter(offers, service.received), "that offers memory")

    first = calls[0]
    segment = next(segments(first))
    line = service.line_of(first)
    verify.memory.unreachable(service, line, segment, for_results=not first.reads)
