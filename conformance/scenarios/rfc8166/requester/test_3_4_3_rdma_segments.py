"""rfc8166 section 3.4.3 RDMA Segments: the memory that a Requester provides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import ReceivedCall, Service
    from conformance.tester.server.acting import ActingClient
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
    narrower="the case tries the memory that a call offers, which is nothing that a message shows",
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

    verify.memory.described(service, call)
    service.reply(call)
    verify.calls.done(service.serve_until(act))


REJOINED: Final = "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream"

REDUCED: Final = (
    "rfc8166.3.4.3.reduced-item-leaves-the-stream",
    REJOINED,
    "rfc8166.3.4.4.1.count-stays-in-the-stream",
    "rfc8166.3.4.4.1.elements-move-to-the-chunk",
    "rfc8166.3.4.4.4.one-item-in-a-chunk",
    "rfc8166.3.4.4.4.roundup-leaves-the-stream",
    "rfc8166.3.4.5.header-advertises-read-chunks",
    "rfc8166.3.4.5.2.length-with-roundup",
    "rfc8166.3.5.2.reduced-stream-in-one-send",
)


@requirement(*REDUCED, role="requester", narrower="the case knows what was to be stored")
@pytest.mark.parametrize("length", [1500, 5002, 70003])
def test_requester_takes_an_argument_out_of_its_call(
    service: Service, client: ActingClient, length: int
) -> None:
    """With its Read chunks put back, each call is whole, and all it stores is in them."""
    result = client.do(ActKind.WRITE, length)
    calls = verify.calls.some((call for call in service.received if call.reads), "with Read chunks")

    verify.calls.obey(service.received, *REDUCED)
    verify.calls.stores(service, calls, length, (REJOINED,))
    verify.calls.done(result)
