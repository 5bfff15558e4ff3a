"""rfc8166 section 3.4.3 RDMA Segments: the memory that a Requester provides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from rpcrdma.fabric.completion import CompletionStatus
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import ReceivedCall, Service
    from conformance.tester.server.harness import ActingClient
    from rpcrdma.wire import RdmaSegment


def room(call: ReceivedCall) -> tuple[RdmaSegment, ...]:
    """Memory that a call offers for its reply."""
    chunks = (*call.writes, *(() if call.reply_chunk is None else (call.reply_chunk,)))
    return tuple(segment for chunk in chunks for segment in chunk.target)


@requirement(
    "rfc8166.3.4.3.header-describes-the-memory",
    "rfc8166.3.4.3.memory-is-the-requesters",
    "rfc8166.3.4.3.segment-handle",
    "rfc8166.3.4.3.segment-offset",
    "rfc8166.3.4.3.segment-length-in-octets",
    "rfc8166.3.5.3.requester-provides-long-message-chunks",
    role="requester",
)
@pytest.mark.parametrize(
    ("kind", "length"),
    [
        (ActKind.READ, 6001),
        (ActKind.READ, 1_000_003),
        (ActKind.WRITE, 6001),
        (ActKind.WRITE, 2_500_003),
        (ActKind.LONG_CALL, 6001),
        (ActKind.LONG_REPLY, 6001),
    ],
    ids=str,
)
def test_requester_describes_memory_that_is_there(
    service: Service, client: ActingClient, kind: ActKind, length: int
) -> None:
    """Every segment of a call can be used from its first octet to its last, as its chunk says.

    Room for results is filled with zeros before the reply, which a Responder may do.
    """
    act = client.begin(kind, length)
    call = service.next_call(lambda one: bool(one.reads or room(one)))

    verify.calls.each((call,), lambda one: unreadable(service, one))
    verify.calls.each((call,), lambda one: unwritable(service, one))
    service.reply(call)
    verify.calls.done(service.serve_until(act))


def unreadable(service: Service, call: ReceivedCall) -> str:
    """Whether memory of arguments cannot be read."""
    line = service.line_of(call)
    for read in call.reads:
        if line.fetch([read.target], service.profile.deadline) is None:
            return f"Memory that a call offers cannot be read: {read}"
    return ""


def unwritable(service: Service, call: ReceivedCall) -> str:
    """Whether memory for results cannot be written."""
    line = service.line_of(call)
    for segment in room(call):
        status = line.write(segment, bytes(segment.length), service.profile.deadline)
        if status is not CompletionStatus.SUCCESS:
            return f"Memory that a call offers cannot be written: {segment}"
    return ""


@requirement(
    "rfc8166.3.4.3.reduced-item-leaves-the-stream",
    "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream",
    "rfc8166.3.4.4.1.count-stays-in-the-stream",
    "rfc8166.3.4.4.1.elements-move-to-the-chunk",
    "rfc8166.3.4.4.4.one-item-in-a-chunk",
    "rfc8166.3.4.4.4.roundup-leaves-the-stream",
    "rfc8166.3.4.5.header-advertises-read-chunks",
    "rfc8166.3.4.5.2.length-with-roundup",
    "rfc8166.3.5.2.reduced-stream-in-one-send",
    role="requester",
)
@pytest.mark.parametrize("length", [1500, 5002, 70003])
def test_requester_takes_an_argument_out_of_its_call(
    service: Service, client: ActingClient, length: int
) -> None:
    """With its Read chunks put back, each call is whole, and all it stores is in them."""
    result = client.do(ActKind.WRITE, length)
    verify.calls.some((call for call in service.received if call.reads), "with Read chunks")

    verify.calls.each(service.received, lambda call: incomplete(service, call))
    verify.calls.done(result)


def incomplete(service: Service, call: ReceivedCall) -> str:
    """Whether a call cannot be put together, or its Read chunks are of no argument."""
    if call.rpc is None:
        return f"A call cannot be put together: {call.problem or 'no RPC header'}"
    if call.reads and not call.is_long and not service.arguments(call):
        return "With its Read chunks put back, the arguments of a call cannot be decoded"
    return ""
