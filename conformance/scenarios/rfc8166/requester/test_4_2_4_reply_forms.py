"""rfc8166 section 4.2.4 Procedure Number: the forms of replies that a Requester has to bear."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.server.reply import filled
from rpcrdma.ulp import rpc
from rpcrdma.wire import RdmaMsg, RdmaNomsg, WriteChunk
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import ReceivedCall, Service
    from conformance.tester.server.acting import ActingClient


def room_of(call: ReceivedCall) -> WriteChunk:
    """The Reply chunk of a call that has one."""
    return call.reply_chunk or WriteChunk(())


LONG_REPLY: Final = (
    "rfc8166.4.any-endpoint-sends-msg-and-nomsg",
    "rfc8166.4.2.4.nomsg-lists-may-be-absent",
    "rfc8166.6.1.ineligible-items-in-long-messages",
)
"""Each allows the Long Reply that comes: for its procedure, for its lists, and for its results."""


@requirement(*LONG_REPLY, role="requester")
def test_requester_takes_a_long_reply(service: Service, client: ActingClient) -> None:
    """Results none of which may be reduced come in the Reply chunk, with no other list."""
    act = client.begin(ActKind.LONG_REPLY, 6000)
    call = service.next_call(lambda one: is_answered_long(service, one))

    service.reply(call)

    # Who does not take it does not say for which of the three.
    verify.calls.done(service.serve_until(act), LONG_REPLY)


def is_answered_long(service: Service, call: ReceivedCall) -> bool:
    """Whether the right reply to a call without Write chunks is an RDMA_NOMSG."""
    if call.reply_chunk is None or call.writes:
        return False
    return isinstance(service.draft(call).header.rdma_body, RdmaNomsg)


@requirement("rfc8166.4.any-endpoint-sends-msg-and-nomsg", role="requester")
def test_requester_takes_a_short_reply_from_the_reply_chunk(
    service: Service, client: ActingClient
) -> None:
    """A reply that would fit the Send comes by RDMA_NOMSG: the call is over all the same.

    That it says that there is no such procedure spares the case to know the program.
    """
    act = client.begin(ActKind.LONG_REPLY, 6000)
    call = service.next_call(lambda one: one.reply_chunk is not None and not one.writes)
    error = service.replies.protected(call, rpc.procedure_unavailable(call.xid))
    chunk, placements = filled(room_of(call), error)
    reply = service.draft(call).changed(body=RdmaNomsg((), (), chunk), payload=b"")
    service.line_of(call).place(placements)

    verify.calls.reaction(service, call, act, reply.octets)


@requirement(
    "rfc8166.4.3.3.small-reply-may-be-inline",
    "rfc8166.4.2.4.msg-lists-may-be-absent",
    role="requester",
    means={
        "rfc8166.2.2.2.reply-xid-is-the-calls": (
            "rfc8166.4.2.4.msg-lists-may-be-absent",
            "rfc8166.4.3.3.small-reply-may-be-inline",
        )
    },
)
@pytest.mark.parametrize("returned", [True, False], ids=["returned", "absent"])
def test_requester_takes_a_short_reply_beside_the_reply_chunk(
    service: Service, client: ActingClient, *, returned: bool
) -> None:
    """A short reply leaves the Reply chunk unused, which it returns or not: the call is over."""
    act = client.begin(ActKind.LONG_REPLY, 6000)
    call = service.next_call(lambda one: one.reply_chunk is not None and not one.writes)
    unused = filled(room_of(call), b"")[0] if returned else None
    error = service.replies.protected(call, rpc.procedure_unavailable(call.xid))
    reply = service.draft(call).changed(body=RdmaMsg((), (), unused), payload=error)

    verify.calls.reaction(service, call, act, reply.octets)


@requirement("rfc8166.4.2.4.msg-lists-may-be-absent", role="requester")
@pytest.mark.parametrize("kind", [ActKind.SMALL, ActKind.READ, ActKind.WRITE])
def test_requester_takes_replies_with_any_lists(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """An RDMA_MSG has only those lists whose chunks the call offered, and otherwise none."""
    verify.calls.done(client.do(kind, 6000))

    verify.calls.some((call for call in service.received if not call.is_long), "by RDMA_MSG")


@requirement("rfc8166.4.2.4.streams-fit-the-threshold-together", role="requester")
@pytest.mark.parametrize("length", [836, 864, 888, 964])
def test_requester_counts_the_header_against_the_threshold(
    service: Service, client: ActingClient, length: int
) -> None:
    """Arguments nearly as long as a Send may be: header and payload together have 1024 octets."""
    result = client.do(ActKind.WRITE, length)

    verify.calls.obey(service.received, "rfc8166.4.2.4.streams-fit-the-threshold-together")
    verify.calls.done(result)
