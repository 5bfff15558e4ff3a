"""rfc8166 section 4.4.1 Registration Longevity: memory of calls that are over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.server.received import offers_memory
from rpcrdma.wire import ErrChunk
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import ReceivedCall, Service
    from conformance.tester.server.acting import ActingClient
    from rpcrdma.wire import RdmaSegment


ACTS = [ActKind.READ, ActKind.WRITE, ActKind.LONG_CALL, ActKind.LONG_REPLY]


@requirement(
    "rfc8166.4.4.1.memory-protected-before-upper-layer-access",
    "rfc8166.8.1.3.invalidated-when-complete",
    role="requester",
)
@pytest.mark.parametrize("kind", ACTS, ids=str)
def test_requester_takes_back_the_memory_of_a_call(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """Once the application has its result, the memory that the call offered cannot be reached."""
    act = client.begin(kind, 6000)
    call = service.next_call(offers_memory)
    service.reply(call)
    verify.calls.done(service.serve_until(act))

    segment = first_segment(call)
    verify.memory.unreachable(service, service.line_of(call), segment, for_results=not call.reads)


@requirement("rfc8166.8.1.3.invalidated-after-abnormal-end", role="requester")
@pytest.mark.parametrize("kind", ACTS, ids=str)
def test_requester_takes_back_the_memory_of_a_refused_call(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """The same of a call that ERR_CHUNK has ended."""
    act = client.begin(kind, 6000)
    call = service.next_call(offers_memory)
    service.error(call, ErrChunk())
    verify.calls.failed(service.serve_until(act))

    segment = first_segment(call)
    verify.memory.unreachable(service, service.line_of(call), segment, for_results=not call.reads)


@requirement("rfc8166.4.4.1.cancelled-rpcs-are-covered-too", role="requester", needs=("cancels",))
@pytest.mark.parametrize("kind", ACTS, ids=str)
def test_requester_takes_back_the_memory_of_a_cancelled_call(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """The same of a call that the application has given up, before the reply has come."""
    act = client.begin(kind, 6000)
    call = service.next_call(offers_memory)
    act.abandon()
    service.waiting()

    segment = first_segment(call)
    verify.memory.unreachable(service, service.line_of(call), segment, for_results=not call.reads)


def first_segment(call: ReceivedCall) -> RdmaSegment:
    """One of the segments that a call offers."""
    reply = () if call.reply_chunk is None else call.reply_chunk.target
    writes = tuple(segment for chunk in call.writes for segment in chunk.target)
    return (*(read.target for read in call.reads), *writes, *reply)[0]
