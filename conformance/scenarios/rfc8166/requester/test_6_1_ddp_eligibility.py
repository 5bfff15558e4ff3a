"""rfc8166 section 6.1 DDP-Eligibility: kept by a Requester, and violated by its Responder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.case import Inconclusive
from conformance.tester.server.fewer_octets import reply_with_fewer
from conformance.tester.server.reply import filled
from rpcrdma.ulp import rpc
from rpcrdma.wire import RdmaMsg, chunk_length
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import ReceivedCall, Service
    from conformance.tester.server.acting import ActingClient

FEW: Final = 64
"""Octets of a result that fits a Send."""


ELIGIBLE: Final = (
    "rfc8166.6.1.ineligible-items-are-not-reduced",
    "rfc8166.6.1.binding-limits-procedures",
)
ENDS: Final = "rfc8166.6.1.reduced-ineligible-result-ends-the-rpc"
CHUNKS: Final = "rfc8166.6.1.binding-limits-chunks"


@requirement(*ELIGIBLE, role="requester")
@pytest.mark.parametrize("kind", [ActKind.SMALL, ActKind.WRITE, ActKind.LONG_CALL])
def test_requester_reduces_eligible_arguments_only(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """Every Read chunk but one of Position zero holds an argument that the binding names."""
    result = client.do(kind, 6000)

    verify.calls.obey(service.received, *ELIGIBLE)
    verify.calls.done(result)


@requirement(CHUNKS, role="requester")
@pytest.mark.parametrize("kind", [ActKind.READ, ActKind.WRITE])
def test_requester_offers_no_more_chunks_than_the_binding_allows(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """There are no more Read chunks than eligible arguments, nor Write chunks than results."""
    result = client.do(kind, 6000)

    verify.calls.obey(service.received, CHUNKS)
    verify.calls.done(result)


def with_write_chunk(call: ReceivedCall) -> bool:
    """Whether a call offers one Write chunk, and room in it."""
    return len(call.writes) == 1 and bool(call.writes[0].target)


def short_reply(service: Service, call: ReceivedCall) -> bytes:
    """An unreduced reply with few octets of what the call asks for."""
    layer = service.state_of(service.line_of(call)).upper_layer
    if layer is None or call.unreduced is None:
        raise Inconclusive("the program of the call is not known")
    return reply_with_fewer(layer, call.unreduced, FEW)


def placed(service: Service, call: ReceivedCall, octets: bytes, payload: bytes) -> bytes:
    """Place octets into the Write chunk; returns the reply that says so, with this payload."""
    chunk, placements = filled(call.writes[0], octets)
    service.line_of(call).place(placements)
    unused = None if call.reply_chunk is None else filled(call.reply_chunk, b"")[0]
    body = RdmaMsg((), (chunk,), unused)
    return service.draft(call).changed(body=body, payload=payload).octets


@requirement(ENDS, role="requester")
def test_requester_refuses_results_that_may_not_be_reduced(
    service: Service, client: ActingClient
) -> None:
    """The Write chunk holds all results, also those beside the data: the call fails for good."""
    act = client.begin(ActKind.READ, 4096)
    call = service.next_call(with_write_chunk)
    reply = short_reply(service, call)
    _, results = rpc.decode_reply(reply)

    message = placed(service, call, reply[results:], reply[:results])

    verify.calls.reaction(service, call, act, message, reading=4096)


@requirement(
    ENDS,
    "rfc8166.4.3.2.1.reply-tells-which-chunk-is-which",
    role="requester",
    means={ENDS: "rfc8166.4.3.2.1.reply-tells-which-chunk-is-which"},
)
def test_requester_takes_no_chunk_for_the_result_of_an_error(
    service: Service, client: ActingClient
) -> None:
    """Data are in the Write chunk, but the reply is an RPC error, which has no result: it fails."""
    act = client.begin(ActKind.READ, 4096)
    call = service.next_call(with_write_chunk)

    error = service.replies.protected(call, rpc.procedure_unavailable(call.xid))
    message = placed(service, call, bytes(4096), error)

    verify.calls.reaction(service, call, act, message, reading=4096)


def unused(service: Service, call: ReceivedCall) -> tuple[int, ...]:
    """Numbers of the Write chunks with room into which the right reply puts nothing."""
    returned = service.draft(call).lists.rdma_writes if len(call.writes) > 1 else ()
    return tuple(n for n, one in enumerate(returned) if one.target and not chunk_length(one))


@requirement(
    ENDS,
    role="requester",
    means={ENDS: "rfc8166.4.3.2.1.reply-tells-which-chunk-is-which"},
)
def test_requester_takes_no_chunk_for_a_result_that_is_not_there(
    service: Service, client: ActingClient
) -> None:
    """Of two optional results one comes, in the first Write chunk; octets are in the other."""
    act = client.begin(ActKind.READ_OPTIONAL)
    call = service.next_call(lambda call: bool(unused(service, call)))
    for other in service.waiting():
        service.serve(other)
    right = service.draft(call)
    service.line_of(call).place(right.placements)
    returned = list(right.lists.rdma_writes)

    number = unused(service, call)[0]
    returned[number], placements = filled(call.writes[number], bytes(FEW))
    service.line_of(call).place(placements)
    message = right.with_writes(*returned).octets

    verify.calls.reaction(service, call, act, message)


@requirement("rfc8166.6.1.unreduced-result-ends-the-rpc", role="requester")
def test_requester_refuses_a_result_beside_its_chunk(
    service: Service, client: ActingClient
) -> None:
    """The data come inline, though there is a Write chunk for them: the call fails for good."""
    act = client.begin(ActKind.READ, 4096)
    call = service.next_call(with_write_chunk)
    reply = short_reply(service, call)

    message = placed(service, call, b"", reply)

    verify.calls.reaction(service, call, act, message, reading=4096)
