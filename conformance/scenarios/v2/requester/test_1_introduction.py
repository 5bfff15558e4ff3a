"""v2 section 1 Introduction: what of Version One goes on, as a Requester does it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from rpcrdma.wire.operations import ConnProp
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import ReceivedCall, Service
    from conformance.tester.server.acting import ActingClient

ELIGIBLE: Final = "v2.1.only-eligible-items-are-reduced"

LONG: Final = 10_001
"""Octets that do not fit a message of Version Two."""


@requirement("v2.1.read-chunks-as-before", ELIGIBLE, role="requester")
@pytest.mark.parametrize("length", [LONG, 300_001])
def test_requester_moves_an_argument_by_a_read_chunk(
    service_two: Service, client: ActingClient, length: int
) -> None:
    """An argument that is too long for a message arrives whole, by way of a Read chunk."""
    result = client.do(ActKind.WRITE, length)

    verify.calls.some((call for call in service_two.received if call.reads), "with a Read chunk")
    verify.calls.obey(service_two.received, ELIGIBLE)
    verify.calls.done(result)


@requirement("v2.1.write-chunks-as-before", role="requester")
@pytest.mark.parametrize("length", [LONG, 300_001])
def test_requester_takes_a_result_from_a_write_chunk(
    service_two: Service, client: ActingClient, length: int
) -> None:
    """A result that is too long for a message is written where the client has offered memory."""
    result = client.do(ActKind.READ, length)

    verify.calls.some((call for call in service_two.received if call.writes), "with a Write chunk")
    verify.calls.done(result)
    verify.calls.reads(result, length)


@requirement("v2.1.reply-chunk-as-before", role="requester")
@pytest.mark.parametrize("length", [LONG, 300_001])
def test_requester_takes_a_reply_from_its_reply_chunk(
    service_two: Service, client: ActingClient, length: int
) -> None:
    """A Long Reply is taken from the Reply chunk that the call has offered."""
    result = client.do(ActKind.LONG_REPLY, length)

    offered = (call for call in service_two.received if call.reply_chunk is not None)
    verify.calls.some(offered, "with a Reply chunk")
    verify.calls.done(result)


def is_long_call(call: ReceivedCall) -> bool:
    """Whether a call has its payload in a chunk."""
    return any(read.position == 0 for read in call.reads)


@requirement(
    "v2.1.long-calls-as-before",
    "v2.2.1.large-call-goes-by-rdma",
    "v2.4.2.1.nomsg-conveys-its-payload-by-chunks",
    ELIGIBLE,
    role="requester",
)
@pytest.mark.parametrize("length", [LONG, 60_001])
def test_requester_makes_long_calls(
    service_two: Service, client: ActingClient, length: int
) -> None:
    """A call that is too long, and of which nothing can be reduced, is a Long Call, and done."""
    result = client.do(ActKind.LONG_CALL, length)

    verify.calls.obey(service_two.received, ELIGIBLE)
    verify.calls.done(result, ("v2.2.1.large-call-goes-by-rdma",))
    verify.calls.some(filter(is_long_call, service_two.received), "with a Position-Zero chunk")


@requirement("v2.1.one-rpc-message-behind-the-header", role="requester")
@pytest.mark.parametrize("length", [600, 2000, 3900])
def test_requester_takes_the_whole_reply(
    service_two: Service, client: ActingClient, length: int
) -> None:
    """The octets after the header of an inline reply come to the application as they are."""
    verify.calls.done(client.do(ActKind.LONG_REPLY, length))


@requirement("v2.1.payload-xid-equals-rdma-xid", role="requester")
@pytest.mark.parametrize(
    "kind", [ActKind.SMALL, ActKind.READ, ActKind.WRITE, ActKind.LONG_REPLY], ids=str
)
def test_requester_has_one_xid_in_both_headers(
    service_two: Service, client: ActingClient, kind: ActKind
) -> None:
    """The XID after the transport header is the one in it, whatever form a call has."""
    result = client.do(kind, LONG)

    verify.calls.obey(service_two.received, "v2.1.payload-xid-equals-rdma-xid")
    verify.calls.done(result)


@requirement("v2.1.interoperates-without-optional-features", role="requester")
def test_requester_goes_on_when_its_announcement_is_refused(
    service_fresh: Service, client: ActingClient
) -> None:
    """Nothing optional is supported by the server: what the client does is done all the same."""
    verify.calls.done(client.serve_good_act())
    line = service_fresh.line
    service_fresh.waiting()

    for message in tuple(service_fresh.options.messages):
        if isinstance(message.option, ConnProp):
            service_fresh.options.refuse(message)
    results = [client.do(kind, LONG) for kind in (ActKind.NULL, ActKind.READ, ActKind.WRITE)]

    for result in results:
        verify.calls.done(result)
    verify.calls.stands(line, "the refusal of what it announced")
