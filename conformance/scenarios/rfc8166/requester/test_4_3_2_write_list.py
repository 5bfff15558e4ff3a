"""rfc8166 section 4.3.2 Write List: when a Requester offers one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.server import ReplyPlacement
from conformance.tester.server.reply import filled
from rpcrdma.ulp import rpc
from rpcrdma.wire import RdmaMsg
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

INLINE_RESULTS = "rfc8166.4.3.2.3.inline-results-may-need-a-long-reply"


WRITE_CHUNKS: Final = (
    "rfc8166.4.3.2.write-list-empty-without-results",
    "rfc8166.4.3.2.1.one-chunk-for-one-result",
    "rfc8166.6.1.binding-limits-procedures",
    "rfc8166.6.1.binding-limits-chunks",
)
CANDIDATES: Final = (
    "rfc8166.4.3.2.1.each-chunk-holds-its-largest-candidate",
    "rfc8166.4.3.2.2.each-chunk-fits-any-candidate",
)
LARGEST: Final = "rfc8166.3.4.6.write-chunk-holds-the-largest-result"
MAY_NOT_FIT: Final = "rfc8166.4.3.3.reply-chunk-when-reply-may-not-fit"


@requirement(*WRITE_CHUNKS, role="requester")
@pytest.mark.parametrize(
    "kind", [ActKind.SMALL, ActKind.READ, ActKind.WRITE, ActKind.LONG_CALL, ActKind.LONG_REPLY]
)
def test_requester_offers_no_more_write_chunks_than_results(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """A call brings as many Write chunks at most as it has results that may be reduced."""
    result = client.do(kind, 6000)

    verify.calls.obey(service.received, *WRITE_CHUNKS)
    verify.calls.done(result)


@requirement(*CANDIDATES, role="requester", means={LARGEST: CANDIDATES})
@pytest.mark.parametrize("length", [2001, 70003])
def test_requester_fits_each_chunk_to_its_largest_candidate(
    service: Service, client: ActingClient, length: int
) -> None:
    """A Write chunk takes the largest of the results that come to it if those before are absent."""
    result = client.do(ActKind.READ, length)
    calls = verify.calls.some((call for call in service.received if call.writes), "with room")

    verify.calls.obey(calls, LARGEST)
    verify.calls.done(result)


@requirement(
    "rfc8166.4.3.2.2.unconsumed-chunk-may-have-been-written",
    role="requester",
    narrower="the reply says that there is no such procedure, which nobody takes for data",
)
def test_requester_takes_nothing_from_an_unused_chunk(
    service: Service, client: ActingClient
) -> None:
    """The Write chunk is filled and comes back unused with an RPC error: there is no result."""
    act = client.begin(ActKind.READ, 4096)
    call = service.next_call(lambda one: bool(one.writes and one.writes[0].target))
    segments = [segment for chunk in call.writes for segment in chunk.target]
    rubbish = [ReplyPlacement(one.handle, one.offset, b"\xee" * one.length) for one in segments]
    unused = tuple(filled(chunk, b"")[0] for chunk in call.writes)
    none = None if call.reply_chunk is None else filled(call.reply_chunk, b"")[0]

    error = service.replies.protected(call, rpc.procedure_unavailable(call.xid))
    right = service.draft(call)
    service.reply(
        call,
        right.changed(body=RdmaMsg((), unused, none), payload=error, placements=rubbish),
    )

    verify.calls.failed(service.serve_until(act))


@requirement(
    INLINE_RESULTS,
    role="requester",
    means={MAY_NOT_FIT: INLINE_RESULTS},
)
@pytest.mark.parametrize("length", [600, 900, 1100])
def test_requester_has_room_for_results_that_it_wants_inline(
    service: Service, client: ActingClient, length: int
) -> None:
    """Results for which there is no Write chunk fit the Send, or there is a Reply chunk for them.

    A call of 600 octets may want them inline without one, a call of 1100 may not.
    """
    result = client.do(ActKind.READ, length)

    verify.calls.obey(service.received, MAY_NOT_FIT)
    verify.calls.done(result)
